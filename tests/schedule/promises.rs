//! Tests the promises of `schedule`: each job runs once, in order, and parents run after children.
//! A stop ends the work, and a panic costs one job.

use pixelmap_draw::schedule::{
    BATCH_COST_NS, JobPlan, NodeId, Pin, ScheduleSettings, Stop, Summary, Work, pull_size, run,
};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Numbers above 64 need more than one word of bits for the sleepers.
pub(super) const THREADS: [usize; 7] = [1, 2, 3, 8, 64, 65, 130];

pub(super) fn settings(threads: usize) -> ScheduleSettings {
    ScheduleSettings {
        threads,
        pin: Pin::None,
        ..ScheduleSettings::default()
    }
}

/// Records the order in which jobs begin and end, and runs the code of a test in each job.
pub(super) struct Log<F> {
    events: Mutex<Vec<Event>>,
    act: F,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    Begun(usize),
    Ended(usize),
    Panicked(usize, String),
}

impl<F: Fn(usize, usize) + Sync> Log<F> {
    pub(super) fn new(act: F) -> Self {
        Self {
            events: Mutex::new(Vec::new()),
            act,
        }
    }

    fn note(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }

    pub(super) fn begun(&self) -> Vec<usize> {
        let begun = |event: &Event| {
            if let Event::Begun(job) = event {
                Some(*job)
            } else {
                None
            }
        };

        self.events
            .lock()
            .unwrap()
            .iter()
            .filter_map(begun)
            .collect()
    }
}

impl<F: Fn(usize, usize) + Sync> Work for Log<F> {
    type Job = usize;
    type Worker = usize;
    fn worker(&self, index: usize) -> usize {
        index
    }
    fn run(&self, worker: &mut usize, job: &usize) {
        self.note(Event::Begun(*job));
        (self.act)(*worker, *job);
        self.note(Event::Ended(*job));
    }
    fn report_panic(&self, job: &usize, message: &str) {
        self.note(Event::Panicked(*job, message.to_owned()));
    }
}

fn leaves(count: usize, cost_ns: u64) -> JobPlan<usize> {
    let mut plan = JobPlan::new();
    for job in 0..count {
        plan.add(job, cost_ns);
    }
    plan
}

/// A seeded forest with about `jobs` jobs: its plan, and each job's parent.
fn forest(jobs: usize, seed: u64) -> (JobPlan<usize>, Vec<Option<usize>>) {
    let mut state = seed;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };

    let mut plan = JobPlan::new();
    let ids: Vec<NodeId> = (0..jobs)
        .map(|job| plan.add(job, below(60) as u64 * 1_000_000))
        .collect();
    let mut parents = vec![None; jobs];

    // A parent may be added before or after its children. Ranks from a shuffle keep the plan a
    // forest.
    let mut ranks: Vec<usize> = (0..jobs).collect();
    for at in (1..jobs).rev() {
        ranks.swap(at, below(at + 1));
    }

    for job in 0..jobs {
        let other = below(jobs);
        if ranks[other] > ranks[job] && below(8) > 0 {
            parents[job] = Some(other);
            plan.set_parent(ids[job], ids[other]);
        }
    }

    (plan, parents)
}

pub(super) fn assert_once(begun: &[usize], jobs: usize) {
    assert_eq!(begun.len(), jobs);
    assert_eq!(begun.iter().collect::<HashSet<_>>().len(), jobs);
}

pub(super) fn assert_all(summary: &Summary, jobs: usize) {
    assert_eq!((summary.finished, summary.not_run), (jobs, 0));
    assert_eq!(
        summary
            .workers
            .iter()
            .map(|worker| worker.jobs)
            .sum::<usize>(),
        jobs
    );
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
}

