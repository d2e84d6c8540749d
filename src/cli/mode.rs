//! Finds the kind of output from `--mode` or the ending of `--output`, and checks that the other
//! options fit it.

use std::path::{Path, PathBuf};

#[cfg(feature = "object-store")]
use pixelmap_draw::import::MapSource;
use pixelmap_draw::{Mode, PictureOptions};
use pixelmap_map::atlas::{Format, OutputKind, ending};

use super::render::{ModeArg, RenderArgs};

/// Returns the kind of output, its path, and the options of the picture, which only a picture uses.
///
/// # Errors
/// Fails if an option does not fit the kind of output. The message contains the remedy.
pub(crate) fn read(args: &RenderArgs) -> Result<(Mode, PathBuf, PictureOptions), String> {
    if let (None, Some(other)) = (args.from, args.more_folders.first()) {
        return Err(format!(
            "{} is one name too many: give the output with -o",
            other.display()
        ));
    }

    if let Some(output) = &args.output
        && OutputKind::from_name(output) == OutputKind::Bucket
    {
        check_bucket(args)?;
        return Ok((Mode::Map, output.clone(), PictureOptions::default()));
    }

    args.output.as_deref().map_or(Ok(()), check_made)?;
    let kind = args
        .output
        .as_deref()
        .map_or(OutputKind::Folder, OutputKind::at);

    let (mode, output) = match (args.mode, kind) {
        (Some(ModeArg::Image), _) | (None, OutputKind::Picture(_)) => return image(args),
        (Some(ModeArg::Regions), _) => regions(args, kind)?,
        (Some(ModeArg::Map) | None, OutputKind::Archive) => archive(args)?,
        (Some(ModeArg::Map) | None, _) => map(args, kind)?,
    };

    Ok((mode, output, PictureOptions::default()))
}

