//! The heights of a dimension, which no file stores.

/// The sections of each chunk of a dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights {
    pub(super) sections: usize,
    /// The height of the lowest section, in sections.
    pub(super) lowest: i8,
}
