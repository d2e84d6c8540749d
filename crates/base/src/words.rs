//! The options and commands that texts of the library name. They are only in this table, so that a
//! text has the name that a user types, and a test compares all of them with the command line.

use std::fmt;

/// An option or a command. Its `Display` is the text that a user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(&'static str);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

pub const ALLOW_GAPS: Word = Word("--allow-gaps");
pub const ALLOW_MISSING: Word = Word("--allow-missing");
pub const AREA: Word = Word("--area");
pub const ASSETS: Word = Word("--assets");
pub const AT: Word = Word("--at");
pub const DENY_EMPTY: Word = Word("--deny empty");
pub const DENY_NEWER: Word = Word("--deny newer-version");
pub const DENY_UNKNOWN_BLOCKS: Word = Word("--deny unknown-blocks");
pub const DIFF: Word = Word("pixelmap diff");
pub const DIMENSION: Word = Word("-d");
pub const FORCE: Word = Word("--force");
pub const FORGET: Word = Word("pixelmap history MAP --forget");
pub const FORMAT: Word = Word("--format");
pub const FROM: Word = Word("--from");
pub const HEATMAP: Word = Word("--heatmap");
pub const HIDE: Word = Word("--hide");
pub const HISTORY: Word = Word("--history");
pub const ICONS: Word = Word("--icons");
pub const IGNORE: Word = Word("--ignore");
pub const IMAGE: Word = Word("--image");
pub const LAYER: Word = Word("-l");
/// The layer, for commands in which the option has only its long form.
pub const LONG_LAYER: Word = Word("--layer");
pub const MAX_BAD_CHUNKS: Word = Word("--max-bad-chunks");
pub const MAX_CHANGED: Word = Word("--max-changed");
pub const MAX_REMOVED: Word = Word("--max-removed");
pub const MIN_INHABITED: Word = Word("--min-inhabited");
pub const OUTPUT: Word = Word("-o");
pub const PALETTE: Word = Word("--palette");
pub const PALETTE_GENERATE: Word = Word("pixelmap palette generate");
pub const RENDER: Word = Word("pixelmap render");
pub const SCALE: Word = Word("--scale");
pub const SCHEME: Word = Word("--scheme");
pub const SHARD: Word = Word("--shard");
pub const STAGED: Word = Word("--staged");
pub const SURE: Word = Word("--yes");
pub const THREADS: Word = Word("--threads");
pub const TIME: Word = Word("--time");
pub const TO: Word = Word("--to");
pub const TOLERANCE: Word = Word("--tolerance");
/// An option of Docker and Podman, not of this program.
pub(crate) const USER: Word = Word("--user");
pub const VERIFY: Word = Word("pixelmap verify");
pub const ZOOM_IN: Word = Word("--zoom-in");
