//! Tests archives of worlds at addresses: they give the same maps as their folders, and neither their
//! bytes nor the secrets of their addresses stay anywhere.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod web_server;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use zip::CompressionMethod::Deflated;

use self::web_server::{WebAnswer, WebServer};
use super::zip::packed;
use crate::map::{Map, Place, Ran, assert_same_files, fixture, program};
use crate::world::files::Files;
use crate::world::tar::{Packer, TarBuilder, TarForm};

fn files_of(name: &str, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = Files::read_under(&fixture(name)).0.into_iter();
    files
        .map(|(path, bytes)| (format!("{folder}{path}"), bytes))
        .collect()
}

/// Returns a zip of a fixture, in which the world is in a folder.
pub(crate) fn zip_of(name: &str) -> Vec<u8> {
    packed(&files_of(name, "world/"), Deflated)
}

/// Runs the program with an empty folder for temporary files, and checks that it stays empty.
fn leaving_nothing(place: &Place, command: &mut Command) -> Ran {
    let temporary = place.at("temporary");
    fs::create_dir_all(&temporary).unwrap();
    let output = command.env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{command:?}");
    Ran::of(output)
}

fn render(place: &Place, address: &str, name: &str, options: &[&str]) -> Ran {
    let mut command = program();
    command
        .arg("render")
        .arg(address)
        .arg("-o")
        .arg(place.at(name));
    leaving_nothing(place, command.args(options).args(["--report", "-"]))
}

#[test]
fn address_and_world_folder_give_equal_maps() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("of-folder", &[]);
    let tar = |packer| TarBuilder::of(TarForm::Pax, &files_of("demo", "world/")).finish(packer);
    for (target, bytes) in [
        ("/w.zip", zip_of("demo")),
        ("/backups/w.tar", tar(Packer::None)),
        ("/w.tar.gz/world", tar(Packer::Gzip)),
        ("/w.tar.zst", tar(Packer::Zstd)),
        // The first bytes decide about the kind, because an address may have any ending.
        ("/download", zip_of("demo")),
    ] {
        let server = WebServer::of_file(bytes);
        let name = "of-address";
        let report = render(&place, &server.url(target), name, &[]).expect(0, target);
        assert_same_files(target, &map.files(), &Map::at(&place.at(name)).files());

        let report = report.report();
        assert_eq!(report["download"]["requests"], 1, "{target}");
        assert!(report["download"]["bytes_down"].as_u64().unwrap() > 0);

        let again = render(&place, &server.url(target), name, &[]).expect(0, target);
        assert_eq!(again.report()["regions"]["drawn"], 0, "{target}");
        fs::remove_dir_all(place.at(name)).unwrap();
    }
}

#[test]
fn a_bedrock_world_is_read_from_an_address() {
    let place = Place::of(&Files::read_under(&fixture("bedrock")));
    let map = place.draw("of-folder", &[]);
    let server = WebServer::of_file(packed(&files_of("bedrock", ""), Deflated));
    render(&place, &server.url("/w.mcworld"), "of-address", &[]).expect(0, "mcworld");
    assert_same_files(
        "mcworld",
        &map.files(),
        &Map::at(&place.at("of-address")).files(),
    );
}

#[test]
fn secrets_of_an_address_stay_nowhere() {
    let place = Place::empty();
    let server = WebServer::of_file(zip_of("demo"));
    let url = |signature: &str| {
        format!(
            "http://me:S3CRET@{}/w.zip?signature={signature}",
            server.address
        )
    };
    let options = ["-v", "--changed-list"];
    let list = place.at("changed").display().to_string();
    let options = [&options[..], &[&list]].concat();
    let drawn = render(&place, &url("S1GNED"), "map", &options).expect(0, "drawn");
    assert!(server.targets()[0].contains("signature=S1GNED"));

    let report = drawn.report();
    let shown = format!("http://{}/w.zip", server.address);
    assert_eq!(report["world"]["path"], *shown);

    let mut texts = Files::read_under(&place.at("map")).0;
    texts.insert("log".to_owned(), drawn.err.into_bytes());
    texts.insert("report".to_owned(), drawn.out.into());
    texts.insert("list".to_owned(), fs::read(&list).unwrap());
    for (path, bytes) in texts {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("S3CRET") && !text.contains("S1GNED"),
            "{path}"
        );
    }

    // Another signature leads to the same world.
    let again = render(&place, &url("SECOND"), "map", &[]).expect(0, "drawn again");
    assert_eq!(again.report()["regions"]["drawn"], 0);
}

