//! The submissions of the race: the same bytes for every contender.

use stockade::{Policy, Schema, Submission};

/// A submission and what its value must be.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) source: &'static str,
    /// The default limits and every fence of the jail.
    pub(crate) policy: Policy,
}

/// Nothing but a value. It writes it itself, so that nobody must import anything.
const EMPTY: (&str, &str) = (
    "import sys\nwith open(sys.argv[1], \"w\") as out:\n    out.write(\"42\")\n",
    r#"{"const": 42}"#,
);

const PANDAS: (&str, &str) = (
    r#"import json, sys
import numpy as np
import pandas as pd
frame = pd.DataFrame({"shop": ["a", "b", "c"] * 100, "sold": np.arange(300)})
total = frame.groupby("shop")["sold"].sum()
with open(sys.argv[1], "w") as out:
    json.dump({shop: int(sold) for shop, sold in total.items()}, out)
"#,
    r#"{"const": {"a": 14850, "b": 14950, "c": 15050}}"#,
);

/// What a job adds to say how much memory is its own, in KiB, when it is done.
const PRIVATE: &str = r#"
with open("/proc/self/smaps_rollup") as rollup:
    own = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_"))
import sys
with open(sys.argv[1], "w") as out:
    out.write(str(own))
"#;

impl Job {
    pub(crate) fn empty() -> Result<Self, String> {
        Self::new(EMPTY.0, EMPTY.1, "python")
    }

    pub(crate) fn pandas() -> Result<Self, String> {
        Self::new(PANDAS.0, PANDAS.1, "code-interpreter")
    }

    fn new(source: &'static str, schema: &str, template: &'static str) -> Result<Self, String> {
        let schema = Schema::compile(schema.as_bytes())
            .map_err(|e| format!("the schema of a job of the benchmark: {e}"))?;
        let policy = Policy::default().rung("jail").template(template);
        Ok(Self {
            source,
            policy: policy.schema(schema),
        })
    }

    pub(crate) fn submission(&self) -> Submission {
        Submission::python(self.source)
    }

    pub(crate) fn template(&self) -> &str {
        self.policy.template_name()
    }

    /// The same work, then the count of its own memory in place of its value.
    pub(crate) fn weighed(&self) -> Submission {
        Submission::python(format!("{}{PRIVATE}", self.source))
    }
}

/// Imports what the job with pandas imports, and does nothing with it.
pub(crate) fn only_imported() -> Submission {
    Submission::python(format!("import numpy, pandas\n{PRIVATE}"))
}
