//! Embeds the scripts and styles that `build.rs` has made. They are stored in deflated form.

use libdeflater::Decompressor;

/// A file that a page needs next to it.
#[derive(Debug)]
pub(super) struct BuiltFile {
    pub(super) path: &'static str,
    /// The length of the file in bytes (little-endian), and the file in zlib form.
    packed: &'static [u8],
}

impl BuiltFile {
    pub(super) const fn new(path: &'static str, packed: &'static [u8]) -> Self {
        Self { path, packed }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let Some((len, deflated)) = self.packed.split_first_chunk() else {
            return Vec::new();
        };

        let mut bytes = vec![0; u32::from_le_bytes(*len) as usize];
        // This cannot fail, because the build has deflated these bytes.
        let _ = Decompressor::new().zlib_decompress(deflated, &mut bytes);
        bytes
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

/// Embeds a file of `OUT_DIR`.
macro_rules! built {
    ($path:literal) => {
        $crate::page::built::BuiltFile::new(
            $path,
            include_bytes!(concat!(env!("OUT_DIR"), "/", $path)),
        )
    };
}

pub(super) use built;
