//! The commit at the end of a run. All changed files other than tiles are staged, and all changes
//! are written to one [redo list](crate::store::disk::redo), which is then carried out. So a run
//! that is killed leaves, apart from tiles that it has published already, either the old map or a
//! list from which the next run completes the new one.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::store::disk::atomic::check_place;
use crate::store::disk::new_file::NewFile;
use crate::store::disk::redo;
use crate::store::disk::sync;
use crate::store::error::PublishError;
use crate::store::folder::output::{Output, Put};
use pixelmap_base::own_folder::Place;
use pixelmap_base::own_folder::stream::{has_hash, is_same_stream};

/// A commit that is being prepared. Its changes only take effect with [`Commit::carry_out`].
#[derive(Debug)]
pub struct Commit<'a> {
    output: &'a Output,
    /// The redo list. `None` until the first change.
    list: Option<NewFile>,
    /// Files that may not be on the disk yet. They are synced before the redo list takes its place.
    unsure: Vec<PathBuf>,
}

impl<'a> Commit<'a> {
    /// Starts a commit without changes.
    pub const fn new(output: &'a Output) -> Self {
        Self {
            output,
            list: None,
            unsure: Vec::new(),
        }
    }

    pub const fn output(&self) -> &Output {
        self.output
    }

    fn line(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), PublishError> {
        let list = match &mut self.list {
            Some(list) => list,
            none => none.insert(self.output.new_file(self.output.state(redo::FILE)?)?),
        };
        write(list).map_err(|error| list.failed(error))
    }

    /// Adds a file that was [staged](Output::stage) to the list.
    ///
    /// # Errors
    /// The path leads out of the folder, or the list cannot be written.
    pub fn put_staged(&mut self, relative: &str) -> Result<(), PublishError> {
        self.bring_to_disk(&self.output.staged_path(relative))?;
        self.line(|list| redo::write_put(list, relative))
    }

    /// Has a published file synced to the disk, if it exists, before the commit puts other files in
    /// their places.
    ///
    /// # Errors
    /// The path leads out of the folder.
    pub fn bring_to_disk(&mut self, relative: &str) -> Result<(), PublishError> {
        self.unsure.push(self.output.place(relative)?.path());
        Ok(())
    }

