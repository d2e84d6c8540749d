//! Tests that damage costs only the chunks it affects, and that it is reported.

use super::*;
use crate::bedrock::chunks::{ChunkIndex, KnownTables};
use crate::bedrock::leveldb::open_files;

/// Returns a database with chunks in two tables of several blocks each and in the log, and the
/// positions of the blocks.
pub(super) fn sample() -> (TestDatabase, Vec<(u64, usize)>) {
    let mut written = TestDatabase::new();
    let mut positions = Vec::new();
    for (number, x) in [(5, 0..12), (6, 20..32)] {
        let blocks = written.add_table(number, row(0, x, 200), Compression::Deflate, 900);
        positions.extend(blocks.iter().map(|block| (number, block.offset)));
    }
    written.put_log(&[row(0, 40..42, 10), row(1, 40..42, 10)]);
    (written, positions)
}

pub(super) fn flip(written: &TestDatabase, name: &str, offset: usize) {
    let mut bytes = written.read(name);
    bytes[offset] ^= 0x10;
    written.put(name, &bytes);
}

/// Returns the file, the offset and the defect of each damage.
fn damage(database: &Database) -> Vec<(&str, Option<u64>, &Defect)> {
    database
        .damage()
        .iter()
        .map(|damage| (damage.file.as_str(), damage.offset, &damage.defect))
        .collect()
}

#[test]
fn a_bad_block_costs_the_chunks_in_it() {
    let (written, positions) = sample();
    let whole = chunks(&open(written.world()).unwrap());
    assert_eq!((whole.len(), positions.len()), (28, 10));

    let (number, offset) = positions[2];
    let name = format!("{number:06}.ldb");
    flip(&written, &name, offset + 3);
    let database = open(written.world()).unwrap();
    assert_eq!(
        damage(&database),
        [(name.as_str(), Some(offset as u64), &Defect::Checksum)]
    );

    let found = chunks(&database);
    let (mut lost, mut faulty) = (0, 0);
    for (position, chunk) in &whole {
        match found.get(position) {
            Some(found) if found == chunk => {}
            Some(found) => {
                faulty += 1;
                let fault = found.clone().unwrap_err();
                assert_eq!((fault.word(), fault.io_error()), ("inflate", None));
                assert!(
                    fault
                        .to_string()
                        .contains(&format!("{name} at byte {offset}: its checksum is wrong"))
                );
            }
            None => lost += 1,
        }
    }

    // A block has about five entries and a chunk three, so some chunks are only partly in the
    // damaged block.
    assert!(
        lost + faulty > 1 && lost + faulty <= 4 && faulty > 0,
        "{lost} {faulty}"
    );
}

#[test]
fn a_bad_key_costs_only_its_entry() {
    let entries = row(0, 0..12, 20);
    let mut written = TestDatabase::new();
    written.add_table(5, entries.clone(), Compression::Deflate, 100_000);
    let whole = chunks(&open(written.world()).unwrap());
    let mut pairs: Vec<_> = entries
        .iter()
        .map(|entry| (entry.internal_key(), entry.value.clone().unwrap()))
        .collect();
    pairs.sort();

    // The entry of the highest section of chunk 3 gets an unknown kind.
    let bad = pairs
        .iter()
        .position(|(key, _)| key.starts_with(&key_of(3)))
        .unwrap();
    let kind = pairs[bad].0.len() - 8;
    pairs[bad].0[kind] = 7;

    // Keys that are too short cannot be sorted. The next keys share bytes with them.
    pairs.insert(bad + 2, (pairs[bad + 2].0[..7].to_vec(), b"short".to_vec()));
    pairs.insert(bad, (Vec::new(), Vec::new()));
    written.forget_table();
    written.add_pairs(6, &pairs);

    let database = open(written.world()).unwrap();
    assert_eq!(
        damage(&database),
        [("000006.ldb", Some(0), &Defect::BadKey)]
    );

    let found = chunks(&database);
    assert!(found.keys().eq(whole.keys()));

    for (position, values) in found {
        let mut expected = whole[&position].clone().unwrap();
        if position == (0, 3, 0) {
            expected.remove(&(SECTION, -1)).unwrap();
        }
        assert_eq!(values.unwrap(), expected, "{position:?}");
    }

    // The next run reports the damage again, and does not miss any chunks because of it.
    let known = database.known_tables().unwrap_or_default();
    let again = Database::open(&Files::Disk, written.world(), &known, 0).unwrap();
    assert_eq!((damage(&again).len(), chunks(&again).len()), (1, 12));
}

