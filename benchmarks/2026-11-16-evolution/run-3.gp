; lab2048 evolve --rows true --seed 3 --generations 100 --proof 300 (commit 62ce38888ec7), generation 87
; 26900.8 ± 413.9 points and a largest tile of 1765.6 on average over 1000 fresh games
(evaluator
  (value
    (lines
      (add
        (add
          (subtract
            (add (add edge merges) (max edge (add 0.0148 merge-ranks)))
            (root mono2))
          (subtract
            (add (add (add mono empty) merge-ranks) -1.99)
            (add ranks2 (root (add (add merges mono) empty)))))
        (add
          (subtract
            (subtract
              (subtract (multiply merge-ranks (if-less 7.78 9.46 third second)) first)
              (max full (min mono4 (min rough mono4))))
            mono2)
          (max (subtract (subtract (max -2.22 full) ranks2) -22.2) empty))))))
