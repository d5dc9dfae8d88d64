//! What a rung promises, stated so that a probe can try to break it.

/// Declares the guarantees once, so that the enum, the names and the texts cannot disagree.
macro_rules! guarantees {
    ($($(#[doc = $doc:literal])+ $id:ident => $slug:literal;)+) => {
        /// One promise about the boundary. Closed: a new one stops the build wherever it matters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Guarantee { $($(#[doc = $doc])+ $id,)+ }

        impl Guarantee {
            /// Every guarantee, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$id,)+];

            /// Stable name, as in `--require NAME` and in records.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Self::$id => $slug,)+ }
            }

            /// The promise in a sentence.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self { $(Self::$id => concat!($($doc),+),)+ }
            }
        }
    };
}

guarantees! {
    /// The submission's memory is not the supervisor's.
    SeparateAddressSpace => "separate-address-space";
    /// No environment variable, descriptor or argument of the host reaches the submission.
    EmptyEnvironment => "empty-environment";
    /// The submission holds no capability and cannot gain one by exec; started by root, it runs
    /// under a uid that owns nothing else.
    NoPrivileges => "no-privileges";
    /// No file of the host is visible but those that the template names, and those are read-only.
    NoHostFiles => "no-host-files";
    /// No process of the host is visible or can be signalled.
    NoHostProcesses => "no-host-processes";
    /// No network is reachable: no host, no loopback service of the host, no abstract socket.
    NoNetwork => "no-network";
    /// A system call off the allow list does not reach the host kernel's code for it.
    FilteredSyscalls => "filtered-syscalls";
    /// When the call returns, nothing of the run is left, and this was checked.
    VerifiedTeardown => "verified-teardown";
    /// The submission's kernel is not the host's.
    SeparateKernel => "separate-kernel";
    /// Every program terminates within a bound known before it starts.
    TotalLanguage => "total-language";
}

impl Guarantee {
    /// The guarantee called `slug`; `SeparateKernel` is read as `separate-kernel`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|g| g.slug() == name || format!("{g:?}") == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for g in Guarantee::ALL {
            assert_eq!(Guarantee::named(g.slug()), Some(*g));
        }
        assert_eq!(Guarantee::named("root"), None);
    }
}
