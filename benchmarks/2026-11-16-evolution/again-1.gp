(evaluator
  (value
    (lines
      (add
        (add
          (divide (if-less ranks2 0.425 mono4 0.638) mono)
          (subtract
            (if-less
              ranks2
              (if-less mono2 0.0235 (square (subtract merge-ranks mono)) second)
              third
              (if-less ranks2 (subtract edge ranks2) third 19.8))
            mono))
        (add
          (add
            (subtract
              (add (subtract (subtract merge-ranks mono) ranks2) (add empty empty))
              first)
            merge-ranks)
          (add
            (subtract
              (add (subtract (subtract merge-ranks mono) (root mono2)) empty)
              rough)
            (add edge (add mono empty))))))))
