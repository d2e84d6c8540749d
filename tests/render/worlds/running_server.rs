//! Tests maps of a world that a server is writing to: every published chunk is a state from before
//! or after a write.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::map::{Columns, Map, Place, Ran, assert_same_files, render};
use crate::world::region::{SECTOR, ZLIB, slot};
use crate::world::{Block, ChunkSpec, Files, Generation, Record, RegionSpec, block, payload};

/// Chunks along each side of the world, which lies across two regions.
const SIDE: i32 = 8;
/// The x of its westernmost chunk.
const WEST: i32 = 28;
/// One in this many chunks has its own `.mcc` file.
const EXTERNAL: i32 = 13;

/// Returns the ground block of a chunk in one of two states of the world. It differs between the
/// states and from the blocks of the surrounding chunks, so that any mix-up is visible.
fn ground(x: i32, z: i32, state: usize) -> Block {
    const GROUNDS: [[Block; 3]; 2] = [
        [block::DIRT, block::SAND, block::STONE],
        [block::WHITE_WOOL, block::ORANGE_WOOL, block::RED_SAND],
    ];
    GROUNDS[state][(x + z).rem_euclid(3) as usize]
}

/// Returns a compressed chunk. All chunks have the same height, so that none shades another.
fn packed(x: i32, z: i32, state: usize) -> Vec<u8> {
    let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
    chunk.layer(60, 64, ground(x, z, state));
    payload::zlib(&chunk.nbt().document())
}

fn places() -> impl Iterator<Item = (i32, i32)> {
    (0..SIDE * SIDE).map(|at| (WEST + at % SIDE, at / SIDE))
}

fn is_external(x: i32, z: i32) -> bool {
    (x + z * SIDE) % EXTERNAL == 0
}

/// The complete world in one state.
fn world_in_state(state: usize) -> Files {
    let mut regions = [RegionSpec::new(0, 0), RegionSpec::new(1, 0)];
    for (x, z) in places() {
        let bytes = packed(x, z, state);
        let record = if is_external(x, z) {
            Record::external(ZLIB, Some(bytes))
        } else {
            Record::new(ZLIB, bytes)
        };
        regions[(x >> 5) as usize].put_record(x, z, record);
    }

    for region in &mut regions {
        region.padded = true;
    }

    Files::of_regions(regions)
}

/// The way in which a chunk is saved.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Writes into free sectors, then updates the header; the earlier sectors become free.
    Moved,
    /// Overwrites the earlier record, in two parts, and updates the header afterwards.
    InPlace,
}

/// A game that saves chunks.
struct Game {
    folder: PathBuf,
    regions: Vec<File>,
    /// A free sector of each region file.
    free: [u32; 2],
    chunks: BTreeMap<(i32, i32), [Vec<u8>; 2]>,
    saved: u32,
}

impl Game {
    fn new(folder: &Path) -> Self {
        let open = |x: i32| {
            File::options()
                .read(true)
                .write(true)
                .open(folder.join(format!("r.{x}.0.mca")))
                .unwrap()
        };

        let regions: Vec<File> = (0..2).map(open).collect();
        let end = |at: usize| (regions[at].metadata().unwrap().len() / SECTOR as u64) as u32;

        let free = [end(0), end(1)];
        let chunks = places()
            .map(|(x, z)| ((x, z), [packed(x, z, 0), packed(x, z, 1)]))
            .collect();
        Self {
            folder: folder.to_owned(),
            regions,
            free,
            chunks,
            saved: 1_700_000_000,
        }
    }

    fn save(&mut self, (x, z): (i32, i32), state: usize, way: Way) {
        self.saved += 1;

        let bytes = &self.chunks[&(x, z)][state];
        let (at, place) = ((x >> 5) as usize, slot(x, z) as u64 * 4);
        let region = &self.regions[at];
        if is_external(x, z) {
            let (own, fresh) = (
                self.folder.join(format!("c.{x}.{z}.mcc")),
                self.folder.join("fresh.mcc"),
            );

            match way {
                Way::InPlace => fs::write(own, bytes).unwrap(),
                Way::Moved => fs::write(&fresh, bytes)
                    .and_then(|()| fs::rename(fresh, own))
                    .unwrap(),
            }
        } else {
            let mut entry = [0; 4];
            region.read_exact_at(&mut entry, place).unwrap();
            let before = u32::from_be_bytes(entry) >> 8;
            let mut record = (bytes.len() as u32 + 1).to_be_bytes().to_vec();
            record.push(ZLIB);
            record.extend(bytes);
            assert!(record.len() <= SECTOR);
            record.resize(SECTOR, 0);

            if way == Way::Moved {
                let sector = std::mem::replace(&mut self.free[at], before);
                region
                    .write_all_at(&record, u64::from(sector) * SECTOR as u64)
                    .unwrap();
                region
                    .write_all_at(&(sector << 8 | 1).to_be_bytes(), place)
                    .unwrap();
            } else {
                let (start, half) = (u64::from(before) * SECTOR as u64, bytes.len() / 2);
                region.write_all_at(&record[..half], start).unwrap();
                std::thread::yield_now();
                region
                    .write_all_at(&record[half..], start + half as u64)
                    .unwrap();
            }
        }

        region
            .write_all_at(&self.saved.to_be_bytes(), SECTOR as u64 + place)
            .unwrap();
    }

