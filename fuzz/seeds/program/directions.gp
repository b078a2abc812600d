(directions (modulo 3) (sense merge) (otherwise any)
  (move (max (add up right) (random left down))))
