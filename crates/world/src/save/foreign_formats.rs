//! Recognizes things that a user may give instead of a world of region files, by the names and
//! first bytes of files, and explains the next step.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::zvcr;
use pixelmap_base::files::Files;
use pixelmap_base::words::ASSETS;

/// The most names of a folder that are read.
const MAX_NAMES: usize = 1000;

/// A kind of world, and how it is recognized.
struct Sign {
    /// The folders in which the file is searched. `*` stands for each folder whose name is a
    /// number.
    folders: &'static [&'static str],
    /// The prefix and the suffix of the file's name.
    name: [&'static str; 2],
    /// The predicate of a message about the path.
    what: &'static str,
    /// The advice to the user.
    next: &'static str,
}

/// The folders that are searched for region files.
const REGIONS: &[&str] = &[
    ".",
    "region",
    "DIM-1/region",
    "DIM1/region",
    "dimensions/minecraft/overworld/region",
];

/// The folders of zvcr files of the old kind, below the folder of a world, of a dimension or of one of
/// its parts.
const ZVCR: &[&str] = &[".", "*", "*/*", "overworld/*/*", "nether/*/*", "end/*/*"];

/// The most numbered folders that are searched in a folder.
const MAX_NUMBERED: usize = 16;

/// The first sign that is found is used.
const SIGNS: [Sign; 15] = [
    Sign {
        folders: &["region3d", "."],
        name: ["", ".3dr"],
        what: "is a world of the mod Cubic Chunks",
        next: "convert it to Anvil first, with CubicChunksConverter",
    },
    Sign {
        folders: &["region2d", "."],
        name: ["", ".2dr"],
        what: "is a world of the mod Cubic Chunks",
        next: "convert it to Anvil first, with CubicChunksConverter",
    },
    Sign {
        folders: REGIONS,
        name: ["r.", ".linear"],
        what: "has region files in the format .linear of some servers",
        next: "convert them to .mca first, with LinearRegionFileFormatTools",
    },
    Sign {
        folders: REGIONS,
        name: ["r.", ".b_linear"],
        what: "has region files in the format .b_linear of some servers",
        next: "convert them to .mca first, with the region_converter of LuminolMC",
    },
    Sign {
        folders: &["*"],
        name: ["r.", ".zvcr3d"],
        what: "is a part of a dimension with files of zvcr",
        next: "give the folder around it",
    },
    Sign {
        folders: ZVCR,
        name: ["r.", ".zvcr2d"],
        what: ZVCR_FILES,
        next: FROM_ZVCR,
    },
    Sign {
        folders: &["dimensions/*/region"],
        name: ["r.", ".mcr"],
        what: BTA,
        next: FROM_BTA,
    },
    Sign {
        folders: &["."],
        name: ["", ".slime"],
        what: "is a world of a plugin for .slime worlds",
        next: "let the plugin write it as a world folder first",
    },
    Sign {
        folders: REGIONS,
        name: ["r.", ".mcapm"],
        what: "has region files in the format .mcapm of PocketMine-MP",
        next: "convert the world to LevelDB first, with convert-world.php of PocketMine-MP",
    },
    Sign {
        folders: &["."],
        name: ["chunks.dat", ""],
        what: "is a world of Pocket Edition before 0.9 (chunks.dat), which is not supported",
        next: "open it once in a later version of the game, which converts it",
    },
    Sign {
        folders: &["."],
        name: ["", ".mclevel"],
        what: "is a world of Indev (.mclevel), which is not supported",
        next: "convert it to an Alpha world first, for example with MCEdit",
    },
    Sign {
        folders: &["."],
        name: ["savegame.dat", ""],
        what: CONSOLE,
        next: FROM_CONSOLE,
    },
    Sign {
        folders: &["."],
        name: ["GAMEDATA", ""],
        what: CONSOLE,
        next: FROM_CONSOLE,
    },
    Sign {
        folders: &["."],
        name: ["", ".mcaddon"],
        what: "is an add-on (.mcaddon) without a world that can be read in place",
        next: "unpack it first, and give the world in it",
    },
    Sign {
        folders: &["."],
        name: ["MANIFEST-", ""],
        what: "is a LevelDB, but not the folder db of a Bedrock world",
        next: "give the world folder, which has level.dat and db",
    },
];

const ZVCR_FILES: &str = "has region files in an old form of zvcr, which is not supported";
const FROM_ZVCR: &str = "convert them to .mca first, with zvcr -export of zvcr_utils";

const BTA: &str = "is a world of the mod Better than Adventure, which is not supported";
const FROM_BTA: &str = "give a copy from before the mod converted the world";

/// The tag and the name of the blocks of a chunk. In the NBT of this mod, tag 11 is an array of
/// shorts; the game's blocks have another tag.
const BTA_BLOCKS: &[u8] = b"\x0b\0\x06Blocks";

