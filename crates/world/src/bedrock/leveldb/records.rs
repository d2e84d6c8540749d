//! Reads the records of a log or a manifest. Both files are divided into blocks of 32 KiB, and a
//! record into pieces that do not cross the end of a block.
//!
//! A piece consists of a checksum (u32), a length (u16), its kind (u8) and its bytes. The kind is
//! its position in the record. Source: LevelDB, `doc/log_format.md` and `db/log_reader.cc`.

use super::checksum;
use super::fields;
use crate::bytes::Defect;

const BLOCK: usize = 32 << 10;
/// Length of a piece's header: checksum, length and kind. If fewer bytes are left in a block,
/// LevelDB pads them.
const HEAD: usize = 7;
/// Kinds of pieces: the position of a piece in its record.
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// The first damage in a file of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordDamage {
    /// Distance from the start of the file in bytes.
    pub(crate) offset: u64,
    pub(crate) defect: Defect,
}

/// Calls `visit` with each record of a file. If `visit` returns `None`, the record counts as
/// damaged. After damage, reading continues with the next block, as in LevelDB. If the end of the
/// file cuts the last record short, the record is ignored without damage, because the game is still
/// writing it or was killed while it did.
///
/// # Errors
/// Returns the first damage.
pub(crate) fn read(
    bytes: &[u8],
    mut visit: impl FnMut(&[u8]) -> Option<()>,
) -> Result<(), RecordDamage> {
    let mut reader = Reader {
        record: Vec::new(),
        state: ReaderState::Between,
        damage: None,
    };

    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        let mut rest = block;
        loop {
            let offset = (number * BLOCK + block.len() - rest.len()) as u64;
            match take_piece(&mut rest, block.len() < BLOCK) {
                Ok(Some((kind, bytes))) => reader.add(kind, bytes, offset, &mut visit),
                Ok(None) => break,
                Err(defect) => {
                    reader.lose(offset, defect);
                    break;
                }
            }
        }
    }

    reader.damage.map_or(Ok(()), Err)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    /// The next piece begins a record.
    Between,
    /// More pieces of the current record follow.
    Inside,
    /// Pieces of a damaged record may follow. They are skipped until the next record begins.
    InsideDamaged,
}

struct Reader {
    /// The pieces so far of an unfinished record.
    record: Vec<u8>,
    state: ReaderState,
    damage: Option<RecordDamage>,
}

/// Reads the next piece of a block: its kind and its bytes. Returns `None` if the block has no
/// further piece.
fn take_piece<'a>(
    rest: &mut &'a [u8],
    is_last_block: bool,
) -> Result<Option<(u8, &'a [u8])>, Defect> {
    let Some((&[a, b, c, d, low, high, kind], _)) = rest.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };

    let len = usize::from(u16::from_le_bytes([low, high]));

    // Zeros are the end of a file whose space was allocated in advance.
    if kind == 0 && len == 0 {
        return Ok(None);
    }

    match fields::take(rest, HEAD + len) {
        // The checksum includes the kind.
        Some(piece) if checksum::is_right(&piece[HEAD - 1..], [a, b, c, d]) => {
            Ok(Some((kind, &piece[HEAD..])))
        }
        Some(_) => Err(Defect::Checksum),
        None if is_last_block => Ok(None),
        None => Err(Defect::CutShort),
    }
}

impl Reader {
    /// Adds a piece to the current record.
    fn add(
        &mut self,
        kind: u8,
        bytes: &[u8],
        offset: u64,
        visit: &mut impl FnMut(&[u8]) -> Option<()>,
    ) {
        let is_first = matches!(kind, WHOLE | FIRST);
        let is_expected = match self.state {
            ReaderState::Between => is_first,
            ReaderState::Inside => matches!(kind, MIDDLE | LAST),
            ReaderState::InsideDamaged => matches!(kind, WHOLE | FIRST | MIDDLE | LAST),
        };

        if !is_expected {
            self.lose(offset, Defect::Structure);
        }

        if is_first {
            self.record.clear();
            self.state = ReaderState::Inside;
        }

        if self.state == ReaderState::Inside {
            self.record.extend_from_slice(bytes);
            if matches!(kind, WHOLE | LAST) && visit(&self.record).is_none() {
                self.lose(offset, Defect::Structure);
            }
        }

        if matches!(kind, WHOLE | LAST) {
            self.state = ReaderState::Between;
        }
    }

    /// Gives up the current record.
    fn lose(&mut self, offset: u64, defect: Defect) {
        self.damage.get_or_insert(RecordDamage { offset, defect });
        self.state = ReaderState::InsideDamaged;
    }
}
