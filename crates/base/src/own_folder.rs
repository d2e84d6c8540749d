//! A folder of ours, and the places in it. Every file of an output is reached through this module,
//! so that links inside the folder are never followed, neither by readers nor by writers.
//!
//! The folder is opened once, and each place in it is reached from there. A link on the way is an
//! error that names the link, because the files behind it belong to somebody else. The path to the
//! folder itself is chosen by the user, so links in that part are followed. This module only reads;
//! the room `store` adds the changes. It contains nothing that is specific to maps.

pub mod changes;
pub mod stream;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, Metadata, OpenOptions};
use twox_hash::XxHash3_64;

use super::disk::{MAX_FILE, fail_query, if_there, not_a_file};
use super::mutex;
use super::retry::{ask_again, retryable};

/// The error for a link in the place of a folder of ours, with the path of the link.
#[derive(Debug)]
struct LinkInside(PathBuf);

impl fmt::Display for LinkInside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is a link, and links inside an output are not followed: remove it, or put the file \
             or folder itself in its place",
            self.0.display()
        )
    }
}

impl std::error::Error for LinkInside {}

/// Returns the error for a place that is a link.
pub fn link_error(place: &Place) -> io::Error {
    io::Error::other(LinkInside(place.path()))
}

/// Returns whether a place cannot be read because it is a link, or because a link is on the way to
/// it.
pub fn is_link_error(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<LinkInside>)
}

/// An entry of a folder: its name, and whether it is a file, a folder or a link.
pub type Entry = (OsString, FileType);

/// A folder of ours. It may be missing, and then it counts as empty.
#[derive(Debug, Clone)]
pub struct OwnFolder {
    path: Arc<Path>,
    dir: Option<Arc<Dir>>,
}

impl OwnFolder {
    /// Opens the folder that the user named, and follows links that lead to it.
    ///
    /// # Errors
    /// The folder exists and cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        fail_query(path)?;
        let named = if path == Path::new("") {
            Path::new(".")
        } else {
            path
        };
        let dir = if_there(Dir::open_ambient_dir(named, ambient_authority()))?;
        Ok(Self {
            path: path.into(),
            dir: dir.map(Arc::new),
        })
    }

    /// Returns the path by which the user named the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a place in the folder, given a relative path with `/` between its parts.
    ///
    /// # Errors
    /// The path leads out of the folder, or to the folder itself.
    pub fn place(&self, relative: impl AsRef<Path>) -> io::Result<Place> {
        let relative = relative.as_ref();
        let mut parts = relative.components().peekable();
        if parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_))) {
            return Ok(Place {
                folder: self.clone(),
                relative: relative.to_owned(),
            });
        }

        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "this path is outside the output's folder",
        ))
    }

    /// Returns the entries of the folder. A missing folder counts as empty.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        fail_query(&self.path)?;
        self.dir
            .as_deref()
            .map_or_else(|| Ok(Vec::new()), entries_of)
    }

    /// Returns the names of the entries of the folder. Bytes of a name that are not valid text are
    /// replaced.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn names(&self) -> io::Result<Vec<String>> {
        Ok(names_of(self.entries()?))
    }

    /// Returns the first existing place `relative` in these folders.
    ///
    /// # Errors
    /// The path leads out of the folders, or the file system reports an error.
    pub fn first_existing(folders: &[Self], relative: &str) -> io::Result<Option<Place>> {
        for folder in folders {
            let place = folder.place(relative)?;
            if place.facts()?.is_some() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn dir(&self) -> io::Result<&Dir> {
        self.dir
            .as_deref()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens a folder below this one. Fails at any link.
    fn walk(&self, relative: &Path) -> io::Result<OpenFolder<'_>> {
        self.walk_with(relative, |around, name| around.open_dir_nofollow(name))
    }

    /// Opens a folder below this one, and uses `open` for each step unless the system finds the
    /// folder in one step. `open` must not follow links. Fails at any link.
    pub(crate) fn walk_with(
        &self,
        relative: &Path,
        open: impl Fn(&Dir, &OsStr) -> io::Result<Dir>,
    ) -> io::Result<OpenFolder<'_>> {
        let mut here = OpenFolder::Root(self.dir()?);
        if let Some(there) = open_at_once(&here, relative) {
            return Ok(OpenFolder::Below(there));
        }

        for (number, name) in relative.iter().enumerate() {
            let next = open(&here, name).map_err(|error| {
                let is_link = here
                    .symlink_metadata(name)
                    .is_ok_and(|there| there.is_symlink());

                if !is_link {
                    return error;
                }

                let link: PathBuf = relative.iter().take(number + 1).collect();
                io::Error::other(LinkInside(self.path.join(link)))
            });
            here = OpenFolder::Below(next?);
        }

        Ok(here)
    }
}

