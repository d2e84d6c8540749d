//! Runs the program on a world and reads the map: exit code, report, files, pixels. It uses only
//! the documented contract of the output folder, not the program's internal files.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "two crates of tests share this, and each uses a part"
)]

pub mod jar;
pub mod land;
pub mod look;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::world::{Files, many};

/// Pixels along one side of a tile.
pub const SIDE: usize = 512;
/// The zoom level at which a pixel is a block.
pub const NATIVE: u8 = 17;

/// Four channels, red first.
pub type Rgba = [u8; 4];
/// A pixel without content.
pub const CLEAR: Rgba = [0; 4];

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output
            .status
            .code()
            .unwrap_or_else(|| panic!("killed: {err}"));
        Self {
            code,
            out: String::from_utf8(output.stdout).unwrap(),
            err,
        }
    }

    /// Fails unless the exit code is `code`; `what` names the run.
    pub fn expect(self, code: i32, what: &str) -> Self {
        assert_eq!(self.code, code, "{what}: exit code; it said: {}", self.err);
        self
    }

    /// The report on standard output.
    pub fn report(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("no report ({error}): {}{}", self.out, self.err))
    }
}

/// Path of the program, which a test starts by [`program`] or [`shell`] and in no other way.
const PROGRAM: &str = env!("CARGO_BIN_EXE_pixelmap");

/// Returns the program, without environment variables that change its behaviour.
pub fn program() -> Command {
    let mut command = elsewhere(PROGRAM);
    command.stdin(Stdio::null());
    command
}

/// A shell script in which `$0` is the program.
pub fn shell(script: &str) -> Command {
    let mut command = elsewhere("sh");
    command.args(["-c", script, PROGRAM]);
    command
}

