//! The first program a reader sees; the README shows this text.
use stockade::{Engine, Error, ErrorKind, Host, Limits, Policy, Submission};

fn main() -> Result<(), Error> {
    let engine = Engine::new(Host::probe()?)?;
    let policy = Policy::default().limits(Limits::default().parse("cpu=500ms")?);
    let submission = Submission::python("import stockade_guest as g\ng.emit(sum(g.input()))")
        .input("[1, 2, 39]");

    match engine.run(&submission, &policy) {
        Ok(record) => match record.outcome.value() {
            Some(value) => println!("{}", value.text()),
            None => println!("{}", record.outcome.verdict()),
        },
        Err(e) if e.is_retryable() => println!("later: {e}"),
        Err(e) if e.kind() == ErrorKind::Refused => println!("not on this host: {e}"),
        Err(e) => println!("{e}"),
    }
    Ok(())
}
