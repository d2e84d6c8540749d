//! Simulates the rules of the queue on machines that we do not have: 8 to 256 workers, 2,500 and
//! 100,000 regions.
//!
//! The simulation is deterministic: costs are seeded, and events are ordered by time and then by
//! worker. It calls the real [`order`] of the planner and the real [`pull_size`] of the queue, and
//! compares them with other orders and with batches that cannot be stolen.
//! `cargo bench --bench simulation` prints the table and fails if the rules in use miss their aims.
//!
//! It does not simulate shared memory and caches, a disk, and the time of a pull (2 µs for a lock
//! changed nothing with jobs of this size).

use pixelmap_base::coord::RegionPos;
use pixelmap_draw::request::plan::{cost_ns, order};
use pixelmap_draw::schedule::{DEFAULT_MAX_BATCH, pull_size};
use pixelmap_world::internal::RegionEntry;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::process::ExitCode;

const MS: u64 = 1_000_000;
/// Median cost of a region.
const REGION_NS: u64 = 150 * MS;
/// Cost of a parent tile: reducing four quarters, encoding, writing.
const PARENT_NS: u64 = 6 * MS;
/// Levels of parents above the regions.
const LEVELS: u32 = 16;
/// The aim at 128 workers and 2,500 regions, pyramid included: time over ideal.
pub const AIM: f64 = 1.05;
/// The aim for the same case: the maximum number of finished tiles that wait for their parents.
pub const WAITING_AIM: usize = 200;
/// The maximum that may wait with 128 workers in a square of 200 by 200 regions: four per worker.
pub const WAITING_AIM_IN_SQUARE: usize = 512;

/// Seeded numbers (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below_one(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a nearly normal number (mean 0, deviation 1), as a sum of twelve uniform ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.below_one()).sum::<f64>() - 6.0
    }
}

/// One region of the simulated world.
#[derive(Clone, Copy)]
struct Region {
    x: i32,
    z: i32,
    cost_ns: u64,
    /// The planner's estimate of the cost.
    guess_ns: u64,
}

impl Region {
    /// Returns the region as its folder would list it, with a length from which the planner would
    /// guess this cost.
    fn entry(self) -> RegionEntry {
        let bytes = self.guess_ns.saturating_sub(cost_ns(0)) / (cost_ns(1) - cost_ns(0));
        RegionEntry::new(
            RegionPos {
                x: self.x,
                z: self.z,
            },
            bytes,
        )
    }
}

/// Returns a round world of `count` regions, in rows.
fn round_world(count: usize, seed: u64) -> Vec<Region> {
    let radius = (count as f64 / std::f64::consts::PI).sqrt();
    let side = radius as i32 + 2;
    let mut places: Vec<(i32, i32)> = (-side..=side)
        .flat_map(|z| (-side..=side).map(move |x| (x, z)))
        .collect();
    places.sort_by_key(|&(x, z)| (x * x + z * z, z, x));
    places.truncate(count);
    places.sort_by_key(|&(x, z)| (z, x));
    weighed(places, radius, seed)
}

/// Returns a square world around the origin, in rows.
fn square_world(side: i32, seed: u64) -> Vec<Region> {
    let along = || -side / 2..side - side / 2;
    weighed(
        along().flat_map(|z| along().map(move |x| (x, z))).collect(),
        f64::from(side) / 2.0,
        seed,
    )
}

/// Sets lognormal costs, four times as heavy in the centre as at the rim, and guesses that are off
/// by a fifth.
fn weighed(places: Vec<(i32, i32)>, radius: f64, seed: u64) -> Vec<Region> {
    let count = places.len();
    let mut dice = Dice(seed);
    let mut weights: Vec<(f64, f64)> = Vec::with_capacity(count);
    for &(x, z) in &places {
        let off = f64::from(x * x + z * z) / (radius / 4.0).powi(2);
        weights.push((
            (1.0 + 3.0 * (-off).exp()) * (0.5 * dice.normal()).exp(),
            (0.2 * dice.normal()).exp(),
        ));
    }

    let mut sorted: Vec<f64> = weights.iter().map(|&(weight, _)| weight).collect();
    sorted.sort_by(f64::total_cmp);

    let unit = REGION_NS as f64 / sorted[count / 2];
    let regions = places
        .into_iter()
        .zip(weights)
        .map(|((x, z), (weight, error))| {
            let cost_ns = (weight * unit) as u64;
            Region {
                x,
                z,
                cost_ns,
                guess_ns: (weight * unit * error) as u64,
            }
        });

    regions.collect()
}

