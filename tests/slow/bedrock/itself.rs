//! Compares the slow reader with the facts that the builder knows. The two share no code, so each
//! reveals the other's mistakes.

use std::fs;
use std::path::Path;

use super::real_worlds;
use crate::slow_reader::bedrock::{BedrockWorld, Content, Refusal};
use crate::slow_reader::{Answer, Top, Within};
use crate::world::Files;
use crate::world::bedrock::block::{self, Block};
use crate::world::bedrock::chunk::BiomeForm;
use crate::world::bedrock::database::Changes;
use crate::world::bedrock::{ChunkSpec, Compression, Database, Form};
use crate::world::fixture::bedrock::{self as made, changes_between};
use crate::world::seed::{Seed, of_place};

/// Real worlds. For each dimension, beginning with the overworld: the number of chunks, and the
/// number of unfinished ones.
const REAL: &[(&str, &[[usize; 2]])] = &[
    ("papyrus-1.11", &[[386, 8]]),
    ("amulet-1.16", &[[436, 132]]),
    ("amulet-1.17.20-caves", &[[182, 68]]),
    ("amulet-1.17.40", &[[216, 87]]),
    ("amulet-1.18", &[[2737, 0], [70, 0], [13, 0]]),
    ("skywars-1.21.3", &[[8223, 16], [802, 20], [345, 0]]),
    ("hangole-1.26.12", &[[491, 3]]),
    ("mcpe-torn", &[[134, 14]]),
];

#[test]
fn the_chunks_of_real_worlds_are_all_read() {
    let Some(worlds) = real_worlds() else { return };

    for (name, expected) in REAL {
        let world = BedrockWorld::open(&worlds.join(name)).unwrap();
        let mut found = vec![[0, 0]; expected.len()];
        for place in world.chunks() {
            let chunk = world.chunk(place).unwrap().unwrap();
            found[place.0 as usize][0] += 1;
            found[place.0 as usize][1] += usize::from(!chunk.is_finished);
        }

        assert_eq!(found, *expected, "{name}");
        assert_eq!(
            (world.database.lost_blocks(), world.database.has_torn_log),
            (0, false),
            "{name}"
        );

        assert_eq!(
            world.database.lost_tables.is_empty(),
            *name != "mcpe-torn",
            "{name}"
        );
    }
}

/// Sets scattered blocks of this palette at these heights, and a biome of its own every few
/// columns.
fn scatter(chunk: &mut ChunkSpec, palette: &[Block], heights: std::ops::Range<i32>) {
    let mut seed = Seed::new(of_place(chunk.x, chunk.z, u64::from(chunk.version)));
    for y in heights {
        for column in 0..256 {
            if seed.below(3) > 0 {
                chunk.set(
                    column % 16,
                    y,
                    column / 16,
                    palette[seed.below(palette.len())],
                );
            }
        }
    }

    for column in 0..256 {
        chunk.set_biome(column % 16, column / 16, 4, (column % 30) as u32);
    }
}

fn scattered(version: u8, palette: &[Block], heights: std::ops::Range<i32>) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(-3, 70, 0, version);
    scatter(&mut chunk, palette, heights);
    chunk
}

/// The name that the slow reader has for a block.
fn name(chunk: &ChunkSpec, block: Block) -> String {
    match chunk.form {
        Form::LegacyTerrain | Form::Numbers(_) => {
            Content::Number(block.id as u8, block.data).name()
        }
        _ => block.name.to_owned(),
    }
}

fn opened(files: &Files) -> BedrockWorld {
    let folder = tempfile::tempdir().unwrap();
    files.write_under(folder.path());
    BedrockWorld::open(folder.path()).unwrap()
}

/// A database whose log has these changes, one batch each.
fn logged(changes: impl IntoIterator<Item = Changes>) -> Files {
    let mut database = Database::new(4);
    for changes in changes {
        database.batch(&changes);
    }
    files(&database)
}

fn files(database: &Database) -> Files {
    let mut files = Files::new();
    database.put_files(&mut files);
    files
}

/// Compares every block and every column of a chunk with the built ones.
fn assert_same(spec: &ChunkSpec) {
    assert_same_in(&opened(&logged([spec.changes()])), spec);
}

