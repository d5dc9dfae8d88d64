//! `cargo xtask demo`: from a fresh clone to a validated value, and to three verdicts.

use crate::scratch::Scratch;
use crate::shell::Shell;
use crate::{apt, artefact};
use std::path::Path;

/// One run of the demo, and how it must end.
struct Scene {
    title: &'static str,
    arguments: &'static [&'static str],
    exit: i32,
    /// Words of the value, where there is one.
    value: &'static [&'static str],
    /// Words of the verdict.
    verdict: &'static [&'static str],
}

const SCENES: [Scene; 4] = [
    Scene {
        title: "an honest job: a table goes in, a value that the schema allows comes out",
        arguments: &[
            "examples/sales_summary.py",
            "--file",
            "examples/sales.csv",
            "--schema",
            "examples/sales_summary.schema.json",
        ],
        exit: 0,
        value: &["\"rows\"", "200", "32753.20", "\"A1037\"", "\"grinder\""],
        verdict: &["finished"],
    },
    Scene {
        title: "a loop that never ends meets its CPU limit",
        arguments: &["examples/spin.py", "--limit", "cpu=1s"],
        exit: 3,
        value: &[],
        verdict: &["cpu"],
    },
    Scene {
        title: "a list that grows for ever meets its memory limit",
        arguments: &["examples/memory_bomb.py", "--limit", "memory=128MiB"],
        exit: 3,
        value: &[],
        verdict: &["memory"],
    },
    Scene {
        title: "a reader of the host's secrets finds none in reach",
        arguments: &["examples/read_secrets.py"],
        exit: 0,
        value: &["\"found\"", "[]"],
        verdict: &["finished"],
    },
];

/// Installs what is missing, builds, and plays every scene; fails unless each ends as it must.
pub(crate) fn run() -> Result<(), String> {
    apt::ensure(&[apt::PYTHON])?;
    let stockade = artefact::stockade()?;
    control()?;
    let mut wrong = Vec::new();
    for scene in &SCENES {
        println!("\n--- {}", scene.title);
        if let Err(why) = play(&stockade, scene) {
            eprintln!("not as it must end: {why}");
            wrong.push(scene.title);
        }
    }
    if wrong.is_empty() {
        println!(
            "\nall {} ended as they must; the command is {}",
            SCENES.len(),
            stockade.display()
        );
        Ok(())
    } else {
        Err(format!(
            "of the demo did not end as it must: {}",
            wrong.join("; ")
        ))
    }
}

fn play(stockade: &Path, scene: &Scene) -> Result<(), String> {
    println!("$ stockade run {}", scene.arguments.join(" "));
    let said = Shell::new(stockade)
        .arg("run")
        .args(scene.arguments)
        .capture()?;
    eprint!("{}", said.stderr);
    print!("{}", said.stdout);
    if said.code != Some(scene.exit) {
        return Err(format!(
            "it exited with {:?}, not {}",
            said.code, scene.exit
        ));
    }
    // The verdict is the last line of standard error.
    let verdict = said.stderr.lines().next_back().unwrap_or_default();
    for (words, text) in [(scene.value, &*said.stdout), (scene.verdict, verdict)] {
        if let Some(word) = words.iter().find(|word| !text.contains(**word)) {
            return Err(format!("`{word}` is missing from `{}`", text.trim_end()));
        }
    }
    Ok(())
}

/// The reader of secrets, run without a boundary, finds some: else finding none proves nothing.
fn control() -> Result<(), String> {
    let scratch = Scratch::under(&std::env::temp_dir())?;
    let out = scratch.path().join("out.json");
    println!("\n--- first, for comparison: the reader of secrets without Stockade");
    let said = Shell::new(apt::PYTHON.program)
        .args(["-I", "examples/read_secrets.py"])
        .arg(&out)
        .env("DEMO_API_KEY", "not a real one")
        .read()?;
    print!("{said}");
    let found = std::fs::read_to_string(&out)
        .map_err(|e| format!("cannot read `{}`: {e}", out.display()))?;
    if found.contains("$DEMO_API_KEY") {
        Ok(())
    } else {
        Err(format!(
            "without a boundary it found not even the planted key: {found}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Plays a scene with a command that prints `value`, says `verdict` and exits with `code`.
    fn plays(scene: &Scene, value: &str, verdict: &str, code: i32) -> Result<(), String> {
        let scratch = Scratch::under(&std::env::temp_dir()).unwrap();
        let fake = scratch.path().join("fake");
        let script = format!("#!/bin/sh\necho '{value}'\necho '{verdict}' >&2\nexit {code}\n");
        std::fs::write(&fake, script).unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        play(&fake, scene)
    }

    #[test]
    fn a_scene_is_right_only_with_its_exit_code_its_value_and_its_verdict() {
        let reader = &SCENES[3];
        assert_eq!(plays(reader, "{\"found\": []}", "finished", 0), Ok(()));
        let wrong = plays(reader, "{\"found\": [\"/etc/shadow\"]}", "finished", 0).unwrap_err();
        assert!(wrong.contains("`[]` is missing"), "{wrong}");
        let spin = &SCENES[1];
        assert_eq!(plays(spin, "", "limit_exceeded: cpu", 3), Ok(()));
        assert!(plays(spin, "", "limit_exceeded: wall", 3).is_err());
        assert!(plays(spin, "", "limit_exceeded: cpu", 137).is_err());
    }
}
