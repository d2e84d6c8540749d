//! Compares every view of the fast path with a walk down the columns of the slow reader.
#![allow(
    clippy::print_stderr,
    reason = "a comparison that cannot be made is said aloud"
)]

use std::path::Path;
use std::sync::Arc;

use super::walk::{Column, End, Kinds, numbers};
use crate::slow_reader::{Folder, real_regions};
use crate::world::seed::of_place;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, biome, block};
use pixelmap_base::coord::YRange;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::{self, Columns, NO_HEIGHT, View};
use pixelmap_world::chunk::{Chunk, ChunkBuffers};
use pixelmap_world::internal::Form;
use pixelmap_world::names::{
    BiomeId, BlockId, NUMERIC_BIOMES, NUMERIC_BLOCKS, NameCache, Names, NumericNames,
};

const VIEWS: [View; 6] = [
    View::Sky,
    View::UnderCeiling,
    View::Highest,
    View::HighestUnderCeiling,
    View::Hollow,
    View::HollowUnderCeiling,
];

fn names() -> Arc<Names> {
    let numeric = NumericNames::new(NUMERIC_BLOCKS, NUMERIC_BIOMES);
    Arc::new(Names::new(Arc::new(Palette::builtin()), numeric))
}

/// The columns of a chunk in a view.
fn scanned(chunk: &mut Chunk<'_>, view: View, range: YRange) -> Columns {
    let mut columns = Columns::default();
    if let Some(land) = view.land_view() {
        let land = scanned(chunk, land, range);
        surface::hollows(chunk, &land, range, &mut columns);
        return columns;
    }

    surface::scan(chunk, view, range, &mut columns);

    if !view.shows_stored_blocks() {
        surface::light(chunk, &mut columns);
    }

    columns
}

fn end_of(columns: &Columns, column: usize, names: &mut NameCache) -> End {
    let height = |y: i16| (y != NO_HEIGHT).then(|| i32::from(y));
    let (ground, biome) = (columns.ground[column], columns.biome[column]);
    let overlays = columns
        .overlays
        .iter()
        .filter(|overlay| usize::from(overlay.column) == column);

    End {
        ground: (ground != BlockId::AIR).then(|| names.stored_name(ground).to_string()),
        ground_y: height(columns.ground_y[column]),
        top_y: height(columns.top_y[column]),
        depth: i32::from(columns.depth[column]),
        light: columns.light[column],
        biome: (biome != BiomeId::NONE).then(|| names.biome_name(biome).to_string()),
        overlays: overlays
            .map(|overlay| names.stored_name(overlay.id).to_string())
            .collect(),
    }
}

/// Compares at most `slots` chunks of each region, in each view and each range. Returns the number
/// of columns compared, and of those with a hollow.
fn compare(region: &Path, slots: usize, ranges: &[YRange]) -> (usize, usize) {
    let names = names();
    let (mut name_cache, mut buffers) = (
        NameCache::new(Arc::clone(&names)),
        ChunkBuffers::default().with_light(),
    );

    // The chunk borrows the first cache, so this test needs a second one.
    let mut names = NameCache::new(names);

    let mut kinds = Kinds::new();
    let folder = Folder::open(region, numbers());
    let (mut count, mut hollows) = (0, 0);
    for (rx, rz) in folder.positions() {
        let Some(Ok(file)) = folder.region(rx, rz) else {
            continue;
        };

        let mut used = file.used();
        used.sort_by_key(|(x, z)| of_place(*x, *z, 5));

        for (x, z) in used.into_iter().take(slots) {
            let (Ok(Some(bytes)), Some(Ok(slow))) =
                (file.payload(x, z), folder.chunk_of(&file, x, z))
            else {
                continue;
            };

            let mut chunk = Chunk::parse(&bytes, Form::Nbt, &mut buffers, &mut name_cache).unwrap();
            let columns: Vec<Column<'_>> = (0..256)
                .map(|column| Column::of(&slow, column % 16, column / 16, &mut kinds))
                .collect();
            for (view, range) in VIEWS
                .iter()
                .flat_map(|view| ranges.iter().map(move |range| (*view, *range)))
            {
                let fast = scanned(&mut chunk, view, range);
                for (column, slow) in columns.iter().enumerate() {
                    let (found, expected) =
                        (end_of(&fast, column, &mut names), slow.end(view, range));
                    hollows += usize::from(view == View::Hollow && found.ground.is_some());

                    let place = (x * 16 + column as i32 % 16, z * 16 + column as i32 / 16);
                    let said = || {
                        format!(
                            "{view:?} in {range:?} of {}, column {place:?}",
                            region.display()
                        )
                    };

                    assert_eq!(found, expected, "{}: fast (left) and slow (right)", said());
                }
            }

            count += 256;
        }
    }

    (count, hollows)
}

