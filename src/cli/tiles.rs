//! Format and names of a map's tiles.

use clap::{Args, ValueEnum};
use pixelmap::publish::{AskedNaming, Format, Scheme};

#[derive(Debug, Args)]
pub(crate) struct TileArgs {
    /// How tiles are named; fixed when a map is begun [default: signed]
    #[arg(long, value_enum)]
    pub(crate) scheme: Option<SchemeArg>,

    /// The format of tiles, without loss; fixed when a map is begun. The ending of a picture tells its format [default: png]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

impl TileArgs {
    /// How a map's tiles are asked to be named.
    pub(crate) fn asked(&self) -> AskedNaming {
        AskedNaming { scheme: self.scheme.map(SchemeArg::scheme), format: self.format.map(FormatArg::format) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemeArg {
    /// Like regions, with negative numbers in the west and north
    Signed,
    /// From the north-west, 0 <= x, y < 2^z: for programs without negative numbers
    Xyz,
    /// Like xyz, with y counted from the south
    Tms,
}

impl SchemeArg {
    const fn scheme(self) -> Scheme {
        match self {
            Self::Signed => Scheme::Signed,
            Self::Xyz => Scheme::Xyz,
            Self::Tms => Scheme::Tms,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// With a palette if that holds all colours
    Png,
    /// Lossless, but larger than PNG. Numbers (layer height16) stay PNG
    Webp,
}

impl FormatArg {
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::Png => Format::Png,
            Self::Webp => Format::Webp,
        }
    }
}
