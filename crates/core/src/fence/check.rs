//! The order of steps, checked before they are sent.

use super::Step;

/// Two steps in an order that would leave a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// Must come first.
    pub first: &'static str,
    /// Must come after it.
    pub second: &'static str,
    /// Why.
    pub because: &'static str,
}

const RULES: &[Disorder] = &[
    Disorder {
        first: "root",
        second: "bind",
        because: "a bind before the new root lands in the host's tree",
    },
    Disorder {
        first: "bind",
        second: "pivot-root",
        because: "the host's files are gone after it",
    },
    Disorder {
        first: "proc",
        second: "pivot-root",
        because: "/proc is needed in the new root",
    },
    Disorder {
        first: "pivot-root",
        second: "user-namespace",
        because: "the user namespace must not own the mounts",
    },
    Disorder {
        first: "identity",
        second: "user-namespace",
        because: "the namespace maps the uid that the process has",
    },
    Disorder {
        first: "user-namespace",
        second: "drop-capabilities",
        because: "entering a user namespace gives every capability in it",
    },
    Disorder {
        first: "drop-capabilities",
        second: "no-new-privileges",
        because: "nothing may be regained between them",
    },
    Disorder {
        first: "no-new-privileges",
        second: "landlock",
        because: "the kernel asks for it",
    },
    Disorder {
        first: "no-new-privileges",
        second: "seccomp",
        because: "the kernel asks for it",
    },
];

/// Checks that no rule of order is broken and that `seccomp`, where present, comes last.
///
/// # Errors
/// The first rule that is broken.
pub fn in_order(steps: &[Step]) -> Result<(), Disorder> {
    for rule in RULES {
        let last_first = steps.iter().rposition(|step| step.name() == rule.first);
        let first_second = steps.iter().position(|step| step.name() == rule.second);
        if let (Some(first), Some(second)) = (last_first, first_second)
            && first > second
        {
            return Err(*rule);
        }
    }
    match steps.iter().position(|step| step.name() == "seccomp") {
        Some(at) if at + 1 != steps.len() => Err(Disorder {
            first: steps[at + 1].name(),
            second: "seccomp",
            because: "the filter takes away what the other steps need",
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seccomp() -> Step {
        Step::Seccomp {
            program: Vec::new(),
        }
    }

    #[test]
    fn seccomp_before_another_step_is_found() {
        assert!(in_order(&[Step::NoNewPrivileges, seccomp()]).is_ok());
        let found = in_order(&[seccomp(), Step::NoNewPrivileges]).unwrap_err();
        assert_eq!(
            (found.first, found.second),
            ("no-new-privileges", "seccomp")
        );
    }

    #[test]
    fn capabilities_dropped_before_the_user_namespace_are_found() {
        let found = in_order(&[
            Step::DropCapabilities,
            Step::UserNamespace { uid: 1, gid: 1 },
        ])
        .unwrap_err();
        assert_eq!(
            (found.first, found.second),
            ("user-namespace", "drop-capabilities")
        );
    }
}
