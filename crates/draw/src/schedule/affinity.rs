//! Chooses the CPU of each worker, if workers are pinned. It depends only on the machine and on the
//! number of workers, not on their jobs.

use super::topology::{CPU_FOLDER, Cpu, read};
use std::path::Path;

/// How to pin workers to CPUs. Workers are only pinned to CPUs that the process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin {
    /// Like `Compact` if the run seems to have the machine to itself: at least one worker per core
    /// and two in all, at most one per CPU, and no CPU quota below that. Otherwise workers are not pinned, because
    /// two programs that pin fewer workers than cores would collide on the same cores, and because
    /// the system moves threads under a quota anyway.
    #[default]
    Auto,
    /// Pins no worker: the system places the workers.
    None,
    /// Puts neighbouring workers under the same last-level cache, and uses every core once before
    /// the second CPU of any core.
    Compact,
    /// Puts neighbouring workers under different last-level caches, and uses every core once before
    /// the second CPU of any core.
    Spread,
}

/// Returns the number of CPUs that this process can keep busy: the CPUs of its affinity mask,
/// limited by the CPU quota of its control groups (version 1 and 2). The number is at least 1.
///
/// The standard library reads both. It counts a quota of 2.5 CPUs as 2.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the CPU for each of `workers`, or `None` if they should not be pinned.
///
/// # Errors
/// Returns a warning if the user asked for pinning and it is impossible on this machine.
/// `Pin::Auto` never causes a warning.
pub(super) fn worker_cpus(pin: Pin, workers: usize) -> Result<Option<Vec<usize>>, String> {
    let quota = available_threads();

    // Returns early, because reading the topology opens dozens of files per CPU. A single worker
    // shares its cache with nobody.
    if pin == Pin::None || (pin == Pin::Auto && (workers == 1 || workers > quota)) {
        return Ok(None);
    }
    place_on(pin, workers, system::allowed(), quota)
}

/// Chooses CPUs among the `allowed` ones, or returns the reason why the allowed CPUs are unknown.
pub(super) fn place_on(
    pin: Pin,
    workers: usize,
    allowed: Result<Vec<usize>, String>,
    quota: usize,
) -> Result<Option<Vec<usize>>, String> {
    let worker_cpus = allowed
        .map(|allowed| choose_cpus(pin, workers, read(Path::new(CPU_FOLDER), &allowed), quota));
    match worker_cpus {
        _ if pin == Pin::Auto => Ok(worker_cpus.ok().flatten()),
        Ok(None) => Err(
            "workers are not pinned: the system names no CPU that this process may use".to_owned(),
        ),
        Ok(worker_cpus) => Ok(worker_cpus),
        Err(why) => Err(format!("workers are not pinned: {why}")),
    }
}

/// Chooses a CPU per worker among the given CPUs. Only `quota` of them may be busy at the same
/// time.
pub(super) fn choose_cpus(
    pin: Pin,
    workers: usize,
    mut cpus: Vec<Cpu>,
    quota: usize,
) -> Option<Vec<usize>> {
    let cores = cpus.iter().filter(|cpu| cpu.sibling == 0).count();
    let is_alone = cores <= workers && workers <= cpus.len() && quota >= cpus.len();
    if cpus.is_empty() || pin == Pin::None || (pin == Pin::Auto && !is_alone) {
        return None;
    }

    cpus.sort_by_key(|cpu| (cpu.sibling, cpu.cache, cpu.core, cpu.id));

    if pin == Pin::Spread {
        let mut ranked: Vec<(usize, Cpu)> = Vec::with_capacity(cpus.len());
        for (at, &cpu) in cpus.iter().enumerate() {
            let same = cpus[..at]
                .iter()
                .filter(|other| (other.sibling, other.cache) == (cpu.sibling, cpu.cache));
            ranked.push((same.count(), cpu));
        }

        ranked.sort_by_key(|&(rank, cpu)| (cpu.sibling, rank, cpu.cache));
        cpus = ranked.into_iter().map(|(_, cpu)| cpu).collect();
    }

    Some(
        (0..workers)
            .map(|worker| cpus[worker % cpus.len()].id)
            .collect(),
    )
}

pub(super) use system::pin;

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Returns the CPUs of the process's affinity mask in rising order, or the reason why they are
    /// unknown: the kernel refuses a set of 1,024 CPUs if the machine may have more.
    pub(in crate::schedule) fn allowed() -> Result<Vec<usize>, String> {
        let set = sched_getaffinity(None)
            .map_err(|error| format!("the CPUs of this process cannot be listed: {error}"))?;
        Ok((0..CpuSet::MAX_CPU)
            .filter(|&cpu| set.is_set(cpu))
            .collect())
    }

    /// Pins the calling thread to `cpu`. Returns false if the system refuses.
    pub(in crate::schedule) fn pin(cpu: usize) -> bool {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Always fails, because workers stay unpinned on other systems.
    pub(in crate::schedule) fn allowed() -> Result<Vec<usize>, String> {
        Err("pinning works on Linux only".to_owned())
    }

    /// Never called, because no CPU is ever chosen on these systems.
    pub(in crate::schedule) fn pin(_cpu: usize) -> bool {
        false
    }
}
