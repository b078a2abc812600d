class Code:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def NextMove(Grid, Step):
    return Code(4 if Step == 8 else Step % 2)
