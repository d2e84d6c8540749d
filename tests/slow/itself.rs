//! Compares the slow reader with the facts that the builder knows. The two share no code, so each
//! reveals the other's mistakes.

use crate::map::fixture;
use crate::slow_reader::{Answer, Chunk, Folder, Numbers, Reason, Top, Within};
use crate::world::block::{self, Block};
use crate::world::seed::Seed;
use crate::world::{ChunkSpec, Entries, Generation, Record, RegionSpec, biome};

/// The builder's own numbers, so that the test uses no table of the program.
fn numbers() -> Numbers {
    let mut numbers = Numbers::default();
    for block in block::NUMBERED {
        numbers.insert(block.id, u32::from(block.data), block.name);
    }
    numbers
}

/// A chunk of scattered blocks of this palette in the sections of `heights`, with a biome of its
/// own every few columns.
fn scattered(
    generation: Generation,
    palette: &[Block],
    heights: std::ops::Range<i32>,
) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(3, -5, generation);
    let mut seed = Seed::new(palette.len() as u64);
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

    if generation != Generation::McRegion {
        let biomes = [
            biome::FOREST,
            biome::DESERT,
            biome::BEACH,
            biome::SNOWY_TAIGA,
            biome::SAVANNA,
        ];

        for column in 0..256 {
            chunk.set_biome(column % 16, column / 16, biomes[seed.below(biomes.len())]);
        }

        chunk.deep_biome = Some((8, biome::LUSH_CAVES));
    }

    chunk
}

/// Compares everything that the slow reader finds in a chunk with the facts that the builder knows.
fn assert_same(spec: &ChunkSpec) {
    let chunk = Chunk::parse(&spec.nbt().document(), &numbers()).unwrap();
    assert_eq!(
        chunk.data_version,
        spec.generation.data_version().map(i64::from)
    );

    for y in -80..330 {
        for column in 0..256 {
            let (x, z) = (column % 16, column / 16);
            assert_eq!(
                chunk.block(x, y, z),
                spec.block(x as usize, y, z as usize).full_name(),
                "{:?} at {x} {y} {z}",
                spec.generation
            );
        }
    }

    for column in 0..256 {
        let (x, z) = (column % 16, column / 16);
        let top = spec.top(x as usize, z as usize).map(|(y, block)| Top {
            y,
            block: block.full_name(),
            biome: spec
                .biome(x as usize, y, z as usize)
                .map(|biome| biome.name.to_owned()),
        });

        assert_eq!(
            chunk.top(x, z, Within::default()),
            top,
            "{:?} at {x} {z}",
            spec.generation
        );
    }
}

const FEW: &[Block] = &[
    block::STONE,
    block::GRASS_BLOCK,
    block::WATER,
    block::OAK_LEAVES,
    block::RED_WOOL,
];

/// `count` different states that only palettes can hold.
fn many(count: usize) -> Vec<Block> {
    (0..count)
        .map(|number| Block::made(format!("example:block_{number}")))
        .collect()
}

#[test]
fn every_numeric_generation_reads_as_it_was_built() {
    let modded: Vec<Block> = FEW
        .iter()
        .copied()
        .chain([Block::numeric("numeric:300:5", 300, 5)])
        .collect();

    let wide: Vec<Block> = FEW
        .iter()
        .copied()
        .chain([Block::numeric("numeric:40000:2", 40000, 2)])
        .collect();

    let wider: Vec<Block> = FEW
        .iter()
        .copied()
        .chain([Block::numeric("numeric:70000:2", 70000, 2)])
        .collect();

    for (generation, palette) in [
        (Generation::McRegion, FEW),
        (Generation::NumericV, FEW),
        (Generation::NumericBare, &modded[..]),
        (Generation::Numeric(169), FEW),
        (Generation::Numeric(1343), &modded[..]),
        (Generation::Jeid(1343), &modded[..]),
        (Generation::Neid(true), &wide[..]),
        (Generation::Neid(false), &wide[..]),
        (Generation::NeidLegacy(1343), &wide[..]),
        (Generation::EndlessIds, &wider[..]),
    ] {
        assert_same(&scattered(generation, palette, 30..70));
    }
}

#[test]
fn palette_generations_read_as_built_at_every_width() {
    for count in [1, 5, 16, 17, 33, 65, 129, 257, 600, 2100] {
        let palette = many(count);
        for version in [1451, 1519, 1631, 2225] {
            assert_same(&scattered(Generation::Spanning(version), &palette, 0..40));
        }

        for generation in [
            Generation::Aligned(2586),
            Generation::LevelStates(2836),
            Generation::Root(3955),
        ] {
            assert_same(&scattered(generation, &palette, 0..40));
        }
    }

    assert_same(&scattered(Generation::Root(3955), FEW, -64..-30));
    assert_same(&scattered(Generation::Aligned(2700), FEW, -64..-30));
}