#[test]
fn a_pull_takes_a_fair_bounded_share() {
    let cases = [
        // waiting, threads, max_batch, taken
        (0, 4, 8, 0),
        (1, 4, 8, 1),
        (4, 4, 8, 1),
        (5, 4, 8, 2),
        (32, 4, 8, 8),
        (33, 4, 8, 8),
        (33, 4, 100, 9),
        (1_000, 1, 8, 8),
        (1_000, 1, 10_000, 1_000),
        (1_000, 4, 1, 1),
        (1_000, 4, 0, 1),
        (7, 0, 8, 7),
    ];

    for (waiting, threads, max_batch, taken) in cases {
        assert_eq!(
            pull_size(&vec![1; waiting], threads, max_batch),
            taken,
            "{waiting} {threads} {max_batch}"
        );
    }
}

#[test]
fn a_batch_ends_at_its_cost_limit() {
    let tenth = BATCH_COST_NS;
    assert_eq!(tenth, 100_000_000);

    let cases: [(&[u64], usize); 6] = [
        (&[tenth + 1, 1, 1, 1], 1),
        (&[tenth, 1, 1, 1], 2),
        (&[tenth / 2, tenth / 2, 1, 1], 3),
        (&[tenth / 2, tenth / 2 + 1, 1, 1], 2),
        (&[u64::MAX, u64::MAX], 1),
        (&[tenth / 4; 4], 4),
    ];

    for (costs_ns, taken) in cases {
        assert_eq!(pull_size(costs_ns, 1, 8), taken, "{costs_ns:?}");
    }
}

#[test]
fn each_job_runs_once() {
    for threads in THREADS {
        for max_batch in [1, 4, usize::MAX] {
            let log = Log::new(|_, _| ());
            let summary = run(
                &log,
                leaves(2_000, 1),
                &ScheduleSettings {
                    max_batch,
                    ..settings(threads)
                },
                &Stop::new(),
            );

            assert_once(&log.begun(), 2_000);
            assert_all(&summary, 2_000);
            assert_eq!(summary.workers.len(), threads);
        }
    }
}

#[test]
fn one_worker_keeps_the_order_of_the_plan() {
    for max_batch in [1, 4, 8, usize::MAX] {
        let log = Log::new(|_, _| ());
        run(
            &log,
            leaves(500, 1),
            &ScheduleSettings {
                max_batch,
                ..settings(1)
            },
            &Stop::new(),
        );

        assert_eq!(
            log.begun(),
            (0..500).collect::<Vec<_>>(),
            "max_batch {max_batch}"
        );
    }
}

#[test]
fn parents_run_before_leaves_the_deeper_first() {
    // Four children per parent, and two parents per parent above. All parents are added first, then
    // the leaves.
    let mut plan = JobPlan::new();
    let top = plan.add(100, 1);
    let parents = [plan.add(10, 1), plan.add(11, 1)];
    for &parent in &parents {
        plan.set_parent(parent, top);
    }

    for leaf in 0..8 {
        let id = plan.add(leaf, 1);
        plan.set_parent(id, parents[leaf / 4]);
    }

    plan.add(8, 1);
    let log = Log::new(|_, _| ());
    assert_all(&run(&log, plan, &settings(1), &Stop::new()), 12);
    assert_eq!(log.begun(), [0, 1, 2, 3, 10, 4, 5, 6, 7, 11, 100, 8]);
}

#[test]
fn the_worker_of_the_last_child_continues_above() {
    let mut plan = JobPlan::new();
    for pair in 0..200 {
        let child = plan.add(2 * pair, 1);
        let parent = plan.add(2 * pair + 1, 1);
        plan.set_parent(child, parent);
    }

    let workers: Vec<AtomicUsize> = (0..400).map(|_| AtomicUsize::new(0)).collect();
    let act = |worker: usize, job: usize| workers[job].store(worker, Ordering::Relaxed);
    assert_all(&run(&Log::new(act), plan, &settings(8), &Stop::new()), 400);

    for pair in workers.chunks(2) {
        assert_eq!(
            pair[0].load(Ordering::Relaxed),
            pair[1].load(Ordering::Relaxed)
        );
    }
}

