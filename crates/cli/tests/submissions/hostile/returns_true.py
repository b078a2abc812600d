def NextMove(Grid, Step):
    return 4 if Step == 8 else (Step % 2 == 0)
