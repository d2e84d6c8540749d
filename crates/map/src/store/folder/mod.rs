//! The folder of a map: opening it with its lock, its identity, and the folders of named maps. How
//! single files reach the disk is left to `disk`, and changes that belong together are left to
//! `commit`.

mod elsewhere_files;
pub(crate) mod identity;
pub(crate) mod named_maps;
pub(crate) mod output;
