//! Tests the action for GitHub with a simulated runner, on a repository of five worlds. Also tests
//! where the action gets the program.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::map::{Ran, fixture, land, program};
use crate::runner::{self, Host, Used};
use crate::world::{ChunkSpec, Files, Generation, block};

const GENERATION: Generation = Generation::Root(3955);
/// The world of each check, and how it is checked. The digest is added when it is known.
const WORLDS: [(&str, &[(&str, &str)]); 5] = [
    ("a", &[("baseline", "maps/a"), ("layers", "day\nheight")]),
    (
        "b",
        &[
            ("baseline", "maps/b.pmtiles"),
            ("ignore", "0,0,9,9\n48,80,64,96"),
        ],
    ),
    ("c", &[("baseline", "maps/c.tsv")]),
    ("d", &[("digest", "?")]),
    (
        "e",
        &[
            ("digest", "?"),
            ("baseline", "maps/e"),
            ("options", "--look 1\n\n  -d=overworld  \n"),
        ],
    ),
];
/// The position of the edited block, in the chunk at 3, 5.
const EDITED: [usize; 2] = [7, 9];

/// A world of two chunks. All of their blocks depend on the first letter of the name.
fn world_of_letter(name: &str, edit: impl Fn(&mut ChunkSpec)) -> Files {
    let grounds = [
        block::DIRT,
        block::SAND,
        block::STONE,
        block::GRASS_BLOCK,
        block::RED_SAND,
    ];
    let ground = grounds[usize::from(name.as_bytes()[0] - b'a')];

    let mut chunks = [
        ChunkSpec::new(3, 5, GENERATION),
        ChunkSpec::new(-2, 5, GENERATION),
    ];

    for chunk in &mut chunks {
        chunk.layer(60, 64, ground);
    }

    edit(&mut chunks[0]);
    land::of_chunks(&chunks, GENERATION)
}

fn wool(chunk: &mut ChunkSpec) {
    chunk.set(EDITED[0], 64, EDITED[1], block::RED_WOOL);
}

/// Runs git without the settings of any user.
fn git(at: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(at).args([
        "-c",
        "user.name=someone",
        "-c",
        "user.email=someone@example.org",
    ]);

    // Converts line ends like git for Windows, unless .gitattributes forbids it.
    git.args(["-c", "core.autocrlf=true"]).args(arguments);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");

    Ran::of(git.output().unwrap())
        .expect(0, &format!("git {arguments:?}"))
        .out
}

/// The path of the program.
fn under_test() -> String {
    program().get_program().to_str().unwrap().to_owned()
}

/// The released program: it records its arguments, one per line, and runs the program under test.
fn written_down(host: &Host) -> String {
    format!(
        "printf '%s\\n' \"$@\" >>'{}'\nexec '{}' \"$@\"",
        host.at("arguments").display(),
        under_test()
    )
}

/// A host with a release, and a repository of five worlds on it.
struct Repository {
    host: Host,
    digests: Vec<String>,
}

impl Repository {
    /// Begins with the worlds alone. The action itself draws the maps, which are then committed.
    fn new() -> Self {
        let host = Host::new();
        host.release(&written_down(&host));

        let at = host.at("repository");
        for (name, _) in WORLDS {
            world_of_letter(name, |_| {}).write_under(&at.join("worlds").join(name));
        }

        // As described in docs/ci.md.
        fs::write(at.join(".gitattributes"), attributes()).unwrap();
        git(&at, &["init", "-q"]);
        let mut repository = Self {
            host,
            digests: vec![String::new(); WORLDS.len()],
        };
        repository.commit();

        for (number, (name, inputs)) in WORLDS.iter().enumerate() {
            let update: Vec<_> = inputs
                .iter()
                .filter(|(name, _)| *name != "digest")
                .copied()
                .collect();

            let used = if update.is_empty() {
                repository.check_in(&at, number, &[("digest", "0")])
            } else {
                repository.check_in(&at, number, &[&update[..], &[("update", "true")]].concat())
            };

            assert_eq!(
                used.code,
                i32::from(update.is_empty()),
                "{name}: {}",
                used.log
            );
            repository.digests[number].clone_from(&used.outputs["digest"]);
            assert_eq!(repository.digests[number].len(), 16, "{name}: {}", used.log);
        }

        repository.commit();
        repository
    }

