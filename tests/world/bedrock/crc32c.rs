//! Computes CRC-32C, bit by bit, with the mask of LevelDB.

/// The masked checksum of some bytes.
pub fn masked(bytes: &[u8]) -> u32 {
    let sum = checksum(bytes);
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 {
                (sum >> 1) ^ 0x82f6_3b78
            } else {
                sum >> 1
            }
        })
    })
}

#[test]
fn checksums_match_rfc_3720() {
    assert_eq!(checksum(&[0; 32]), 0x8a91_36aa);
    assert_eq!(checksum(&[0xff; 32]), 0x62a8_ab43);
    assert_eq!(checksum(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
}
