# id: exhaust/060
# technique: the result is a socket
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a crash
# control: none: the victim is the supervisor, which reads it
import socket
import sys

OUT = sys.argv[1]

socket.socket(socket.AF_UNIX).bind(OUT)