fn assert_same_in(world: &BedrockWorld, spec: &ChunkSpec) {
    let what = format!(
        "{:?} of version {} in {}",
        spec.form, spec.version, spec.dimension
    );
    let chunk = world
        .chunk((spec.dimension, spec.x, spec.z))
        .unwrap()
        .unwrap();
    assert_eq!(chunk.version, spec.version);

    for y in -80..330 {
        for column in 0..256 {
            let (x, z) = (column % 16, column / 16);
            let expected = name(spec, spec.block(x as usize, y, z as usize));
            let found = chunk.block(x, y, z).name();
            let is_same =
                found == expected || [&*found, &*expected].iter().all(|name| is_air(name));
            assert!(is_same, "{what} at {x} {y} {z}: {found}, not {expected}");
        }
    }

    for column in 0..256 {
        let (x, z) = (column % 16, column / 16);
        let top = spec.top(x as usize, z as usize).map(|(y, block)| Top {
            y,
            block: name(spec, block),
            biome: spec
                .biome(x as usize, y, z as usize)
                .map(|id| id.to_string()),
        });
        assert_eq!(chunk.top(x, z, Within::default()), top, "{what} at {x} {z}");
    }
}

fn is_air(name: &str) -> bool {
    matches!(name, "minecraft:air" | "numeric:0:0")
}

const FEW: &[Block] = &[
    block::STONE,
    block::GRASS,
    block::WATER,
    block::BIRCH_LEAVES,
    block::RED_WOOL,
];

/// `count` different blocks that only palettes can hold.
fn many(count: usize) -> Vec<Block> {
    (0..count)
        .map(|number| Block::made(format!("example:block_{number}")))
        .collect()
}

#[test]
fn numbers_of_every_form_read_as_built() {
    for version in [0, 2] {
        assert_same(&scattered(version, FEW, 30..127));
    }

    for first in [0, 2, 3, 4, 5, 6, 7] {
        for version in [3, 4, 7] {
            let mut chunk = scattered(version, FEW, 30..70);
            chunk.form = Form::Numbers(first);
            assert_same(&chunk);
            chunk.biome_form = BiomeForm::Data2DLegacy;
            assert_same(&chunk);
        }
    }
}

#[test]
fn palettes_read_as_built_at_every_width() {
    for (count, versions) in [
        (1, &[8, 9, 15, 19, 22, 25, 39, 40, 42][..]),
        (2, &[9, 22]),
        (4, &[8, 40]),
        (5, &[15, 25]),
        (9, &[19, 22]),
        (17, &[9, 42]),
        (33, &[15, 39]),
        (65, &[8, 40]),
        (300, &[9, 41]),
        (2100, &[40]),
    ] {
        let palette = many(count);
        for &version in versions {
            let heights = if version >= 24 { -40..20 } else { 0..40 };

            assert_same(&scattered(version, &palette, heights));
        }
    }
}

#[test]
fn storages_of_one_block_need_no_words() {
    for has_stray_length in [false, true] {
        let mut chunk = ChunkSpec::new(1, 2, 0, 22);
        chunk.layer(32, 63, block::STONE);
        chunk.has_stray_length = has_stray_length;
        assert_same(&chunk);
    }
}

#[test]
fn further_storages_change_no_block() {
    for count in 0..4 {
        let mut chunk = scattered(40, FEW, -60..70);
        chunk.wet(3, 60, 3, block::WATER);
        let water = chunk.more_storages[0].clone();
        chunk.more_storages = vec![water; count];
        assert_same(&chunk);
    }
}

#[test]
fn other_dimensions_begin_at_height_0() {
    for (dimension, version) in [(1, 22), (1, 41), (2, 39), (2, 41), (3, 41), (1000, 42)] {
        let mut chunk = ChunkSpec::new(5, -5, dimension, version);
        scatter(&mut chunk, FEW, 0..120);
        assert_same(&chunk);
    }
}

#[test]
fn invisible_blocks_are_passed_over() {
    let mut chunk = ChunkSpec::new(0, 0, 0, 41);
    chunk.layer(60, 60, block::STONE);
    let nothing = [
        block::BARRIER,
        block::STRUCTURE_VOID,
        block::LIGHT,
        block::OLD_LIGHT,
    ];

    for (x, nothing) in nothing.into_iter().enumerate() {
        chunk.set(x, 70, 0, nothing);
    }

    chunk.set(5, 70, 0, block::INVISIBLE_BEDROCK);
    assert_same(&chunk);
    assert_eq!(chunk.top(3, 0).unwrap().0, 60);
    assert_eq!(chunk.top(5, 0).unwrap().0, 70);
}

