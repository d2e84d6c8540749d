//! Defines a file of the viewer. The program contains scripts and styles in deflated form, and most
//! runs only compare their hashes with the published files, so that they are not inflated.

use twox_hash::XxHash3_64;

use super::built::BuiltFile;

/// A file of the viewer.
#[derive(Debug)]
pub struct PageFile {
    /// The path, relative to the output folder.
    pub path: &'static str,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Assembled(Vec<u8>),
    Built(&'static BuiltFile),
}

impl PageFile {
    pub(super) fn assembled(path: &'static str, text: String) -> Self {
        Self {
            path,
            content: Content::Assembled(text.into_bytes()),
        }
    }

    pub(super) fn built(file: &'static BuiltFile) -> Self {
        Self {
            path: file.path,
            content: Content::Built(file),
        }
    }

    /// Returns the XXH3-64 of the bytes.
    pub fn hash(&self) -> u64 {
        match &self.content {
            Content::Assembled(bytes) => XxHash3_64::oneshot(bytes),
            Content::Built(file) => file.hash(),
        }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        match self.content {
            Content::Assembled(bytes) => bytes,
            Content::Built(file) => file.bytes(),
        }
    }
}
