//! One picture in a file: it appears whole by rename, and until then stands beside its place under a name of its own,
//! which the run holds.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::PublishError;
use super::output::{check_apart, full_path};

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// 8 bits a channel, RGBA, deflate, no filters but those that rows name, not interlaced.
const FORM: [u8; 5] = [8, 6, 0, 0, 0];
/// How a stream of RFC 1950 begins.
const STREAM_START: [u8; 2] = [0x78, 0x01];
/// A last block with nothing in it, in the fixed code.
const STREAM_END: [u8; 2] = [3, 0];

/// A PNG that is being written.
#[derive(Debug)]
pub struct PictureFile {
    path: PathBuf,
    part: Part,
    /// Whether the stream has begun.
    begun: bool,
    bytes: u64,
}

/// The file as long as it is not whole; one that is dropped goes.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Drop for Part {
    fn drop(&mut self) {
        // While it is still held: afterwards it may be another run's.
        if let Some(file) = self.file.take() {
            let _ = std::fs::remove_file(&self.path);
            drop(file.into_parts());
        }
    }
}

impl PictureFile {
    /// Begins a picture of so many pixels at `path`, with texts of a keyword and a line in Latin-1 each; `folders` are
    /// those of the world, in which it must not lie.
    ///
    /// # Errors
    /// The path is a folder or lies in the world, another run is at this picture, or the file cannot be made.
    pub fn create(
        path: &Path,
        (width, height): (u32, u32),
        texts: &[(&str, String)],
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        if path.is_dir() {
            return Err(PublishError::IsAFolder(path.to_owned()));
        }
        folders.iter().try_for_each(|folder| check_apart(path, folder))?;
        // Through links, so that a link to a picture stays one.
        let path = full_path(path);
        let file = hold(&path)?;
        let part = Part { path: part_of(&path), file: Some(BufWriter::with_capacity(1 << 16, file)) };
        let mut picture = Self { path, part, begun: false, bytes: 0 };
        let mut form = Vec::from(width.to_be_bytes());
        form.extend(height.to_be_bytes());
        form.extend(FORM);
        picture.write(&SIGNATURE)?;
        picture.chunk(*b"IHDR", &[&form])?;
        for (keyword, text) in texts {
            let latin = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect::<Vec<_>>();
            picture.chunk(*b"tEXt", &[keyword.as_bytes(), &[0], &latin])?;
        }
        Ok(picture)
    }