/// Starts in a folder below `target`, so that a test neither sees nor changes files of the folder
/// in which it was started.
fn elsewhere(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PIXELMAP_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs the program.
pub fn run(args: &[&str]) -> Ran {
    Ran::of(program().args(args).output().unwrap())
}

/// Draws `world` into `out` and prints the report.
pub fn render(world: &Path, out: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command
        .arg("render")
        .arg(world)
        .arg("-o")
        .arg(out)
        .args(options)
        .args(["--report", "-"]);
    Ran::of(command.output().unwrap())
}

/// Runs a command of the program on a folder.
pub fn on<A: AsRef<OsStr>>(command: &str, folder: &Path, args: &[A]) -> Ran {
    Ran::of(
        program()
            .arg(command)
            .arg(folder)
            .args(args)
            .output()
            .unwrap(),
    )
}

/// A checked-in world.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// A folder that is removed when it is dropped: in memory where there is room, unless `TMPDIR`
/// names another place. The program waits for the disk whenever it publishes a map, and the tests
/// publish thousands.
fn temporary_folder() -> tempfile::TempDir {
    #[cfg(target_os = "linux")]
    if std::env::var_os("TMPDIR").is_none()
        && rustix::fs::statvfs(MEMORY).is_ok_and(|memory| memory.f_bavail * memory.f_frsize > ROOM)
        && let Ok(folder) = tempfile::tempdir_in(MEMORY)
    {
        return folder;
    }
    tempfile::tempdir().unwrap()
}

/// The file system in memory that most systems have.
#[cfg(target_os = "linux")]
const MEMORY: &str = "/dev/shm";
/// The free bytes that the tests need: several times the size of all files that they have at the
/// same time.
#[cfg(target_os = "linux")]
const ROOM: u64 = 2 << 30;

/// A world and space for its maps. Dropping it removes the files.
#[derive(Debug)]
pub struct Place(tempfile::TempDir);

impl Place {
    /// A place with this world.
    pub fn of(world: &Files) -> Self {
        let place = Self(temporary_folder());
        world.write_under(&place.world());
        place
    }

    /// A place without a world.
    pub fn empty() -> Self {
        Self(temporary_folder())
    }

    /// A place with a world of copies of the demo's regions.
    pub fn of_demo(regions: usize) -> Self {
        let place = Self::empty();
        many::replicate(
            &fixture("demo").join("region"),
            &place.world().join("region"),
            regions,
        );
        place
    }

    /// A place with a world of copies of one region of 1,024 chunks.
    pub fn of_full_regions(regions: usize) -> Self {
        let place = Self::empty();
        many::regions(&place.at("source"), 1);
        many::replicate(&place.at("source"), &place.world().join("region"), regions);
        place
    }

    /// The folder of the world.
    pub fn world(&self) -> PathBuf {
        self.0.path().join("world")
    }

    /// Another folder or file of the place.
    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Copies one of the folders to another.
    pub fn copy(&self, from: &str, to: &str) -> PathBuf {
        Files::read_under(&self.at(from)).write_under(&self.at(to));
        self.at(to)
    }

    /// Copies a file into the place.
    pub fn copy_file(&self, from: &Path, to: &str) -> PathBuf {
        fs::copy(from, self.at(to)).unwrap();
        self.at(to)
    }

    /// Draws the world into a folder and returns the map. Fails unless the exit code is 0.
    pub fn draw(&self, name: &str, options: &[&str]) -> Map {
        let out = self.at(name);
        render(&self.world(), &out, options).expect(0, &format!("render {options:?}"));
        Map::at(&out)
    }
}

/// Zoom level, x and y of a tile.
pub type Tile = (u8, i32, i32);

/// An output folder.
#[derive(Debug, Clone)]
pub struct Map {
    pub root: PathBuf,
}

impl Map {
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Every file of the map, without the state of the last run.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let all = Files::read_under(&self.root).0;
        all.into_iter()
            .filter(|(path, _)| !path.starts_with(".pixelmap/"))
            .collect()
    }

    /// Returns the files of the tiles of layer `day` in a dimension.
    pub fn tiles(&self, dimension: &str) -> BTreeMap<Tile, PathBuf> {
        self.tiles_of(dimension, "day")
    }

    /// Returns the files of the tiles of a layer. Whatever the naming scheme of the map is, the
    /// tiles have the signed numbers of their regions.
    pub fn tiles_of(&self, dimension: &str, layer: &str) -> BTreeMap<Tile, PathBuf> {
        let (scheme, format) = self.naming(&format!("{dimension}/{layer}"));
        let layer = self.root.join(dimension).join(layer);
        let mut tiles = BTreeMap::new();
        for path in Files::read_under(&layer).0.into_keys() {
            let Some(name) = path.strip_suffix(&format!(".{format}")) else {
                continue;
            };

            let numbers: Vec<i32> = name.split('/').map(|n| n.parse().unwrap()).collect();
            let [zoom, x, y] = numbers[..] else {
                panic!("{path} is no tile")
            };

            let half = 1 << (zoom - 1);
            let tile = match &*scheme {
                "xyz" => (x - half, y - half),
                "tms" => (x - half, half - 1 - y),
                _ => (x, y),
            };

            tiles.insert(
                (u8::try_from(zoom).unwrap(), tile.0, tile.1),
                layer.join(path),
            );
        }

        tiles
    }

    /// Returns the scheme and the format of the tiles in a layer's folder, or the defaults if there
    /// is no map yet.
    pub fn naming(&self, folder: &str) -> (String, String) {
        let facts = fs::read(self.root.join("map.json"))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let facts: Value = facts.unwrap_or_default();

        let dimensions = facts["dimensions"].as_array().into_iter().flatten();
        let mut layers = dimensions.flat_map(|dimension| dimension["layers"].as_array().unwrap());
        let layer = layers.find(|layer| layer["path"] == folder);
        let fact = |name, default: &str| {
            layer
                .and_then(|layer| layer[name].as_str())
                .unwrap_or(default)
                .to_owned()
        };

        (fact("scheme", "signed"), fact("format", "png"))
    }

    /// The pixels of one dimension's tiles.
    pub fn pictures(&self, dimension: &str) -> BTreeMap<Tile, Vec<Rgba>> {
        self.tiles(dimension)
            .into_iter()
            .map(|(tile, path)| (tile, pixels(&path)))
            .collect()
    }

    /// The overworld, column by column.
    pub fn columns(&self) -> Columns {
        self.columns_of("overworld", "day")
    }

    /// A layer of a dimension, column by column.
    pub fn columns_of(&self, dimension: &str, layer: &str) -> Columns {
        let tiles = self
            .tiles_of(dimension, layer)
            .into_iter()
            .filter(|((zoom, ..), _)| *zoom == NATIVE);
        Columns(
            tiles
                .map(|((_, x, y), path)| ((x, y), pixels(&path)))
                .collect(),
        )
    }

    /// The facts in map.json.
    pub fn facts(&self) -> Value {
        serde_json::from_slice(&fs::read(self.root.join("map.json")).unwrap()).unwrap()
    }

    /// The lines of a dimension's manifest, field by field.
    pub fn manifest(&self, dimension: &str) -> Vec<Vec<String>> {
        let text = fs::read_to_string(self.root.join(dimension).join("day/tiles.tsv")).unwrap();
        text.lines()
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect()
    }
}

