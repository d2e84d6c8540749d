//! Tests of chunk files: their names, and reading them while a game writes them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::chunk_path::position;
use super::*;
use crate::bytes::{Fault, Inflater, NO_RECORD, Stamp, UNSTABLE};
use pixelmap_base::coord::{ChunkPos, RegionPos, Slot};
use pixelmap_base::files::Files;

const REGION: RegionPos = RegionPos { x: -1, z: 1 };
const SLOT: Slot = Slot::at(5, 6);

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(bytes).unwrap();
}

fn put(folder: &Path, slot: Slot, bytes: &[u8]) {
    write(&folder.join(path(REGION.chunk(slot))), bytes);
}

fn open(folder: &Path) -> ChunkFiles {
    ChunkFiles::open(&Files::Disk, folder, REGION).unwrap()
}

fn read(files: &mut ChunkFiles) -> Result<Vec<u8>, Fault> {
    let (mut inflater, mut other) = (Inflater::default(), Inflater::default());
    let hash = files.hash(SLOT, &mut other).hash;
    let record = files
        .read(SLOT, &mut inflater, |plain| plain.starts_with(b"chunk"))
        .unwrap();
    if files.before_read.is_none() {
        assert_eq!(record.stored.hash, hash);
    }

    record.plain.map(|plain| plain.to_vec())
}

#[test]
fn only_names_of_the_game_are_regions() {
    for (x, z, name) in [
        (0, 0, "0/0/c.0.0.dat"),
        (39, -13, "13/1f/c.13.-d.dat"),
        (-1, 64, "1r/0/c.-1.1s.dat"),
        (i32::MAX, i32::MIN, "1r/0/c.zik0zj.-zik0zk.dat"),
    ] {
        let chunk = ChunkPos { x, z };
        assert_eq!(path(chunk), name);
        assert_eq!(position(name.rsplit('/').next().unwrap()), Some(chunk));
    }

    for name in [
        "c.0.dat",
        "c.00.0.dat",
        "c.A.0.dat",
        "c.+1.0.dat",
        "c.-0.0.dat",
        "c.0.0.0.dat",
        "c.zik0zk.0.dat",
        "c.0.0",
    ] {
        assert_eq!(position(name), None, "{name}");
    }
}

#[test]
fn regions_are_listed_by_their_chunk_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "0/0/c.0.0.dat",
        "0/0/c.1s.0.dat",
        "1r/0/c.-1.0.dat",
        "1s/0/c.1s.0.dat",
        "0/1/c.0.2.dat",
        "0/1/c.0.1.txt",
    ] {
        write(&folder.path().join(name), b"12");
    }

    let listed = list(&Files::Disk, folder.path()).unwrap();
    assert_eq!(
        listed,
        [(-1, 2), (0, 2), (2, 2)].map(|(x, bytes)| (RegionPos { x, z: 0 }, bytes))
    );
    assert_eq!(
        list(&Files::Disk, &folder.path().join("missing")).unwrap(),
        []
    );
}

#[test]
fn a_chunk_is_read_from_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), SLOT, &gzip(b"chunk"));
    let mut files = open(folder.path());
    assert_eq!(read(&mut files).unwrap(), b"chunk");
    let other = Slot::at(6, 5);
    assert!(files.has(SLOT) && !files.has(other));
    assert!(
        files
            .read(other, &mut Inflater::default(), |_| true)
            .is_none()
    );
    assert_eq!(files.hash(other, &mut Inflater::default()).hash, NO_RECORD);
}

#[test]
fn damage_in_new_files_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b"no gzip"[..], &gzip(b"chunk")[..12], b""] {
        put(folder.path(), SLOT, bytes);
        assert!(
            matches!(read(&mut open(folder.path())), Err(Fault::Inflate(_))),
            "{bytes:?}"
        );
    }

    fs::remove_file(folder.path().join(path(REGION.chunk(SLOT)))).unwrap();
    fs::create_dir(folder.path().join(path(REGION.chunk(SLOT)))).unwrap();
    let mut files = open(folder.path());
    assert_eq!(files.hash(SLOT, &mut Inflater::default()).hash, UNSTABLE);
    assert!(matches!(read(&mut files), Err(Fault::Unreadable { .. })));
}

#[test]
fn replaced_or_half_written_files_are_reread() {
    let folder = tempfile::tempdir().unwrap();
    // The file is missing at every other reading, and the first reading is used for the hash.
    put(folder.path(), SLOT, &gzip(b"chunk"));

    let mut files = open(folder.path());
    files.before_read = Some(|path| {
        let other = path.with_extension("tmp");
        if path.exists() {
            fs::rename(path, other).unwrap();
        } else {
            fs::rename(other, path).unwrap();
        }
    });

    assert_eq!(read(&mut files).unwrap(), b"chunk");
    files.before_read = Some(|path| drop(fs::remove_file(path)));
    assert_eq!(read(&mut files), Err(Fault::Torn));

    // The file grows while it is read.
    put(folder.path(), SLOT, &gzip(b"chunk of some length")[..8]);

    let mut files = open(folder.path());
    files.before_read = Some(|path| {
        let len = path.metadata().unwrap().len() as usize;
        write(
            path,
            gzip(b"chunk of some length")
                .get(..len + 8)
                .unwrap_or(&gzip(b"chunk of some length")),
        );
    });

    assert_eq!(read(&mut files).unwrap(), b"chunk of some length");
}

#[test]
fn a_briefly_missing_file_is_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(path(REGION.chunk(SLOT)));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let game = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        write(&path, b"replaced");
        sender.send(()).unwrap();
    });

    let files = ChunkFiles::open_filled(&Files::Disk, folder.path(), REGION).unwrap();
    let is_written = receiver.try_recv().is_ok();
    assert!(files.has(SLOT) || !is_written);
    game.unwrap().join().unwrap();
}

#[test]
fn the_stamp_covers_all_chunk_files() {
    let folder = tempfile::tempdir().unwrap();

    let mut seen: Vec<Stamp> = Vec::new();
    let mut changed = |stamp: Stamp| {
        assert!(!seen.contains(&stamp));
        seen.push(stamp);
    };

    changed(open(folder.path()).stamp());
    put(folder.path(), SLOT, b"a");
    changed(open(folder.path()).stamp());
    assert_eq!(open(folder.path()).stamp(), open(folder.path()).stamp());
    put(folder.path(), Slot::at(31, 31), b"a");

    changed(open(folder.path()).stamp());
    put(folder.path(), SLOT, b"b");
    changed(open(folder.path()).stamp());
    fs::remove_file(folder.path().join(path(REGION.chunk(SLOT)))).unwrap();
    changed(open(folder.path()).stamp());
}