#[test]
fn version_and_state_decide_about_a_chunk() {
    let answer = |finalized: Option<&[u8]>, version: Option<u8>| {
        let mut chunk = scattered(40, FEW, 0..10);
        chunk.finalized = finalized.map(<[u8]>::to_vec);
        let mut changes = chunk.changes();
        changes.insert(chunk.key(44), version.map(|version| vec![version]));
        opened(&logged([changes]))
            .answers(0, &[(-48, 1120)], Within::default())
            .remove(0)
    };

    for (state, is_finished) in [
        (&[0, 0, 0, 0][..], false),
        (&[1, 0, 0, 0], false),
        (&[2, 0, 0, 0], true),
        (&[0], false),
        (&[0, 0, 0, 2], true),
    ] {
        assert_eq!(
            answer(Some(state), Some(40)) != Answer::Unfinished,
            is_finished,
            "{state:?}"
        );
    }

    assert!(matches!(answer(None, Some(40)), Answer::Column { .. }));
    assert_eq!(answer(None, None), Answer::NoChunk);
}

/// A chunk and another state of it in which one column is higher, another subchunk is gone and a
/// biome differs.
fn states() -> [ChunkSpec; 2] {
    let before = scattered(40, FEW, -30..70);
    let mut after = before.clone();
    after.stack(3, 3, 60, 90, block::GLASS);
    after.sections.remove(&-1);
    after.set_biome(3, 3, 4, 7);
    [before, after]
}

#[test]
fn the_newest_version_in_tables_and_log_counts() {
    let [before, after] = states();
    for compression in [
        Compression::None,
        Compression::Snappy,
        Compression::Zlib,
        Compression::Deflate,
    ] {
        for size in [500, 4096, 1 << 20] {
            for is_logged in [false, true] {
                let mut database = Database::new(9);
                database.table(2, compression, size, &before.changes());
                assert_same_in(&opened(&files(&database)), &before);

                if is_logged {
                    database.batch(&changes_between(&before, &after));
                } else {
                    database.table(0, compression, size, &changes_between(&before, &after));
                }

                assert_same_in(&opened(&files(&database)), &after);
            }
        }
    }

    // The file with the greater number is the older one.
    let mut database = Database::new(9);
    database.table(2, Compression::Deflate, 4096, &before.changes());
    database.table(
        0,
        Compression::Deflate,
        4096,
        &changes_between(&before, &after),
    );

    let mut files = files(&database);
    let [one, other] = [0, 1].map(|table| files.0.remove(&database.table_name(table)).unwrap());
    files.put(&database.table_name(0), other);
    files.put(&database.table_name(1), one);
    assert_same_in(&opened(&files), &after);
}

#[test]
fn unlisted_tables_are_not_read() {
    let [before, after] = states();
    let mut database = Database::new(9);
    database.table(1, Compression::Deflate, 4096, &before.changes());
    database.stale_table(&changes_between(&before, &after));
    let mut files = files(&database);
    assert_same_in(&opened(&files), &before);
    files.0.remove(&database.manifest_name());
    assert_same_in(&opened(&files), &after);
}

#[test]
fn long_records_are_read_and_cut_ones_not() {
    let [before, after] = states();
    let mut all = before.changes();
    all.insert(b"a long value".to_vec(), Some(vec![7; 100_000]));
    let mut database = Database::new(1);
    database.batch(&all);
    database.batch(&changes_between(&before, &after));
    let mut files = files(&database);
    assert_same_in(&opened(&files), &after);

    let log = files.0.get_mut(&database.log_name()).unwrap();
    log.truncate(log.len() - 3);
    let world = opened(&files);
    assert!(!world.database.has_torn_log);
    assert_same_in(&world, &before);
    files.0.get_mut(&database.log_name()).unwrap()[200] ^= 1;
    assert!(opened(&files).database.has_torn_log);
}

#[test]
fn an_unreadable_block_costs_its_possible_chunks() {
    let chunks: Vec<ChunkSpec> = (0..20)
        .map(|x| {
            let mut chunk = ChunkSpec::new(x, 3, 0, 40);
            chunk.layer(-3, 3, block::STONE);
            chunk
        })
        .collect();

    let mut changes = Changes::new();
    for chunk in &chunks {
        chunk.put_into(&mut changes);
    }

    let mut database = Database::new(9);
    database.table(2, Compression::Deflate, 900, &changes);

    let whole = files(&database);
    for block in 0..database.block_count(0) {
        let mut files = whole.clone();
        let (offset, length) = database.block_place(0, block);
        files.0.get_mut(&database.table_name(0)).unwrap()[offset + length / 2] ^= 1;
        let world = opened(&files);
        assert_eq!(world.database.lost_blocks(), 1);

        let damaged = chunks
            .iter()
            .filter(|chunk| world.may_be_damaged((0, chunk.x, chunk.z)))
            .count();
        assert!((1..8).contains(&damaged), "{damaged}");

        for chunk in &chunks {
            if !world.may_be_damaged((0, chunk.x, chunk.z)) {
                assert_same_in(&world, chunk);
            }
        }
    }
}

