//! What `--help` teaches by example.

pub(crate) const TOP: &str = "\
Examples:
  stockade run job.py                          run it, print the value it emits
  stockade run job.py --schema value.json      ... and check the value
  stockade explain job.py                      what would be done, and by what
  stockade doctor                              what this host can do, and what it lacks

Exit codes:
  0  a value that passed, or nothing owed      64  the command or the policy is wrong
  1  the program raised, exited or crashed     65  the program, its input or a file is wrong
  3  it ran into a limit or a fence            69  this host cannot do what is asked
  4  its value was rejected, or it lied        70  a bug of Stockade   71  trouble on this host
                                               75  busy, try later    130  cancelled
                                              141  nobody read standard output";

pub(crate) const RUN: &str = "\
How a program gives its value:
  import stockade_guest as g; g.emit(6 * 7)    the helper, which knows numpy and dates
  json.dump(42, open(sys.argv[1], 'w'))        or a JSON file at the path in sys.argv[1]
  --call main                                  or what its function returns

Examples:
  stockade run job.py | jq .total
  stockade run job.py --schema value.json --input order.json --file sales.csv
  stockade run job.py --limit cpu=500ms --limit memory=256MiB --limit processes=1
  stockade run job.py --file 'exports/May report.csv:data/may.csv' --out total.json
  stockade run job.py --format json --audit /var/log/stockade.jsonl | jq .outcome
  echo 'print(\"hello\")' | stockade run - --no-value
  echo 'def f(x): return x * 2' | stockade run - --call f --input <(echo 21)

Standard output has the value and nothing else, so that it can be piped; with `--format json` it
has one JSON document, also when there is an error. The program's own output is shown on standard
error as it arrives; on a terminal its control characters are shown as `\\x1b`.";

pub(crate) const EXPLAIN: &str = "\
Examples:
  stockade explain job.py
  stockade explain job.py --require no-network --limit processes=1
  stockade explain job.py --rung process
  stockade explain - --format json </dev/null | jq .steps

Ends with 0, or with the code that `run` would end with when it is refused.";

pub(crate) const EVAL: &str = "\
Examples:
  stockade eval 'round(19.99 * 3 * 1.19, 2)'
  stockade eval 'price * qty > 100' --input row.json
  stockade eval 'f\"{region}: {units * unit_price:,.2f}\"' --input sales.csv --each
  stockade eval @rule.formula --signature @rule.types --input rows.jsonl --each
  stockade eval 'sum(r[\"x\"] for r in rows)' --signature 'rows: list[{x: int}, 1000]' --explain

A formula is one expression with Python's syntax; `docs/formula.md` is the language on one page.
With `--each` there is one line of output for each row; that of a row which fails is its error.
Ends with 65 when the formula is wrong, 1 when it cannot be evaluated, 3 when the budget is used
up.";

pub(crate) const CHECK: &str = "\
Examples:
  stockade check job.py
  stockade check jobs/*.py --policy team.toml --output-format concise
  stockade check job.py --profile automation --fail-on warning
  stockade check --explain PY201
  stockade check --show-policy > team.toml
  stockade check jobs/*.py --output-format sarif > findings.sarif
  stockade run job.py --check team.toml

A policy, team.toml:
  extends = \"notebook-pure\"
  [modules.requests]
  names = [\"get\"]
  [[suppress]]
  rule = \"PY401\"
  file = \"jobs/nightly.py\"
  reason = \"logs and raises again; Ada, 2026-11\"

Ends with 1 when something is found that is as bad as `--fail-on` says, or worse; with 2 when the
arguments, the policy or a file cannot be used. `docs/check.md` has every rule.";

pub(crate) const DOCTOR: &str = "\
Examples:
  stockade doctor
  stockade doctor --format json | jq '.rungs[] | select(.usable | not) | .failed'
  setpriv --reuid 1000 --clear-groups stockade doctor     as another user
  stockade doctor --prove                                 attack the rungs of this host
  stockade doctor --prove --rung jail --json | jq .through
  stockade doctor --prove --probe escape/064              one attack, on each rung

Runs a program of one word on each rung. Ends with 0 when a rung is usable that gives what is
required of every run by default, else with 69.

With `--prove` it runs hostile programs on each rung instead, and ends with 0 when none got through
what its rung promises, with 1 when one did or says nothing, with 69 when no rung could be attacked.
A rung that was got through is not offered any more: `stockade run` refuses it and says why.";

pub(crate) const LEAKS: &str = "\
Examples:
  stockade leaks --install                     all of it; fetches three pinned packages, once
  stockade leaks --html leaks.html             ... and a page to show
  stockade leaks --sandbox restrictedpython --rung jail
  stockade leaks --technique 021 --technique 009          why, place by place
  stockade leaks --format json | jq '.rows[] | {id, cells}'

Naming sandboxes or rungs leaves out all others. Ends with 0 when no technique reached the trusted
process from a rung, with 1 when one did, with 71 when the demonstration itself failed somewhere.";

pub(crate) const LIMITS: &str = "\
Examples:
  stockade limits
  stockade limits --format json | jq -r '.[] | select(.unit == \"bytes\") | .name'
  stockade run job.py --limit wall=2s --limit memory=512MiB --limit open_files=32";

pub(crate) const RUNGS: &str = "\
Examples:
  stockade rungs
  stockade rungs --format json | jq '.rungs[] | {name, guarantees}'
  stockade run job.py --require filtered-syscalls --require no-network";

pub(crate) const AUDIT: &str = "\
Examples:
  stockade run job.py --audit runs.jsonl
  stockade audit verify runs.jsonl
  stockade audit show runs.jsonl --last 10
  stockade audit show runs.jsonl --format json | jq .record.outcome.kind";

pub(crate) const TEMPLATE: &str = "\
Examples:
  stockade template build code-interpreter         numpy, pandas, scipy, matplotlib and more, once
  stockade run --template code-interpreter job.py

  stockade template lock reports.toml              pin versions and digests of its packages
  stockade template build reports.toml
  stockade template list
  stockade template verify reports                 read all of it, compare it with its digest
  stockade template remove reports
  stockade template prune                          take away what nothing refers to

A file, reports.toml:
  base = \"host\"
  packages = [\"numpy\", \"pandas>=2\"]
  preload = [\"numpy\"]";

pub(crate) const WARM: &str = "\
Examples:
  stockade warm --template code-interpreter
  stockade run --template code-interpreter job.py      finds it by itself
  stockade run --template code-interpreter job.py --cold
  stockade warm --template code-interpreter --depth 8 --idle 2h
  stockade warm --status
  stockade warm --stop

Without a daemon, the first run of a template other than `python` starts one when it has ended, for
the next. `STOCKADE_NO_DAEMON=1` in the environment: no run looks for one or starts one. What the
daemon has to say is in `daemon/log` of the state directory (`docs/warm.md`).";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  stockade completions bash > /etc/bash_completion.d/stockade
  stockade completions zsh > ~/.zfunc/_stockade
  stockade completions fish > ~/.config/fish/completions/stockade.fish";

pub(crate) const MAN: &str = "\
Examples:
  stockade man | man -l -
  stockade man /usr/local/share/man/man1";
