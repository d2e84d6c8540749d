//! Uploads the part that a shard has drawn: its tiles at their final paths, and the state of the
//! part. The merge adds everything that a map has only once.
//!
//! A part without the file that marks it as complete counts as missing in a merge. So that file is
//! moved away before the first tile changes, and the new one is uploaded last.

use futures_util::{StreamExt as _, stream};
use object_store::PutMode;

use super::drawn_map::BucketMap;
use super::part_tiles::UploadedTiles;
use super::put::ON_THE_WAY;
use super::upload::BucketCounts;
use crate::atlas::{FileRecord, in_folder};
use crate::export::error::ExportError;
use crate::export::workers::Pieces;
use crate::store::{PublishError, begun_path};
use pixelmap_base::own_folder::OwnFolder;

impl BucketMap {
    /// Uploads the part of a shard, if the run has changed it.
    pub(super) async fn publish_part(&self, sent: &Pieces) -> Result<BucketCounts, ExportError> {
        let folder = OwnFolder::open(self.root()).map_err(PublishError::io(self.root()))?;
        let mut tiles = Vec::new();
        gather_tiles(&folder, "", &mut tiles)?;

        let paths = self.access.state();
        let part = self.changed_state(&paths.part())?;
        let is_same = part.is_none() && self.changed_state(&paths.journal())?.is_none();
        if is_same && tiles.is_empty() {
            return Ok(BucketCounts::default());
        }

        let bucket = &self.files.bucket;
        if self.state.contains_key(&paths.part()) {
            bucket.rename(&paths.part(), &paths.part_before()).await?;
        }

        self.put_next_journal().await?;
        let counts = self.put_tiles(&folder, tiles, sent).await?;
        self.put_own_state().await?;
        self.claim_place(&folder).await?;

        let place = self.root().join(paths.part());
        let file = folder.place(paths.part()).and_then(|place| place.open());
        let file = file.map_err(PublishError::io(&place))?;
        self.put(&paths.part(), file).await?;
        bucket.remove(vec![paths.part_before()]).await?;

        Ok(counts)
    }

    /// Uploads tiles. Their list has marks while they are on the way.
    async fn put_tiles(
        &self,
        folder: &OwnFolder,
        tiles: Vec<String>,
        sent: &Pieces,
    ) -> Result<BucketCounts, ExportError> {
        let mut counts = BucketCounts::default();
        if tiles.is_empty() {
            return Ok(counts);
        }

        let bucket = &self.files.bucket;
        let list = self.access.state().uploaded();
        let mut uploaded = UploadedTiles(self.uploaded.0.clone());
        uploaded
            .0
            .extend(tiles.iter().map(|tile| (tile.clone(), None)));
        uploaded.put(bucket, &list).await?;

        let put = stream::iter(tiles).map(|path| self.put_tile(folder, path));
        let mut put = put.buffered(ON_THE_WAY);
        while let Some(tile) = put.next().await {
            let (path, record) = tile?;
            counts.written += 1;
            counts.bytes += u64::from(record.bytes);
            sent.end(u64::from(record.bytes));
            uploaded.0.insert(path, Some(record));
        }

        uploaded.put(bucket, &list).await?;
        Ok(counts)
    }

    async fn put_tile(
        &self,
        folder: &OwnFolder,
        path: String,
    ) -> Result<(String, FileRecord), ExportError> {
        let bytes = folder.place(&path).and_then(|place| place.read());
        let bytes = bytes.map_err(PublishError::io(&self.root().join(&path)))?;
        let record = FileRecord::of_bytes(&bytes);

        let bucket = &self.files.bucket;
        let put = bucket.put(&path, bytes, true).await;
        put.map_err(|error| bucket.error(&path, &error))?;
        Ok((path, record))
    }

    /// Claims the place for the world if no run of the whole map has done so yet.
    async fn claim_place(&self, folder: &OwnFolder) -> Result<(), ExportError> {
        let part = self.access.state();
        for path in part
            .others()
            .into_iter()
            .filter(|path| path.ends_with("/world.json"))
        {
            let text = folder.place(&path).and_then(|place| place.read());
            let text = text.map_err(PublishError::io(&self.root().join(&path)))?;
            let bucket = &self.files.bucket;
            bucket.put_if(&begun_path(), text, PutMode::Create).await?;
        }
        Ok(())
    }
}

/// Finds the tiles that the run has written: all files that it did not download, except the
/// state.
fn gather_tiles(
    root: &OwnFolder,
    folder: &str,
    tiles: &mut Vec<String>,
) -> Result<(), PublishError> {
    let entries = match folder {
        "" => root.entries(),
        folder => root.place(folder).and_then(|place| place.entries()),
    };

    for (name, kind) in entries.map_err(PublishError::io(&root.path().join(folder)))? {
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let path = in_folder(folder, name);
        if kind.is_dir() {
            gather_tiles(root, &path, tiles)?;
        } else if path
            .split('/')
            .rev()
            .nth(2)
            .is_some_and(|zoom| zoom.parse::<u8>().is_ok())
        {
            tiles.push(path);
        }
    }

    Ok(())
}
