def NextMove(Grid, Step):
    return "0" * 10_000_000
