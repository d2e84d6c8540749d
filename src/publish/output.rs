//! The output folder of a map: whose it is, who holds it, and how files appear in it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::moved::appear;
use super::untold::Notes;
use super::{Content, MapFile, PublishError, Scratch, kept_path};

/// What marks a folder as ours: lock, temporary files and what the last run left to know.
pub(super) const STATE: &str = ".pixelmap";
pub(super) const LOCK: &str = "lock";
const TEMPORARY: &str = "tmp";
const IDENTITY: &str = "world.json";
/// No file that is read whole is longer: a map of ten million regions has a `map.json` of about that.
const MAX_FILE: u64 = 128 << 20;
/// What is read of the number of a process.
const MAX_HOLDER: u64 = 20;

/// What tells a world from others. A world that moved keeps its name and its spawn; one that was renamed its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// The block players start at.
    pub spawn: Option<[i32; 3]>,
    /// Where it lies on this machine; kept in the state folder alone.
    #[serde(with = "kept_path")]
    pub path: PathBuf,
}

impl Identity {
    /// The world that the state in a folder names.
    pub(super) fn read(root: &Path) -> Option<Self> {
        let bytes = read_file(&root.join(STATE).join(IDENTITY)).ok()?;
        serde_json::from_slice::<Marked>(&bytes).ok().map(|marked| marked.world)
    }

    fn is_of_same_world(&self, other: &Self) -> bool {
        // A map of the nether alone, whose state folder is gone, does not know the spawn.
        let same_spawn = self.spawn.is_none() || other.spawn.is_none() || self.spawn == other.spawn;
        self.path == other.path || self.name == other.name && same_spawn
    }
}

/// What a folder's state says of it.
#[derive(Serialize, Deserialize)]
struct Marked {
    #[serde(flatten)]
    world: Identity,
    #[serde(default)]
    content: Content,
}

/// What became of a file that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It was written, new or in place of another.
    Written,
    /// It was there already with the same bytes, and was left alone.
    Unchanged,
}

/// What the system says of a published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Length in bytes.
    pub len: u64,
    /// When it was written, in nanoseconds since 1970.
    pub modified: i64,
}

/// An output folder that this run holds until it is dropped.
#[derive(Debug)]
pub struct Output {
    root: PathBuf,
    content: Content,
    temporary: PathBuf,
    /// Holds the lock; the system releases it when the process ends, however it ends. `None`: the folder is only looked
    /// at, and nothing in it is written.
    lock: Option<File>,
    is_scratch: bool,
    pub(super) notes: Mutex<Notes>,
}

impl Output {
    /// Takes hold of an output folder for a map of `world`, making it if it is not there. `folders` are those that
    /// belong to the world, beside the one it lies in.
    ///
    /// # Errors
    /// As of [`Output::open_for`].
    pub fn open(root: &Path, world: &Identity, folders: &[PathBuf]) -> Result<Self, PublishError> {
        Self::open_for(Content::Map, root, world, folders)
    }

