//! Simulates a runner of GitHub: reads `action.yml` and runs its steps in order.
//!
//! It supports only the YAML and the expressions that this action needs, and fails at anything
//! else. It also simulates the actions that this one uses: the cache is a folder, and the upload of
//! an artifact is a copy. Tests can check results that no step sees: the page of the job, and the
//! uploaded files.
#![allow(
    clippy::disallowed_methods,
    reason = "what the runner writes is no output of the program"
)]

mod yaml;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::world::Files;

/// The repository of the action, on the simulated host.
const REPOSITORY: &str = "someone/pixelmap";
/// Programs that the steps of the action call.
const TOOLS: [&str; 6] = ["bash", "git", "curl", "tar", "awk", "find"];

/// A host with releases of the action, a cache, and the tools that are installed on its runners.
#[derive(Debug)]
pub(crate) struct Host {
    root: tempfile::TempDir,
    /// The action.
    action: Value,
}

/// A job: it has a workspace, and may use the action several times.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    host: &'a Host,
    workspace: PathBuf,
    temp: tempfile::TempDir,
    /// The index of the job in a matrix, and the number of jobs.
    pub(crate) matrix: (usize, usize),
    /// The artifacts by their names.
    pub(crate) artifacts: BTreeMap<String, Files>,
}

/// The result of one use of the action.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The exit code of the step that failed first, else 0.
    pub(crate) code: i32,
    /// The outputs of the action.
    pub(crate) outputs: BTreeMap<String, String>,
    /// Lines that the page of the job shows: errors and warnings, each as `title: text`.
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
    /// Markdown on the page of the job.
    pub(crate) summary: String,
    /// Everything that was printed.
    pub(crate) log: String,
}

/// Returns whether all tools of a runner are here; otherwise reports on the terminal which are
/// missing.
pub(crate) fn is_here() -> bool {
    let is_missing = |tool: &&&str| {
        let tried = Command::new("sh")
            .args(["-c", "command -v \"$0\" >/dev/null", tool])
            .status();
        !tried.is_ok_and(|status| status.success())
    };

    let missing: Vec<_> = TOOLS.iter().filter(is_missing).copied().collect();
    if !missing.is_empty() {
        crate::missing::report(
            "runner",
            &format!("the action: these tools are missing: {missing:?}"),
        );
    }

    missing.is_empty()
}

/// Writes an executable script.
pub(crate) fn put_script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Host {
    /// A host without releases, whose runners have a `cargo` that fails.
    pub(crate) fn new() -> Self {
        let text = fs::read_to_string(package().join("action.yml")).unwrap();
        let host = Self {
            root: tempfile::tempdir().unwrap(),
            action: yaml::parse(&text),
        };
        put_script(
            &host.at("tools/cargo"),
            "echo 'this cargo builds nothing' >&2; exit 101",
        );
        host
    }

    /// The inputs of the action.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &String> {
        self.action["inputs"].as_object().unwrap().keys()
    }

    /// A folder or file of the host.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Puts a script into the release of the action's version as its program.
    pub(crate) fn release(&self, script: &str) {
        let name = Command::new(package().join("contrib/get-pixelmap.sh"))
            .arg("--name")
            .output()
            .unwrap();

        let name = String::from_utf8(name.stdout).unwrap();
        let (version, rest) = name
            .strip_prefix("pixelmap-")
            .unwrap()
            .split_once('-')
            .unwrap();

        let (target, _source) = rest.rsplit_once('-').unwrap();
        let (folder, archive) = (
            format!("pixelmap-v{version}-{target}"),
            format!("pixelmap-v{version}-{target}.tar.gz"),
        );

        let release = self.at(&format!("{REPOSITORY}/releases/download/v{version}"));
        put_script(&release.join(&folder).join("pixelmap"), script);
        let mut tar = Command::new("tar");
        tar.current_dir(&release).args(["-czf", &archive, &folder]);
        assert!(tar.status().unwrap().success());

        let sum = Sha256::digest(fs::read(release.join(&archive)).unwrap());
        let sum = sum
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        fs::write(
            release.join("SHA256SUMS"),
            format!("{}  other.zip\n{sum}  {archive}\n", "0".repeat(64)),
        )
        .unwrap();
    }

    /// Begins a job in a workspace.
    pub(crate) fn job(&self, workspace: &Path) -> Job<'_> {
        let (workspace, temp) = (workspace.to_owned(), tempfile::tempdir().unwrap());
        Job {
            host: self,
            workspace,
            temp,
            matrix: (0, 1),
            artifacts: BTreeMap::new(),
        }
    }
}

