//! Computes the digest of a render. The digest of a map is made from its manifests; the digest of a
//! picture from its size and pixels.

use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use super::picture::PictureFile;
use super::side::Side;
use super::threads::on_threads;
use super::trouble::Trouble;
use crate::atlas::{Digest, FinishedLayer, FinishedMap, Manifest};
use pixelmap_tile::{PixelSize, Samples};

/// Adds a layer to a digest. Callers add layers in the order of [`sorted_layers`], because the
/// order affects the digest.
pub(super) fn add(digest: &mut Digest, layer: &FinishedLayer<'_>, manifest: &Manifest) {
    digest.add(&layer.dimension.id, &layer.facts.id, &manifest.tiles);
}

/// Returns the layers of a map sorted by the ids of dimension and layer, so that the digest does
/// not depend on their order in the map.
pub(super) fn sorted_layers(map: &FinishedMap) -> Vec<FinishedLayer<'_>> {
    let mut layers: Vec<FinishedLayer<'_>> = map.layers().collect();
    layers.sort_by_key(|layer| (&layer.dimension.id, &layer.facts.id));
    layers
}

/// Returns the digest of a render. Returns `None` for a saved manifest, because it does not contain
/// the layer's name.
///
/// # Errors
/// Fails if the render cannot be read.
pub fn digest(side: &Side, threads: usize) -> Result<Option<String>, Trouble> {
    match side {
        Side::Picture(picture) => picture_digest(picture).map(Some),
        Side::Map(map) => {
            let mut digest = Digest::default();
            on_threads(threads, || {
                sorted_layers(map).iter().try_for_each(|layer| {
                    layer
                        .manifest()
                        .map(|manifest| add(&mut digest, layer, &manifest))
                })
            })??;
            Ok(Some(digest.text()))
        }
        Side::Manifest(_) => Ok(None),
    }
}

pub(super) fn picture_digest(picture: &PictureFile) -> Result<String, Trouble> {
    let mut hasher = XxHash3_64::with_seed(0);
    let PixelSize { width, height } = picture.size();
    hasher.write(format!("picture\t{width}\t{height}\n").as_bytes());
    picture.each_row(0..height as usize, |_, row| {
        for pixel in row {
            match picture.samples {
                Samples::Colours | Samples::Heights => hasher.write(&pixel.rgba()),
                Samples::Numbers => hasher.write(&pixel.number().to_be_bytes()),
            }
        }
    })?;
    Ok(format!("{:016x}", hasher.finish()))
}