    /// The same for any content.
    ///
    /// # Errors
    /// The folder is not ours, holds something else or another world, is held by another run, lies inside the world (or
    /// the world in it), or cannot be made.
    pub fn open_for(
        content: Content,
        root: &Path,
        world: &Identity,
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        check_root(root, world, folders)?;
        let state = root.join(STATE);
        fs::create_dir_all(&state).map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => PublishError::NotAFolder(root.to_owned()),
            _ => PublishError::Io(state.clone(), error),
        })?;
        let lock = hold(&state.join(LOCK), root)?;
        let temporary = state.join(TEMPORARY);
        let (root, notes) = (root.to_owned(), Mutex::default());
        let output = Self { root, content, temporary, lock: Some(lock), is_scratch: false, notes };
        output.check_world(world)?;
        // What an earlier run left when it was killed.
        let _ = fs::remove_dir_all(&output.temporary);
        fs::create_dir_all(&output.temporary).map_err(PublishError::io(&output.temporary))?;
        let identity = crate::json::pretty(&Marked { world: world.clone(), content })
            .map_err(|error| PublishError::Io(state.join(IDENTITY), io::Error::other(error)))?;
        output.put(&format!("{STATE}/{IDENTITY}"), identity.as_bytes())?;
        output.end_publishing()?;
        Ok(output)
    }

    /// Looks at an output folder as [`Output::open_for`] would, and neither makes nor holds nor changes anything: whoever
    /// wants to write a file in it is refused.
    ///
    /// # Errors
    /// As [`Output::open_for`], but for another run that holds the folder.
    pub fn look(content: Content, root: &Path, world: &Identity, folders: &[PathBuf]) -> Result<Self, PublishError> {
        check_root(root, world, folders)?;
        let (temporary, notes) = (root.join(STATE).join(TEMPORARY), Mutex::default());
        let output = Self { root: root.to_owned(), content, temporary, lock: None, is_scratch: false, notes };
        output.check_world(world)?;
        Ok(output)
    }

    /// A folder that is written without lock, journal and state, and in which files appear as they are written: nobody is
    /// to look at it, and it goes with the run.
    pub fn scratch(root: &Path) -> Self {
        let (temporary, notes) = (root.to_owned(), Mutex::default());
        Self { root: root.to_owned(), content: Content::Map, temporary, lock: None, is_scratch: true, notes }
    }

    /// An empty folder for what this run makes on the way.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn scratch_folder(&self) -> Result<Scratch, PublishError> {
        Scratch::make(self.temporary.join("map"))
    }

    /// Whether files may be written.
    pub(super) fn is_held(&self) -> bool {
        self.lock.is_some()
    }

    fn check_world(&self, world: &Identity) -> Result<(), PublishError> {
        let shown = read_file(&self.root.join(STATE).join(IDENTITY)).ok();
        let shown: Option<Marked> = shown.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        // Without its state folder a map still names the world it shows.
        let said = || Content::read(&self.root).map(|(content, map)| Marked { world: map.identity(), content });
        match shown.or_else(said) {
            Some(shown) if !shown.world.is_of_same_world(world) => {
                Err(PublishError::OtherWorld(self.root.clone(), shown.world.name))
            }
            Some(shown) if shown.content != self.content => {
                Err(PublishError::OtherContent(self.root.clone(), shown.content))
            }
            _ => Ok(()),
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What it holds.
    pub fn content(&self) -> Content {
        self.content
    }

    /// What it says of itself, if an earlier run came to its end.
    ///
    /// # Errors
    /// That is there and cannot be read.
    pub fn facts(&self) -> Result<Option<MapFile>, PublishError> {
        MapFile::read(&self.root, self.content).map_err(PublishError::io(&self.root.join(self.content.facts())))
    }

    /// Publishes a file at a path relative to the folder, with `/` between its parts, by temporary file and rename.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be written; what stood there before still stands.
    pub fn put(&self, relative: &str, bytes: &[u8]) -> Result<Put, PublishError> {
        let path = self.place(relative)?;
        if self.is_scratch {
            return write_new(&path, bytes).map(|()| Put::Written).map_err(PublishError::io(&path));
        }
        if is_same(&path, bytes) {
            return Ok(Put::Unchanged);
        }
        self.note(relative)?;
        let written = self.write(&path, bytes);
        written.map(|()| Put::Written).map_err(PublishError::io(&path))
    }

    /// Where a published file lies.
    pub(super) fn place(&self, relative: &str) -> Result<PathBuf, PublishError> {
        place(&self.root, relative)
    }

    /// What the system says of a published file; `None`: it is not there.
    ///
    /// # Errors
    /// The path leads out of the folder, or nobody can tell what is there.
    pub fn standing(&self, relative: &str) -> Result<Option<Standing>, PublishError> {
        let path = self.place(relative)?;
        let metadata = if_there(path.symlink_metadata()).map_err(PublishError::io(&path))?;
        Ok(metadata.filter(fs::Metadata::is_file).and_then(|metadata| {
            let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(Standing { len: metadata.len(), modified: i64::try_from(since.as_nanos()).ok()? })
        }))
    }

    /// A file in the state folder.
    pub(super) fn state(&self, name: &str) -> PathBuf {
        self.root.join(STATE).join(name)
    }

    /// A new file that is gone when it is dropped, and that a rename moves to any place in the folder.
    pub(super) fn temporary_file(&self) -> io::Result<NamedTempFile<File>> {
        if !self.is_held() {
            return Err(only_looked_at());
        }
        // Opened as any new file is: tempfile alone would keep other users out whatever the umask says, and would hide
        // the system's error, by which a lack of descriptors is told, behind its own.
        let create = |path: &Path| fs::OpenOptions::new().write(true).create_new(true).open(path);
        tempfile::Builder::new().make_in(&self.temporary, create)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.temporary_file()?;
        file.write_all(bytes)?;
        appear(file, path)
    }

    /// Reads a published file.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be read.
    pub fn read(&self, relative: &str) -> Result<Vec<u8>, PublishError> {
        let path = self.place(relative)?;
        read_file(&path).map_err(PublishError::io(&path))
    }

    /// Removes a published file and the folders that it leaves empty; says whether it was there.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be removed.
    pub fn remove(&self, relative: &str) -> Result<bool, PublishError> {
        let path = self.place(relative)?;
        if !self.is_held() {
            return Err(PublishError::Io(path, only_looked_at()));
        }
        if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(false);
        }
        self.note(relative)?;
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(PublishError::Io(path, error)),
        }
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        // A folder that is not empty refuses to go, and so do those around it.
        folders.map(fs::remove_dir).take_while(Result::is_ok).for_each(drop);
        Ok(true)
    }

    /// The same of a file of the earlier map: a copy of that has it, so it is [noted](Output::note) even where it is gone.
    ///
    /// # Errors
    /// As [`Output::remove`].
    pub fn remove_earlier(&self, relative: &str) -> Result<bool, PublishError> {
        let was_there = self.remove(relative)?;
        if !was_there {
            self.note(relative)?;
        }
        Ok(was_there)
    }
}

