//! A layer whose tiles come under other names than those that stand. Names of the one may be names of the other, for
//! another place: so the new tiles are kept beside the map until the last of them is there, and then take the old ones'
//! place.

use std::fs;
use std::io;
use std::path::Path;

use super::output::STATE;
use super::{Manifest, Naming, Output, PublishError};

/// Tiles that wait to take their place.
pub(super) const NEXT: &str = "next";

impl Output {
    /// Where a file with this path, or those in this folder, wait until they take their places.
    pub fn staged(path: &str, naming: Naming) -> String {
        format!("{STATE}/{NEXT}/{}-{}/{path}", naming.scheme.name(), naming.format.name())
    }

    /// Removes what waits, but for what an interrupted run has left in these folders.
    pub fn clear_staged(&self, but: &[String]) {
        let next = self.state(NEXT);
        if but.is_empty() {
            let _ = fs::remove_dir_all(&next);
        }
        let keeps = |path: &Path| but.iter().any(|staged| self.root().join(staged).starts_with(path));
        for path in fs::read_dir(&next).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if !keeps(&path) {
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
        }
    }

    /// Puts the tiles that wait in `staged` in the place of those that the manifest in `folder` names, named as `old` says,
    /// and of the manifest. What else lies there stays.
    ///
    /// # Errors
    /// The system refuses. A manifest that is still there names what is still to go.
    pub fn replace(&self, folder: &str, old: Naming, staged: &str) -> Result<(), PublishError> {
        let (place, next) = (self.place(folder)?, self.place(staged)?);
        let (manifest, mut removed) = (format!("{folder}/{}", Manifest::FILE), Ok(true));
        Manifest::each_tile(self, &manifest, old.scheme, |tile| {
            if removed.is_ok() {
                removed = self.remove_earlier(&format!("{folder}/{}", old.path(tile)));
            }
        });
        removed?;
        self.note_below(&next, folder)?;
        // As long as the manifest stands, it tells of them all.
        self.sync_notes()?;
        self.remove(&manifest)?;
        if !next.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(&place).and_then(|()| move_into(&next, &place)).map_err(PublishError::io(&place))
    }

    /// Notes all files below a folder that waits, which is to come to `place`.
    fn note_below(&self, next: &Path, place: &str) -> Result<(), PublishError> {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            // No run gives another name.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let (path, place) = (entry.path(), format!("{place}/{name}"));
            if path.is_dir() { self.note_below(&path, &place)? } else { self.note(&place)? }
        }
        Ok(())
    }
}

/// Moves a file, or a folder beside what is in the one that is there already.
fn move_into(from: &Path, to: &Path) -> io::Result<()> {
    if !(from.is_dir() && to.is_dir()) {
        return fs::rename(from, to);
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        move_into(&from.join(&name), &to.join(&name))?;
    }
    fs::remove_dir(from)
}
