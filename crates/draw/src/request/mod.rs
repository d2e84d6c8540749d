//! Resolves a user's request against a world, before anything is written.
//!
//! This floor turns [`Settings`](settings::Settings) and a world into a plan: layers, dimensions,
//! regions, colours, hidden places and the fingerprint of everything that affects pixels. Drawing
//! and tiles are left to the floors above.

pub(crate) mod ceilings;
pub(crate) mod colours;
pub(crate) mod descriptors;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub(crate) mod hide;
pub(crate) mod layers;
pub(crate) mod look;
pub mod plan;
pub(crate) mod prepare;
pub(crate) mod reserved;
pub(crate) mod settings;
pub(crate) mod shown_layer;
pub(crate) mod shown_options;
pub(crate) mod shown_places;
