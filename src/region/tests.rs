//! What the chunks of one region cost each other: nothing but the region's bound, in slot order.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::file::MAX_REGION;
use super::inflate::SHORT_CHUNK;
use super::*;
use crate::coord::{RegionPos, Slot};

/// A region file: each record with its compression and payload, and the slots that point to it.
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
    std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
    path
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn open(path: &Path) -> RegionFile {
    RegionFile::open(path, RegionPos { x: 0, z: 0 }).unwrap()
}

fn fault(file: &mut RegionFile, slot: Slot, inflater: &mut Inflater) -> Option<Fault> {
    file.chunk(slot, inflater).unwrap().err()
}

const INSIDE: Slot = Slot::at(5, 5);

#[test]
fn border_chunks_neither_count_nor_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let border: Vec<Slot> = Slot::all().filter(|s| [s.x(), s.z()].iter().any(|at| [0, 31].contains(at))).collect();
    assert_eq!(border.len(), 124);
    let mut slots = border.clone();
    slots.push(INSIDE);
    let (mut file, mut inflater) = (open(&region(folder.path(), &[(2, zlib(b"sound"), slots)])), Inflater::default());
    for &slot in &border {
        assert_eq!(&*file.chunk(slot, &mut inflater).unwrap().unwrap(), b"sound");
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
fn where_others_have_used_up_what_a_region_may_inflate_to_short_chunks_are_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (short, long, border) = (Slot::at(6, 5), Slot::at(7, 5), Slot::at(0, 5));
    for long_before in [false, true] {
        let too_long = zlib(&vec![0; SHORT_CHUNK + 1]);
        let path =
            region(folder.path(), &[(2, zlib(&vec![0; SHORT_CHUNK]), vec![short]), (2, too_long, vec![long, border])]);
        let (mut file, mut inflater) = (open(&path), Inflater::default());
        if long_before {
            // A buffer that has grown makes no room.
            assert_eq!(fault(&mut open(&path), long, &mut inflater), None);
        }
        file.inflated = MAX_REGION + 1;
        assert_eq!(fault(&mut file, long, &mut inflater), Some(Fault::RegionTooLarge));
        assert_eq!(fault(&mut file, short, &mut inflater), None);
        assert_eq!(fault(&mut file, border, &mut inflater), None, "border chunks are not refused, whatever the record");
    }
}

#[test]
fn a_failing_record_costs_what_it_was_given_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut damaged = zlib(&vec![0; 12 << 20]);
    *damaged.last_mut().unwrap() ^= 1;
    let again = Slot::at(6, 5);
    let path = region(folder.path(), &[(2, damaged, vec![INSIDE, again])]);
    // The second slot says another number of sectors: it is the same record all the same.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[again.index() * 4 + 3] += 1;
    std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    assert!(matches!(fault(&mut file, INSIDE, &mut inflater), Some(Fault::Inflate(_))));
    assert_eq!((file.inflated, file.compression()), (32 << 20, Some(2)));
    assert!(matches!(fault(&mut file, again, &mut inflater), Some(Fault::Inflate(_))));
    assert_eq!(file.inflated, 32 << 20, "it was tried again");
    assert_eq!(file.compression(), None, "nothing was read for this slot");
}

#[test]
fn a_slot_with_a_file_of_its_own_does_not_answer_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let slots = [Slot::at(1, 1), Slot::at(2, 1), Slot::at(3, 1)];
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), slots.to_vec())]);
    let put = |name: &str, bytes: &[u8]| {
        std::fs::File::create(folder.path().join(name)).unwrap().write_all(bytes).unwrap();
    };
    put("c.1.1.mcc", b"no zlib");
    put("c.3.1.mcc", &zlib(b"sound"));
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    assert!(matches!(fault(&mut file, slots[0], &mut inflater), Some(Fault::Inflate(_))));
    assert!(matches!(fault(&mut file, slots[1], &mut inflater), Some(Fault::MissingMcc(_))));
    assert_eq!(&*file.chunk(slots[2], &mut inflater).unwrap().unwrap(), b"sound");
}

#[test]
fn a_fault_of_the_system_keeps_what_the_system_said() {
    let fault = Fault::from(io::Error::from_raw_os_error(24));
    assert_eq!(fault.io_error().unwrap().1, Some(24));
    assert_eq!(Fault::from(io::Error::from(io::ErrorKind::TimedOut)).io_error(), Some((io::ErrorKind::TimedOut, None)));
    assert_eq!(Fault::TooLarge.io_error(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_its_own_that_cannot_be_opened_is_a_fault_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), vec![INSIDE])]);
    // A link to itself can be neither looked at nor opened, whoever asks.
    std::os::unix::fs::symlink("c.5.5.mcc", folder.path().join("c.5.5.mcc")).unwrap();
    let fault = fault(&mut open(&path), INSIDE, &mut Inflater::default()).unwrap();
    assert_eq!(fault.io_error().unwrap().1, Some(40), "{fault}");
}

