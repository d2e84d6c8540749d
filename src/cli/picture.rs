//! The options of one picture, which `render` and `export` share.

use clap::Args;
use pixelmap_draw::{PictureOptions, Poster, Scale, Size};
use pixelmap_map::atlas::Format;

use super::parse;

#[derive(Debug, Args)]
#[command(next_help_heading = "One picture")]
pub(crate) struct PictureArgs {
    /// Pixels per block: a power of two from 1/256 to 16; above 1 with textures if --assets has
    /// them [default: 1]
    #[arg(long, value_name = "SCALE", value_parser = parse::parse_scale, conflicts_with_all = ["width", "fit"])]
    scale: Option<Scale>,

    /// Make the picture exactly this wide, in pixels
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "fit")]
    width: Option<u32>,

    /// Make the picture as large as fits into a box of W by H pixels: one side is met exactly
    #[arg(long, value_name = "WxH", value_parser = parse::parse_sides)]
    fit: Option<(u32, u32)>,

    /// Fill the places where nothing is drawn with this colour [default: transparent]
    #[arg(long, value_name = "RRGGBB", value_parser = parse::parse_colour)]
    background: Option<[u8; 3]>,

    /// Hatch the places where nothing is drawn, as the page of a map does
    #[arg(long)]
    hatching: bool,

    /// Draw lines every N blocks, with their coordinates
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    grid: Option<u32>,

    /// Write a title below the map; for a map in a folder, the title of its page
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Draw a scale bar below the map
    #[arg(long)]
    scale_bar: bool,

    /// Allow a picture of more than 4 gigapixels, and more than 100,000 tiles with textures
    #[arg(long)]
    pub(crate) yes: bool,
}

impl PictureArgs {
    /// Returns the picture that the options ask for.
    pub(super) fn options(&self, format: Format, all: bool) -> PictureOptions {
        let size = match (self.width, self.fit) {
            (Some(width), _) => Size::Width(width),
            (None, Some((width, height))) => Size::Fit(width, height),
            (None, None) => self.scale.map_or_else(Size::default, Size::Scale),
        };

        let poster = Poster {
            background: self.background,
            hatching: self.hatching,
            grid: self.grid,
            title: self.title.clone(),
            scale_bar: self.scale_bar,
        };

        PictureOptions {
            format,
            size,
            poster,
            all,
            sure: self.yes,
        }
    }

    /// Checks that none of these options is given, for an output that is not a picture. With
    /// `has_page` a title is allowed, because the page shows it.
    ///
    /// # Errors
    /// Fails if one is given. The message contains the remedy.
    pub(super) fn none(&self, has_page: bool) -> Result<(), String> {
        let given = [
            ("--scale", self.scale.is_some()),
            ("--width", self.width.is_some()),
            ("--fit", self.fit.is_some()),
            ("--background", self.background.is_some()),
            ("--hatching", self.hatching),
            ("--grid", self.grid.is_some()),
            ("--title", self.title.is_some() && !has_page),
            ("--scale-bar", self.scale_bar),
        ];

        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(format!(
                "{option} is for one picture: end -o in .png or .webp, or leave it out"
            )),
            None => Ok(()),
        }
    }
}
