//! CPUs that are siblings on one core or share a last-level cache, as Linux describes them in `/sys`.
//!
//! Knows nothing of workers. The files are described in the kernel's Documentation/admin-guide/cputopology.rst and
//! Documentation/ABI/testing/sysfs-devices-system-cpu; the numbers of the CPUs themselves mean nothing.

use std::collections::BTreeMap;
use std::path::Path;

pub(super) const CPU_FOLDER: &str = "/sys/devices/system/cpu";

const MAX_CACHES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cpu {
    /// The kernel's number.
    pub(super) id: usize,
    /// The lowest CPU on the same core.
    pub(super) core: usize,
    /// The lowest CPU under the same last-level cache.
    pub(super) cache: usize,
    /// Its rank among the allowed CPUs of its core: 0 for one CPU of each core.
    pub(super) sibling: usize,
}

/// Describes each of the `allowed` CPUs, which are in rising order.
///
/// Where `folder` lacks a fact, a CPU counts as a core of its own, and all as under one cache.
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
        cpus.push(Cpu { id, core, cache, sibling: *siblings });
        *siblings += 1;
    }
    cpus
}

/// The lowest CPU under the highest data cache of a CPU.
fn last_level_cache(cpu: &Path) -> Option<usize> {
    // Indices are dense: the first that is missing ends them.
    let levels = (0..).map_while(|index| {
        let cache = cpu.join(format!("cache/index{index}"));
        let level: u32 = text(&cache.join("level"))?.parse().ok()?;
        (index < MAX_CACHES).then_some((level, cache))
    });
    let data = levels.filter(|(_, cache)| text(&cache.join("type")).is_some_and(|kind| kind != "Instruction"));
    data.max_by_key(|&(level, _)| level).and_then(|(_, cache)| lowest(&cache.join("shared_cpu_list")))
}

/// The first number of a list such as `0-3,64-67`: these lists are in rising order.
fn lowest(list: &Path) -> Option<usize> {
    let list = text(list)?;
    list.split([',', '-']).next()?.parse().ok()
}

fn text(file: &Path) -> Option<String> {
    Some(std::fs::read_to_string(file).ok()?.trim().to_owned())
}
