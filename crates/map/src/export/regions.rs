//! Exports a folder with one picture per region: the native tiles of a map, each in a file named
//! after its region, next to its world file. If the export has one layer of one dimension, the
//! pictures are directly in the folder, otherwise in folders `<dimension>/<layer>`.

use std::path::Path;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use twox_hash::XxHash3_64;

use super::error::ExportError;
use super::layer::ExportLayer;
use super::source::world;
use super::workers::Workers;
use super::world_file::world_file;
use crate::atlas::{
    Content, DimensionFacts, FinishedMap, Format, LayerFacts, Manifest, MapFile, Naming, Scheme,
    TileRecord, in_folder,
};
use crate::store::{Commit, Output, PublishError, Put, WantedNaming};
use pixelmap_base::coord::{NATIVE_ZOOM, TilePos};
use pixelmap_tile::Encoder;

/// The numbers of changed and unchanged pictures in a folder of regions.
#[derive(Debug, Default)]
pub struct PictureCounts {
    pub written: u64,
    /// Pictures that the folder already had with the same bytes.
    pub unchanged: u64,
    /// Pictures that this export removed.
    pub removed: u64,
    /// The folders of pictures that were kept, because their layers were not part of this export.
    pub others: Vec<String>,
}

/// Opens and locks a folder for the regions of a map, and creates it if it does not exist.
///
/// # Errors
/// Fails if the folder is not ours, holds something else, shows another world, is in use by another
/// run, is inside the world, or cannot be created.
pub fn open_regions(
    path: &Path,
    map: &FinishedMap,
    by_layer: bool,
) -> Result<Output, PublishError> {
    let content = if by_layer {
        Content::RegionsByLayer
    } else {
        Content::Regions
    };
    Output::open_for(content, WantedNaming::default(), path, &world(map)?, &[])
}