#[test]
fn missing_indexes_and_databases_are_named() {
    let mut database = Database::new(9);
    database.table(
        2,
        Compression::Deflate,
        900,
        &scattered(40, FEW, 0..9).changes(),
    );

    let mut files = files(&database);
    let name = database.table_name(0);
    let bytes = files.0.get_mut(&name).unwrap();
    bytes.truncate(bytes.len() - 1);
    let file = name.strip_prefix("db/").unwrap();
    assert_eq!(opened(&files).database.lost_tables, [file]);
    files.0.remove(&name);
    assert_eq!(opened(&files).database.lost_tables, [file]);

    let folder = tempfile::tempdir().unwrap();
    let refusal = |path: &Path| BedrockWorld::open(path).err();
    assert_eq!(refusal(folder.path()), Some(Refusal::NoFolder));
    files.write_under(folder.path());
    fs::write(
        folder.path().join("db/CURRENT"),
        b"\x80\x1d\x30\x01 senseless",
    )
    .unwrap();

    let log = folder.path().join(database.log_name());
    fs::write(log, b"\x80\x1d\x30\x01 senseless").unwrap();
    assert_eq!(refusal(folder.path()), Some(Refusal::Encrypted));
}

#[test]
fn the_world_of_all_forms_reads_as_built() {
    let made = made::forms();
    let world = opened(&made.files);
    assert_eq!(
        world.database.lost_blocks() + world.database.lost_tables.len(),
        0
    );

    let mut places: Vec<_> = made
        .chunks
        .iter()
        .map(|chunk| (chunk.dimension, chunk.x, chunk.z))
        .collect();
    places.sort_unstable();
    assert_eq!(world.chunks().into_iter().collect::<Vec<_>>(), places);

    for chunk in &made.chunks {
        assert_same_in(&world, chunk);
    }
}

/// The losses of each damaged fixture: blocks, tables, the rest of a log. Also the chunks that may
/// be damaged, the damaged ones, and the sound ones.
const DAMAGED: &[(&str, [usize; 3], [usize; 3])] = &[
    ("bedrock", [0, 0, 0], [0, 0, 42]),
    ("bedrock-log", [0, 0, 0], [0, 0, 3]),
    ("bedrock-empty", [0, 0, 0], [0, 0, 0]),
    ("bedrock-add-on", [0, 0, 0], [0, 0, 5]),
    ("bedrock-checksum", [1, 0, 0], [1, 0, 14]),
    ("bedrock-torn-block", [1, 0, 0], [1, 0, 14]),
    ("bedrock-cut-table", [0, 1, 0], [0, 0, 6]),
    ("bedrock-missing-table", [0, 1, 0], [0, 0, 6]),
    ("bedrock-pointer", [0, 1, 0], [0, 0, 6]),
    ("bedrock-log-cut", [0, 0, 0], [0, 0, 16]),
    ("bedrock-log-torn", [0, 0, 1], [0, 0, 16]),
    ("bedrock-no-manifest", [0, 0, 0], [0, 0, 16]),
    ("bedrock-manifest-torn", [0, 0, 0], [0, 0, 16]),
    ("bedrock-subchunk", [0, 0, 0], [0, 3, 3]),
];

#[test]
fn every_fixture_has_exactly_its_damage() {
    let mut found = Vec::new();
    for fixture in made::all() {
        let folder = tempfile::tempdir().unwrap();
        fixture.files.write_under(folder.path());
        let Ok(world) = BedrockWorld::open(folder.path()) else {
            assert_eq!(fixture.name, "bedrock-encrypted");
            continue;
        };

        let lost = [
            world.database.lost_blocks(),
            world.database.lost_tables.len(),
            usize::from(world.database.has_torn_log),
        ];

        let mut chunks = [0, 0, 0];
        for place in world.chunks() {
            let is_sound = world.chunk(place).unwrap().is_ok();
            chunks[if world.may_be_damaged(place) {
                0
            } else {
                1 + usize::from(is_sound)
            }] += 1;
        }

        found.push((fixture.name, lost, chunks));
    }

    assert_eq!(found, DAMAGED);
}
