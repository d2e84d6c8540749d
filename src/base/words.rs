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

pub(crate) const ALLOW_GAPS: Word = Word("--allow-gaps");
pub(crate) const ALLOW_MISSING: Word = Word("--allow-missing");
pub(crate) const AREA: Word = Word("--area");
pub(crate) const ASSETS: Word = Word("--assets");
pub(crate) const DENY_EMPTY: Word = Word("--deny empty");
pub(crate) const DENY_NEWER: Word = Word("--deny newer-version");
pub(crate) const DENY_UNKNOWN_BLOCKS: Word = Word("--deny unknown-blocks");
pub(crate) const DIFF: Word = Word("pixelmap diff");
pub(crate) const DIMENSION: Word = Word("-d");
pub(crate) const FORCE: Word = Word("--force");
pub(crate) const FORGET: Word = Word("pixelmap history MAP --forget");
pub(crate) const FORMAT: Word = Word("--format");
pub(crate) const FROM: Word = Word("--from");
pub(crate) const HEATMAP: Word = Word("--heatmap");
pub(crate) const HIDE: Word = Word("--hide");
pub(crate) const HISTORY: Word = Word("--history");
pub(crate) const IGNORE: Word = Word("--ignore");
pub(crate) const IMAGE: Word = Word("--image");
pub(crate) const LAYER: Word = Word("-l");
/// The layer, for commands in which the option has only its long form.
pub(crate) const LONG_LAYER: Word = Word("--layer");
pub(crate) const MAX_BAD_CHUNKS: Word = Word("--max-bad-chunks");
pub(crate) const MAX_CHANGED: Word = Word("--max-changed");
pub(crate) const MAX_REMOVED: Word = Word("--max-removed");
pub(crate) const MIN_INHABITED: Word = Word("--min-inhabited");
pub(crate) const OUTPUT: Word = Word("-o");
pub(crate) const PALETTE: Word = Word("--palette");
pub(crate) const PALETTE_GENERATE: Word = Word("pixelmap palette generate");
pub(crate) const RENDER: Word = Word("pixelmap render");
pub(crate) const SCALE: Word = Word("--scale");
pub(crate) const SCHEME: Word = Word("--scheme");
pub(crate) const SHARD: Word = Word("--shard");
pub(crate) const STAGED: Word = Word("--staged");
pub(crate) const SURE: Word = Word("--yes");
pub(crate) const THREADS: Word = Word("--threads");
pub(crate) const TIME: Word = Word("--time");
pub(crate) const TO: Word = Word("--to");
pub(crate) const TOLERANCE: Word = Word("--tolerance");
/// An option of Docker and Podman, not of this program.
pub(crate) const USER: Word = Word("--user");
pub(crate) const VERIFY: Word = Word("pixelmap verify");
pub(crate) const ZOOM_IN: Word = Word("--zoom-in");
