//! Any policy on any host gives a plan that satisfies it, or a refusal that names a true reason.

use std::path::PathBuf;

use proptest::prelude::*;
use stockade_core::error::ErrorKind;
use stockade_core::guarantee::Guarantee;
use stockade_core::host::{Cgroup, Fact, Facts, Fault, Privilege, Proof};
use stockade_core::limits::{Amount, LimitId, Limits, SPECS, Scope};
use stockade_core::plan::{BASELINE, plan};
use stockade_core::policy::Policy;
use stockade_core::rung::{Enforcement, RungSpec};
use stockade_core::submission::Language;

fn fault(step: &str) -> Fault {
    Fault {
        step: step.to_owned(),
        errno: 1,
        cause: format!("{step} is missing"),
        remedies: vec!["one".to_owned(), "two".to_owned()],
    }
}

/// Gives everything, where the host has namespaces; whole-guest limits need a cgroup.
static STRONG: RungSpec = RungSpec {
    name: "strong",
    summary: "",
    languages: &[Language::Python],
    guarantees: BASELINE,
    shares: &[],
    missing: |host| host.namespaces.fault().cloned(),
    enforcement: |limit, host| match limit {
        LimitId::Memory | LimitId::Cpu if !host.cgroup.is_usable() => {
            Enforcement::PerProcess { by: "an rlimit" }
        }
        LimitId::Processes if !host.cgroup.is_usable() && host.kernel < (5, 14) => {
            Enforcement::Nothing {
                because: "the kernel is old",
            }
        }
        LimitId::OpenFiles | LimitId::FileSize | LimitId::AddressSpace => {
            Enforcement::PerProcess { by: "an rlimit" }
        }
        LimitId::Wall
        | LimitId::Grace
        | LimitId::Cpu
        | LimitId::Cpus
        | LimitId::Memory
        | LimitId::Disk
        | LimitId::Processes
        | LimitId::Stdout
        | LimitId::Stderr
        | LimitId::Result
        | LimitId::ResultDepth
        | LimitId::Source
        | LimitId::Files
        | LimitId::Cost
        | LimitId::Built => Enforcement::WholeGuest { by: "a cgroup" },
    },
};

/// Gives little, anywhere.
static WEAK: RungSpec = RungSpec {
    name: "weak",
    summary: "",
    languages: &[Language::Python],
    guarantees: &[Guarantee::SeparateAddressSpace],
    shares: &[],
    missing: |_| None,
    enforcement: |_, _| Enforcement::WholeGuest { by: "magic" },
};

static LADDER: &[&RungSpec] = &[&WEAK, &STRONG];

fn hosts() -> impl Strategy<Value = Facts> {
    (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        4_u32..7,
        0_u32..20,
        1_u32..9,
    )
        .prop_map(|(root, namespaces, cgroup, major, minor, cpus)| Facts {
            kernel: (major, minor),
            cpus,
            memory_bytes: 1 << 30,
            privilege: if root {
                Privilege::Root
            } else {
                Privilege::User
            },
            namespaces: if namespaces {
                Fact::Works
            } else {
                Fact::Fails(fault("namespaces"))
            },
            seccomp: Fact::Works,
            landlock_abi: minor % 8,
            time_namespace: Fact::Works,
            cgroup: if cgroup {
                Cgroup::V2 {
                    parent: PathBuf::from("/cg"),
                }
            } else {
                Cgroup::None(fault("cgroup"))
            },
            proofs: Vec::new(),
        })
}

fn policies() -> impl Strategy<Value = Policy> {
    let required = proptest::sample::subsequence(Guarantee::ALL.to_vec(), 0..4);
    let limits = proptest::collection::vec((0..SPECS.len(), 0.0_f64..=1.0), 0..6);
    let rung = prop_oneof![
        Just("auto"),
        Just("weak"),
        Just("strong"),
        Just("none-such")
    ];
    (required, limits, rung).prop_map(|(required, chosen, rung)| {
        let mut limits = Limits::default();
        for (index, part) in chosen {
            let (id, spec) = (LimitId::ALL[index], &SPECS[index]);
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "any value in the range will do"
            )]
            let value = spec.min + ((spec.max - spec.min) as f64 * part) as u64;
            let amount = Amount::of(id, value.min(spec.max));
            limits = limits.with(id, amount).expect("in its range");
        }
        let policy = Policy::default().limits(limits).rung(rung);
        required.into_iter().fold(policy, Policy::require)
    })
}

