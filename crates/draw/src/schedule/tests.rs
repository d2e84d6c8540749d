//! Tests of the inside: threads that do not start, sleepers, and CPUs of other machines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use super::affinity::{Pin, choose_cpus, place_on};
use super::board::{Board, Leaves};
use super::idle::Idle;
use super::plan::JobPlan;
use super::queue::CommittedPlan;
use super::settings::ScheduleSettings;
use super::stop::Stop;
use super::sync::Parker;
use super::topology::{Cpu, read};
use super::work::Work;
use super::worker;

struct Count(AtomicUsize);

impl Work for Count {
    type Job = ();
    type Worker = ();
    fn worker(&self, _index: usize) {}
    fn run(&self, (): &mut (), (): &()) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn report_panic(&self, (): &(), _message: &str) {}
}

#[test]
fn jobs_without_children_are_leaves() {
    let mut plan = JobPlan::new();
    let [leaf, other, low, high] = [(); 4].map(|()| plan.add((), 1));
    plan.set_parent(leaf, low);
    plan.set_parent(low, high);
    plan.set_parent(other, high);

    let links = plan.into_parts().1.links().unwrap();
    assert_eq!(
        [leaf, other, low, high].map(|id| links.is_leaf(id.0)),
        [true, true, false, false]
    );
    assert!(!links.is_leaf(4), "no such job");
}

/// Runs 100 jobs on 6 workers. Only the first `startable` workers can be given a stack.
fn run_with_startable_threads(startable: usize) -> (usize, super::Summary) {
    let work = Count(AtomicUsize::new(0));

    let mut plan = JobPlan::new();
    for _ in 0..100 {
        plan.add((), 1);
    }

    let settings = ScheduleSettings {
        threads: 6,
        max_batch: 3,
        pin: Pin::None,
    };

    let builder = |index| {
        if index < startable {
            Builder::new()
        } else {
            Builder::new().stack_size(usize::MAX / 4)
        }
    };

    let summary = worker::run(&work, plan, &settings, &Stop::new(), None, builder);
    (work.0.into_inner(), summary)
}

#[test]
fn threads_that_cannot_be_started_cost_one_warning() {
    let (runs, summary) = run_with_startable_threads(2);
    assert_eq!((runs, summary.finished, summary.not_run), (100, 100, 0));
    assert_eq!(summary.workers.len(), 2);
    assert_eq!(summary.warnings.len(), 1, "{:?}", summary.warnings);
    assert!(summary.warnings[0].starts_with("only 2 of 6 threads could be started: "));
}

#[test]
fn without_any_thread_the_caller_does_the_jobs() {
    let (runs, summary) = run_with_startable_threads(0);
    assert_eq!(
        (runs, summary.finished, summary.workers.len()),
        (100, 100, 1)
    );
    assert_eq!(summary.warnings.len(), 1, "{:?}", summary.warnings);
}

#[test]
fn idle_workers_sleep_and_leave_at_the_end() {
    let mut plan = JobPlan::new();
    plan.add((), 1);

    let (_, dependencies) = plan.into_parts();
    let (board, mut seats) = Board::new(2, 1, Leaves::All);
    board.commit(CommittedPlan::new(
        &dependencies,
        dependencies.links().unwrap(),
        false,
    ));

    let (mut other, mut own) = (seats.pop().unwrap(), seats.pop().unwrap());
    let list = own.plan().unwrap();
    assert_eq!(own.next(&list), Some(0));

    let waits = std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            let list = other.plan().unwrap();
            assert_eq!(other.wait(&list), None);
            other.counts.waits
        });

        // Ends when the other has gone to sleep, or never.
        while !board.idle.is_asleep(1) {
            std::thread::yield_now();
        }

        own.count_end(&list, 0);
        own.leave(&list, false);

        other.join().unwrap()
    });
    assert_eq!(waits, 1, "asleep once, and not woken before the end");
}

#[test]
fn a_wake_up_reaches_any_sleeper() {
    // Three words. No worker parks here, so that each step is known.
    let parkers: Vec<Parker> = (0..130).map(|_| Parker::new()).collect();
    let idle = Idle::new(
        parkers
            .iter()
            .map(|parker| parker.unparker().clone())
            .collect(),
    );

    for worker in 0..130 {
        idle.register(worker);
        idle.announce(1, worker * 7 % 130);
        assert!(!idle.is_asleep(worker), "{worker} was the only one asleep");
    }

    (0..130).for_each(|worker| idle.register(worker));

    for (near, woken) in [
        (100, 100),
        (100, 101),
        (127, 127),
        (127, 64),
        (129, 129),
        (129, 128),
        (129, 0),
    ] {
        idle.announce(1, near);
        assert!(
            !idle.is_asleep(woken),
            "the first from {near} on in its word, then those of the next"
        );
    }

    idle.announce(130 - 7, 64);
    assert!(
        !(0..130).any(|worker| idle.is_asleep(worker)),
        "each wake-up is for another sleeper"
    );
}