/// Compares all of these chunks, which are in region 0, 0.
fn compare_made(chunks: impl Iterator<Item = ChunkSpec>, ranges: &[YRange]) -> (usize, usize) {
    let mut region = RegionSpec::new(0, 0);
    chunks.for_each(|chunk| region.put(&chunk));
    let mut files = Files::new();
    files.put_region("region", &region);
    let world = tempfile::tempdir().unwrap();
    files.write_under(world.path());
    compare(&world.path().join("region"), usize::MAX, ranges)
}

#[test]
fn views_of_fixtures_match_the_slow_reader() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for made in crate::world::fixture::all()
        .into_iter()
        .filter(|made| made.name != "index-out-of-range")
    {
        let region = fixtures.join(made.name).join("region");
        if region.exists() {
            let (count, hollows) = compare(&region, 64, &[YRange::ALL]);
            let is_dug = made.name == "underground";
            assert!(
                !is_dug || (count == 24 * 256 && hollows > 2000 && hollows < 6000),
                "{count}, {hollows}"
            );
        }
    }

    assert!(compare(&fixtures.join("demo/region"), 60, &[YRange::ALL]).1 > 100);
}

#[test]
fn views_of_real_worlds_match_the_slow_reader() {
    for region in real_regions() {
        compare(&region, 12, &[YRange::ALL]);
    }
}

/// Makes a chunk of rock layers and open layers in some order, with a few cells of the other kind:
/// hundreds of single gaps, and hollows that begin anywhere in them.
fn layered(at: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(at, 0, Generation::Root(3955));
    let fillings = [block::AIR, block::WATER, block::CAVE_AIR, block::GLASS];

    // Rooms from top to bottom, with glass in their floors.
    let is_tall = at % 8 == 7;
    for y in -64..96 {
        let of_layer = of_place(at, y, 1);
        let is_open = match at % 4 {
            _ if is_tall => y < 60 - at,
            0 => (y + at / 4) % 2 == 0,
            1 => (y + at / 4) % 3 == 0,
            2 => of_layer.is_multiple_of(4),
            _ => y % 16 == 0 || of_layer.is_multiple_of(5),
        };

        for (x, z) in (0..256).map(|column| (column % 16, column / 16)) {
            let of_cell = of_place(at * 16 + x, z * 256 + y, 2);
            let is_odd = of_cell.is_multiple_of(if at % 8 < 4 { 40 } else { 400 });

            // In some layers half of the cells, or only a few, are open.
            let is_in = is_tall || [true, x < 8, of_cell % 16 < 1, true][of_layer as usize / 8 % 4];
            let is_filled = if is_odd { !is_open } else { is_open && is_in };
            let filling = of_layer / 64 + if is_odd { of_cell / 1024 } else { 0 };
            let of_tall = [0, 0, 2, 3, 3, 0, 2];
            let filling = fillings[if is_tall {
                of_tall[filling as usize % 7]
            } else {
                filling as usize % 3
            }];

            chunk.set(
                x as usize,
                y,
                z as usize,
                if is_filled { filling } else { block::STONE },
            );
        }
    }

    chunk.layer(96, 97, block::STONE);
    chunk
}

#[test]
fn hollows_in_rock_match_the_slow_reader() {
    let (count, hollows) = compare_made((0..32).map(layered), &[YRange::ALL]);
    assert!(
        count == 32 * 256 && hollows > 2000 && hollows < count,
        "{count}, {hollows}"
    );
}

