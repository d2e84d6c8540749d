//! The kind of output, from `--mode` or the ending of `--output`, and a check that the other options fit it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pixelmap::atlas::Format;
use pixelmap::draw::{Mode, PictureOptions};

use super::{AreaArg, RenderArgs};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// A tile pyramid with a viewer, in a folder; in one file where the output ends in .pmtiles
    Map,
    /// One picture of one layer of one dimension
    Image,
    /// One picture a region, r.X.Z.png, in a folder
    Regions,
}

/// Endings of files that are not made.
const OTHER_ENDINGS: [&str; 13] =
    ["jpg", "jpeg", "gif", "bmp", "tif", "tiff", "svg", "pdf", "zip", "tar", "gz", "mbtiles", "avif"];

/// The kind of output, its path, and the picture, if it is one.
///
/// # Errors
/// An option that does not fit, with the remedy.
pub(crate) fn of(args: &RenderArgs) -> Result<(Mode, PathBuf, PictureOptions), String> {
    args.output.as_deref().map_or(Ok(()), is_made)?;
    let ending = args.output.as_deref().map(ending).unwrap_or_default();
    let (mode, output) = match args.mode {
        Some(ModeArg::Image) => return image(args, &ending),
        Some(ModeArg::Regions) => regions(args, &ending),
        Some(ModeArg::Map) | None
            if ending == "pmtiles" && args.output.as_deref().is_some_and(|path| !path.is_dir()) =>
        {
            archive(args)
        }
        None if Format::named(&ending).is_some() && args.output.as_deref().is_some_and(|output| !output.is_dir()) => {
            return image(args, &ending);
        }
        _ => map(args, &ending),
    }?;
    Ok((mode, output, PictureOptions::default()))
}

/// Returns whether a path has the ending of a picture, of an archive, or of a file that is not made.
pub(super) fn names_a_file(path: &Path) -> bool {
    let ending = ending(path);
    is_of_one_file(&ending) || OTHER_ENDINGS.contains(&&*ending)
}

fn is_of_one_file(ending: &str) -> bool {
    ["png", "webp", "pmtiles"].contains(&ending)
}

/// Checks that an output does not ask for a file of a kind that is not made.
///
/// # Errors
/// It does, with the remedy.
pub(crate) fn is_made(output: &Path) -> Result<(), String> {
    let ending = ending(output);
    if output.is_dir() {
        return Ok(());
    }
    if is_address(output) {
        let message =
            "a map is drawn into a folder, and put into a bucket from there: pixelmap export FOLDER -o s3://...";
        return Err(message.to_owned());
    }
    if output == Path::new("-") {
        return Err("a map is not written to standard output: name a file or a folder with -o".to_owned());
    }
    if OTHER_ENDINGS.contains(&&*ending) {
        return Err(format!("no .{ending} is made: end -o in .png, .webp or .pmtiles, or name a folder"));
    }
    Ok(())
}

fn map(args: &RenderArgs, ending: &str) -> Result<(Mode, PathBuf), String> {
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("map"));
    folder("a map is", &output, ending)?;
    wide(args, true)?;
    Ok((Mode::Map, output))
}

/// Checks the mode of regions. Folders by layer depend on the options alone: so a script finds its paths whatever a
/// world holds.
fn regions(args: &RenderArgs, ending: &str) -> Result<(Mode, PathBuf), String> {
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("regions"));
    folder("regions are drawn into", &output, ending)?;
    wide(args, false)?;
    if args.tiles.format.is_some_and(|format| format != Format::Png) {
        return Err("pictures of regions are PNG: leave out --format, or draw a map".to_owned());
    }
    no_scheme(args)?;
    no_map_options(args)?;
    Ok((Mode::Regions { by_layer: asks_for_several(args) }, output))
}

/// Returns whether more than one layer of one dimension may be drawn.
fn asks_for_several(args: &RenderArgs) -> bool {
    let layers = args.drawn.layer.iter().any(|layer| *layer != args.drawn.layer[0]);
    layers || args.drawn.dimension.len() > 1 || args.drawn.dimension.iter().any(|name| name == "all")
}

