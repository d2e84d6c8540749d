//! Promises of how a map comes to be seen: when, in which order, from which parts and worlds, and with which lists.

pub(crate) mod bookkeeping;
#[cfg(unix)]
mod change_lists;
pub(crate) mod history;
#[cfg(unix)]
mod links;
mod named_maps;
mod removals;
mod shards;
#[cfg(target_os = "linux")]
mod slurm;
mod staged;
mod timelapse;
