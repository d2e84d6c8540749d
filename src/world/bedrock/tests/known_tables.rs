//! What a run knows of tables that an earlier one has read.

use super::damaged::{flip, sample};
use super::*;

fn open_again(written: &TestDatabase, known: &[u8]) -> Arc<Database> {
    Database::open(&Files::Disk, written.world(), known).unwrap()
}

#[test]
fn known_tables_are_as_if_they_were_read() {
    let (written, _) = sample();
    let first = open_again(&written, &[]);
    let known = first.known_tables().unwrap();
    let again = open_again(&written, &known);
    assert_eq!((chunks(&again), again.known_tables()), (chunks(&first), None));
    // A table that is rewritten is another one, though its name and length are the same.
    let table = written.read("000005.ldb");
    written.remove("000005.ldb");
    written.put("000005.ldb", &table);
    let rewritten = open_again(&written, &known);
    assert!(rewritten.known_tables().is_some_and(|next| next != known));
    assert_eq!(chunks(&rewritten), chunks(&first));
    // Of a damaged file nothing is believed.
    assert!(open_again(&written, &known[1..]).known_tables().is_some());
}

#[test]
fn chunks_that_are_nowhere_else_are_missed() {
    let (written, places) = sample();
    let whole = open_again(&written, &[]);
    let known = whole.known_tables().unwrap();
    let whole = chunks(&whole);
    let missed = |database: &Arc<Database>| {
        let chunks = chunks(database);
        assert!(chunks.keys().eq(whole.keys()));
        chunks.iter().filter(|(place, chunk)| chunk.is_err() && chunk != &&whole[place]).count()
    };
    let (number, offset) = places[2];
    flip(&written, &format!("{number:06}.ldb"), offset + 3);
    let damaged = open_again(&written, &known);
    assert!((2..=4).contains(&missed(&damaged)), "those of one block");
    // Also in the runs that follow.
    let next = damaged.known_tables().unwrap_or(known);
    assert!((2..=4).contains(&missed(&open_again(&written, &next))));
    written.remove("000005.ldb");
    assert_eq!(missed(&open_again(&written, &next)), 12, "those of a table");
}
