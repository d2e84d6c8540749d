//! The header of a file: ten bytes before the zstd stream.

use std::io;

use crate::names::NetworkNames;
use crate::zvcr::heights::Heights;

/// The number of bytes before the zstd stream.
pub(super) const LEN: usize = 10;
/// The first bytes of a file.
pub(crate) const MAGIC: &[u8] = b"zvcr3d";
/// The format version of all published files. The authors kept the earlier ones to themselves.
const VERSION: u8 = 7;

/// The message about a file that is shorter than its header.
const CUT_SHORT: &str = "the file ends in its header: copy it again";

/// A header of a file that can be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(super) heights: Heights,
    /// The id of the dimension that the file belongs to.
    pub(crate) dimension: &'static str,
    pub(super) names: &'static NetworkNames,
}

impl Header {
    /// Parses the first bytes of a file.
    ///
    /// # Errors
    /// Fails if this program cannot read the file. The message gives the reason and the next step.
    pub(crate) fn parse(start: &[u8]) -> io::Result<Self> {
        let Some(fields) = start.strip_prefix(MAGIC) else {
            return Err(refusal(if start.is_empty() {
                CUT_SHORT
            } else {
                "the file does not begin like a file of zvcr: copy it again"
            }));
        };
        let &[version, dimension, low, high, ..] = fields else {
            return Err(refusal(CUT_SHORT));
        };

        if version != VERSION {
            return Err(refusal(&format!(
                "format version {version} of zvcr is not known, only {VERSION}: convert the file \
                 to .mca first, with zvcr -export of zvcr_utils"
            )));
        }

        let (dimension, sections, lowest) = match dimension {
            0 => ("overworld", 24, -4),
            1 => ("the_nether", 16, 0),
            2 => ("the_end", 16, 0),
            other => {
                return Err(refusal(&format!(
                    "the header names dimension {other}, which zvcr does not have: copy the file \
                     again"
                )));
            }
        };

        let protocol = u16::from_le_bytes([low, high]);
        let names = NetworkNames::of_protocol(protocol).ok_or_else(|| {
            refusal(&format!(
                "the block numbers of protocol {protocol} are not known, only {}: convert the \
                 file to .mca first, with zvcr -export of zvcr_utils, or use a newer version of \
                 this program",
                NetworkNames::known()
            ))
        })?;

        Ok(Self {
            heights: Heights { sections, lowest },
            dimension,
            names,
        })
    }
}

fn refusal(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
