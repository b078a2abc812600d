class Code:
    def __index__(self):
        raise KeyError("nothing here")


def NextMove(Grid, Step):
    return Code()