/// A map with one pixel per column.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns(BTreeMap<(i32, i32), Vec<Rgba>>);

impl Columns {
    /// The tiles of a dimension, of any zoom level.
    pub fn of(pictures: &BTreeMap<Tile, Vec<Rgba>>) -> Self {
        let native = pictures.iter().filter(|((zoom, ..), _)| *zoom == NATIVE);
        Self(
            native
                .map(|(&(_, x, y), pixels)| ((x, y), pixels.clone()))
                .collect(),
        )
    }

    /// Returns the pixel of a column, which is clear if there is no tile.
    pub fn at(&self, x: i32, z: i32) -> Rgba {
        let side = SIDE as i32;
        let within = (z.rem_euclid(side) * side + x.rem_euclid(side)) as usize;
        self.0
            .get(&(x.div_euclid(side), z.div_euclid(side)))
            .map_or(CLEAR, |pixels| pixels[within])
    }

    /// The number of drawn columns.
    pub fn drawn(&self) -> usize {
        self.0
            .values()
            .flatten()
            .filter(|pixel| **pixel != CLEAR)
            .count()
    }

    /// The chunks with a drawn column.
    pub fn chunks(&self) -> BTreeSet<(i32, i32)> {
        let side = SIDE as i32;
        let of_tile = |(&(x, y), pixels): (&(i32, i32), &Vec<Rgba>)| -> BTreeSet<(i32, i32)> {
            let drawn = pixels
                .iter()
                .enumerate()
                .filter(|(_, pixel)| **pixel != CLEAR);

            drawn
                .map(|(at, _)| {
                    (
                        (x * side + at as i32 % side) >> 4,
                        (y * side + at as i32 / side) >> 4,
                    )
                })
                .collect()
        };

        self.0.iter().flat_map(of_tile).collect()
    }

    /// The number of drawn columns of a chunk.
    pub fn drawn_of_chunk(&self, x: i32, z: i32) -> usize {
        let columns = (0..256).map(|column| (x * 16 + column % 16, z * 16 + column / 16));
        columns.filter(|(x, z)| self.at(*x, *z) != CLEAR).count()
    }
}

/// Returns whether a file's name ends in this.
pub fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == ending)
}

/// The pixels of a tile, `[y][x]`.
pub fn pixels(path: &Path) -> Vec<Rgba> {
    let picture = image::open(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .into_rgba8();
    assert_eq!(
        picture.dimensions(),
        (SIDE as u32, SIDE as u32),
        "{}",
        path.display()
    );
    picture.pixels().map(|pixel| pixel.0).collect()
}

/// Fails with the first file that differs between two maps.
pub fn assert_same_files(
    what: &str,
    one: &BTreeMap<String, Vec<u8>>,
    other: &BTreeMap<String, Vec<u8>>,
) {
    let (names, others): (Vec<_>, Vec<_>) = (one.keys().collect(), other.keys().collect());
    assert_eq!(names, others, "{what}: the files");
    for (path, bytes) in one {
        assert!(*bytes == other[path], "{what}: {path} differs");
    }
}

/// Returns the bytes that a text in base64 encodes.
pub fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };

    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let word = four
            .iter()
            .fold(0_u32, |word, &byte| word << 6 | u32::from(digit(byte)))
            << (6 * (4 - four.len()));
        bytes.extend(&word.to_be_bytes()[1..four.len()]);
    }

    bytes
}
