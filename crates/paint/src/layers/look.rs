//! The version of the look, which all layers share.

/// The version of the look. The pixels of a version never change, so a change of pixels needs a new
/// version.
pub const LOOK: u32 = 1;
