//! Tests that a later run draws exactly the changes of a Bedrock world, even during a game.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{database, run};
use crate::map::{Map, Place, render};
use crate::world::Files;
use crate::world::bedrock::block::{self, Block};
use crate::world::bedrock::database::Changes;
use crate::world::bedrock::{ChunkSpec, Compression, Database};
use crate::world::fixture::bedrock::{changes_between, landscape, with_level_dat};

/// Chunks of five regions, none of them at a border.
const PLACES: [(i32, i32); 5] = [(1, 1), (40, 3), (-5, 5), (100, 100), (-20, -20)];

#[test]
fn a_later_run_redraws_only_changed_regions() {
    let mut chunks = PLACES.map(|(x, z)| landscape(x, z, 41));
    let mut database = database(&chunks);
    let place = Place::of(&with_level_dat("Nights", &database));
    assert_eq!(run(&place, &database), [5, 0]);
    assert_eq!(run(&place, &database), [0, 5]);

    let mut change = |number: usize, block: Block| {
        let before = chunks[number].clone();
        chunks[number].layer(90, 90, block);
        changes_between(&before, &chunks[number])
    };

    database.batch(&change(1, block::SAND));
    assert_eq!(run(&place, &database), [1, 4]);

    // All files are different, but they contain the same values.
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 5]);
    database.table(0, Compression::Snappy, 5000, &change(2, block::STONE));
    database.batch(&change(4, block::GLASS));
    assert_eq!(run(&place, &database), [2, 3]);

    // Writes the same value again.
    let same = chunks[0].changes();
    database.batch(&same);
    let [_, unchanged] = run(&place, &database);
    assert!(unchanged >= 4);
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 5]);

    database.batch(
        &chunks[3]
            .changes()
            .into_keys()
            .map(|key| (key, None))
            .collect(),
    );

    assert_eq!(run(&place, &database), [0, 4]);
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 4]);
    database.batch(&landscape(200, -200, 41).changes());
    assert_eq!(run(&place, &database), [1, 4]);
}

/// Ends a game when it is dropped.
struct GameEnd<'a>(&'a AtomicBool);

impl Drop for GameEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The files of a database with sand or stone, depending on whether the number is even.
fn game_files(number: u64) -> Files {
    let ground = [block::SAND, block::STONE][number as usize % 2];
    let mut database = Database::new(4 + 4 * number);

    let mut changes = Changes::new();
    for (x, z) in PLACES {
        let mut chunk = ChunkSpec::new(x, z, 0, 41);
        chunk.layer(60, 64, ground);
        chunk.put_into(&mut changes);
    }

    database.table(1, Compression::Deflate, 3000, &changes);
    let mut files = Files::new();
    database.put_files(&mut files);

    files
}

#[test]
fn a_run_during_a_game_draws_one_state() {
    let place = Place::of(&with_level_dat("Game", &Database::new(1)));
    let colour = |number| {
        fs::remove_dir_all(place.world()).unwrap();
        game_files(number).write_under(&place.world());
        place.draw("colour", &["-f"]);
        Map::at(&place.at("colour")).columns().at(20, 20)
    };

    let colours = [colour(0), colour(1)];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // However the runs end, the game ends with them.
        let end = GameEnd(&is_over);

        let game = scope.spawn(|| {
            let mut before = game_files(1);
            let mut number = 1;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let mut files = game_files(number);
                let current = files.0.remove("db/CURRENT").unwrap();
                files.write_under(&place.world());
                let temporary = place.world().join("db/000001.dbtmp");
                fs::write(&temporary, current).unwrap();
                fs::rename(temporary, place.world().join("db/CURRENT")).unwrap();

                for path in before
                    .0
                    .keys()
                    .filter(|path| !files.0.contains_key(*path) && *path != "db/CURRENT")
                {
                    fs::remove_file(place.world().join(path)).unwrap();
                }

                before = files;
                std::thread::sleep(Duration::from_millis(20));
            }

            number
        });

        for run in 0..12 {
            render(&place.world(), &place.at("map"), &[]).expect(0, "while the game saves");
            let columns = Map::at(&place.at("map")).columns();
            let seen = PLACES.map(|(x, z)| columns.at(x * 16 + 4, z * 16 + 4));
            assert!(
                colours.iter().any(|colour| seen == [*colour; 5]),
                "run {run}: {seen:?}, not one of {colours:?}"
            );
        }

        drop(end);
        assert!(game.join().unwrap() > 5);
    });
}
