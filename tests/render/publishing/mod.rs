//! Tests publication: its time and order, parts and several worlds, and change lists.

pub(crate) mod bookkeeping;
#[cfg(unix)]
mod change_lists;
mod hidden_history;
pub(crate) mod history;
#[cfg(all(unix, feature = "serve"))]
mod kubernetes;
#[cfg(unix)]
mod links;
mod named_maps;
mod removals;
mod shards;
#[cfg(target_os = "linux")]
mod slurm;
mod staged;
mod timelapse;