    fn at(&self) -> PathBuf {
        self.host.at("repository")
    }

    fn commit(&self) {
        git(&self.at(), &["add", "-A"]);
        git(
            &self.at(),
            &["commit", "-q", "--allow-empty", "-m", "Worlds and maps"],
        );
    }

    /// Checks a world with these inputs.
    fn check_in(&self, workspace: &Path, number: usize, inputs: &[(&str, &str)]) -> Used {
        let world = format!("worlds/{}", WORLDS[number].0);
        self.host
            .job(workspace)
            .uses(&[&[("world", &*world)], inputs].concat())
    }

    /// Checks all worlds as a matrix of jobs does, each in a clone.
    fn push(&self) -> Vec<(Used, Vec<String>)> {
        self.commit();
        let clone = tempfile::tempdir().unwrap();
        git(
            clone.path(),
            &["clone", "-q", self.at().to_str().unwrap(), "."],
        );

        let uses = WORLDS.iter().enumerate().map(|(number, (name, inputs))| {
            let mut job = self.host.job(clone.path());
            job.matrix = (number, WORLDS.len());
            let world = format!("worlds/{name}");
            let digest = &*self.digests[number];
            let inputs = inputs
                .iter()
                .map(|&(name, value)| (name, if value == "?" { digest } else { value }));
            let used = job.uses(&inputs.chain([("world", &*world)]).collect::<Vec<_>>());

            (used, job.artifacts.into_keys().collect())
        });
        let uses = uses.collect();

        // The outputs of a check are outside the repository.
        assert_eq!(git(clone.path(), &["status", "--porcelain"]), "");

        uses
    }
}

fn page(name: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs")
            .join(name),
    )
    .unwrap()
}

/// The lines for `.gitattributes` from docs/ci.md.
fn attributes() -> String {
    let page = page("ci.md");
    let (_, after) = page.split_once("```gitattributes\n").unwrap();
    after.split_once("```").unwrap().0.to_owned()
}

#[test]
fn worlds_in_git_pass_until_one_is_edited() {
    if !runner::is_here() {
        return;
    }

    let repository = Repository::new();
    for (used, artifacts) in repository.push() {
        assert_eq!(
            (used.code, &*used.outputs["outcome"]),
            (0, "same"),
            "{}",
            used.log
        );
        assert_eq!(
            (used.summary, used.errors, artifacts),
            (String::new(), Vec::new(), Vec::<String>::new())
        );
    }

    for (number, (name, _)) in WORLDS.iter().enumerate() {
        let folder = repository.at().join("worlds").join(name);
        world_of_letter(name, wool).write_under(&folder);

        for (other, (used, artifacts)) in repository.push().into_iter().enumerate() {
            let is_within = other != number || *name == "b";
            assert_eq!(used.code, i32::from(!is_within), "{name}: {}", used.log);
            assert_eq!(
                used.outputs["outcome"],
                if is_within { "same" } else { "differs" },
                "{}",
                used.log
            );

            let is_compared = !is_within && *name != "d";
            let artifact = format!("map-differences-maps-{number}");
            assert_eq!(
                artifacts,
                if is_compared {
                    vec![artifact.clone()]
                } else {
                    vec![]
                }
            );

            assert_eq!(
                used.summary
                    .contains(&format!("https://host/artifacts/{artifact}")),
                is_compared
            );
            assert_eq!(used.errors.len(), usize::from(!is_within));
        }

        world_of_letter(name, |_| {}).write_under(&folder);
    }
}

