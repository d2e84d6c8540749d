//! Measures the cost of a job in the queue, compared with rayon, a locked heap, and batches that
//! cannot be stolen.
//!
//! `cargo bench --bench queue [-- THREADS [long]]` prints the times of interleaved rounds and their
//! ratios to the time of the queue. With `long` it measures only jobs that take as long as regions,
//! which takes minutes. The times of the queue and of the two locked queues include building the
//! plan, starting the threads and ending them. The pool of rayon is started before the measurement.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use pixelmap_draw::schedule::{
    DEFAULT_MAX_BATCH, JobPlan, Pin, ScheduleSettings, Stop, Work, available_threads, run,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const ROUNDS: usize = 9;
/// Rounds of jobs that take as long as regions.
const LONG_ROUNDS: usize = 3;

/// Runs a loop of `turns` turns that the compiler cannot shorten.
#[derive(Clone, Copy)]
struct Turns(u64);

impl Turns {
    fn spend(self) {
        let mut state = self.0 | 1;
        for _ in 0..self.0 {
            state ^= black_box(state << 13);
            state ^= state >> 7;
        }
        black_box(state);
    }

    /// The number of turns in a microsecond on this machine.
    fn per_microsecond() -> u64 {
        let turns = 20_000_000;
        let fastest = (0..5).map(|_| {
            let start = Instant::now();
            Self(turns).spend();
            start.elapsed().as_micros() as u64
        });
        turns / fastest.min().unwrap_or(1).max(1)
    }
}

/// Jobs whose only effect is to take time.
struct Spend;

impl Work for Spend {
    type Job = Turns;
    type Worker = ();
    fn worker(&self, _index: usize) {}
    fn run(&self, (): &mut (), job: &Turns) {
        job.spend();
    }
    fn report_panic(&self, _job: &Turns, _message: &str) {}
}

fn settings(threads: usize, max_batch: usize) -> ScheduleSettings {
    ScheduleSettings {
        threads,
        max_batch,
        pin: Pin::Auto,
    }
}

/// `costs_ns` are the costs given to the rule of the batches.
fn by_queue(jobs: &[Turns], cost_ns: impl Fn(Turns) -> u64, threads: usize, max_batch: usize) {
    let mut plan = JobPlan::new();
    for &job in jobs {
        plan.add(job, cost_ns(job));
    }
    let summary = run(&Spend, plan, &settings(threads, max_batch), &Stop::new());
    assert_eq!(summary.finished, jobs.len());
}

fn by_rayon_scope(jobs: &[Turns]) {
    rayon::scope(|scope| jobs.iter().for_each(|job| scope.spawn(|_| job.spend())));
}

fn by_rayon_iterator(jobs: &[Turns]) {
    jobs.par_iter().for_each(|job| job.spend());
}

/// One heap under one lock; each pull takes one job.
fn by_locked_heap(jobs: &[Turns], threads: usize) {
    let heap: Mutex<BinaryHeap<Reverse<usize>>> =
        Mutex::new((0..jobs.len()).map(Reverse).collect());
    let pull = || heap.lock().ok().and_then(|mut heap| heap.pop());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(Reverse(job)) = pull() {
                    jobs[job].spend();
                }
            });
        }
    });
}

/// Batches of at most `threads` jobs that stay with the worker that pulled them.
fn by_private_batches(jobs: &[Turns], threads: usize) {
    let queue: Mutex<VecDeque<Turns>> = Mutex::new(jobs.iter().copied().collect());
    let pull = || {
        let mut queue = queue.lock().ok()?;
        let size = queue.len().div_ceil(threads).min(threads);
        (size > 0).then(|| queue.drain(..size).collect::<Vec<Turns>>())
    };

    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(batch) = pull() {
                    batch.into_iter().for_each(Turns::spend);
                }
            });
        }
    });
}

