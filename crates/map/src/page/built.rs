//! Embeds the scripts and styles that `build.rs` has made. They are stored in deflated form.

use libdeflater::Decompressor;

/// A file that a page needs next to it.
#[derive(Debug)]
pub(super) struct BuiltFile {
    pub(super) path: &'static str,
    /// The length of the file in bytes (u32) and its XXH3-64 (u64), both little-endian, and the file
    /// in zlib form.
    packed: &'static [u8],
}

impl BuiltFile {
    pub(super) const fn new(path: &'static str, packed: &'static [u8]) -> Self {
        Self { path, packed }
    }

    /// Returns the XXH3-64 of the bytes, which the build has computed.
    pub(super) fn hash(&self) -> u64 {
        self.parts().1
    }

    /// Returns the hash as text, as addresses of the file end with it.
    pub(super) fn version(&self) -> String {
        format!("{:016x}", self.hash())
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let (len, _, deflated) = self.parts();
        let mut bytes = vec![0; len];
        // This cannot fail, because the build has deflated these bytes.
        let _ = Decompressor::new().zlib_decompress(deflated, &mut bytes);
        bytes
    }

    /// Returns the length, the hash and the deflated bytes.
    fn parts(&self) -> (usize, u64, &'static [u8]) {
        let parts = self.packed.split_first_chunk().and_then(|(len, rest)| {
            let (hash, deflated) = rest.split_first_chunk()?;
            let len = u32::from_le_bytes(*len) as usize;
            Some((len, u64::from_le_bytes(*hash), deflated))
        });
        parts.unwrap_or_default()
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
