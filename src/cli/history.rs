//! The arguments of `pixelmap history`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use pixelmap_map::atlas::{AtlasError, KeepCount, KeepRules, Moments};

use super::parse;

const EXAMPLES: &str = "\
Examples:
  pixelmap render world -o map --history           every night: keeps the tiles that the run replaces
  pixelmap history map                             the moments of the map, oldest first
  pixelmap history map --keep-daily 7 --keep-weekly 8 --keep-monthly 24 --dry-run
  pixelmap history map --forget 2031-01-01T00:00:00Z    one moment, for example after a wrong clock
  pixelmap diff map@2026-05-01 map --html what-was-built.html
  pixelmap export map@-3 -o three-moments-ago.png

A moment is kept if any --keep option keeps it; these options always keep the newest. Without such an
option, all are kept and listed. --forget forgets a moment even if a --keep option would keep it. If it
is the newest, the map itself does not change, and the next run keeps it as a moment again. A count may
be unlimited. Days, weeks (from Monday), months and years are in UTC.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HistoryArgs {
    /// The folder of a map that was drawn with --history
    #[arg(value_name = "MAP")]
    pub(crate) map: PathBuf,

    /// Keep the newest N moments, and forget the ones that no --keep option keeps
    #[arg(long, value_name = "N", value_parser = parse::parse_keep_count)]
    keep_last: Option<KeepCount>,

    /// Keep the newest moment of each of the last N days that have one
    #[arg(long, value_name = "N", value_parser = parse::parse_keep_count)]
    keep_daily: Option<KeepCount>,

    /// Keep the newest moment of each of the last N weeks that have one
    #[arg(long, value_name = "N", value_parser = parse::parse_keep_count)]
    keep_weekly: Option<KeepCount>,

    /// Keep the newest moment of each of the last N months that have one
    #[arg(long, value_name = "N", value_parser = parse::parse_keep_count)]
    keep_monthly: Option<KeepCount>,

    /// Keep the newest moment of each of the last N years that have one
    #[arg(long, value_name = "N", value_parser = parse::parse_keep_count)]
    keep_yearly: Option<KeepCount>,

    /// Keep all moments that are at most this much older than the newest: 30d, 2y5m7d3h; a year has
    /// 365 days, a month 30
    #[arg(long, value_name = "SPAN", value_parser = parse::parse_span)]
    keep_within: Option<i64>,

    /// Forget this moment: its time, its label, or the number of moments back, such as -3; may be
    /// repeated
    #[arg(long, value_name = "MOMENT", allow_hyphen_values = true)]
    forget: Vec<String>,

    /// Print which moments would be forgotten, and forget none
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl HistoryArgs {
    /// Returns whether any option makes the command forget moments. Otherwise it only lists them.
    pub(crate) fn forgets(&self) -> bool {
        !self.forget.is_empty() || !self.rules().is_empty()
    }

    /// Returns the ids of the moments that the options keep.
    ///
    /// # Errors
    /// Fails if the map does not have a moment that `--forget` names.
    pub(crate) fn kept(&self, moments: &Moments) -> Result<BTreeSet<u32>, AtlasError> {
        let rules = self.rules();
        let mut kept = if rules.is_empty() {
            moments.moments.iter().map(|moment| moment.id).collect()
        } else {
            rules.kept(&moments.moments)
        };

        for wanted in &self.forget {
            kept.remove(&moments.find_exact(wanted)?.id);
        }

        Ok(kept)
    }

    /// Returns the `--keep` options as rules.
    fn rules(&self) -> KeepRules {
        KeepRules {
            last: self.keep_last,
            daily: self.keep_daily,
            weekly: self.keep_weekly,
            monthly: self.keep_monthly,
            yearly: self.keep_yearly,
            within: self.keep_within,
        }
    }
}
