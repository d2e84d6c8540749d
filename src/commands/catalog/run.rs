//! Finds the worlds, reads the new and changed ones, and writes the catalog.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::scope;

use pixelmap_base::disk;
use pixelmap_base::mutex;
use pixelmap_draw::Shard;
use pixelmap_draw::ask::catalog::{WorldEntry, find_copies};
use pixelmap_map::export::Pieces;
use pixelmap_world::internal::{WorldPlace, find_worlds};
use twox_hash::XxHash3_64;

use super::files::{self, MAPS, PICTURES};
use super::folder::CatalogFolder;
use super::line::PlaceLine;
use super::page;
use super::survey::{Surveyor, Trouble};
use super::table;
use crate::cli::CatalogArgs;
use crate::commands::signals::Signals;
use crate::commands::worker_count::worker_count;
use crate::commands::world_place::check_folder;
use crate::log::complain;
use crate::outcome::{Ending, FAILED, GAPS, OK};
use crate::progress;
use crate::summary::{INTERRUPTED, count_text, escape_name};

/// A world folder or an archive of this run.
struct FoundPlace {
    place: WorldPlace,
    /// Its path below the folder that was searched.
    name: String,
    /// The state of its files; absent if they cannot be listed.
    state: Option<u64>,
}

/// Makes a catalog. Returns the exit code.
pub(crate) fn run(args: &CatalogArgs) -> Result<u8, Ending> {
    check_folder(&args.folder)?;
    if !disk::is_folder(&args.folder).unwrap_or_default() {
        let message = format!(
            "there is no folder {}: give the folder around the worlds",
            args.folder.display()
        );
        return Err(Ending::new(FAILED, message));
    }

    let mut folder = CatalogFolder::open(&args.output, args.shard)?;
    let signals = Signals::install();
    let found = find(args)?;
    let states: BTreeMap<&str, Option<u64>> = found
        .iter()
        .map(|found| (found.name.as_str(), found.state))
        .collect();

    let known = folder.read_lines(|line| {
        let state = states.get(line.place.as_str());
        state.is_some_and(|&state| line.is_current(state, args.maps))
    });
    let mut known = known.map_err(|error| Ending::not_written(folder.path(), &error))?;
    known.retain(|_, line| has_files(&folder, line));

    let changed: Vec<&FoundPlace> = found
        .iter()
        .filter(|found| !known.contains_key(&found.name))
        .collect();
    let new = read(args, &mut folder, &changed, &signals)?;
    let count = new.len();
    known.extend(new.into_iter().map(|line| (line.place.clone(), line)));
    finish(args, &mut folder, &known, count)
}

/// Finds the places of this run.
fn find(args: &CatalogArgs) -> Result<Vec<FoundPlace>, Ending> {
    let mut warnings = Vec::new();
    let output = disk::full_path(&args.output);
    let places = find_worlds(&args.folder, args.depth, &output, &mut warnings)?;
    for warning in warnings {
        complain(&escape_name(&warning));
    }

    let mut found = Vec::new();
    for place in places {
        let name = files::relative(&args.folder, &place.path);
        if args.shard.is_none_or(|shard| is_in_shard(&name, shard)) {
            // Each run tries to read a place whose files cannot be listed.
            let state = place.state().ok();
            found.push(FoundPlace { place, name, state });
        }
    }
    Ok(found)
}

/// Returns whether a shard reads a place. The path decides, so that new worlds move no others.
fn is_in_shard(name: &str, shard: Shard) -> bool {
    let hash = XxHash3_64::oneshot(name.as_bytes());
    hash % u64::from(shard.count()) == u64::from(shard.number() - 1)
}

/// Returns whether the pictures and maps of a place are there.
fn has_files(folder: &CatalogFolder, line: &PlaceLine) -> bool {
    let entries = line.worlds.iter().map(|world| &world.entry);
    entries
        .flat_map(|entry| [&entry.picture, &entry.map])
        .flatten()
        .all(|file| folder.has(file))
}

