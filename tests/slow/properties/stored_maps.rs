//! Promises for the files that a map keeps about itself: manifest, records and journal.

use std::io::{Seek as _, Write as _};
use std::time::Duration;

use pixelmap_base::coord::TilePos;
use pixelmap_draw::tiles::record::{
    facts_bytes, native_bytes, parent_bytes, parse_facts, parse_native, parse_parent, parse_source,
};
use pixelmap_map::atlas::{Manifest, ManifestLines, Scheme};
use pixelmap_map::store::compact;
use pixelmap_map::store::{Commit, CompletedLayers, Identity, Journal, LayerKey, Output};

use super::{put, scratch};

/// A manifest: writing and reading an accepted one again gives the same manifest.
pub fn manifest(bytes: &[u8]) {
    for scheme in [Scheme::Signed, Scheme::Xyz, Scheme::Tms] {
        let read = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            Manifest {
                tiles: ManifestLines::new(file, scheme)
                    .filter_map(Result::ok)
                    .collect(),
            }
        };

        let manifest = read(bytes);
        let mut text = Vec::new();
        manifest.write(scheme, &mut text).unwrap();
        assert_eq!(read(&text), manifest);
    }
}

/// The facts of a region, or the record of a tile: writing and reading accepted ones gives the same
/// facts or record.
pub fn region_record(bytes: &[u8]) {
    if let Some(facts) = parse_facts(bytes) {
        assert_eq!(parse_source(bytes).as_ref(), Some(&facts.source));
        assert_eq!(parse_facts(&facts_bytes(&facts)), Some(facts));
    }
    if let Some(record) = parse_native(bytes) {
        assert_eq!(parse_native(&native_bytes(&record)), Some(record));
    }
    if let Some(record) = parse_parent(bytes) {
        assert_eq!(parse_parent(&parent_bytes(&record)), Some(record));
    }
}

/// The layer whose entries the tests read.
pub const LAYER: LayerKey = LayerKey {
    layer: 1,
    options: 2,
};

fn output() -> Output {
    let world = Identity {
        name: "w".to_owned(),
        spawn: None,
        path: scratch("world"),
    };
    let open = || Output::open(&scratch("map"), &world, &[]);

    // Between its fork and its start, a program that another test starts also holds the lock.
    let mut opened = open();
    for _ in 0..100 {
        if opened.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
        opened = open();
    }

    opened.unwrap()
}

/// A tile of the fuzzed map. It may be missing there.
const TILE: TilePos = TilePos {
    zoom: 17,
    x: -3,
    y: 4,
};

/// A journal: however damaged it is, an entry that is added to it survives a compaction.
pub fn journal(bytes: &[u8]) {
    let output = output();
    let folder = output.root().join(".pixelmap");
    put(&folder.join("journal"), bytes);
    let journal = Journal::open(&output, vec![LAYER]).unwrap();
    let count = journal.count();
    journal.add(0, TILE, b"new").unwrap();
    drop(journal);

    let mut commit = Commit::new(&output);
    let finished = CompletedLayers {
        layers: &[LAYER],
        stays: &|_, _| true,
        is_published: &|_, _| false,
    };
    let compacted = compact(&output, &finished, &mut commit).unwrap();
    assert!(compacted.strays.contains(&(0, TILE)));
    commit.carry_out().unwrap();

    let journal = Journal::open(&output, vec![LAYER]).unwrap();
    assert!(journal.count() <= count + 1);
    assert_eq!(
        journal
            .find(0, TILE, <[u8]>::to_vec)
            .unwrap()
            .map(|known| known.value),
        Some(b"new".to_vec())
    );
}
