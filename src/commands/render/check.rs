//! Checks that the options of maps fit each other, where clap cannot check it.

use std::collections::BTreeSet;

use pixelmap_draw::{Mode, Settings, UnknownBlocks};
use pixelmap_world::internal::World;

use crate::cli::{Deny, RenderArgs};
use crate::outcome::{Ending, USAGE};

/// Checks the options of one map. `maps` is the number of maps of the run.
pub(super) fn check_options(args: &RenderArgs, mode: Mode, maps: usize) -> Result<(), Ending> {
    if args.drawn.unknown == UnknownBlocks::Hide && args.deny.contains(&Deny::UnknownBlocks) {
        let message = "--deny unknown-blocks does not count blocks that --unknown hide hides: \
                       leave one of them out";
        return Err(Ending::new(USAGE, message));
    }

    let is_apart = args.shard.is_some() || args.shards.is_some();
    if is_apart && (mode != Mode::Map || args.name().is_some()) {
        return Err(Ending::new(
            USAGE,
            "shards are parts of one map in a folder: name a folder with -o, and draw one map per \
             run",
        ));
    }

    if args.shard.is_some() && (args.staged || args.run_output.files.are_wanted()) {
        let message = "--staged and lists of changes are for whole maps: draw shards into a folder \
                       that is not public, and give these options to pixelmap merge";
        return Err(Ending::new(USAGE, message));
    }

    if args.shard.is_some() && args.deny.contains(&Deny::Empty) {
        let message = "a shard may have nothing to draw in a dimension: leave --deny empty out";
        return Err(Ending::new(USAGE, message));
    }

    if args.zoom_in.is_some() {
        check_zoom_in(args, mode).map_err(|message| Ending::new(USAGE, message))?;
    }

    let moment = &args.moment;
    if moment.history && (mode != Mode::Map || is_apart) {
        let message = "--history is for whole maps: name a folder with -o, and give it to pixelmap \
                       merge for shards";
        return Err(Ending::new(USAGE, message));
    }

    if maps > 1 && mode != Mode::Map {
        let message =
            "several maps go into one folder: leave --mode out, and name a folder with -o";
        return Err(Ending::new(USAGE, message));
    }

    Ok(())
}

/// Checks that `--zoom-in` has textures, a layer that can show them, and a map in a folder.
fn check_zoom_in(args: &RenderArgs, mode: Mode) -> Result<(), &'static str> {
    if !args.drawn.has_assets() {
        return Err(
            "--zoom-in shows textures, which pixelmap does not have: name the client jar of your \
             game, or a pack, with --assets",
        );
    }

    if !args
        .drawn
        .layer
        .iter()
        .any(|layer| layer.inner_tone().is_some())
    {
        return Err("--zoom-in is for layers day, night and roof: name one of them with -l");
    }

    match mode {
        Mode::Map if args.shard.is_none() && args.shards.is_none() => Ok(()),
        Mode::Map => {
            Err("--zoom-in is for maps that one run draws: leave out --zoom-in or --shard")
        }
        Mode::Image => Err(
            "--zoom-in is for maps in a folder: a picture has textures with --assets and --scale \
             2, 4, 8 or 16",
        ),
        Mode::Archive => Err(
            "--zoom-in is for maps in a folder: name one with -o, and make an archive of it with \
             pixelmap export",
        ),
        Mode::Regions { .. } => {
            Err("--zoom-in is for maps in a folder: name one with -o, and leave --mode out")
        }
    }
}

/// Checks that no two maps of a run draw the same layer of the same dimension, because the later
/// map would replace the earlier one.
pub(super) fn check_layers_apart(maps: &[Settings], world: &World) -> Result<(), Ending> {
    let mut drawn = BTreeSet::new();
    for settings in maps {
        let everything = settings.request.dimensions.is_empty()
            || settings.request.dimensions.iter().any(|name| name == "all");
        let named = settings
            .request
            .dimensions
            .iter()
            .filter_map(|name| world.dimension(name));

        let mut ids: BTreeSet<&str> = named.map(|dimension| dimension.id.as_str()).collect();
        if everything {
            ids.extend(
                world
                    .dimensions
                    .iter()
                    .map(|dimension| dimension.id.as_str()),
            );
        }

        for (id, layer) in ids.into_iter().flat_map(|id| {
            settings
                .request
                .layers
                .iter()
                .map(move |layer| (id, layer.name()))
        }) {
            if !drawn.insert((id, layer)) {
                let message = format!(
                    "two maps draw {id}/{layer}: give each a dimension or layer of its own"
                );
                return Err(Ending::new(USAGE, message));
            }
        }
    }

    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command, RenderRequest};

    /// Returns the message with which the options of a map are refused.
    fn refusal(line: &str) -> String {
        let words = ["pixelmap", "render", "w"].into_iter();
        let cli = Cli::try_parse_from(words.chain(line.split(' '))).unwrap();
        let Some(Command::Render(args)) = cli.command else {
            panic!("{line} is for another command");
        };

        let RenderRequest { args, target } = RenderRequest::new(*args);
        let checked = check_options(&args, target.unwrap().mode, 1);
        checked
            .err()
            .map(|ending| ending.message)
            .unwrap_or_default()
    }

    #[test]
    fn options_that_do_not_fit_are_refused() {
        let pack = "--zoom-in 2 --assets pack";
        for (promise, options, says) in [
            ("textures come from assets", "--zoom-in 2", "--assets"),
            ("a layer shows textures", &format!("{pack} -l height"), "-l"),
            (
                "regions have no inner tiles",
                &format!("{pack} --mode regions"),
                "-o",
            ),
            (
                "a picture has no inner tiles",
                &format!("{pack} --mode image"),
                "--scale",
            ),
            (
                "a shard has no inner tiles",
                &format!("{pack} --shard 1/2"),
                "--shard",
            ),
            (
                "hidden blocks are not counted",
                "--unknown hide --deny unknown-blocks",
                "leave one of them out",
            ),
            (
                "a shard is not a picture",
                "--shard 1/2 -o a.png",
                "one map in a folder",
            ),
            (
                "a shard has no list of changes",
                "--shard 1/2 --changed-list a",
                "pixelmap merge",
            ),
            (
                "a shard may be empty",
                "--shard 1/2 --deny empty",
                "leave --deny empty out",
            ),
            (
                "a picture has no history",
                "--history -o a.png",
                "--history is for whole maps",
            ),
        ] {
            let message = refusal(options);
            assert!(message.contains(says), "{promise}: {options}: {message:?}");
        }
        assert_eq!(refusal(pack), "");
    }
}
