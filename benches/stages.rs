//! Measures the cost of each stage of a render, one after another on the chunks of a world.
//!
//! `cargo bench --bench stages [-- WORLD [ROUNDS]]` uses the demo world by default, one thread, and
//! a warm cache. Each round takes the regions through all stages, and the results are sums of the
//! smallest time of each region. Reading the clock at the end of a stage adds about 25 ns per chunk
//! to each result. Regions are drawn without their neighbours.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench fails if a file is missing"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark speaks on standard output and may stop"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pixelmap_base::coord::{REGION_CHUNKS, RegionPos, Slot, YRange};
use pixelmap_base::files::Files;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_draw::report::{Clock, Stage, Stages};
use pixelmap_paint::layers::{BiomeRows, ChunkRow, ColourCache, Day};
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::{Border, BorderHeights, Columns, RegionFrame, View, scan};
use pixelmap_tile::{Canvas, Encoder, Quarter, pixel_hash};
use pixelmap_world::anvil::RegionFile;
use pixelmap_world::chunk::{Chunk, ChunkBuffers, Status};
use pixelmap_world::internal::{DimensionType, DimensionTypes, Inflater, World};
use pixelmap_world::names::{NameCache, Names, NumericNames};

/// The measured stages, in order.
const STAGES: [Stage; 7] = [
    Stage::Read,
    Stage::Inflate,
    Stage::Parse,
    Stage::Scan,
    Stage::Draw,
    Stage::Encode,
    Stage::Reduce,
];

/// The buffers of one render worker.
struct Worker {
    inflater: Inflater,
    buffers: ChunkBuffers,
    name_cache: NameCache,
    rows: Box<[[Columns; REGION_CHUNKS]; 2]>,
    /// Neighbours on all sides: level ground without biomes.
    frame: Box<RegionFrame>,
    biomes: BiomeRows,
    day: Day,
    canvas: Canvas,
    encoder: Encoder,
}

impl Worker {
    fn new(world: &World) -> Self {
        let palette = Arc::new(Palette::builtin());
        let numeric = NumericNames::of_world(&world.level.block_ids, &world.level.biome_ids);

        Self {
            inflater: Inflater::default(),
            buffers: ChunkBuffers::default(),
            name_cache: NameCache::new(Arc::new(Names::new(palette.clone(), numeric))),
            rows: Box::new(std::array::from_fn(|_| {
                std::array::from_fn(|_| Columns::default())
            })),
            frame: Box::default(),
            biomes: BiomeRows::default(),
            day: Day::new(ColourCache::new(palette)),
            canvas: Canvas::default(),
            encoder: Encoder::default(),
        }
    }

    /// Takes a region through all stages. Returns its number of chunks and the time of each stage.
    fn region(&mut self, file: &mut RegionFile, view: (View, YRange)) -> (u64, Stages) {
        self.canvas.clear();
        let mut north = BorderHeights::default();
        let mut chunks = 0;
        let mut clock = Clock::default();
        self.biomes.start(&self.frame);

        for row in 0..REGION_CHUNKS {
            chunks += self.read_row(file, row, view, &mut clock);
            self.biomes.add(row, &self.rows[row % 2], &self.frame);
            if row > 0 {
                self.draw_row(row - 1, &mut north);
            }
            clock.end_stage(Stage::Draw);
        }

        self.biomes.end(&self.frame);
        self.draw_row(REGION_CHUNKS - 1, &mut north);
        clock.end_stage(Stage::Draw);
        std::hint::black_box(self.encoder.png(&self.canvas));
        std::hint::black_box(pixel_hash(&self.canvas));
        clock.end_stage(Stage::Encode);
        std::hint::black_box(Quarter::from_colours(&self.canvas));
        clock.end_stage(Stage::Reduce);

        (chunks, clock.stages())
    }