/// Returns the key of the highest section of a chunk of [`row`].
fn key_of(x: i32) -> Vec<u8> {
    key(0, x, 0, &[SECTION, 0xff])
}

#[test]
fn a_repaired_block_changes_the_stamp() {
    let (written, positions) = sample();
    let stamp =
        || BedrockRegion::open(open(written.world()).unwrap(), 0, RegionPos { x: 0, z: 0 }).stamp();
    let whole = stamp();
    for &(number, offset) in &positions {
        flip(&written, &format!("{number:06}.ldb"), offset);
        assert_ne!(stamp(), whole);
        flip(&written, &format!("{number:06}.ldb"), offset);
        assert_eq!(stamp(), whole);
    }
}

#[test]
fn a_bad_table_costs_only_its_chunks() {
    let (written, _) = sample();
    let (table, len) = (written.read("000005.ldb"), written.read("000005.ldb").len());
    let mut foreign = table.clone();
    foreign[len - 1] ^= 1;
    let mut index = table.clone();

    // This byte is in the index, in front of its compression id, its checksum and the footer.
    index[len - 60] ^= 1;

    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".to_vec();
    let bad = [
        (foreign, Defect::Foreign),
        (table[..len - 1].to_vec(), Defect::Foreign),
        (Vec::new(), Defect::Foreign),
        (pointer, Defect::Pointer),
        (index, Defect::Checksum),
    ];

    for (bytes, defect) in bad {
        written.put("000005.ldb", &bytes);
        let database = open(written.world()).unwrap();
        assert_eq!(damage(&database), [("000005.ldb", None, &defect)]);
        assert_eq!(chunks(&database).len(), 16);
    }

    written.remove("000005.ldb");
    let database = open(written.world()).unwrap();
    assert_eq!(
        (damage(&database), chunks(&database).len()),
        (vec![("000005.ldb", None, &Defect::Missing)], 16)
    );

    // A folder with the name of the table.
    std::fs::create_dir(written.world().join("db/000005.ldb")).unwrap();
    assert_eq!(
        damage(&open(written.world()).unwrap()),
        [("000005.ldb", None, &Defect::Foreign)]
    );
}

#[test]
fn a_cut_log_is_read_until_the_cut() {
    let (written, _) = sample();
    let log = written.read("000009.log");
    let mut before = 0;
    for len in 0..=log.len() {
        written.put("000009.log", &log[..len]);
        let database = open(written.world()).unwrap();
        assert!(database.damage().is_empty());
        let found = chunks(&database).len();
        assert!([24, 26, 28].contains(&found) && found >= before);
        before = found;
    }

    assert_eq!(before, 28);

    // The file system has allocated space in advance.
    written.put("000009.log", &[log, vec![0; 70_000]].concat());
    let database = open(written.world()).unwrap();
    assert_eq!((database.damage().len(), chunks(&database).len()), (0, 28));
    flip(&written, "000009.log", 10);

    let database = open(written.world()).unwrap();
    assert_eq!(
        damage(&database),
        [("000009.log", Some(0), &Defect::Checksum)]
    );
    assert_eq!(chunks(&database).len(), 24);
}

#[test]
fn without_a_list_all_files_count() {
    let (written, _) = sample();
    let whole = chunks(&open(written.world()).unwrap());
    let manifest = written.read("MANIFEST-000002");

    let check = |name: &str, defect: &Defect| {
        let database = open(written.world()).unwrap();
        assert_eq!(
            (damage(&database)[0].0, damage(&database)[0].2),
            (name, defect)
        );
        assert_eq!(chunks(&database), whole, "{name}");
    };

    flip(&written, "MANIFEST-000002", 9);
    check("MANIFEST-000002", &Defect::Checksum);
    written.put("MANIFEST-000002", &manifest[..40]);
    check("MANIFEST-000002", &Defect::CutShort);
    written.remove("MANIFEST-000002");
    check("MANIFEST-000002", &Defect::Missing);

    written.put("CURRENT", b"MANIFEST-../../x\n");
    check("CURRENT", &Defect::Foreign);
    written.put("CURRENT", b"");
    check("CURRENT", &Defect::Empty);
    written.remove("CURRENT");
    check("CURRENT", &Defect::Missing);
}