#[test]
fn failures_say_what_can_be_done() {
    let place = Place::empty();
    let page = WebServer::of_file(b"<html>sign in</html>".to_vec());
    let cut = zip_of("demo");
    let cut = WebServer::of_file(cut[..cut.len() / 2].to_vec());
    let status = |status| WebServer::start(move |_, _| WebAnswer::Status(status));
    for (server, words) in [
        (status(404), "check the address"),
        (status(403), "credentials"),
        (page, "neither a zip nor a tar"),
        (cut, "not whole"),
    ] {
        let url = server.url("/w.zip?key=S3CRET");
        let failed = render(&place, &url, "map", &[]).expect(1, words);
        assert!(failed.err.contains(words), "{}", failed.err);
        for text in [&failed.err, &failed.out] {
            assert!(!text.contains("S3CRET"), "{text}");
        }
        assert!(!place.at("map").exists(), "{words}");
    }
}

#[test]
fn a_briefly_failing_server_is_asked_again() {
    let place = Place::empty();
    let bytes = zip_of("demo");
    let server = WebServer::start(move |number, target| match (number, target) {
        (0, _) => WebAnswer::Status(503),
        (1, _) => WebAnswer::Half(bytes.clone()),
        (_, "/moved.zip") => WebAnswer::File(bytes.clone()),
        _ => WebAnswer::Redirect("/moved.zip".to_owned()),
    });
    let report = render(&place, &server.url("/w.zip"), "map", &[]).expect(0, "drawn");
    assert_eq!(report.report()["download"]["requests"], 3);
    assert_eq!(
        server.targets(),
        ["/w.zip", "/w.zip", "/w.zip", "/moved.zip"]
    );
}

#[test]
fn a_killed_download_leaves_nothing() {
    let place = Place::empty();
    let bytes = zip_of("demo");
    let server = WebServer::start(move |_, _| WebAnswer::Hang(bytes.clone()));
    let temporary = place.at("temporary");
    fs::create_dir_all(&temporary).unwrap();

    for (signal, code) in [(Signal::TERM, Some(143)), (Signal::KILL, None)] {
        let before = server.targets().len();
        let mut child = program()
            .args(["render", &server.url("/w.zip"), "-o"])
            .arg(place.at("map"))
            .env("TMPDIR", &temporary)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();

        let start = Instant::now();
        while server.targets().len() == before {
            assert!(start.elapsed() < Duration::from_mins(1), "no request");
            std::thread::sleep(Duration::from_millis(2));
        }

        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), code);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        assert!(!place.at("map").exists());
    }
}

#[test]
fn other_commands_read_an_archive_at_an_address() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let server = WebServer::of_file(zip_of("demo"));
    let url = server.url("/w.zip");
    let answer = |world: &str, args: &[&str]| {
        let mut command = program();
        command.arg(args[0]).arg(world).args(&args[1..]);
        leaving_nothing(&place, &mut command).expect(0, args[0]).out
    };

    let folder = place.world().display().to_string();
    for args in [&["info", "--json"][..], &["query", "0,0"]] {
        assert_eq!(answer(&url, args), answer(&folder, args), "{args:?}");
    }

    for args in [&["serve"][..], &["catalog", "-o", "catalog"]] {
        let mut command = program();
        command.arg(args[0]).arg(&url).args(&args[1..]);
        let refused = Ran::of(command.current_dir(place.at("")).output().unwrap());
        let refused = refused.expect(2, args[0]);
        assert!(refused.err.contains("pixelmap render"), "{}", refused.err);
    }

    let dry = render(&place, &url, "map", &["--dry-run", "--json"]).expect(0, "dry run");
    assert_eq!(dry.report()["dimensions"][0]["unchanged"], 0);
    assert!(!Path::new(&place.at("map")).exists());
}
