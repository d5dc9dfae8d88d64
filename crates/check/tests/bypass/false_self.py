# technique: a parameter that is called `self` and is a module
# family: checker-blind-spot
# context: import random
# reaches: os through random._os
# written against: the check of this project, whose `attributes.private-of` lists `self`
import random


def peek(self):
    return self._os


leak = peek(random)