/// Times each variant in turn, round by round. Compares medians, because in the fastest round of a
/// locked queue a single thread did everything.
fn compare(title: &str, unit_count: usize, variants: &mut [(&str, &mut dyn FnMut())]) {
    compare_in(ROUNDS, title, unit_count, variants);
}

fn compare_in(
    rounds: usize,
    title: &str,
    unit_count: usize,
    variants: &mut [(&str, &mut dyn FnMut())],
) {
    let mut times = vec![Vec::with_capacity(rounds); variants.len()];
    for _ in 0..rounds {
        for ((_, variant), times) in variants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            variant();
            times.push(start.elapsed().as_nanos() as f64);
        }
    }

    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }

    println!(
        "\n{title}\n{:38} {:>12} {:>12} {:>12} {:>8}",
        "", "fastest, ms", "median, ms", "each, ns", "ratio"
    );

    for ((name, _), own) in variants.iter().zip(&times) {
        let (fastest, median, first) = (own[0], own[rounds / 2], times[0][rounds / 2]);
        let each = median / unit_count as f64;
        println!(
            "  {name:36} {:12.3} {:12.3} {each:12.1} {:8.2}",
            fastest / 1e6,
            median / 1e6,
            median / first
        );
    }
}

fn compare_jobs(
    rounds: usize,
    title: &str,
    jobs: &[Turns],
    cost_ns: impl Fn(Turns) -> u64 + Copy,
    threads: usize,
) {
    compare_in(
        rounds,
        title,
        jobs.len(),
        &mut [
            ("queue", &mut || {
                by_queue(jobs, cost_ns, threads, DEFAULT_MAX_BATCH);
            }),
            ("queue, one at a time", &mut || {
                by_queue(jobs, cost_ns, threads, 1);
            }),
            ("queue, batches up to 64", &mut || {
                by_queue(jobs, cost_ns, threads, 64);
            }),
            ("rayon scope", &mut || by_rayon_scope(jobs)),
            ("rayon par_iter", &mut || by_rayon_iterator(jobs)),
            ("locked heap, one at a time", &mut || {
                by_locked_heap(jobs, threads);
            }),
            ("private batches of threads", &mut || {
                by_private_batches(jobs, threads);
            }),
        ],
    );
}

/// Returns seeded lognormal jobs of `median` turns, with the heavy ones together in the middle.
fn lognormal(count: usize, median: u64) -> Vec<Turns> {
    let mut state = 1_u64;
    let mut normal = || {
        let uniform = (0..12).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1_u32 << 24)
        });
        uniform.sum::<f64>() - 6.0
    };

    let jobs = (0..count).map(|at| {
        let off = (at as f64 / count as f64 - 0.5) * 8.0;
        Turns((median as f64 * (1.0 + 3.0 * (-off * off).exp()) * (0.5 * normal()).exp()) as u64)
    });
    jobs.collect()
}

/// Slices of numbers; each worker repeatedly adds one to its slice.
struct Slices(Vec<Box<[AtomicU64]>>);

impl Slices {
    fn new(numbers: usize, slices: usize) -> Self {
        let slice = |_| (0..numbers / slices).map(|_| AtomicU64::new(0)).collect();
        Self((0..slices).map(slice).collect())
    }

