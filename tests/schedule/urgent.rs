//! Tests urgent leaves, which begin before all others.

use super::promises::{Log, THREADS, assert_all, assert_once, settings};
use pixelmap_draw::schedule::{JobPlan, NodeId, Stop, Urgent, run_urgent};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A plan of leaves, and their numbers in it.
fn numbered_leaves(count: usize) -> (JobPlan<usize>, Vec<NodeId>) {
    let mut plan = JobPlan::new();
    let ids = (0..count).map(|job| plan.add(job, 1_000)).collect();
    (plan, ids)
}

#[test]
fn urgent_jobs_begin_first_and_once() {
    let (plan, ids) = numbered_leaves(100);
    let urgent = Urgent::with_other_leaves();
    let act = |_: usize, job: usize| match job {
        0 => urgent.set([ids[70], ids[3], ids[60]]),
        // A second list replaces the first: 60 waits for its turn again, and jobs that have already
        // run are skipped.
        3 => urgent.set([ids[70], ids[50]]),
        _ => {}
    };

    let log = Log::new(act);
    let summary = run_urgent(&log, plan, &settings(1), &Stop::new(), &urgent);
    assert_all(&summary, 100);

    let begun = log.begun();
    assert_eq!(begun[..6], [0, 70, 3, 50, 1, 2]);
    assert!(
        begun[4..].is_sorted(),
        "the others in the order of the plan"
    );
    assert_once(&begun, 100);
}

#[test]
fn urgent_lists_set_before_the_run_count() {
    let (plan, ids) = numbered_leaves(10);
    let urgent = Urgent::with_other_leaves();
    urgent.set([ids[9]]);
    let log = Log::new(|_, _| {});
    run_urgent(&log, plan, &settings(1), &Stop::new(), &urgent);
    assert_eq!(log.begun()[..2], [9, 0]);
}

#[test]
fn urgent_lists_set_between_runs_count() {
    let urgent = Urgent::with_other_leaves();
    for last in [9, 8] {
        let (plan, ids) = numbered_leaves(10);
        urgent.set([ids[last]]);
        let log = Log::new(|_, _| {});
        run_urgent(&log, plan, &settings(1), &Stop::new(), &urgent);
        assert_eq!(log.begun()[..2], [last, 0]);
    }
}

#[test]
fn many_workers_run_each_leaf_once_however_urgent() {
    for threads in THREADS {
        let (plan, ids) = numbered_leaves(500);
        let urgent = Urgent::with_other_leaves();
        let act = |_: usize, job: usize| {
            urgent.set([ids[499 - job % 250], ids[job], ids[(job * 7) % 500]]);
        };

        let log = Log::new(act);
        assert_all(
            &run_urgent(&log, plan, &settings(threads), &Stop::new(), &urgent),
            500,
        );
        assert_once(&log.begun(), 500);
    }
}

#[test]
fn only_urgent_jobs_run_until_the_stop() {
    for threads in [1, 3] {
        let (mut plan, ids) = numbered_leaves(20);
        let parent = plan.add(20, 1_000);
        ids[..2]
            .iter()
            .for_each(|&leaf| plan.set_parent(leaf, parent));

        let (urgent, ended) = (Urgent::without_other_leaves(), AtomicUsize::new(0));
        let act = |_: usize, _: usize| {
            ended.fetch_add(1, Ordering::Relaxed);
        };

        let log = Log::new(act);
        let summary = std::thread::scope(|scope| {
            let run =
                scope.spawn(|| run_urgent(&log, plan, &settings(threads), &Stop::new(), &urgent));
            urgent.set([ids[1], ids[9]]);

            while ended.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }

            urgent.set([ids[0]]);

            while ended.load(Ordering::Relaxed) < 4 {
                std::thread::yield_now();
            }

            std::thread::sleep(std::time::Duration::from_millis(20));
            urgent.end();

            run.join().unwrap()
        });
        assert_eq!((summary.finished, summary.not_run), (4, 17));

        let mut begun = log.begun();
        assert_eq!(begun.last(), Some(&20), "the parent after its children");
        begun.sort_unstable();
        assert_eq!(begun, [0, 1, 9, 20]);
    }
}

#[test]
fn a_run_ended_early_runs_only_urgent_jobs() {
    let (plan, _) = numbered_leaves(5);
    let urgent = Urgent::without_other_leaves();
    urgent.end();
    let log = Log::new(|_, _| {});
    assert_eq!(
        run_urgent(&log, plan, &settings(2), &Stop::new(), &urgent).not_run,
        5
    );
}