/// Checks that the name of an output does not have the ending of a file that this program cannot
/// make.
///
/// # Errors
/// Fails if the program cannot make such a file. The message contains the remedy.
pub(crate) fn check_made(output: &Path) -> Result<(), String> {
    match OutputKind::at(output) {
        OutputKind::GeoTiff => Err(
            "a GeoTIFF is made of a finished map: draw one, then pixelmap export MAP -o world.tif"
                .to_owned(),
        ),
        OutputKind::Bucket => {
            let message = "a map is drawn into a folder, and put into a bucket from there: \
                           pixelmap export FOLDER -o s3://...";
            Err(message.to_owned())
        }
        OutputKind::NotMade(ending) => Err(format!(
            "pixelmap makes no .{ending}: end -o in {}, or name a folder",
            OutputKind::endings()
        )),
        _ if output == Path::new("-") => Err(
            "a map is not written to standard output: name a file or a folder with -o".to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Checks that the options fit a map that is drawn in a bucket.
#[cfg(feature = "object-store")]
fn check_bucket(args: &RenderArgs) -> Result<(), String> {
    let why = if matches!(args.mode, Some(ModeArg::Image | ModeArg::Regions)) {
        "a bucket gets a map: leave out --mode, or name a file or a folder with -o"
    } else if args.from == Some(MapSource::Pictures) {
        "pictures of map mods are drawn into a folder: name one with -o, and upload it with \
         pixelmap export"
    } else {
        return check_single_scale(args, true);
    };
    Err(why.to_owned())
}

#[cfg(not(feature = "object-store"))]
fn check_bucket(_: &RenderArgs) -> Result<(), String> {
    check_stores()
}

/// Fails in a build without object stores.
pub(crate) fn check_stores() -> Result<(), String> {
    if cfg!(feature = "object-store") {
        return Ok(());
    }
    Err(
        "this pixelmap was built without object stores: take a released one, or build it with \
         --features object-store"
            .to_owned(),
    )
}

fn map(args: &RenderArgs, kind: OutputKind) -> Result<(Mode, PathBuf), String> {
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("map"));
    check_folder("a map is", &output, kind)?;
    check_single_scale(args, true)?;
    Ok((Mode::Map, output))
}

/// Checks the options of regions. Whether each layer has its own folder depends only on the
/// options, not on the world, so that a script knows the paths in advance.
fn regions(args: &RenderArgs, kind: OutputKind) -> Result<(Mode, PathBuf), String> {
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from("regions"));
    check_folder("regions are drawn into", &output, kind)?;
    check_single_scale(args, false)?;

    if args
        .tiles
        .format
        .is_some_and(|format| format != Format::Png)
    {
        return Err("pictures of regions are PNG: leave out --format, or draw a map".to_owned());
    }

    no_scheme(args)?;
    no_map_options(args)?;

    Ok((
        Mode::Regions {
            by_layer: asks_for_several(args),
        },
        output,
    ))
}

/// Returns whether more than one layer of one dimension may be drawn.
fn asks_for_several(args: &RenderArgs) -> bool {
    let layers = args
        .drawn
        .layer
        .iter()
        .any(|layer| *layer != args.drawn.layer[0]);
    layers
        || args.drawn.dimension.len() > 1
        || args.drawn.dimension.iter().any(|name| name == "all")
}

/// Checks that an output can be a folder.
fn check_folder(what: &str, output: &Path, kind: OutputKind) -> Result<(), String> {
    if kind.is_file() {
        return Err(format!(
            "{what} a folder: give -o a name that does not end in .{}",
            ending(output)
        ));
    }
    Ok(())
}

/// Fails if an option is given that only maps in a folder have.
fn no_map_options(args: &RenderArgs) -> Result<(), String> {
    if args.page.description.is_some() || args.page.url.is_some() {
        return Err(
            "--description and --url are for the page of a map: leave them out, or draw a map"
                .to_owned(),
        );
    }

    if args.drawn.details {
        return Err(
            "details are files next to the tiles of a map in a folder: leave out --details, or \
             draw such a map"
                .to_owned(),
        );
    }

    if args.drawn.markers.are_given() {
        return Err(
            "markers are only for maps in a folder: leave out --markers, --icons, --signs, --players \
             and --marker-kinds, or draw such a map"
                .to_owned(),
        );
    }

    Ok(())
}

fn archive(args: &RenderArgs) -> Result<(Mode, PathBuf), String> {
    if asks_for_several(args) {
        return Err(
            "an archive shows one layer of one dimension: give one -l and one -d for each archive, \
             or draw a map"
                .to_owned(),
        );
    }

    check_single_scale(args, false)?;
    one_file(args, "an archive")?;
    Ok((Mode::Archive, args.output.clone().unwrap_or_default()))
}

/// Checks that the options fit an output that has only one scale.
fn check_single_scale(args: &RenderArgs, has_page: bool) -> Result<(), String> {
    args.picture.none(has_page)?;
    if args.area.asks_for_all() {
        return Err(
            "--area all is only for pictures: leave it out, since other outputs show everything"
                .to_owned(),
        );
    }
    Ok(())
}

fn image(args: &RenderArgs) -> Result<(Mode, PathBuf, PictureOptions), String> {
    let ending = args.output.as_deref().map(ending).unwrap_or_default();
    let format = match (Format::from_name(&ending), args.tiles.format) {
        (Some(format), None) => format,
        (None, wanted) if ending.is_empty() => wanted.unwrap_or_default(),
        (Some(format), Some(wanted)) if format == wanted => format,
        (Some(_), Some(_)) => {
            return Err(format!(
                "--format differs from the ending .{ending} of the output: leave out --format, or \
                 change the ending"
            ));
        }
        (None, _) => {
            return Err(format!(
                "a picture is PNG or WebP: its name must end in .png or .webp, not .{ending}"
            ));
        }
    };

    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from("map").with_extension(format.name()));

    if args.drawn.layer.len() > 1
        || args.drawn.dimension.len() > 1
        || args.drawn.dimension.iter().any(|name| name == "all")
    {
        return Err(
            "a picture shows one layer of one dimension: give one -l and one -d, or draw a map"
                .to_owned(),
        );
    }

    if let Some(layer) = args
        .drawn
        .layer
        .iter()
        .find(|layer| layer.number_of_zero().is_some())
    {
        let name = layer.name();
        return Err(format!(
            "layer {name} exists only as tiles of a map: give another -l, or draw a map"
        ));
    }

    one_file(args, "a picture")?;

    Ok((
        Mode::Image,
        output,
        args.picture.options(format, args.area.asks_for_all()),
    ))
}

/// Fails if an option is given that only tiles in a folder have.
fn no_scheme(args: &RenderArgs) -> Result<(), String> {
    if args.tiles.scheme.is_some() {
        return Err(
            "--scheme is only for a map in a folder: leave it out, or draw such a map".to_owned(),
        );
    }
    Ok(())
}

/// Checks that the options fit an output that is one file.
fn one_file(args: &RenderArgs, what: &str) -> Result<(), String> {
    no_scheme(args)?;
    no_map_options(args)?;
    if args.run_output.files.are_wanted() {
        return Err(format!(
            "{what} is one file: --changed-list and --deleted-list are for maps"
        ));
    }
    Ok(())
}
