//! A layer whose tiles come under other names than those that stand. Names of the one may be names of the other, for
//! another place: so the new tiles are kept beside the map until the last of them is there, and then take the old ones'
//! place, all at once.

use std::fs;
use std::io;
use std::path::Path;

use super::output::STATE;
use super::{Manifest, Naming, Output, PublishError};
use crate::coord::{NATIVE_ZOOM, OUTER_ZOOM};

/// Tiles that wait to take their place.
const NEXT: &str = "next";
/// Tiles that have lost theirs; never read again.
const OLD: &str = "old";

impl Output {
    /// Where the tiles of a layer's folder wait, until they take the place of those with other names.
    pub fn staged(folder: &str, naming: Naming) -> String {
        format!("{STATE}/{NEXT}/{}-{}/{folder}", naming.scheme.name(), naming.format.name())
    }

    /// Removes what waits, but for what an interrupted run has left in these folders.
    pub fn clear_staged(&self, but: &[String]) {
        let next = self.state(NEXT);
        if but.is_empty() {
            let _ = fs::remove_dir_all(&next);
        }
        let keeps = |path: &Path| but.iter().any(|staged| self.root().join(staged).starts_with(path));
        for names in fs::read_dir(&next).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if !keeps(&names) {
                let _ = fs::remove_dir_all(names);
            }
        }
    }

    /// Puts the tiles that wait in `staged` in the place of those in `folder`, whose manifest goes with them.
    ///
    /// # Errors
    /// The system refuses.
    pub fn replace(&self, folder: &str, staged: &str) -> Result<(), PublishError> {
        let (place, next, old) = (self.place(folder)?, self.place(staged)?, self.state(OLD).join(folder));
        let swap = || -> io::Result<()> {
            fs::create_dir_all(&place)?;
            fs::create_dir_all(&old)?;
            move_if_there(&place.join(Manifest::FILE), &old.join(Manifest::FILE))?;
            let zooms = || (OUTER_ZOOM..=NATIVE_ZOOM).map(|zoom| zoom.to_string());
            zooms().try_for_each(|zoom| move_if_there(&place.join(&zoom), &old.join(&zoom)))?;
            zooms().try_for_each(|zoom| move_if_there(&next.join(&zoom), &place.join(&zoom)))
        };
        swap().map_err(PublishError::io(&place))
    }

    /// Removes the tiles that have lost their place.
    pub fn clear_replaced(&self) {
        // What cannot be removed now goes with the next run.
        let _ = fs::remove_dir_all(self.state(OLD));
    }
}

fn move_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
