//! Tests of region files that are written while they are read: what is written comes between two reads of the file.

use std::fs::{File, FileTimes};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::inflate::UNCOMPRESSED;
use super::*;
use crate::coord::{RegionPos, Slot};

const SLOT: Slot = Slot::at(5, 5);
const OTHER: Slot = Slot::at(6, 5);

/// A region file of one record a sector, and where the header says they are.
#[derive(Clone)]
struct Layout {
    slots: Vec<(Slot, u32)>,
    records: Vec<(u8, Vec<u8>)>,
}

impl Layout {
    /// Records of plain bytes, from the third sector on.
    fn of(slots: &[(Slot, u32)], records: &[&[u8]]) -> Self {
        let records = records.iter().map(|plain| (UNCOMPRESSED, plain.to_vec())).collect();
        Self { slots: slots.to_vec(), records }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 8192];
        for (slot, sector) in &self.slots {
            bytes[slot.index() * 4..][..4].copy_from_slice(&(sector << 8 | 1).to_be_bytes());
        }
        for (compression, payload) in &self.records {
            bytes.extend((payload.len() as u32 + 1).to_be_bytes());
            bytes.push(*compression);
            bytes.extend(payload);
            bytes.resize(bytes.len().next_multiple_of(4096), 0);
        }
        bytes
    }
}

/// Writes over the bytes of a file, which stays the same one, and as long as it was if it was longer.
fn write_over(path: &Path, bytes: &[u8]) {
    File::options().write(true).create(true).truncate(false).open(path).unwrap().write_all(bytes).unwrap();
}

/// A region file that nobody has touched for an hour, as far as one can tell, and of which `happens` hears before each read
/// of it: the path, and how many reads there were before.
fn opened(
    folder: &Path,
    layout: &Layout,
    happens: impl Fn(&Path, usize) + Send + 'static,
) -> (RegionFile, Arc<AtomicUsize>) {
    let path = folder.join("r.0.0.mca");
    write_over(&path, &layout.bytes());
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    File::options().write(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(hour_ago)).unwrap();
    let mut file = RegionFile::open(&path, RegionPos { x: 0, z: 0 }).unwrap();
    // The time of its last change cannot be set.
    file.disk.live = false;
    let reads = Arc::new(AtomicUsize::new(0));
    let count = reads.clone();
    file.before_reads(move || happens(&path, count.fetch_add(1, Ordering::Relaxed)));
    (file, reads)
}

fn read(file: &mut RegionFile, slot: Slot) -> Option<Result<Vec<u8>, Fault>> {
    file.chunk(slot, &mut Inflater::default()).map(|read| read.map(|plain| plain.to_vec()))
}

#[test]
fn a_record_of_a_file_that_nobody_touches_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, reads) = opened(folder.path(), &Layout::of(&[(SLOT, 2)], &[b"old"]), |_, _| ());
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"old");
    assert_eq!((reads.load(Ordering::Relaxed), file.is_live()), (1, false));
    assert!(read(&mut file, OTHER).is_none());
    assert_eq!(reads.load(Ordering::Relaxed), 1, "nothing is stored there");
}

#[test]
fn a_record_that_was_moved_is_read_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let before = Layout::of(&[(SLOT, 2), (OTHER, 3)], &[b"old", b"other"]);
    // What was the one's sector is the other's.
    let after = Layout::of(&[(SLOT, 4), (OTHER, 2)], &[b"other, saved", b"other", b"new"]);
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            write_over(path, &after.bytes());
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"new");
    assert!(file.is_live());
    assert_eq!(read(&mut file, OTHER).unwrap().unwrap(), b"other, saved");
}