/// The blocks from which [`stacked`] makes columns. Blocks with a number are in chunks of every
/// generation.
const MIXED: [block::Block; 29] = [
    block::AIR,
    block::WATER,
    block::STONE,
    block::GLASS,
    block::OAK_LEAVES,
    block::BEDROCK,
    block::ICE,
    block::SNOW,
    block::TORCH,
    block::GLOWSTONE,
    block::LAVA,
    block::OAK_LOG,
    block::LILY_PAD,
    block::OAK_FENCE,
    block::BARRIER,
    block::GRASS_BLOCK,
    block::DANDELION,
    block::NETHERRACK,
    block::CAVE_AIR,
    block::SEAGRASS,
    block::KELP_PLANT,
    block::WET_SLAB,
    block::WET_SLAB.with(&[("type", "top"), ("waterlogged", "true")]),
    block::LIGHT,
    block::SHORT_GRASS,
    block::LANTERN,
    block::PINK_PETALS,
    block::MAGMA_BLOCK,
    block::Block::named("a_mod:something"),
];
/// The number of blocks, from the first on, that have a number.
const NUMBERED: usize = 18;

/// Makes a chunk of all kinds of blocks in any order: layers in runs of 1 to 40 blocks, with other
/// blocks in some columns, and with sections that are not stored. Each of six chunks has mostly one
/// kind.
fn stacked(at: i32) -> ChunkSpec {
    let generation = Generation::ALL[at as usize % Generation::ALL.len()];
    let mut chunk = ChunkSpec::new(at % 32, at / 32, generation);

    let mixed = &MIXED[..if generation.is_numeric() {
        NUMBERED
    } else {
        MIXED.len()
    }];
    let mostly = mixed[[0, 1, 2, 3, 4, 17][at as usize / Generation::ALL.len() % 6]];
    let (low, high) = (chunk.range.0 * 16, (chunk.range.0 + chunk.range.1) * 16);
    let of = |a: i32, b: i32, salt: u64| of_place(at * 4096 + a, b, salt);

    for column in 0..256 {
        let own = |y: i32| of(column, y >> 4, 1) % 6 == 0;

        for y in (low..high.min(112)).filter(|y| of(0, y >> 4, 2) % 7 != 0) {
            let group = if own(y) {
                column
            } else {
                256 + column / 128 * i32::from(at % 3 == 0)
            };

            let run = [1, 1, 2, 3, 5, 16, 40][of(group, y >> 5, 3) as usize % 7];
            let number = of(group, y.div_euclid(run), 4) as usize;
            let block = if number % 16 < 9 {
                mostly
            } else {
                mixed[number / 16 % mixed.len()]
            };

            if block != block::AIR {
                chunk.set(column as usize % 16, y, column as usize / 16, block);
            }

            if at % 2 == 0 && of(column, y, 5) % 50 == 0 {
                chunk.set_light(
                    column as usize % 16,
                    y,
                    column as usize / 16,
                    (number % 16) as u8,
                );
            }
        }
    }

    let biomes = [biome::PLAINS, biome::DESERT, biome::SWAMP, biome::FOREST];
    if let Some(columns) = &mut chunk.biomes {
        // Whole sections of some chunks have one biome.
        let of_column = |column: usize| {
            if at % 5 < 2 {
                0
            } else {
                of(column as i32, 0, 6) as usize % 4
            }
        };

        columns
            .iter_mut()
            .enumerate()
            .for_each(|(column, its)| *its = biomes[of_column(column)]);
        chunk.deep_biome =
            (at % 4 != 0).then_some((if at % 5 == 0 { 48 } else { 4 * (at % 25) }, biome::OCEAN));
    }

    chunk
}

#[test]
fn columns_of_any_blocks_match_the_slow_reader() {
    let ranges = [(-2048, 2047), (5, 2047), (-2048, 90), (17, 63), (40, 41)]
        .map(|(min, max)| YRange { min, max });
    let (count, hollows) =
        compare_made((0..6 * Generation::ALL.len() as i32).map(stacked), &ranges);
    assert!(
        count == 6 * Generation::ALL.len() * 256 && hollows > 10_000,
        "{count}, {hollows}"
    );
}