#[test]
fn a_tall_1_17_world_reads_as_built() {
    let mut chunk = scattered(Generation::Aligned(2730), FEW, -64..100);
    chunk.range = (-4, 40);
    assert_same(&chunk);
}

#[test]
fn every_palette_entry_form_reads_as_built() {
    let palette = [
        block::STONE,
        block::SPRUCE_LOG,
        block::GLASS,
        block::WET_SLAB,
        Block::named("stone_bricks"),
    ];

    for entries in [Entries::Compounds, Entries::Strings, Entries::Mixed] {
        let mut chunk = scattered(Generation::Root(5023), &palette, 60..90);
        chunk.entries = entries;
        chunk.all_sections = true;
        assert_same(&chunk);
    }

    let mut plain = scattered(
        Generation::Root(5023),
        &[block::STONE, block::GLASS],
        60..70,
    );
    plain.entries = Entries::Strings;
    assert_same(&plain);
}

#[test]
fn invisible_blocks_are_passed_over() {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 60, block::STONE);

    for (x, nothing) in [
        block::CAVE_AIR,
        block::VOID_AIR,
        block::BARRIER,
        block::LIGHT,
        block::STRUCTURE_VOID,
    ]
    .into_iter()
    .enumerate()
    {
        chunk.set(x, 70, 0, nothing);
    }

    chunk.set(5, 70, 0, block::GLASS);
    assert_same(&chunk);
    assert_eq!(chunk.top(0, 0).unwrap().0, 60);
    assert_eq!(chunk.top(5, 0).unwrap().0, 70);
}

#[test]
fn every_compression_reads_as_it_was_built() {
    use crate::world::payload::{Block as Lz4, gzip, lz4, zlib};

    let raw = scattered(Generation::Root(3955), FEW, 60..70)
        .nbt()
        .document();

    let folder = tempfile::tempdir().unwrap();
    let mut region = RegionSpec::new(0, 0);

    let records = [
        Record::new(1, gzip(&raw)),
        Record::new(2, zlib(&raw)),
        Record::new(3, raw.clone()),
        Record::new(4, lz4(&raw, 65536, &[Lz4::Lz4], true)),
        Record::new(4, lz4(&raw, 1000, &[Lz4::Lz4, Lz4::Raw], true)),
        Record::new(4, lz4(&raw, 1000, &[Lz4::Raw], false)),
        Record::external(1, Some(gzip(&raw))),
        Record::external(2, Some(zlib(&raw))),
        Record::external(3, Some(raw.clone())),
        Record::external(4, Some(lz4(&raw, 900, &[Lz4::Lz4], true))),
    ];

    for (x, record) in records.into_iter().enumerate() {
        region.put_record(x as i32, 0, record);
    }

    let mut files = crate::world::Files::new();
    files.put_region("", &region);
    files.write_under(folder.path());
    let reader = Folder::open(folder.path(), numbers());
    assert_eq!(reader.damaged(), []);

    let expected = reader.answer(0, 3);
    assert!(matches!(expected, Answer::Column { top: Some(_), .. }));

    for x in 0..10 {
        assert_eq!(reader.answer(x * 16, 3), expected, "record {x}");
    }

    assert_eq!(reader.answer(160, 0), Answer::NoChunk);
    assert_eq!(reader.answer(0, -1), Answer::NoChunk);
}

