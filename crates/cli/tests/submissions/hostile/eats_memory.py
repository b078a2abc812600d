def NextMove(Grid, Step):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 24))
