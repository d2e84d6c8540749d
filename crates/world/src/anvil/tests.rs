//! Tests that the chunks of one region affect each other only through the region's budget, in slot
//! order.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::*;
use crate::bytes::{
    ChunkRecord, ChunkStorage, Fault, Inflater, MAX_INFLATED, MAX_REGION, NO_RECORD, SHORT_CHUNK,
    UNSTABLE,
};
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

/// Writes a region file. Each record has a compression, a payload, and the slots that refer to it.
fn region(folder: &Path, records: &[(u8, Vec<u8>, Vec<Slot>)]) -> PathBuf {
    let mut bytes = vec![0; 8192];
    for (compression, payload, slots) in records {
        let sector = (bytes.len() / 4096) as u32;
        bytes.extend((payload.len() as u32 + 1).to_be_bytes());
        bytes.push(*compression);
        bytes.extend(payload);
        bytes.resize(bytes.len().next_multiple_of(4096), 0);

        let count = (bytes.len() as u32 / 4096 - sector).min(255);
        for slot in slots {
            bytes[slot.index() * 4..][..4].copy_from_slice(&(sector << 8 | count).to_be_bytes());
        }
    }

    let path = folder.join("r.0.0.mca");
    std::fs::File::create(&path)
        .unwrap()
        .write_all(&bytes)
        .unwrap();

    path
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn open(path: &Path) -> RegionFile {
    RegionFile::open(&Files::Disk, path, RegionPos { x: 0, z: 0 }).unwrap()
}

fn fault(file: &mut RegionFile, slot: Slot, inflater: &mut Inflater) -> Option<Fault> {
    read(file, slot, inflater).plain.err()
}

fn read<'a>(file: &mut RegionFile, slot: Slot, inflater: &'a mut Inflater) -> ChunkRecord<'a> {
    file.read(slot, inflater, |_| true).unwrap()
}

const INSIDE: Slot = Slot::at(5, 5);

#[test]
fn border_chunks_neither_count_nor_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let border: Vec<Slot> = Slot::all()
        .filter(|s| [s.x(), s.z()].iter().any(|at| [0, 31].contains(at)))
        .collect();
    assert_eq!(border.len(), 124);

    let mut slots = border.clone();
    slots.push(INSIDE);
    let (mut file, mut inflater) = (
        open(&region(folder.path(), &[(2, zlib(b"sound"), slots)])),
        Inflater::default(),
    );

    for &slot in &border {
        assert_eq!(
            &*read(&mut file, slot, &mut inflater).plain.unwrap(),
            b"sound"
        );
    }

    assert_eq!(file.inflated, 0);
    assert_eq!(fault(&mut file, INSIDE, &mut inflater), None);
    assert!(file.inflated > 0);
    file.inflated = MAX_REGION + 1;

    for slot in border {
        assert_eq!(fault(&mut file, slot, &mut inflater), None);
    }
}

#[test]
fn short_chunks_are_read_after_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let (short, long, border) = (Slot::at(6, 5), Slot::at(7, 5), Slot::at(0, 5));
    for long_before in [false, true] {
        let too_long = zlib(&vec![0; SHORT_CHUNK + 1]);
        let path = region(
            folder.path(),
            &[
                (2, zlib(&vec![0; SHORT_CHUNK]), vec![short]),
                (2, too_long, vec![long, border]),
            ],
        );

        let (mut file, mut inflater) = (open(&path), Inflater::default());
        if long_before {
            // A buffer that has already grown must not raise the limit.
            assert_eq!(fault(&mut open(&path), long, &mut inflater), None);
        }

        file.inflated = MAX_REGION + 1;
        assert_eq!(
            fault(&mut file, long, &mut inflater),
            Some(Fault::RegionTooLarge)
        );
        assert_eq!(fault(&mut file, short, &mut inflater), None);
        assert_eq!(
            fault(&mut file, border, &mut inflater),
            None,
            "border chunks are not refused, whatever the record"
        );
    }
}

#[test]
fn a_failing_record_costs_only_its_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut damaged = zlib(&vec![0; 12 << 20]);
    *damaged.last_mut().unwrap() ^= 1;
    let again = Slot::at(6, 5);
    let path = region(folder.path(), &[(2, damaged, vec![INSIDE, again])]);

    // The second slot refers to the same record, although with a different number of sectors.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[again.index() * 4 + 3] += 1;
    std::fs::File::create(&path)
        .unwrap()
        .write_all(&bytes)
        .unwrap();

    let (mut file, mut inflater) = (open(&path), Inflater::default());
    assert!(matches!(
        fault(&mut file, INSIDE, &mut inflater),
        Some(Fault::Inflate(_))
    ));
    assert_eq!(file.inflated, 32 << 20);

    let ChunkRecord { plain, stored, .. } = read(&mut file, again, &mut inflater);
    assert!(matches!(plain, Err(Fault::Inflate(_))));
    assert_eq!(stored.compression, None, "nothing was read for this slot");
    assert_eq!(file.inflated, 32 << 20, "it was tried again");
}

