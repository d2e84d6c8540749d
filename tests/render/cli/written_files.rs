//! Tests that reports appear whole, by rename, and that a pipe or a device is written to directly.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::map::{Place, fixture, program, run};
use crate::missing;
use crate::world::Files;

/// Checks that a file was replaced instead of overwritten: a second name of the earlier file still
/// has its text.
fn assert_replaced(path: &Path, other_name: &Path) {
    assert_eq!(
        fs::read_to_string(other_name).unwrap(),
        "earlier",
        "{}",
        path.display()
    );

    let text = fs::read_to_string(path).unwrap();
    assert!(text != "earlier" && !text.is_empty(), "{}", path.display());

    let folder = path.parent().unwrap();
    let parts = fs::read_dir(folder).unwrap().filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".part")
    });

    assert_eq!(
        parts.count(),
        0,
        "nothing is left beside {}",
        path.display()
    );
}

#[test]
fn a_report_appears_by_rename() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    fs::write(place.at("report.json"), "earlier").unwrap();
    fs::hard_link(place.at("report.json"), place.at("report.json-before")).unwrap();

    #[cfg(unix)]
    fs::set_permissions(
        place.at("report.json"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let restricted = place.at("report.json").metadata().unwrap().permissions();

    let report = place.at("report.json");
    let draw = |world: &Path, report: &Path| {
        let map = place.at("map");
        let [world, map, report] = [world, &map, report].map(|path| path.to_str().unwrap());
        run(&["render", world, "-o", map, "--report", report])
    };

    draw(&place.world(), &report).expect(0, "drawn");
    assert_replaced(&report, &place.at("report.json-before"));
    serde_json::from_slice::<Value>(&fs::read(&report).unwrap()).unwrap();
    assert_eq!(
        report.metadata().unwrap().permissions(),
        restricted,
        "who may read it"
    );

    // This also applies to a run that is refused.
    fs::write(place.at("refused.json"), "earlier").unwrap();
    fs::hard_link(place.at("refused.json"), place.at("refused.json-before")).unwrap();
    let refused = place.at("refused.json");
    draw(&place.at("none"), &refused).expect(1, "no world");
    assert_replaced(&refused, &place.at("refused.json-before"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_in_shared_memory_is_a_file() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return missing::report("shm", "a report in /dev/shm: there is no such folder");
    };
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let report = folder.path().join("report.json");
    let [world, map, path] =
        [&place.world(), &place.at("map"), &report].map(|path| path.to_str().unwrap().to_owned());
    run(&["render", &world, "-o", &map, "--report", &path]).expect(0, "drawn");
    serde_json::from_slice::<Value>(&fs::read(report).unwrap()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_report_can_go_to_standard_output() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let file = fs::File::create(place.at("out")).unwrap();
    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .args(["--report", "/dev/stdout"]);

    assert!(
        command
            .stdout(Stdio::from(file.try_clone().unwrap()))
            .status()
            .unwrap()
            .success()
    );

    // The program wrote to the given file, and not to a file that replaced it.
    assert!(file.metadata().unwrap().len() > 0);
    serde_json::from_slice::<Value>(&fs::read(place.at("out")).unwrap()).unwrap();

    let piped = program()
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .args(["--report", "/dev/stdout"])
        .output()
        .unwrap();
    serde_json::from_slice::<Value>(&piped.stdout).unwrap();
}
