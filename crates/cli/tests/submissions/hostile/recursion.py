def NextMove(Grid, Step):
    return NextMove(Grid, Step)