#[test]
fn parents_run_after_all_their_children() {
    for threads in THREADS {
        for seed in 0..8 {
            let (plan, parents) = forest(700, seed);
            let log = Log::new(|_, _| ());
            assert_all(&run(&log, plan, &settings(threads), &Stop::new()), 700);
            assert_once(&log.begun(), 700);

            let events = log.events.lock().unwrap();
            let (mut begun, mut ended) = (vec![0; 700], vec![0; 700]);
            for (at, event) in events.iter().enumerate() {
                match *event {
                    Event::Begun(job) => begun[job] = at,
                    Event::Ended(job) => ended[job] = at,
                    Event::Panicked(..) => panic!("nothing panics here"),
                }
            }

            for (job, parent) in parents.iter().enumerate() {
                assert!(
                    parent.is_none_or(|parent| ended[job] < begun[parent]),
                    "{threads} threads, seed {seed}"
                );
            }
        }
    }
}

#[test]
fn parents_with_packed_counters_still_run_last() {
    // Each parent has three children, and one job is the parent of all parents.
    let (parents, top) = (10_000, 100_000);
    let mut plan = JobPlan::new();
    let last = plan.add(top, 1);
    for parent in 0..parents {
        let own = plan.add(4 * parent, 1);
        plan.set_parent(own, last);
        for child in 1..4 {
            let child = plan.add(4 * parent + child, 1);
            plan.set_parent(child, own);
        }
    }

    let left: Vec<AtomicUsize> = (0..parents).map(|_| AtomicUsize::new(3)).collect();
    let act = |_worker: usize, job: usize| match job % 4 {
        0 if job < top => assert_eq!(left[job / 4].load(Ordering::Acquire), 0, "{job}"),
        0 => {}
        _ => drop(left[job / 4].fetch_sub(1, Ordering::AcqRel)),
    };

    let log = Log::new(act);
    assert_all(
        &run(&log, plan, &settings(8), &Stop::new()),
        4 * parents + 1,
    );

    assert_eq!(log.begun().last(), Some(&top));
    assert!(
        !log.events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, Event::Panicked(..)))
    );
}

#[test]
fn unstarted_pulled_jobs_can_be_stolen() {
    // Both workers pull half of the jobs in one batch; job 0 then holds its worker until all others
    // are done.
    let done = AtomicUsize::new(0);
    let act = |_worker: usize, job: usize| {
        while job == 0 && done.load(Ordering::Acquire) < 199 {
            std::thread::yield_now();
        }
        done.fetch_add(1, Ordering::AcqRel);
    };

    let log = Log::new(act);
    let summary = run(
        &log,
        leaves(200, 1),
        &ScheduleSettings {
            max_batch: usize::MAX,
            ..settings(2)
        },
        &Stop::new(),
    );
    assert_all(&summary, 200);

    assert!(
        summary
            .workers
            .iter()
            .map(|worker| worker.steals)
            .sum::<usize>()
            > 0
    );
}

#[test]
fn jobs_that_wait_together_all_get_workers() {
    // All workers meet in each job. A worker that slept while a job waited for it would block the
    // run.
    for (threads, times) in [(8, 200), (130, 8)] {
        let together = std::sync::Barrier::new(threads);
        let act = |_worker: usize, _job: usize| {
            together.wait();
        };

        for _ in 0..times {
            let log = Log::new(act);
            assert_all(
                &run(
                    &log,
                    leaves(threads * 4, 1),
                    &settings(threads),
                    &Stop::new(),
                ),
                threads * 4,
            );
        }
    }
}

#[test]
fn a_panicking_worker_costs_one_job() {
    let act = |_worker: usize, job: usize| assert!(job != 117, "job {job} went wrong");
    let log = Log::new(act);

    let mut plan = JobPlan::new();
    let top = plan.add(1_000, 1);
    for job in 0..400 {
        let leaf = plan.add(job, 1);
        plan.set_parent(leaf, top);
    }

    let summary = run(&log, plan, &settings(40), &Stop::new());
    assert_all(&summary, 401);
    assert_once(&log.begun(), 401);
    let events = log.events.lock().unwrap();
    let panicked: Vec<&Event> = events
        .iter()
        .filter(|event| matches!(event, Event::Panicked(..)))
        .collect();

    assert_eq!(
        panicked,
        [&Event::Panicked(117, "job 117 went wrong".to_owned())]
    );
    assert_eq!(
        events.last(),
        Some(&Event::Ended(1_000)),
        "the parent of the failed job still runs"
    );
}