#[test]
fn every_fault_of_a_record_has_its_reason() {
    let good = scattered(Generation::Root(3955), FEW, 60..70).nbt();
    let raw = good.document();
    let zlib = crate::world::payload::zlib(&raw);
    let mut lz4 =
        crate::world::payload::lz4(&raw, 1000, &[crate::world::payload::Block::Lz4], true);
    lz4[20] ^= 1;

    let records = [
        (Record::pointing_at(1, 1), Reason::InHeader),
        (Record::pointing_at(5000, 1), Reason::OutOfFile),
        (Record::zlib(&good).length(0), Reason::BadLength),
        (Record::zlib(&good).length(1 << 24), Reason::BadLength),
        (Record::new(9, zlib.clone()), Reason::Compression),
        (Record::new(127, zlib.clone()), Reason::Compression),
        (Record::external(9, None), Reason::Compression),
        (Record::external(2, None), Reason::MissingMcc),
        (
            Record::new(2, zlib[..zlib.len() / 2].to_vec()),
            Reason::Inflate,
        ),
        (Record::new(4, lz4), Reason::Inflate),
        (Record::new(3, raw[..raw.len() / 2].to_vec()), Reason::Nbt),
        (Record::new(3, Vec::new()), Reason::Nbt),
    ];

    let folder = tempfile::tempdir().unwrap();
    let mut region = RegionSpec::new(0, 0);
    let reasons: Vec<Reason> = records.iter().map(|(_, reason)| *reason).collect();

    for (x, (record, _)) in records.into_iter().enumerate() {
        region.put_record(x as i32, 0, record);
    }

    let mut files = crate::world::Files::new();
    files.put_region("", &region);
    files.write_under(folder.path());

    let reader = Folder::open(folder.path(), numbers());
    let found: Vec<Reason> = reader
        .damaged()
        .into_iter()
        .map(|damage| damage.reason)
        .collect();
    assert_eq!(found, reasons);
}

#[test]
fn nbt_depth_ends_at_the_game_limit() {
    let nested = |depth: usize| {
        let mut tag = crate::world::Tag::compound([]);
        for _ in 1..depth {
            tag = crate::world::Tag::compound([("a", tag)]);
        }
        Chunk::parse(&tag.document(), &numbers()).map(|_| ())
    };
    assert_eq!(nested(500), Ok(()));
    assert_eq!(nested(600), Err(Reason::Nbt));
}

#[test]
fn the_world_registry_names_unlisted_ids() {
    let folder = tempfile::tempdir().unwrap();

    let blocks = [("minecraft:stone", 1), ("mod:ore", 300)];
    let registry = crate::world::level_dat::LevelDat::new("x", None).forge_registry(&blocks);
    let items = crate::world::level_dat::LevelDat::new("x", None)
        .forge_item_data(&blocks, &[("mod:pick", 300)]);
    for level in [registry, items] {
        let mut files = crate::world::Files::new();
        files.put("level.dat", level.bytes());
        files.write_under(folder.path());
        let numbers = numbers().with_level_dat(&folder.path().join("level.dat"));
        assert_eq!(numbers.block(300, 4), "mod:ore");
        assert_eq!(numbers.block(301, 4), "numeric:301:4");
        assert_eq!(numbers.block(1, 15), "minecraft:stone");
    }
}

/// The damaged chunk of each fixture that has one, and why; all others are sound.
const DAMAGED: &[(&str, (i32, i32), Reason)] = &[
    ("alpha-truncated", (39, -13), Reason::Inflate),
    ("array-aligned", (1, 0), Reason::Content),
    ("array-blocks", (1, 0), Reason::Content),
    ("array-data", (1, 0), Reason::Content),
    ("array-mcregion", (1, 0), Reason::Content),
    ("array-spanning", (1, 0), Reason::Content),
    ("compression-custom", (-1, -2), Reason::Compression),
    ("compression-unknown", (-1, -2), Reason::Compression),
    ("external-missing", (-1, -2), Reason::MissingMcc),
    ("external-unknown", (-1, -2), Reason::Compression),
    ("file-cut-head", (32, 0), Reason::BadLength),
    ("file-cut-record", (32, 0), Reason::BadLength),
    ("file-half-header", (32, 0), Reason::OutOfFile),
    ("file-short-times", (32, 0), Reason::OutOfFile),
    ("gzip-truncated", (-1, -2), Reason::Inflate),
    ("length-0", (0, 0), Reason::BadLength),
    ("length-1", (1, 0), Reason::Inflate),
    ("length-huge", (1, 0), Reason::BadLength),
    ("length-past-end", (1, 0), Reason::BadLength),
    ("lz4-checksum", (-1, -2), Reason::Inflate),
    ("lz4-truncated", (-1, -2), Reason::Inflate),
    ("nbt-deep", (1, 0), Reason::Nbt),
    ("nbt-length-past-end", (1, 0), Reason::Nbt),
    ("nbt-negative-length", (1, 0), Reason::Nbt),
    ("nbt-negative-list", (1, 0), Reason::Nbt),
    ("nbt-no-root", (1, 0), Reason::Nbt),
    ("nbt-nothing", (1, 0), Reason::Nbt),
    ("nbt-truncated", (1, 0), Reason::Nbt),
    ("nbt-unknown-tag", (1, 0), Reason::Nbt),
    ("slot-at-end", (1, 0), Reason::OutOfFile),
    ("slot-in-header", (1, 0), Reason::InHeader),
    ("slot-past-end", (1, 0), Reason::OutOfFile),
    ("slots-overlapping", (1, 0), Reason::BadLength),
    ("zlib-checksum", (-1, -2), Reason::Inflate),
    ("zlib-garbage", (-1, -2), Reason::Inflate),
    ("zlib-truncated", (-1, -2), Reason::Inflate),
];

