# id: escape/056
# technique: remove the trace function / timer that bounds this code
# family: state
# attacks: separate-address-space
# context: import sys,signal
# reaches: unbounded run
# stopped-by: expr; check PY310; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
import sys, signal
sys.settrace(None)
signal.setitimer(signal.ITIMER_REAL, 0)
leak = "watchdog off"
