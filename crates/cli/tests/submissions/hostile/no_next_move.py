def nextmove(Grid, Step):
    return 0