/// Where a published file lies. Names come from worlds and from files that an earlier run left, so a path that leads out
/// of the folder, or to the folder itself, is refused here whatever was checked before.
pub(super) fn place(root: &Path, relative: &str) -> Result<PathBuf, PublishError> {
    let path = root.join(relative);
    let mut parts = Path::new(relative).components().peekable();
    if parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_))) {
        return Ok(path);
    }
    Err(PublishError::Io(path, io::Error::new(io::ErrorKind::InvalidInput, "this is no place inside the map's folder")))
}

/// Whether there is a folder, and no link to one.
pub(super) fn is_own(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|there| there.is_dir())
}

/// Opens a file to be read. A pipe that nobody writes to would hold a run up, and some devices never end.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_file(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() { File::open(path) } else { Err(not_a_file()) }
}

/// What was opened or read; `None`: no such file is there. One that is there and cannot be read now is not taken for none.
pub(super) fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::InvalidInput => Ok(None),
        read => read.map(Some),
    }
}

/// Whether nothing is there.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is said of a place where something else stands than the file that should.
pub(super) fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file")
}

/// The bytes of a regular file. One that is longer than any that we write is none of ours.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE { Err(not_a_file()) } else { Ok(bytes) }
}

/// Opens a file of ours that is written in its place, and makes it if it is not there. Where a link stands in that place it
/// goes: what it leads to is somebody else's.
pub(super) fn open_to_write(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(there) if there.is_symlink() => fs::remove_file(path)?,
        Ok(there) if !there.is_file() => return Err(not_a_file()),
        _ => {}
    }
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether a file holds these bytes.
pub(super) fn is_same(path: &Path, bytes: &[u8]) -> bool {
    let same_length = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == bytes.len() as u64);
    same_length && fs::read(path).is_ok_and(|there| there == bytes)
}

/// Writes a file that nobody looks at before it is whole.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = File::create(path).or_else(|error| match (error.kind(), path.parent()) {
        (io::ErrorKind::NotFound, Some(folder)) => fs::create_dir_all(folder).and_then(|()| File::create(path)),
        _ => Err(error),
    });
    file?.write_all(bytes)
}

fn only_looked_at() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "the map's folder is only looked at")
}