#[test]
fn a_record_that_was_moved_to_behind_the_end_is_read_there() {
    let folder = tempfile::tempdir().unwrap();
    let after = Layout::of(&[(SLOT, 4)], &[b"old", b"", b"new"]);
    let (mut file, _) = opened(folder.path(), &Layout::of(&[(SLOT, 2)], &[b"old"]), move |path, reads| {
        if reads == 0 {
            // The record first, as a game does, and the header after it.
            let bytes = after.bytes();
            write_over(path, &[&Layout::of(&[(SLOT, 2)], &[]).bytes(), &bytes[8192..]].concat());
            write_over(path, &bytes);
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"new");
}

#[test]
fn a_record_that_was_written_over_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let before = Layout::of(&[(SLOT, 2)], &[b"AAAA"]);
    // Neither the length nor the header tells.
    let states: [&[u8]; 4] = [b"BAAA", b"BBAA", b"BBBA", b"BBBB"];
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads < 4 {
            write_over(path, &Layout::of(&[(SLOT, 2)], &[states[reads]]).bytes());
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"BBBB");
}

#[test]
fn a_record_that_never_stands_still_is_torn_and_has_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    let before = Layout::of(&[(SLOT, 2)], &[b"0"]);
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        write_over(path, &Layout::of(&[(SLOT, 2)], &[reads.to_string().as_bytes()]).bytes());
    });
    assert_eq!(read(&mut file, SLOT), Some(Err(Fault::Torn)));
    assert_eq!((file.last_hash(), Fault::Torn.reason()), (UNSETTLED, "torn"));
    assert_eq!(file.hash(SLOT, &mut Inflater::default()), UNSETTLED);
}

#[test]
fn a_chunk_does_not_vanish_while_its_file_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let before = Layout::of(&[(SLOT, 2)], &[b"old"]);
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            File::create(path).unwrap();
        }
    });
    assert_eq!(read(&mut file, SLOT), Some(Err(Fault::OutOfFile)), "an empty slot would be drawn blank");
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            write_over(path, &Layout::of(&[], &[b"old"]).bytes());
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"old");
}

#[test]
fn a_fault_is_forgotten_when_the_record_is_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut torn = Layout::of(&[(SLOT, 2)], &[]);
    torn.records = vec![(2, b"no zlib".to_vec())];
    let (mut file, _) = opened(folder.path(), &torn, |_, _| ());
    assert!(matches!(read(&mut file, SLOT), Some(Err(Fault::Inflate(_)))));
    assert!(file.stands_still(SLOT, &mut Inflater::default()));
    write_over(&folder.path().join("r.0.0.mca"), &Layout::of(&[(SLOT, 2)], &[b"sound"]).bytes());
    assert!(matches!(read(&mut file, SLOT), Some(Err(Fault::Inflate(_)))), "a record that failed is not read again");
    assert!(file.is_live() && !file.stands_still(SLOT, &mut Inflater::default()));
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"sound");
}

/// A region whose chunk is in a file of its own.
fn external(folder: &Path, happens: impl Fn(&Path, usize) + Send + 'static) -> (RegionFile, PathBuf) {
    let mut layout = Layout::of(&[(SLOT, 2)], &[]);
    layout.records = vec![(0x80 | UNCOMPRESSED, Vec::new())];
    let own = folder.join("c.5.5.mcc");
    write_over(&own, b"old");
    (opened(folder, &layout, happens).0, own)
}

#[test]
fn a_chunk_in_a_file_of_its_own_is_read_until_that_stands_still() {
    for by_rename in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, own) = external(folder.path(), move |region, reads| {
            let put = |bytes: &[u8]| {
                let (own, fresh) = (region.with_file_name("c.5.5.mcc"), region.with_file_name("fresh"));
                write_over(if by_rename { &fresh } else { &own }, bytes);
                if by_rename {
                    std::fs::rename(fresh, own).unwrap();
                }
            };
            match reads {
                1 => put(b"torn"),
                2 => put(b"new!"),
                _ => {}
            }
        });
        assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"new!", "by rename: {by_rename}");
        assert!(file.is_live() && file.is_external());
        std::fs::remove_file(own).unwrap();
        assert!(matches!(read(&mut file, SLOT), Some(Err(Fault::MissingMcc(_)))));
    }
}