/// The order of the regions in the queue.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Rows,
    LongestFirst,
    /// The order of the planner.
    InUse,
    /// The groups of the planner, but its end is replaced: the last regions (this many per worker)
    /// are sorted longest first.
    Groups {
        tail: usize,
    },
}

fn in_order(mut regions: Vec<Region>, wanted: Order, workers: usize) -> Vec<Region> {
    match wanted {
        Order::Rows => regions,
        Order::LongestFirst => {
            regions.sort_by_key(|region| Reverse(region.guess_ns));
            regions
        }
        Order::InUse => as_planned(&regions, workers),
        Order::Groups { tail } => {
            // Without workers there is no end to share.
            let mut regions = as_planned(&regions, 0);
            let from = regions.len().saturating_sub(tail * workers);
            regions[from..].sort_by_key(|region| Reverse(region.guess_ns));
            regions
        }
    }
}

fn as_planned(regions: &[Region], workers: usize) -> Vec<Region> {
    let by_place: HashMap<(i32, i32), Region> = regions
        .iter()
        .map(|&region| ((region.x, region.z), region))
        .collect();
    let order = order(
        regions.iter().map(|region| (0, region.entry())).collect(),
        workers,
    );
    order
        .into_iter()
        .map(|place| by_place[&(place.region.x, place.region.z)])
        .collect()
}

/// Regions and the parent tiles over them, as one forest: `parents[job]` is the job that waits for
/// it.
struct Forest {
    costs_ns: Vec<u64>,
    parents: Vec<Option<usize>>,
    children: Vec<usize>,
}

fn forest(regions: &[Region]) -> Forest {
    let mut costs_ns: Vec<u64> = regions.iter().map(|region| region.cost_ns).collect();
    let mut parents = vec![None; regions.len()];
    let mut children = vec![0; regions.len()];
    let mut level: Vec<((i32, i32), usize)> = regions
        .iter()
        .enumerate()
        .map(|(job, region)| ((region.x, region.z), job))
        .collect();

    for _ in 0..LEVELS {
        let mut above: BTreeMap<(i32, i32), usize> = BTreeMap::new();
        for ((x, z), job) in level {
            let parent = *above
                .entry((x.div_euclid(2), z.div_euclid(2)))
                .or_insert_with(|| {
                    costs_ns.push(PARENT_NS);
                    parents.push(None);
                    children.push(0);
                    costs_ns.len() - 1
                });
            parents[job] = Some(parent);
            children[parent] += 1;
        }

        level = above.into_iter().collect();
    }

    Forest {
        costs_ns,
        parents,
        children,
    }
}

/// How workers pull from the queue.
#[derive(Clone, Copy)]
struct Rule {
    name: &'static str,
    order: Order,
    /// The maximum number of jobs per pull; 0: the number of workers.
    max_batch: usize,
    /// Whether a batch also ends by its cost, and pulled jobs that have not begun can be stolen.
    shared: bool,
}

/// The order of the planner and the rule of the queue.
const IN_USE: Rule = Rule {
    name: "in use",
    order: Order::InUse,
    max_batch: DEFAULT_MAX_BATCH,
    shared: true,
};
const GROUPS: Rule = Rule {
    name: "groups",
    order: Order::Groups { tail: 0 },
    ..IN_USE
};