/// A job with one world, and with its expected map if the caller requests it.
fn workspace(host: &Host, has_map: bool) -> tempfile::TempDir {
    let workspace = tempfile::tempdir().unwrap();
    world_of_letter("a", |_| {}).write_under(&workspace.path().join("world"));

    if has_map {
        let used = host.job(workspace.path()).uses(&[
            ("world", "world"),
            ("baseline", "map"),
            ("update", "true"),
        ]);
        assert_eq!(used.code, 0, "{}", used.log);
    }

    workspace
}

/// A host with a release. Returns `None` if a tool for the simulated runner is missing.
fn released() -> Option<Host> {
    let host = runner::is_here().then(Host::new)?;
    host.release(&written_down(&host));
    Some(host)
}

#[test]
fn the_job_page_shows_place_and_share() {
    let Some(host) = released() else { return };
    let workspace = workspace(&host, true);
    world_of_letter("a", wool).write_under(&workspace.path().join("world"));
    let mut job = host.job(workspace.path());
    let used = job.uses(&[
        ("world", "world"),
        ("baseline", "map"),
        ("suite", "spawn, 100%: all"),
    ]);
    assert_eq!(used.code, 1, "{}", used.log);
    let [error] = &used.errors[..] else {
        panic!("{:?}", used.errors)
    };
    let [x, z] = [3 * 16 + EDITED[0], 5 * 16 + EDITED[1]];
    assert!(
        error.starts_with("spawn, 100%: all: differs: overworld/day"),
        "{error}"
    );
    for part in [&format!("{x},{z}"), "1 pixel", "%"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let (name, left) = job.artifacts.iter().next().unwrap();
    assert_eq!(name, "map-differences-maps");
    assert!(
        used.summary
            .contains(&format!("(https://host/artifacts/{name})")),
        "{}",
        used.summary
    );
    let files = [
        "difference.png",
        "summary.md",
        "summary-1.png",
        "junit.xml",
        "diff.json",
    ];
    assert!(
        files.iter().all(|file| left.0.contains_key(*file)),
        "{:?}",
        left.0.keys()
    );
    // The page of a job cannot show the pictures next to a summary.
    assert!(String::from_utf8_lossy(&left.0["summary.md"]).contains("!["));
    assert!(
        used.summary.contains(&format!("{x},{z}")) && !used.summary.contains("!["),
        "{}",
        used.summary
    );

    let named = [
        ("world", "world"),
        ("baseline", "map"),
        ("artifact", "mine"),
    ];
    let again = [&named[..2], &named].map(|inputs| job.uses(inputs));
    assert!(again.iter().all(|used| used.code == 1));
    let names: Vec<_> = job.artifacts.into_keys().collect();
    assert_eq!(
        names,
        ["map-differences-maps", "map-differences-maps-2", "mine"],
        "each check of a job has its own"
    );
}

#[test]
fn the_action_never_compares_a_map_with_itself() {
    let Some(host) = released() else { return };
    let workspace = workspace(&host, true);
    let at = |name: &str| workspace.path().join(name);
    symlink(at("map"), at("link")).unwrap();
    let kept = Files::read_under(&at("map"));
    world_of_letter("a", wool).write_under(&at("world"));

    for (baseline, output) in [
        ("map", "map"),
        ("map/", "./map"),
        ("link", "map"),
        ("map", "link"),
    ] {
        let inputs = [
            ("world", "world"),
            ("baseline", baseline),
            ("output", output),
        ];

        let used = host.job(workspace.path()).uses(&inputs);
        assert_eq!(used.code, 2, "{baseline} and {output}: {}", used.log);
        assert!(
            used.errors[0].contains("choose another place for the new map"),
            "{:?}",
            used.errors
        );
        assert_eq!(used.outputs["outcome"], "");
    }

    assert_eq!(Files::read_under(&at("map")), kept);

    let used = host
        .job(workspace.path())
        .uses(&[("world", "world"), ("baseline", "map")]);
    assert_eq!(used.code, 1, "{}", used.log);
    assert!(!Path::new(&used.outputs["map"]).starts_with(workspace.path()));
}

#[test]
fn gaps_are_compared_first() {
    let Some(host) = released() else { return };
    let workspace = tempfile::tempdir().unwrap();
    let broken = fixture("slot-past-end");
    let mut job = host.job(workspace.path());
    let used = job.uses(&[("world", broken.to_str().unwrap()), ("digest", "0")]);
    assert_eq!(
        (used.code, &*used.outputs["outcome"]),
        (3, "differs"),
        "{}",
        used.log
    );
    let used = job.uses(&[
        ("world", broken.to_str().unwrap()),
        ("digest", &used.outputs["digest"]),
    ]);
    assert_eq!(
        (used.code, &*used.outputs["outcome"]),
        (3, "same"),
        "{}",
        used.log
    );
    assert!(
        used.errors[0].contains("could not be read") && used.errors[0].contains("same: "),
        "{:?}",
        used.errors
    );
    assert!(job.artifacts.is_empty());

    world_of_letter("a", |_| {}).write_under(&workspace.path().join("world"));
    let inputs = [("baseline", "map"), ("update", "true")];
    assert_eq!(
        job.uses(&[&inputs[..], &[("world", "world")]].concat())
            .code,
        0
    );
    let kept = Files::read_under(&workspace.path().join("map"));
    let used = job.uses(&[&inputs[..], &[("world", broken.to_str().unwrap())]].concat());
    assert_eq!(
        (used.code, &*used.outputs["outcome"]),
        (3, "differs"),
        "{}",
        used.log
    );
    assert_eq!(
        Files::read_under(&workspace.path().join("map")),
        kept,
        "a map with gaps is none that should be"
    );
    assert_eq!(job.artifacts.len(), 1);
}

#[test]
fn options_are_passed_on_unchanged() {
    let Some(host) = released() else { return };
    let workspace = workspace(&host, true);
    // A file that a pattern would match.
    fs::write(workspace.path().join("day1"), "").unwrap();
    let given = |inputs: &[(&str, &str)]| {
        let _ = fs::remove_file(host.at("arguments"));
        let used = host
            .job(workspace.path())
            .uses(&[&[("world", "world"), ("baseline", "map")], inputs].concat());
        let arguments = fs::read_to_string(host.at("arguments")).unwrap();
        (used, arguments)
    };
    let (used, arguments) = given(&[("options", "--background=day*  x")]);
    assert!(
        used.code == 2 && arguments.contains("\n--background=day*  x\n"),
        "{arguments}"
    );
    let lines = "  --palette   $(touch here) `x` *'s \"day?\"\r\n\n--unknown=hide\n-d \
                 overworld\n--unfinished\n";
    let (used, arguments) = given(&[("options", lines)]);
    assert_eq!(used.code, 2, "there is no such palette: {}", used.log);
    let expected = "\n--palette\n$(touch here) `x` *'s \
                    \"day?\"\n--unknown=hide\n-d\noverworld\n--unfinished\n";
    assert!(arguments.contains(expected), "{arguments}");
    assert!(!workspace.path().join("here").exists());

    let (used, arguments) = given(&[("layers", "day\nheight"), ("area", "-1,-2,300,400")]);
    assert_eq!(used.code, 1, "a layer came: {}", used.log);
    let both = "\n--area\n-1,-2,300,400\n--layer\nday\n--layer\nheight\n";
    assert_eq!(
        arguments.matches(both).count(),
        2,
        "drawn and compared: {arguments}"
    );

    let inputs = [
        ("ignore", "0,0,99,99\n-9,0,0,9"),
        ("tolerance", "2"),
        ("max-changed", "3"),
    ];
    let (used, arguments) = given(&inputs);
    assert_eq!(used.code, 0, "{}", used.log);
    let compared = "\n--suite\nworld\n--tolerance\n2\n--max-changed\n3\n--ignore\n0,0,99,99\n--ignore\n-9,0,0,9\n";
    assert_eq!(
        arguments.matches(compared).count(),
        1,
        "compared: {arguments}"
    );

    for (wrong, told) in [
        (&[("update", "yes")][..], "update is true or false"),
        (&[("max-changed", "many")], "'many'"),
        (&[("options", "--lok 1")], "--lok"),
        (&[("baseline", "")], "give digest, baseline or both"),
        (&[("baseline", "nothing")], "--update makes it"),
    ] {
        let (used, _) = given(wrong);
        assert!(
            used.code == 2 && used.errors.len() == 1 && used.errors[0].contains(told),
            "{}",
            used.log
        );
    }
}

#[test]
fn the_program_is_downloaded_by_checksum_or_built() {
    let Some(host) = released() else { return };
    let workspace = workspace(&host, false);
    let inputs = [("world", "world"), ("digest", "0")];
    let used = host.job(workspace.path()).uses(&inputs);
    assert_eq!(
        (used.code, used.warnings.len()),
        (1, 0),
        "downloaded: {}",
        used.log
    );

    // A program whose bytes do not match the checksum never runs. The action builds the program
    // instead.
    let host = released().unwrap();
    let release = host.at("someone/pixelmap/releases/download");
    let sums = fs::read_dir(release)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("SHA256SUMS");
    fs::write(
        &sums,
        fs::read_to_string(&sums)
            .unwrap()
            .replace(|c: char| c.is_ascii_digit(), "0"),
    )
    .unwrap();
    let used = host.job(workspace.path()).uses(&inputs);
    assert_eq!(used.code, 2, "{}", used.log);
    assert!(
        used.warnings[0].contains("has not the checksum"),
        "{:?}",
        used.warnings
    );
    assert!(used.errors[0].contains("no program"), "{:?}", used.errors);
    assert!(!host.at("arguments").exists());

    let host = Host::new();
    let built = format!(
        "pwd >>'{0}'; echo \"$* ${{RUSTUP_TOOLCHAIN-its own}}\" >>'{0}'\nwhile [ \"$1\" != \
         --target-dir ]; do shift; done\n\
         mkdir -p \"$2/release\" && printf '#!/bin/sh\\nexec \"{1}\" \"$@\"\\n' \
                    >\"$2/release/pixelmap\" && chmod +x \
         \"$2/release/pixelmap\"",
        host.at("builds").display(),
        under_test()
    );
    runner::put_script(&host.at("tools/cargo"), &built);
    let used = host.job(workspace.path()).uses(&inputs);
    assert_eq!(
        (used.code, used.warnings.len()),
        (1, 2),
        "built: {}",
        used.log
    );
    let digest = &used.outputs["digest"];
    let used = host
        .job(workspace.path())
        .uses(&[inputs[0], ("digest", digest)]);
    assert_eq!(
        (used.code, used.warnings.len()),
        (0, 0),
        "from the cache, although that job failed: {}",
        used.log
    );
    let builds = fs::read_to_string(host.at("builds")).unwrap();
    let (folder, build) = builds.split_once('\n').unwrap();
    assert_eq!(
        Path::new(folder),
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .canonicalize()
            .unwrap()
    );
    assert!(
        build.starts_with("build --release --locked --target-dir ") && build.contains(" its own\n"),
        "{build}"
    );
}

#[test]
fn the_page_describes_every_input() {
    let (host, page) = (Host::new(), page("action.md"));
    let (_, table) = page.split_once("| input | |\n").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let names = table
        .lines()
        .skip(1)
        .flat_map(|line| line.split('|').nth(1).unwrap().split(','));
    let mut described: Vec<_> = names.map(|name| name.trim().trim_matches('`')).collect();
    let mut inputs: Vec<_> = host.inputs().collect();
    described.sort_unstable();
    inputs.sort_unstable();
    assert_eq!(described, inputs);
}
