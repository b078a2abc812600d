(evaluator
  (value
    (lines
      (subtract
        (subtract
          (add
            (subtract
              (add (max (subtract merge-ranks full) merge-ranks) empty)
              (min (root mono2) rough))
            (subtract (add merge-ranks 23.8) ranks2))
          (max (max merges (add (root merges) (root (divide -6.12 mono2)))) (root ranks2)))
        (max (root mono2) (square (if-less near merge-ranks merges full)))))))