const RULES: [Rule; 9] = [
    IN_USE,
    Rule {
        name: "groups, last 8 a worker longest first",
        order: Order::Groups { tail: 8 },
        ..IN_USE
    },
    GROUPS,
    Rule {
        name: "groups, one at a time",
        max_batch: 1,
        ..GROUPS
    },
    Rule {
        name: "groups, batches up to 64",
        max_batch: 64,
        ..GROUPS
    },
    Rule {
        name: "longest first",
        order: Order::LongestFirst,
        ..IN_USE
    },
    Rule {
        name: "rows",
        order: Order::Rows,
        ..IN_USE
    },
    Rule {
        name: "groups, batches up to 8, private",
        shared: false,
        ..GROUPS
    },
    Rule {
        name: "rows, batches up to threads, private",
        order: Order::Rows,
        max_batch: 0,
        shared: false,
    },
];

/// The result of a simulated run.
struct Outcome {
    /// The time from the first job to the last, relative to the best possible schedule.
    ratio: f64,
    /// Pulls and thefts.
    takes: usize,
    /// The maximum number of finished tiles whose parent had not begun.
    waiting_tiles: usize,
}

/// One simulated run.
struct Simulation<'w> {
    workers: usize,
    rule: Rule,
    forest: &'w Forest,
    guesses_ns: &'w [u64],
    /// The next region of the queue.
    next: usize,
    /// The jobs that each worker has pulled and not begun, the next one last.
    pulled: Vec<Vec<usize>>,
    takes: usize,
}

impl Simulation<'_> {
    fn next_job(&mut self, worker: usize) -> Option<usize> {
        if let Some(job) = self.pulled[worker].pop() {
            return Some(job);
        }

        let waiting = &self.guesses_ns[self.next..];
        let size = match (self.rule.shared, self.rule.max_batch) {
            (true, max_batch) => pull_size(waiting, self.workers, max_batch),
            (false, 0) => waiting.len().div_ceil(self.workers).min(self.workers),
            (false, max_batch) => waiting.len().div_ceil(self.workers).min(max_batch),
        };

        if size > 0 {
            self.takes += 1;
            self.pulled[worker].extend((self.next..self.next + size).rev());
            self.next += size;
            return self.pulled[worker].pop();
        }

        if !self.rule.shared {
            return None;
        }

        let victim = (1..self.workers).map(|step| (worker + step) % self.workers);
        let victim = victim
            .into_iter()
            .find(|&victim| !self.pulled[victim].is_empty())?;
        self.takes += 1;

        Some(self.pulled[victim].remove(0))
    }

    fn run(mut self) -> Outcome {
        let forest = self.forest;
        let mut open = forest.children.clone();
        let (mut waiting, mut most_waiting, mut end) = (0_usize, 0, 0);

        // When each worker ends its job. At first all workers are free.
        let mut events: BinaryHeap<Reverse<(u64, usize, Option<usize>)>> = (0..self.workers)
            .map(|worker| Reverse((0, worker, None)))
            .collect();
        while let Some(Reverse((now, worker, ended))) = events.pop() {
            end = now;
            let parent = ended.and_then(|job| forest.parents[job]);
            waiting += usize::from(parent.is_some());
            most_waiting = most_waiting.max(waiting);
            let runnable = parent.filter(|&parent| {
                open[parent] -= 1;
                open[parent] == 0
            });

            if let Some(job) = runnable.or_else(|| self.next_job(worker)) {
                waiting -= forest.children[job];
                events.push(Reverse((now + forest.costs_ns[job], worker, Some(job))));
            }
        }

        let ratio = end as f64 / ideal_ns(forest, self.workers);
        Outcome {
            ratio,
            takes: self.takes,
            waiting_tiles: most_waiting,
        }
    }
}

/// The lower limit of a run: the work in equal shares, or the heaviest region with all its parents.
fn ideal_ns(forest: &Forest, workers: usize) -> f64 {
    let even = forest.costs_ns.iter().sum::<u64>() as f64 / workers as f64;
    let heaviest =
        forest.costs_ns.iter().max().copied().unwrap_or(0) + u64::from(LEVELS) * PARENT_NS;
    even.max(heaviest as f64)
}

