(evaluator
  (value
    (lines
      (subtract
        (add
          (add merge-ranks (max (square edge) fourth))
          (max
            (subtract (square edge) (root (subtract edge (root 2.4))))
            (root (root 17.3))))
        (add
          (if-less
            (multiply rough -16.5)
            (root
              (subtract
                (max merges (square ranks4))
                (divide (root edge) (divide third merge-ranks))))
            rough
            0.119)
          (multiply
            (add (min (add ranks2 mono) ranks4) near)
            (root (root (root (root 17.4))))))))))
