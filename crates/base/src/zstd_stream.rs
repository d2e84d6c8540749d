//! Decodes streams of zstd that may come from anyone.

use std::io::{self, Read};

/// The binary logarithm of the largest window of a stream: 128 MiB, which the highest level of the
/// usual compressor needs. The decoder allocates the window.
const MAX_WINDOW_LOG: u32 = 27;

/// Returns a decoder of one or more frames.
///
/// # Errors
/// Fails if the decoder cannot be made. Reading fails if a frame needs a larger window.
pub fn decoder<R: Read>(packed: R) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::new(packed)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}
