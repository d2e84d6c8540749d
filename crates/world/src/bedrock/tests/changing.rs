//! Tests the stamps of regions as a world changes, and databases that change while they are read.

use super::*;
use crate::bedrock::leveldb::open_files;
use crate::bytes::Stamp;
use pixelmap_base::retry::retryable;

/// Returns the stamps of the overworld regions with x from -2 to 1.
fn stamps(written: &TestDatabase) -> [Stamp; 4] {
    let database = open(written.world()).unwrap();
    [-2, -1, 0, 1].map(|x| BedrockRegion::open(database.clone(), 0, RegionPos { x, z: 0 }).stamp())
}

#[test]
fn a_stamp_follows_only_its_own_region() {
    let mut written = TestDatabase::new();
    written.add_table(5, row(0, -40..40, 50), Compression::Deflate, 1000);
    let first = stamps(&written);
    assert_eq!(first, stamps(&written));

    // Keys that are not read, other dimensions, and other tables with the same entries change
    // nothing.
    written.put_log(&[vec![
        entry(key(0, 3, 0, &[50]), 900, "entities"),
        entry(key(1, 3, 0, &[VERSION]), 901, "nether"),
    ]]);

    assert_eq!(first, stamps(&written));
    written.forget_table();
    written.add_table(6, row(0, -40..40, 50), Compression::Zlib, 300);
    assert_eq!(first, stamps(&written));

    // A new value, a deletion, and the deletion of a whole chunk.
    let mut last = first;
    for (sequence, tag, value) in [
        (910, SECTION, Some("new")),
        (911, SECTION, None),
        (912, VERSION, None),
    ] {
        let tag: &[u8] = if tag == SECTION {
            &[SECTION, 0]
        } else {
            &[VERSION]
        };

        written.put_log(&[vec![entry(key(0, 5, 0, tag), sequence, value)]]);
        let now = stamps(&written);
        assert_eq!([now[0], now[1], now[3]], [last[0], last[1], last[3]]);
        assert_ne!(now[2], last[2]);
        last = now;
    }
}

#[test]
fn a_changing_file_list_is_read_again() {
    let mut written = TestDatabase::new();
    written.add_table(5, row(0, 0..2, 9), Compression::Deflate, 100);
    let folder = written.world().join("db");
    let mut times = 0;

    // The game compacts the listed table to a new one and removes it.
    let opened = open_files(&Files::Disk, &folder, &[], || {
        times += 1;
        if times == 1 {
            written.forget_table();
            written.add_table(6, row(0, 0..2, 9), Compression::Deflate, 100);
            written.remove("000005.ldb");
        }
    });

    let opened = opened.unwrap();
    assert_eq!(
        (times, opened.tables.len(), opened.damage),
        (2, 1, Vec::new())
    );

    // The list changes each time.
    let mut times = 0;
    let restless = open_files(&Files::Disk, &folder, &[], || {
        times += 1;
        written.put("CURRENT", format!("MANIFEST-00000{times}\n").as_bytes());
    });
    assert!(
        matches!(restless, Err(OpenError::Unreadable(error)) if retryable(&error)) && times == 4
    );
}

#[test]
fn nothing_of_the_world_is_written() {
    let mut written = TestDatabase::new();
    written.add_table(5, row(0, 0..9, 500), Compression::Deflate, 1000);
    written.put_log(&[row(0, 9..11, 10)]);

    let state = || {
        let entries = std::fs::read_dir(written.world().join("db"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (
                    entry.file_name(),
                    entry.metadata().unwrap().modified().unwrap(),
                    std::fs::read(entry.path()).unwrap(),
                )
            });

        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        entries
    };

    let before = state();
    assert_eq!(chunks(&open(written.world()).unwrap()).len(), 11);
    assert_eq!(state(), before);
}
