//! Tests the scripts that read databases of `SQLite`.

use std::path::Path;
use std::process::Command;

use super::scripts::{convert, copy_of_example, summaries_of};
use crate::map::Place;

/// Changes a database. With `is_left_open` its log stays, as if a server was running.
fn change_database(file: &Path, statement: &str, is_left_open: bool) {
    let program = "import os, sqlite3, sys\n\
        opened = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
        opened.execute('PRAGMA journal_mode=WAL')\n\
        opened.execute(sys.argv[2])\n\
        os._exit(0) if sys.argv[3] == 'true' else opened.close()";
    let status = Command::new("python3")
        .args(["-c", program])
        .arg(file)
        .args([statement, &is_left_open.to_string()])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{statement}");
}

#[test]
fn a_world_may_be_named_by_its_dimension() {
    let place = Place::empty();
    let folder = copy_of_example(&place, "huskclaims");
    if convert("huskclaims", &folder, &[]).is_none() {
        return;
    }

    for dimension in ["the_end", "my:sky"] {
        let statement = format!("UPDATE huskclaims_claim_worlds SET world_name = '{dimension}'");
        change_database(&folder.join("HuskClaimsData.db"), &statement, false);
        let claims = summaries_of("huskclaims", &folder).unwrap();
        assert_eq!(claims.len(), 3);
        let place = format!("in \"{dimension}\":");
        assert!(
            claims.iter().all(|claim| claim.contains(&place)),
            "{claims:?}"
        );
    }
}

#[test]
fn databases_are_read_with_their_log_and_unchanged() {
    let place = Place::empty();
    let folder = copy_of_example(&place, "lands");
    if convert("lands", &folder, &[]).is_none() {
        return;
    }

    for (name, is_left_open, count) in [("Closed", false, 1), ("Open", true, 3)] {
        let statement = format!("UPDATE lands_lands SET name = '{name}'");
        change_database(
            &folder.join("Data/database_v2.db"),
            &statement,
            is_left_open,
        );
        let lands = summaries_of("lands", &folder).unwrap();
        assert!(
            lands.iter().all(|land| land.contains(name)),
            "{name}: {lands:?}"
        );
        let files = std::fs::read_dir(folder.join("Data")).unwrap();
        assert_eq!(files.count(), count, "{name}");
    }
}

#[test]
fn lands_with_miscounted_chunks_are_left_out() {
    let place = Place::empty();
    let folder = copy_of_example(&place, "lands");
    if convert("lands", &folder, &[]).is_none() {
        return;
    }

    let statement = "UPDATE lands_lands_claims SET chunks_amount = 9 WHERE chunks_amount = 3";
    change_database(&folder.join("Data/database_v2.db"), statement, false);
    let converted = convert("lands", &folder, &[]).unwrap();
    assert_eq!((converted.code, converted.features.len()), (Some(3), 1));
    assert!(
        converted.messages.contains("9 chunks"),
        "{}",
        converted.messages
    );
}

#[test]
fn damaged_and_large_databases_are_left_out() {
    let place = Place::empty();
    for (script, file) in [
        ("lands", "Data/database_v2.db"),
        ("huskclaims", "HuskClaimsData.db"),
    ] {
        let folder = copy_of_example(&place, script);
        let file = folder.join(file);
        let whole = std::fs::metadata(&file).unwrap().len();

        for (length, reason) in [
            (65 << 20, "64 MiB"),
            (whole / 2, "malformed"),
            (9, "SQLite"),
        ] {
            let opened = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
            opened.set_len(length).unwrap();
            drop(opened);

            let Some(converted) = convert(script, &folder, &[]) else {
                return;
            };
            let messages = converted.messages;
            assert_eq!(
                (converted.code, converted.features.len()),
                (Some(3), 0),
                "{script}: {messages}"
            );
            assert!(
                messages.contains(reason) && !messages.contains("Traceback"),
                "{script}: {messages}"
            );
        }
    }
}
