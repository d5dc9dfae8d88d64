//! `doctor --prove`: the rungs of this host are attacked, and what that shows counts.

use std::fs;

use crate::workshop::{Done, TALKER, Workshop};

fn run(workshop: &Workshop, args: &[&str]) -> Done {
    let mut command = workshop.command(args);
    command.env("STOCKADE_CACHE_DIR", workshop.path().join("cache"));
    Done::of(&command.output().unwrap())
}

fn ids(of: &serde_json::Value) -> Vec<&str> {
    let entries = of.as_array().unwrap().iter();
    entries.map(|entry| entry["id"].as_str().unwrap()).collect()
}

#[test]
fn one_probe_shows_what_a_rung_holds_and_another_does_not() {
    let workshop = Workshop::new();
    let args = ["doctor", "--prove", "--probe", "escape/064", "--json"];
    let done = run(&workshop, &args);
    assert_eq!(done.code, Some(0), "{done:?}");
    let found = done.json();
    let [process, jail] = &found["rungs"].as_array().unwrap()[..] else {
        panic!("{done:?}");
    };
    assert_eq!(
        (&process["rung"], &jail["rung"]),
        (&"process".into(), &"jail".into())
    );
    assert_eq!(ids(&process["through"]), ["escape/064"]);
    assert_eq!(process["through"][0]["promised"], false);
    assert_eq!(jail["held"], 1);
    assert_eq!(ids(&found["through"]), ["escape/064"]);
    assert_eq!(found["not_attacked"][0]["rung"], "formula");
    // A few probes prove no rung.
    assert!(!workshop.path().join("cache/proof").exists());
}

#[test]
fn what_is_not_there_is_refused_by_its_name() {
    let workshop = Workshop::new();
    run(&workshop, &["doctor", "--prove", "--rung", "attic"]).refuses(64, &["`attic`", "jail"]);
    run(&workshop, &["doctor", "--prove", "--probe", "escape/0"]).refuses(64, &["`escape/0`"]);
    assert_eq!(run(&workshop, &["doctor", "--rung", "jail"]).code, Some(64));
}

#[test]
fn the_jail_is_proved_and_one_that_was_got_through_is_refused() {
    let workshop = Workshop::new();
    let done = run(
        &workshop,
        &["doctor", "--prove", "--rung", "jail", "--json"],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let found = done.json();
    assert_eq!(ids(&found["through"]), [""; 0]);
    assert!(found["held"].as_u64().unwrap() > 250, "{}", found["held"]);
    workshop.file("job.py", TALKER);
    let job = ["run", "job.py", "--cold", "--format", "json"];
    let record = run(&workshop, &job).json();
    assert_eq!(record["evidence"]["proof"]["state"], "proved");
    // As if it had not held.
    let kept = workshop.path().join("cache/proof/jail.json");
    let text = fs::read_to_string(&kept).unwrap();
    let broken = text.replace("\"through\":[]", "\"through\":[\"escape/064\"]");
    assert_ne!(text, broken);
    fs::write(&kept, broken).unwrap();
    let refused = run(&workshop, &["run", "job.py", "--cold"]);
    refused.refuses(
        69,
        &[
            "probe `escape/064` got through",
            "doctor --prove --rung jail",
        ],
    );
    run(&workshop, &["explain", "job.py", "--rung", "jail"]).refuses(69, &["escape/064"]);
}
