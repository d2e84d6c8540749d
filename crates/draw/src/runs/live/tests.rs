//! Tests a map that is drawn while somebody looks at it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use super::viewport::{open_jobs, squared_distance};
use crate::report::progress::Progress;
use crate::request::reserved::RESERVED_NAMES;
use crate::request::settings::Mode;
use crate::request::settings::Settings;
use crate::runs::live::*;
use crate::runs::run::Run;
use crate::schedule::{NodeId, Stop};
use pixelmap_base::coord::TILE_SIDE;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_map::atlas::Naming;
use pixelmap_tile::{Canvas, decode};
use pixelmap_world::internal::World;

/// Makes a world of `side` by `side` regions without one corner. They are copies of the demo
/// world's regions.
fn world(folder: &Path, side: i32) -> World {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo/region");
    let regions = folder.join("world/region");
    std::fs::create_dir_all(&regions).unwrap();

    for (x, z) in (0..side)
        .flat_map(|z| (0..side).map(move |x| (x, z)))
        .filter(|at| *at != (1, 0))
    {
        let from = demo.join(format!("r.{}.{}.mca", -(x & 1), -(z & 1)));
        std::fs::copy(from, regions.join(format!("r.{x}.{z}.mca"))).unwrap();
    }

    World::open(&folder.join("world"), RESERVED_NAMES).unwrap()
}

fn settings(output: &Path) -> Settings {
    let mut settings = Settings::new(Mode::Map, output.to_owned());
    settings.run.threads = 2;
    settings
}

/// The drawn tiles in the order in which they were reported.
type Told = Arc<Mutex<Vec<DrawnTile>>>;

/// Draws a map live while `look` looks at it. Returns the reported tiles, and whether everything
/// was drawn and published.
fn draw(
    world: &World,
    maps: &[Settings],
    is_on_demand: bool,
    look: impl FnOnce(&Live, &Told),
) -> (Vec<DrawnTile>, bool) {
    let run = Run::open(world, maps).unwrap();
    let told = Told::default();
    let teller = Arc::clone(&told);
    let live = run.live(0, is_on_demand, move |ended| {
        teller.lock().unwrap().push(ended);
    });

    let progress = Progress::default();
    let drawn = std::thread::scope(|scope| {
        let drawing = scope.spawn(|| run.draw_live(0, &live, &progress).unwrap());
        let ending = EndingGuard(is_on_demand.then_some(&live));
        look(&live, &told);
        drop(ending);
        drawing.join().unwrap()
    });
    let is_whole = drawn.is_whole();

    run.publish(vec![drawn], live.stop());
    let told = told.lock().unwrap().clone();

    (told, is_whole)
}

/// Ends a drawing on demand, even if a test fails.
struct EndingGuard<'a>(Option<&'a Live>);

impl Drop for EndingGuard<'_> {
    fn drop(&mut self) {
        if let Some(live) = self.0 {
            live.end();
        }
    }
}

fn path(zoom: u8, x: i32, y: i32) -> String {
    format!("overworld/day/{zoom}/{x}/{y}.png")
}

/// Returns the tile with this path if it is not drawn yet.
fn open(live: &Live, path: &str) -> Option<LayerTile> {
    live.tile(path).and_then(|at| {
        if let TileState::Open(tile) = at {
            Some(tile)
        } else {
            None
        }
    })
}

fn sketched(live: &Live, path: &str) -> Canvas {
    let (sender, receiver) = mpsc::channel();
    live.sketch(
        open(live, path).unwrap(),
        || true,
        move |file| sender.send(file).unwrap(),
    );
    decode(&receiver.recv_timeout(Duration::from_mins(1)).unwrap()).unwrap()
}

fn until(what: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if what() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it does not come");
}

