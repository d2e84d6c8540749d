//! Writes a chunk from the columns of its surface and of the caves below.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::explored::chunk_cells::ChunkCells;
use crate::explored::columns::{Below, Overlay, RegionColumns, State, Tile};
use crate::names::UNEXPLORED;
use pixelmap_base::coord::CHUNK_AREA;

/// The number of cells of air above the floor of a cave, so that it counts as a hollow.
const ROOM: i32 = 2;

/// The columns of a chunk in one file.
pub(super) struct Floors<'a> {
    pub(super) cave_layer: Option<i32>,
    pub(super) columns: &'a RegionColumns,
    pub(super) tile: &'a Tile,
}

/// The end of a column, with the blocks that are seen through above it.
struct Floor<'a> {
    is_cave: bool,
    columns: &'a RegionColumns,
    state: &'a State,
    y: i32,
    light: u8,
    biome: Option<&'a [u8]>,
    overlays: &'a [Overlay],
}

/// The blocks that no file stores.
struct Fillers {
    air: State,
    grass: State,
    sand: State,
    stone: State,
    unexplored: State,
}

impl Fillers {
    fn get() -> &'static Self {
        static FILLERS: OnceLock<Fillers> = OnceLock::new();
        FILLERS.get_or_init(|| Self {
            air: State::named("minecraft:air", &[]),
            grass: State::named("minecraft:grass_block", &[]),
            sand: State::named("minecraft:sand", &[]),
            stone: State::named("minecraft:stone", &[]),
            unexplored: State::named(UNEXPLORED, &[]),
        })
    }
}

/// Writes a chunk in the NBT of the game. A column has the floors of all files, one below the other
/// with stone in between. In a closed dimension the highest floor is the land. In an open one it is
/// the surface, and a cave without a known surface gets a roof that is not drawn.
pub(super) fn write_chunk(all: &[Floors<'_>], is_closed: bool) -> Vec<u8> {
    let fillers = Fillers::get();
    let mut cells = ChunkCells::new(&fillers.air.entry);
    let mut biomes = [None; CHUNK_AREA];

    for (column, biome) in biomes.iter_mut().enumerate() {
        let mut floors: Vec<Floor<'_>> =
            all.iter().filter_map(|floors| floors.at(column)).collect();
        floors.sort_by_key(|floor| (floor.is_cave && !is_closed, -floor.y));
        *biome = floors.first().and_then(|floor| floor.biome);

        // The lowest cell of the floor above.
        let mut above = None;
        for floor in &floors {
            let roof = floor.top() + ROOM + 1;
            if let Some(lowest) = above {
                if roof > lowest {
                    continue;
                }
                cells.fill(column, roof..=lowest - 1, &fillers.stone.entry);
            } else if floor.is_cave && !is_closed {
                cells.fill(column, only(roof), &fillers.unexplored.entry);
            }

            floor.put(column, &mut cells, fillers);
            above = Some(floor.y - 1);
        }
    }

    let data_version = all.iter().find_map(|floors| floors.columns.data_version);
    cells.write(data_version, &biomes)
}

impl<'a> Floors<'a> {
    /// Returns the end of a column; `None`: the column is empty.
    fn at(&self, column: usize) -> Option<Floor<'a>> {
        let end = &self.tile.columns[column];
        let state = &self.columns.states[end.state as usize];
        let overlays = self.tile.overlays(column);
        if state.below == Below::Nothing && overlays.is_empty() {
            return None;
        }

        Some(Floor {
            is_cave: self.cave_layer.is_some(),
            columns: self.columns,
            state,
            y: end.y.into(),
            light: end.light,
            biome: end
                .biome
                .map(|biome| &*self.columns.biomes[usize::from(biome)]),
            overlays,
        })
    }
}

impl<'a> Floor<'a> {
    /// Returns the height of its highest block.
    fn top(&self) -> i32 {
        let overlays = self.overlays.iter();
        overlays.fold(self.y, |top, overlay| {
            top.max((*overlay.heights.end()).into())
        })
    }

    fn put(&self, column: usize, cells: &mut ChunkCells<'a>, fillers: &'a Fillers) {
        let below = match self.state.below {
            Below::Nothing => &fillers.air,
            Below::Grass => &fillers.grass,
            Below::Sand => &fillers.sand,
        };
        cells.fill(column, only(self.y - 1), &below.entry);
        cells.fill(column, only(self.y), &self.state.entry);

        for overlay in self.overlays {
            let state = &self.columns.states[overlay.state as usize];
            let heights = i32::from(*overlay.heights.start())..=i32::from(*overlay.heights.end());
            cells.fill(column, heights, &state.entry);
        }

        if self.light > 0 {
            for y in self.y + 1..=self.top() + 1 {
                cells.light(column, y, self.light);
            }
        }
    }
}

fn only(y: i32) -> RangeInclusive<i32> {
    y..=y
}
