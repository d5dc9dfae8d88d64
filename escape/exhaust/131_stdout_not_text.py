# id: exhaust/131
# technique: bytes that are no text: broken UTF-8, NULs, lone surrogates
# family: flood
# attacks: stdout
# context: job
# expect: outcome finished:true
# must-not: more kept than the limit, or the supervisor's memory growing
# control: none: outside nobody counts what is written
# limits: stdout=16KiB, stderr=16KiB
import sys

OUT = sys.argv[1]

sys.stdout.buffer.write(b"\xff\xfe\x00\xc0\x80\xed\xa0\x80\xf8\x88\x80\x80\x80" * 4_000)
with open(OUT, "w") as out:
    out.write("true")
