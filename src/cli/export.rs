//! The arguments of `pixelmap export`, and the kind of output that they ask for.
//!
//! The ending of the output's name decides between a picture, an archive, a GeoTIFF, a bucket and a
//! folder. The export itself is in `commands/export`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::PictureOptions;
use pixelmap_map::atlas::{Format, OutputKind};

use super::export_target::ExportTarget;
use super::map_mod::MapModArgs;
use super::mode;
use super::picture::PictureArgs;
use super::render::AreaArgs;
use super::timelapse::TimelapseArgs;

/// The number of times that a file is sent again if a bucket refuses it.
#[cfg(feature = "object-store")]
pub(crate) const RETRIES: usize = 8;

/// The help's example of an upload to a bucket; empty in a build without object stores.
#[cfg(feature = "object-store")]
macro_rules! bucket_example {
    () => {
        "
  pixelmap export map -o s3://my-bucket/map             the whole map, or only its changes, to be served from there"
    };
}
#[cfg(not(feature = "object-store"))]
macro_rules! bucket_example {
    () => {
        ""
    };
}

const EXPORT_EXAMPLES: &str = concat!(
    "\
Examples:
  pixelmap export map -o world.png                      one picture of the overworld, one pixel per block
  pixelmap export map -o nether.png -d the_nether --scale 1/4
  pixelmap export map -o poster.png --width 6000 --title 'Our world' --scale-bar --grid 1024
  pixelmap export map -o spawn.png -a -200,-200,200,200 --scale 4
  pixelmap export map -o world.webp --scale 1/16        in WebP, up to 16,383 pixels per side
  pixelmap export map -o world.pmtiles                  all zoom levels in one file; open world.html next to it
  pixelmap export world.pmtiles -o world.png            a picture of an archive, which shows one layer
  pixelmap export map -o growth.gif --timelapse --fit 1280x720 --fps 4 --scale-bar
                                                        the moments of a map with history, one after the other
  pixelmap export map -o growth.webp --timelapse --from 2026-01-01 -a -200,-200,200,200
  pixelmap export map -o frames --timelapse             as frames/frame-00001.png and so on, for a video
  pixelmap export map -o heights.tif -l height16        heights in blocks for QGIS and GDAL (Cloud Optimized GeoTIFF)
  pixelmap export map -o journeymap/data/mp/SERVER --for journeymap --merge
                                                        into a player's JourneyMap, only where it is unexplored
  pixelmap export map -o /srv/web --for squaremap       for MapLink in the game and LiveAtlas
  pixelmap export map -o xaero/minimap --for xaero-waypoints --address play.example.org
                                                        the markers as waypoints of Xaero's Minimap
  pixelmap export map -o regions                        one picture per region, as regions/r.0.0.png
  pixelmap export map -o regions -d all -l day -l night in folders DIMENSION/LAYER",
    bucket_example!(),
    "

Reads no world, only the map. A picture with -a shows exactly these columns; at a scale below 1 its
sides are moved outward to whole pixels.
Exit codes:
  0         done
  1         the map cannot be read or is damaged: draw it again
  2         wrong usage, or a picture that is too large
  3         done, but a bucket refused some files, which are named: run the same command again
  75        not now: the output is held by another run, the disk is full, the store is unreachable...
  130, 143  interrupted by Ctrl-C, by SIGTERM; an earlier output is unchanged"
);

