//! Builds below the land: caves, some of them flooded, one in deepslate, and a mine with lamps.
//! None of it is visible by day.

use super::canvas::Canvas;
use super::land::{Land, SEA};
use super::noise::{distance_to_line, noise};
use crate::world::block::{self, Block};

/// The number of blocks of land that remain over a hollow.
const ROOF: i32 = 4;
/// The lowest floor of the caves in stone.
const FLOOR: i32 = 34;

/// A tunnel: its line, half its width, the depth of its middle at both ends, and the level of water
/// or lava in it.
struct Cave {
    line: &'static [(f64, f64)],
    reach: f64,
    deep: (f64, f64),
    filled: Option<(i32, Block)>,
}

const CAVES: [Cave; 6] = [
    // The tunnel from the western woods to the lake in the north.
    Cave {
        line: &[
            (-272.0, -30.0),
            (-238.0, -52.0),
            (-206.0, -40.0),
            (-172.0, -70.0),
            (-130.0, -62.0),
            (-104.0, -86.0),
        ],
        reach: 6.0,
        deep: (58.0, 40.0),
        filled: None,
    },
    Cave {
        line: &[
            (-206.0, -40.0),
            (-190.0, 0.0),
            (-160.0, 30.0),
            (-120.0, 36.0),
        ],
        reach: 5.0,
        deep: (54.0, 44.0),
        filled: None,
    },
    Cave {
        line: &[
            (-130.0, -62.0),
            (-96.0, -40.0),
            (-70.0, -70.0),
            (-30.0, -64.0),
            (0.0, -96.0),
            (40.0, -104.0),
        ],
        reach: 6.5,
        deep: (46.0, 38.0),
        filled: Some((41, block::WATER)),
    },
    Cave {
        line: &[(-40.0, 120.0), (-6.0, 132.0), (24.0, 118.0)],
        reach: 9.0,
        deep: (42.0, 40.0),
        filled: Some((36, block::LAVA)),
    },
    Cave {
        line: &[
            (62.0, 92.0),
            (84.0, 120.0),
            (120.0, 112.0),
            (160.0, 130.0),
            (206.0, 118.0),
        ],
        reach: 6.0,
        deep: (56.0, 42.0),
        filled: None,
    },
    Cave {
        line: &[(196.0, 60.0), (232.0, 76.0), (258.0, 58.0)],
        reach: 7.0,
        deep: (52.0, 44.0),
        filled: Some((43, block::WATER)),
    },
];

/// Rock below the rest of the island, by chunks, where its generation reaches down so far:
/// north-west and south-east.
const DEEP_ROCK: [(i32, i32); 2] = [(13, -3), (17, 2)];
const DEEP_CAVES: [Cave; 2] = [
    Cave {
        line: &[
            (214.0, -38.0),
            (232.0, -22.0),
            (250.0, -26.0),
            (268.0, -8.0),
            (256.0, 20.0),
        ],
        reach: 7.0,
        deep: (-14.0, -24.0),
        filled: Some((-27, block::LAVA)),
    },
    Cave {
        line: &[(232.0, -22.0), (226.0, 6.0), (236.0, 34.0)],
        reach: 5.5,
        deep: (-16.0, -8.0),
        filled: None,
    },
];

/// The mine below the mountain: galleries along these lines, the floor below them, and blocks
/// between two lamps.
const MINE_X: [i32; 5] = [92, 108, 124, 140, 156];
const MINE_Z: [i32; 4] = [-112, -96, -80, -64];
const MINE_FLOOR: i32 = 47;
const BETWEEN_LAMPS: i32 = 8;

/// Digs everything.
pub fn dig(canvas: &mut Canvas, land: &Land) {
    for cave in CAVES {
        hollow(canvas, land, &cave, FLOOR);
    }

    let ((west, north), (east, south)) = (DEEP_ROCK[0], DEEP_ROCK[1]);
    for (x, z) in
        (north * 16..south * 16 + 16).flat_map(|z| (west * 16..east * 16 + 16).map(move |x| (x, z)))
    {
        canvas.stack(x, z, -32, -1, block::DEEPSLATE);
        canvas.stack(x, z, 0, 31, block::STONE);
    }

    for cave in DEEP_CAVES {
        hollow(canvas, land, &cave, -30);
    }

    for &x in &MINE_X {
        gallery(
            canvas,
            land,
            (MINE_Z[0]..=MINE_Z[3]).map(|z| (x, z)),
            (1, 0),
        );
    }

    for &z in &MINE_Z {
        gallery(
            canvas,
            land,
            (MINE_X[0]..=MINE_X[4]).map(|x| (x, z)),
            (0, 1),
        );
    }
}

/// Hollows a cave out, no deeper than `floor`.
fn hollow(canvas: &mut Canvas, land: &Land, cave: &Cave, floor: i32) {
    let side = 2 * cave.reach as i32 + 10;
    let range = |axis: fn(&(f64, f64)) -> f64| {
        let ends = cave.line.iter().map(axis);
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        low as i32 - side..=high as i32 + side
    };

    for z in range(|at| at.1) {
        for x in range(|at| at.0) {
            let (fx, fz) = (f64::from(x) + 0.5, f64::from(z) + 0.5);

            // Tunnels wind, and widen into halls.
            let (wx, wz) = (
                fx + 9.0 * noise(fx, fz, 34.0, 2, 82),
                fz + 9.0 * noise(fx, fz, 34.0, 2, 83),
            );
            let (away, along) = distance_to_line(wx, wz, cave.line);
            let reach = cave.reach * (0.8 + 1.1 * noise(fx, fz, 22.0, 3, 80));
            if away >= reach {
                continue;
            }

            let height = (reach * reach - away * away).sqrt() * 0.7;
            let middle = cave.deep.0
                + (cave.deep.1 - cave.deep.0) * along
                + 3.0 * noise(fx, fz, 26.0, 2, 81);

            let low = ((middle - height) as i32).max(floor);
            clear(
                canvas,
                land,
                (x, z),
                low,
                (middle + height * 0.8) as i32,
                cave.filled,
            );
        }
    }
}

/// Clears the cells of a column from `low` to `high` below its roof.
fn clear(
    canvas: &mut Canvas,
    land: &Land,
    (x, z): (i32, i32),
    low: i32,
    high: i32,
    filled: Option<(i32, Block)>,
) {
    // Water above the cave would flow into it.
    let roof = land.at(x, z).height
        - if land.at(x, z).height <= SEA {
            2 * ROOF
        } else {
            ROOF
        };

    for y in low..=high.min(roof) {
        let content = filled
            .filter(|&(level, _)| y <= level)
            .map_or(block::CAVE_AIR, |(_, block)| block);
        canvas.set(x, y, z, content);
    }
}

/// A gallery three blocks wide and high, propped up, with lamps on its floor; `aside` is a step
/// across.
fn gallery(
    canvas: &mut Canvas,
    land: &Land,
    line: impl Iterator<Item = (i32, i32)>,
    aside: (i32, i32),
) {
    for (step, (x, z)) in (0..).zip(line) {
        for side in -1..=1 {
            let place = (x + side * aside.0, z + side * aside.1);
            clear(canvas, land, place, MINE_FLOOR + 1, MINE_FLOOR + 3, None);
            if step % BETWEEN_LAMPS == BETWEEN_LAMPS / 2 {
                canvas.set(place.0, MINE_FLOOR + 3, place.1, block::OAK_PLANKS);
            }
        }

        if step % BETWEEN_LAMPS == 0 {
            canvas.set(x, MINE_FLOOR + 1, z, block::LANTERN);
        }
    }
}
