# id: exhaust/191
# technique: writes to wherever the account of an exception goes, then exits with 1
# family: account
# attacks: stderr
# context: job
# expect: outcome exited:1
# must-not: an error of the host, or a protocol that is said to be broken
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)

for folder, _, names in os.walk("/run/stockade"):
    for name in names:
        with open(os.path.join(folder, name), "w") as one:
            one.write("x")
for name in ("exception", "exception.json", "account", "account.json", "raised", "raised.json"):
    try:
        with open("/run/stockade/" + name, "w") as one:
            one.write('{"type": "E", "message": "\\ud800", "traceback": 1, "pid": -1}' * 100)
    except OSError:
        pass
os._exit(1)
