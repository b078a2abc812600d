(evaluator
  (value
    (lines
      (subtract
        (subtract merge-ranks mono)
        (max
          (max
            (if-less
              fourth
              (max (subtract merge-ranks -60) (multiply rough (square 25.8)))
              -0.0625
              (divide first (subtract merge-ranks (divide ranks4 mono))))
            0.0326)
          first)))))
