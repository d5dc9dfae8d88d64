//! Copies of a template's interpreter must differ: looked at before the template is used.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use serde::Deserialize;
use stockade_core::error::{Error, ErrorKind};
use stockade_core::judge;
use stockade_core::limits::Limits;
use stockade_core::outcome::Outcome;
use stockade_core::submission::Submission;
use stockade_core::template::Template;
use stockade_core::wire::Stream;
use stockade_rungs::{Ground, Guest, Job, Prepared, Ready, Rung, Watch, Zygote};

use crate::engine::Engine;
use crate::identity::Lease;

/// What a copy says of itself.
const PROBE: &str = include_str!("../python/clone_probe.py");

/// What a copy may use to say it.
const LIMITS: [&str; 5] = [
    "wall=120s",
    "cpu=120s",
    "memory=2GiB",
    "result=8MiB",
    "open_files=1024",
];

/// Sources that are named in a refusal; more say nothing new.
const NAMED_MAX: usize = 5;

/// Marks of what a copy has, by its name.
#[derive(Debug, Deserialize)]
struct Copied {
    /// What was drawn then.
    drawn: BTreeMap<String, String>,
    /// Generators, and what looks as if one had made it, that modules hold.
    held: BTreeMap<String, String>,
}

/// Nobody looks, nobody cancels.
struct Unwatched;

impl Watch for Unwatched {
    fn output(&mut self, _: Stream, _: &[u8]) {}

    fn cancel(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Engine {
    /// Clones `template`'s interpreter twice, and once more from another start, and looks for what
    /// the two have in common but the third has not: what each cold start draws for itself must not
    /// be shared by warm ones. Does nothing where no rung of this host keeps anything warm.
    ///
    /// # Errors
    /// `Refused`, naming it, for a source of randomness on which the copies agree, and for a
    /// template that cannot be kept warm; those of a run.
    pub(crate) fn check_clones(&self, template: &Template) -> Result<(), Error> {
        let limits = LIMITS
            .iter()
            .try_fold(Limits::default(), |all, one| all.parse(one))?;
        let submission = Submission::python(PROBE);
        let (plan, rung) = self.plan_anywhere(&submission, limits)?;
        if !rung.keeps_warm() {
            return Ok(());
        }
        let ground = Ground {
            plan,
            template: template.clone(),
            host: self.host.facts().clone(),
            uids: self.identities.range(),
            extension: Guest::zygote(self.paths.cache())?,
            scratch: self.paths.scratch().to_owned(),
        };
        let _seat = self.admission.admit()?;
        let same = self.copies(&ground, rung, &submission, 2)?;
        let other = self.copies(&ground, rung, &submission, 1)?;
        let ([one, two], [three]) = (&same[..], &other[..]) else {
            return Err(Error::new(ErrorKind::Bug, "a copy said nothing"));
        };
        let shared = shared(one, two, three);
        if shared.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = shared.iter().map(|name| format!("`{name}`")).collect();
        let first = names[..names.len().min(NAMED_MAX)].join(", ");
        let more = match names.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let name = &template.name;
        Err(Error::new(
            ErrorKind::Refused,
            format!("all copies of template `{name}` would share {first}{more}"),
        )
        .hint("a module that draws at its import must draw at its first use instead")
        .hint("or take it out of `preload`, with those that import it"))
    }

    /// What `many` copies of one interpreter say of themselves.
    fn copies(
        &self,
        ground: &Ground,
        rung: &dyn Rung,
        submission: &Submission,
        many: usize,
    ) -> Result<Vec<Copied>, Error> {
        let identity = self.identities.lease()?;
        let guest = self.guest()?;
        let run = self.begin().run;
        let zygote = Zygote::start(ground.clone(), run, identity.uid(), Arc::clone(guest))?;
        // All are there before one of them runs.
        let copies: Result<Vec<_>, Error> = (0..many)
            .map(|_| {
                let identity = self.identities.lease()?;
                let run = self.begin().run;
                let ready = zygote.child(&ground.plan, &run, identity.uid())?;
                Ok((run, identity, ready))
            })
            .collect();
        copies?
            .into_iter()
            .map(|copy| self.ask(ground, rung, submission, copy))
            .collect()
    }

    fn ask(
        &self,
        ground: &Ground,
        rung: &dyn Rung,
        submission: &Submission,
        (run, identity, ready): (String, Lease, Ready),
    ) -> Result<Copied, Error> {
        let prepare = || Ok(ground.template.clone());
        let job = Job {
            run: &run,
            plan: &ground.plan,
            submission,
            template: &Prepared::new(&prepare),
            host: self.host.facts(),
            uid: identity.uid(),
            network: None,
            scratch: self.paths.scratch(),
            guest: self.guest()?,
        };
        let (mut report, remains) = rung.resume(&job, ready, &mut Unwatched)?;
        let outcome = judge(&ground.plan, None, &mut report);
        if let Some(remains) = remains {
            remains.bury()?;
        }
        let said = match outcome {
            Some(Outcome::Finished { value: Some(value) }) => {
                serde_json::from_value(value.tree().clone()).map_err(|error| error.to_string())
            }
            Some(other) => Err(format!(
                "it {}: {}",
                other.verdict(),
                report.stderr.text().trim_end()
            )),
            None => Err("it was ended from outside".to_owned()),
        };
        said.map_err(|why| {
            let name = &ground.template.name;
            let text = format!("cannot compare two copies of template `{name}`: {why}");
            Error::new(ErrorKind::Refused, text)
        })
    }
}

/// What copies of one start agree on: anything that they drew, and of what they hold what another
/// start has otherwise. What is the same in all starts was not drawn.
fn shared(one: &Copied, two: &Copied, other: &Copied) -> Vec<String> {
    let drawn = one
        .drawn
        .iter()
        .filter(|(name, mark)| two.drawn.get(*name) == Some(mark));
    // By what it is and not by its place: a list that was made from a set has another order.
    let always: BTreeSet<_> = other.held.values().collect();
    let held = one
        .held
        .iter()
        .filter(|(name, mark)| two.held.get(*name) == Some(mark) && !always.contains(mark));
    drawn.chain(held).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(drawn: &str, held: &str) -> Copied {
        let map = |mark: &str| BTreeMap::from([("a.b".to_owned(), mark.to_owned())]);
        Copied {
            drawn: map(drawn),
            held: map(held),
        }
    }

    #[test]
    fn what_two_copies_draw_must_differ() {
        let none = [""; 0];
        assert_eq!(
            shared(&copied("1", "x"), &copied("2", "x"), &copied("3", "x")),
            none
        );
        assert_eq!(
            shared(&copied("1", "x"), &copied("1", "x"), &copied("3", "x")),
            ["a.b"]
        );
    }

    #[test]
    fn what_they_hold_may_be_the_same_if_it_always_is() {
        let none = [""; 0];
        assert_eq!(
            shared(&copied("1", "x"), &copied("2", "x"), &copied("3", "x")),
            none
        );
        assert_eq!(
            shared(&copied("1", "x"), &copied("2", "x"), &copied("3", "y")),
            ["a.b"]
        );
        assert_eq!(
            shared(&copied("1", "x"), &copied("2", "y"), &copied("3", "z")),
            none
        );
    }
}
