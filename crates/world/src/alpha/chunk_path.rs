//! Converts between chunks and the paths of their files.

use pixelmap_base::coord::ChunkPos;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Number of folders on each level.
pub(super) const FOLDERS: i32 = 64;

/// Returns the path of a chunk's file below its dimension's folder.
pub(crate) fn path(ChunkPos { x, z }: ChunkPos) -> String {
    format!(
        "{}/{}/c.{}.{}.dat",
        base36(x & (FOLDERS - 1)),
        base36(z & (FOLDERS - 1)),
        base36(x),
        base36(z)
    )
}

/// Returns the chunk whose file has this name; `None`: the game never uses this name.
pub(super) fn position(name: &str) -> Option<ChunkPos> {
    let (x, z) = name
        .strip_prefix("c.")?
        .strip_suffix(".dat")?
        .split_once('.')?;
    Some(ChunkPos {
        x: number(x)?,
        z: number(z)?,
    })
}

/// Parses a number in base 36. `None`: the game would spell it differently.
pub(super) fn number(text: &str) -> Option<i32> {
    i32::from_str_radix(text, DIGITS.len() as u32)
        .ok()
        .filter(|&number| base36(number) == text)
}

fn base36(number: i32) -> String {
    let (mut rest, mut text) = (number.unsigned_abs(), Vec::new());
    while rest > 0 || text.is_empty() {
        text.push(DIGITS[rest as usize % DIGITS.len()]);
        rest /= DIGITS.len() as u32;
    }

    if number < 0 {
        text.push(b'-');
    }

    text.iter().rev().map(|&digit| char::from(digit)).collect()
}
