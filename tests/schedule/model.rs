//! The protocols of `schedule`, tried in every order of events (up to a number of preemptions) and
//! under every value that weak memory lets a thread read.
//!
//! The same source files as in the library are compiled here over loom's atomics, locks and
//! condition variables. crossbeam's deque is replaced by a locked one, its parker by a lock and a
//! condition variable. A lost wake-up leaves all threads blocked, which loom reports as a deadlock.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "the files are compiled for their protocols, not for their interface"
)]

#[path = "../../crates/draw/src/schedule/board.rs"]
mod board;
#[path = "../../crates/draw/src/schedule/countdown.rs"]
mod countdown;
#[path = "../../crates/draw/src/schedule/idle.rs"]
mod idle;
#[path = "../../crates/draw/src/schedule/plan.rs"]
mod plan;
#[path = "../../crates/draw/src/schedule/queue.rs"]
mod queue;

/// Stands in for `crates/draw/src/schedule/sync.rs`.
mod sync {
    pub(super) use crossbeam_utils::CachePadded;
    use loom::sync::Condvar;
    use loom::sync::MutexGuard;
    pub(super) use loom::sync::atomic::{
        AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    pub(super) use loom::sync::{Arc, Mutex};
    use std::collections::VecDeque;

    /// The bit of the last of three workers is in a second word.
    pub(super) const BITS: usize = 2;

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    /// The result of a theft.
    pub(super) enum Steal<T> {
        Success(T),
        Empty,
        #[allow(dead_code, reason = "a locked deque is never busy")]
        Retry,
    }

    /// A deque that is popped at the end where it is pushed.
    #[derive(Debug)]
    pub(super) struct Deque<T>(Arc<Mutex<VecDeque<T>>>);

    /// The other end of a deque.
    #[derive(Debug)]
    pub(super) struct Stealer<T>(Arc<Mutex<VecDeque<T>>>);

    impl<T> Deque<T> {
        pub(super) fn new_lifo() -> Self {
            Self(Arc::new(Mutex::new(VecDeque::new())))
        }
        pub(super) fn stealer(&self) -> Stealer<T> {
            Stealer(Arc::clone(&self.0))
        }
        pub(super) fn push(&self, job: T) {
            self.0.lock().unwrap().push_back(job);
        }
        pub(super) fn pop(&self) -> Option<T> {
            self.0.lock().unwrap().pop_back()
        }
        pub(super) fn len(&self) -> usize {
            self.0.lock().unwrap().len()
        }
    }

    impl<T> Stealer<T> {
        pub(super) fn steal(&self) -> Steal<T> {
            self.0
                .lock()
                .unwrap()
                .pop_front()
                .map_or(Steal::Empty, Steal::Success)
        }
    }

    /// One token: an unparking before the parking lets the next parking return at once.
    #[derive(Debug)]
    pub(super) struct Parker(Unparker);

    /// The other side of a parker.
    #[derive(Debug, Clone)]
    pub(super) struct Unparker(Arc<(Mutex<bool>, Condvar)>);

    impl Parker {
        pub(super) fn new() -> Self {
            Self(Unparker(Arc::new((Mutex::new(false), Condvar::new()))))
        }
        pub(super) fn unparker(&self) -> &Unparker {
            &self.0
        }
        pub(super) fn park(&self) {
            let (token, changed) = &*self.0.0;
            let mut token = token.lock().unwrap();
            while !*token {
                token = changed.wait(token).unwrap();
            }
            *token = false;
        }
    }

    impl Unparker {
        pub(super) fn unpark(&self) {
            *self.0.0.lock().unwrap() = true;
            self.0.1.notify_one();
        }
    }

    /// Never spins: a worker without work goes to sleep at once.
    pub(super) struct Backoff;

    #[allow(clippy::unused_self, reason = "the interface is crossbeam's")]
    impl Backoff {
        pub(super) fn new() -> Self {
            Self
        }
        pub(super) fn is_completed(&self) -> bool {
            true
        }
        pub(super) fn snooze(&self) {}
        pub(super) fn reset(&self) {}
    }
}

use board::{Board, Leaves, Seat};
use countdown::{Countdown, EndedCounts};
use idle::Idle;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use plan::JobPlan;
use queue::{CommittedPlan, PlanSlot};
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use sync::Parker;

/// Tries every order of events with at most `preemptions` switches away from a thread that could
/// continue. `LOOM_MAX_PREEMPTIONS` sets another number. Each further preemption takes about ten
/// times as long.
fn every_order(preemptions: usize, events: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound.get_or_insert(preemptions);
    model.check(events);
}

fn numbers(count: usize) -> Arc<Vec<AtomicUsize>> {
    Arc::new((0..count).map(|_| AtomicUsize::new(0)).collect())
}

fn join_all(threads: impl IntoIterator<Item = thread::JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Jobs that continue only after all jobs of their group have begun.
struct Meeting(Mutex<usize>, Condvar);

impl Meeting {
    fn of(members: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(members), Condvar::new()))
    }

