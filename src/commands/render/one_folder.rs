//! Draws the maps of one folder.

use super::draw;
use super::dry_run;
use super::settings::prepare;
use super::shared_lists::SharedLists;
use crate::cli::RenderRequest;
use crate::commands::draw_place::DrawPlace;
use crate::commands::runner::Runner;
use crate::commands::signals::Signals;
use crate::commands::worlds::OpenedWorld;
use crate::log::Log;
use crate::outcome::{Ending, OK, document, print};

/// Draws the maps of one folder, or makes a dry run. Returns the exit code; the message about a
/// failure has been written by then. `lists` receives the folder if the lists are written later for
/// several folders together.
pub(super) fn render(
    maps: &[RenderRequest],
    world: Result<OpenedWorld, Ending>,
    log: Log<'_>,
    signals: &Signals,
    (place, lists): (&DrawPlace, Option<&mut SharedLists>),
) -> u8 {
    let Some(run) = maps.first().map(|map| &map.args) else {
        return OK;
    };

    let runner = Runner::for_render(run, log, signals);
    let drawn = world
        .and_then(|world| prepare(maps, world))
        .and_then(|prepared| {
            if run.dry_run {
                dry_run::dry_run(run, &prepared, signals)
            } else {
                draw::draw(&runner, run, prepared, place, lists)
            }
        })
        .map_err(|ending| place.explain(&ending));

    drawn.unwrap_or_else(|ending| {
        if run.json {
            // Only dry runs have `--json`. If standard output cannot be written, the message has to
            // be enough.
            let _ = print(document::refusal(run.name(), &ending).as_bytes());
        }
        runner.refuse(&ending)
    })
}