    fn read_row(
        &mut self,
        file: &mut RegionFile,
        row: usize,
        (view, range): (View, YRange),
        clock: &mut Clock,
    ) -> u64 {
        let mut chunks = 0;
        for x in 0..REGION_CHUNKS {
            let columns = &mut self.rows[row % 2][x];
            columns.clear();
            let Some(record) = file.read(Slot::at(x, row), &mut self.inflater, |_| true) else {
                continue;
            };

            if let Some(read) = record.read_at {
                clock.end_stage_at(Stage::Read, read);
                clock.end_stage(Stage::Inflate);
            }

            let Ok(plain) = record.plain else { continue };
            chunks += 1;
            let parsed = Chunk::parse(&plain, record.form, &mut self.buffers, &mut self.name_cache);
            clock.end_stage(Stage::Parse);
            let Ok(mut chunk) = parsed else { continue };

            if chunk.meta().status == Status::Finished {
                scan(&mut chunk, view, range, columns);
                clock.end_stage(Stage::Scan);
            }
        }

        chunks
    }

    fn draw_row(&mut self, index: usize, north: &mut BorderHeights) {
        let chunks = &self.rows[index % 2];
        let row = ChunkRow {
            region: RegionPos { x: 0, z: 0 },
            index,
            chunks,
            north,
            frame: &self.frame,
            biomes: &self.biomes,
        };

        if !row.is_empty() {
            self.day
                .draw(&row, &mut self.name_cache, self.canvas.band_mut(index));
        }

        for (chunk, columns) in chunks.iter().enumerate() {
            north.copy(Border::South, Slot::at(chunk, index), columns);
        }
    }
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let demo = || Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let folder = arguments.next().map_or_else(demo, PathBuf::from);
    let rounds: usize = arguments.next().map_or(9, |rounds| rounds.parse().unwrap());
    let world = World::open(&folder, RESERVED_NAMES).unwrap();
    let mut worker = Worker::new(&world);

    let of = |dimension: &pixelmap_world::internal::Dimension| {
        let ceiling_y = DimensionTypes::default()
            .get(&dimension.id)
            .and_then(DimensionType::ceiling_y);
        let view = ceiling_y.map_or((View::Sky, YRange::ALL), |max| {
            (View::UnderCeiling, YRange { max, ..YRange::ALL })
        });
        dimension
            .regions
            .iter()
            .map(|entry| (dimension.store.path(*entry), entry.region, view))
            .collect::<Vec<_>>()
    };

    let regions: Vec<_> = world.dimensions.iter().flat_map(of).collect();
    let mut least = vec![[f64::MAX; STAGES.len()]; regions.len()];
    let mut chunks = 0;
    for _ in 0..rounds {
        chunks = 0;

        for ((path, region, view), least) in regions.iter().zip(&mut least) {
            let (count, times) = worker.region(
                &mut RegionFile::open(&Files::Disk, path, *region).unwrap(),
                *view,
            );
            chunks += count;
            for (least, stage) in least.iter_mut().zip(STAGES) {
                *least = least.min(times.time(stage).as_secs_f64());
            }
        }
    }

    let sums = STAGES
        .iter()
        .enumerate()
        .map(|(at, stage)| (*stage, least.iter().map(|times| times[at]).sum::<f64>()));
    let sums: Vec<(Stage, f64)> = sums.collect();
    let each = |seconds: f64| seconds * 1e6 / chunks.max(1) as f64;

    let inflate = sums
        .iter()
        .find(|(stage, _)| *stage == Stage::Inflate)
        .map_or(f64::NAN, |(_, seconds)| *seconds);
    println!("{} with {chunks} chunks, {rounds} rounds", folder.display());
    println!("stage    µs a chunk  of inflate");

    for (stage, seconds) in &sums {
        println!(
            "{:<8} {:>10.2} {:>11.3}",
            stage.name(),
            each(*seconds),
            seconds / inflate
        );
    }

    let all: f64 = sums.iter().map(|(_, seconds)| seconds).sum();
    println!("all      {:>10.2} {:>11.3}", each(all), all / inflate);
}
