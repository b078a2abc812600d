; an evaluator
(evaluator (adf0 (add arg0 (multiply arg1 empty)))
 (value (add (lines (adf0 mono4 -0.3)) corner)))
