//! Which of the CPUs are siblings on one core, and which lie under one last-level cache, as Linux tells it in `/sys`.
//!
//! Knows nothing of workers. The files are described in the kernel's Documentation/admin-guide/cputopology.rst and
//! Documentation/ABI/testing/sysfs-devices-system-cpu; the numbering of the CPUs itself says nothing.

use std::path::Path;

/// Where Linux describes the CPUs.
pub(super) const CPU_FOLDER: &str = "/sys/devices/system/cpu";

/// One logical CPU and its neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cpu {
    /// The kernel's number.
    pub(super) id: usize,
    /// The lowest CPU on the same core.
    pub(super) core: usize,
    /// The lowest CPU under the same last-level cache.
    pub(super) cache: usize,
    /// Its place among the allowed CPUs of its core: 0 for one CPU of each core.
    pub(super) sibling: usize,
}

/// The neighbourhood of each of the `allowed` CPUs, which are in rising order.
///
/// What `folder` does not tell is taken as "no neighbours": a CPU is then a core of its own, all under one cache.
pub(super) fn read(folder: &Path, allowed: &[usize]) -> Vec<Cpu> {
    let mut cpus: Vec<Cpu> = Vec::with_capacity(allowed.len());
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
        let sibling = cpus.iter().filter(|other| other.core == core).count();
        cpus.push(Cpu { id, core, cache, sibling });
    }
    cpus
}

/// The lowest CPU under the highest data cache of a CPU.
fn last_level_cache(cpu: &Path) -> Option<usize> {
    // Indices are dense, and no CPU has this many caches.
    let caches = (0..16).map(|index| cpu.join(format!("cache/index{index}")));
    let levels = caches.filter_map(|cache| {
        let kind = text(&cache.join("type"))?;
        let level: u32 = text(&cache.join("level"))?.parse().ok()?;
        let shared = lowest(&cache.join("shared_cpu_list"))?;
        (kind != "Instruction").then_some((level, shared))
    });
    levels.max_by_key(|&(level, _)| level).map(|(_, shared)| shared)
}

/// The first number of a list such as `0-3,64-67`: these lists are in rising order.
fn lowest(list: &Path) -> Option<usize> {
    let list = text(list)?;
    list.split([',', '-']).next()?.parse().ok()
}

fn text(file: &Path) -> Option<String> {
    Some(std::fs::read_to_string(file).ok()?.trim().to_owned())
}
