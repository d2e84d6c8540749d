//! A map that is published all at once: its new tiles wait beside it until all is there and found good, and then take
//! their places by rename.
//!
//! They wait where those of a layer that is renamed do, with a journal of their own, so that what is known of the tiles
//! in their places stays until these are gone. That they are to take their places is decided by a list of them: once it
//! stands, whoever opens the folder next ends what was begun. So a run that is killed at that moment leaves tiles that
//! are all as they are known, as one does that publishes each tile when it is drawn.

use std::fs;
use std::hash::Hasher as _;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::moved::{appear, move_to};
use super::output::{is_same, open_file};
use super::replaced::NEXT;
use super::{Journal, LayerKey, Naming, Output, PublishError, Put, sync};
use crate::json;

/// How the lists begin of tiles that are to take their places.
const LIST: &str = "ready";
/// How what is known of them begins: the rest of both names tells of which layers, so that several maps can wait.
const JOURNAL: &str = "journal";

/// What is known of tiles of these layers that wait: a path in the state folder.
pub(super) fn journal_of(layers: &[LayerKey]) -> String {
    let mut hash = XxHash3_64::with_seed(0);
    for LayerKey { layer, options } in layers {
        hash.write(&layer.to_le_bytes());
        hash.write(&options.to_le_bytes());
    }
    format!("{NEXT}/{JOURNAL}-{:016x}", hash.finish())
}

/// The list to a journal, or the journal to a list.
fn beside(path: &Path, from: &str, to: &str) -> Option<PathBuf> {
    let rest = path.file_name()?.to_str()?.strip_prefix(from)?;
    Some(path.with_file_name(format!("{to}{rest}")))
}

/// A file that waits, and its place: paths relative to the folder.
type Waiting = (String, String);

impl Output {
    /// As [`Output::put`], of a file that is to wait beside the map. One that stands in its place with the same bytes
    /// stays there.
    ///
    /// # Errors
    /// As [`Output::put`].
    pub fn put_aside(&self, relative: &str, naming: Naming, bytes: &[u8]) -> Result<Put, PublishError> {
        let path = self.place(relative)?;
        check_place(&path).map_err(PublishError::io(&path))?;
        if is_same(&path, bytes) {
            return Ok(Put::Unchanged);
        }
        self.put(&Self::staged(relative, naming), bytes).map(|_| Put::Written)
    }

    /// Ends what a run began that was killed while its tiles took their places.
    pub(super) fn end_publishing(&self) -> Result<(), PublishError> {
        let waiting = fs::read_dir(self.state(NEXT)).into_iter().flatten().flatten().map(|entry| entry.path());
        for list in waiting.filter(|path| path.is_file()) {
            if let Some(known) = beside(&list, LIST, JOURNAL) {
                Journal::open(self, Vec::new())?.take_places(self, &list, &known)?;
            }
        }
        Ok(())
    }
}

impl Journal<'_> {
    /// Puts files in their places that wait beside the map, and adds what `next` knows of them. Of each file where it waits
    /// and its place, as paths relative to the folder; one that does not wait stays as it is.
    ///
    /// # Errors
    /// The system refuses. Whatever became of it, the next run ends it.
    pub fn publish(
        &self,
        output: &Output,
        next: Journal<'_>,
        files: impl Iterator<Item = (String, String)>,
    ) -> Result<(), PublishError> {
        next.sync()?;
        let known = next.path.clone();
        // Not every system removes a file that is open.
        drop(next);
        let mut files = files.peekable();
        let Some(list) = beside(&known, JOURNAL, LIST).filter(|_| files.peek().is_some() || known.exists()) else {
            return Ok(());
        };
        let write = |files: &mut dyn Iterator<Item = Waiting>| -> io::Result<()> {
            let mut out = BufWriter::new(output.temporary_file()?);
            for file in files {
                writeln!(out, "{}", json::text(&file)?)?;
            }
            appear(sync::written(out)?, &list)
        };
        write(&mut files).map_err(PublishError::io(&list))?;
        sync::files(output.root(), std::slice::from_ref(&list))?;
        self.take_places(output, &list, &known)
    }

    /// Does what a list says, as far as it is not done, and takes over what is `known`.
    fn take_places(&self, output: &Output, list: &Path, known: &Path) -> Result<(), PublishError> {
        let lines = open_file(list).map(BufReader::new).map_err(PublishError::io(list))?.lines();
        let mut placed = Vec::new();
        for line in lines {
            let line = line.map_err(PublishError::io(list))?;
            // What cannot be read of it is drawn anew.
            let Ok((from, to)) = serde_json::from_str::<Waiting>(&line) else { continue };
            let (from, place) = (output.place(&from)?, to);
            let to = output.place(&place)?;
            if from.is_file() {
                output.note(&place)?;
            }
            if take_place(&from, &to).map_err(PublishError::io(&to))? {
                placed.push(to);
            }
        }
        self.take(known, placed)?;
        output.sync_notes()?;
        fs::remove_file(list).map_err(PublishError::io(list))?;
        let _ = fs::remove_file(known);
        Ok(())
    }
}

/// Whether a file can come to a place. Found out only when others have taken theirs, it would be too late.
fn check_place(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(error),
        _ => Ok(()),
    }
}

/// Moves a file to its place, unless it is there already; says whether anything stands there.
fn take_place(from: &Path, to: &Path) -> io::Result<bool> {
    match move_to(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(to.is_file()),
        done => done.map(|()| true),
    }
}
