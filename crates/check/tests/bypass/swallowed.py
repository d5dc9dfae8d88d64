# technique: everything is swallowed, by a `return` in `finally`
# family: checker-blind-spot
# context: bare
# reaches: the exception of an in-process time limit
# written against: the check of this project, which looks at `except` alone
def spin():
    try:
        raise KeyboardInterrupt
    finally:
        return "swallowed"


leak = spin()
