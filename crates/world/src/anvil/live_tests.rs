//! Tests of region files that another program writes between two reads.

use std::fs::{File, FileTimes};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use crate::bytes::{
    ChunkRecord, Fault, Inflater, LONG_REST, REST, UNCOMPRESSED, UNSTABLE, lz4_stream,
};
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

const SLOT: Slot = Slot::at(5, 5);
const OTHER: Slot = Slot::at(6, 5);

/// A region file of one record per sector, and the sectors in its header.
#[derive(Clone)]
struct RecordLayout {
    slots: Vec<(Slot, u32)>,
    records: Vec<(u8, Vec<u8>)>,
}

impl RecordLayout {
    /// Makes records of plain bytes, from the third sector on.
    fn new(slots: &[(Slot, u32)], records: &[&[u8]]) -> Self {
        let records = records
            .iter()
            .map(|plain| (UNCOMPRESSED, plain.to_vec()))
            .collect();
        Self {
            slots: slots.to_vec(),
            records,
        }
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

/// Overwrites the start of a file in place, without making it shorter.
fn write_over(path: &Path, bytes: &[u8]) {
    File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .unwrap()
        .write_all(bytes)
        .unwrap();
}

/// Opens a region file that seems untouched for an hour. `happens` is called before each read with
/// the path and the number of earlier reads. Returns the file and the counter of its reads.
fn opened(
    folder: &Path,
    layout: &RecordLayout,
    happens: impl Fn(&Path, usize) + Send + 'static,
) -> (RegionFile, Arc<AtomicUsize>) {
    let path = folder.join("r.0.0.mca");
    write_over(&path, &layout.bytes());

    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_times(FileTimes::new().set_modified(hour_ago))
        .unwrap();
    let mut file = RegionFile::open(&Files::Disk, &path, RegionPos { x: 0, z: 0 }).unwrap();

    // The change time cannot be set, so the file would count as touched.
    file.disk.live = false;
    let reads = Arc::new(AtomicUsize::new(0));
    let count = reads.clone();
    file.before_reads(move || happens(&path, count.fetch_add(1, Ordering::Relaxed)));

    (file, reads)
}

fn read(file: &mut RegionFile, slot: Slot) -> Option<Result<Vec<u8>, Fault>> {
    file.read(slot, &mut Inflater::default(), |_| true)
        .map(|record| record.plain.map(|plain| plain.to_vec()))
}

#[test]
fn records_of_resting_files_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, reads) = opened(
        folder.path(),
        &RecordLayout::new(&[(SLOT, 2)], &[b"old"]),
        |_, _| (),
    );

    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"old");
    assert_eq!(
        (reads.load(Ordering::Relaxed), file.disk.is_live()),
        (1, false)
    );
    assert!(read(&mut file, OTHER).is_none());
    assert_eq!(reads.load(Ordering::Relaxed), 1, "nothing is stored there");
}

#[test]
fn moved_records_are_read_at_their_new_position() {
    let folder = tempfile::tempdir().unwrap();
    let before = RecordLayout::new(&[(SLOT, 2), (OTHER, 3)], &[b"old", b"other"]);

    // The sector of the first record now has the second record.
    let after = RecordLayout::new(
        &[(SLOT, 4), (OTHER, 2)],
        &[b"other, saved", b"other", b"new"],
    );

    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            write_over(path, &after.bytes());
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"new");
    assert!(file.disk.is_live());
    assert_eq!(read(&mut file, OTHER).unwrap().unwrap(), b"other, saved");
}

#[test]
fn records_moved_past_the_end_are_read() {
    let folder = tempfile::tempdir().unwrap();

    let after = RecordLayout::new(&[(SLOT, 4)], &[b"old", b"", b"new"]);
    let (mut file, _) = opened(
        folder.path(),
        &RecordLayout::new(&[(SLOT, 2)], &[b"old"]),
        move |path, reads| {
            if reads == 0 {
                // A game writes the record first, and then the header.
                let bytes = after.bytes();
                write_over(
                    path,
                    &[
                        &RecordLayout::new(&[(SLOT, 2)], &[]).bytes(),
                        &bytes[8192..],
                    ]
                    .concat(),
                );
                write_over(path, &bytes);
            }
        },
    );
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"new");
}

#[test]
fn overwritten_records_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let before = RecordLayout::new(&[(SLOT, 2)], &[b"AAAA"]);

    // Neither the file's length nor its header changes.
    let states: [&[u8]; 4] = [b"BAAA", b"BBAA", b"BBBA", b"BBBB"];
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads < 4 {
            write_over(
                path,
                &RecordLayout::new(&[(SLOT, 2)], &[states[reads]]).bytes(),
            );
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"BBBB");
}

