//! The way from a drawn map to a published one: facts, markers, removals, moments, one commit and one report.

pub(crate) mod account;
pub(crate) mod drawn;
pub(crate) mod facts;
pub(crate) mod finish;
pub(crate) mod hidden_past;
pub(crate) mod marker_files;
pub(crate) mod moment;
pub(crate) mod preview;
pub(crate) mod removals;
pub(crate) mod world_markers;