fn simulate(regions: &[Region], rule: Rule, workers: usize) -> Outcome {
    let regions = in_order(regions.to_vec(), rule.order, workers);

    let forest = forest(&regions);
    let guesses_ns: Vec<u64> = regions.iter().map(|region| region.guess_ns).collect();
    let pulled = vec![Vec::new(); workers];
    Simulation {
        workers,
        rule,
        forest: &forest,
        guesses_ns: &guesses_ns,
        next: 0,
        pulled,
        takes: 0,
    }
    .run()
}

/// The number of random worlds, so that no result depends on a single one.
const WORLDS: u64 = 24;

/// Mean and worst of makespan over ideal, and the most waiting tiles, over all worlds of 2,500
/// regions.
fn over_worlds(rule: Rule, workers: usize) -> (f64, f64, usize) {
    let outcomes: Vec<Outcome> = (0..WORLDS)
        .map(|seed| simulate(&round_world(2_500, seed), rule, workers))
        .collect();
    let mean = outcomes.iter().map(|outcome| outcome.ratio).sum::<f64>() / WORLDS as f64;
    let worst = outcomes
        .iter()
        .map(|outcome| outcome.ratio)
        .fold(0.0, f64::max);

    (
        mean,
        worst,
        outcomes
            .iter()
            .map(|outcome| outcome.waiting_tiles)
            .max()
            .unwrap_or(0),
    )
}

/// The rules in use with 128 workers and 2,500 regions: mean makespan over ideal, and the most
/// tiles that waited.
pub fn small_world_in_use() -> (f64, usize) {
    let (mean, _, waiting) = over_worlds(IN_USE, 128);
    (mean, waiting)
}

/// Private batches in the same case: mean makespan over ideal.
pub fn small_world_private() -> f64 {
    over_worlds(RULES[8], 128).0
}

/// The rules in use with 128 workers in a square of 200 by 200 regions: makespan over ideal, and
/// the most tiles that waited.
pub fn square_in_use() -> (f64, usize) {
    let outcome = simulate(&square_world(200, 0), IN_USE, 128);
    (outcome.ratio, outcome.waiting_tiles)
}

#[allow(clippy::print_stdout, reason = "a bench prints its figures")]
fn main() -> ExitCode {
    println!(
        "2,500 regions, pyramid included, {WORLDS} worlds: time / ideal, mean to worst (most tiles \
         that waited)"
    );

    for rule in RULES {
        print!("{:38}", rule.name);
        for workers in [8, 32, 64, 128, 256] {
            let (mean, worst, waiting) = over_worlds(rule, workers);
            print!("  T={workers}: {mean:.3} to {worst:.3} ({waiting})");
        }
        println!();
    }

    for (title, regions) in [
        ("40,000 in a square", square_world(200, 0)),
        ("100,000", round_world(100_000, 0)),
    ] {
        println!(
            "{title} regions, one world: time / ideal (most tiles that waited; pulls and thefts)"
        );

        for rule in RULES {
            print!("{:38}", rule.name);

            for workers in [8, 32, 64, 128, 256] {
                let Outcome {
                    ratio,
                    takes,
                    waiting_tiles,
                } = simulate(&regions, rule, workers);
                print!("  T={workers}: {ratio:.3} ({waiting_tiles}; {takes})");
            }

            println!();
        }
    }

    let ((small, small_waiting), (square, square_waiting)) =
        (small_world_in_use(), square_in_use());
    println!("in use, 128 workers, 2,500 regions: {small:.3} of ideal, aimed at {AIM}");
    println!(
        "in use, 128 workers, 2,500 regions: {small_waiting} tiles waiting, aimed at {WAITING_AIM}"
    );

    println!("in use, 128 workers, 40,000 regions: {square:.3} of ideal, aimed at {AIM}");
    println!(
        "in use, 128 workers, 40,000 regions: {square_waiting} tiles waiting, aimed at \
         {WAITING_AIM_IN_SQUARE}"
    );

    let met = small.max(square) <= AIM
        && small_waiting <= WAITING_AIM
        && square_waiting <= WAITING_AIM_IN_SQUARE;
    if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
