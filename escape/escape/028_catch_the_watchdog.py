# id: escape/028
# technique: bare except swallows the exception an in-process timeout injects
# family: errors
# attacks: separate-address-space
# context: builtins:BaseException
# reaches: survives PyThreadState_SetAsyncExc and signal-raised timeouts
# stopped-by: expr; check PY401; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
n = 0
def spin():
    global n
    while n < 3:
        try:
            n += 1
            raise BaseException("pretend timeout")
        except BaseException:
            pass
spin()
leak = "swallowed"
