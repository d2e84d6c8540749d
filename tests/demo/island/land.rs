//! Computes the ground of the island: height, water and plants of each column. Other modules choose
//! blocks and generations.

use super::noise::{distance, distance_to_line, noise, rise};

/// The highest water block of sea and river.
pub const SEA: i32 = 62;
/// Blocks from the middle of the map to its edge: 22 and 18 chunks.
pub const HALF_WIDTH: i32 = 22 * 16;
pub const HALF_DEPTH: i32 = 18 * 16;
/// The place of the village's well.
pub const VILLAGE: (f64, f64) = (0.0, 45.0);
/// The middle of the volcano, and the lighthouse's islet.
pub const VOLCANO: (f64, f64) = (158.0, 228.0);
pub const LIGHTHOUSE: (f64, f64) = (-262.0, 152.0);
/// The place where the southern road meets the sea.
const HARBOUR: (f64, f64) = (2.0, 215.0);
const OASIS: (f64, f64) = (118.0, 138.0);
/// Still waters: middle and radius.
const LAKES: [(f64, f64, f64); 3] = [
    (-96.0, -112.0, 22.0),
    (OASIS.0, OASIS.1, 8.0),
    (-214.0, 92.0, 13.0),
];
/// The river from the foot of the mountain to the sea in the south-west.
pub const RIVER: [(f64, f64); 12] = [
    (128.0, -74.0),
    (104.0, -58.0),
    (86.0, -28.0),
    (52.0, -16.0),
    (28.0, 2.0),
    (-8.0, -4.0),
    (-40.0, -16.0),
    (-64.0, 8.0),
    (-66.0, 52.0),
    (-96.0, 92.0),
    (-112.0, 146.0),
    (-150.0, 240.0),
];

/// The kind of land of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    Sea,
    River,
    Beach,
    Plains,
    Flowers,
    Oak,
    Birch,
    Dark,
    Taiga,
    Snow,
    Rock,
    Desert,
    Badlands,
    Cherry,
    Autumn,
    Swamp,
    Volcano,
}

/// One column of the island.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The highest block of ground.
    pub height: i32,
    pub zone: Zone,
    /// Cold enough for snow and ice.
    pub is_cold: bool,
}

impl Column {
    /// Returns whether the column has water.
    pub const fn is_wet(self) -> bool {
        self.height < SEA
    }
}

/// All columns.
#[derive(Debug)]
pub struct Land(Vec<Column>);

impl Land {
    /// Raises the island out of the sea.
    pub fn raise() -> Self {
        let rows = -HALF_DEPTH..HALF_DEPTH;
        Self(
            rows.flat_map(|z| (-HALF_WIDTH..HALF_WIDTH).map(move |x| column(x, z)))
                .collect(),
        )
    }

    /// A column; deep sea beyond the edge.
    pub fn at(&self, x: i32, z: i32) -> Column {
        if (-HALF_WIDTH..HALF_WIDTH).contains(&x) && (-HALF_DEPTH..HALF_DEPTH).contains(&z) {
            return self.0[((z + HALF_DEPTH) * HALF_WIDTH * 2 + x + HALF_WIDTH) as usize];
        }
        Column {
            height: 36,
            zone: Zone::Sea,
            is_cold: false,
        }
    }
}

/// The distance from the shore: 1 in the middle, 0 at the shore, less in the sea.
fn inland(x: f64, z: f64) -> f64 {
    let wx = x + 36.0 * noise(x, z, 150.0, 2, 1);
    let wz = z + 36.0 * noise(x, z, 150.0, 2, 2);
    let (u, v) = (wx / 288.0, wz / 222.0);
    let round = 1.0 - (u * u + v * v).sqrt();
    let bays = 0.30 * noise(x, z, 128.0, 5, 3);
    // The coast gives way to the volcano's island, and holds where the harbour is.
    let strait = 0.30 * rise(86.0, 34.0, distance(x, z, VOLCANO));
    round + bays * (1.0 - 0.6 * rise(70.0, 20.0, distance(x, z, HARBOUR))) - strait
}