/// Why a rung cannot serve, decided here in another way than in the planner.
fn lacks(spec: &RungSpec, policy: &Policy, host: &Facts, named: bool) -> Vec<String> {
    let mut reasons = Vec::new();
    for guarantee in policy.required() {
        if !spec.guarantees.contains(guarantee) {
            reasons.push(format!("`{}`", guarantee.slug()));
        }
    }
    if !named {
        let missing = BASELINE.iter().filter(|g| !spec.guarantees.contains(g));
        reasons.extend(missing.map(|g| format!("`{}`", g.slug())));
    }
    reasons.extend((spec.missing)(host).map(|fault| fault.cause));
    for id in LimitId::ALL {
        let several = policy.limits_ref().get(LimitId::Processes) > 1;
        match (spec.enforcement)(id, host) {
            Enforcement::PerProcess { .. } if id.spec().scope == Scope::Guest && several => {
                reasons.push(format!("`{}`", id.name()));
            }
            Enforcement::WholeGuest { .. } | Enforcement::PerProcess { .. } => {}
            Enforcement::Nothing { .. } => reasons.push(format!("`{}`", id.name())),
        }
    }
    reasons
}

proptest! {
    #[test]
    fn a_plan_satisfies_its_policy_or_the_refusal_names_a_true_reason(
        policy in policies(),
        host in hosts(),
        rung in prop_oneof![Just("auto"), Just("weak"), Just("strong")],
    ) {
        let policy = policy.rung(rung);
        let named = rung != "auto";
        let candidates: Vec<_> =
            LADDER.iter().filter(|spec| !named || spec.name == rung).collect();
        match plan(Language::Python, &policy, &host, LADDER) {
            Ok(plan) => {
                let chosen = LADDER.iter().find(|spec| spec.name == plan.rung).unwrap();
                prop_assert_eq!(lacks(chosen, &policy, &host, named), Vec::<String>::new());
                prop_assert_eq!(&plan.limits, policy.limits_ref());
                for guarantee in policy.required() {
                    prop_assert!(plan.guarantees.contains(guarantee));
                }
                // Cheapest first: whatever was passed over could not serve.
                for (name, _) in &plan.passed_over {
                    let spec = LADDER.iter().find(|spec| spec.name == *name).unwrap();
                    prop_assert!(!lacks(spec, &policy, &host, named).is_empty());
                }
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Refused);
                for spec in candidates {
                    let reasons = lacks(spec, &policy, &host, named);
                    let text = error.to_string();
                    prop_assert!(
                        reasons.iter().any(|reason| text.contains(reason.as_str())),
                        "{} lacks {:?}, and the refusal says: {}", spec.name, reasons, text
                    );
                }
            }
        }
    }

    #[test]
    fn an_unknown_rung_is_refused_with_the_list(policy in policies(), host in hosts()) {
        let refused =
            plan(Language::Python, &policy.rung("none-such"), &host, LADDER).unwrap_err();
        prop_assert_eq!(refused.kind(), ErrorKind::InvalidPolicy);
        let hint = refused.hint_text().unwrap_or_default().to_owned();
        prop_assert!(hint.contains("weak") && hint.contains("strong"), "{}", hint);
    }

    #[test]
    fn the_same_policy_on_the_same_host_gives_the_same_plan(policy in policies(), host in hosts()) {
        let show = || match plan(Language::Python, &policy, &host, LADDER) {
            Ok(plan) => format!("{plan:?}"),
            Err(error) => format!("{error:?}"),
        };
        prop_assert_eq!(show(), show());
    }
}

#[test]
fn a_rung_that_was_got_through_is_not_offered() {
    let proof = |through: &[&str]| Proof {
        rung: "strong".to_owned(),
        at_ms: 0,
        probes: 300,
        through: through.iter().map(|id| (*id).to_owned()).collect(),
    };
    let mut host = Facts {
        kernel: (6, 1),
        cpus: 1,
        memory_bytes: 1 << 30,
        privilege: Privilege::Root,
        namespaces: Fact::Works,
        seccomp: Fact::Works,
        landlock_abi: 1,
        time_namespace: Fact::Works,
        cgroup: Cgroup::V2 {
            parent: PathBuf::from("/cg"),
        },
        proofs: vec![proof(&[])],
    };
    let ask = |host: &Facts, rung| {
        plan(
            Language::Python,
            &Policy::default().rung(rung),
            host,
            LADDER,
        )
    };
    let held = ask(&host, "auto").expect("nothing got through");
    assert_eq!(
        (held.rung, held.proof.map(|proof| proof.probes)),
        ("strong", Some(300))
    );
    host.proofs = vec![proof(&["escape/064", "leak/001"])];
    for rung in ["auto", "strong"] {
        let refused = ask(&host, rung).expect_err("something got through");
        assert_eq!(refused.kind(), ErrorKind::Refused);
        let text = refused.to_string();
        assert!(
            text.contains("probe `escape/064` and 1 more got through"),
            "{text}"
        );
    }
    assert!(ask(&host, "weak").expect("another rung").proof.is_none());
}
