//! Runs `pixelmap render`: decides between an import, several named maps and the maps of one world,
//! and reports every failure before any drawing as well. The actual work is in the modules below.

mod check;
mod draw;
mod dry_run;
mod import;
mod map_mod;
mod named_maps;
mod one_folder;
mod run;
mod settings;
mod shared_lists;

pub(crate) use run::run;