    /// Saves chunks in turn, each in its other state, until the test stops it.
    fn run(mut self, way: Way, stop: &AtomicBool) {
        for (turn, place) in (0..).flat_map(|turn| places().map(move |place| (turn, place))) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            self.save(place, (turn + 1) % 2, way);
        }
    }
}

/// Stops the game, even if a test has failed.
struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Pixels of a chunk.
fn pixels(map: &Columns, x: i32, z: i32) -> Vec<[u8; 4]> {
    (0..256)
        .map(|column| map.at(x * 16 + column % 16, z * 16 + column / 16))
        .collect()
}

fn is_of_something_written(ran: &Ran) -> bool {
    let bad = ran.report()["bad_chunks"].as_array().unwrap().clone();

    // A record that stays half written for a while cannot be distinguished from damage.
    let reasons = [
        "torn",
        "inflate",
        "bad_length",
        "missing_mcc",
        "out_of_file",
    ];
    bad.iter()
        .all(|bad| reasons.iter().any(|reason| bad["reason"] == *reason))
}

fn assert_no_chunk_is_ever_wrong(way: Way) {
    let place = Place::of(&world_in_state(0));
    world_in_state(1).write_under(&place.at("other"));
    let legal = [place.world(), place.at("other")].map(|world| {
        let out = place.at("legal");
        fs::remove_dir_all(&out).ok();
        render(&world, &out, &[]).expect(0, "quiet");
        Map::at(&out).columns()
    });

    render(&place.world(), &place.at("map"), &[]).expect(0, "the first run");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let game = Game::new(&place.world().join("region"));
        scope.spawn(|| game.run(way, &stop));
        let _stops = Stops(&stop);

        for run in 0..8 {
            let options: &[&str] = if run % 2 == 0 {
                &["-t", "2"]
            } else {
                &["-t", "2", "--force"]
            };

            let ran = render(&place.world(), &place.at("map"), options);
            assert!(
                [0, 3].contains(&ran.code) && is_of_something_written(&ran),
                "run {run}: {}",
                ran.err
            );

            let drawn = Map::at(&place.at("map")).columns();
            for (x, z) in places() {
                let is_legal = legal
                    .iter()
                    .any(|map| pixels(map, x, z) == pixels(&drawn, x, z));
                assert!(
                    is_legal,
                    "run {run}, chunk {x}, {z}: {:?}; {}",
                    &pixels(&drawn, x, z)[..4],
                    ran.err
                );
            }
        }
    });

    render(&place.world(), &place.at("map"), &[]).expect(0, "the last run");
    render(&place.world(), &place.at("fresh"), &[]).expect(0, "fresh");
    assert_same_files(
        "when all is quiet",
        &Map::at(&place.at("fresh")).files(),
        &Map::at(&place.at("map")).files(),
    );
}

#[test]
fn chunks_moved_by_a_game_are_never_mixed() {
    assert_no_chunk_is_ever_wrong(Way::Moved);
}

#[test]
fn overwritten_chunks_are_never_half_drawn() {
    assert_no_chunk_is_ever_wrong(Way::InPlace);
}

#[test]
fn a_rewritten_region_does_not_become_blank() {
    let place = Place::of(&world_in_state(0));
    render(&place.world(), &place.at("map"), &[]).expect(0, "the first run");
    let before = Map::at(&place.at("map")).files();

    // The part that a copy has written: the header, but not yet the records to which it points.
    let path = place.world().join("region/r.0.0.mca");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..2 * SECTOR]).unwrap();

    let ran = render(&place.world(), &place.at("map"), &[]).expect(3, "half written");
    assert!(
        ran.report()["bad_chunks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|bad| bad["region"] == "r.0.0.mca")
    );

    assert_same_files(
        "its pixels stay",
        &before,
        &Map::at(&place.at("map")).files(),
    );
    fs::write(&path, &whole).unwrap();
    render(&place.world(), &place.at("map"), &[]).expect(0, "whole");
    assert_same_files("whole", &before, &Map::at(&place.at("map")).files());
}
