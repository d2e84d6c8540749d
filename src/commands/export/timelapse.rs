//! Runs `pixelmap export --timelapse`.

use std::fmt::Write as _;

use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::{
    self, FileTarget, MomentRange, TimelapseKind, TimelapseOptions, TimelapsePlan, Workers,
};

use super::lines::{dimension_ids, no_layer, warning_lines};
use crate::cli::ExportArgs;
use crate::outcome::Ending;
use crate::summary::{count_text, size};

/// Makes a time-lapse of a map. Returns the summary, or `None` if a signal stopped it.
pub(super) fn make(
    args: &ExportArgs,
    map: &FinishedMap,
    options: &TimelapseOptions,
    workers: &Workers<'_>,
) -> Result<Option<String>, Ending> {
    let range = MomentRange::read(
        map,
        args.timelapse.from.as_deref(),
        args.timelapse.to.as_deref(),
    )?;
    let last = range.last_map()?;

    let layers = export::layers(&last, &dimension_ids(args, &last), &args.layer)?;
    let layer = *layers.first().ok_or_else(no_layer)?;
    let (plan, warnings) = TimelapsePlan::new(&range, layer, args.area.area(), options.clone())?;
    let counts = if options.kind == TimelapseKind::Frames {
        export::put_frames(&plan, &export::open_frames(&args.output, map)?, workers)?
    } else {
        let target = FileTarget::create(&args.output)?;
        export::put_animation(&plan, target, workers)?
    };

    let Some(counts) = counts else {
        return Ok(None);
    };

    let mut text = warning_lines(&warnings);
    let pixels = plan.size();

    let frames = count_text(counts.frames, "frame");
    let _ = write!(
        text,
        "{frames} of {} by {} pixels, {}",
        pixels.width,
        pixels.height,
        size(counts.bytes)
    );

    if counts.left_out > 0 {
        let _ = write!(
            text,
            "; {} without a change left out",
            count_text(counts.left_out, "moment")
        );
    }

    text.push('\n');
    Ok(Some(text))
}
