NextMove = 3
