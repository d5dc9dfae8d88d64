//! What `cargo xtask bench warm` asks for: no person types this.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::contender::Kind;

/// What is to be measured, against whom.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    pub(crate) rounds: usize,
    pub(crate) seconds: u64,
    pub(crate) runs: u64,
    /// Take the time that it takes.
    pub(crate) full: bool,
    /// Build the template with pandas where it is missing.
    pub(crate) build: bool,
    pub(crate) contenders: Vec<(Kind, PathBuf)>,
    /// Who was asked for and is not there, and why.
    pub(crate) missing: Vec<(String, String)>,
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) json: Option<PathBuf>,
    pub(crate) svg: Option<PathBuf>,
}

impl Wish {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self::default();
        for argument in arguments {
            let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
            match name {
                "rounds" => wish.rounds = number(name, value)?,
                "seconds" => wish.seconds = number(name, value)?,
                "runs" => wish.runs = number(name, value)?,
                "full" => wish.full = true,
                "build" => wish.build = true,
                "commit" => value.clone_into(&mut wish.commit),
                "date" => value.clone_into(&mut wish.date),
                "json" => wish.json = Some(value.into()),
                "svg" => wish.svg = Some(value.into()),
                "missing" => {
                    let (who, why) = value.split_once(':').unwrap_or((value, "not installed"));
                    wish.missing.push((who.to_owned(), why.to_owned()));
                }
                other => match Kind::ALL.into_iter().find(|kind| kind.name() == other) {
                    Some(kind) => wish.contenders.push((kind, value.into())),
                    None => return Err(format!("`{argument}` is not known")),
                },
            }
        }
        if wish.rounds == 0 {
            return Err("`rounds` must be at least 1".to_owned());
        }
        Ok(wish)
    }

    /// How long a race may take.
    pub(crate) fn budget(&self, quick: Duration) -> Duration {
        if self.full { Duration::MAX } else { quick }
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    let parsed = value.parse();
    parsed.map_err(|_| format!("`{name}={value}`: not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Wish, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Wish::parse(&words)
    }

    #[test]
    fn a_contender_comes_with_its_program_or_with_the_reason_why_not() {
        let wish = parse(&["rounds=3", "bwrap=/usr/bin/bwrap", "missing=runsc:not here"]).unwrap();
        assert_eq!(wish.contenders, [(Kind::Bwrap, "/usr/bin/bwrap".into())]);
        let missing = ("runsc".to_owned(), "not here".to_owned());
        assert_eq!(wish.missing, [missing]);
    }

    #[test]
    fn what_is_not_known_or_no_number_is_refused() {
        for words in [&["rounds=x"][..], &["rounds=3", "docker=/x"], &[]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
