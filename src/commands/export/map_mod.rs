//! Runs `pixelmap export --for`: writes a map into the folders of other programs' map mods.

use std::fmt::Write as _;

use pixelmap_draw::map_mods::{
    JourneymapOptions, JourneymapPlan, XaeroWaypointOptions, XaeroWaypointPlan, put_journeymap,
    put_squaremap,
};
use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::{self, Workers};

use super::lines::{dimension_ids, warning_lines};
use crate::cli::ExportArgs;
use crate::outcome::Ending;
use crate::summary::count_text;

/// Writes a map into a player's folder of JourneyMap. Returns the summary, or `None` if a signal
/// stopped it.
pub(super) fn fill_journeymap(
    args: &ExportArgs,
    map: &FinishedMap,
    options: &JourneymapOptions,
    workers: &Workers<'_>,
) -> Result<Option<String>, Ending> {
    let (plan, warnings) =
        JourneymapPlan::new(map, &dimension_ids(args, map), &args.layer, options.clone())?;
    let Some(counts) = put_journeymap(&args.output, &plan, workers)? else {
        return Ok(None);
    };

    let mut text = warning_lines(&warnings);
    let _ = write!(
        text,
        "{} written, {} unchanged",
        count_text(counts.written, "picture"),
        counts.unchanged
    );

    if counts.kept > 0 {
        let _ = write!(
            text,
            ", {} newer than the map and kept (--merge fills them, --force replaces them)",
            counts.kept
        );
    }

    if counts.unreadable > 0 {
        let _ = write!(text, ", {} not readable and kept", counts.unreadable);
    }

    if options.waypoints.is_some() {
        let _ = write!(text, "; {} added", count_text(counts.waypoints, "waypoint"));
    }

    text.push('\n');
    Ok(Some(text))
}

/// Writes a map for programs that read maps of squaremap. Returns the summary, or `None` if a
/// signal stopped it.
pub(super) fn make_squaremap(
    args: &ExportArgs,
    map: &FinishedMap,
    workers: &Workers<'_>,
) -> Result<Option<String>, Ending> {
    let all = vec!["all".to_owned()];
    let dimensions = if args.dimension.is_empty() {
        all
    } else {
        dimension_ids(args, map)
    };

    let layers = export::layers(map, &dimensions, &args.layer)?;
    let Some(counts) = put_squaremap(&args.output, map, &layers, workers)? else {
        return Ok(None);
    };

    let files = count_text(counts.written, "file");
    let markers = count_text(counts.markers, "marker");
    Ok(Some(format!(
        "{files} written, {} unchanged, {} removed; {markers}\n",
        counts.unchanged, counts.removed
    )))
}

/// Writes the markers of a map into a player's folder of Xaero's Minimap, or counts them. Returns the
/// summary.
pub(super) fn put_xaero_waypoints(
    args: &ExportArgs,
    map: &FinishedMap,
    options: &XaeroWaypointOptions,
) -> Result<String, Ending> {
    let plan = XaeroWaypointPlan::new(map, &dimension_ids(args, map), options.clone())?;
    let counts = plan.put(&args.output)?;

    let mut text = warning_lines(&plan.warnings);
    let files = count_text(counts.written, "file");
    let waypoints = count_text(counts.waypoints, "waypoint");
    let _ = if options.dry_run {
        writeln!(text, "would write {files} with {waypoints} of the map")
    } else {
        writeln!(
            text,
            "{files} written, {} unchanged; {waypoints} of the map",
            counts.unchanged
        )
    };
    Ok(text)
}