#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A map's folder, or an archive (.pmtiles)
    #[arg(value_name = "MAP")]
    pub(crate) map: PathBuf,

    #[arg(short, long, value_name = "PATH", help = output_help())]
    pub(crate) output: PathBuf,

    /// The dimension as the map names it; for one picture per region also several, or all [default:
    /// overworld, or the only one]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Vec<String>,

    /// The layer; for one picture per region also several, or all [default: day, or the only one]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) layer: Vec<String>,

    #[command(flatten)]
    pub(crate) area: AreaArgs,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    #[command(flatten)]
    pub(crate) timelapse: TimelapseArgs,

    #[command(flatten)]
    pub(crate) map_mod: MapModArgs,

    /// Retry a file that the bucket refused up to N times, with longer and longer waits
    #[cfg(feature = "object-store")]
    #[arg(long, value_name = "N", default_value_t = RETRIES)]
    pub(crate) retries: usize,

    /// Number of threads; 0: the CPUs this process may use
    #[arg(
        short,
        long,
        visible_short_alias = 'j',
        visible_alias = "jobs",
        value_name = "N",
        default_value_t = 0
    )]
    pub(crate) threads: usize,

    /// Print no summary on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl ExportArgs {
    /// Returns the kind of output, from its name and the other options.
    ///
    /// # Errors
    /// Fails if an option does not fit this kind of output. The message contains the remedy.
    pub(crate) fn target(&self) -> Result<ExportTarget, String> {
        let kind = OutputKind::at(&self.output);
        let by_layer = is_several(&self.dimension) || is_several(&self.layer);

        if let Some(timelapse) = self
            .timelapse
            .options(&self.output, self.picture_options(Format::Png))?
        {
            let message = "a time-lapse shows one layer of one dimension: name one -l and one -d";
            return if by_layer {
                Err(message.to_owned())
            } else {
                Ok(ExportTarget::Timelapse(timelapse))
            };
        }

        if let Some(target) = self.map_mod.target(&self.output)? {
            self.picture.none(false)?;
            self.no_area()?;
            if target == ExportTarget::Squaremap && is_several(&self.layer) {
                return Err("a map of squaremap has one layer: name one -l".to_owned());
            }
            if matches!(target, ExportTarget::XaeroWaypoints(_)) && !self.layer.is_empty() {
                return Err("waypoints are in no layer: leave -l out".to_owned());
            }
            return Ok(target);
        }

        if OutputKind::from_name(&self.output) == OutputKind::Bucket {
            mode::check_stores()?;
            #[cfg(feature = "object-store")]
            return self.bucket();
        }

        if by_layer && kind.is_file() {
            let what = "one file shows one layer of one dimension";
            return Err(format!(
                "{what}: name one -l and one -d, or a folder with -o"
            ));
        }

        if let OutputKind::Picture(format) = kind {
            return Ok(ExportTarget::Picture(self.picture_options(format)));
        }
        if kind == OutputKind::GeoTiff {
            self.picture.none(false)?;
            return Ok(ExportTarget::GeoTiff);
        }

        mode::check_made(&self.output)?;
        self.picture.none(false)?;
        self.no_area()?;

        Ok(if kind == OutputKind::Archive {
            ExportTarget::Archive
        } else {
            ExportTarget::Regions { by_layer }
        })
    }

    fn picture_options(&self, format: Format) -> PictureOptions {
        self.picture.options(format, self.area.asks_for_all())
    }

    /// Fails if an area is given, because this kind of output always holds the whole map.
    fn no_area(&self) -> Result<(), String> {
        if self.area.area().is_some() || self.area.asks_for_all() {
            let message = "--area is for one picture or a GeoTIFF: end -o in .png, .webp or .tif, \
                           or leave it out; for a part of the world draw a map of it with render \
                           --area";
            return Err(message.to_owned());
        }
        Ok(())
    }

    #[cfg(feature = "object-store")]
    fn bucket(&self) -> Result<ExportTarget, String> {
        let is_part =
            !self.dimension.is_empty() || !self.layer.is_empty() || self.area.area().is_some();
        if is_part || self.area.asks_for_all() {
            let message = "a bucket takes the whole map: leave out -d, -l and --area; for a part \
                           of it, draw a map of that";
            return Err(message.to_owned());
        }

        self.picture.none(false)?;
        Ok(ExportTarget::Bucket(self.output.display().to_string()))
    }
}

/// Returns whether there are several different names, or the name `all`.
fn is_several(names: &[String]) -> bool {
    names.iter().any(|name| *name != names[0] || name == "all")
}

fn output_help() -> String {
    let files = OutputKind::endings();
    if cfg!(feature = "object-store") {
        format!(
            "The output: a file that ends in {files}, or in .tif for a GeoTIFF, a folder for one \
             picture per region, or s3://BUCKET/PREFIX (gs://, az://) for the whole map"
        )
    } else {
        format!(
            "The output: a file that ends in {files}, or in .tif for a GeoTIFF, or a folder for \
             one picture per region"
        )
    }
}
