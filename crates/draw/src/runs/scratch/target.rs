//! The output of an export, and the folder in which its map is drawn.

use std::path::Path;

use crate::publish::removals::check_removals;
use crate::request::error::RenderError;
use crate::runs::scratch::request::ExportRequest;
use pixelmap_map::export::FileTarget;
use pixelmap_map::store::{Output, Scratch, WantedNaming, check_apart};
use pixelmap_world::internal::World;

/// The locked output of an export, and a scratch folder in it for the map. The scratch folder is
/// removed before the output is unlocked, because another run may use the output afterwards.
pub(super) enum ScratchTarget<'a> {
    File(FileTarget<'a>),
    Regions { scratch: Scratch, folder: Output },
}

impl<'a> ScratchTarget<'a> {
    pub(super) fn open(world: &World, request: &'a ExportRequest) -> Result<Self, RenderError> {
        let ExportRequest {
            prepared, settings, ..
        } = request;

        let folders = &world.folders;
        let Some(content) = settings.output.mode.regions() else {
            check_apart(&settings.output.path, folders)?;
            return Ok(Self::File(FileTarget::create_with_scratch(
                &settings.output.path,
            )?));
        };

        let folder = Output::open_for(
            content,
            WantedNaming::default(),
            &settings.output.path,
            &prepared.identity,
            folders,
        )?;

        // If the plan alone shows that too many pictures would be removed, end before anything is
        // changed.
        check_removals(&folder, prepared, settings)?;
        folder.begin_listing()?;

        Ok(Self::Regions {
            scratch: folder.scratch_folder()?,
            folder,
        })
    }

    /// Returns the folder for the drawn map.
    pub(super) fn map_folder(&self) -> &Path {
        match self {
            Self::File(file) => file.map_folder(),
            Self::Regions { scratch, .. } => scratch.path(),
        }
    }
}
