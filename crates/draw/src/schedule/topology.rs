//! Finds CPUs that are siblings on one core or share a last-level cache, from the files of Linux in
//! `/sys`.
//!
//! The kernel describes these files in Documentation/admin-guide/cputopology.rst and
//! Documentation/ABI/testing/sysfs-devices-system-cpu. They are needed because the numbers of CPUs
//! have no meaning.

use std::collections::BTreeMap;
use std::path::Path;

pub(super) const CPU_FOLDER: &str = "/sys/devices/system/cpu";

const MAX_CACHES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cpu {
    /// The number that the kernel gives to the CPU.
    pub(super) id: usize,
    /// The lowest CPU on the same core.
    pub(super) core: usize,
    /// The lowest CPU under the same last-level cache.
    pub(super) cache: usize,
    /// The rank among the allowed CPUs of the same core; exactly one CPU of each core has rank 0.
    pub(super) sibling: usize,
}

/// Describes each of the `allowed` CPUs, which are in rising order.
///
/// If `folder` lacks the files, each CPU counts as a separate core, and all CPUs as under one
/// cache.
pub(super) fn read(folder: &Path, allowed: &[usize]) -> Vec<Cpu> {
    let mut cpus: Vec<Cpu> = Vec::with_capacity(allowed.len());
    let mut on_core: BTreeMap<usize, usize> = BTreeMap::new();
    for &id in allowed {
        let cpu = folder.join(format!("cpu{id}"));
        let topology = cpu.join("topology");
        let core = lowest(&topology.join("core_cpus_list"))
            .or_else(|| lowest(&topology.join("thread_siblings_list")))
            .unwrap_or(id);
        let cache = last_level_cache(&cpu)
            .or_else(|| lowest(&topology.join("package_cpus_list")))
            .or_else(|| lowest(&topology.join("core_siblings_list")))
            .unwrap_or(0);

        let siblings = on_core.entry(core).or_default();
        cpus.push(Cpu {
            id,
            core,
            cache,
            sibling: *siblings,
        });
        *siblings += 1;
    }

    cpus
}

/// Returns the lowest CPU that shares the last-level data cache of a CPU.
fn last_level_cache(cpu: &Path) -> Option<usize> {
    // The indices have no holes, so the first missing one ends the list.
    let levels = (0..).map_while(|index| {
        let cache = cpu.join(format!("cache/index{index}"));
        let level: u32 = text(&cache.join("level"))?.parse().ok()?;
        (index < MAX_CACHES).then_some((level, cache))
    });
    let data = levels
        .filter(|(_, cache)| text(&cache.join("type")).is_some_and(|kind| kind != "Instruction"));
    data.max_by_key(|&(level, _)| level)
        .and_then(|(_, cache)| lowest(&cache.join("shared_cpu_list")))
}

/// Returns the first number of a list such as `0-3,64-67`, which is the lowest because such lists
/// are sorted.
fn lowest(list: &Path) -> Option<usize> {
    let list = text(list)?;
    list.split([',', '-']).next()?.parse().ok()
}

fn text(file: &Path) -> Option<String> {
    Some(std::fs::read_to_string(file).ok()?.trim().to_owned())
}