/// Opens a folder in one step. Returns `None` if the system cannot do that, or if the folder cannot
/// be opened: the same in single steps then finds the reason. Without it, each tile of a map would
/// cost several steps more.
#[cfg(target_os = "linux")]
fn open_at_once(around: &Dir, relative: &Path) -> Option<Dir> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let opened = openat2(around, relative, flags, Mode::empty(), inside).ok()?;
    Some(Dir::from_std_file(File::from(opened)))
}

#[cfg(not(target_os = "linux"))]
const fn open_at_once(_: &Dir, _: &Path) -> Option<Dir> {
    None
}

/// Returns the entries of a folder.
fn entries_of(folder: &Dir) -> io::Result<Vec<Entry>> {
    let entries = folder.entries()?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type()?))
    });
    entries.collect()
}

fn names_of(entries: Vec<Entry>) -> Vec<String> {
    entries
        .into_iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect()
}

/// An opened folder: the folder of ours itself, or one below it.
pub(crate) enum OpenFolder<'a> {
    Root(&'a Dir),
    Below(Dir),
}

impl Deref for OpenFolder<'_> {
    type Target = Dir;

    fn deref(&self) -> &Dir {
        match self {
            Self::Root(dir) => dir,
            Self::Below(dir) => dir,
        }
    }
}

/// A folder that is kept open, with its path in the folder of ours.
type KeptFolder = Option<(OsString, Dir)>;

/// The folders that were opened last, so that looking at many files in the same folders opens each
/// folder only once. Each folder has one slot in which it may be kept, so that workers do not wait
/// for each other.
#[derive(Debug)]
pub struct RecentFolders {
    slots: Box<[Mutex<KeptFolder>]>,
}

impl RecentFolders {
    /// Keeps at most this many folders open.
    pub fn new(count: usize) -> Self {
        Self {
            slots: (0..count).map(|_| Mutex::default()).collect(),
        }
    }

    /// As [`Place::facts`], for places in one folder of ours. If another program moves a folder
    /// meanwhile, its files may still be found.
    ///
    /// # Errors
    /// As [`Place::facts`].
    pub fn facts(&self, place: &Place) -> io::Result<Option<Metadata>> {
        if self.slots.is_empty() {
            return place.facts();
        }

        place.may_query()?;
        let around = place.around().as_os_str();
        let number = XxHash3_64::oneshot(around.as_encoded_bytes()) as usize % self.slots.len();
        let mut slot = mutex::lock(&self.slots[number]);
        let kept = slot.as_ref().filter(|(path, _)| path == around);
        if let Some(there) = kept.and_then(|(_, folder)| folder.symlink_metadata(place.name()).ok())
        {
            return Ok(Some(there));
        }

        // The folder is not open, or it was replaced, or the place is free.
        let folder = match if_there(place.parent())? {
            Some(OpenFolder::Below(folder)) => folder,
            Some(OpenFolder::Root(folder)) => {
                return if_there(folder.symlink_metadata(place.name()));
            }
            None => return Ok(None),
        };

        let there = if_there(folder.symlink_metadata(place.name()))?;
        *slot = Some((around.to_owned(), folder));

        Ok(there)
    }
}

/// A place in a folder of ours, for a file or a folder.
#[derive(Debug, Clone)]
pub struct Place {
    folder: OwnFolder,
    /// Contains at least one name, and no `..`, `.` or root.
    relative: PathBuf,
}

impl Place {
    /// Returns the path of the place, for messages and for code that only reads.
    pub fn path(&self) -> PathBuf {
        self.folder.path.join(&self.relative)
    }

    /// Returns the place with another name in the same folder.
    pub fn beside(&self, name: impl AsRef<OsStr>) -> Self {
        Self {
            folder: self.folder.clone(),
            relative: self.relative.with_file_name(name.as_ref()),
        }
    }