    /// Stages a file and adds it to the list, unless the published file already has the same bytes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, relative: &str, bytes: &[u8]) -> Result<Put, PublishError> {
        self.put_stream(relative, |out| out.write_all(bytes))
    }

    /// As [`Commit::put`], with the bytes from `write`. It is called once to compare the bytes with
    /// the published file and, if they differ, once more to write them, so it must write the same
    /// bytes each time.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put_stream(
        &mut self,
        relative: &str,
        write: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Put, PublishError> {
        let place = self.place_to_put(relative)?;
        if is_same_stream(&place, &write).map_err(PublishError::at(&place))? {
            return Ok(Put::Unchanged);
        }

        self.stage(relative, &place, write)
    }

    /// As [`Commit::put`], with bytes that are made only if the published file has another XXH3-64
    /// than `hash`, which must be the one of the bytes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put_hashed(
        &mut self,
        relative: &str,
        hash: u64,
        bytes: impl FnOnce() -> Vec<u8>,
    ) -> Result<Put, PublishError> {
        let place = self.place_to_put(relative)?;
        if has_hash(&place, hash).map_err(PublishError::at(&place))? {
            return Ok(Put::Unchanged);
        }

        self.stage(relative, &place, |out| out.write_all(&bytes()))
    }

    /// Returns the place of a file of the new map.
    fn place_to_put(&self, relative: &str) -> Result<Place, PublishError> {
        if let Some(elsewhere) = self.output.elsewhere() {
            elsewhere.note_put(relative);
        }
        self.output.place(relative)
    }

    fn stage(
        &mut self,
        relative: &str,
        place: &Place,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Put, PublishError> {
        check_place(place).map_err(PublishError::at(place))?;
        let staged = self.output.place(&self.output.staged_path(relative))?;
        let mut file = self.output.new_file(staged)?;
        write(&mut file).map_err(|error| file.failed(error))?;
        file.appear()?;
        self.put_staged(relative)?;

        Ok(Put::Written)
    }

    /// Adds a published file to the list that gets the second name `kept`, before the commit puts
    /// or removes anything.
    ///
    /// # Errors
    /// A path leads out of the folder, or the list cannot be written.
    pub fn keep(&mut self, relative: &str, kept: &str) -> Result<(), PublishError> {
        self.output.bring_here(relative)?;
        self.output.place(kept)?;
        self.line(|list| redo::write_keep(list, relative, kept))
    }

    /// Adds a file to the list that is removed, together with the folders that are empty then. Call
    /// this after all files are put, so that nothing is removed before its replacement is
    /// published.
    ///
    /// # Errors
    /// The path leads out of the folder, or the list cannot be written.
    pub fn remove(&mut self, relative: &str) -> Result<(), PublishError> {
        self.output.place(relative)?;
        if let Some(elsewhere) = self.output.elsewhere() {
            elsewhere.note_removed(relative);
        }

        self.line(|list| redo::write_remove(list, relative))
    }

    /// Publishes the redo list and carries it out. Once the list is in its place the commit is
    /// final: if the run is killed, the next run that opens the folder completes it.
    ///
    /// # Errors
    /// A file cannot be synced, moved or removed.
    pub fn carry_out(self) -> Result<(), PublishError> {
        let Self {
            output,
            list,
            unsure,
        } = self;
        let Some(mut list) = list else {
            return output.clear_staged();
        };

        if !unsure.is_empty() {
            sync::files(output.root(), &unsure)?;
        }

        list.sync()?;
        list.appear()?;

        output.carry_out()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::folder::identity::Identity;

    fn open(folder: &Path) -> Output {
        let world = Identity {
            name: "w".to_owned(),
            spawn: None,
            path: folder.join("world"),
        };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    #[test]
    fn a_commit_changes_nothing_until_carried_out() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        output.put("day/17/0/0.png", b"old").unwrap();
        output.put("same.txt", b"same").unwrap();
        assert_eq!(
            output.stage("day/17/0/1.png", b"new", |_| Ok(())).unwrap(),
            Put::Written
        );

        let make = || {
            let mut commit = Commit::new(&output);
            commit.put_staged("day/17/0/1.png").unwrap();
            assert_eq!(commit.put("same.txt", b"same").unwrap(), Put::Unchanged);
            assert_eq!(
                commit
                    .put_stream("day/tiles.tsv", |out| out.write_all(b"tiles"))
                    .unwrap(),
                Put::Written
            );
            commit.remove("day/17/0/0.png").unwrap();
            assert!(commit.remove("../0.png").is_err());

            commit
        };

        drop(make());
        assert_eq!(output.read("day/17/0/0.png").unwrap(), b"old");
        assert!(output.read("day/17/0/1.png").is_err());
        make().carry_out().unwrap();

        assert_eq!(output.read("day/17/0/1.png").unwrap(), b"new");
        assert_eq!(output.read("day/tiles.tsv").unwrap(), b"tiles");
        assert!(
            output.read("day/17/0/0.png").is_err()
                && output.state(redo::NEXT).unwrap().facts().unwrap().is_none()
        );
    }

    #[test]
    fn a_commit_without_changes_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        output.put("same.txt", b"same").unwrap();

        let mut commit = Commit::new(&output);
        commit.put("same.txt", b"same").unwrap();
        let hash = twox_hash::XxHash3_64::oneshot(b"same");
        let put = commit.put_hashed("same.txt", hash, || unreachable!("the hash is the same"));
        assert_eq!(put.unwrap(), Put::Unchanged);
        assert!(output.state("tmp").unwrap().entries().unwrap().is_empty());

        let put = commit.put_hashed("same.txt", 1, || b"other".to_vec());
        assert_eq!(put.unwrap(), Put::Written);
        commit.carry_out().unwrap();
        assert_eq!(output.read("same.txt").unwrap(), b"other");
    }

    #[test]
    fn the_next_run_carries_out_a_whole_list() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let mut commit = Commit::new(&output);
        commit.put("map.json", b"{}").unwrap();
        commit.put("map.js", b"x").unwrap();

        // A folder is in the place of a file, so the list is published but cannot be carried out.
        output.put("map.json/in the way.txt", b"mine").unwrap();
        let refused = commit.carry_out().unwrap_err().to_string();
        assert!(refused.contains("map.json is a folder"), "{refused}");
        std::fs::remove_dir_all(output.root().join("map.json")).unwrap();
        drop(output);

        let output = open(folder.path());
        assert_eq!(
            (
                output.read("map.json").unwrap(),
                output.read("map.js").unwrap()
            ),
            (b"{}".to_vec(), b"x".to_vec())
        );
    }
}
