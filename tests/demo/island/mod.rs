//! Builds the demo world: an island whose parts are stored in six generations side by side without
//! a visible seam, with caves below it and lamps on it. Benches use many islands in one generation.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a test and a bench share this, and each uses a part"
)]

mod canvas;
mod ground;
mod growth;
mod land;
mod light;
mod noise;
mod ship;
mod site;
mod underground;
mod village;

use crate::world::block;
use crate::world::chunk::Generation;
use crate::world::files::Files;
use crate::world::level_dat::LevelDat;
use canvas::Canvas;
use land::{HALF_DEPTH, HALF_WIDTH, Land};
use site::Site;

/// The world's files.
pub fn build() -> Files {
    let mut canvas = island(Canvas::default());
    light::spread(&mut canvas);
    let mut files = Files::new();
    let level =
        LevelDat::new("Six generations", Some(5023)).new_spawn("minecraft:overworld", [2, 67, 45]);
    files.put("level.dat", level.bytes());
    canvas.write("region", &mut files, [0, 0]);
    files
}

/// Passes the files of a world of `side` by `side` islands to `put`, one island of four regions at
/// a time. All chunks belong to one generation.
pub fn islands(side: i32, generation: Generation, mut put: impl FnMut(&Files)) {
    let mut canvas = island(Canvas::in_one(generation));
    light::spread(&mut canvas);

    for at in 0..side * side {
        let mut files = Files::new();
        if at == 0 {
            files.put(
                "level.dat",
                LevelDat::new("Islands", generation.data_version())
                    .old_spawn(2, 67, 45)
                    .bytes(),
            );
        }

        canvas.write("region", &mut files, [at % side * 64, at / side * 64]);
        put(&files);
    }
}

/// Passes the files of a world of `side` by `side` islands in the form of zvcr to `put`, one island of
/// four regions at a time. A day before their newest state the chunks had no grass.
pub fn islands_in_zvcr(side: i32, mut put: impl FnMut(&Files)) {
    let canvas = island(Canvas::in_one(Generation::Root(3700)));
    let regions = canvas.zvcr_files();
    for at in 0..side * side {
        let mut files = Files::new();
        for ((x, z), bytes) in &regions {
            let (x, z) = (x + at % side * 2, z + at / side * 2);
            let sector = (x.div_euclid(32), z.div_euclid(32));
            let path = format!("overworld/{}/{}/r.{x}.{z}.zvcr3d", sector.0, sector.1);
            files.put(&path, bytes.clone());
        }
        put(&files);
    }
}

/// The island without its light.
fn island(mut canvas: Canvas) -> Canvas {
    let land = Land::raise();
    for (chunk_x, chunk_z) in chunks() {
        canvas.open(chunk_x, chunk_z);

        for column in 0..256 {
            ground::fill(
                &mut canvas,
                &land,
                chunk_x * 16 + column % 16,
                chunk_z * 16 + column / 16,
            );
        }
    }

    let mut site = Site::new(canvas, &land);
    village::build(&mut site);
    ship::build(&mut site);
    let torches = std::mem::take(&mut site.torches);

    let (mut canvas, is_free) = site.finish();
    for plot_z in -HALF_DEPTH / 5..HALF_DEPTH / 5 {
        for plot_x in -HALF_WIDTH / 5..HALF_WIDTH / 5 {
            growth::tree(&mut canvas, &land, (plot_x, plot_z), &is_free);
        }
    }

    for (chunk_x, chunk_z) in chunks() {
        for column in 0..256 {
            let (x, z) = (chunk_x * 16 + column % 16, chunk_z * 16 + column / 16);
            if is_free(x, z) {
                growth::plant(&mut canvas, &land, x, z);
            }
        }
    }

    underground::dig(&mut canvas, &land);

    for [x, y, z] in torches {
        canvas.set_in_air(x, y, z, block::TORCH);
    }

    canvas
}

/// The chunks within an oval: the corners of the map are left out.
fn chunks() -> impl Iterator<Item = (i32, i32)> {
    let (half_width, half_depth) = (HALF_WIDTH / 16, HALF_DEPTH / 16);
    let all =
        (-half_depth..half_depth).flat_map(move |z| (-half_width..half_width).map(move |x| (x, z)));
    all.filter(move |(x, z)| {
        let (u, v) = (
            f64::from(2 * x + 1) / f64::from(2 * half_width),
            f64::from(2 * z + 1) / f64::from(2 * half_depth),
        );
        u * u + v * v < 1.03
    })
}
