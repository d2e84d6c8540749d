//! Checks that the options of maps fit each other.

use std::collections::BTreeSet;

use pixelmap::draw::{Mode, Settings, Unknown};
use pixelmap::world::World;

use crate::cli::{Deny, RenderArgs};
use crate::outcome::{Ending, USAGE};

/// Checks the options of one map; `maps` is the number of maps of the run.
pub(super) fn check_options(args: &RenderArgs, mode: Mode, maps: usize) -> Result<(), Ending> {
    if args.drawn.unknown == Unknown::Hide && args.deny.contains(&Deny::UnknownBlocks) {
        let message = "--deny unknown-blocks sees nothing of what --unknown hide hides: leave one of them out";
        return Err(Ending::new(USAGE, message));
    }
    let is_apart = args.shard.is_some() || args.shards.is_some();
    if is_apart && (mode != Mode::Map || args.name().is_some()) {
        return Err(Ending::new(USAGE, "shards are drawn of a map: name a folder with -o, and one map in a run"));
    }
    if args.shard.is_some() && (args.staged || args.run_output.files.are_wanted()) {
        let message = "--staged and lists of changes are for whole maps: draw shards into a folder that nobody sees, \
                       and ask pixelmap merge for the lists";
        return Err(Ending::new(USAGE, message));
    }
    let moment = &args.moment;
    if moment.history && (mode != Mode::Map || is_apart) {
        let message = "--history is for whole maps: name a folder with -o, and give it to pixelmap merge for shards";
        return Err(Ending::new(USAGE, message));
    }
    if maps > 1 && mode != Mode::Map {
        let message = "several maps go into one folder: leave --mode out, and name a folder with -o";
        return Err(Ending::new(USAGE, message));
    }
    Ok(())
}

/// Checks that no two maps of a run draw the same layer of the same dimension: the later one would take the earlier
/// one's place.
pub(super) fn check_layers_apart(maps: &[Settings], world: &World) -> Result<(), Ending> {
    let mut drawn = BTreeSet::new();
    for settings in maps {
        let everything = settings.dimensions.is_empty() || settings.dimensions.iter().any(|name| name == "all");
        let named = settings.dimensions.iter().filter_map(|name| world.dimension(name));
        let mut ids: BTreeSet<&str> = named.map(|dimension| dimension.id.as_str()).collect();
        if everything {
            ids.extend(world.dimensions.iter().map(|dimension| dimension.id.as_str()));
        }
        for (id, layer) in ids.into_iter().flat_map(|id| settings.layers.iter().map(move |layer| (id, layer.name()))) {
            if !drawn.insert((id, layer)) {
                let message = format!("two maps draw {id}/{layer}: give each a dimension or layer of its own");
                return Err(Ending::new(USAGE, message));
            }
        }
    }
    Ok(())
}