fn column(x: i32, z: i32) -> Column {
    let (fx, fz) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
    let inland = inland(fx, fz);
    let warmth = fz / 250.0 + 0.22 * noise(fx, fz, 140.0, 3, 7);

    let mut ground = if inland < 0.0 {
        sea_floor(fx, fz, -inland)
    } else {
        hills(fx, fz, inland)
    };

    let badlands = badlands(fx, fz) * rise(0.03, 0.12, inland);
    if badlands > 0.0 {
        ground = terraced(fx, fz, ground, badlands);
    }

    let flat = rise(34.0, 92.0, distance(fx, fz, VILLAGE));
    if inland > 0.05 {
        ground = 66.3 + (ground - 66.3) * flat;
    }

    let (bend_x, bend_z) = (
        13.0 * noise(fx, fz, 58.0, 2, 11),
        13.0 * noise(fx, fz, 58.0, 2, 25),
    );
    let (river, along) = distance_to_line(fx + bend_x, fz + bend_z, &RIVER);
    let width = 2.6 + 7.0 * along + 1.3 * noise(fx, fz, 30.0, 2, 26);
    ground = carved(ground, river, width);
    let lake = lake(fx, fz);
    ground = islets(fx, fz, sunk(ground, lake));

    let height = ground.floor() as i32;
    let zone = if height < SEA && (river < width + 2.0 && inland > -0.02 || lake < 1.5) {
        Zone::River
    } else if lake < 2.0 && distance(fx, fz, OASIS) < 20.0 {
        Zone::Oak
    } else {
        zone(fx, fz, height, inland, warmth, badlands)
    };

    let edge = 0.10 * noise(fx, fz, 9.0, 2, 31);
    Column {
        height,
        zone,
        is_cold: warmth + edge < -0.66 || f64::from(height) > 109.0 + 60.0 * edge,
    }
}

/// A shelf that falls off the faster the farther out.
fn sea_floor(x: f64, z: f64, out: f64) -> f64 {
    let floor = 62.5 - 34.0 * out - 90.0 * out * out;
    floor.max(37.0) + 1.8 * noise(x, z, 34.0, 3, 12) * rise(0.02, 0.15, out)
}

fn hills(x: f64, z: f64, inland: f64) -> f64 {
    let shore = 62.5 + (inland * 34.0).min(2.6 + inland * 8.0);
    let rough = 0.5 + 0.5 * noise(x, z, 95.0, 4, 4);
    let west = rise(110.0, 20.0, distance(x, z, (-205.0, -62.0)));
    let rolling = rise(0.03, 0.3, inland) * rough * (13.0 + 24.0 * west);
    let away = distance(x, z, (166.0, -112.0)) + 26.0 * noise(x, z, 70.0, 3, 5);
    let slope = (1.0 - away / 140.0).max(0.0);
    let bulk = slope * (0.35 + 0.65 * slope);
    let ridges = 1.0 - noise(x, z, 66.0, 5, 6).abs() * 1.9;
    let mountain = bulk * (62.0 + 58.0 * ridges) * rise(0.0, 0.16, inland);
    shore + rolling + mountain.max(0.0)
}

/// 0 outside the badlands, 1 well inside.
fn badlands(x: f64, z: f64) -> f64 {
    let away = distance(x, z, (212.0, 108.0)) + 22.0 * noise(x, z, 55.0, 3, 13);
    rise(86.0, 58.0, away)
}

/// Tables of rock with steep edges.
fn terraced(x: f64, z: f64, ground: f64, much: f64) -> f64 {
    let table =
        67.0 + 32.0 * rise(-0.25, 0.6, noise(x, z, 42.0, 3, 14)) + 4.0 * noise(x, z, 20.0, 2, 15);
    let step = table / 6.0;
    let stepped = 6.0 * (step.floor() + rise(0.7, 1.0, step - step.floor())) + 0.6;
    ground + (stepped - ground).max(0.0) * much
}

