//! The options of time-lapses.

use std::path::Path;

use clap::Args;
use pixelmap_draw::PictureOptions;
use pixelmap_map::atlas::{Format, OutputKind};
use pixelmap_map::export::{TimelapseKind, TimelapseOptions};

use super::parse;

/// Frames per second without `--fps`.
const RATE: f64 = 4.0;

#[derive(Debug, Args)]
#[command(next_help_heading = "Timelapse")]
pub(crate) struct TimelapseArgs {
    /// Show the moments of a map with history one after the other: in a file that ends in .gif or
    /// .webp, or as a folder of frames (PNG). The options of one picture apply to each frame
    #[arg(long)]
    timelapse: bool,

    /// Frames per second, from 0.01 to 50 [default: 4]
    #[arg(long, value_name = "N", requires = "timelapse", value_parser = parse::parse_rate)]
    fps: Option<f64>,

    /// Show every moment, including those in which the area did not change [default: leave these
    /// out]
    #[arg(long, requires = "timelapse")]
    hold: bool,

    /// The first moment: a time, a label, or the number of moments back, as in -3 [default: the
    /// oldest]
    #[arg(
        long,
        value_name = "MOMENT",
        requires = "timelapse",
        allow_hyphen_values = true
    )]
    pub(crate) from: Option<String>,

    /// The last moment [default: the newest]
    #[arg(
        long,
        value_name = "MOMENT",
        requires = "timelapse",
        allow_hyphen_values = true
    )]
    pub(crate) to: Option<String>,
}

impl TimelapseArgs {
    /// Returns the time-lapse that the options ask for, or `None` without `--timelapse`. `picture`
    /// holds the settings of its frames.
    ///
    /// # Errors
    /// Fails if an option does not fit a time-lapse. The message contains the remedy.
    pub(super) fn options(
        &self,
        output: &Path,
        picture: PictureOptions,
    ) -> Result<Option<TimelapseOptions>, String> {
        let is_gif = OutputKind::at(output) == OutputKind::NotMade("gif");
        if !self.timelapse {
            let message = "a .gif shows the moments of a map: add --timelapse, or end -o in .png";
            return if is_gif {
                Err(message.to_owned())
            } else {
                Ok(None)
            };
        }

        let kind = match OutputKind::at(output) {
            OutputKind::Picture(Format::Webp) => TimelapseKind::Webp,
            OutputKind::Folder if output != Path::new("-") => TimelapseKind::Frames,
            _ if is_gif => TimelapseKind::Gif,
            _ => return Err(
                "--timelapse makes a .gif, a .webp or a folder of frames: end -o in .gif or .webp, \
                 or name a folder"
                    .to_owned(),
            ),
        };

        if kind == TimelapseKind::Frames && self.fps.is_some() {
            return Err(
                "--fps is for .gif and .webp: leave it out, and give the rate to the program that \
                 makes the video, as in ffmpeg -framerate 4"
                    .to_owned(),
            );
        }

        let rate = self.fps.unwrap_or(RATE);
        Ok(Some(TimelapseOptions {
            kind,
            picture,
            rate,
            holds_unchanged: self.hold,
        }))
    }
}