    /// Adds a strip: deflated rows, the one under those before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn strip(&mut self, deflated: &[u8]) -> Result<(), PublishError> {
        let start: &[u8] = if self.begun { &[] } else { &STREAM_START };
        self.begun = true;
        self.chunk(*b"IDAT", &[start, deflated])
    }

    /// Ends the picture with the checksum of all its rows, and puts it in its place; returns its length in bytes.
    ///
    /// # Errors
    /// It cannot be written: what stood there before still stands.
    pub fn finish(mut self, adler: u32) -> Result<u64, PublishError> {
        self.chunk(*b"IDAT", &[&STREAM_END, &adler.to_be_bytes()])?;
        self.chunk(*b"IEND", &[])?;
        let Some(file) = &mut self.part.file else { return Ok(self.bytes) };
        let flushed = file.flush().and_then(|()| file.get_ref().sync_all());
        let done = flushed.and_then(|()| std::fs::rename(&self.part.path, &self.path));
        done.map_err(|error| self.failed(error))?;
        // What stands there now is no longer to be removed.
        self.part.file = None;
        Ok(self.bytes)
    }

    fn chunk(&mut self, kind: [u8; 4], parts: &[&[u8]]) -> Result<(), PublishError> {
        let len = parts.iter().map(|part| part.len()).sum::<usize>();
        // The format's limit is 2^31 - 1; a strip stays far below it.
        let len = u32::try_from(len).map_err(|_| self.failed(io::Error::other("a strip is too long for PNG")))?;
        let mut check = crc32fast::Hasher::new();
        check.update(&kind);
        self.write(&len.to_be_bytes())?;
        self.write(&kind)?;
        for part in parts {
            check.update(part);
            self.write(part)?;
        }
        self.write(&check.finalize().to_be_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), PublishError> {
        self.bytes += bytes.len() as u64;
        let written = self.part.file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
        written.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> PublishError {
        PublishError::Io(self.path.clone(), error)
    }
}

/// Writes a small file that belongs to a picture, whole or not at all.
///
/// # Errors
/// It cannot be written: what stood there before still stands.
pub fn put_beside(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    let path = full_path(path);
    let mut file = hold(&path)?;
    let part = part_of(&path);
    let written = file.write_all(bytes).and_then(|()| std::fs::rename(&part, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(PublishError::io(&path))
}

/// What stands beside a file's place until it is whole. The name is the same for every run, so that a run that was killed
/// leaves nothing that the next one does not find.
fn part_of(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".part");
    path.with_file_name(name)
}

/// Opens the unfinished file and holds it, so that no two runs write to it; the lock dies with its process.
fn hold(path: &Path) -> Result<File, PublishError> {
    let part = part_of(path);
    let failed = |error| PublishError::Io(path.to_owned(), error);
    loop {
        // Not emptied before it is held: another run may be at it.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&part).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PublishError::Held(path.to_owned(), String::new())),
            // A file system without locks: a run alone is safe all the same.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Between opening and holding it, the run before may have put it in its place: then it is that run's picture.
        if is_at(&file, &part) {
            file.set_len(0).map_err(failed)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), path.metadata()) {
        (Ok(held), Ok(there)) => id(held) == id(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    // Where files that are open cannot be renamed, what is there is what was opened.
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(path: &Path) -> Result<PictureFile, PublishError> {
        PictureFile::create(path, (1, 1), &[("Area", "0,0,1,1".to_owned())], &[])
    }

    /// A strip of one red pixel, stored.
    const STRIP: [u8; 10] = [0, 5, 0, 0xfa, 0xff, 0, 255, 0, 0, 255];
    /// The row in it, behind its filter.
    const ROW: [u8; 5] = [0, 255, 0, 0, 255];

    #[test]
    fn a_picture_appears_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(&path).unwrap().write_all(b"earlier").unwrap();
        let mut picture = create(&path).unwrap();
        picture.strip(&STRIP).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        let bytes = picture.finish(adler(&ROW)).unwrap();
        let png = std::fs::read(&path).unwrap();
        assert_eq!(png.len() as u64, bytes);
        let mut reader = png::Decoder::new(io::Cursor::new(png)).read_info().unwrap();
        assert_eq!(reader.info().uncompressed_latin1_text[0].text, "0,0,1,1");
        let mut pixels = [0; 4];
        reader.next_frame(&mut pixels).unwrap();
        reader.finish().unwrap();
        assert_eq!(pixels, [255, 0, 0, 255]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// As RFC 1950 defines it.
    fn adler(bytes: &[u8]) -> u32 {
        let (mut a, mut b) = (1_u32, 0_u32);
        for &byte in bytes {
            a = (a + u32::from(byte)) % 65_521;
            b = (b + a) % 65_521;
        }
        b << 16 | a
    }

    #[test]
    fn what_is_not_finished_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(&path).unwrap().write_all(b"earlier").unwrap();
        drop(create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_picture_is_made_by_one_run_at_a_time_and_what_a_killed_one_left_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(part_of(&path)).unwrap().write_all(b"left behind").unwrap();
        let first = create(&path).unwrap();
        assert!(matches!(create(&path), Err(PublishError::Held(..))));
        assert!(create(&folder.path().join("other.png")).is_ok());
        drop(first);
        let mut again = create(&path).unwrap();
        again.strip(&STRIP).unwrap();
        again.finish(adler(&ROW)).unwrap();
        assert!(png::Decoder::new(io::Cursor::new(std::fs::read(&path).unwrap())).read_info().is_ok());
    }

    #[test]
    fn a_picture_lies_in_no_world_and_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("world/map.png");
        std::fs::create_dir(folder.path().join("world")).unwrap();
        let refused = PictureFile::create(&inside, (1, 1), &[], &[folder.path().join("world")]);
        assert!(matches!(refused, Err(PublishError::InsideWorld(_))));
        assert!(matches!(create(&folder.path().join("world")), Err(PublishError::IsAFolder(_))));
        assert_eq!(std::fs::read_dir(folder.path().join("world")).unwrap().count(), 0);
    }
}