#[test]
fn a_live_map_equals_the_rendered_map() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 3);
    let live = folder.path().join("live");
    let plain = folder.path().join("plain");

    let maps = [settings(&live)];
    let (told, is_whole) = draw(&world, &maps, false, |live, _| {
        live.want(open(live, &path(17, 2, 2)).into_iter(), std::iter::empty());
        assert!(
            live.tile("overworld/day/tiles.tsv").is_none() && open(live, &path(17, 1, 0)).is_none()
        );
    });

    assert!(is_whole);
    assert_eq!(
        told.len(),
        8 + 4,
        "each region and each outer tile is told once"
    );

    let maps = [settings(&plain)];
    let run = Run::open(&world, &maps).unwrap();
    let stop = Stop::new();
    let progress = Progress::default();
    run.publish(vec![run.draw(0, &progress, &stop).unwrap()], &stop);

    for name in [
        "map.json",
        "map.js",
        "index.html",
        "overworld/day/tiles.tsv",
        "overworld/day/16/0/0.png",
    ] {
        assert!(
            std::fs::read(live.join(name)).unwrap() == std::fs::read(plain.join(name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn on_demand_draws_only_the_visible_area() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 4);
    let output = folder.path().join("map");
    let maps = [settings(&output)];

    let area = RegionPos { x: 3, z: 3 }.area();
    let (told, is_whole) = draw(&world, &maps, true, |live, told| {
        live.want(
            open(live, &path(17, 0, 0)).into_iter(),
            [live.view_jobs(Viewport { dimension: 0, area })].iter_mut(),
        );
        until(|| told.lock().unwrap().len() == 2);
        let drawn = |path: &str| matches!(live.tile(path), Some(TileState::Drawn(_)));
        let is_left_out = |path: &str| matches!(live.tile(path), Some(TileState::LeftOut(_)));
        assert!(drawn(&path(17, 0, 0)) && open(live, &path(17, 0, 1)).is_some());
        assert!(is_left_out(&path(17, 1, 0)) && is_left_out(&path(17, 90, 90)));
        assert_eq!(live.tile("overworld/day/tiles.tsv"), None);
        assert!(open(live, &path(16, 0, 0)).is_some(), "its parent is not");

        // All four regions of a tile one level further out.
        let area = TilePos {
            zoom: 16,
            x: 1,
            y: 1,
        }
        .area();

        live.want(
            std::iter::empty(),
            [live.view_jobs(Viewport { dimension: 0, area })].iter_mut(),
        );
        until(|| open(live, &path(16, 1, 1)).is_none());
    });
    assert!(!is_whole);

    let mut tiles: Vec<(u8, i32, i32)> = told
        .iter()
        .map(|told| (told.tile.zoom, told.tile.x, told.tile.y))
        .collect();
    tiles.sort_unstable();

    assert_eq!(
        tiles,
        [
            (16, 1, 1),
            (17, 0, 0),
            (17, 2, 2),
            (17, 2, 3),
            (17, 3, 2),
            (17, 3, 3)
        ]
    );

    assert!(output.join(path(16, 1, 1)).is_file() && output.join(path(17, 0, 0)).is_file());
    assert!(!output.join(path(17, 0, 1)).exists() && !output.join("map.json").exists());
}

#[test]
fn many_views_share_the_urgent_regions() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 5);
    let maps = [settings(&folder.path().join("map"))];
    let area = Area {
        x0: 0,
        z0: 0,
        x1: 5 * 512,
        z1: 5 * 512,
    };

    let (told, _) = draw(&world, &maps, true, |live, told| {
        let mut views = vec![live.view_jobs(Viewport { dimension: 0, area }); 100];

        let drawn = || {
            told.lock()
                .unwrap()
                .iter()
                .filter(|drawn| drawn.tile.zoom == NATIVE_ZOOM)
                .count()
        };

        live.want(std::iter::empty(), views.iter_mut());
        until(|| drawn() == LEAST_SHARE);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(
            drawn(),
            LEAST_SHARE,
            "the regions nearest to the middle, once for all views"
        );
        assert!(open(live, &path(17, 2, 2)).is_none() && open(live, &path(17, 4, 4)).is_some());
        live.want(std::iter::empty(), views.iter_mut());
        until(|| drawn() == 24);
    });
    assert!(told.len() > 24);
}

