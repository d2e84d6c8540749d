//! Makes the preview picture that other sites show for a link to the map.

use pixelmap_map::atlas::AtlasError;
use pixelmap_map::export::{self, ExportError, ExportLayer, PicturePlan, Pieces, Workers};
use pixelmap_map::export::{PictureOptions, Size};
use pixelmap_map::page::PageTexts;
use pixelmap_map::store::{NewFile, Output, PublishError};
use pixelmap_tile::Samples;

/// The size that sites with link previews recommend.
const SIZE: Size = Size::Fit(1200, 630);

/// Makes the preview of the first layer with colours in the first dimension that has one. A map
/// that cannot be turned into a picture gets none.
///
/// # Errors
/// Fails if the picture cannot be written or the map cannot be read.
pub(crate) fn put_preview(output: &Output) -> Result<(), PublishError> {
    match preview(output) {
        Ok(Some(bytes)) => output.put(PageTexts::PREVIEW, &bytes).map(drop),
        Err(ExportError::Publish(error)) => Err(error),
        Err(ExportError::Map(AtlasError::NoMap(path))) => Err(PublishError::NoMap(path)),
        Err(ExportError::Map(AtlasError::Io(path, error))) => Err(PublishError::Io(path, error)),
        Ok(None) | Err(_) => Ok(()),
    }
}

fn preview(output: &Output) -> Result<Option<Vec<u8>>, ExportError> {
    let map = export::open_map(output.root())?.over(output.elsewhere().cloned());
    let mut layers = map.layers();
    let shown = layers.find(|layer| {
        layer.facts.bounds.is_some() && layer.samples() == Samples::Colours && !layer.facts.overlay
    });

    let Some(shown) = shown else { return Ok(None) };
    let layer = ExportLayer::open_for_picture(shown)?;

    let (picture, _) = PicturePlan::for_layer(
        &layer,
        None,
        &PictureOptions {
            size: SIZE,
            ..PictureOptions::default()
        },
    )?;

    let scratch = output.scratch_folder()?;
    let place = scratch.place().inside(PageTexts::PREVIEW);
    let mut file = NewFile::beside(&place)?;

    let workers = Workers {
        threads: 1,
        pieces: &Pieces::default(),
        is_stopped: &|| false,
    };
    picture.write(&layer, &mut file, &workers)?;
    file.appear()?;
    let bytes = place.read().map_err(PublishError::at(&place))?;

    Ok(Some(bytes))
}