const CONSOLE: &str = "is a save of a console edition, which is not supported";
const FROM_CONSOLE: &str = "convert it to Java or Bedrock Edition first, for example with je2be";

/// The archive formats that are not read: message, file extensions, and the magic bytes
/// after their offset.
const ARCHIVES: [(&str, &[&str], usize, &[u8]); 12] = [
    ("is a 7z archive", &[".7z"], 0, b"7z\xbc\xaf\x27\x1c"),
    ("is a RAR archive", &[".rar"], 0, b"Rar!\x1a\x07"),
    (
        "is a gzip file of something other than a tar, or is damaged",
        &[".tar.gz", ".tgz", ".gz"],
        0,
        b"\x1f\x8b",
    ),
    (
        "is an archive packed by xz",
        &[".tar.xz", ".txz", ".xz"],
        0,
        b"\xfd7zXZ\0",
    ),
    (
        "is an archive packed by bzip2",
        &[".tar.bz2", ".tbz2", ".tbz", ".bz2"],
        0,
        b"BZh",
    ),
    (
        "is a zstd file of something other than a tar, or is damaged",
        &[".tar.zst", ".tzst", ".zst"],
        0,
        b"\x28\xb5\x2f\xfd",
    ),
    (
        "is an archive packed by lzip",
        &[".tar.lz", ".tlz", ".lz"],
        0,
        b"LZIP",
    ),
    (
        "is an archive packed by lzop",
        &[".tar.lzo", ".tzo", ".lzo"],
        0,
        b"\x89LZO",
    ),
    (
        "is an archive packed by LZ4",
        &[".tar.lz4", ".lz4"],
        0,
        b"\x04\x22\x4d\x18",
    ),
    (
        "is an image of a file system (squashfs)",
        &[".squashfs", ".sqfs", ".sfs"],
        0,
        b"hsqs",
    ),
    (
        "is an archive packed by lzma",
        &[".tar.lzma", ".lzma"],
        0,
        b"\x5d\0\0\x80\0",
    ),
    (
        "has the name or the start of a tar, but is damaged",
        &[".tar"],
        257,
        b"ustar",
    ),
];

/// The advice about an archive that is not read.
const UNPACK: &str =
    "unpack it first, and give the world folder in it, or pack it again as .zip or .tar.zst";

/// Extensions of the game's files that are gzipped but are not archives.
const GZIPPED: [&str; 7] = [
    ".dat",
    ".dat_old",
    ".mclevel",
    ".nbt",
    ".schematic",
    ".schem",
    ".litematic",
];

/// Extensions of the archives that are read.
const READ_ARCHIVES: [&str; 8] = [
    ".zip",
    ".mcworld",
    ".mctemplate",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.zst",
    ".tzst",
];

/// The first bytes of an Xbox 360 save.
const XBOX: [&[u8]; 3] = [b"CON ", b"LIVE", b"PIRS"];

/// Number of bytes that are read from the start of a file.
const START: u64 = 512;

/// Returns the index of an unsupported region file format, if a file in such a format has this
/// `name`.
pub(crate) fn unread_format(name: &str) -> Option<usize> {
    SIGNS
        .iter()
        .position(|sign| sign.folders == REGIONS && sign.is_name(name))
}

/// Returns the warning about `count` files of an unsupported format in a folder of region files.
pub(crate) fn unread_warning(format: usize, folder: &Path, count: u64) -> String {
    let Sign { what, next, .. } = &SIGNS[format];
    let files = if count == 1 {
        "1 file is".to_owned()
    } else {
        format!("{count} files are")
    };
    format!(
        "{} {what}: {files} not read, so land is missing or old on the map; {next}",
        folder.display()
    )
}

/// Returns the warning about chunks that the mod Cubic Chunks has stored in a world or dimension
/// folder that also has region files; `None`: it has stored no chunks.
pub(crate) fn cubic_warning(files: &Files, own: &Path) -> Option<String> {
    let cubes = &SIGNS[0];
    let folder = own.join(cubes.folders[0]);
    let count = names(files, &folder)
        .filter(|name| cubes.is_name(name))
        .count();
    (count > 0).then(|| unread_warning(0, &folder, count as u64))
}

/// Describes a folder or file, and returns advice for the user; `None`: no sign is found.
pub(crate) fn recognize(files: &Files, given: &Path) -> Option<(&'static str, Cow<'static, str>)> {
    let sign = SIGNS
        .iter()
        .find(|sign| sign.is_found(files, given))
        .map(|sign| (sign.what, sign.next()));
    sign.or_else(|| recognize_bytes(files, given).map(|(what, next)| (what, next.into())))
}

/// Describes an archive by its name, and returns advice for the user.
pub(crate) fn recognize_archive(archive: &Path) -> Option<(&'static str, Cow<'static, str>)> {
    let name = archive.file_name()?.to_string_lossy();
    let sign = SIGNS.iter().find(|sign| sign.is_name(&name))?;
    Some((sign.what, sign.next()))
}