#[test]
fn an_unreadable_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(open(folder.path()), Err(OpenError::Missing)));
    std::fs::create_dir(folder.path().join("db")).unwrap();
    assert!(matches!(open(folder.path()), Err(OpenError::Unreadable(_))));

    let written = TestDatabase::new();
    assert!(chunks(&open(written.world()).unwrap()).is_empty());

    // An empty database without its list may have lost its tables.
    for (name, bytes) in [("CURRENT", &b""[..]), ("MANIFEST-000002", b"\0")] {
        let before = written.read(name);
        written.put(name, bytes);
        let Err(OpenError::Unreadable(error)) = open(written.world()) else {
            panic!("{name} is damaged")
        };
        assert!(error.to_string().starts_with(name), "{error}");
        written.put(name, &before);
    }

    // The list is readable, but every file that it names is missing.
    let mut gone = TestDatabase::new();
    gone.add_table(5, row(0, 0..1, 1), Compression::Deflate, 100);
    gone.remove("000005.ldb");
    assert_eq!(
        damage(&open(gone.world()).unwrap()),
        [("000005.ldb", None, &Defect::Missing)]
    );

    let secret = b"\x80\x1d\x30\x01".repeat(30);
    written.put("CURRENT", &secret);
    written.put("000005.ldb", &secret);
    written.put("000009.log", &secret);
    assert!(matches!(open(written.world()), Err(OpenError::Encrypted)));

    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for name in ["CURRENT", "000005.ldb", "000009.log"] {
        written.put(name, pointer);
    }

    let Err(OpenError::Pointer(path)) = open(written.world()) else {
        panic!("a pointer")
    };

    assert!(path.ends_with("CURRENT"));
}

#[test]
fn encrypted_files_are_found_next_to_plain_logs() {
    const MAGIC: &[u8] = b"\x80\x1d\x30\x01 and bytes that mean nothing to us";

    // Either the list of files or all tables are encrypted.
    for names in [
        &["CURRENT"][..],
        &["MANIFEST-000002"],
        &["000005.ldb", "000006.ldb"],
    ] {
        let (written, _) = sample();
        for name in names {
            written.put(name, MAGIC);
        }
        assert!(
            matches!(open(written.world()), Err(OpenError::Encrypted)),
            "{names:?}"
        );
    }

    // One encrypted table costs only its own chunks.
    let (written, _) = sample();
    written.put("000005.ldb", MAGIC);
    let database = open(written.world()).unwrap();
    assert_eq!(
        damage(&database),
        [("000005.ldb", None, &Defect::Encrypted)]
    );
    assert_eq!(chunks(&database).len(), 16);
}

#[test]
fn an_error_that_may_pass_is_not_damage() {
    // ESTALE and EMFILE may pass; EIO lasts.
    for (number, is_passing) in [(116, true), (24, true), (5, false)] {
        let (written, _) = sample();
        let folder = written.world().join("db");
        let mut opened = open_files(&Files::Disk, &folder, &[], || ()).unwrap();
        opened.tables[1].fail_reads(number);

        match ChunkIndex::new(&opened, &mut KnownTables::parse(&[]), 1, None) {
            Err(error) => assert!(
                is_passing && error.raw_os_error() == Some(number),
                "{error}"
            ),
            Ok(index) => assert!(
                !is_passing && index.damage.len() == 5,
                "{number} counts as damage"
            ),
        }
    }
}

#[test]
fn no_changed_byte_gives_other_values() {
    let (written, _) = sample();
    let whole = chunks(&open(written.world()).unwrap());
    let mut state: u64 = 1;
    for name in [
        "000005.ldb",
        "000006.ldb",
        "000009.log",
        "MANIFEST-000002",
        "CURRENT",
    ] {
        let bytes = written.read(name);
        for _ in 0..150 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (at, bit) = ((state >> 33) as usize % bytes.len(), 1 << (state >> 30 & 7));
            let mut changed = bytes.clone();
            changed[at] ^= bit;
            written.put(name, &changed);
            let Ok(database) = open(written.world()) else {
                panic!("{name} {at}")
            };

            let found = chunks(&database);
            let is_reported = !database.damage().is_empty();
            for (position, chunk) in &whole {
                match found.get(position) {
                    Some(Ok(values)) => assert_eq!(Ok(values), chunk.as_ref(), "{name} {at}"),
                    Some(Err(_)) => assert!(is_reported, "{name} {at}"),
                    // A length that exceeds the file looks like a file that was cut short, which
                    // logs and manifests do not report.
                    None => assert!(
                        is_reported || name.ends_with("log") || name.starts_with('M'),
                        "{name} {at}"
                    ),
                }
            }

            assert!(
                found.keys().all(|position| whole.contains_key(position)),
                "{name} {at}"
            );
        }

        written.put(name, &bytes);
    }
}
