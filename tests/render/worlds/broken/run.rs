//! Runs the program on input that could block it. The test fails if a run does not end in time.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::map::{Ran, program};

/// Much longer than anything here takes on any machine.
const STUCK: Duration = Duration::from_mins(10);

/// Runs the program. Fails if it hangs, panics, or prints a control character.
pub(crate) fn run(args: &[&str]) -> Ran {
    let mut command = program();
    let mut child = command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    let (out, err) = (
        reader(child.stdout.take().unwrap()),
        reader(child.stderr.take().unwrap()),
    );

    let code = wait(&mut child, args);
    let ran = Ran {
        code,
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    };

    for word in ["panicked", "defect", "overflow"] {
        assert!(!ran.err.contains(word), "{args:?}: {}", ran.err);
    }

    let is_obeyed = |c: char| c.is_control() && c != '\n';
    assert!(!ran.err.contains(is_obeyed), "{args:?}: {:?}", ran.err);

    ran
}

#[expect(
    clippy::disallowed_methods,
    reason = "both pipes are read while the program runs"
)]
fn reader(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

fn wait(child: &mut Child, args: &[&str]) -> i32 {
    let start = Instant::now();

    loop {
        match child.try_wait().unwrap() {
            Some(status) => {
                return status
                    .code()
                    .unwrap_or_else(|| panic!("{args:?}: {status}"));
            }
            None if start.elapsed() > STUCK => {
                child.kill().unwrap();
                panic!("{args:?}: stuck");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Draws `world` into `out` and prints the report.
pub(crate) fn render(world: &Path, out: &Path, options: &[&str]) -> Ran {
    run(&[
        &["render", text(world), "-o", text(out), "--report", "-"],
        options,
    ]
    .concat())
}

/// Output of `info` for a world, and the exit code.
pub(crate) fn info(world: &Path) -> (Value, i32) {
    let ran = run(&["info", text(world), "--json"]);
    (
        serde_json::from_str(&ran.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err)),
        ran.code,
    )
}

/// Output of `query` for these columns, and the exit code.
pub(crate) fn query(world: &Path, columns: &[(i32, i32)]) -> (Vec<Value>, i32) {
    let numbers: Vec<String> = columns
        .iter()
        .flat_map(|(x, z)| [x.to_string(), z.to_string()])
        .collect();
    let mut args = vec!["query", text(world), "--json"];
    args.extend(numbers.iter().map(String::as_str));

    let ran = run(&args);
    (
        ran.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        ran.code,
    )
}