impl Job<'_> {
    /// Uses the action with these inputs.
    pub(crate) fn uses(&mut self, inputs: &[(&str, &str)]) -> Used {
        let action = &self.host.action;
        let mut given: Map<String, Value> = inputs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();

        assert!(
            given
                .keys()
                .all(|name| action["inputs"].get(name).is_some()),
            "no such input: {given:?}"
        );

        for (name, input) in action["inputs"].as_object().unwrap() {
            let default = input.get("default").cloned();
            let value = given
                .get(name)
                .cloned()
                .or(default)
                .unwrap_or_else(|| panic!("input {name} is required"));
            given.insert(name.clone(), value);
        }

        let (index, total) = (self.matrix.0.to_string(), self.matrix.1.to_string());
        let mut contexts = json!({
            "inputs": given,
            "github": { "action_repository": REPOSITORY },
            "strategy": { "job-index": index, "job-total": total },
            "steps": {},
        });

        let mut used = Used::default();
        for step in action["runs"]["steps"].as_array().unwrap() {
            if !is_wanted(step, used.code == 0, &contexts) {
                continue;
            }

            let (code, outputs) = match step.get("uses").and_then(Value::as_str) {
                Some("actions/cache/restore@v4") => self.restore(step, &contexts),
                Some("actions/cache/save@v4") => self.save(step, &contexts),
                Some("actions/upload-artifact@v4") => self.upload(step, &contexts),
                Some(other) => panic!("the runner cannot play {other}"),
                None => self.run(step, &contexts, &mut used),
            };

            used.code = if used.code == 0 { code } else { used.code };

            if let Some(id) = step.get("id").and_then(Value::as_str) {
                contexts["steps"][id] = json!({ "outputs": outputs });
            }
        }

        for (name, output) in action["outputs"].as_object().unwrap() {
            used.outputs.insert(
                name.clone(),
                filled(output["value"].as_str().unwrap(), &contexts),
            );
        }

        (used.errors, used.warnings) = (shown(&used.log, "error"), shown(&used.log, "warning"));
        used
    }

    /// Runs a step as the host does, in the workspace.
    fn run(&self, step: &Value, contexts: &Value, used: &mut Used) -> (i32, Map<String, Value>) {
        assert_eq!(step["shell"], "bash", "{step}");

        let at = |name: &str| self.temp.path().join(name);
        let [script, output, summary, log] = ["step.sh", "output", "summary", "log"].map(at);
        let temp = at("temp");
        fs::create_dir_all(&temp).unwrap();
        fs::write(&script, filled(step["run"].as_str().unwrap(), contexts)).unwrap();

        for empty in [&output, &summary] {
            fs::write(empty, "").unwrap();
        }

        let printed = File::create(&log).unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&script)
            .current_dir(&self.workspace);

        bash.env_clear()
            .env(
                "PATH",
                format!("{}:{path}", self.host.at("tools").display()),
            )
            .env("HOME", self.temp.path());

        bash.envs([
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_JOB", "maps"),
            ("GITHUB_REPOSITORY", "who/uses-it"),
        ]);

        bash.envs([
            ("GITHUB_RUN_ID", "7"),
            ("RUNNER_OS", "Linux"),
            ("RUSTUP_TOOLCHAIN", "of-the-job"),
        ]);

        bash.env(
            "GITHUB_SERVER_URL",
            format!("file://{}", self.host.root.path().display()),
        );
        bash.env("GITHUB_ACTION_PATH", package())
            .env("GITHUB_WORKSPACE", &self.workspace);
        bash.env("GITHUB_OUTPUT", &output)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("RUNNER_TEMP", &temp);

        for (name, value) in step
            .get("env")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            bash.env(name, filled(value.as_str().unwrap(), contexts));
        }

        let status = bash
            .stdin(Stdio::null())
            .stdout(printed.try_clone().unwrap())
            .stderr(printed)
            .status()
            .unwrap();

        used.log += &fs::read_to_string(&log).unwrap();
        used.summary += &fs::read_to_string(&summary).unwrap();
        let lines = fs::read_to_string(&output).unwrap();
        let outputs = lines.lines().map(|line| {
            line.split_once('=')
                .unwrap_or_else(|| panic!("no output: {line}"))
        });

        (
            status.code().unwrap(),
            outputs
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .collect(),
        )
    }

    /// Copies a folder from the cache.
    fn restore(&self, step: &Value, contexts: &Value) -> (i32, Map<String, Value>) {
        let (path, kept) = self.cached(step, contexts);
        if kept.exists() {
            copy_files(&kept, &path);
        }
        (
            0,
            Map::from_iter([("cache-hit".to_owned(), json!(kept.exists().to_string()))]),
        )
    }

    /// Puts a folder into the cache.
    fn save(&self, step: &Value, contexts: &Value) -> (i32, Map<String, Value>) {
        let (path, kept) = self.cached(step, contexts);
        copy_files(&path, &kept);
        (0, Map::new())
    }

    /// The folder of a step, and its place in the cache.
    fn cached(&self, step: &Value, contexts: &Value) -> (PathBuf, PathBuf) {
        let [path, key] =
            ["path", "key"].map(|name| filled(step["with"][name].as_str().unwrap(), contexts));
        (path.into(), self.host.at("cache").join(key))
    }

    fn upload(&mut self, step: &Value, contexts: &Value) -> (i32, Map<String, Value>) {
        let [name, path] =
            ["name", "path"].map(|name| filled(step["with"][name].as_str().unwrap(), contexts));
        assert!(
            !name.contains(['"', ':', '<', '>', '|', '*', '?', '\r', '\n', '\\', '/']),
            "{name}"
        );

        let files = Files::read_under(Path::new(&path));
        assert!(!files.0.is_empty(), "nothing to upload in {path}");

        let url = format!("https://host/artifacts/{name}");
        assert!(
            self.artifacts.insert(name, files).is_none(),
            "two artifacts of one name"
        );

        (0, Map::from_iter([("artifact-url".to_owned(), json!(url))]))
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Copies the files of a folder, as they may be executed.
fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Returns whether a step runs after the results of the earlier steps.
fn is_wanted(step: &Value, is_good: bool, contexts: &Value) -> bool {
    let condition = step.get("if").and_then(Value::as_str).unwrap_or_default();
    let (is_good, rest) = condition
        .strip_prefix("always() && ")
        .map_or((is_good, condition), |rest| (true, rest));
    let is_true = rest.is_empty() || {
        let (left, right) = rest
            .split_once(" != ")
            .unwrap_or_else(|| panic!("the runner cannot judge {condition}"));
        evaluated(left, contexts) != evaluated(right, contexts)
    };
    is_good && is_true
}

/// A text with the values of its expressions.
fn filled(text: &str, contexts: &Value) -> String {
    let mut parts = text.split("${{");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| {
        let (expression, rest) = part.split_once("}}").unwrap();
        text + &evaluated(expression.trim(), contexts) + rest
    })
}

