//! Turns the columns of chunks and their surroundings into pixels, and the other contents of a world
//! into markers. The crate contains the surfaces (the visible blocks of each column), the colour
//! table, the textures, the layers and the markers. It must never know the folder of a map: it
//! writes no files, and does not choose the tiles to draw.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

pub mod layers;
pub mod markers;
pub mod palette;
pub mod surface;
pub mod textures;