    fn attend(&self) {
        let mut missing = self.0.lock().unwrap();
        *missing -= 1;
        self.1.notify_all();
        while *missing > 0 {
            missing = self.1.wait(missing).unwrap();
        }
    }
}

#[test]
fn the_last_child_releases_the_parent() {
    every_order(3, || {
        let (done, last, counter) = (numbers(3), numbers(1), Arc::new(Countdown::new(3)));
        let child = |own: usize| {
            let (done, last, counter) =
                (Arc::clone(&done), Arc::clone(&last), Arc::clone(&counter));
            move || {
                done[own].store(1, Ordering::Relaxed);
                if counter.end_one() {
                    last[0].fetch_add(1, Ordering::Relaxed);
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
                }
            }
        };

        let others = [thread::spawn(child(0)), thread::spawn(child(1))];
        child(2)();
        join_all(others);
        assert_eq!(last[0].load(Ordering::Relaxed), 1);
    });
}

#[test]
fn the_last_publisher_sees_all_jobs_ended() {
    every_order(3, || {
        let (tally, saw_all) = (Arc::new(EndedCounts::new(3)), numbers(1));
        let worker = |index: usize| {
            let (tally, saw_all) = (Arc::clone(&tally), Arc::clone(&saw_all));
            move || {
                for ended in 1..=2 - index.min(1) {
                    if tally.publish(index, ended) == 4 {
                        saw_all[0].fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        };

        let others = [thread::spawn(worker(0)), thread::spawn(worker(1))];
        worker(2)();
        join_all(others);
        assert!(saw_all[0].load(Ordering::Relaxed) > 0);
    });
}

/// State that one of the sleepers below shares with the publisher.
struct Room {
    idle: Idle,
    jobs: Mutex<VecDeque<usize>>,
    meeting: Arc<Meeting>,
}

impl Room {
    fn take(&self) -> Option<usize> {
        self.jobs.lock().unwrap().pop_front()
    }

    /// Sleeps until there is a job, and meets the others in it.
    fn work(&self, worker: usize, parker: &Parker) {
        loop {
            self.idle.register(worker);
            let job = self.take();
            if job.is_some() {
                self.idle.withdraw(worker);
                return self.meeting.attend();
            }
            self.idle.park(worker, parker);
            if self.take().is_some() {
                return self.meeting.attend();
            }
        }
    }
}

/// Two sleepers whose bits are in the same word, and two whose bits are in different words.
const SLEEPERS: [[usize; 2]; 2] = [[0, 1], [1, 2]];

/// Two of three workers sleep, and two jobs continue only together. `before` of the jobs exist from
/// the start. The others are published and announced, beginning near the sleeper with the number in
/// `near`. With `stale`, the first sleeper still has an unparking from before.
fn two_sleepers(sleepers: [usize; 2], before: usize, near: [usize; 2], stale: bool) {
    let parkers: Vec<Parker> = (0..3).map(|_| Parker::new()).collect();
    let idle = Idle::new(
        parkers
            .iter()
            .map(|parker| parker.unparker().clone())
            .collect(),
    );

    if stale {
        parkers[sleepers[0]].unparker().unpark();
    }

    let near = near.map(|near| sleepers[near]);
    let room = Arc::new(Room {
        idle,
        jobs: Mutex::new((0..before).collect()),
        meeting: Meeting::of(2),
    });

    let sleepers: Vec<_> = parkers
        .into_iter()
        .enumerate()
        .filter(|(worker, _)| sleepers.contains(worker))
        .map(|(worker, parker)| {
            let room = Arc::clone(&room);
            thread::spawn(move || room.work(worker, &parker))
        })
        .collect();

    if stale {
        // Lets the sleepers go first, because another order would need a preemption.
        thread::yield_now();
    }

    for (job, near) in near.into_iter().enumerate().skip(before) {
        room.jobs.lock().unwrap().push_back(job);
        room.idle.announce(1, near);
    }

    join_all(sleepers);
}

#[test]
fn no_wake_up_is_lost() {
    for sleepers in SLEEPERS {
        every_order(3, move || two_sleepers(sleepers, 0, [0, 0], false));
    }
}

#[test]
fn unneeded_wake_ups_are_passed_on() {
    for sleepers in SLEEPERS {
        every_order(3, move || two_sleepers(sleepers, 1, [0, 0], false));
    }
}

#[test]
fn a_passed_wake_up_reaches_its_publishers_sleeper() {
    // Worker 1 has registered and found work by itself. Meanwhile worker 2, in another word, falls
    // asleep.
    every_order(3, || {
        let mut parkers: Vec<Parker> = (0..3).map(|_| Parker::new()).collect();
        let idle = Idle::new(
            parkers
                .iter()
                .map(|parker| parker.unparker().clone())
                .collect(),
        );
        idle.register(1);

        let shared = Arc::new((idle, numbers(1)));
        let withdraws = Arc::clone(&shared);

        let (sleeps, parker) = (Arc::clone(&shared), parkers.pop().unwrap());
        let others = [
            thread::spawn(move || withdraws.0.withdraw(1)),
            thread::spawn(move || {
                let (idle, published) = &*sleeps;
                idle.register(2);
                if published[0].load(Ordering::Relaxed) == 0 {
                    idle.park(2, &parker);
                }
            }),
        ];

        let (idle, published) = &*shared;
        published[0].store(1, Ordering::Relaxed);
        idle.announce(1, 1);
        join_all(others);
    });
}

#[test]
fn stale_unparking_wakes_no_worker() {
    for sleepers in SLEEPERS {
        every_order(2, move || two_sleepers(sleepers, 0, [1, 0], true));
    }
}

#[test]
fn a_plan_is_visible_whole_or_never() {
    every_order(3, || {
        let slot = Arc::new(PlanSlot::empty());
        let look = Arc::clone(&slot);
        let other = thread::spawn(move || {
            if let Some(list) = look.get() {
                assert_eq!(list.links.len(), 4);
                assert_eq!(list.leaves.pull(1, 9), [1, 2, 3]);
            }
        });
        slot.commit(committed(3, 1..=3, false));
        other.join().unwrap();
        assert!(slot.get().is_some());
    });
}

#[test]
fn a_leaf_is_pulled_by_one_worker() {
    every_order(3, || {
        let (list, pulled) = (Arc::new(committed(4, 1..=4, false)), numbers(6));

        let pull = |max_batch: usize| {
            let (list, pulled) = (Arc::clone(&list), Arc::clone(&pulled));
            move || {
                while let jobs @ [_, ..] = list.leaves.pull(2, max_batch) {
                    for &job in jobs {
                        assert_eq!(pulled[job as usize].fetch_add(1, Ordering::Relaxed), 0);
                    }
                }
            }
        };

        let other = thread::spawn(pull(2));
        pull(1)();
        other.join().unwrap();
        assert_eq!(
            pulled
                .iter()
                .map(|pulled| pulled.load(Ordering::Relaxed))
                .sum::<usize>(),
            4
        );
    });
}

/// Returns job 0 with `children` leaves as its children, and further leaves up to `leaves`,
/// committed.
fn committed(leaves: usize, children: RangeInclusive<usize>, can_be_urgent: bool) -> CommittedPlan {
    let mut plan = JobPlan::new();
    let ids: Vec<_> = (0..=leaves).map(|_| plan.add((), 1)).collect();
    children.for_each(|child| plan.set_parent(ids[child], ids[0]));
    let (_, shape) = plan.into_parts();
    let links = shape.links().unwrap();
    CommittedPlan::new(&shape, links, can_be_urgent)
}

/// The workers of a modelled run. They run jobs like `worker` does, without their own threads and
/// without panics.
struct Crew {
    workers: usize,
    leaves: usize,
    /// The leaves that job 0 starts after.
    children: RangeInclusive<usize>,
    /// Jobs that continue only together: a worker that sleeps while one of them is available blocks
    /// the run.
    together: Vec<u32>,
    /// The job after which a worker leaves, like a worker that cannot continue.
    leaves_after: Option<u32>,
    kind: Leaves,
    /// The lists of urgent leaves. They are set one after the other after the plan is committed.
    urgent: Vec<Vec<u32>>,
}

impl Default for Crew {
    fn default() -> Self {
        Self {
            workers: 2,
            leaves: 2,
            children: 1..=2,
            together: Vec::new(),
            leaves_after: None,
            kind: Leaves::All,
            urgent: Vec::new(),
        }
    }
}

impl Crew {
    fn work(&self, mut seat: Seat, ran: &[AtomicUsize], meeting: &Meeting) {
        let Some(list) = seat.plan() else { return };

        while let Some(job) = seat.next(&list).or_else(|| seat.wait(&list)) {
            assert_eq!(
                ran[job as usize].fetch_add(1, Ordering::Relaxed),
                0,
                "each job once"
            );

            if job == 0 {
                let mut children = self.children.clone();
                assert!(
                    children.all(|child| ran[child].load(Ordering::Relaxed) == 1),
                    "the parent last"
                );
            }

            if self.together.contains(&job) {
                meeting.attend();
            }

            seat.count_end(&list, job);

            if self.leaves_after == Some(job) {
                break;
            }
        }

        seat.leave(&list, false);
    }

    /// One run. The last worker is the thread that has committed the plan.
    fn run(self) {
        let (board, mut seats) = Board::new(self.workers, 8, self.kind);
        let own = seats.pop().unwrap();
        let all = Arc::new((
            numbers(self.leaves + 1),
            Meeting::of(self.together.len()),
            self,
        ));

        let others: Vec<_> = seats
            .into_iter()
            .map(|seat| {
                let all = Arc::clone(&all);
                thread::spawn(move || all.2.work(seat, &all.0, &all.1))
            })
            .collect();
        let (ran, meeting, crew) = &*all;

        // Lets all workers fall asleep, because another order would need a preemption for each.
        thread::yield_now();
        board.commit(committed(
            crew.leaves,
            crew.children.clone(),
            board.can_be_urgent(),
        ));

        for list in &crew.urgent {
            board.set_urgent(list.iter().copied().collect());
        }

        crew.work(own, ran, meeting);
        join_all(others);
        assert!(
            ran.iter().all(|ran| ran.load(Ordering::Relaxed) == 1),
            "every job"
        );
    }
}

#[test]
fn two_workers_complete_a_small_plan() {
    every_order(3, || Crew::default().run());
}

#[test]
fn three_workers_complete_a_small_plan() {
    every_order(1, || {
        Crew {
            workers: 3,
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn a_committed_plan_gets_all_workers_going() {
    every_order(0, || {
        Crew {
            workers: 3,
            leaves: 3,
            children: 1..=3,
            together: vec![1, 2, 3],
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn pulled_jobs_of_busy_workers_are_stolen() {
    // Jobs 1 and 2 are one batch. The other worker must take one of them, even if it sleeps.
    every_order(3, || {
        Crew {
            leaves: 3,
            children: 1..=3,
            together: vec![1, 2],
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn a_leaf_runs_while_a_released_parent_runs() {
    // The worker that ends job 1 runs the parent. The other worker must take job 2.
    every_order(3, || {
        Crew {
            children: 1..=1,
            together: vec![0, 2],
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn pulled_leaves_are_stolen_during_a_parent() {
    // Jobs 1 and 2 are one batch. The worker that has pulled them runs the parent of job 1 before
    // job 2, so the other one must take job 2.
    every_order(3, || {
        Crew {
            leaves: 3,
            children: 1..=1,
            together: vec![0, 2],
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn failing_workers_hand_over_released_parents() {
    every_order(3, || {
        Crew {
            leaves_after: Some(2),
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn an_urgent_leaf_runs_only_once() {
    every_order(3, || {
        Crew {
            kind: Leaves::UrgentFirst,
            urgent: vec![vec![2]],
            ..Crew::default()
        }
        .run();
    });
}

#[test]
fn workers_are_woken_for_urgent_jobs() {
    // No other job runs, so a worker that does not wake up would leave both jobs blocked.
    for urgent in [vec![vec![1, 2]], vec![vec![2], vec![2, 1]]] {
        every_order(2, move || {
            let together = if urgent.len() == 1 {
                vec![1, 2]
            } else {
                Vec::new()
            };

            Crew {
                kind: Leaves::UrgentAlone,
                urgent: urgent.clone(),
                together,
                ..Crew::default()
            }
            .run();
        });
    }
}

#[test]
fn waiting_workers_leave_without_a_plan() {
    every_order(0, || {
        let (board, seats) = Board::new(3, 1, Leaves::All);
        let wait = |mut seat: Seat| thread::spawn(move || assert!(seat.plan().is_none()));
        let workers: Vec<_> = seats.into_iter().map(wait).collect();
        // Lets all workers fall asleep, because another order would need a preemption for each.
        thread::yield_now();
        board.give_up();
        join_all(workers);
    });
}
