//! The CPU of each worker, if workers are pinned.
//!
//! Knows CPUs and the number of workers, and nothing of their jobs.

use super::topology::{CPU_FOLDER, Cpu, read};
use std::path::Path;

/// The way to pin workers to CPUs, always within the CPUs that the process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin {
    /// As `Compact` where the run seems to have the machine to itself: at least one worker a core, at most one a CPU,
    /// and no CPU quota below that. Else not at all: fewer workers than cores, pinned, would collide with the next
    /// program that does the same, and a quota moves them about anyway.
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

/// The CPU for each of `workers`; `None`: they are not to be pinned.
///
/// # Errors
/// The user asked for pinning, and it is impossible here: a warning. `Pin::Auto` gives none.
pub(super) fn places(pin: Pin, workers: usize) -> Result<Option<Vec<usize>>, String> {
    let quota = available_threads();
    if pin == Pin::None || (pin == Pin::Auto && workers > quota) {
        // Saves reading some dozen files per CPU.
        return Ok(None);
    }
    place_on(pin, workers, system::allowed(), quota)
}

/// Chooses CPUs among the `allowed` ones, or returns why these are not known.
pub(super) fn place_on(
    pin: Pin,
    workers: usize,
    allowed: Result<Vec<usize>, String>,
    quota: usize,
) -> Result<Option<Vec<usize>>, String> {
    let places = allowed.map(|allowed| choose_cpus(pin, workers, read(Path::new(CPU_FOLDER), &allowed), quota));
    match places {
        _ if pin == Pin::Auto => Ok(places.ok().flatten()),
        Ok(None) => Err("workers are not pinned: the system names no CPU that this process may use".to_owned()),
        Ok(places) => Ok(places),
        Err(why) => Err(format!("workers are not pinned: {why}")),
    }
}

/// Chooses a CPU per worker; of the given CPUs the quota allows `quota` to be busy.
pub(super) fn choose_cpus(pin: Pin, workers: usize, mut cpus: Vec<Cpu>, quota: usize) -> Option<Vec<usize>> {
    let cores = cpus.iter().filter(|cpu| cpu.sibling == 0).count();
    let is_alone = cores <= workers && workers <= cpus.len() && quota >= cpus.len();
    if cpus.is_empty() || pin == Pin::None || (pin == Pin::Auto && !is_alone) {
        return None;
    }
    cpus.sort_by_key(|cpu| (cpu.sibling, cpu.cache, cpu.core, cpu.id));
    if pin == Pin::Spread {
        let mut ranked: Vec<(usize, Cpu)> = Vec::with_capacity(cpus.len());
        for (at, &cpu) in cpus.iter().enumerate() {
            let same = cpus[..at].iter().filter(|other| (other.sibling, other.cache) == (cpu.sibling, cpu.cache));
            ranked.push((same.count(), cpu));
        }
        ranked.sort_by_key(|&(rank, cpu)| (cpu.sibling, rank, cpu.cache));
        cpus = ranked.into_iter().map(|(_, cpu)| cpu).collect();
    }
    Some((0..workers).map(|worker| cpus[worker % cpus.len()].id).collect())
}

pub(super) use system::pin;

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The CPUs of the process's affinity mask in rising order. The error gives the reason why they are unknown: the
    /// kernel refuses a set of 1,024 CPUs where there may be more.
    pub(in crate::schedule) fn allowed() -> Result<Vec<usize>, String> {
        let set =
            sched_getaffinity(None).map_err(|error| format!("the CPUs of this process cannot be listed: {error}"))?;
        Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
    }

    /// Pins the calling thread to `cpu`. Returns false where the system refuses.
    pub(in crate::schedule) fn pin(cpu: usize) -> bool {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Fails: on other systems workers stay unpinned.
    pub(in crate::schedule) fn allowed() -> Result<Vec<usize>, String> {
        Err("pinning works on Linux only".to_owned())
    }

    /// Is never called, as no CPU is ever chosen.
    pub(in crate::schedule) fn pin(_cpu: usize) -> bool {
        false
    }
}
