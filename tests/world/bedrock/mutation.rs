//! Makes damage from a seed: files of a database, and values in sound files, with flipped bits, cut
//! ends and spliced parts.

use super::database::{Changes, Compression, Database};
use crate::world::files::Files;
use crate::world::fixture::bedrock::{landscape, plain, with_level_dat};
use crate::world::seed::Seed;

/// A world in which one file of the database is damaged: a table, the log, the manifest or CURRENT.
pub fn damaged_file(seed: u64) -> Files {
    let mut seed = Seed::new(seed);
    let database = plain();
    let mut files = with_level_dat("Damaged", &database);
    let name = match seed.below(8) {
        0..4 => database.table_name(seed.below(2)),
        4..6 => database.log_name(),
        6 => database.manifest_name(),
        _ => "db/CURRENT".to_owned(),
    };
    damage(files.0.get_mut(&name).unwrap(), &mut seed);
    files
}

/// A sound database with damaged values, each of another chunk.
pub fn damaged_values(seed: u64) -> Files {
    let mut seed = Seed::new(seed);
    let mut changes = Changes::new();
    for (x, version) in [2, 4, 7, 8, 9, 15, 22, 25, 39, 41].into_iter().enumerate() {
        let mut own = landscape(x as i32, 0, version).changes();
        let number = seed.below(own.len());
        let value = own.values_mut().nth(number).unwrap().as_mut().unwrap();
        match seed.below(3) {
            0 => damage_head(value, &mut seed),
            _ => damage(value, &mut seed),
        }
        changes.extend(own);
    }

    let mut database = Database::new(4);
    database.table(1, Compression::Deflate, 4096, &changes);

    with_level_dat("Damaged", &database)
}

/// Changes one of the first bytes, which contain form, width and counts.
fn damage_head(bytes: &mut [u8], seed: &mut Seed) {
    let at = seed.below(bytes.len().min(4));
    bytes[at] = seed.next() as u8;
}

fn damage(bytes: &mut Vec<u8>, seed: &mut Seed) {
    let length = bytes.len();

    match seed.below(5) {
        0 => bytes.truncate(seed.below(length + 1)),
        1 => {
            let count = 1 + seed.below(40.min(length));
            let (from, to) = (
                seed.below(length + 1 - count),
                seed.below(length + 1 - count),
            );
            bytes.copy_within(from..from + count, to);
        }
        // The end, where a table has its index and its footer.
        2 => {
            let at = length - 1 - seed.below(length.min(300));
            bytes[at] ^= 1 << seed.below(8);
        }
        _ => {
            for _ in 0..=seed.below(3) {
                let at = seed.below(length);
                bytes[at] ^= 1 << seed.below(8);
            }
        }
    }
}
