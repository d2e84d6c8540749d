//! Light and hollows of the fast path against those computed from the slow reader's blocks and light, column by column.
//!
//! Both sides take a block's traits from the palette; the places of blocks, the stored light and the walk down a column
//! are each side's own.
#![allow(clippy::print_stderr, reason = "a comparison that cannot be made is said aloud")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::slow_reader::{Folder, Numbers, real_regions};
use crate::world::seed::of_place;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, block};
use pixelmap::block::{Describe as _, NameCache, Names, NumericNames, Traits};
use pixelmap::chunk::{Buffers, Chunk};
use pixelmap::coord::YRange;
use pixelmap::palette::{self, Palette};
use pixelmap::surface::{self, Columns, NO_HEIGHT, View};

/// The traits of blocks, by name and properties.
struct Kinds {
    palette: Palette,
    known: HashMap<(String, String), Traits>,
}

impl Kinds {
    fn of(&mut self, name: &str, properties: &str) -> Traits {
        let Self { palette, known } = self;
        *known.entry((name.to_owned(), properties.to_owned())).or_insert_with(|| palette.traits(name, properties))
    }
}

/// One column from the top down, between the heights that are stored.
struct Column {
    cells: Vec<(i32, Traits)>,
    stored_light: Option<Vec<(i32, u8)>>,
}

/// The parts of a column that are seen.
#[derive(Debug, PartialEq, Eq, Default)]
struct Seen {
    light: u8,
    /// Heights of the floor and of what stands over it, and the depth of water.
    hollow: Option<(i32, i32, u8)>,
    /// The height of the land.
    land: Option<i32>,
}

fn is_open(traits: Traits) -> bool {
    traits.is_unseen() || traits.is_water()
}

fn is_flat(traits: Traits) -> bool {
    traits.any(Traits::OVERLAY) && !traits.any(Traits::WET)
}

impl Column {
    fn of(chunk: &crate::slow_reader::Chunk, x: i32, z: i32, kinds: &mut Kinds) -> Self {
        let (low, high) = chunk.heights();
        let heights = || (low..high).rev();
        let cells = heights().map(|y| (y, kinds.of(chunk.block(x, y, z), chunk.properties(x, y, z)))).collect();
        let light = || (low..=high).map(|y| (y, chunk.light(x, y, z) as u8)).collect();
        Self { cells, stored_light: chunk.is_lit.then(light) }
    }

    fn seen(&self) -> Seen {
        let land = self.cells.iter().position(|(_, traits)| traits.is_terrain());
        let land_y = land.map(|at| self.cells[at].0);
        Seen { light: self.light(), hollow: land.and_then(|at| Self::hollow(&self.cells[at + 1..])), land: land_y }
    }

    fn hollow(below: &[(i32, Traits)]) -> Option<(i32, i32, u8)> {
        let first = below.windows(2).position(|pair| is_open(pair[0].1) && is_open(pair[1].1))?;
        let mut surface_y = None;
        for &(y, traits) in &below[first..] {
            match surface_y {
                _ if traits.is_unseen() => {}
                Some(_) if traits.is_water() => {}
                None if traits.is_water() => surface_y = Some(y),
                None if is_flat(traits) => {}
                _ => {
                    let top_y = surface_y.unwrap_or(y);
                    let wet = top_y - y + i32::from(traits.any(Traits::WET));
                    return Some((y, top_y, wet.min(255) as u8));
                }
            }
        }
        None
    }

    /// The light on the surface that is seen by day.
    fn light(&self) -> u8 {
        let passed: Vec<_> = self.cells.iter().take_while(|(_, it)| it.is_unseen() || is_flat(*it)).collect();
        let flat: Vec<_> = passed.iter().filter(|(_, it)| !it.is_unseen()).take(4).collect();
        let Some(&(mut top_y, top)) = self.cells.get(passed.len()).or_else(|| flat.last().map(|cell| **cell)) else {
            return 0;
        };
        let is_water = top.is_water();
        let Some(stored) = &self.stored_light else {
            // The lights at the ground or above it, or in the water over it.
            if is_water {
                let in_water = self.cells[passed.len()..].iter().find(|(_, it)| !is_open(*it));
                top_y = in_water.map_or(i32::MIN, |(y, _)| *y);
            }
            return self.cells.iter().filter(|(y, _)| *y >= top_y).map(|(_, it)| it.light()).max().unwrap_or(0);
        };
        let fallen = stored.iter().find(|(y, _)| *y == top_y + 1).map_or(0, |(_, light)| *light);
        let is_dry = !is_water && !top.any(Traits::WET);
        let own = if is_dry { top.light() } else { 0 };
        flat.iter().map(|(_, it)| it.light()).max().unwrap_or(0).max(own).max(fallen)
    }
}

