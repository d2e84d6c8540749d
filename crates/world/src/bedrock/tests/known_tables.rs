//! Tests the memory of tables that an earlier run has read.

use super::damaged::{flip, sample};
use super::*;

fn open_again(written: &TestDatabase, known: &[u8]) -> Arc<Database> {
    Database::open(&Files::Disk, written.world(), known, 0).unwrap()
}

#[test]
fn known_tables_need_no_reading() {
    let (written, _) = sample();
    let first = open_again(&written, &[]);
    let known = first.known_tables().unwrap();
    let again = open_again(&written, &known);
    assert_eq!(
        (chunks(&again), again.known_tables()),
        (chunks(&first), None)
    );

    // A rewritten table must be read again, although its name and length are the same.
    let table = written.read("000005.ldb");
    written.remove("000005.ldb");
    written.put("000005.ldb", &table);
    let rewritten = open_again(&written, &known);
    assert!(rewritten.known_tables().is_some_and(|next| next != known));
    assert_eq!(chunks(&rewritten), chunks(&first));

    // A damaged file is ignored completely.
    assert!(open_again(&written, &known[1..]).known_tables().is_some());
}

#[test]
fn lost_chunks_without_a_copy_are_missed() {
    let (written, positions) = sample();
    let whole = open_again(&written, &[]);
    let known = whole.known_tables().unwrap();

    let whole = chunks(&whole);
    let missed = |database: &Arc<Database>| {
        let chunks = chunks(database);
        assert!(chunks.keys().eq(whole.keys()));
        chunks
            .iter()
            .filter(|(position, chunk)| chunk.is_err() && chunk != &&whole[position])
            .count()
    };

    let (number, offset) = positions[2];
    flip(&written, &format!("{number:06}.ldb"), offset + 3);
    let damaged = open_again(&written, &known);
    assert!((2..=4).contains(&missed(&damaged)), "those of one block");

    // Later runs report them as well.
    let next = damaged.known_tables().unwrap_or(known);
    assert!((2..=4).contains(&missed(&open_again(&written, &next))));
    written.remove("000005.ldb");
    assert_eq!(missed(&open_again(&written, &next)), 12, "those of a table");
}

/// Counts the stored chunks, and how many of them cannot be read.
fn stored_and_missed(database: &Arc<Database>) -> (usize, usize) {
    let chunks = chunks(database);
    (
        chunks.len(),
        chunks.values().filter(|chunk| chunk.is_err()).count(),
    )
}

#[test]
fn chunks_of_a_damaged_log_are_missed() {
    let (written, _) = sample();
    let known = open_again(&written, &[]).known_tables().unwrap();
    let log = written.read("000009.log");
    flip(&written, "000009.log", 10);
    let damaged = open_again(&written, &known);
    assert_eq!(stored_and_missed(&damaged), (28, 4));

    let next = damaged.known_tables().unwrap_or_else(|| known.clone());
    assert_eq!(
        stored_and_missed(&open_again(&written, &next)),
        (28, 4),
        "also in the runs that follow"
    );

    // The log that the list names is missing. Only runs that knew its entries report it.
    written.remove("000009.log");

    for known in [&known, &next] {
        let gone = open_again(&written, known);
        assert_eq!(
            (gone.damage().len(), stored_and_missed(&gone)),
            (1, (28, 4))
        );
        let later = gone.known_tables().unwrap_or_else(|| known.clone());
        assert_eq!(stored_and_missed(&open_again(&written, &later)), (28, 4));
    }

    let unknown = open(written.world()).unwrap();
    assert_eq!(
        (unknown.damage().len(), stored_and_missed(&unknown)),
        (0, (24, 0))
    );

    written.put("000009.log", &log);
    assert_eq!(
        stored_and_missed(&open_again(&written, &next)),
        (28, 0),
        "repaired"
    );
}

#[test]
fn chunks_are_missed_even_after_a_compaction() {
    let (mut written, _) = sample();
    let known = open_again(&written, &[]).known_tables().unwrap();

    // A compaction has moved the chunks to a new table.
    written.remove("000006.ldb");
    written.forget_table();
    let positions = written.add_table(7, row(0, 20..32, 200), Compression::Deflate, 900);
    flip(&written, "000007.ldb", positions[2].offset + 3);

    let (stored, missed) = stored_and_missed(&open_again(&written, &known));
    assert!(
        stored == 28 && (2..=4).contains(&missed),
        "{stored} {missed}"
    );
    written.remove("000007.ldb");
    written.remove("MANIFEST-000002");
    assert_eq!(stored_and_missed(&open_again(&written, &known)), (28, 12));

    // If nothing is damaged, missing chunks count as deleted.
    written.forget_table();
    assert_eq!(stored_and_missed(&open_again(&written, &known)), (16, 0));
}

#[test]
fn older_chunk_states_never_replace_newer_ones() {
    let (written, _) = sample();
    written.put_log(&[
        vec![entry(key(0, 3, 0, &[SECTION, 0]), 900, "new")],
        row(0, 40..42, 10),
    ]);
    let known = open_again(&written, &[]).known_tables().unwrap();
    flip(&written, "000009.log", 10);
    let damaged = open_again(&written, &known);
    assert!(chunks(&damaged)[&(0, 3, 0)].is_err());

    // The disappearance of a deletion does not make the chunk damaged.
    written.put_log(&[
        vec![entry(key(0, 3, 0, &[49]), 900, None)],
        row(0, 40..42, 10),
    ]);
    let known = open_again(&written, &[]).known_tables().unwrap();
    written.put_log(&[row(0, 40..42, 10)]);
    written.remove("000006.ldb");
    assert!(chunks(&open_again(&written, &known))[&(0, 3, 0)].is_ok());
}