/// Whether a map of `world` may be made in a folder, as far as can be seen from without.
fn check_root(root: &Path, world: &Identity, folders: &[PathBuf]) -> Result<(), PublishError> {
    // Where a map alone tells of its world, it is not known where that lies.
    if world.path != Path::new("") {
        check_apart(root, &world.path)?;
    }
    folders.iter().try_for_each(|folder| check_apart(root, folder))?;
    match root.metadata() {
        Ok(metadata) if !metadata.is_dir() => Err(PublishError::NotAFolder(root.to_owned())),
        Ok(_) if !is_ours(root)? => Err(PublishError::NotOurs(root.to_owned())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(PublishError::Io(root.to_owned(), error)),
    }
}

/// A folder is ours if we marked it, if it holds a map of ours, or if it is empty.
fn is_ours(root: &Path) -> Result<bool, PublishError> {
    if root.join(STATE).is_dir() || Content::read(root).is_some() {
        return Ok(true);
    }
    let mut entries = fs::read_dir(root).map_err(PublishError::io(root))?;
    Ok(entries.next().is_none())
}

/// Neither may the map lie in the world nor the world in the map.
///
/// # Errors
/// One of them does.
pub fn check_apart(root: &Path, world: &Path) -> Result<(), PublishError> {
    let full = full_path(root);
    let world = full_path(world);
    if full.starts_with(&world) || world.starts_with(&full) {
        return Err(PublishError::InsideWorld(root.to_owned()));
    }
    Ok(())
}

/// The path with links followed as far as it exists.
pub(super) fn full_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    let Some((part, mut full)) = there else { return absolute };
    // What does not exist yet has no links in it, so going up is taking a name away.
    for component in absolute.strip_prefix(part).unwrap_or(Path::new("")) {
        if component == ".." {
            full.pop();
        } else {
            full.push(component);
        }
    }
    full
}

