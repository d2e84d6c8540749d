//! The options of a run as its report shows them.

use serde::{Deserialize, Serialize};

/// The options in effect. The default is the options of a run that could not begin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The corners `x0`, `z0`, `x1`, `z1` of the drawn area; `None` for everything.
    pub area: Option<[i32; 4]>,
    pub min_y: Option<i32>,
    pub max_y: Option<i32>,
    pub unfinished: bool,
    /// Whether places are hidden. The report must not name them.
    pub hide: bool,
    /// In seconds.
    pub min_inhabited: Option<u32>,
    pub layers: Vec<String>,
    /// The scheme of the tiles' names; `None` for a picture.
    pub scheme: Option<String>,
    /// The format of the tiles or of the picture; `None` if the run could not begin.
    pub format: Option<String>,
    /// The version of the look.
    pub look: u32,
    pub palette: Vec<String>,
    /// How unknown blocks are drawn: `auto`, `hide` or a colour.
    pub unknown: String,
    pub assets: Vec<String>,
    pub max_batch: usize,
    pub staged: bool,
}
