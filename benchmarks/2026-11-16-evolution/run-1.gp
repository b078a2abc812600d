; lab2048 evolve --rows true --seed 1 --generations 100 --proof 300 (commit 62ce38888ec7), generation 71
; 27368.1 ± 442.5 points and a largest tile of 1813.6 on average over 1000 fresh games
(evaluator
  (value
    (lines
      (multiply
        0.0177
        (add
          (add
            (subtract
              (add (square empty) (add -0.644 merge-ranks))
              (max (add (add mono2 ranks2) (square edge)) (max merges (root fourth))))
            (add
              (add (divide -0.0243 -0.0234) (max merge-ranks (square merge-ranks)))
              (subtract 0.0776 full)))
          (add 4.32 (divide 36.3 (root ranks2))))))))
