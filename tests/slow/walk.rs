//! Walks down one column of the slow reader, cell by cell, for each view. Only the traits of a
//! block come from the library's palette; places of blocks, stored light and the walk are
//! independent of it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::slow_reader::{Chunk, Numbers};
use pixelmap_base::coord::YRange;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::View;
use pixelmap_world::names::{Describe as _, Traits};

/// The maximum number of overlays of a column that the program keeps.
const MOST_OVERLAYS: usize = 4;

pub(super) fn numbers() -> Numbers {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/world/src/names/numeric.tsv");
    Numbers::parse(&fs::read_to_string(table).unwrap())
}

/// The traits of blocks, by name and properties.
pub(super) struct Kinds {
    palette: Palette,
    known: HashMap<(String, String), Traits>,
}

impl Kinds {
    pub(super) fn new() -> Self {
        Self {
            palette: Palette::builtin(),
            known: HashMap::new(),
        }
    }

    fn of(&mut self, name: &str, properties: &str) -> Traits {
        let Self { palette, known } = self;
        *known
            .entry((name.to_owned(), properties.to_owned()))
            .or_insert_with(|| palette.traits(name, properties))
    }
}

#[derive(Clone, Copy)]
struct Cell<'a> {
    y: i32,
    name: &'a str,
    traits: Traits,
}

impl Cell<'_> {
    /// Returns whether a player can stand or swim in the block.
    fn is_open(&self) -> bool {
        self.traits.is_unseen() || self.traits.is_water()
    }

    fn is_flat(&self) -> bool {
        self.traits.any(Traits::OVERLAY) && !self.is_wet()
    }

    fn is_wet(&self) -> bool {
        self.traits.any(Traits::WET)
    }

    /// Returns whether the block is wet, and its upper side is below its own water.
    fn is_under_own_water(&self) -> bool {
        self.is_wet() && !self.traits.any(Traits::ABOVE_WATER)
    }

    fn is_nothing(&self) -> bool {
        self.traits.any(Traits::NOTHING)
    }

    /// The height at which a column is cut open if it is solid from top to bottom.
    fn is_rock(&self) -> bool {
        self.name != "minecraft:bedrock" && !self.traits.any(Traits::OVERLAY)
    }
}

/// The end of a walk.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct End {
    /// The name of the ground.
    pub(super) ground: Option<String>,
    pub(super) ground_y: Option<i32>,
    pub(super) top_y: Option<i32>,
    pub(super) depth: i32,
    pub(super) light: u8,
    pub(super) biome: Option<String>,
    pub(super) overlays: Vec<String>,
}

/// One column from the top down, from the air over it to the lowest section that is stored.
pub(super) struct Column<'a> {
    chunk: &'a Chunk,
    place: (i32, i32),
    cells: Vec<Cell<'a>>,
}

impl<'a> Column<'a> {
    pub(super) fn of(chunk: &'a Chunk, x: i32, z: i32, kinds: &mut Kinds) -> Self {
        let (low, high) = chunk.heights();

        let mut cell = |y| {
            let name = chunk.block(x, y, z);
            Cell {
                y,
                name,
                traits: kinds.of(name, chunk.properties(x, y, z)),
            }
        };

        Self {
            chunk,
            place: (x, z),
            cells: (low..=high).rev().map(&mut cell).collect(),
        }
    }

    pub(super) fn end(&self, view: View, range: YRange) -> End {
        let cells: Vec<Cell<'_>> = self
            .cells
            .iter()
            .filter(|cell| range.min <= cell.y && cell.y <= range.max)
            .copied()
            .collect();
        if let Some(land) = view.land_view() {
            return hollow(&cells, &self.end(land, range));
        }

        let first = cells
            .iter()
            .position(|cell| !view.is_under_ceiling() || cell.traits.is_unseen());
        if view.shows_stored_blocks() {
            return self.highest(&cells, first);
        }

        let (mut end, lights) = match first {
            Some(first) => from_air(&cells[first..]),
            // The column is solid down to the bottom.
            None => cells
                .iter()
                .find(|cell| cell.is_rock())
                .map_or_else(Default::default, |cell| at(cell)),
        };

        if let Some(top_y) = end.top_y {
            end.light = self.light(&end, lights);
            end.biome = self
                .biome(top_y)
                .or_else(|| Some("minecraft:plains".to_owned()));
        }

        end
    }

    fn biome(&self, y: i32) -> Option<String> {
        self.chunk.biome(self.place.0, y, self.place.1)
    }