#[test]
fn a_released_parent_comes_before_pulled_jobs() {
    // Six leaves; job 6 starts after leaf 0, and job 7 after job 6.
    let mut plan = JobPlan::new();
    let ids: Vec<_> = (0..8).map(|_| plan.add((), 1)).collect();
    plan.set_parent(ids[0], ids[6]);
    plan.set_parent(ids[6], ids[7]);

    let (_, dependencies) = plan.into_parts();
    let (board, mut seats) = Board::new(2, 8, Leaves::All);
    board.commit(CommittedPlan::new(
        &dependencies,
        dependencies.links().unwrap(),
        false,
    ));
    let (mut other, mut own) = (seats.pop().unwrap(), seats.pop().unwrap());
    let list = own.plan().unwrap();

    // A batch has three of the six leaves.
    for job in [0, 6, 7, 1] {
        assert_eq!(own.next(&list), Some(job));
        own.count_end(&list, job);
    }
    assert_eq!(
        [(); 5].map(|()| other.next(&list)),
        [Some(3), Some(4), Some(5), Some(2), None],
        "its own batches, then the job that is still in the other's"
    );
}

/// Two packages, each with one cache over two cores of two CPUs; siblings are 4 apart, as they
/// often are.
fn eight_cpus() -> Vec<Cpu> {
    let cpu = |id: usize| Cpu {
        id,
        core: id % 4,
        cache: id % 4 / 2 * 2,
        sibling: id / 4,
    };
    (0..8).map(cpu).collect()
}

#[test]
fn compact_fills_caches_before_cores_before_siblings() {
    assert_eq!(
        choose_cpus(Pin::Compact, 8, eight_cpus(), 8),
        Some(vec![0, 1, 2, 3, 4, 5, 6, 7])
    );

    let mut crossed = eight_cpus();
    for cpu in &mut crossed {
        cpu.cache = cpu.id % 2;
    }

    assert_eq!(
        choose_cpus(Pin::Compact, 8, crossed, 8),
        Some(vec![0, 2, 1, 3, 4, 6, 5, 7])
    );
}

#[test]
fn spread_alternates_between_caches() {
    assert_eq!(
        choose_cpus(Pin::Spread, 8, eight_cpus(), 8),
        Some(vec![0, 2, 1, 3, 4, 6, 5, 7])
    );
    assert_eq!(
        choose_cpus(Pin::Spread, 2, eight_cpus(), 8),
        Some(vec![0, 2])
    );
}

#[test]
fn more_workers_than_cpus_share_them_in_turn() {
    assert_eq!(
        choose_cpus(Pin::Compact, 10, eight_cpus(), 8),
        Some(vec![0, 1, 2, 3, 4, 5, 6, 7, 0, 1])
    );
}

#[test]
fn auto_pins_only_with_the_machine_to_itself() {
    assert!(choose_cpus(Pin::Auto, 8, eight_cpus(), 8).is_some());
    assert!(
        choose_cpus(Pin::Auto, 4, eight_cpus(), 8).is_some(),
        "one worker a core"
    );
    assert!(
        choose_cpus(Pin::Auto, 3, eight_cpus(), 8).is_none(),
        "fewer workers than cores"
    );

    assert!(
        choose_cpus(Pin::Auto, 9, eight_cpus(), 8).is_none(),
        "more workers than CPUs"
    );

    assert!(
        choose_cpus(Pin::Auto, 8, eight_cpus(), 7).is_none(),
        "a quota below the CPUs"
    );
    assert!(
        choose_cpus(Pin::Auto, 1, Vec::new(), 1).is_none(),
        "no CPU known"
    );
}

#[test]
fn failed_pinning_gives_one_warning() {
    for unknown in [Err("they are hidden".to_owned()), Ok(Vec::new())] {
        for pin in [Pin::Compact, Pin::Spread] {
            let warning = place_on(pin, 2, unknown.clone(), 2).unwrap_err();
            assert!(warning.starts_with("workers are not pinned: "), "{warning}");
        }
        assert_eq!(
            place_on(Pin::Auto, 2, unknown, 2),
            Ok(None),
            "not asked for"
        );
    }
}

#[test]
fn siblings_and_caches_are_read_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let put = |file: &str, text: &str| {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        #[allow(
            clippy::disallowed_methods,
            reason = "a made-up /sys in a temporary folder"
        )]
        std::fs::write(file, text).unwrap();
    };

    // CPUs 0 and 1 are one core, 2 and 3 another; 0 to 3 share the largest cache; the files of 5
    // are incomplete, 6 has none.
    for (cpu, core) in [(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2,3")] {
        put(&format!("cpu{cpu}/topology/core_cpus_list"), core);

        for (index, level, kind, shared) in [
            (0, 1, "Data", core),
            (1, 1, "Instruction", core),
            (2, 3, "Unified", "0-3\n"),
            (3, 2, "Unified", core),
        ] {
            put(
                &format!("cpu{cpu}/cache/index{index}/level"),
                &format!("{level}\n"),
            );

            put(
                &format!("cpu{cpu}/cache/index{index}/type"),
                &format!("{kind}\n"),
            );
            put(
                &format!("cpu{cpu}/cache/index{index}/shared_cpu_list"),
                shared,
            );
        }
    }

    put("cpu5/topology/thread_siblings_list", "4-5\n");
    put("cpu5/topology/core_siblings_list", "4-7\n");

    let cpu = |id, core, cache, sibling| Cpu {
        id,
        core,
        cache,
        sibling,
    };

    assert_eq!(
        read(folder.path(), &[0, 1, 3, 5, 6]),
        [
            cpu(0, 0, 0, 0),
            cpu(1, 0, 0, 1),
            cpu(3, 2, 0, 0),
            cpu(5, 4, 4, 0),
            cpu(6, 6, 0, 0)
        ]
    );
}
