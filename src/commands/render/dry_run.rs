//! Runs `pixelmap render --dry-run`.

use pixelmap_base::json::WithWorldName;

use super::settings::WorldMaps;
use crate::cli::RenderArgs;
use crate::commands::signals::Signals;
use crate::outcome::{Ending, OK, document, print};
use crate::summary;

/// Prints the work that a render would do, or with `--shards` how it would be divided. Draws
/// nothing.
pub(super) fn dry_run(
    run: &RenderArgs,
    WorldMaps { world, maps, .. }: &WorldMaps,
    signals: &Signals,
) -> Result<u8, Ending> {
    if let Some(count) = run.shards {
        let shards = pixelmap_draw::divide(world, maps, count)?;
        let text = if run.json {
            document::result(OK, &shards)?
        } else {
            summary::shards(&shards)
        };
        return print(text.as_bytes()).map(|_| OK);
    }

    let dry = pixelmap_draw::dry_run(world, maps, signals.stop())?;

    if signals.code() != OK {
        return Ok(signals.code());
    }

    let text = if run.json {
        document::result(OK, WithWorldName::new(run.name(), &dry))?
    } else {
        summary::dry_run(run.name(), &dry)
    };

    print(text.as_bytes()).map(|_| OK)
}
