def NextMove(Grid, Step):
    if Step == 3:
        return 1 // 0
    return Step % 4
