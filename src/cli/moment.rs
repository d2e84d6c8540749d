//! The options that `render` and `merge` share for the moment that a run adds to a map with
//! history.

use clap::Args;
use pixelmap_draw::MomentSettings;

use super::parse;

#[derive(Debug, Args)]
pub(crate) struct MomentArgs {
    /// Keep the tiles that this run replaces, so that the map can show its earlier states as
    /// moments (pixelmap history). Once begun, history stays on
    #[arg(long)]
    pub(crate) history: bool,

    /// The time of the moment, in UTC: 2026-05-01 or 2026-05-01T12:00 [default: when the world was
    /// last played]
    #[arg(long, value_name = "TIME", value_parser = parse::parse_time)]
    pub(crate) time: Option<i64>,

    /// A name for the moment, as in: pixelmap diff "map@after the flood" map
    #[arg(long, value_name = "TEXT", value_parser = parse::parse_label)]
    pub(crate) label: Option<String>,
}

impl MomentArgs {
    /// Returns the options as settings of the library.
    pub(crate) fn settings(&self) -> MomentSettings {
        MomentSettings {
            begins: self.history,
            time: self.time,
            label: self.label.clone(),
            follows: false,
        }
    }
}
