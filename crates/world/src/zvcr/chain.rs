//! The states of one section: the newest one whole, then differences to older ones.
//!
//! A difference changes cells of the state before it in the file, which is the next newer one. So
//! the newest state needs nothing else, and an older state needs all differences up to its time.

use std::io::Read;

use crate::bytes::network;
use crate::bytes::{Defect, StreamDamage};
use crate::zvcr::stream::Stream;

/// The most states of a section.
const MAX_STATES: u64 = 65_536;
/// The most longs of a state: 16 bits for each cell of blocks.
const MAX_LONGS: u64 = 1024;
/// The number of a palette that is missing, so that the cells are ids themselves.
const NO_PALETTE: u32 = u32::MAX;
/// The id by which a difference leaves a cell unchanged.
const UNCHANGED: u16 = u16::MAX;

/// The most palettes of a file, and the most ids in all of them.
const MAX_PALETTES: u32 = 262_144;
const MAX_PALETTE_IDS: usize = 16 << 20;

/// The palettes that all chunks of a file share.
#[derive(Debug, Default)]
pub(super) struct Palettes {
    ids: Vec<u16>,
    /// The end of each palette in `ids`.
    ends: Vec<usize>,
}

impl Palettes {
    pub(super) fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self, StreamDamage> {
        let damage = stream.damage(Defect::Structure);
        let count = stream.int()?;
        if count > MAX_PALETTES {
            return Err(damage);
        }

        let mut palettes = Self::default();
        for _ in 0..count {
            let len = stream.short()?;
            if palettes.ids.len() + usize::from(len) > MAX_PALETTE_IDS {
                return Err(stream.damage(Defect::TooLarge));
            }
            for _ in 0..len {
                palettes.ids.push(stream.short()?);
            }
            palettes.ends.push(palettes.ids.len());
        }

        Ok(palettes)
    }

    fn get(&self, number: u32) -> Option<&[u16]> {
        let index = number as usize;
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.ids[start..end])
    }
}

/// The stored form of the cells of a section.
#[derive(Debug, Clone, Copy)]
enum StoredCells {
    /// All cells have this id.
    Uniform(u16),
    /// The indices are in [`ChainBuffers::longs`], and this is the number of their palette.
    Packed(u32),
}

/// The two kinds of cells that a section has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocks,
    Biomes,
}

impl Kind {
    /// Returns the number of cells in a section.
    const fn cells(self) -> usize {
        match self {
            Self::Blocks => 4096,
            Self::Biomes => 64,
        }
    }
}

/// The wanted state of a section, apart from its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChainState {
    /// Its time, in seconds since 1970. Absent if no state is stored, or only later ones than wanted.
    pub(super) time: Option<i64>,
    /// Whether the cells make sense. If they do not, the bytes after them still may.
    pub(super) is_sound: bool,
}

/// The ids of all cells of a section, and the buffers to read them.
#[derive(Debug, Default)]
pub(super) struct ChainBuffers {
    /// The longs of a state, as stored: little-endian.
    longs: Vec<u8>,
    ids: Vec<u16>,
    difference: Vec<u16>,
    /// The ids of the current section without repetition, and the index of each id.
    palette: Vec<u16>,
    indices: Vec<u16>,
}

/// Reads the states of sections of one kind.
pub(super) struct ChainReader<'a> {
    pub(super) kind: Kind,
    pub(super) palettes: &'a Palettes,
    /// The time whose state is wanted, in seconds since 1970; absent: the newest.
    pub(super) at: Option<i64>,
}

