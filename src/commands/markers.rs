//! Runs `pixelmap markers`: makes the markers of a map again without drawing it.

use std::io::{self, Write as _};

use pixelmap_draw::ask::{self, RemadeMarkers};
use pixelmap_draw::report::Outcome;
use pixelmap_draw::{Progress, RESERVED_NAMES, open_world};
use pixelmap_world::internal::WorldRequest;

use super::signals::Signals;
use super::world_place::WorldPlace;
use crate::cli::{LogFormat, MarkersArgs};
use crate::log::Log;
use crate::outcome::{Ending, OK};
use crate::progress;
use crate::summary::{count_text, escape_name, warnings};

/// Makes the markers of a map again. Returns the exit code.
pub(super) fn run(args: &MarkersArgs) -> Result<u8, Ending> {
    let place = WorldPlace::find(&args.world, Log::new(LogFormat::Text), None)?;
    let world = open_world(
        place.path(),
        &args.output,
        None,
        WorldRequest {
            threads: args.threads,
            files: place.files(),
            ..WorldRequest::new(RESERVED_NAMES)
        },
    )?;

    let signals = Signals::install();
    let counters = Progress::default();
    let log = Log::new(LogFormat::Text);
    let RemadeMarkers {
        markers,
        files,
        report,
    } = progress::show(args.progress, log, &counters, || {
        ask::remake_markers(
            &world,
            &args.output,
            args.markers.marker_selection(world.is_explored()),
            args.markers.own_paths(),
            args.threads,
            &counters,
            signals.stop(),
        )
    })?;

    if let Some(failure) = report.error {
        return Err(failure.into());
    }

    if report.outcome == Outcome::Interrupted {
        return Err(Ending::new(
            signals.code(),
            "interrupted: the markers have not changed; run the same command again",
        ));
    }

    if !args.quiet {
        let mut text = String::new();
        let damage = world.damage().iter().map(ToString::to_string);
        for warning in warnings(&report).into_iter().chain(damage) {
            text += &format!("warning: {}\n", escape_name(&warning));
        }

        text += &format!(
            "{} in {}\n",
            count_text(markers, "marker"),
            count_text(files as u64, "file")
        );
        let _ = io::stderr().write_all(text.as_bytes());
    }

    Ok(OK)
}
