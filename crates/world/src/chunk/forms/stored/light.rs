//! Recognizes the stored light of a chunk.

use crate::chunk::cells::{CELLS, COLUMN_CELLS};
use crate::nbt::{self, Reader, Span, Tag};

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoredLight {
    /// Whether the light of the chunk was computed: either some light is stored, or a flag of the
    /// chunk is set. The flag is needed because the game leaves out dark sections.
    pub(crate) is_known: bool,
}

impl StoredLight {
    /// Reads a field that no other reader handles. If it is block light, `light` is set to the
    /// array, which belongs to a section, or before 1.2 to the whole chunk. An array of any other
    /// length is ignored, as in the game.
    pub(crate) fn field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
        name: &[u8],
        light: &mut Span,
    ) -> Result<(), nbt::Error> {
        match name {
            b"BlockLight" | b"SkyLight" => {
                let array = reader.array(tag, Tag::ByteArray)?.unwrap_or_default();
                if matches!(array.len() * 2, CELLS | COLUMN_CELLS) {
                    self.is_known = true;
                    if name == b"BlockLight" {
                        *light = array;
                    }
                }
            }
            // Servers with a different light engine use the second name.
            b"isLightOn" | b"starlight.light_version" => {
                self.is_known |= reader.int(tag)?.is_some_and(|number| number != 0);
            }
            _ => reader.skip(tag)?,
        }

        Ok(())
    }
}
