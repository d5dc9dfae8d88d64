//! What the formula rung promises, needs and enforces.

use stockade_core::guarantee::Guarantee;
use stockade_core::host::Facts;
use stockade_core::limits::LimitId;
use stockade_core::rung::{Enforcement, RungSpec};
use stockade_core::submission::Language;

pub(super) static SPEC: RungSpec = RungSpec {
    name: "formula",
    summary: "a total expression language in this process: no attributes, no imports, no system \
              call, bounded work; the address space is shared",
    languages: &[Language::Formula],
    // Not `separate-address-space`: what stands between is the language and a safe evaluator.
    guarantees: &[
        Guarantee::EmptyEnvironment,
        Guarantee::NoPrivileges,
        Guarantee::NoHostFiles,
        Guarantee::NoHostProcesses,
        Guarantee::NoNetwork,
        Guarantee::FilteredSyscalls,
        Guarantee::VerifiedTeardown,
        Guarantee::TotalLanguage,
    ],
    shares: &[
        "the process: its address space and the thread that evaluates",
        "the processor and its caches",
    ],
    missing: |_| None,
    enforcement,
};

fn enforcement(limit: LimitId, _: &Facts) -> Enforcement {
    Enforcement::WholeGuest {
        by: match limit {
            LimitId::Wall | LimitId::Grace | LimitId::Cpu => {
                "`cost`: 100,000 units take milliseconds, the least that can be asked for is more"
            }
            LimitId::Cpus | LimitId::Processes => "the language: one thread, and no way to another",
            LimitId::Memory | LimitId::AddressSpace => {
                "`built`: 8 MiB, the least that can be asked for is more"
            }
            LimitId::FileSize | LimitId::Disk | LimitId::OpenFiles => {
                "the language: nothing can be opened"
            }
            LimitId::Stdout | LimitId::Stderr => "the language: there is no output but the value",
            LimitId::Result => "the evaluator, and the supervisor's size check",
            LimitId::ResultDepth => "the supervisor's reader",
            LimitId::Source => "the supervisor; a formula of more than 8 KiB is refused anyway",
            LimitId::Files => "the supervisor, before the run",
            LimitId::Cost | LimitId::Built => "the evaluator, before each step",
        },
    }
}
