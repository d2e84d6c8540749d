//! Worlds that tests describe column by column, so that the expected pixel of each column is known.

use crate::world::level_dat::LevelDat;
use crate::world::{Biome, Block, ChunkSpec, Files, Generation, RegionSpec, biome, block, fixture};

/// One column: its ground, and the water over it.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub y: i32,
    pub ground: Block,
    pub water_y: Option<i32>,
    pub biome: Biome,
}

impl Column {
    /// Dry ground in plains.
    pub const fn of(y: i32, ground: Block) -> Self {
        Self {
            y,
            ground,
            water_y: None,
            biome: biome::PLAINS,
        }
    }
}

/// The generation whose biomes are stored column by column.
pub const BY_COLUMN: Generation = Generation::Numeric(1343);

/// A world of the columns `x0 <= x < x1` and `z0 <= z < z1` (whole chunks), in which `column` is
/// moved by `by` (whole chunks). A chunk is absent if `column` returns `None` for its first column.
pub fn world(
    [x0, z0, x1, z1]: [i32; 4],
    by: (i32, i32),
    generation: Generation,
    column: impl Fn(i32, i32) -> Option<Column>,
) -> Files {
    let mut chunks = Vec::new();
    for z in (z0..z1).step_by(16) {
        for x in (x0..x1).step_by(16) {
            if column(x, z).is_some() {
                chunks.push(chunk((x, z), by, generation, &column));
            }
        }
    }

    of_chunks(&chunks, generation)
}

fn chunk(
    (x, z): (i32, i32),
    by: (i32, i32),
    generation: Generation,
    column: impl Fn(i32, i32) -> Option<Column>,
) -> ChunkSpec {
    let mut chunk = ChunkSpec::new((x + by.0) / 16, (z + by.1) / 16, generation);
    assert!(
        (chunk.x * 16, chunk.z * 16) == (x + by.0, z + by.1),
        "{x}, {z} is no corner of a chunk"
    );

    for (dx, dz) in (0..256).map(|at| (at % 16, at / 16)) {
        let Some(column) = column(x + dx, z + dz) else {
            continue;
        };

        let (dx, dz) = (dx as usize, dz as usize);
        chunk.set(dx, column.y, dz, column.ground);

        if let Some(water_y) = column.water_y {
            chunk.stack(dx, dz, column.y + 1, water_y, block::WATER);
        }

        chunk.set_biome(dx, dz, column.biome);
    }

    chunk
}

/// A world of these chunks.
pub fn of_chunks(chunks: &[ChunkSpec], generation: Generation) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("land", generation.data_version())
            .old_spawn(0, 64, 0)
            .bytes(),
    );
    put_chunks(&mut files, "region", chunks);
    files
}

/// A world of level chunks at these places, with the ground of each at y = 64. A chunk without a
/// ground is absent.
pub fn of_grounds(
    places: &[(i32, i32)],
    generation: Generation,
    ground: impl Fn(i32, i32) -> Option<Block>,
) -> Files {
    let mut chunks = Vec::new();
    for &(x, z) in places {
        if let Some(ground) = ground(x, z) {
            let mut chunk = ChunkSpec::new(x, z, generation);
            chunk.layer(60, 64, ground);
            chunks.push(chunk);
        }
    }

    of_chunks(&chunks, generation)
}

/// Adds the regions of these chunks.
pub fn put_chunks(files: &mut Files, folder: &str, chunks: &[ChunkSpec]) {
    let mut regions = std::collections::BTreeMap::new();
    for chunk in chunks {
        let place = (chunk.x >> 5, chunk.z >> 5);
        regions
            .entry(place)
            .or_insert_with(|| RegionSpec::new(place.0, place.1))
            .put(chunk);
    }

    for region in regions.values() {
        files.put_region(folder, region);
    }
}

/// Chunks of the small landscape, in several generations, around each of these corners of regions.
pub fn around_corners(corners: &[(i32, i32)]) -> Vec<ChunkSpec> {
    let generations = [
        Generation::Root(3955),
        Generation::Numeric(1343),
        Generation::Aligned(2586),
        Generation::Spanning(1631),
    ];

    let mut chunks = std::collections::BTreeMap::new();
    for (x, z) in corners {
        for (dx, dz) in [(-2, -1), (-1, -1), (0, -1), (-1, 0), (0, 0), (1, 1)] {
            let (x, z) = (x * 32 + dx, z * 32 + dz);
            let generation = generations[(x + 2 * z).rem_euclid(4) as usize];
            chunks.insert((x, z), fixture::landscape(x, z, generation));
        }
    }

    chunks.into_values().collect()
}

/// A world with one chunk in each region of every second column of regions. So no native tile has
/// another tile to its left or right, and each tile of the next level has two children.
pub fn scattered() -> Files {
    let chunk = |x: i32, z: i32| {
        let mut chunk = ChunkSpec::new(x * 64, z * 32, Generation::Root(3955));
        chunk.layer(0, 3, block::STONE);
        chunk
    };
    let chunks: Vec<ChunkSpec> = (-16..16)
        .flat_map(|z| (-16..16).map(move |x| chunk(x, z)))
        .collect();
    of_chunks(&chunks, Generation::Root(3955))
}

/// A world of two dimensions: 12 regions around the origin, and 3 of the nether.
pub fn two_dimensions() -> Files {
    let corners = [(0, 0), (1, 0), (0, 1), (2, 1), (-1, -1)];
    let mut files = of_chunks(&around_corners(&corners), Generation::Root(3955));
    put_chunks(
        &mut files,
        "DIM-1/region",
        &around_corners(&[(0, 0), (5, 5)]),
    );
    files
}