impl ChainReader<'_> {
    /// Reads all states of a section, and appends the cells of the wanted one to `out` in the form of
    /// [`network`].
    pub(super) fn read<R: Read>(
        &self,
        stream: &mut Stream<R>,
        buffers: &mut ChainBuffers,
        out: &mut Vec<u8>,
    ) -> Result<ChainState, StreamDamage> {
        let count = stream.count(MAX_STATES)?;
        if count == 0 {
            out.push(network::NOT_STORED);
            return Ok(ChainState {
                time: None,
                is_sound: true,
            });
        }

        let time = read_time(stream)?;
        let newest = read_cells(stream, buffers)?;
        if self.is_later(time) {
            return self.read_older(stream, time, newest, count - 1, buffers, out);
        }

        let is_sound = self.put_stored(newest, buffers, out).is_some();
        skip_states(stream, count - 1)?;
        Ok(ChainState {
            time: Some(time),
            is_sound,
        })
    }

    /// Reads the `left` states before the `newest`, whose time is later than the wanted one.
    fn read_older<R: Read>(
        &self,
        stream: &mut Stream<R>,
        mut time: i64,
        newest: StoredCells,
        mut left: u64,
        buffers: &mut ChainBuffers,
        out: &mut Vec<u8>,
    ) -> Result<ChainState, StreamDamage> {
        let mut ids = std::mem::take(&mut buffers.ids);
        let mut is_sound = self.unpack(newest, buffers, &mut ids).is_some();
        while left > 0 && self.is_later(time) {
            left -= 1;
            time = read_time(stream)?;
            let difference = read_cells(stream, buffers)?;
            is_sound &= self.apply(difference, buffers, &mut ids).is_some();
        }

        if is_sound {
            put_ids(&ids, buffers, out);
        }
        buffers.ids = ids;

        skip_states(stream, left)?;
        Ok(ChainState {
            time: if self.is_later(time) {
                None
            } else {
                Some(time)
            },
            is_sound,
        })
    }

    /// Returns whether a state is later than the wanted one.
    fn is_later(&self, time: i64) -> bool {
        self.at.is_some_and(|at| time > at)
    }

    /// Applies a difference, so that `ids` become the ids of an older state. Returns `None` if the difference makes
    /// no sense.
    fn apply(
        &self,
        stored: StoredCells,
        buffers: &mut ChainBuffers,
        ids: &mut [u16],
    ) -> Option<()> {
        let mut difference = std::mem::take(&mut buffers.difference);
        let unpacked = self.unpack(stored, buffers, &mut difference);
        if unpacked.is_some() {
            for (id, &older) in ids.iter_mut().zip(&difference) {
                if older != UNCHANGED {
                    *id = older;
                }
            }
        }

        buffers.difference = difference;
        unpacked
    }

    /// Writes the ids of all cells into `ids`. Returns `None` if the cells make no sense.
    fn unpack(
        &self,
        stored: StoredCells,
        buffers: &ChainBuffers,
        ids: &mut Vec<u16>,
    ) -> Option<()> {
        let cells = self.kind.cells();
        ids.clear();

        let number = match stored {
            StoredCells::Uniform(id) => {
                ids.resize(cells, id);
                return Some(());
            }
            StoredCells::Packed(number) => number,
        };

        if number == NO_PALETTE {
            let longs = buffers.longs.get(..cells * 2)?;
            ids.extend(longs.as_chunks().0.iter().map(|&id| u16::from_le_bytes(id)));
            return Some(());
        }

        let palette = self.palettes.get(number)?;
        // The writer may lose an index in a palette of 257 ids, so an index without an id is air.
        let id = |index: u16| palette.get(usize::from(index)).copied().unwrap_or_default();
        match bits(palette) {
            4 => ids.extend(
                buffers
                    .longs
                    .get(..cells / 2)?
                    .iter()
                    .flat_map(|&pair| [id(u16::from(pair & 15)), id(u16::from(pair >> 4))]),
            ),
            8 => ids.extend(
                buffers
                    .longs
                    .get(..cells)?
                    .iter()
                    .map(|&one| id(u16::from(one))),
            ),
            _ => {
                let longs = buffers.longs.get(..cells * 2)?;
                ids.extend(
                    longs
                        .as_chunks()
                        .0
                        .iter()
                        .map(|&two| id(u16::from_le_bytes(two))),
                );
            }
        }

        Some(())
    }

    /// Writes a whole state. Returns `None` if its cells make no sense.
    fn put_stored(
        &self,
        stored: StoredCells,
        buffers: &mut ChainBuffers,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        match stored {
            StoredCells::Uniform(id) => {
                network::put_palette(out, 0, &[id]);
                return Some(());
            }
            StoredCells::Packed(number) if number != NO_PALETTE => {
                let palette = self.palettes.get(number)?;
                let bits = bits(palette);
                if bits < 16 {
                    let longs = buffers.longs.get(..self.kind.cells() * bits / 8)?;
                    network::put_palette(out, bits as u8, palette);
                    network::put_longs(out, longs);
                    return Some(());
                }
            }
            StoredCells::Packed(_) => {}
        }

        let mut ids = std::mem::take(&mut buffers.ids);
        let unpacked = self.unpack(stored, buffers, &mut ids);
        if unpacked.is_some() {
            put_ids(&ids, buffers, out);
        }

        buffers.ids = ids;
        unpacked
    }
}