#[test]
fn every_fixture_has_exactly_its_damage() {
    let mut found = Vec::new();
    for fixture in crate::world::fixture::all()
        .into_iter()
        .chain(crate::world::fixture::big())
    {
        let folder = tempfile::tempdir().unwrap();
        fixture.files.write_under(folder.path());

        let region = folder.path().join("region");
        let terrain = if region.exists() {
            &region
        } else {
            folder.path()
        };

        for damage in Folder::open(terrain, numbers()).damaged() {
            found.push((fixture.name, damage.chunk.unwrap(), damage.reason));
        }
    }

    found.sort_unstable();
    assert_eq!(found, DAMAGED);
}

#[test]
fn no_damage_stops_the_slow_reader() {
    let mut sound = 0;
    let mut damaged = 0;
    for seed in 0..60 {
        for bytes in [
            crate::world::mutation::damaged_file(seed),
            crate::world::mutation::damaged_chunks(seed),
        ] {
            let folder = tempfile::tempdir().unwrap();
            crate::world::Files(std::collections::BTreeMap::from([(
                "r.0.0.mca".to_owned(),
                bytes,
            )]))
            .write_under(folder.path());

            let reader = Folder::open(folder.path(), numbers());
            for x in 0..crate::world::mutation::CHUNKS {
                match reader.answer(x * 16 + 3, 5) {
                    Answer::Damaged(_) => damaged += 1,
                    _ => sound += 1,
                }
            }
        }
    }

    // Both kinds must be common, otherwise the mutations would prove nothing.
    assert!(
        sound > 200 && damaged > 100,
        "{sound} sound, {damaged} damaged"
    );
}

#[test]
fn the_demo_island_hides_its_generation_borders() {
    let reader = Folder::open(&fixture("demo").join("region"), numbers());
    assert_eq!(reader.damaged(), []);

    let mut versions = std::collections::BTreeSet::new();

    // The mean step of the ground from one column to the next, at the borders and elsewhere.
    let mut steps = |x: i32| {
        let rows: Vec<(i32, i32)> = (-220..220).flat_map(|z| [(x - 1, z), (x, z)]).collect();
        let tops =
            reader
                .answers(&rows, Within::default())
                .into_iter()
                .map(|answer| match answer {
                    Answer::Column {
                        top: Some(top),
                        data_version,
                    } => {
                        versions.insert(data_version);
                        top.y
                    }
                    other => panic!("{other:?}"),
                });

        let tops: Vec<i32> = tops.collect();
        tops.chunks(2)
            .map(|pair| (pair[0] - pair[1]).abs())
            .sum::<i32>()
    };

    for border in [-13 * 16, -6 * 16, 16, 7 * 16, 12 * 16] {
        let elsewhere = [-13, -6, 5, 11]
            .map(|off| steps(border + off))
            .into_iter()
            .max()
            .unwrap();
        assert!(
            steps(border) <= elsewhere * 3 / 2,
            "the ground breaks off at x = {border}"
        );
    }

    let expected = [
        None,
        Some(1343),
        Some(1631),
        Some(2586),
        Some(2975),
        Some(5023),
    ];
    assert_eq!(versions, expected.into_iter().collect());
}

#[test]
fn big_worlds_are_many_sound_regions() {
    let folder = tempfile::tempdir().unwrap();
    let (small, copies, whole) = (
        folder.path().join("small"),
        folder.path().join("copies"),
        folder.path().join("whole"),
    );
    crate::world::many::small_files(&small, 50);
    crate::world::many::replicate(&small, &copies, 70);
    crate::world::many::regions(&whole, 2);

    for (folder, files, chunks) in [(small, 50, 2), (copies, 70, 2), (whole, 2, 1024)] {
        let reader = Folder::open(&folder, numbers());
        assert_eq!(reader.positions().count(), files);
        assert_eq!(reader.damaged(), []);

        for (x, z) in reader.positions() {
            assert_eq!(reader.region(x, z).unwrap().unwrap().used().len(), chunks);
        }

        assert!(matches!(
            reader.answer(3, 3),
            Answer::Column { top: Some(_), .. }
        ));
    }
}
