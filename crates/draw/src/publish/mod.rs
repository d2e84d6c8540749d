//! Publishes a drawn map: collects its facts and markers, decides which tiles are removed, keeps
//! earlier moments, and makes one commit and one report of it.

pub(crate) mod account;
pub(crate) mod drawn;
pub(crate) mod facts;
pub(crate) mod finish;
pub(crate) mod hidden_layers;
pub(crate) mod hidden_past;
pub(crate) mod icon_files;
pub(crate) mod marker_files;
pub(crate) mod moment;
pub(crate) mod past_facts;
pub(crate) mod past_lists;
pub(crate) mod preview;
pub(crate) mod removals;
pub(crate) mod world_markers;