#[test]
fn all_jobs_may_panic_without_a_hang() {
    for threads in THREADS {
        let (plan, _) = forest(300, 5);
        let log = Log::new(|_, _| panic!("no"));
        let summary = run(&log, plan, &settings(threads), &Stop::new());
        assert_all(&summary, 300);
        assert_once(&log.begun(), 300);
        assert_eq!(log.events.lock().unwrap().len(), 600);
    }
}

/// A job that panics in some places.
#[derive(Default)]
struct Faulty {
    ran: AtomicUsize,
    made: AtomicUsize,
    in_worker: Option<fn(usize, usize) -> bool>,
    in_panicked: bool,
    in_drop: bool,
}

struct Buffers(bool);

impl Drop for Buffers {
    fn drop(&mut self) {
        assert!(!self.0, "dropped badly");
    }
}

impl Work for Faulty {
    type Job = usize;
    type Worker = Buffers;
    fn worker(&self, index: usize) -> Buffers {
        let made = self.made.fetch_add(1, Ordering::Relaxed);
        assert!(
            !self.in_worker.is_some_and(|bad| bad(index, made)),
            "no buffers for {index}"
        );
        Buffers(self.in_drop)
    }
    fn run(&self, _worker: &mut Buffers, job: &usize) {
        self.ran.fetch_add(1, Ordering::Relaxed);
        assert!(job % 50 != 7, "unlucky");
    }
    fn report_panic(&self, _job: &usize, _message: &str) {
        assert!(!self.in_panicked, "cannot even report");
    }
}

/// Makes 200 leaves and two levels of parents. Four leaves and one parent per level panic.
fn tree() -> JobPlan<usize> {
    let mut plan = JobPlan::new();
    let parents: Vec<NodeId> = (200..220).map(|job| plan.add(job, 1)).collect();
    let top = plan.add(257, 1);
    for &parent in &parents {
        plan.set_parent(parent, top);
    }

    for job in 0..200 {
        let leaf = plan.add(job, 1);
        plan.set_parent(leaf, parents[job / 10]);
    }

    plan
}

#[test]
fn workers_without_buffers_leave_jobs_to_others() {
    for threads in &THREADS[1..] {
        let work = Faulty {
            in_worker: Some(|index, _| index == 1),
            ..Faulty::default()
        };
        let summary = run(&work, tree(), &settings(*threads), &Stop::new());
        assert_eq!((summary.finished, work.ran.into_inner()), (221, 221));
        assert_eq!(summary.workers[1].jobs, 0);
        assert_eq!(
            summary.warnings,
            ["worker 1 could not be set up: no buffers for 1"]
        );
    }
}

#[test]
fn without_any_worker_nothing_runs_and_nothing_hangs() {
    for threads in THREADS {
        let work = Faulty {
            in_worker: Some(|_, _| true),
            ..Faulty::default()
        };
        let summary = run(&work, tree(), &settings(threads), &Stop::new());
        assert_eq!((summary.finished, summary.not_run), (0, 221));
        assert_eq!(summary.warnings.len(), threads);
    }
}

#[test]
fn worker_that_fails_later_hands_over_its_jobs() {
    for threads in THREADS {
        // Every second set-up fails after all workers have been made once.
        let work = Faulty {
            in_worker: Some(|_, made| made >= 130 && made % 2 == 0),
            ..Faulty::default()
        };
        work.made.store(130 - threads, Ordering::Relaxed);

        let summary = run(&work, tree(), &settings(threads), &Stop::new());
        if threads > 6 {
            assert_eq!(
                summary.not_run, 0,
                "six panics cannot take away all of {threads} workers"
            );
        }

        assert_eq!(summary.finished, work.ran.into_inner());
        assert_eq!(summary.finished + summary.not_run, 221);
    }
}

