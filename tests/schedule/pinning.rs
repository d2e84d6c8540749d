//! Tests pinned workers, with the kernel's own record of each thread.

use pixelmap_draw::schedule::{JobPlan, Pin, ScheduleSettings, Stop, Work, run};
use std::sync::{Barrier, Mutex};

/// Returns the CPUs that a thread may use; empty if the system does not report them.
type Cpus = Option<Vec<usize>>;

/// Jobs that record the CPUs of their worker.
struct Look {
    /// Each job waits for the others, so that every worker runs one.
    together: Barrier,
    seen: Mutex<Vec<(usize, Cpus)>>,
}

impl Work for Look {
    type Job = ();
    type Worker = usize;
    fn worker(&self, index: usize) -> usize {
        index
    }
    fn run(&self, worker: &mut usize, (): &()) {
        self.together.wait();
        self.seen
            .lock()
            .unwrap()
            .push((*worker, cpus_of_this_thread()));
    }
    fn report_panic(&self, (): &(), message: &str) {
        panic!("{message}");
    }
}

/// Returns the CPUs that the calling thread may use, in the form of Linux, such as `0-3,8`; `None`
/// on other systems.
fn cpus_of_this_thread() -> Cpus {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let number = |text: &str| text.trim().parse().ok();

    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(number(first)?..=number(last)?)
    };

    Some(
        list.split(',')
            .map(range)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect(),
    )
}

#[test]
fn pinned_workers_run_on_their_own_allowed_cpu() {
    let allowed = cpus_of_this_thread();
    assert_eq!(allowed.is_some(), cfg!(target_os = "linux"));

    for pin in [Pin::None, Pin::Auto, Pin::Compact, Pin::Spread] {
        let look = Look {
            together: Barrier::new(3),
            seen: Mutex::default(),
        };

        let mut plan = JobPlan::new();
        for _ in 0..3 {
            plan.add((), 1);
        }

        let summary = run(
            &look,
            plan,
            &ScheduleSettings {
                threads: 3,
                pin,
                ..ScheduleSettings::default()
            },
            &Stop::new(),
        );
        assert_eq!((summary.finished, summary.not_run), (3, 0));

        let pinned = allowed.is_some() && matches!(pin, Pin::Compact | Pin::Spread);
        assert_eq!(
            summary.warnings.is_empty(),
            pinned || matches!(pin, Pin::Auto | Pin::None),
            "{:?}",
            summary.warnings
        );

        for (worker, cpus) in look.seen.into_inner().unwrap() {
            let Some(cpu) = summary.workers[worker].cpu else {
                assert!(!pinned, "{pin:?}, worker {worker}");
                assert_eq!(cpus, allowed, "{pin:?}: what is not pinned runs anywhere");
                continue;
            };

            assert_eq!(cpus, Some(vec![cpu]), "{pin:?}, worker {worker}");
            assert!(
                allowed
                    .as_ref()
                    .is_some_and(|allowed| allowed.contains(&cpu)),
                "{pin:?}, worker {worker}"
            );
            assert_ne!(pin, Pin::None);
        }
    }
}