#[test]
fn what_stands_in_the_place_of_a_file_of_its_own_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = region(folder.path(), &[(0x80 | 2, Vec::new(), vec![INSIDE])]);
    let own = folder.path().join("c.5.5.mcc");
    let said = || {
        let fault = fault(&mut open(&path), INSIDE, &mut Inflater::default()).unwrap();
        (fault.reason(), fault.to_string())
    };
    let named = |what: &str| ("missing_mcc", format!("its bytes should be in c.5.5.mcc, which is {what}"));
    assert_eq!(said(), named("not there"));
    std::fs::create_dir(&own).unwrap();
    assert_eq!(said(), named("a folder"));
    #[cfg(unix)]
    {
        std::fs::remove_dir(&own).unwrap();
        std::os::unix::fs::symlink("/dev/null", &own).unwrap();
        assert_eq!(said(), named("no regular file"));
    }
}

#[test]
fn a_hash_is_the_same_whether_or_not_the_chunk_is_inflated() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        (2, zlib(b"sound"), vec![Slot::at(0, 0), Slot::at(5, 5)]),
        (2, b"damaged".to_vec(), vec![Slot::at(1, 0), Slot::at(2, 0)]),
        (9, b"unknown".to_vec(), vec![Slot::at(3, 0)]),
        (2 | 128, Vec::new(), vec![Slot::at(4, 0), Slot::at(6, 0)]),
        (3, zlib(b"sound"), vec![Slot::at(7, 0)]),
    ];
    let path = region(folder.path(), &records);
    std::fs::File::create(folder.path().join("c.6.0.mcc")).unwrap().write_all(&zlib(b"sound")).unwrap();
    let (mut drawn, mut hashed, mut inflater) = (open(&path), open(&path), Inflater::default());
    for slot in Slot::all() {
        drop(drawn.chunk(slot, &mut inflater));
        assert_eq!(drawn.last_hash(), hashed.hash(slot, &mut inflater), "{slot:?}");
        assert_eq!(drawn.is_external(), hashed.is_external(), "{slot:?}");
    }
    let mut hash = |x, z| hashed.hash(Slot::at(x, z), &mut inflater);
    assert_eq!((hash(9, 9), hash(0, 0)), (NO_RECORD, hash(5, 5)));
    assert_eq!(hash(1, 0), hash(2, 0));
    let different = [hash(0, 0), hash(1, 0), hash(3, 0), hash(4, 0), hash(6, 0), hash(7, 0)];
    assert_eq!(different.iter().collect::<std::collections::BTreeSet<_>>().len(), different.len());
    assert!(hashed.external_stamp(Slot::at(4, 0)).is_none() && hashed.external_stamp(Slot::at(6, 0)).is_some());
}

#[test]
fn what_was_not_read_has_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    let long = vec![1; MAX_INFLATED];
    let path = region(folder.path(), &[(3, long, vec![INSIDE])]);
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    file.inflated = MAX_REGION + 1;
    assert_eq!(fault(&mut file, INSIDE, &mut inflater), Some(Fault::RegionTooLarge));
    assert_eq!(file.last_hash(), UNSETTLED);
}

#[test]
fn slots_that_share_a_long_record_get_it_in_their_order_whoever_asks_first() {
    let folder = tempfile::tempdir().unwrap();
    // Along the border, where nothing else bounds what is inflated.
    let slots: Vec<Slot> = (0..32).map(|x| Slot::at(x, 0)).collect();
    let long = zlib(&vec![0; 40 << 20]);
    let path = region(folder.path(), &[(2, long.clone(), slots.clone()), (2, long, vec![INSIDE])]);
    let allowed = MAX_SHARED / (40 << 20);
    let (mut forth, mut back, mut inflater) = (open(&path), open(&path), Inflater::default());
    for &slot in slots.iter().rev() {
        drop(back.chunk(slot, &mut inflater));
    }
    for (index, &slot) in slots.iter().enumerate() {
        let refused = (index >= allowed).then_some(Fault::SharedTooOften);
        assert_eq!(fault(&mut forth, slot, &mut inflater), refused, "{index}");
        let hash = forth.last_hash();
        assert_eq!(fault(&mut back, slot, &mut inflater), refused, "{index}");
        assert_eq!((back.last_hash(), forth.hash(slot, &mut inflater)), (hash, hash));
    }
    assert_eq!(fault(&mut forth, INSIDE, &mut inflater), None, "as long, and shared with nobody");
    assert_eq!(forth.inflated, 40 << 20);
}

#[test]
fn a_refused_record_is_not_inflated_for_each_slot() {
    let folder = tempfile::tempdir().unwrap();
    let path = region(folder.path(), &[(2, zlib(&vec![0; 12 << 20]), Slot::all().collect())]);
    let (mut file, mut inflater) = (open(&path), Inflater::default());
    let (mut sound, mut inflated) = (0, 0);
    for slot in Slot::all() {
        sound += usize::from(fault(&mut file, slot, &mut inflater).is_none());
        inflated += usize::from(file.was_read().is_some());
    }
    assert_eq!((sound, inflated), (MAX_SHARED / (12 << 20), sound + 1));
}
