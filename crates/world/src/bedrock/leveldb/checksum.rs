//! Checks the CRC-32C of the blocks of a table and the pieces of a log, which LevelDB stores in a
//! masked form. Source: LevelDB, `util/crc32c.h`.

/// The constant that masking adds to a sum.
const MASK: u32 = 0xa282_ead8;

/// Returns whether `bytes` match the stored checksum. In a build for fuzzing every checksum is
/// accepted, because otherwise nearly all inputs would be rejected here.
pub(crate) fn is_right(bytes: &[u8], stored: [u8; 4]) -> bool {
    cfg!(fuzzing) || mask(bytes).to_le_bytes() == stored
}

/// Returns the masked checksum of `bytes`, which is the form that files contain.
fn mask(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_stored_masked() {
        assert_eq!(mask(b""), MASK);
        assert_eq!(
            mask(b"123456789"),
            0xe306_9283_u32.rotate_right(15).wrapping_add(MASK)
        );
    }
}