    fn highest(&self, cells: &[Cell<'_>], first: Option<usize>) -> End {
        let found = match first {
            Some(first) => cells[first..].iter().find(|cell| !cell.is_nothing()),
            None => cells.iter().find(|cell| cell.is_rock()),
        };
        let biome = |end: End| End {
            biome: end.top_y.and_then(|y| self.biome(y)),
            ..end
        };
        found.map_or_else(End::default, |cell| biome(at(cell).0))
    }

    /// Returns the light on the visible blocks. `lights` contains the brightest light of the ground
    /// and of the overlays.
    fn light(&self, end: &End, lights: u8) -> u8 {
        let top_y = end.top_y.unwrap();
        if self.chunk.is_lit {
            return lights.max(self.chunk.light(self.place.0, top_y + 1, self.place.1) as u8);
        }

        let above = self
            .cells
            .iter()
            .take_while(|cell| Some(cell.y) >= end.ground_y);
        above.map(|cell| cell.traits.light()).max().unwrap_or(0)
    }
}

/// A column that ends at a cell, and the light of its block.
fn at(cell: &Cell<'_>) -> (End, u8) {
    let end = End {
        ground: Some(cell.name.to_owned()),
        ground_y: Some(cell.y),
        top_y: Some(cell.y),
        ..End::default()
    };

    (
        end,
        if cell.is_under_own_water() {
            0
        } else {
            cell.traits.light()
        },
    )
}

/// The end of a walk that begins in air, and the brightest of its ground and its overlays.
fn from_air(cells: &[Cell<'_>]) -> (End, u8) {
    let is_passed =
        |cell: &&Cell<'_>| cell.traits.is_unseen() || cell.is_flat() && !cell.traits.is_water();
    let passed = cells.iter().take_while(is_passed).count();
    let mut flat: Vec<&Cell<'_>> = cells[..passed]
        .iter()
        .filter(|cell| !cell.traits.is_unseen())
        .collect();
    flat.truncate(MOST_OVERLAYS);

    let light = flat
        .iter()
        .map(|cell| cell.traits.light())
        .max()
        .unwrap_or(0);

    let Some(top) = cells.get(passed) else {
        // Over the void, the lowest overlay is the ground.
        let Some(lowest) = flat.pop() else {
            return Default::default();
        };

        let overlays = flat.iter().map(|cell| cell.name.to_owned()).collect();
        return (
            End {
                overlays,
                ..at(lowest).0
            },
            light,
        );
    };

    let overlays = flat.iter().map(|cell| cell.name.to_owned()).collect();
    if !top.traits.is_water() {
        let (end, own) = at(top);
        return (
            End {
                depth: i32::from(top.is_under_own_water()),
                overlays,
                ..end
            },
            light.max(own),
        );
    }

    let floor = cells[passed..].iter().position(|cell| !cell.is_open());
    let water = &cells[passed..floor.map_or(cells.len(), |floor| passed + floor)];
    let wet = water.iter().filter(|cell| !cell.traits.is_unseen()).count() as i32;
    let end = match floor.map(|floor| &cells[passed + floor]) {
        Some(floor) => End {
            depth: wet + i32::from(floor.is_wet()),
            ..at(floor).0
        },
        None => End {
            depth: wet,
            ground_y: Some(top.y - wet.min(255)),
            ..End::default()
        },
    };

    (
        End {
            top_y: Some(top.y),
            depth: end.depth.min(255),
            overlays,
            ..end
        },
        light,
    )
}

/// Returns the end of the walk in the first hollow below the land.
fn hollow(cells: &[Cell<'_>], land: &End) -> End {
    let is_below = |cell: &Cell<'_>| land.ground.is_some() && Some(cell.y) <= land.ground_y;
    let Some(land) = cells
        .iter()
        .position(|cell| is_below(cell) && cell.traits.is_terrain())
    else {
        return End::default();
    };

    let closed = End {
        top_y: Some(cells[land].y),
        ..End::default()
    };

    let below = &cells[land + 1..];
    let Some(first) = below
        .windows(2)
        .position(|pair| pair[0].is_open() && pair[1].is_open())
    else {
        return closed;
    };

    let (mut surface_y, mut overlays) = (None, Vec::new());
    for cell in &below[first..] {
        match surface_y {
            _ if cell.traits.is_unseen() => {}
            Some(_) if cell.traits.is_water() => {}
            None if cell.traits.is_water() => surface_y = Some(cell.y),
            None if cell.is_flat() => overlays.push(cell.name.to_owned()),
            _ => {
                overlays.truncate(MOST_OVERLAYS);
                let top_y = surface_y.unwrap_or(cell.y);
                let is_cell_wet = match surface_y {
                    Some(_) => cell.is_wet(),
                    None => cell.is_under_own_water(),
                };
                let depth = (top_y - cell.y + i32::from(is_cell_wet)).min(255);
                return End {
                    top_y: Some(top_y),
                    depth,
                    overlays,
                    ..at(cell).0
                };
            }
        }
    }

    closed
}