/// Returns the value of a text in quotes, or of a name. A name is empty if its step did not run or
/// has no such output.
fn evaluated(expression: &str, contexts: &Value) -> String {
    if let Some(text) = expression.strip_prefix('\'') {
        return text.strip_suffix('\'').unwrap().to_owned();
    }

    let mut names = expression.split('.');
    let context = names.next().unwrap();
    let mut value = contexts
        .get(context)
        .unwrap_or_else(|| panic!("no such context: {expression}"));
    for name in names {
        assert!(
            context == "steps" || value.get(name).is_some(),
            "no such name: {expression}"
        );
        value = value.get(name).unwrap_or(&Value::Null);
    }

    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the lines of one kind, in the form in which the page of the job shows them.
fn shown(log: &str, kind: &str) -> Vec<String> {
    let plain = |text: &str| {
        let text = text
            .replace("%0A", "\n")
            .replace("%0D", "\r")
            .replace("%3A", ":")
            .replace("%2C", ",");
        text.replace("%25", "%")
    };

    let lines = log
        .lines()
        .filter_map(|line| line.strip_prefix(&format!("::{kind}")));

    let parts = lines.map(|line| {
        let parts = line
            .split_once("::")
            .unwrap_or_else(|| panic!("no {kind}: {line}"));
        assert!(
            !parts.0.contains([':', ',']),
            "these have a meaning there: {line}"
        );
        parts
    });

    parts
        .map(|(title, text)| {
            format!(
                "{}: {}",
                plain(title.trim().trim_start_matches("title=")),
                plain(text)
            )
        })
        .collect()
}
