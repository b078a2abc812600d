def NextMove(Grid, Step):
    raise ValueError("many\nwords\x1b[31m\x00 \ud800" * 100_000)
