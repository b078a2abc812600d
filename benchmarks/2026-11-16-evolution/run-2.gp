; lab2048 evolve --rows true --seed 2 --generations 100 --proof 300 (commit 62ce38888ec7), generation 53
; 24124.7 ± 357.1 points and a largest tile of 1598.0 on average over 1000 fresh games
(evaluator
  (value
    (lines
      (add
        (if-less
          ranks4
          (square -4.21)
          (divide full first)
          (add
            (subtract fourth rough)
            (add
              (subtract (subtract merge-ranks (divide merge-ranks rough)) full)
              (subtract (add empty (subtract merge-ranks mono)) ranks2))))
        (root (subtract rough (if-less first first merge-ranks mono)))))))
