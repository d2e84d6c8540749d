//! Tests the scripts of `contrib/claims`, which turn the files of plugins and mods into markers.

mod areas;
mod damage;
mod databases;
mod privacy;
mod scripts;

pub(super) use scripts::{SCRIPTS, map_of_claims};