#[test]
fn faults_of_mcc_files_stay_with_their_slot() {
    let folder = tempfile::tempdir().unwrap();
    let slots = [Slot::at(1, 1), Slot::at(2, 1), Slot::at(3, 1)];
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), slots.to_vec())]);
    let put = |name: &str, bytes: &[u8]| {
        std::fs::File::create(folder.path().join(name))
            .unwrap()
            .write_all(bytes)
            .unwrap();
    };

    put("c.1.1.mcc", b"no zlib");
    put("c.3.1.mcc", &zlib(b"sound"));
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    assert!(matches!(
        fault(&mut file, slots[0], &mut inflater),
        Some(Fault::Inflate(_))
    ));

    assert!(matches!(
        fault(&mut file, slots[1], &mut inflater),
        Some(Fault::MissingMcc(_))
    ));
    assert_eq!(
        &*read(&mut file, slots[2], &mut inflater).plain.unwrap(),
        b"sound"
    );
}

#[test]
fn a_fault_of_the_system_keeps_its_error() {
    let fault = Fault::from(io::Error::from_raw_os_error(24));
    assert_eq!(fault.io_error().unwrap().1, Some(24));
    assert_eq!(
        Fault::from(io::Error::from(io::ErrorKind::TimedOut)).io_error(),
        Some((io::ErrorKind::TimedOut, None))
    );
    assert_eq!(Fault::TooLarge.io_error(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_mcc_file_is_a_system_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), vec![INSIDE])]);
    // No user can open a link to itself.
    std::os::unix::fs::symlink("c.5.5.mcc", folder.path().join("c.5.5.mcc")).unwrap();
    let fault = fault(&mut open(&path), INSIDE, &mut Inflater::default()).unwrap();
    assert_eq!(fault.io_error().unwrap().1, Some(40), "{fault}");
}

#[test]
fn a_missing_or_wrong_mcc_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), vec![INSIDE])]);
    let own = folder.path().join("c.5.5.mcc");

    let said = || {
        let fault = fault(&mut open(&path), INSIDE, &mut Inflater::default()).unwrap();
        (fault.word(), fault.to_string())
    };

    let named = |what: &str| {
        (
            "missing_mcc",
            format!("its bytes should be in c.5.5.mcc, which is {what}"),
        )
    };

    assert_eq!(said(), named("not there"));
    std::fs::create_dir(&own).unwrap();
    assert_eq!(said(), named("a folder"));

    #[cfg(unix)]
    {
        std::fs::remove_dir(&own).unwrap();
        std::os::unix::fs::symlink("/dev/null", &own).unwrap();
        assert_eq!(said(), named("not a regular file"));
    }
}

#[test]
fn a_hash_does_not_depend_on_inflating() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        (2, zlib(b"sound"), vec![Slot::at(0, 0), Slot::at(5, 5)]),
        (2, b"damaged".to_vec(), vec![Slot::at(1, 0), Slot::at(2, 0)]),
        (9, b"unknown".to_vec(), vec![Slot::at(3, 0)]),
        (2 | 128, Vec::new(), vec![Slot::at(4, 0), Slot::at(6, 0)]),
        (3, zlib(b"sound"), vec![Slot::at(7, 0)]),
    ];

    let path = region(folder.path(), &records);
    std::fs::File::create(folder.path().join("c.6.0.mcc"))
        .unwrap()
        .write_all(&zlib(b"sound"))
        .unwrap();

    let (mut drawn, mut hashed, mut inflater) = (open(&path), open(&path), Inflater::default());
    for slot in Slot::all() {
        let stored = drawn
            .read(slot, &mut inflater, |_| true)
            .map_or(ChunkStorage::NOTHING, |record| record.stored);
        let again = hashed.hash(slot, &mut inflater);
        assert_eq!(
            (stored.hash, stored.is_external),
            (again.hash, again.is_external),
            "{slot:?}"
        );
    }

    let mut hash = |x, z| hashed.hash(Slot::at(x, z), &mut inflater).hash;
    assert_eq!((hash(9, 9), hash(0, 0)), (NO_RECORD, hash(5, 5)));
    assert_eq!(hash(1, 0), hash(2, 0));

    let different = [
        hash(0, 0),
        hash(1, 0),
        hash(3, 0),
        hash(4, 0),
        hash(6, 0),
        hash(7, 0),
    ];

    assert_eq!(
        different
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        different.len()
    );

    assert!(
        hashed.external_stamp(Slot::at(4, 0)).is_none()
            && hashed.external_stamp(Slot::at(6, 0)).is_some()
    );
}

#[test]
fn unread_chunks_have_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    let long = vec![1; MAX_INFLATED];
    let path = region(folder.path(), &[(3, long, vec![INSIDE])]);
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    file.inflated = MAX_REGION + 1;
    let ChunkRecord { plain, stored, .. } = read(&mut file, INSIDE, &mut inflater);
    assert_eq!(plain.unwrap_err(), Fault::RegionTooLarge);
    assert_eq!(stored.hash, UNSTABLE);
}