/// Writes the ids of all cells with a palette of their own.
fn put_ids(ids: &[u16], buffers: &mut ChainBuffers, out: &mut Vec<u8>) {
    const UNSEEN: u16 = u16::MAX;
    let ChainBuffers {
        palette, indices, ..
    } = buffers;

    // Each section leaves the table empty, because filling all of it would take longer than the
    // section.
    indices.resize(1 << 16, UNSEEN);
    palette.clear();
    for &id in ids {
        let index = &mut indices[usize::from(id)];
        if *index == UNSEEN {
            *index = palette.len() as u16;
            palette.push(id);
        }
    }

    if palette.len() == 1 {
        network::put_palette(out, 0, palette);
    } else {
        let bits = palette.len().next_power_of_two().ilog2().max(4);
        network::put_palette(out, bits as u8, palette);
        for ids in ids.chunks((64 / bits) as usize) {
            let places = ids.iter().enumerate();
            let long = places.fold(0, |long, (place, &id)| {
                long | u64::from(indices[usize::from(id)]) << (place as u32 * bits)
            });
            out.extend(long.to_be_bytes());
        }
    }

    for &id in &*palette {
        indices[usize::from(id)] = UNSEEN;
    }
}

/// Returns the number of bits of an index into a palette.
const fn bits(palette: &[u16]) -> usize {
    match palette.len() {
        0..=16 => 4,
        17..=256 => 8,
        _ => 16,
    }
}

/// Reads a time in seconds since 1970. A time past the end of the calendar counts as its end.
pub(super) fn read_time<R: Read>(stream: &mut Stream<R>) -> Result<i64, StreamDamage> {
    Ok(i64::try_from(stream.long()?).unwrap_or(i64::MAX))
}

fn read_cells<R: Read>(
    stream: &mut Stream<R>,
    buffers: &mut ChainBuffers,
) -> Result<StoredCells, StreamDamage> {
    if is_uniform(stream)? {
        return stream.short().map(StoredCells::Uniform);
    }

    let longs = stream.count(MAX_LONGS)?;
    buffers.longs.clear();
    stream.append(longs * 8, &mut buffers.longs)?;
    stream.int().map(StoredCells::Packed)
}

/// Skips the states of a section.
pub(super) fn skip_chain<R: Read>(stream: &mut Stream<R>) -> Result<(), StreamDamage> {
    let count = stream.count(MAX_STATES)?;
    skip_states(stream, count)
}

fn skip_states<R: Read>(stream: &mut Stream<R>, count: u64) -> Result<(), StreamDamage> {
    for _ in 0..count {
        stream.skip(8)?;
        if is_uniform(stream)? {
            stream.skip(2)?;
        } else {
            let longs = stream.count(MAX_LONGS)?;
            stream.skip(longs * 8 + 4)?;
        }
    }

    Ok(())
}

fn is_uniform<R: Read>(stream: &mut Stream<R>) -> Result<bool, StreamDamage> {
    stream.choice(|form| match form {
        0 => Some(true),
        1 => Some(false),
        _ => None,
    })
}
