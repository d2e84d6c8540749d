//! One picture of an area: its scale, the group of regions that it shows, and its frame of title,
//! grid and scale bar. `picture` writes the file; the other modules compute the parts of it.

pub(crate) mod grid;
pub(crate) mod groups;
pub(crate) mod mean;
pub(crate) mod picture;
pub(crate) mod poster;
