//! One picture in a file, written strip by strip.

use std::io;
use std::path::{Path, PathBuf};

use super::PublishError;
use super::part::Part;

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
    part: Part,
    /// Whether the stream has begun.
    begun: bool,
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
        let mut picture = Self { part: Part::create(path, folders)?, begun: false };
        let mut form = Vec::from(width.to_be_bytes());
        form.extend(height.to_be_bytes());
        form.extend(FORM);
        picture.part.write(&SIGNATURE)?;
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
        self.part.appear()
    }

    fn chunk(&mut self, kind: [u8; 4], parts: &[&[u8]]) -> Result<(), PublishError> {
        let len = parts.iter().map(|part| part.len()).sum::<usize>();
        // The format's limit is 2^31 - 1; a strip stays far below it.
        let len = u32::try_from(len).map_err(|_| self.part.failed(io::Error::other("a strip is too long for PNG")))?;
        let mut check = crc32fast::Hasher::new();
        check.update(&kind);
        self.part.write(&len.to_be_bytes())?;
        self.part.write(&kind)?;
        for part in parts {
            check.update(part);
            self.part.write(part)?;
        }
        self.part.write(&check.finalize().to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::publish::part::part_of;

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
