//! Tests `contrib/slurm` on a cluster of two nodes: one node is killed, and the merged map still
//! equals the map of a single run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::map::{Map, Place, assert_same_files, program};
use crate::missing;
use crate::world::many;

/// The longest time that all jobs may take.
const PATIENCE: Duration = Duration::from_mins(3);

/// A cluster on this machine, which ends with the test.
struct Cluster(PathBuf);

impl Cluster {
    /// Starts a cluster with its files in `folder`. Returns `None` if this machine cannot run one.
    fn start(folder: PathBuf) -> Option<Self> {
        let has = |name: &str| {
            Command::new("which")
                .arg(name)
                .output()
                .is_ok_and(|which| which.status.success())
        };

        let is_root = Command::new("id")
            .arg("-u")
            .output()
            .is_ok_and(|id| id.stdout == b"0\n");

        if !is_root
            || !["slurmctld", "slurmd", "sbatch", "munged"]
                .into_iter()
                .all(has)
        {
            return None;
        }

        // All ports are held until the three are known, so that they differ.
        let held: Vec<TcpListener> = (0..3)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let ports: Vec<String> = held
            .iter()
            .map(|port| port.local_addr().unwrap().port().to_string())
            .collect();

        drop(held);
        let cluster = Self(folder);
        let started = Command::new(file("tests/slurm/cluster"))
            .arg(&cluster.0)
            .args(ports)
            .output()
            .unwrap();

        assert!(
            started.status.success(),
            "{}",
            String::from_utf8_lossy(&started.stderr)
        );

        Some(cluster)
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env("SLURM_CONF", self.0.join("slurm.conf"));
        command
    }

    /// Waits until no job is left.
    fn wait(&self) {
        let start = Instant::now();

        while !self
            .command("squeue")
            .arg("-h")
            .output()
            .unwrap()
            .stdout
            .is_empty()
        {
            assert!(
                start.elapsed() < PATIENCE,
                "{}",
                said(&self.command("squeue").output().unwrap())
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = Command::new("sh")
            .args(["-c", "kill $(cat \"$0\"/*.pid)"])
            .arg(&self.0)
            .output();
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_job_array_equals_a_single_run() {
    let place = Place::empty();
    let Some(cluster) = Cluster::start(place.at("cluster")) else {
        missing::report(
            "slurm",
            "an array of jobs: install slurm-wlm and munge (Debian), and be root",
        );
        return;
    };

    many::regions(&place.at("source"), 1);
    many::replicate(&place.at("source"), &place.world().join("region"), 24);
    place.draw("single", &["-l", "day", "-l", "height"]);

    let submit = |place: &Place| {
        let mut submit = cluster.command(file("contrib/slurm/submit"));
        submit
            .arg(place.world())
            .arg(place.at("map"))
            .args(["8", "-l", "day", "-l", "height"]);
        submit
            .env("PIXELMAP", file("tests/slurm/killed-once"))
            .env("SHARD_CPUS", "1");

        submit
            .env("REAL", program().get_program())
            .env("KILLED", place.at("killed"))
            .env("RUNS", place.at("runs"));
        let submitted = submit.output().unwrap();
        assert!(submitted.status.success(), "{}", said(&submitted));
        cluster.wait();
    };

    submit(&place);
    let runs = fs::read_to_string(place.at("runs")).unwrap();

    let logs = || {
        ["map.shard-3.log", "map.merge.log"]
            .map(|name| fs::read_to_string(place.at(name)).unwrap_or_default())
    };

    assert!(place.at("map/map.json").exists(), "{runs}{:?}", logs());
    assert_same_files(
        "map",
        &Map::at(&place.at("single")).files(),
        &Map::at(&place.at("map")).files(),
    );

    let nodes: BTreeSet<&str> = runs
        .lines()
        .filter_map(|line| line.rsplit(' ').next())
        .collect();

    assert_eq!(nodes.len(), 2, "{runs}");
    assert_eq!(
        runs.lines().count(),
        9,
        "each shard once, and the merge: {runs}"
    );

    assert!(
        place.at("killed").exists() && logs()[0].contains("queued again"),
        "{:?}",
        logs()
    );

    // The same jobs again find everything drawn.
    submit(&place);
    assert!(logs()[0].contains("0 regions drawn"), "{:?}", logs());
    assert_same_files(
        "map",
        &Map::at(&place.at("single")).files(),
        &Map::at(&place.at("map")).files(),
    );
}
