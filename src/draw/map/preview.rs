//! The picture that stands for a link to the map where it is pasted.

use crate::export::{self, ExportError, MapLayer, Picture, PictureOptions, Size, Workers};
use crate::page::PageTexts;
use crate::store::{Output, PartialFile, PublishError};

/// The size that the hosts of pasted links ask for.
const SIZE: Size = Size::Fit(1200, 630);

/// Makes the picture anew, of the first layer of the first dimension that shows colours.
///
/// # Errors
/// It cannot be written. A map of which no picture can be made gets none.
pub(crate) fn put_preview(output: &Output) -> Result<(), PublishError> {
    match preview(output) {
        Ok(Some(bytes)) => output.put(PageTexts::PREVIEW, &bytes).map(drop),
        Err(ExportError::Publish(error)) => Err(error),
        Ok(None) | Err(_) => Ok(()),
    }
}

fn preview(output: &Output) -> Result<Option<Vec<u8>>, ExportError> {
    let map = export::open_map(output.root())?;
    let mut layers = map.layers().filter(|(_, layer)| layer.bounds.is_some() && layer.numbers.is_none());
    let Some(shown) = layers.find(|(_, layer)| !layer.overlay) else { return Ok(None) };
    let layer = MapLayer::open(&map, shown)?;
    let (picture, _) = Picture::of(&layer, None, &PictureOptions { size: SIZE, ..PictureOptions::default() })?;
    let scratch = output.scratch_folder()?;
    let path = scratch.path().join(PageTexts::PREVIEW);
    let mut file = PartialFile::create(&path, &[])?;
    picture.write(&layer, &mut file, &Workers { threads: 1, is_stopped: &|| false })?;
    file.appear()?;
    let bytes = std::fs::read(&path).map_err(PublishError::io(&path))?;
    Ok(Some(bytes))
}
