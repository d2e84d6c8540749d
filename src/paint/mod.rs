//! Turns the columns of chunks and their surroundings into pixels. The room contains the surfaces
//! (what each column shows), the colour table, the textures and the layers. It reads no regions,
//! writes no files, and does not choose the tiles to draw.

pub mod layers;
pub mod palette;
pub mod surface;
pub mod textures;