#[test]
fn a_sketch_shows_future_tiles_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 5);
    let output = folder.path().join("map");
    let maps = [settings(&output)];

    let mut sketches = Vec::new();
    draw(&world, &maps, true, |live, _| {
        for (zoom, x, y) in [(16, 0, 0), (16, 2, 2), (15, 0, 0)] {
            sketches.push(((zoom, x, y), sketched(live, &path(zoom, x, y))));
        }
    });

    let (told, is_whole) = draw(&world, &maps, false, |_, _| {});
    assert!(is_whole && !told.is_empty());

    for ((zoom, x, y), sketch) in sketches {
        let drawn = decode(&std::fs::read(output.join(path(zoom, x, y))).unwrap()).unwrap();

        let chunk = TILE_SIDE >> 5 >> (17 - zoom);
        let there = |canvas: &Canvas| -> Vec<bool> {
            let pixel = |at: usize| {
                (
                    at % (TILE_SIDE / chunk) * chunk,
                    at / (TILE_SIDE / chunk) * chunk,
                )
            };

            let places = (0..(TILE_SIDE / chunk).pow(2)).map(pixel);
            places
                .map(|(x, y)| canvas.pixels()[y * TILE_SIDE + x].rgba()[3] != 0)
                .collect()
        };

        let differ = there(&sketch)
            .iter()
            .zip(there(&drawn))
            .filter(|(a, b)| **a != *b)
            .count();
        assert!(
            differ * 50 < (TILE_SIDE / chunk).pow(2),
            "the land has its outline: {differ} of {zoom}/{x}/{y}"
        );

        let mean = |canvas: &Canvas| {
            let shown = canvas
                .pixels()
                .iter()
                .map(|pixel| pixel.rgba())
                .filter(|[.., a]| *a == 255);

            let (sums, count) = shown.fold(([0_u64; 3], 0_u64), |(sums, count), [r, g, b, _]| {
                (
                    [
                        sums[0] + u64::from(r),
                        sums[1] + u64::from(g),
                        sums[2] + u64::from(b),
                    ],
                    count + 1,
                )
            });
            sums.map(|sum| sum / count.max(1))
        };

        let a = mean(&sketch);
        let b = mean(&drawn);
        assert!(
            a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 16),
            "{a:?} for {b:?} of {zoom}/{x}/{y}"
        );
    }
}

#[test]
fn drawn_tiles_replace_their_sketches() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 3);

    let output = folder.path().join("map");
    let maps = [settings(&output)];
    draw(&world, &maps, true, |live, told| {
        let sketch = sketched(live, &path(16, 0, 0));
        live.want(open(live, &path(17, 0, 1)).into_iter(), std::iter::empty());
        until(|| told.lock().unwrap().len() == 1);
        let later = sketched(live, &path(16, 0, 0));
        let native = decode(&std::fs::read(output.join(path(17, 0, 1))).unwrap()).unwrap();
        let mut quarter = Canvas::default();
        quarter.put(2, &pixelmap_tile::Quarter::from_colours(&native));

        let at = |x: usize, y: usize| y * TILE_SIDE + x;
        let rows =
            (TILE_SIDE / 2..TILE_SIDE).flat_map(|y| (0..TILE_SIDE / 2).map(move |x| at(x, y)));
        let solid = rows.filter(|&at| quarter.pixels()[at].rgba()[3] != 0);
        assert!(solid.clone().count() > 1_000);
        assert!(
            solid
                .clone()
                .all(|at| later.pixels()[at] == quarter.pixels()[at]),
            "the drawn quarter is itself"
        );

        assert!(
            later.pixels()[..at(0, TILE_SIDE / 2)] == sketch.pixels()[..at(0, TILE_SIDE / 2)],
            "the rest stays"
        );
    });
}

#[test]
fn sketches_never_show_hidden_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 3);

    // Only the western half of the region is hidden.
    let hidden = Area {
        x0: 0,
        z0: 512,
        x1: 256,
        z1: 1024,
    };

    let mut settings = settings(&folder.path().join("map"));
    settings.look.hide.push(crate::Hide::Area(hidden));

    let maps = [settings];
    draw(&world, &maps, true, |live, _| {
        let sketch = sketched(live, &path(16, 0, 0));
        let covered = |columns: std::ops::Range<usize>| {
            let rows = TILE_SIDE / 2..TILE_SIDE;
            let pixels = rows.flat_map(|y| columns.clone().map(move |x| y * TILE_SIDE + x));
            pixels
                .filter(|&at| sketch.pixels()[at].rgba()[3] != 0)
                .count()
        };

        assert_eq!(covered(0..TILE_SIDE / 4), 0);
        assert!(covered(TILE_SIDE / 4..TILE_SIDE / 2) > 1_000);
    });
}

#[test]
fn an_abandoned_request_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(folder.path(), 3);
    let maps = [settings(&folder.path().join("map"))];
    draw(&world, &maps, true, |live, _| {
        let (sender, receiver) = mpsc::channel();
        let gone = sender.clone();
        let tile = open(live, &path(16, 0, 0)).unwrap();
        live.sketch(tile, || false, move |_| gone.send("gone").unwrap());
        live.sketch(tile, || true, move |_| sender.send("there").unwrap());
        assert_eq!(receiver.recv_timeout(Duration::from_mins(1)), Ok("there"));
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
    });
}