/// Ground that falls off towards a bed of this width, and the bed.
fn carved(ground: f64, river: f64, width: f64) -> f64 {
    let valley = 63.1 + (ground - 63.1) * rise(width, width * 1.4 + 30.0, river);
    let ground = if ground > 63.1 { valley } else { ground };
    let across = river / width;
    if across < 1.0 {
        ground.min(62.0 - 4.0 * (1.0 - across * across))
    } else {
        ground
    }
}

/// Ground that falls off towards a lake, and its floor.
fn sunk(ground: f64, lake: f64) -> f64 {
    let shore = if ground > 63.1 {
        63.1 + (ground - 63.1) * rise(1.0, 3.2, lake)
    } else {
        ground
    };
    if lake < 1.0 {
        shore.min(62.0 - 5.0 * (1.0 - lake * lake))
    } else {
        shore
    }
}

/// The distance from the middle of the nearest lake; 1 at its shore.
fn lake(x: f64, z: f64) -> f64 {
    let ragged = 0.45 * noise(x, z, 24.0, 3, 27);
    let all = LAKES
        .iter()
        .map(|(lake_x, lake_z, radius)| distance(x, z, (*lake_x, *lake_z)) / radius + ragged);
    all.fold(f64::MAX, f64::min)
}

/// A volcano and a rock for the lighthouse, both off the coast.
fn islets(x: f64, z: f64, ground: f64) -> f64 {
    let away = distance(x, z, VOLCANO) + 3.5 * noise(x, z, 17.0, 3, 21);
    let cone = 97.0 - 1.26 * away;
    let volcano = if away > 30.0 {
        59.2 - (away - 30.0) * 0.7
    } else {
        cone
    };
    let rock = 67.5
        - 0.30 * distance(x, z, LIGHTHOUSE)
        - 0.9 * rise(8.0, 22.0, distance(x, z, LIGHTHOUSE)) * 6.0
        + 1.6 * noise(x, z, 12.0, 2, 22);
    ground.max(volcano).max(rock)
}

/// Returns whether a place is within a noisy circle.
fn within(x: f64, z: f64, middle: (f64, f64), radius: f64) -> bool {
    distance(x, z, middle) + 16.0 * noise(x, z, 38.0, 3, 17) < radius
}

fn zone(x: f64, z: f64, height: i32, inland: f64, warmth: f64, badlands: f64) -> Zone {
    let rocky = f64::from(height) + 9.0 * noise(x, z, 26.0, 3, 18);

    match () {
        () if height < SEA => Zone::Sea,
        () if distance(x, z, VOLCANO) < 38.0 => Zone::Volcano,
        () if height <= SEA + 1 && inland < 0.055 + 0.075 * noise(x, z, 52.0, 3, 19) => Zone::Beach,
        () if badlands > 0.45 => Zone::Badlands,
        () if rocky > 90.0 => Zone::Rock,
        () if warmth > 0.34 && x > 62.0 + 30.0 * noise(x, z, 48.0, 3, 20) => Zone::Desert,
        () if warmth < -0.62 => Zone::Snow,
        () if warmth < -0.34 => Zone::Taiga,
        () if x > 200.0 && within(x, z, (252.0, -62.0), 60.0) => Zone::Autumn,
        () if x > 200.0 && within(x, z, (248.0, 16.0), 46.0) => Zone::Cherry,
        () if within(x, z, (96.0, 50.0), 40.0) => Zone::Flowers,
        () if within(x, z, (-222.0, 84.0), 44.0) && height < 68 => Zone::Swamp,
        () if within(x, z, (-128.0, 88.0), 62.0) => Zone::Dark,
        () => woods(x, z),
    }
}

/// Plains around the village, woods of two kinds towards the coasts.
fn woods(x: f64, z: f64) -> Zone {
    let away = rise(70.0, 150.0, distance(x, z, VILLAGE));
    let wood = noise(x, z, 90.0, 3, 23) + 0.85 * away - 0.45;
    match () {
        () if wood < 0.0 => Zone::Plains,
        () if noise(x, z, 120.0, 2, 24) > 0.12 => Zone::Birch,
        () => Zone::Oak,
    }
}
