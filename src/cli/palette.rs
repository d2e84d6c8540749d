//! The arguments of `pixelmap palette`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const FORMAT: &str = "\
A colour file is text with one rule per line; columns are separated by spaces or tabs, # begins a comment:
  # name                 rrggbb  coverage  tint   flags  map colour
  minecraft:stone        7f7f80
  somemod:ruby_glass     c02040  50
  somemod:fern_*         808080  50        grass
  somemod:beam[axis=x]   705030
  somemod:old_beam       =somemod:beam
  # biome  name          grass   foliage  water   dry foliage
  biome    somemod:moor  8f7a4a  7d6f3c   3f76e4
Columns after the colour may be left out and then do not change; coverage is in percent, the tint is one of grass,
foliage, dry_foliage, water and -. A whole name overrides one with *, and a later file overrides an earlier one.

Examples:
  pixelmap palette generate --assets client.jar --assets pack.zip -o pack.tsv
  pixelmap palette check pack.tsv
  pixelmap render world --palette pack.tsv";

#[derive(Debug, Subcommand)]
pub(crate) enum PaletteCommand {
    /// Make a colour file from a client jar, and from packs and mods that override it
    #[command(after_help = GENERATE_EXAMPLES)]
    Generate(GenerateArgs),
    /// Check a colour file: code 1 and the first wrong line if it cannot be used
    #[command(after_help = "Example:\n  pixelmap palette check mods.tsv")]
    Check {
        /// The colour file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  pixelmap palette generate --assets client.jar -o vanilla.tsv
  pixelmap palette generate --assets client.jar --assets pack.zip --assets mod.jar -o mine.tsv
  pixelmap palette generate --assets client.jar -o - | grep leaves

The client jar is versions/VERSION/VERSION.jar in the folder of the game. Most models of packs and mods need it.
Exit codes:
  0  done
  1  no colour was found, or the file cannot be written
  2  wrong usage, and assets that cannot be read
  3  done, except for some blocks, which are named";

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// A client jar, resource pack or mod jar (zip or folder); may be repeated, a later one
    /// overrides an earlier one
    #[arg(long, value_name = "PATH", required = true)]
    pub(crate) assets: Vec<PathBuf>,

    /// The colour file to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