/// Reads places, several at a time. Writes the line of each place at once.
fn read(
    args: &CatalogArgs,
    folder: &mut CatalogFolder,
    changed: &[&FoundPlace],
    signals: &Signals,
) -> Result<Vec<PlaceLine>, Ending> {
    let workers = worker_count(args.threads).min(changed.len()).max(1);
    let output = folder.path().to_owned();
    let surveyor = Surveyor {
        folder: &args.folder,
        output: &output,
        wants_maps: args.maps,
        threads: worker_count(args.threads).div_ceil(workers),
        stop: signals.stop(),
    };

    let pieces = Pieces::default();
    pieces.expect(changed.len() as u64);
    let next = AtomicUsize::new(0);
    let end: Mutex<Option<Trouble>> = Mutex::new(None);
    let done = Mutex::new((folder, Vec::new()));

    let work = || {
        while mutex::lock(&end).is_none() {
            let Some(changed) = changed.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };

            let added = surveyor.survey(&changed.place).and_then(|worlds| {
                let line = PlaceLine {
                    place: changed.name.clone(),
                    state: changed.state,
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    has_maps: args.maps,
                    worlds,
                };
                let (folder, lines) = &mut *mutex::lock(&done);
                folder.add_line(&line)?;
                lines.push(line);
                Ok(())
            });
            if let Err(trouble) = added {
                mutex::lock(&end).get_or_insert(trouble);
            }
            pieces.end(1);
        }
    };

    progress::show_pieces(&pieces, args.quiet, amount, || {
        scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
    });

    match mutex::lock(&end).take() {
        None => Ok(std::mem::take(&mut mutex::lock(&done).1)),
        Some(Trouble::NotNow(ending)) => Err(ending),
        Some(Trouble::Unread(message)) => Err(Ending::new(FAILED, message)),
        Some(Trouble::Interrupted) => Err(Ending::new(signals.code(), INTERRUPTED)),
    }
}

fn amount(done: u64, all: u64, _: std::time::Duration) -> String {
    format!("{done} of {}", count_text(all, "world or archive"))
}

/// Writes the catalog. A shard writes only its lines. Returns the exit code.
fn finish(
    args: &CatalogArgs,
    folder: &mut CatalogFolder,
    known: &BTreeMap<String, PlaceLine>,
    new: usize,
) -> Result<u8, Ending> {
    let worlds = entries(known);
    let next = if args.shard.is_some() {
        "when all shards are done, run the same command without --shard".to_owned()
    } else {
        put_catalog(folder, known, &worlds)?;
        format!("open {}", folder.path().join("index.html").display())
    };

    let bad = worlds
        .iter()
        .filter_map(|world| Some((world, problem(world)?)));
    let mut code = OK;
    for (world, problem) in bad {
        complain(&escape_name(&format!("{}: {problem}", world.path)));
        code = GAPS;
    }

    if !args.quiet {
        let count = count_text(worlds.len() as u64, "world");
        let read = count_text(new as u64, "new or changed place");
        let _ = writeln!(io::stderr(), "{count}, {read}\n{next}");
    }
    Ok(code)
}

/// Returns the reason why a world is not whole.
fn problem(world: &WorldEntry) -> Option<String> {
    if let Some(error) = &world.error {
        return Some(error.clone());
    }
    if world.damaged == 0 {
        return None;
    }
    let places = count_text(world.damaged, "place");
    Some(format!("{places} cannot be read: pixelmap info names them"))
}

/// Returns the worlds of all places with their copies, sorted by path.
fn entries(known: &BTreeMap<String, PlaceLine>) -> Vec<WorldEntry> {
    let mut worlds: Vec<_> = known.values().flat_map(|line| &line.worlds).collect();
    worlds.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));

    let samples: Vec<_> = worlds
        .iter()
        .map(|world| (world.entry.path.as_str(), &world.sketch))
        .collect();
    let copies = find_copies(&samples);
    let entries = worlds.iter().zip(copies).map(|(world, copies)| WorldEntry {
        copies,
        ..world.entry.clone()
    });
    entries.collect()
}

fn put_catalog(
    folder: &mut CatalogFolder,
    known: &BTreeMap<String, PlaceLine>,
    worlds: &[WorldEntry],
) -> Result<(), Ending> {
    let json = table::json(worlds)?;
    let facts = page::facts(&json);
    let version = format!("{:016x}", XxHash3_64::oneshot(facts.as_bytes()));

    folder.put("worlds.json", (json + "\n").as_bytes())?;
    folder.put("worlds.csv", table::csv(worlds).as_bytes())?;
    folder.put(page::FACTS, facts.as_bytes())?;
    folder.put("index.html", page::page(&version).as_bytes())?;
    folder.put_lines(known.values())?;
    remove_old_files(folder, worlds)
}

/// Removes the pictures and maps of worlds that are gone.
fn remove_old_files(folder: &CatalogFolder, worlds: &[WorldEntry]) -> Result<(), Ending> {
    let pictures: BTreeSet<String> = worlds
        .iter()
        .map(|world| files::picture(&world.path))
        .collect();
    let maps: BTreeSet<String> = worlds.iter().map(|world| files::map(&world.path)).collect();
    for (kind, kept) in [(PICTURES, pictures), (MAPS, maps)] {
        for name in folder.names(kind)? {
            let path = format!("{kind}/{name}");
            if !kept.contains(&path) {
                folder.remove(&path)?;
            }
        }
    }
    Ok(())
}
