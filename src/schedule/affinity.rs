//! Which CPU each worker is pinned to, if any.
//!
//! Knows CPUs and how many workers there are; nothing of what they do.

use super::topology::{CPU_FOLDER, Cpu, read};
use std::path::Path;

/// Whether and how workers are pinned to CPUs, always within the CPUs that the process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin {
    /// As `Compact` where the run has the machine to itself, as far as can be told: at least one worker a core, at
    /// most one a CPU, and no CPU quota below that. Else not at all: fewer workers than cores, pinned, would collide
    /// with the next program that does the same, and a quota moves them about anyway.
    #[default]
    Auto,
    /// Not at all: the system places the workers.
    None,
    /// Neighbouring workers under one last-level cache; every core once before the second CPU of any.
    Compact,
    /// Neighbouring workers under different last-level caches; every core once before the second CPU of any.
    Spread,
}

/// CPUs that this process may keep busy: those of its affinity mask, cut by the CPU quota of its control groups
/// (version 1 and 2); at least 1.
///
/// The standard library reads all of that. A quota of 2.5 CPUs counts as 2.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The CPU for each of `workers`; none where they are not to be pinned.
pub(super) fn places(pin: Pin, workers: usize) -> Option<Vec<usize>> {
    let quota = available_threads();
    if pin == Pin::None || (pin == Pin::Auto && workers > quota) {
        // Known without reading some dozen files a CPU.
        return None;
    }
    place(pin, workers, read(Path::new(CPU_FOLDER), &system::allowed()?), quota)
}

/// `places` for the given CPUs, of which the quota allows `quota` to be busy.
pub(super) fn place(pin: Pin, workers: usize, mut cpus: Vec<Cpu>, quota: usize) -> Option<Vec<usize>> {
    let cores = cpus.iter().filter(|cpu| cpu.sibling == 0).count();
    let alone = cores <= workers && workers <= cpus.len() && quota >= cpus.len();
    if cpus.is_empty() || pin == Pin::None || (pin == Pin::Auto && !alone) {
        return None;
    }
    cpus.sort_by_key(|cpu| (cpu.sibling, cpu.cache, cpu.core, cpu.id));
    if pin == Pin::Spread {
        let rank = |at: usize| {
            let same = |cpu: &&Cpu| (cpu.sibling, cpu.cache) == (cpus[at].sibling, cpus[at].cache);
            cpus[..at].iter().filter(same).count()
        };
        let mut ranked: Vec<(usize, Cpu)> = (0..cpus.len()).map(|at| (rank(at), cpus[at])).collect();
        ranked.sort_by_key(|&(rank, cpu)| (cpu.sibling, rank, cpu.cache));
        cpus = ranked.into_iter().map(|(_, cpu)| cpu).collect();
    }
    Some((0..workers).map(|worker| cpus[worker % cpus.len()].id).collect())
}

pub(super) use system::pin;

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The CPUs of the process's affinity mask in rising order; none where they cannot be had.
    pub(in crate::schedule) fn allowed() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
    }

    /// Pins the calling thread to `cpu`. False where the system refuses.
    pub(in crate::schedule) fn pin(cpu: usize) -> bool {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Elsewhere the CPUs are not asked for: workers stay unpinned.
    pub(in crate::schedule) fn allowed() -> Option<Vec<usize>> {
        None
    }

    /// Never called without a place.
    pub(in crate::schedule) fn pin(_cpu: usize) -> bool {
        false
    }
}
