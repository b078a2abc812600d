def NextMove(Grid, Step):
    if Step < 6:
        return Step % 4
