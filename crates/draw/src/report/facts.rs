//! Facts about the world that was drawn, and about a picture or an archive that was made.

use serde::Serialize;

/// The world that was drawn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorldFacts {
    pub name: String,
    /// Its path as the user named it.
    pub path: Option<String>,
    /// The version of level.dat.
    pub data_version: Option<i32>,
    /// The dimensions drawn.
    pub dimensions: Vec<String>,
}

/// The picture that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureFacts {
    /// Its columns: the requested area, with sides moved outward to whole pixels.
    pub area: [i32; 4],
    /// Pixels per block, from `1/8` to `8`.
    pub scale: String,
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// The size of the file in bytes, or 0 if none was published.
    pub bytes: u64,
}

/// The upload of a map into a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BucketFacts {
    /// Requests to the store, including repeated ones.
    pub requests: u64,
    /// Bytes sent to the store.
    pub bytes_up: u64,
    /// Bytes received from the store.
    pub bytes_down: u64,
    /// Files of the map that were uploaded.
    pub written: u64,
    /// Files of the map that were removed.
    pub removed: u64,
}

/// The download of a world that is in a bucket or at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DownloadFacts {
    /// Requests to the server, including repeated ones.
    pub requests: u64,
    /// Bytes received from the server.
    pub bytes_down: u64,
}

/// The archive that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ArchiveFacts {
    /// The number of different tiles. Equal tiles are stored only once.
    pub contents: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}