/// Checks that an output can be a folder.
fn folder(what: &str, output: &Path, ending: &str) -> Result<(), String> {
    if is_of_one_file(ending) && !output.is_dir() {
        return Err(format!("{what} a folder: give -o a name that does not end in .{ending}"));
    }
    Ok(())
}

/// Checks that no option is given that is only for maps in a folder.
fn no_map_options(args: &RenderArgs) -> Result<(), String> {
    if args.page.description.is_some() || args.page.url.is_some() {
        return Err("--description and --url are for the page of a map: leave them out, or draw a map".to_owned());
    }
    if args.drawn.details {
        return Err(
            "details lie beside the tiles of a map in a folder: leave out --details, or draw such a map".to_owned()
        );
    }
    if args.drawn.markers.are_given() {
        return Err(
            "markers are only for maps in a folder: leave out --markers, --signs, --players and --marker-kinds, \
                    or draw such a map"
                .to_owned(),
        );
    }
    Ok(())
}

fn archive(args: &RenderArgs) -> Result<(Mode, PathBuf), String> {
    if asks_for_several(args) {
        return Err("an archive shows one layer of one dimension: give one -l and one -d for each archive, or \
                    draw a map"
            .to_owned());
    }
    wide(args, false)?;
    one_file(args, "an archive")?;
    Ok((Mode::Archive, args.output.clone().unwrap_or_default()))
}

/// Checks that the options fit an output of one scale.
fn wide(args: &RenderArgs, has_page: bool) -> Result<(), String> {
    args.picture.none(has_page)?;
    if args.place.asks_for_all() {
        return Err("--area all is only for pictures: leave it out, since other outputs show everything".to_owned());
    }
    Ok(())
}

fn image(args: &RenderArgs, ending: &str) -> Result<(Mode, PathBuf, PictureOptions), String> {
    let asked = args.tiles.format;
    let format = match (Format::named(ending), asked) {
        (Some(format), None) => format,
        (None, asked) if ending.is_empty() => asked.unwrap_or_default(),
        (Some(format), Some(asked)) if format == asked => format,
        (Some(_), Some(_)) => {
            return Err(format!(
                "--format differs from the ending .{ending} of the output: leave out --format, or change the ending"
            ));
        }
        (None, _) => {
            return Err(format!("a picture is PNG or WebP: its name must end in .png or .webp, not .{ending}"));
        }
    };
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("map").with_extension(format.name()));
    if args.drawn.layer.len() > 1
        || args.drawn.dimension.len() > 1
        || args.drawn.dimension.iter().any(|name| name == "all")
    {
        return Err("a picture shows one layer of one dimension: give one -l and one -d, or draw a map".to_owned());
    }
    if let Some(layer) = args.drawn.layer.iter().find(|layer| layer.number_of_zero().is_some()) {
        let name = layer.name();
        return Err(format!("layer {name} exists only as tiles of a map: give another -l, or draw a map"));
    }
    one_file(args, "a picture")?;
    Ok((Mode::Image, output, args.picture.options(format, args.place.asks_for_all())))
}

/// Checks that no option is given that is only for tiles in a folder.
fn no_scheme(args: &RenderArgs) -> Result<(), String> {
    if args.tiles.scheme.is_some() {
        return Err("--scheme is only for a map in a folder: leave it out, or draw such a map".to_owned());
    }
    Ok(())
}

/// Checks that the options fit an output of one file.
fn one_file(args: &RenderArgs, what: &str) -> Result<(), String> {
    no_scheme(args)?;
    no_map_options(args)?;
    if args.tell.files.are_wanted() {
        return Err(format!("{what} is one file: --changed-list and --deleted-list are for maps"));
    }
    Ok(())
}

/// Returns whether an output is an address (`s3://...`) and no path. One letter before the colon is a drive.
pub(super) fn is_address(output: &Path) -> bool {
    let scheme = output.to_str().and_then(|output| output.split_once("://")).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

pub(crate) fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// `X0,Z0,X1,Z1` or `all`
pub(super) fn area(text: &str) -> Result<AreaArg, String> {
    if text == "all" { Ok(AreaArg::All) } else { super::parse::area(text).map(AreaArg::Of) }
}