    fn raise(&self, slice: usize) {
        // A load and a store: no other thread has this slice, and the compiler may take several
        // numbers at once.
        for number in &self.0[slice] {
            number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }
}

impl Work for Slices {
    type Job = usize;
    type Worker = ();
    fn worker(&self, _index: usize) {}
    fn run(&self, (): &mut (), slice: &usize) {
        self.raise(*slice);
    }
    fn report_panic(&self, _job: &usize, _message: &str) {}
}

fn compare_increments(threads: usize) {
    const TIMES: usize = 1_000;

    let slices = Slices::new(100_000, threads);

    let plan = |times: usize| {
        let mut plan = JobPlan::new();
        for slice in 0..threads {
            let mut before = plan.add(slice, 1);
            for _ in 1..times {
                let next = plan.add(slice, 1);
                plan.set_parent(before, next);
                before = next;
            }
        }

        plan
    };

    compare(
        "100,000 increments, 1,000 times over: one slice per worker, each time after the time \
         before",
        TIMES,
        &mut [
            ("queue, the parent stays on its worker", &mut || {
                run(
                    &slices,
                    plan(TIMES),
                    &settings(threads, DEFAULT_MAX_BATCH),
                    &Stop::new(),
                );
            }),
            ("rayon scope", &mut || {
                for _ in 0..TIMES {
                    rayon::scope(|scope| {
                        for slice in 0..threads {
                            let slices = &slices;
                            scope.spawn(move |_| slices.raise(slice));
                        }
                    });
                }
            }),
            ("one thread", &mut || {
                (0..TIMES).for_each(|_| (0..threads).for_each(|slice| slices.raise(slice)));
            }),
        ],
    );

    compare(
        "one job a worker: what it takes to start",
        1,
        &mut [
            ("queue, pinned where possible", &mut || {
                run(
                    &slices,
                    plan(1),
                    &settings(threads, DEFAULT_MAX_BATCH),
                    &Stop::new(),
                );
            }),
            ("queue, not pinned", &mut || {
                run(
                    &slices,
                    plan(1),
                    &ScheduleSettings {
                        pin: Pin::None,
                        ..settings(threads, 1)
                    },
                    &Stop::new(),
                );
            }),
            ("threads that do the same", &mut || {
                std::thread::scope(|scope| {
                    for slice in 0..threads {
                        let slices = &slices;
                        scope.spawn(move || slices.raise(slice));
                    }
                });
            }),
        ],
    );
}

/// A binary tree of empty jobs. Each job starts after its two children.
fn tree(nodes: usize, threads: usize) {
    let mut plan = JobPlan::new();
    let ids: Vec<_> = (0..nodes).map(|_| plan.add(Turns(0), 1)).collect();
    for (node, &id) in ids.iter().enumerate().skip(1) {
        plan.set_parent(id, ids[(node - 1) / 2]);
    }
    let summary = run(&Spend, plan, &settings(threads, 64), &Stop::new());
    assert_eq!(summary.finished, nodes);
}

fn main() {
    let named = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok());
    let threads = named.unwrap_or_else(available_threads);
    if rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .is_err()
    {
        println!("rayon would not start {threads} threads");
        return;
    }

    let microsecond = Turns::per_microsecond();
    println!("{threads} threads, {microsecond} turns a microsecond");

    if std::env::args().any(|argument| argument == "long") {
        let own_ns = move |job: Turns| job.0 * 1_000 / microsecond;
        let jobs = lognormal(60, 150_000 * microsecond);
        return compare_jobs(
            LONG_ROUNDS,
            "60 lognormal jobs, median 150 ms",
            &jobs,
            own_ns,
            threads,
        );
    }

    compare_jobs(
        ROUNDS,
        "100,000 empty jobs",
        &vec![Turns(0); 100_000],
        |_| 1,
        threads,
    );

    compare_jobs(
        ROUNDS,
        "1,000 jobs of 100 us",
        &vec![Turns(100 * microsecond); 1_000],
        |_| 100_000,
        threads,
    );

    // The jobs run for 150 us, but the batch rule gets the cost of real regions, 150 ms.
    let full_ns = move |job: Turns| job.0 * 1_000_000 / microsecond;
    compare_jobs(
        ROUNDS,
        "1,000 lognormal jobs, median 150 us",
        &lognormal(1_000, 150 * microsecond),
        full_ns,
        threads,
    );

    compare_increments(threads);
    let nodes = (1 << 20) - 1;
    compare(
        "a tree of 2^20 - 1 empty jobs",
        nodes,
        &mut [("queue", &mut || tree(nodes, threads))],
    );
}
