//! A requested map: the options of `render`, and the kind of output that follows from them.

use std::path::{Path, PathBuf};

use pixelmap_draw::schedule::Pin;
use pixelmap_draw::{Choices, Look, Mode, OutputRequest, PictureOptions, RunSettings, Settings};
use pixelmap_map::atlas::Elsewhere;
#[cfg(feature = "object-store")]
use pixelmap_map::atlas::OutputKind;
use pixelmap_map::page::PageTexts;

use super::mode;
use super::render::RenderArgs;

/// One requested map of a run.
#[derive(Debug)]
pub(crate) struct RenderRequest {
    pub(crate) args: RenderArgs,
    /// The output that the options ask for, or the reason why the options do not fit each other.
    pub(crate) target: Result<MapTarget, String>,
}

/// The output that the options of a map ask for.
#[derive(Debug)]
pub(crate) struct MapTarget {
    pub(crate) mode: Mode,
    pub(crate) output: PathBuf,
    /// The options of the picture. Only a picture uses them.
    pub(crate) picture: PictureOptions,
    /// The published files that are not in the folder `output`, because the map is in a bucket.
    pub(crate) elsewhere: Option<Elsewhere>,
}

impl MapTarget {
    /// Returns the settings of a map with this `request`, which depends on the world.
    pub(crate) fn settings(
        &self,
        args: &RenderArgs,
        request: pixelmap_draw::MapRequest,
    ) -> Result<Settings, &'static str> {
        let run = args.workers.settings();
        Ok(Settings {
            request,
            look: Look {
                choices: Choices {
                    contours: args.contours,
                },
                area: args.area.area(),
                ..args.drawn.look()?
            },
            output: OutputRequest {
                picture: self.picture.clone(),
                naming: args.tiles.naming(),
                page: PageTexts {
                    title: args.picture.title.clone(),
                    description: args.page.description.clone(),
                    url: args.page.url.clone(),
                },
                worlds: args.worlds.clone(),
                moment: args.moment.settings(),
                elsewhere: self.elsewhere.clone(),
                ..OutputRequest::new(self.mode, self.output.clone())
            },
            run: RunSettings {
                max_batch: args.max_batch,
                pin: if args.pin == Pin::Auto {
                    run.pin
                } else {
                    args.pin
                },
                max_removed: args.max_removed,
                staged: args.staged.then(|| args.thresholds()),
                sure: args.picture.yes,
                force: args.force,
                check: args.check,
                ..run
            },
        })
    }
}

impl RenderRequest {
    pub(crate) fn new(args: RenderArgs) -> Self {
        let target = mode::read(&args).map(|(mode, output, picture)| MapTarget {
            mode,
            output,
            picture,
            elsewhere: None,
        });
        Self { args, target }
    }

    /// Returns the address of the bucket in which the map is drawn.
    #[cfg(feature = "object-store")]
    pub(crate) fn bucket(&self) -> Option<String> {
        let output = &self.target.as_ref().ok()?.output;
        let is_bucket = OutputKind::from_name(output) == OutputKind::Bucket;
        is_bucket.then(|| output.display().to_string())
    }

    /// Returns the request for a map in a bucket that is drawn in the folder `root`. The bucket has
    /// the files that are not in the folder.
    #[cfg(feature = "object-store")]
    pub(crate) fn drawn_in(self, root: &Path, elsewhere: Elsewhere) -> Self {
        Self {
            target: self.target.map(|target| MapTarget {
                output: root.to_owned(),
                elsewhere: Some(elsewhere),
                ..target
            }),
            ..self
        }
    }

    /// Returns the path of the output even if the options do not fit each other; empty if the
    /// options name none.
    pub(crate) fn output(&self) -> &Path {
        match &self.target {
            Ok(target) => &target.output,
            Err(_) => self.args.output.as_deref().unwrap_or(Path::new("")),
        }
    }
}
