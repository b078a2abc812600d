; lab2048 evolve --rows true --seed 4 --generations 100 --proof 300 (commit 62ce38888ec7), generation 70
; 23169.1 ± 352.4 points and a largest tile of 1552.1 on average over 1000 fresh games
(evaluator
  (value
    (lines
      (subtract
        (subtract
          (add
            (add 3.24 empty)
            (add
              merge-ranks
              (max
                (if-less ranks4 (square 5.09) (add empty ranks2) 0.0186)
                (if-less ranks2 0.465 empty (add merge-ranks empty)))))
          (max
            -0.0528
            (subtract mono (if-less ranks2 (min (root 6.83) 0.0191) near (square empty)))))
        (subtract
          mono
          (subtract
            (subtract (add merge-ranks (add fourth edge)) ranks2)
            (subtract (max merges mono) (if-less (min merge-ranks -7.63) mono mono mono))))))))