#[test]
fn a_panic_while_reporting_is_a_warning() {
    for threads in THREADS {
        let work = Faulty {
            in_panicked: true,
            in_drop: true,
            ..Faulty::default()
        };
        let summary = run(&work, tree(), &settings(threads), &Stop::new());
        assert_eq!(
            (summary.finished, summary.not_run, summary.warnings.len()),
            (221, 0, 6)
        );

        assert_eq!(
            summary.warnings[0],
            "a failed job could not be reported: cannot even report; it had failed with: unlucky"
        );
    }
}

#[test]
fn a_plan_with_a_ring_publishes_nothing() {
    let mut ring = leaves(10, 1);
    let ids: Vec<NodeId> = (10..13).map(|job| ring.add(job, 1)).collect();
    for at in 0..3 {
        ring.set_parent(ids[at], ids[(at + 1) % 3]);
    }

    let mut stray = leaves(2, 1);
    let own = stray.add(2, 1);
    stray.set_parent(own, ids[2]);
    let mut selfish = leaves(2, 1);
    let own = selfish.add(2, 1);
    selfish.set_parent(own, own);

    for (plan, jobs) in [(ring, 13), (stray, 3), (selfish, 3)] {
        let log = Log::new(|_, _| ());
        let summary = run(&log, plan, &settings(3), &Stop::new());
        assert_eq!(
            (summary.finished, summary.not_run, summary.warnings.len()),
            (0, jobs, 1)
        );
        assert!(log.begun().is_empty());
    }
}

#[test]
fn after_a_stop_no_further_job_begins() {
    for threads in THREADS {
        let stop = Stop::new();
        let (begun_late, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let act = |_worker: usize, job: usize| {
            begun_late.fetch_add(
                usize::from(stopped.load(Ordering::SeqCst)),
                Ordering::SeqCst,
            );
            if job == 100 {
                stop.request();
                stopped.store(true, Ordering::SeqCst);
            }
        };

        let log = Log::new(act);
        let summary = run(&log, leaves(5_000, 1), &settings(threads), &stop);
        let begun = log.begun().len();
        assert_eq!((summary.finished, summary.not_run), (begun, 5_000 - begun));
        assert!(summary.not_run > 0);

        // A worker that read the flag just before may be about to begin one job.
        assert!(begun_late.into_inner() < threads);
    }
}

#[test]
fn a_stop_before_the_start_runs_nothing() {
    let stop = Stop::new();
    stop.clone().request();
    let log = Log::new(|_, _| ());
    let summary = run(&log, leaves(10, 1), &settings(4), &stop);
    assert_eq!((summary.finished, summary.not_run), (0, 10));
}

#[test]
fn a_stop_of_an_idle_run_ends_it() {
    let stop = Stop::new();
    let mut plan = JobPlan::new();
    let (first, second) = (plan.add(0, 1), plan.add(1, 1));
    plan.set_parent(first, second);

    for job in 2..10 {
        plan.add(job, 1);
    }

    // The first job holds its worker until the other workers have nothing left to do and sleep.
    let others = AtomicUsize::new(8);
    let act = |_worker: usize, job: usize| {
        if job > 0 {
            others.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        while others.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
        stop.request();
    };

    let log = Log::new(act);
    let summary = run(&log, plan, &settings(8), &stop);
    assert_eq!((summary.finished, summary.not_run), (9, 1));
}

#[test]
fn an_empty_plan_ends_at_once() {
    let log = Log::new(|_, _| ());
    let summary = run(&log, JobPlan::new(), &settings(4), &Stop::new());
    assert_eq!(
        (summary.finished, summary.not_run, summary.workers.len()),
        (0, 0, 0)
    );
}