#[test]
fn a_chunk_that_comes_back_from_a_file_of_its_own_is_read_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let after = Layout::of(&[(SLOT, 3)], &[b"", b"small again"]);
    let (mut file, _) = external(folder.path(), move |path, reads| {
        if reads == 0 {
            write_over(path, &after.bytes()[..8192]);
            let bytes = after.bytes();
            let mut region = File::options().write(true).open(path).unwrap();
            region.seek(SeekFrom::Start(3 * 4096)).unwrap();
            region.write_all(&bytes[3 * 4096..]).unwrap();
            std::fs::remove_file(path.with_file_name("c.5.5.mcc")).unwrap();
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"small again");
    assert!(!file.is_external());
}

#[test]
fn the_state_of_a_file_changes_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::of(&[(SLOT, 2)], &[b"old"]);
    let (file, _) = opened(folder.path(), &layout, |_, _| ());
    let (again, path) =
        (|path: &Path| RegionFile::open(path, RegionPos { x: 0, z: 0 }).unwrap(), folder.path().join("r.0.0.mca"));
    assert_eq!(file.state(), again(&path).state());
    write_over(&path, &Layout::of(&[(SLOT, 3)], &[b"", b"new"]).bytes());
    assert_ne!(file.state(), again(&path).state());
}

#[test]
fn a_record_without_a_checksum_is_not_read_while_it_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let layout = |byte: u8| Layout::of(&[(SLOT, 2)], &[&[byte; 3000]]);
    let new = layout(2).bytes();
    // The second half comes some milliseconds after the first: an age for whoever reads.
    let (mut file, _) = opened(folder.path(), &layout(1), move |path, reads| {
        if reads == 0 {
            let (path, new) = (path.to_owned(), new.clone());
            write_over(&path, &new[..10_000]);
            std::thread::Builder::new()
                .spawn(move || {
                    std::thread::sleep(Duration::from_millis(8));
                    write_over(&path, &new);
                })
                .unwrap();
        }
    });
    let read = read(&mut file, SLOT).unwrap();
    assert!(read == Ok(vec![2; 3000]) || read == Err(Fault::Torn), "a mixture: {:?}", read.map(|plain| plain[2999]));
}

#[test]
fn a_file_of_its_own_without_a_checksum_is_not_read_while_it_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, own) = external(folder.path(), |region, reads| {
        if reads == 0 {
            let own = region.with_file_name("c.5.5.mcc");
            let put = |end: usize| {
                let mut bytes = vec![2; end];
                bytes.resize(3000, 1);
                write_over(&own, &bytes);
            };
            put(1500);
            let own = own.clone();
            std::thread::Builder::new()
                .spawn(move || {
                    std::thread::sleep(Duration::from_millis(8));
                    write_over(&own, &[2; 3000]);
                })
                .unwrap();
        }
    });
    write_over(&own, &[1; 3000]);
    // The region file itself rests.
    std::thread::sleep(Duration::from_millis(40));
    let read = read(&mut file, SLOT).unwrap();
    assert!(read == Ok(vec![2; 3000]) || read == Err(Fault::Torn), "a mixture: {:?}", read.map(|plain| plain[2999]));
}

#[test]
fn a_file_that_was_emptied_a_moment_ago_may_be_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.0.0.mca");
    let is_emptied = |within: Duration| RegionFile::open(&path, RegionPos { x: 0, z: 0 }).unwrap().is_emptied(within);
    let hour = Duration::from_hours(1);
    for len in [0, 100, 8192, 9000] {
        std::fs::remove_file(&path).ok();
        write_over(&path, &vec![0; len]);
        assert!(is_emptied(hour), "{len} bytes");
        assert!(!is_emptied(Duration::ZERO), "{len} bytes, and it rests");
    }
    write_over(&path, &Layout::of(&[(SLOT, 2)], &[b"old"]).bytes());
    assert!(!is_emptied(hour));
}
