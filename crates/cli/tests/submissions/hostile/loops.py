def NextMove(Grid, Step):
    while True:
        pass
