//! Computes CRC-32C, the checksum of every block of a table and every piece of a log.
//!
//! LevelDB stores it in a masked form. Source: LevelDB, `util/crc32c.h`.

/// The Castagnoli polynomial, bit-reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;
/// The number of bytes processed at once.
const STEP: usize = 8;
/// The effect of a byte on the sum. The first index is the number of bytes that follow it in a
/// step.
const TABLES: [[u32; 256]; STEP] = tables();
/// The constant that masking adds to a sum.
const MASK: u32 = 0xa282_ead8;

const fn tables() -> [[u32; 256]; STEP] {
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut step = 0;
        while step < STEP {
            sum = add_zero(sum);
            tables[step][byte] = sum;
            step += 1;
        }
        byte += 1;
    }

    tables
}

/// Returns the sum after a byte of 0.
const fn add_zero(mut sum: u32) -> u32 {
    let mut bit = 0;
    while bit < 8 {
        sum = if sum & 1 == 1 {
            sum >> 1 ^ POLYNOMIAL
        } else {
            sum >> 1
        };
        bit += 1;
    }

    sum
}

fn crc32c(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    let (steps, rest) = bytes.as_chunks::<STEP>();
    for step in steps {
        let word = u64::from_le_bytes(*step) ^ u64::from(sum);
        sum = (0..STEP).fold(0, |sum, at| {
            sum ^ TABLES[STEP - 1 - at][(word >> (8 * at)) as usize & 0xff]
        });
    }

    !rest.iter().fold(sum, |sum, &byte| {
        sum >> 8 ^ TABLES[0][(sum as u8 ^ byte) as usize]
    })
}

/// Returns whether `bytes` match the stored checksum. In a build for fuzzing every checksum is
/// accepted, because otherwise nearly all inputs would be rejected here.
pub(super) fn is_right(bytes: &[u8], stored: [u8; 4]) -> bool {
    cfg!(fuzzing) || mask(bytes).to_le_bytes() == stored
}

/// Returns the masked checksum of `bytes`, which is the form that files contain.
fn mask(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_the_standard() {
        // RFC 3720, B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(
            crc32c(&std::array::from_fn::<u8, 32, _>(|at| at as u8)),
            0x46dd_794e
        );
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(b""), 0);
    }

    #[test]
    fn sums_are_stored_masked() {
        assert_eq!(mask(b""), MASK);
        assert_eq!(
            mask(b"123456789"),
            0xe306_9283_u32.rotate_right(15).wrapping_add(MASK)
        );
    }
}