    /// Returns the folder of ours around this place.
    pub fn folder(&self) -> &OwnFolder {
        &self.folder
    }

    /// Returns the path of the place inside its folder.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns a place in the folder that is at this place.
    pub fn inside(&self, name: &str) -> Self {
        Self {
            folder: self.folder.clone(),
            relative: self.relative.join(name),
        }
    }

    /// Fails if a test has asked for the failure of a query here. Other builds do not even make the
    /// path.
    #[cfg_attr(
        not(any(test, feature = "faults")),
        allow(
            clippy::unnecessary_wraps,
            clippy::unused_self,
            reason = "in tests it fails"
        )
    )]
    fn may_query(&self) -> io::Result<()> {
        #[cfg(any(test, feature = "faults"))]
        fail_query(&self.path())?;
        Ok(())
    }

    pub fn name(&self) -> &OsStr {
        self.relative.file_name().unwrap_or_default()
    }

    pub fn around(&self) -> &Path {
        self.relative.parent().unwrap_or(Path::new(""))
    }

    /// Opens the folder around this place.
    pub(crate) fn parent(&self) -> io::Result<OpenFolder<'_>> {
        self.folder.walk(self.around())
    }

    /// Returns the facts of the file, folder or link at this place, or `None` if the place is free.
    ///
    /// # Errors
    /// The file system reports an error, or a folder on the way is a link.
    pub fn facts(&self) -> io::Result<Option<Metadata>> {
        if_there(self.exact_facts())
    }

    /// Returns the same facts. A free place is an error `NotFound`, and a file in the place of a
    /// folder on the way is a different error.
    pub fn exact_facts(&self) -> io::Result<Metadata> {
        self.may_query()?;
        self.parent()?.symlink_metadata(self.name())
    }

    /// Returns the modification time of the regular file at this place, or `None` if there is not
    /// one.
    ///
    /// # Errors
    /// As [`Self::facts`].
    pub fn modified(&self) -> io::Result<Option<std::time::SystemTime>> {
        let file = self.facts()?.filter(Metadata::is_file);
        file.map(|file| Ok(file.modified()?.into_std())).transpose()
    }

    /// Returns whether a regular file is at this place.
    ///
    /// # Errors
    /// As [`Self::facts`].
    pub fn is_file(&self) -> io::Result<bool> {
        Ok(self.facts()?.is_some_and(|there| there.is_file()))
    }

    /// Opens the regular file at this place.
    ///
    /// # Errors
    /// The file is missing, is a link or not a regular file, or cannot be opened.
    pub fn open(&self) -> io::Result<File> {
        self.may_query()?;
        let parent = self.parent()?;
        let there = parent.symlink_metadata(self.name())?;
        if there.is_symlink() {
            return Err(link_error(self));
        }

        // Opening a pipe would wait for a writer.
        if !there.is_file() {
            return Err(not_a_file());
        }

        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);

        parent
            .open_with(self.name(), &options)
            .map(cap_std::fs::File::into_std)
    }

    /// Reads the file at this place. A file that is longer than any file of ours is refused,
    /// because it must be something else.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE {
            Err(not_a_file())
        } else {
            Ok(bytes)
        }
    }

    /// Returns whether a file with these bytes is at this place. A file that can never be read
    /// counts as different.
    ///
    /// # Errors
    /// The system does not answer now, but perhaps later. A file that counted as different then
    /// would be written and listed as a change.
    pub fn has_bytes(&self, bytes: &[u8]) -> io::Result<bool> {
        match ask_again(|| self.has_bytes_now(bytes)) {
            Err(error) if !retryable(&error) => Ok(false),
            answer => answer,
        }
    }

    fn has_bytes_now(&self, bytes: &[u8]) -> io::Result<bool> {
        let there = self.facts()?.filter(Metadata::is_file);
        if there.is_some_and(|there| there.len() == bytes.len() as u64) {
            self.read().map(|there| there == bytes)
        } else {
            Ok(false)
        }
    }

    /// Returns the entries of the folder at this place. A missing folder counts as empty.
    ///
    /// # Errors
    /// The folder cannot be listed, or it is a link.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        self.may_query()?;
        let folder = if_there(self.folder.walk(&self.relative))?;
        folder.map_or_else(|| Ok(Vec::new()), |folder| entries_of(&folder))
    }

    /// Returns the names of the entries of the folder. Bytes of a name that are not valid text are
    /// replaced.
    ///
    /// # Errors
    /// The folder cannot be listed, or it is a link.
    pub fn names(&self) -> io::Result<Vec<String>> {
        Ok(names_of(self.entries()?))
    }

    /// Checks that neither the folder at this place nor a folder on the way is a link. A missing
    /// folder passes.
    pub fn check_folder(&self) -> io::Result<()> {
        self.may_query()?;
        if_there(self.folder.walk(&self.relative)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_place_leads_nowhere_outside_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let own = OwnFolder::open(folder.path()).unwrap();
        for relative in ["", "..", "../a", "a/../b", "/a", "."] {
            assert!(own.place(relative).is_err(), "{relative}");
        }
        assert!(own.place("a/..b/.c").is_ok());
    }

    #[test]
    fn recent_folders_are_found_after_a_replacement() {
        let folder = tempfile::tempdir().unwrap();
        let own = OwnFolder::open(folder.path()).unwrap();
        let recent = RecentFolders::new(1);
        let len = |path: &str| {
            recent
                .facts(&own.place(path).unwrap())
                .map(|there| there.map(|there| there.len()))
        };

        let write = |path: &str, text: &str| {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), text).unwrap();
        };

        assert_eq!(len("17/0/1.png").unwrap(), None, "no folder");
        write("17/0/1.png", "one");
        write("top.png", "top tile");

        for _ in 0..2 {
            assert_eq!(
                [len("17/0/1.png").unwrap(), len("17/0/2.png").unwrap()],
                [Some(3), None]
            );
            assert_eq!(
                [len("top.png").unwrap(), len("other.png").unwrap()],
                [Some(8), None]
            );
        }

        write("17/0/1.png", "longer");
        assert_eq!(len("17/0/1.png").unwrap(), Some(6));
        fs::remove_dir_all(folder.path().join("17/0")).unwrap();
        assert_eq!(len("17/0/1.png").unwrap(), None);
        write("17/0/2.png", "two");

        assert_eq!(
            [len("17/0/1.png").unwrap(), len("17/0/2.png").unwrap()],
            [None, Some(3)],
            "another folder"
        );

        #[cfg(unix)]
        {
            fs::remove_dir_all(folder.path().join("17/0")).unwrap();
            write("theirs/1.png", "theirs");
            std::os::unix::fs::symlink(folder.path().join("theirs"), folder.path().join("17/0"))
                .unwrap();
            assert!(is_link_error(&len("17/0/1.png").unwrap_err()));
        }
    }

    #[test]
    fn overlong_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.json");
        let place = OwnFolder::open(folder.path())
            .unwrap()
            .place("map.json")
            .unwrap();
        File::create(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert!(if_there(place.read()).unwrap().is_none());
        File::create(&path).unwrap().set_len(99).unwrap();
        assert_eq!(place.read().unwrap().len(), 99);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_the_folder_itself_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("map")).unwrap();
        fs::write(folder.path().join("map/file"), "own").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("map"), &link).unwrap();

        assert_eq!(
            OwnFolder::open(&link)
                .unwrap()
                .place("file")
                .unwrap()
                .read()
                .unwrap(),
            b"own"
        );
    }

    #[cfg(unix)]
    #[test]
    fn folders_open_alike_at_once_and_stepwise() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        fs::write(folder.path().join("a/b/c/file"), "own").unwrap();
        std::os::unix::fs::symlink("b", folder.path().join("a/link")).unwrap();

        let own = OwnFolder::open(folder.path()).unwrap();
        let dir = own.dir().unwrap();
        if cfg!(target_os = "linux") {
            assert!(
                open_at_once(dir, Path::new("a/b/c")).is_some(),
                "the system opens folders in one step"
            );
        }

        for outside in ["a/link", "a/link/c", "..", "a/../..", "/"] {
            assert!(open_at_once(dir, Path::new(outside)).is_none(), "{outside}");
        }

        assert_eq!(own.place("a/b/c/file").unwrap().read().unwrap(), b"own");
        assert_eq!(own.place("a/b").unwrap().names().unwrap(), ["c"]);

        let refused = own.place("a/link/c/file").unwrap().read().unwrap_err();
        assert!(
            is_link_error(&refused) && refused.to_string().contains("a/link is a link"),
            "{refused}"
        );
    }
}