#[test]
fn a_constantly_changing_record_is_torn() {
    let folder = tempfile::tempdir().unwrap();
    let before = RecordLayout::new(&[(SLOT, 2)], &[b"0"]);
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        write_over(
            path,
            &RecordLayout::new(&[(SLOT, 2)], &[reads.to_string().as_bytes()]).bytes(),
        );
    });

    let mut inflater = Inflater::default();
    let ChunkRecord { plain, stored, .. } = file.read(SLOT, &mut inflater, |_| true).unwrap();
    assert_eq!((plain.unwrap_err().word(), stored.hash), ("torn", UNSTABLE));
    assert_eq!(file.hash(SLOT, &mut inflater).hash, UNSTABLE);
    assert!(file.waited.0 <= Duration::from_millis(200));
}

#[test]
fn no_chunk_vanishes_while_its_file_is_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let before = RecordLayout::new(&[(SLOT, 2)], &[b"old"]);
    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            File::create(path).unwrap();
        }
    });

    assert_eq!(
        read(&mut file, SLOT),
        Some(Err(Fault::OutOfFile)),
        "an empty slot would be drawn blank"
    );

    let (mut file, _) = opened(folder.path(), &before, move |path, reads| {
        if reads == 0 {
            write_over(path, &RecordLayout::new(&[], &[b"old"]).bytes());
        }
    });
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"old");
}

#[test]
fn a_new_record_clears_the_old_fault() {
    let folder = tempfile::tempdir().unwrap();
    let mut torn = RecordLayout::new(&[(SLOT, 2)], &[]);
    torn.records = vec![(2, b"no zlib".to_vec())];
    let (mut file, reads) = opened(folder.path(), &torn, |_, _| ());
    assert!(matches!(
        read(&mut file, SLOT),
        Some(Err(Fault::Inflate(_)))
    ));

    let before = reads.load(Ordering::Relaxed);
    assert!(matches!(
        read(&mut file, SLOT),
        Some(Err(Fault::Inflate(_)))
    ));

    assert_eq!(
        reads.load(Ordering::Relaxed),
        before,
        "a record that failed is not read again"
    );

    write_over(
        &folder.path().join("r.0.0.mca"),
        &RecordLayout::new(&[(SLOT, 2)], &[b"sound"]).bytes(),
    );
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"sound");
}

/// Opens a region whose chunk is in an external file.
fn external(
    folder: &Path,
    happens: impl Fn(&Path, usize) + Send + 'static,
) -> (RegionFile, PathBuf) {
    let mut layout = RecordLayout::new(&[(SLOT, 2)], &[]);
    layout.records = vec![(0x80 | UNCOMPRESSED, Vec::new())];
    let own = folder.join("c.5.5.mcc");
    write_over(&own, b"old");
    (opened(folder, &layout, happens).0, own)
}

#[test]
fn an_mcc_file_is_read_until_it_rests() {
    for by_rename in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, own) = external(folder.path(), move |region, reads| {
            let put = |bytes: &[u8]| {
                let (own, fresh) = (
                    region.with_file_name("c.5.5.mcc"),
                    region.with_file_name("fresh"),
                );
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

        let mut inflater = Inflater::default();
        let ChunkRecord { plain, stored, .. } = file.read(SLOT, &mut inflater, |_| true).unwrap();
        assert_eq!(&*plain.unwrap(), b"new!", "by rename: {by_rename}");
        assert!(stored.is_external);
        std::fs::remove_file(own).unwrap();
        assert!(matches!(
            read(&mut file, SLOT),
            Some(Err(Fault::MissingMcc(_)))
        ));
    }
}

#[test]
fn chunk_that_leaves_its_mcc_file_is_read() {
    let folder = tempfile::tempdir().unwrap();

    let after = RecordLayout::new(&[(SLOT, 3)], &[b"", b"small again"]);
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
}

#[test]
fn a_write_changes_the_state_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let layout = RecordLayout::new(&[(SLOT, 2)], &[b"old"]);
    let (file, _) = opened(folder.path(), &layout, |_, _| ());
    let (again, path) = (
        |path: &Path| RegionFile::open(&Files::Disk, path, RegionPos { x: 0, z: 0 }).unwrap(),
        folder.path().join("r.0.0.mca"),
    );
    assert_eq!(file.state(), again(&path).state());
    write_over(
        &path,
        &RecordLayout::new(&[(SLOT, 3)], &[b"", b"new"]).bytes(),
    );
    assert_ne!(file.state(), again(&path).state());
}

#[test]
fn unchecked_record_is_torn_in_a_restless_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, _) = opened(
        folder.path(),
        &RecordLayout::new(&[(SLOT, 2)], &[b"perhaps half"]),
        |_, _| (),
    );
    (file.disk.live, file.disk.is_restless) = (true, true);
    assert_eq!(read(&mut file, SLOT), Some(Err(Fault::Torn)));
    file.disk.is_restless = false;
    assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"perhaps half");
}

