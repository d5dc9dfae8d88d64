//! What a run is asked to do: arguments and bytes, which make a submission and a policy here or in
//! the daemon.

use serde::{Deserialize, Serialize};
use stockade::{Error, ErrorKind, Grants, Guarantee, Limits, Policy, Schema, Submission};

/// The arguments that make the policy, as they were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch that is typed or not"
)]
pub(crate) struct Terms {
    pub(crate) limits: Vec<String>,
    pub(crate) rung: String,
    pub(crate) required: Vec<String>,
    pub(crate) grants: Vec<String>,
    pub(crate) template: String,
    /// What the schema is called in messages.
    pub(crate) schema_name: Option<String>,
    pub(crate) call: Option<String>,
    pub(crate) no_value: bool,
    pub(crate) audit_content: bool,
    pub(crate) cold: bool,
    /// Whether the source is a formula.
    pub(crate) formula: bool,
}

/// Everything that a run needs from its caller. Sizes are within the limits that were typed;
/// nothing else is known of the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) terms: Terms,
    pub(crate) schema: Option<Vec<u8>>,
    pub(crate) source: Vec<u8>,
    pub(crate) input: Option<Vec<u8>>,
    /// By destination.
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl Asked {
    /// The submission and the policy.
    ///
    /// # Errors
    /// `InvalidPolicy` or `InvalidSubmission`, naming the argument.
    pub(crate) fn open(self) -> Result<(Submission, Policy), Error> {
        let policy = self.terms.policy(self.schema.as_deref())?;
        let mut submission = if self.terms.formula {
            Submission::formula(self.source)
        } else {
            Submission::python(self.source)
        };
        if let Some(input) = self.input {
            submission = submission.input(input);
        }
        for (destination, content) in self.files {
            submission = submission.file(&destination, content)?;
        }
        Ok((submission, policy))
    }
}

impl Terms {
    /// The policy, with `schema` compiled into it.
    ///
    /// # Errors
    /// `InvalidPolicy`, naming the argument.
    pub(crate) fn policy(&self, schema: Option<&[u8]>) -> Result<Policy, Error> {
        let mut limits = Limits::default();
        for text in &self.limits {
            limits = limits.parse(text)?;
        }
        let mut policy = Policy::default()
            .limits(limits)
            .rung(&self.rung)
            .template(&self.template)
            .grants(grants(&self.grants)?);
        for name in &self.required {
            policy = policy.require(guarantee(name)?);
        }
        if let Some(bytes) = schema {
            policy = policy.schema(self.compile(bytes)?);
        }
        if let Some(name) = &self.call {
            policy = policy.call(name)?;
        }
        if self.no_value {
            policy = policy.no_value();
        }
        if self.audit_content {
            policy = policy.retain_content();
        }
        if self.cold {
            policy = policy.cold();
        }
        Ok(policy)
    }

    fn compile(&self, bytes: &[u8]) -> Result<Schema, Error> {
        Schema::compile(bytes).map_err(|why| {
            let name = self.schema_name.as_deref().unwrap_or_default();
            Error::new(ErrorKind::InvalidPolicy, format!("schema `{name}`: {why}"))
        })
    }
}

fn guarantee(name: &str) -> Result<Guarantee, Error> {
    Guarantee::named(name).ok_or_else(|| {
        let names: Vec<_> = Guarantee::ALL.iter().map(|g| g.slug()).collect();
        Error::new(
            ErrorKind::InvalidPolicy,
            format!("there is no guarantee `{name}`"),
        )
        .hint(format!("the guarantees are {}", names.join(", ")))
    })
}

fn grants(names: &[String]) -> Result<Grants, Error> {
    let mut grants = Grants::default();
    for name in names {
        if name != "loopback" {
            return Err(Error::new(
                ErrorKind::InvalidPolicy,
                format!("there is nothing called `{name}` that can be allowed"),
            )
            .hint("what can be allowed is `loopback`"));
        }
        grants.loopback = true;
    }
    Ok(grants)
}