/// Describes chunks that the game does not write, and returns advice for the user.
pub(crate) fn recognize_chunk(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let is_bta = memchr::memmem::find(bytes, BTA_BLOCKS).is_some();
    is_bta.then_some((BTA, FROM_BTA))
}

/// Recognizes a file by its first bytes.
fn recognize_bytes(files: &Files, given: &Path) -> Option<(&'static str, &'static str)> {
    let start = files
        .is_file(given)
        .then(|| files.read(given, START).ok())??;

    if XBOX.iter().any(|magic| start.starts_with(magic)) {
        return Some((CONSOLE, FROM_CONSOLE));
    }
    if start.starts_with(zvcr::MAGIC) {
        return Some((
            "is a file of zvcr without the ending .zvcr3d",
            "give it the name that it had, such as r.0.0.zvcr3d",
        ));
    }

    let name = given.file_name().unwrap_or_default().to_string_lossy();
    let archive = ARCHIVES.iter().find(|(_, _, at, magic)| {
        start.get(*at..).is_some_and(|rest| rest.starts_with(magic)) && !has_ending(&name, &GZIPPED)
    });

    // A damaged or cut archive is recognized by its name.
    let archive = archive.or_else(|| {
        ARCHIVES
            .iter()
            .find(|(_, endings, ..)| has_ending(&name, endings))
    });

    archive.map(|(what, ..)| (*what, UNPACK))
}

/// Finds an archive in a folder or archive without a world, and returns advice for the user.
pub(crate) fn archive_inside(
    files: &Files,
    given: &Path,
) -> Option<(PathBuf, &'static str, &'static str)> {
    let folders = match files.archive() {
        Some(archive) => archive.folders().take(MAX_NAMES).collect(),
        None => vec![given.to_owned()],
    };

    let mut all = folders
        .iter()
        .flat_map(|folder| names(files, folder).map(move |name| (folder, name)));
    let (folder, name) = all.find(|(_, name)| has_archive_ending(name))?;

    let (what, next) = match (files.archive(), is_read_archive(&name)) {
        (Some(_), true) => (
            "is an archive in an archive",
            "unpack the outer one first, and give the inner one",
        ),
        (Some(_), false) => (
            "is an archive in an archive",
            "unpack both first, and give the world folder",
        ),
        (None, true) => (
            "may contain a world",
            "give this file in place of the folder around it",
        ),
        (None, false) => ("is an archive of a kind that is not read", UNPACK),
    };

    Some((folder.join(name), what, next))
}

/// Returns whether a file has the name of an archive that is read.
pub(crate) fn is_read_archive(name: &str) -> bool {
    has_ending(name, &READ_ARCHIVES)
}

fn has_archive_ending(name: &str) -> bool {
    is_read_archive(name)
        || ARCHIVES
            .iter()
            .any(|(_, endings, ..)| has_ending(name, endings))
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

impl Sign {
    /// Returns advice for the user.
    fn next(&self) -> Cow<'static, str> {
        match self.name {
            ["", ".mcaddon"] => format!("{}; packs are for {ASSETS}", self.next).into(),
            _ => self.next.into(),
        }
    }

    fn is_name(&self, name: &str) -> bool {
        let [start, end] = self.name;
        // A sign without a suffix is the whole name, unless its prefix ends with a hyphen.
        name.starts_with(start)
            && name.ends_with(end)
            && (!end.is_empty() || start.ends_with('-') || name == start)
    }

    fn is_found(&self, files: &Files, given: &Path) -> bool {
        match given.file_name().and_then(|name| name.to_str()) {
            Some(name) if files.is_file(given) => self.is_name(name),
            _ => self
                .folders
                .iter()
                .flat_map(|pattern| folders_at(files, given, pattern))
                .any(|folder| names(files, &folder).any(|name| self.is_name(&name))),
        }
    }
}

/// Returns the folders below `given` that the pattern of a sign means.
fn folders_at(files: &Files, given: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut folders = vec![given.to_owned()];
    for part in pattern.split('/') {
        folders = folders
            .iter()
            .flat_map(|folder| match part {
                "*" => numbered(files, folder),
                _ => vec![folder.join(part)],
            })
            .collect();
    }

    folders
}

/// Returns the first entries of a folder whose names are numbers.
fn numbered(files: &Files, folder: &Path) -> Vec<PathBuf> {
    let mut numbered: Vec<String> = names(files, folder)
        .filter(|name| name.parse::<i32>().is_ok())
        .collect();
    numbered.sort_unstable();
    numbered.truncate(MAX_NUMBERED);

    numbered.iter().map(|name| folder.join(name)).collect()
}

fn names(files: &Files, folder: &Path) -> impl Iterator<Item = String> {
    let entries = files.list(folder).into_iter().flatten().take(MAX_NAMES);
    entries.filter_map(|entry| Some(entry.ok()?.name))
}