#[test]
fn a_recently_touched_file_is_left_alone() {
    for is_external in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, touched) = if is_external {
            external(folder.path(), |_, _| ())
        } else {
            let path = folder.path().join("r.0.0.mca");
            write_over(&path, &RecordLayout::new(&[(SLOT, 2)], &[b"old"]).bytes());
            (
                RegionFile::open(&Files::Disk, &path, RegionPos { x: 0, z: 0 }).unwrap(),
                path,
            )
        };

        assert_eq!(read(&mut file, SLOT).unwrap().unwrap(), b"old");
        assert!(
            touched
                .metadata()
                .unwrap()
                .modified()
                .unwrap()
                .elapsed()
                .unwrap()
                >= REST,
            "external: {is_external}"
        );
    }
}

#[test]
fn cut_streams_in_recent_files_end_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.0.0.mca");
    let write = |plain: &[u8]| {
        let mut stream = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::none());
        stream.write_all(plain).unwrap();
        let mut stream = stream.finish().unwrap();
        stream.truncate(stream.len() - 4);
        let mut layout = RecordLayout::new(&[(SLOT, 2)], &[]);
        layout.records = vec![(2, stream)];
        write_over(&path, &layout.bytes());
    };

    let read = || {
        read(
            &mut RegionFile::open(&Files::Disk, &path, RegionPos { x: 0, z: 0 }).unwrap(),
            SLOT,
        )
        .unwrap()
    };

    let compound = [10, 0, 0, 0];
    let with_more = [&compound[..], &[7; 9]].concat();
    write(&compound);
    assert_eq!(read().unwrap(), compound);
    write(&with_more);

    assert!(
        read().is_err(),
        "it may be the start of one record and the end of another"
    );
    std::thread::sleep(LONG_REST);
    assert_eq!(read().unwrap(), with_more);
}

/// Reads the chunk of a region file that never rests. `written` returns the contents of the chunk
/// at each reading; they are whole if they begin with `w`. Returns the chunk, and the number of
/// readings.
fn read_restless(
    written: impl Fn(usize) -> Vec<u8> + Send + 'static,
) -> (Result<Vec<u8>, Fault>, usize) {
    let folder = tempfile::tempdir().unwrap();

    let layout = |plain: &[u8]| {
        let mut layout = RecordLayout::new(&[(SLOT, 2)], &[]);
        layout.records = vec![(4, lz4_stream(plain))];
        layout
    };

    let (mut file, reads) = opened(folder.path(), &layout(&written(0)), move |path, reads| {
        // Each reading reads the record and then the header.
        if reads % 2 == 0 {
            write_over(path, &layout(&written(reads / 2)).bytes());
        }
    });
    file.disk.is_restless = true;

    let mut inflater = Inflater::default();
    let plain = file
        .read(SLOT, &mut inflater, |plain| plain.starts_with(b"w"))
        .unwrap()
        .plain;

    (
        plain.map(|plain| plain.to_vec()),
        reads.load(Ordering::Relaxed) / 2,
    )
}

#[test]
fn unchanged_chunks_in_restless_files_are_read() {
    let (read, readings) = read_restless(|_| b"whole".to_vec());
    assert_eq!((read.unwrap(), readings), (b"whole".to_vec(), 2));
}

#[test]
fn a_half_written_chunk_is_read_once_whole() {
    let (read, _) = read_restless(|reading| if reading < 2 { b"half" } else { b"who!" }.to_vec());
    assert_eq!(
        read.unwrap(),
        b"who!",
        "half of it stood still at two readings"
    );
}

#[test]
fn damage_at_rest_is_not_torn() {
    let (read, readings) = read_restless(|_| b"damaged".to_vec());
    assert_eq!((read.unwrap(), readings), (b"damaged".to_vec(), 3));
}

#[test]
fn a_chunk_that_keeps_changing_is_torn() {
    let (read, readings) = read_restless(|reading| format!("whole {reading}").into_bytes());
    assert_eq!(read, Err(Fault::Torn));
    assert!(readings <= 8 + 150 / 30, "{readings} readings");
    let (read, _) = read_restless(|reading| format!("half {}", reading / 2).into_bytes());
    assert_eq!(
        read,
        Err(Fault::Torn),
        "of two readings that are the same it is not whole"
    );
}

#[test]
fn an_empty_file_is_left_alone_briefly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.0.0.mca");
    for len in [0, 100, 8192, 9000] {
        std::fs::remove_file(&path).ok();
        write_over(&path, &vec![0; len]);
        let filled =
            RegionFile::open_after(&Files::Disk, &path, RegionPos { x: 0, z: 0 }, |rest| {
                assert!(rest <= Duration::from_millis(100));
                write_over(&path, &RecordLayout::new(&[(SLOT, 2)], &[b"new"]).bytes());
            });
        assert_eq!(filled.unwrap().header().in_use(), 1, "{len} bytes");
    }
}
