(evaluator
  (value
    (lines
      (min
        (subtract
          (subtract
            merge-ranks
            (subtract
              (root (add (max mono2 ranks2) (divide empty ranks2)))
              (square (root empty))))
          (root (subtract (max mono2 (subtract (divide empty ranks2) first)) empty)))
        (divide (square (root (square empty))) first)))))
