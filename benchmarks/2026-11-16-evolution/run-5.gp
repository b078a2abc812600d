; lab2048 evolve --rows true --seed 5 --generations 100 --proof 300 (commit 62ce38888ec7), generation 96
; 22240.0 ± 342.5 points and a largest tile of 1490.2 on average over 1000 fresh games
(evaluator
  (value
    (lines
      (subtract
        (if-less
          (max -1.19 18.5)
          ranks4
          (add
            (subtract
              (subtract
                (if-less fourth (if-less mono4 merges near merge-ranks) near merge-ranks)
                fourth)
              mono)
            (max (max empty (square (root merges))) merge-ranks))
          (subtract
            (if-less
              (if-less
                ranks2
                (if-less mono merges (root near) merge-ranks)
                near
                merge-ranks)
              (root mono4)
              (max
                -3.69
                (if-less fourth (if-less mono4 merges first merge-ranks) near empty))
              (min ranks4 merge-ranks))
            (add -5.16 full)))
        mono))))