/// Writes the regions of these layers, which belong to one map, into a locked folder, and removes
/// pictures of regions that no longer exist. Returns `None` if the export was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, or if a file cannot be written.
pub fn put_regions(
    output: &Output,
    layers: &[ExportLayer<'_>],
    workers: &Workers<'_>,
) -> Result<Option<PictureCounts>, ExportError> {
    let mut counts = PictureCounts::default();
    let mut written = Vec::new();
    workers.pieces.expect(
        layers
            .iter()
            .map(|layer| layer.native().count() as u64)
            .sum(),
    );

    for layer in layers {
        let folder = output.content().folder(format!(
            "{}/{}",
            layer.finished.dimension.path, layer.finished.facts.id
        ));
        let Some(pictures) = workers.run(|| put_pictures(output, layer, &folder, workers))?? else {
            return Ok(None);
        };
        written.push((layer, folder, count(pictures, &mut counts)));
    }

    let mut commit = Commit::new(output);
    put_facts(output, &written, &mut counts, &mut commit)?;

    for (_, folder, manifest) in &written {
        commit.put_stream(&in_folder(folder, Manifest::FILE), |out| {
            manifest.write(Scheme::Signed, out)
        })?;
    }

    for (_, folder, manifest) in &written {
        let mut gone = Vec::new();
        output.each_tile(
            &in_folder(folder, Manifest::FILE),
            Scheme::Signed,
            |tile, _| {
                gone.extend((!manifest.tiles.contains_key(&tile)).then_some(tile));
            },
        )?;

        for tile in gone {
            files(folder, tile)
                .iter()
                .try_for_each(|path| commit.remove(path))?;
            counts.removed += 1;
        }
    }

    commit.carry_out()?;
    Ok(Some(counts))
}

/// Writes the pictures of a layer. Returns `None` if the export was stopped.
fn put_pictures(
    output: &Output,
    layer: &ExportLayer<'_>,
    folder: &str,
    workers: &Workers<'_>,
) -> Result<Option<Vec<PublishedPicture>>, ExportError> {
    let native: Vec<(TilePos, TileRecord)> = layer.native().collect();
    native
        .into_par_iter()
        .map(|(tile, record)| {
            if (workers.is_stopped)() {
                return Ok(None);
            }
            let picture = put_picture(output, layer, folder, tile, record)?;
            workers.pieces.end(1);
            Ok(Some(picture))
        })
        .collect()
}

fn put_picture(
    output: &Output,
    layer: &ExportLayer<'_>,
    folder: &str,
    tile: TilePos,
    record: TileRecord,
) -> Result<PublishedPicture, ExportError> {
    let (bytes, record) = if layer.finished.facts.format == Format::Png {
        (layer.finished.file(tile, record)?, record)
    } else {
        let mut encoder = Encoder::default();
        let png = layer
            .samples()
            .encode(&mut encoder, &layer.finished.canvas(tile, record)?)
            .to_vec();
        let record = TileRecord {
            bytes: png.len() as u32,
            file: XxHash3_64::oneshot(&png),
            ..record
        };
        (png, record)
    };

    let [picture, world] = files(folder, tile);
    let corner = tile.area();
    let put = output.put(&picture, &bytes)?;
    output.put(
        &world,
        world_file(corner.x0, corner.z0, (1.0, 1.0)).as_bytes(),
    )?;

    Ok(PublishedPicture { tile, record, put })
}

/// Stages the facts of the folder. Layers of an earlier export that are not part of this one stay
/// in the facts.
fn put_facts(
    output: &Output,
    written: &[(&ExportLayer<'_>, String, Manifest)],
    counts: &mut PictureCounts,
    commit: &mut Commit<'_>,
) -> Result<(), ExportError> {
    let Some((first, ..)) = written.first() else {
        return Ok(());
    };

    let mut facts = MapFile::new(first.finished.map.facts().name.clone());
    for (layer, folder, manifest) in written {
        let LayerFacts {
            id,
            look,
            overlay,
            numbers,
            legend,
            ..
        } = layer.finished.facts.clone();

        let native = LayerFacts::new(
            &id,
            folder.clone(),
            Naming::default(),
            look,
            NATIVE_ZOOM,
            manifest,
        );

        let native = LayerFacts {
            overlay,
            numbers,
            legend,
            ..native
        };

        match facts
            .dimensions
            .iter_mut()
            .find(|dimension| dimension.id == layer.finished.dimension.id)
        {
            Some(dimension) => dimension.layers.push(native),
            None => facts.dimensions.push(DimensionFacts {
                layers: vec![native],
                details: None,
                markers: Vec::new(),
                ..layer.finished.dimension.clone()
            }),
        }
    }

    let earlier = output.facts()?;
    if output.content() != Content::Regions
        && let Some(earlier) = earlier
    {
        let layers = earlier.layers().map(|layer| layer.path.clone());
        counts.others = layers
            .filter(|path| !written.iter().any(|(_, folder, _)| folder == path))
            .collect();
        facts.keep(earlier);
    }

    facts.sort(|_| 0);
    commit.put(output.content().facts(), facts.json().as_bytes())?;

    Ok(())
}

/// Counts the pictures of a layer, and returns the manifest that names them.
fn count(pictures: Vec<PublishedPicture>, counts: &mut PictureCounts) -> Manifest {
    for PublishedPicture { put, .. } in &pictures {
        match put {
            Put::Written => counts.written += 1,
            Put::Unchanged => counts.unchanged += 1,
        }
    }

    Manifest {
        tiles: pictures
            .into_iter()
            .map(|picture| (picture.tile, picture.record))
            .collect(),
    }
}

/// A picture that was written, or that the folder already had.
struct PublishedPicture {
    tile: TilePos,
    record: TileRecord,
    put: Put,
}

/// Returns the paths of a region's picture and of its world file.
fn files(folder: &str, tile: TilePos) -> [String; 2] {
    let content = Content::Regions;
    let picture = content.tile_name(Naming::default(), tile);
    let world_file = content.world_file_name(tile).unwrap_or_default();
    [picture, world_file].map(|name| in_folder(folder, &name))
}
