//! The options that `render` and `serve` share: which parts of a world to draw, how they look, and
//! how many workers draw them.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::schedule::{Pin, available_threads};
use pixelmap_draw::{Colours, Hide, Layer, Look, RunSettings, UnknownBlocks};

use super::heights::Heights;
use super::markers::MarkerArgs;
use super::parse::{self, NamedValue, choice_parser};

pub(super) fn layers() -> [NamedValue<Layer>; Layer::ALL.len()] {
    Layer::ALL.map(|layer| (layer.name(), layer.help(), layer))
}

#[derive(Debug, Args)]
pub(crate) struct DrawnArgs {
    /// Draw this dimension: overworld, nether, end, ns:path, an old number such as -1, the name of
    /// its folder such as RFTOOLS2 or advRocketry/DIM2, or all; may be repeated [default: for a map
    /// all; for anything else the overworld, or the only one of a world without it]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Vec<String>,

    /// Draw this layer; may be repeated: all layers are drawn in one pass over the world
    #[arg(short, long, value_name = "NAME", value_parser = choice_parser(layers()), default_value = "day")]
    pub(crate) layer: Vec<Layer>,

    /// Write facts about the world next to the tiles: block, biome and height of each column, and
    /// of each chunk the version of the game and how long players were there, which shows where
    /// players live. The page shows the facts under the pointer, and other programs can read them
    /// (docs/details.md)
    #[arg(long)]
    pub(crate) details: bool,

    #[command(flatten)]
    pub(crate) heights: Heights,

    /// Draw also chunks that the game has not finished. Before 1.13 such chunks lack trees and ores
    #[arg(long)]
    pub(crate) unfinished: bool,

    /// Hide these columns: a half-open rectangle, or a GeoJSON file of polygons; may be repeated.
    /// Every chunk with such a column counts as absent, in every layer and dimension, and is
    /// removed from an existing map. The folder of the map does not reveal which places are hidden,
    /// but query and info still show them
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::hide_parser())]
    pub(crate) hide: Vec<Hide>,

    /// Hide chunks in which all players together spent fewer seconds than this; also hides old
    /// chunks, which do not store that time
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) min_inhabited: u32,

    #[command(flatten)]
    pub(crate) markers: MarkerArgs,

    /// Use these colours: texture or map-item (the base), or a colour file; may be repeated, a
    /// later one overrides an earlier one [default: texture]
    #[arg(long, value_name = "NAME|FILE")]
    palette: Vec<PathBuf>,

    /// How to draw unknown blocks: auto (by the words of their names), hide (neither drawn nor
    /// counted), or all in one colour
    #[arg(long, value_name = "auto|hide|RRGGBB", value_parser = parse::parse_unknown, default_value = "auto")]
    pub(crate) unknown: UnknownBlocks,

    /// Read block colours, textures, biomes and dimensions from this client jar, resource pack, mod
    /// jar or data pack (zip or folder), or from a folder of jars such as mods/; may be repeated, a
    /// later one overrides an earlier one. The world's own packs are always read
    #[arg(long, value_name = "PATH")]
    assets: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// Number of workers; 0: the CPUs this process may use
    #[arg(
        short,
        long,
        visible_short_alias = 'j',
        visible_alias = "jobs",
        value_name = "N",
        default_value_t = 0
    )]
    pub(crate) threads: usize,

    /// Leave the machine to other programs, such as the game's server: work only while the CPU and
    /// the disk are idle, and on half of the CPUs unless --threads is given
    #[arg(long)]
    pub(crate) nice: bool,
}

impl DrawnArgs {
    /// Returns whether jars or packs are named.
    pub(crate) const fn has_assets(&self) -> bool {
        !self.assets.is_empty()
    }

    /// Returns the colours in the form that the library expects.
    pub(crate) fn colours(&self) -> Colours {
        Colours {
            palettes: self.palette.clone(),
            unknown: self.unknown,
            assets: self.assets.clone(),
        }
    }

    /// Returns the look that these options ask for.
    pub(crate) fn look(&self) -> Result<Look, &'static str> {
        Ok(Look {
            range: self.heights.range()?,
            unfinished: self.unfinished,
            hide: self.hide.clone(),
            min_inhabited: self.min_inhabited,
            colours: self.colours(),
            ..Look::default()
        })
    }
}

impl WorkerArgs {
    /// Returns the number of workers that read and draw a world, or 0 for all CPUs. With `--nice`
    /// it is half of the CPUs, unless `--threads` is given.
    pub(crate) fn threads(&self) -> usize {
        if self.nice && self.threads == 0 {
            available_threads().div_ceil(2)
        } else {
            self.threads
        }
    }

    /// Returns how the workers run. With `--nice` they are not pinned, because a pinned worker
    /// would wait while another program uses its CPU.
    pub(crate) fn settings(&self) -> RunSettings {
        let pin = if self.nice { Pin::None } else { Pin::Auto };
        RunSettings {
            threads: self.threads(),
            pin,
            ..RunSettings::default()
        }
    }
}
