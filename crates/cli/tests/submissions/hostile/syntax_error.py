def NextMove(Grid, Step)
    return 0