#[test]
fn a_view_of_everything_starts_in_the_middle() {
    let region = |x, z| RegionPos { x, z };
    let area = Area {
        x0: -512,
        z0: -512,
        x1: 1024,
        z1: 1024,
    };

    let mut regions = [region(1, 1), region(-1, -1), region(0, 0), region(1, 0)];
    regions.sort_by_key(|&at| squared_distance(area, at));
    assert_eq!(regions[..2], [region(0, 0), region(1, 0)]);

    let corner = Area {
        x0: i32::MIN,
        z0: i32::MIN,
        x1: i32::MIN + 1,
        z1: i32::MIN + 1,
    };

    assert!(
        squared_distance(corner, region(65_535, 65_535))
            > squared_distance(corner, region(-65_536, -65_536)) - 1
    );

    let far = Area {
        x0: i32::MIN,
        z0: i32::MIN,
        x1: i32::MAX,
        z1: i32::MAX,
    };

    let urgent = schedule_ids(2);
    let open: HashMap<_, _> = [(0, region(5, 5)), (1, region(0, 0))]
        .map(|(d, at)| (d, at.tile()))
        .into_iter()
        .zip(urgent.into_iter().map(Some))
        .collect();

    let jobs = |dimension, area| {
        open_jobs(&Viewport { dimension, area }, &open)
            .into_iter()
            .map(|(_, _, job)| job)
    };

    let job_at = |dimension, at: RegionPos| open[&(dimension, at.tile())];
    assert_eq!(
        jobs(0, far).map(Some).collect::<Vec<_>>(),
        [job_at(0, region(5, 5))]
    );
    assert_eq!(
        jobs(1, area).map(Some).collect::<Vec<_>>(),
        [job_at(1, region(0, 0))]
    );
}

fn schedule_ids(count: u32) -> Vec<NodeId> {
    let mut plan = crate::schedule::JobPlan::new();
    (0..count).map(|job| plan.add(job, 1)).collect()
}

/// Makes a pack in which the texture of stone has two different halves.
fn pack(folder: &Path) -> std::path::PathBuf {
    let pack = folder.join("pack");
    let put = |path: &str, bytes: &[u8]| {
        let path = pack.join("assets/minecraft").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };

    put(
        "blockstates/stone.json",
        br#"{"variants": {"": {"model": "block/stone"}}}"#,
    );
    put(
        "models/block/stone.json",
        br#"{"elements": [{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "block/stone"}}}]}"#,
    );

    let mut texture = Vec::new();
    let mut encoder = png::Encoder::new(&mut texture, 16, 16);
    encoder.set_color(png::ColorType::Grayscale);

    let pixels: Vec<u8> = (0..256)
        .map(|at| if at % 16 < 8 { 80 } else { 160 })
        .collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels)
        .unwrap();
    put("textures/block/stone.png", &texture);

    pack
}

#[test]
fn textured_tiles_follow_the_world_until_the_end() {
    let folder = tempfile::tempdir().unwrap();
    drop(world(folder.path(), 2));
    let path = folder.path().join("world");
    let mut settings = settings(&folder.path().join("map"));
    assert!(
        InnerTiles::new(&settings, Naming::default()).is_none(),
        "there are no textures"
    );

    settings.look.colours.assets.push(pack(folder.path()));
    let inner_tiles = InnerTiles::new(&settings, Naming::default()).unwrap();
    assert_eq!(
        inner_tiles.tile("overworld/day/17/0/0.png"),
        None,
        "a native tile"
    );

    assert_eq!(
        inner_tiles.tile("overworld/height/21/0/0.png"),
        None,
        "heights have no textures"
    );

    let (sender, receiver) = mpsc::channel();
    let ask = |path: &str| {
        let sender = sender.clone();
        inner_tiles.requests().ask(
            inner_tiles.tile(path).unwrap(),
            || true,
            move |file| drop(sender.send(file)),
        );
        receiver.recv_timeout(Duration::from_mins(1)).unwrap()
    };

    std::thread::scope(|scope| {
        scope.spawn(|| inner_tiles.work(|| World::open(&path, RESERVED_NAMES)));
        let first = ask("overworld/day/21/3/3.png");
        assert!(decode(&first).is_ok_and(|tile| !tile.is_empty()));
        assert!(
            ask("overworld/day/21/3/3.png") == first,
            "it is the same again"
        );
        assert!(
            ask("overworld/day/21/90/3.png").is_empty(),
            "nothing is on it"
        );

        let regions = path.join("region");
        std::fs::copy(regions.join("r.1.1.mca"), regions.join("r.0.0.mca")).unwrap();
        inner_tiles.requests().begin_round();
        assert!(
            ask("overworld/day/21/3/3.png") != first,
            "the world has changed"
        );

        inner_tiles.requests().close();
        inner_tiles.requests().ask(
            inner_tiles.tile("overworld/day/21/3/3.png").unwrap(),
            || true,
            |_| panic!("it has ended"),
        );
    });
}
