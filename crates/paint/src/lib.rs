//! Turns the columns of chunks and their surroundings into pixels. The room contains the surfaces
//! (what each column shows), the colour table, the textures and the layers. It reads no regions,
//! writes no files, and does not choose the tiles to draw.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

pub mod layers;
pub mod markers;
pub mod palette;
pub mod surface;
pub mod textures;