pub(super) fn hold(path: &Path, root: &Path) -> Result<File, PublishError> {
    let mut file = open_to_write(path).map_err(PublishError::io(path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.take(MAX_HOLDER).read_to_string(&mut holder);
            let digits: String = holder.chars().take_while(char::is_ascii_digit).collect();
            let holder = if digits.is_empty() { String::new() } else { format!(" (process {digits})") };
            return Err(PublishError::Held(root.to_owned(), holder));
        }
        // A file system without locks: a run alone is safe all the same.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(PublishError::Io(path.to_owned(), error)),
    }
    let named = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    named.map_err(PublishError::io(path))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(folder: &Path) -> Identity {
        Identity { name: "w".to_owned(), spawn: Some([0, 64, 0]), path: folder.join("world") }
    }

    fn open(folder: &Path) -> Result<Output, PublishError> {
        Output::open(&folder.join("map"), &world(folder), &[])
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_file_of_ours_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path()).unwrap());
        let theirs = folder.path().join("theirs");
        File::create(&theirs).unwrap().write_all(b"theirs").unwrap();
        for name in [LOCK, "journal"] {
            let place = folder.path().join("map").join(STATE).join(name);
            let _ = fs::remove_file(&place);
            std::os::unix::fs::symlink(&theirs, &place).unwrap();
        }
        let output = open(folder.path()).unwrap();
        let journal = crate::publish::Journal::open(&output, vec![crate::publish::LayerKey { layer: 1, options: 1 }]);
        let tile = crate::coord::TilePos { zoom: 17, x: 0, y: 0 };
        journal.unwrap().add(0, tile, b"known", None).unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        assert!(output.state(LOCK).symlink_metadata().unwrap().is_file(), "it is held");
    }

    #[test]
    fn a_file_that_is_longer_than_any_of_ours_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        let path = output.root().join(MapFile::FILE);
        File::create(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert!(read_file(&path).is_err() && output.facts().unwrap().is_none());
        File::create(&path).unwrap().set_len(99).unwrap();
        assert_eq!(read_file(&path).unwrap().len(), 99);
    }

    #[test]
    fn a_second_run_is_told_who_holds_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path()).unwrap();
        let Err(PublishError::Held(_, holder)) = open(folder.path()) else { panic!("held twice") };
        assert!(holder.contains(&std::process::id().to_string()));
        drop(first);
        assert!(open(folder.path()).is_ok());
    }

    #[test]
    fn a_folder_that_is_looked_at_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let look = || Output::look(Content::Map, &folder.path().join("map"), &world(folder.path()), &[]);
        assert!(look().is_ok_and(|output| output.put("a.txt", b"one").is_err()));
        assert!(!folder.path().join("map").exists(), "nothing is made");
        let held = open(folder.path()).unwrap();
        held.put("a.txt", b"one").unwrap();
        let looked = look().unwrap();
        assert!(looked.put("b.txt", b"two").is_err() && looked.remove("a.txt").is_err());
        assert_eq!(looked.read("a.txt").unwrap(), b"one");
        assert!(looked.put_written("c.txt", |_| Ok(())).is_err() && !folder.path().join("map/c.txt").exists());
    }

    #[test]
    fn unchanged_bytes_keep_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        assert_eq!(output.put("a/b/1.png", b"one").unwrap(), Put::Written);
        assert_eq!(output.put("a/b/1.png", b"one").unwrap(), Put::Unchanged);
        assert_eq!(output.put("a/b/1.png", b"two").unwrap(), Put::Written);
        assert_eq!(output.read("a/b/1.png").unwrap(), b"two");
        assert!(output.remove("a/b/1.png").unwrap());
        assert!(!output.root().join("a").exists(), "empty folders go with the last file");
        assert!(!output.remove("a/b/1.png").unwrap());
        assert_eq!(fs::read_dir(output.temporary.clone()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_of_someone_else_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let map = folder.path().join("map");
        fs::create_dir(&map).unwrap();
        File::create(map.join("notes.txt")).unwrap();
        assert!(matches!(open(folder.path()), Err(PublishError::NotOurs(_))));
        assert_eq!(fs::read_dir(&map).unwrap().count(), 1);
        fs::remove_file(map.join("notes.txt")).unwrap();
        assert!(open(folder.path()).is_ok(), "an empty folder is as good as none");
    }

    #[test]
    fn a_map_shows_one_world() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path()).unwrap());
        let other = Identity { name: "other".to_owned(), spawn: None, path: folder.path().join("other") };
        let refused = Output::open(&folder.path().join("map"), &other, &[]);
        assert!(matches!(refused, Err(PublishError::OtherWorld(_, name)) if name == "w"));
        let moved = Identity { path: folder.path().join("moved"), ..world(folder.path()) };
        assert!(Output::open(&folder.path().join("map"), &moved, &[]).is_ok());
    }

    #[test]
    fn map_and_world_must_not_lie_one_in_the_other() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("world")).unwrap();
        let world = world(folder.path());
        for inside in ["world", "world/map", "x/../world/map", "."] {
            let refused = Output::open(&folder.path().join(inside), &world, &[]);
            assert!(matches!(refused, Err(PublishError::InsideWorld(_))), "{inside}");
        }
    }

    #[test]
    fn a_map_lies_in_no_folder_that_belongs_to_the_world() {
        let folder = tempfile::tempdir().unwrap();
        let nether = folder.path().join("world_nether");
        fs::create_dir(&nether).unwrap();
        let inside = nether.join("map");
        let refused = Output::open(&inside, &world(folder.path()), std::slice::from_ref(&nether));
        assert!(matches!(refused, Err(PublishError::InsideWorld(_))));
        assert!(!inside.exists());
    }

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        let beside = folder.path().join("beside.txt");
        File::create(&beside).unwrap().write_all(b"kept").unwrap();
        let absolute = beside.to_str().unwrap();
        for path in ["../beside.txt", "a/../../beside.txt", "./../beside.txt", "..", ".", "", "a/..", "./a", absolute] {
            let refused = |error: &PublishError| matches!(error, PublishError::Io(_, error) if error.kind() == io::ErrorKind::InvalidInput);
            assert!(output.put(path, b"lost").is_err_and(|error| refused(&error)), "{path}");
            assert!(output.read(path).is_err_and(|error| refused(&error)), "{path}");
            assert!(output.remove(path).is_err_and(|error| refused(&error)), "{path}");
        }
        assert_eq!(fs::read(&beside).unwrap(), b"kept");
        assert!(output.put("a/..b/.c", b"sound").is_ok());
    }
}