fn names() -> Arc<Names> {
    let numeric = NumericNames::parse(palette::NUMERIC_BLOCKS, palette::NUMERIC_BIOMES);
    Arc::new(Names::new(Arc::new(Palette::builtin()), numeric))
}

fn numbers() -> Numbers {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/palette/numeric.tsv");
    Numbers::parse(&fs::read_to_string(table).unwrap())
}

/// Compares at most `slots` chunks of each region. Returns the number of columns compared, and of those with a hollow.
fn compare(region: &Path, slots: usize) -> (usize, usize) {
    let (mut name_cache, mut buffers) = (NameCache::new(names()), Buffers::default().with_light());
    let mut kinds = Kinds { palette: Palette::builtin(), known: HashMap::new() };
    let folder = Folder::open(region, numbers());
    let (mut count, mut hollows) = (0, 0);
    for (rx, rz) in folder.positions() {
        let Some(Ok(file)) = folder.region(rx, rz) else { continue };
        let mut used = file.used();
        used.sort_by_key(|(x, z)| of_place(*x, *z, 5));
        for (x, z) in used.into_iter().take(slots) {
            let (Ok(Some(bytes)), Some(Ok(slow))) = (file.payload(x, z), folder.chunk_of(&file, x, z)) else {
                continue;
            };
            let mut chunk = Chunk::parse(&bytes, &mut buffers, &mut name_cache).unwrap();
            let (mut land, mut below) = (Columns::default(), Columns::default());
            surface::scan(&mut chunk, View::Sky, YRange::ALL, &mut land);
            surface::light(&mut chunk, &mut land);
            surface::hollows(&mut chunk, &land, YRange::ALL, &mut below);
            for column in 0..256 {
                let (ground_y, top_y) = (below.ground_y[column], i32::from(below.top_y[column]));
                let is_hollow = ground_y != NO_HEIGHT;
                let expected = Column::of(&slow, column as i32 % 16, column as i32 / 16, &mut kinds).seen();
                let found = Seen {
                    light: land.light[column],
                    hollow: is_hollow.then_some((i32::from(ground_y), top_y, below.depth[column])),
                    land: if is_hollow { expected.land } else { (top_y != i32::from(NO_HEIGHT)).then_some(top_y) },
                };
                let place = (x * 16 + column as i32 % 16, z * 16 + column as i32 / 16);
                assert_eq!(found, expected, "{}, column {place:?}: fast (left) and slow (right)", region.display());
                (count, hollows) = (count + 1, hollows + usize::from(is_hollow));
            }
        }
    }
    (count, hollows)
}

#[test]
fn light_and_hollows_of_fixtures_are_the_slow_readers() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for made in crate::world::fixture::all().into_iter().filter(|made| made.name != "index-out-of-range") {
        let region = fixtures.join(made.name).join("region");
        if region.exists() {
            let (count, hollows) = compare(&region, 64);
            let is_dug = made.name == "underground";
            assert!(!is_dug || (count == 24 * 256 && hollows > 2000 && hollows < 6000), "{count}, {hollows}");
        }
    }
    assert!(compare(&fixtures.join("demo/region"), 60).1 > 100);
}

#[test]
fn light_and_hollows_of_real_worlds_are_the_slow_readers() {
    for region in real_regions() {
        compare(&region, 12);
    }
}

/// A chunk in which layers of rock and open ones lie over each other in some order, and a few cells are of the other
/// kind: single gaps by the hundred, and hollows that begin anywhere in them.
fn layered(at: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(at, 0, Generation::Root(3955));
    let fillings = [block::AIR, block::WATER, block::CAVE_AIR, block::GLASS];
    // Rooms from top to bottom with floors of glass in them.
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
            // Of some layers half, or only a few cells, are open.
            let is_in = is_tall || [true, x < 8, of_cell % 16 < 1, true][of_layer as usize / 8 % 4];
            let is_filled = if is_odd { !is_open } else { is_open && is_in };
            let filling = of_layer / 64 + if is_odd { of_cell / 1024 } else { 0 };
            let of_tall = [0, 0, 2, 3, 3, 0, 2];
            let filling = fillings[if is_tall { of_tall[filling as usize % 7] } else { filling as usize % 3 }];
            chunk.set(x as usize, y, z as usize, if is_filled { filling } else { block::STONE });
        }
    }
    chunk.layer(96, 97, block::STONE);
    chunk
}

#[test]
fn hollows_in_layers_of_rock_are_the_slow_readers() {
    let mut region = RegionSpec::new(0, 0);
    (0..32).for_each(|at| region.put(&layered(at)));
    let mut files = Files::new();
    files.put_region("region", &region);
    let world = tempfile::tempdir().unwrap();
    files.write_under(world.path());
    let (count, hollows) = compare(&world.path().join("region"), 32);
    assert!(count == 32 * 256 && hollows > 2000 && hollows < count, "{count}, {hollows}");
}
