//! `pixelmap export MAP -o s3://...`: uploads a map and reports the files that the store refused.

use std::io::{self, Write as _};

use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::{self, Bucket, ExportError, Pieces};

use crate::cli::ExportArgs;
use crate::commands::signals::Signals;
use crate::log::complain;
use crate::outcome::{Ending, GAPS, OK};
use crate::progress;
use crate::summary::{INTERRUPTED, count_text, human_count, sent_amount, size};

/// Uploads a map to the bucket at `address`. Returns the exit code.
pub(super) fn put(args: &ExportArgs, map: &FinishedMap, address: &str) -> Result<u8, Ending> {
    let bucket = Bucket::open(address, args.retries).map_err(ExportError::from)?;
    let signals = Signals::install();
    let sent = Pieces::default();
    let put = progress::show_pieces(&sent, args.quiet, sent_amount, || {
        export::put_bucket(map, &bucket, &|| signals.stop().is_requested(), &sent)
    });

    let Some(counts) = put? else {
        return Err(Ending::new(signals.code(), INTERRUPTED));
    };

    for (address, why) in &counts.named {
        complain(&format!("{address}: the store refused it ({why})"));
    }

    let more = counts.gaps - counts.named.len() as u64;
    if more > 0 {
        complain(&format!("and {more} more"));
    }

    if counts.gaps > 0 {
        complain("the earlier versions of these files are still there: run the same command again");
    }

    if !args.quiet {
        let written = count_text(counts.written, "file");
        let text = format!(
            "{written} written ({}), {} unchanged, {} removed\n",
            size(counts.bytes),
            human_count(counts.unchanged),
            human_count(counts.removed)
        );
        let _ = io::stderr().write_all(text.as_bytes());
    }

    Ok(if counts.gaps > 0 { GAPS } else { OK })
}
