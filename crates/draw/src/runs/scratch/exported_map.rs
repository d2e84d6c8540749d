//! A finished export, and its facts for the report.

use crate::publish::account::PublishedMap;
use crate::report::{ArchiveFacts, Failure, PictureFacts, Report, TileCounts};
use crate::runs::scratch::scratch_map::ScratchMap;
use pixelmap_base::coord::Area;
use pixelmap_map::export::{self, FileTarget, PicturePlan, Workers, WrittenArchive};
use pixelmap_map::store::{Output, no_page};

/// A finished export.
#[derive(Debug)]
pub struct ExportedMap {
    pub report: Report,
    /// The folder with the pictures of regions, if there is one, which this run still has locked.
    pub regions: Option<Output>,
    /// The digest of the archive, if one was published. It is computed from the manifest of the
    /// map, so that the tiles need not be read again.
    pub digest: Option<String>,
}

impl ScratchMap<'_> {
    /// Ends the export of a map. `regions` is the folder with the pictures of regions, if there is
    /// one.
    pub(crate) fn end(
        self,
        published: Vec<PublishedMap>,
        picture: Option<&PicturePlan>,
        regions: Option<Output>,
    ) -> ExportedMap {
        let published = published.into_iter().next().unwrap_or_default();
        let is_empty = self.is_empty();
        let digest = published
            .archive
            .and_then(|_| self.layers().next())
            .map(|layer| layer.digest());

        let picture = published
            .picture
            .clone()
            .or_else(|| picture.map(picture_facts));
        let report = self.account.report(PublishedMap {
            is_empty,
            picture,
            ..published
        });

        ExportedMap {
            report,
            regions,
            digest,
        }
    }

    /// Writes the archive of the map, and its page.
    pub(crate) fn put_archive(
        &self,
        target: FileTarget<'_>,
        workers: &Workers<'_>,
    ) -> Result<PublishedMap, Failure> {
        let path = target.path;
        let Some(layer) = self.layers().next() else {
            return Ok(PublishedMap::default());
        };

        let archived =
            export::put_archive(&layer, target, workers).map_err(|error| Failure::from(&error))?;

        let Some(WrittenArchive {
            tiles,
            contents,
            bytes,
            has_page,
        }) = archived
        else {
            return Ok(PublishedMap::default());
        };

        Ok(PublishedMap {
            is_closed: true,
            tiles: TileCounts {
                written: tiles,
                ..TileCounts::default()
            },
            warnings: if has_page {
                Vec::new()
            } else {
                vec![no_page(path)]
            },
            archive: Some(ArchiveFacts { contents, bytes }),
            ..PublishedMap::default()
        })
    }
}

/// Returns the report's facts about a picture that was not published.
pub(crate) fn picture_facts(picture: &PicturePlan) -> PictureFacts {
    let Area { x0, z0, x1, z1 } = picture.grid().area;
    let size = picture.size();
    let scale = picture.grid().scale_text();
    PictureFacts {
        area: [x0, z0, x1, z1],
        scale,
        width: size.width,
        height: size.height,
        bytes: 0,
    }
}
