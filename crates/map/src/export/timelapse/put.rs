//! Writes a planned time-lapse as a file or into a folder.

use super::frames::{Frames, TimelapseCounts};
use super::plan::{TimelapseKind, TimelapsePlan};
use super::{folder, gif, webp};
use crate::export::error::ExportError;
use crate::export::target::FileTarget;
use crate::export::workers::Workers;
use crate::store::Output;

/// Writes a time-lapse as one file, GIF or WebP depending on its plan. Returns `None` if the export
/// was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, if no moment shows anything, or if the
/// file cannot be written.
pub fn put_animation(
    plan: &TimelapsePlan<'_>,
    mut target: FileTarget<'_>,
    workers: &Workers<'_>,
) -> Result<Option<TimelapseCounts>, ExportError> {
    let mut frames = Frames::new(plan, workers);
    workers.run(|| match plan.options.kind {
        TimelapseKind::Webp => webp::write(&mut frames, &mut target.file),
        _ => gif::write(&mut frames, &mut target.file),
    })??;
    let Some(counts) = frames.end()? else {
        return Ok(None);
    };

    let bytes = target.appear()?;
    Ok(Some(TimelapseCounts { bytes, ..counts }))
}

/// Writes a time-lapse into a locked folder, and removes the frames of an earlier one. Returns
/// `None` if the export was stopped.
///
/// # Errors
/// As [`put_animation`].
pub fn put_frames(
    plan: &TimelapsePlan<'_>,
    output: &Output,
    workers: &Workers<'_>,
) -> Result<Option<TimelapseCounts>, ExportError> {
    let mut frames = Frames::new(plan, workers);
    // An earlier run may have ended before it published its staged frames.
    output.clear_staged()?;
    let staged = workers.run(|| folder::stage(&mut frames, output))??;
    let Some(counts) = frames.end()? else {
        output.clear_staged()?;
        return Ok(None);
    };

    let bytes = staged.bytes;
    staged.commit(output)?;

    Ok(Some(TimelapseCounts { bytes, ..counts }))
}
