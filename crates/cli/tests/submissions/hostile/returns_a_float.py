def NextMove(Grid, Step):
    return 1.0
