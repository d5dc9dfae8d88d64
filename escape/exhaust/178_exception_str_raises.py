# id: exhaust/178
# technique: an exception whose text raises another, and whose name is no name
# family: account
# attacks: stderr
# context: job
# expect: outcome raised | exited:1
# why: the interpreter's own printing may fail at it
# must-not: an account that fails instead
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)

class Meta(type):
    __name__ = property(lambda cls: 1 / 0)
    __qualname__ = property(lambda cls: 1 / 0)


class Boom(Exception, metaclass=Meta):
    def __str__(self):
        raise KeyboardInterrupt

    __repr__ = __str__


raise Boom
