//! Makes the pictures of blocks from above, from the user's own jars and packs. They are used at
//! the zoom levels at which a block is larger than a pixel.
//!
//! The pictures show a state's models from above, like the mean colours of the colour table. If
//! every face of a block faces sideways, as with plants, its texture is drawn flat. A block without
//! a model, or with a damaged one, is drawn in its colour. Files are read and pictures made when a
//! state is first met, and are kept up to `MAX_BYTES`. Finding the blocks of a map is up to others.

mod choice;
mod default_states;
mod entity;
mod lookup;
mod old_names;
mod picture;
mod store;
mod top_view;

pub(crate) use choice::BlockTextures;
pub use lookup::Textures;
pub(crate) use picture::{Picture, SIDE};
