//! Formats the texts for users about a run that draws: summary, warnings, progress and dry run.
//! Contains helpers for numbers and names that other commands share.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use indicatif::{DecimalBytes, HumanCount, HumanDuration};
use pixelmap_base::json::is_obeyed;
use pixelmap_draw::report::{
    ArchiveFacts, BadChunk, Outcome, PictureFacts, Report, Stage, UnknownName,
};
use pixelmap_draw::{DryRun, DryTiles, ShardDivision, Snapshot, UnknownBlocks};

/// The line about an interrupted run.
pub(crate) const INTERRUPTED: &str = "interrupted: run the same command again to continue";
/// The number of bad chunks that are listed without `-v`.
const NAMED: usize = 10;
/// The number of unknown blocks, and of unknown biomes, that are listed without `-v`. The most
/// frequent ones are listed.
pub(crate) const UNKNOWN_NAMED: usize = 5;

/// Formats the summary of a render as lines for standard error. `next` is the next step for the
/// user.
pub(crate) fn text(report: &Report, next: &str, verbose: bool) -> String {
    let mut text = String::new();
    if report.outcome == Outcome::Interrupted {
        let _ = writeln!(text, "{INTERRUPTED}");
    }

    for warning in warnings(report) {
        let _ = writeln!(text, "warning: {}", escape_name(&warning));
    }

    let options = &report.options;
    let drawn = if options.unknown == UnknownBlocks::Auto.to_string() {
        "drawn by the words of their names".to_owned()
    } else {
        format!("drawn in {}", options.unknown)
    };

    let several = report.world.dimensions.len() > 1;
    unknown(
        &mut text,
        &report.unknown_blocks,
        ["block", &drawn],
        several,
        verbose,
    );

    if options.assets.is_empty() && report.unknown_blocks.keys().any(|name| is_of_a_mod(name)) {
        text += "  --assets CLIENT.jar --assets mods/ reads the colours of mods from their jars \
                 (mods of 1.8 and later), and\n  --assets PACK reads the colours of add-ons of \
                 Bedrock Edition from their packs\n";
    }

    unknown(
        &mut text,
        &report.unknown_biomes,
        ["biome", "drawn in the colours of plains"],
        several,
        verbose,
    );
    bad_chunks(&mut text, report, verbose);

    if verbose {
        workers(&mut text, report);
        stages(&mut text, report);
    }

    let unchanged = match report.regions.unchanged {
        0 => String::new(),
        count => format!(" drawn, {} unchanged", human_count(count)),
    };

    let regions = count_text(report.regions.drawn, "region");
    let time = format!(
        "in {:.1} s with {}",
        report.seconds,
        count_text(report.threads as u64, "thread")
    );

    let counts = match report.chunks.total() {
        // No chunks were read, for example because the map was made from the pictures of a map mod.
        0 => format!("{regions}{unchanged} {time}"),
        _ => format!(
            "{regions}{unchanged}, {} {time} ({} chunks/s)",
            count_text(report.chunks.drawn, "chunk"),
            human_count(report.chunks_per_second.round() as u64)
        ),
    };

    let hidden = [
        (report.chunks.hidden, "chunk"),
        (report.regions.hidden, "whole region"),
    ];
    let hidden: Vec<String> = hidden
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| count_text(*count, what))
        .collect();

    if !hidden.is_empty() {
        let _ = writeln!(text, "hidden: {}", hidden.join(", "));
    }

    if report.chunks.unfinished > 0 {
        let left_out = count_text(report.chunks.unfinished, "unfinished chunk");

        let one = report.chunks.unfinished == 1;
        let why = match (options.unfinished, one) {
            (false, true) => "--unfinished draws it",
            (false, false) => "--unfinished draws them",
            (true, true) => "the game has not generated its land yet",
            (true, false) => "the game has not generated their land yet",
        };

        let _ = writeln!(text, "{left_out} left out: {why}");
    }

    if let Some([x0, z0, x1, z1]) = options.area {
        let _ = writeln!(text, "area: {x0},{z0},{x1},{z1}");
    }

    match report.outcome {
        Outcome::Complete | Outcome::Gaps => {
            let _ = writeln!(
                text,
                "{counts}\n{}\n{}",
                output_counts(report),
                escape_name(next)
            );
        }
        Outcome::Empty => {
            let _ = writeln!(
                text,
                "nothing to draw: there is no finished chunk with a block in it\n{}",
                output_counts(report)
            );
        }
        Outcome::Interrupted => {
            let _ = writeln!(text, "{counts}");
        }
        Outcome::Failed => {}
    }

    text
}

/// Formats the line about the output of a run: its tiles, its archive or its picture.
fn output_counts(report: &Report) -> String {
    match (&report.picture, &report.archive) {
        (None, Some(ArchiveFacts { contents, bytes })) => {
            let tiles = count_text(report.tiles.written, "tile");
            format!(
                "{tiles}, {} of them different, {}",
                human_count(*contents),
                size(*bytes)
            )
        }
        (None, None) => {
            let tiles = report.tiles;
            let unchanged = human_count(tiles.unchanged);
            let removed = human_count(tiles.removed);
            format!(
                "{} written, {unchanged} unchanged, {removed} removed",
                count_text(tiles.written, "tile")
            )
        }
        (
            Some(PictureFacts {
                width,
                height,
                scale,
                bytes,
                ..
            }),
            _,
        ) => {
            format!(
                "{} by {} pixels, {scale} per block, {}",
                human_count(*width),
                human_count(*height),
                size(*bytes)
            )
        }
    }
}

/// Returns the warnings of a run: the ones in its report, and those about chunks of newer or
/// unknown forms.
pub(crate) fn warnings(report: &Report) -> Vec<String> {
    let newer = report.newer.map(|newer| {
        format!(
            "{} of a newer game version (DataVersion up to {}) than this pixelmap knows, drawn as \
             far as can be read: try a newer pixelmap",
            count_text(newer.chunks, "chunk"),
            newer.data_version
        )
    });

    let silent = report.not_understood.map(|silent| {
        let [x, z] = silent.first;
        format!(
            "{} not understood, with blocks or a status of an unknown form, first chunk {x},{z}: \
             try a newer pixelmap",
            count_text(silent.chunks, "chunk")
        )
    });

    report
        .warnings
        .iter()
        .cloned()
        .chain(newer)
        .chain(silent)
        .collect()
}

/// Formats the progress of a run: regions, chunks per second, time left, and bad chunks. `working`
/// is the time spent on drawing so far.
pub(crate) fn progress(now: Snapshot, working: Duration) -> String {
    let rate = now.chunks as f64 / working.as_secs_f64().max(0.001);
    let done = human_count(now.regions);
    let all = count_text(now.regions_total, "region");
    let mut text = format!(
        "{done} of {all}, {} chunks/s",
        human_count(rate.round() as u64)
    );

    if let Some(left) = remaining_time(now, working) {
        text += &format!(", {} left", HumanDuration(left));
    }

    if now.bad > 0 {
        text += &format!(", {}", count_text(now.bad, "bad chunk"));
    }

    text
}

/// Returns the estimated time left, or `None` until the first changed region is drawn.
pub(crate) fn remaining_time(now: Snapshot, working: Duration) -> Option<Duration> {
    let left = now
        .cost_total
        .saturating_sub(now.cost)
        .saturating_sub(now.unchanged_cost) as f64;
    (now.cost > 0).then(|| Duration::from_secs_f64(working.as_secs_f64() * left / now.cost as f64))
}

/// Returns the line before the messages about a map with a name; empty without a name.
pub(crate) fn heading(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("{}\n", escape_name(name)))
}

/// Formats the text of a dry run. `name` is the name of the map, if it has one.
pub(crate) fn dry_run(name: Option<&str>, dry: &DryRun) -> String {
    let mut text = heading(name);
    for dimension in &dry.dimensions {
        let drawn = dimension.regions - dimension.unchanged;
        let _ = writeln!(
            text,
            "{}: {} to draw ({}, {}), {} unchanged",
            escape_name(&dimension.id),
            count_text(drawn, "region"),
            size(dimension.bytes),
            count_text(dimension.chunks, "chunk"),
            human_count(dimension.unchanged)
        );

        if dimension.hidden > 0 {
            let _ = writeln!(
                text,
                "  {} hidden",
                count_text(dimension.hidden, "whole region")
            );
        }

        if let Some(unreadable) = &dimension.unreadable {
            let _ = writeln!(text, "  {}", escape_name(unreadable));
        }

        for far in &dimension.far {
            let _ = writeln!(
                text,
                "  {} is too far from the origin to have a tile",
                escape_name(far)
            );
        }
    }

    for damage in &dry.damage {
        let _ = writeln!(text, "{}", escape_name(damage));
    }

    let DryTiles {
        native,
        outer,
        inner,
        removed,
    } = dry.tiles;

    let layers = dry.layers.join(", ");
    let bytes = size(dry.estimated_bytes);
    let what = if let Some(PictureFacts { width, height, .. }) = &dry.picture {
        format!(
            "a picture of {layers}, {} by {} pixels, about {bytes}",
            human_count(*width),
            human_count(*height)
        )
    } else {
        let tiles = count_text(native + outer + inner, "tile");
        format!(
            "at most {tiles} of {layers}, about {bytes}, {} removed",
            human_count(removed)
        )
    };

    let memory = dry.estimated_memory_bytes >> 20;
    let threads = count_text(dry.threads as u64, "thread");
    let _ = writeln!(text, "{what}; about {memory} MB of memory with {threads}");

    text
}

/// Formats the numbers of shards, one line per shard.
pub(crate) fn shards(divided: &ShardDivision) -> String {
    let mut text = String::new();
    for (number, shard) in (1..).zip(&divided.shards) {
        let regions = count_text(shard.regions, "region");
        let bytes = size(shard.bytes);
        let _ = writeln!(
            text,
            "shard {number}/{}: {regions}, {bytes}, about {:.0} s",
            divided.shards.len(),
            shard.seconds
        );
    }

    let _ = writeln!(
        text,
        "the longest takes {:.3} times as long as the mean; {:.1} % of the edges are read twice",
        divided.largest_over_mean,
        100.0 * divided.edges_read_twice
    );
    text
}

/// Lists unknown blocks or biomes. `several` is whether the run drew several dimensions, so that a
/// place alone would be ambiguous.
fn unknown(
    text: &mut String,
    unknown: &BTreeMap<String, UnknownName>,
    [what, drawn]: [&str; 2],
    several: bool,
    verbose: bool,
) {
    let mut names: Vec<_> = unknown.iter().collect();
    if names.is_empty() {
        return;
    }

    names.sort_by_key(|(name, seen)| (std::cmp::Reverse(seen.columns), *name));
    let _ = writeln!(
        text,
        "{}, {drawn}:",
        count_text(names.len() as u64, &format!("unknown {what}"))
    );

    let shown = if verbose { names.len() } else { UNKNOWN_NAMED };
    for (name, seen) in names.iter().take(shown) {
        let [x, y, z] = seen.first;
        let columns = count_text(seen.columns, "column");

        let place = if several {
            format!(" of {}", escape_name(&seen.dimension))
        } else {
            String::new()
        };

        let _ = writeln!(
            text,
            "  {} in {columns}, first at {x} {y} {z}{place}",
            escape_name(name)
        );
    }

    more(text, names.len(), shown);
}

/// Returns whether a block's name belongs to a mod, rather than to a newer version of the game or
/// to a block that has only a number.
fn is_of_a_mod(name: &str) -> bool {
    name.split_once(':')
        .is_some_and(|(space, _)| !matches!(space, "minecraft" | "numeric" | "pixelmap"))
}

fn bad_chunks(text: &mut String, report: &Report, verbose: bool) {
    let bad = &report.bad_chunks;
    if bad.is_empty() {
        return;
    }

    let _ = writeln!(
        text,
        "{} could not be read:",
        count_text(report.gaps(), "place")
    );

    let shown = if verbose { bad.len() } else { NAMED };
    for bad in bad.iter().take(shown) {
        let _ = writeln!(text, "  {}", escape_name(&bad_place(bad)));
    }

    more(text, bad.len(), shown);
}

/// Formats a place that could not be read, with the reason.
pub(crate) fn bad_place(
    BadChunk {
        dimension,
        region,
        chunk,
        message,
        ..
    }: &BadChunk,
) -> String {
    let place = chunk
        .map(|[x, z]| format!(" chunk {x},{z}"))
        .unwrap_or_default();
    format!("{dimension} {region}{place}: {message}")
}

/// Formats the line about gaps for a log without a summary: their number, the first one, and where
/// to find the others.
pub(crate) fn gaps(report: &Report, path: Option<&Path>) -> String {
    let places = count_text(report.gaps(), "place");
    let first = report
        .bad_chunks
        .first()
        .map(|bad| format!(", the first: {}", bad_place(bad)));

    let list = match path.filter(|path| *path != Path::new("-")) {
        Some(path) => format!("all are listed in {}", path.display()),
        None => "run without -q, or with --report FILE, for a list".to_owned(),
    };

    format!(
        "{places} could not be read{}; {list}",
        first.unwrap_or_default()
    )
}

fn more(text: &mut String, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(
            text,
            "  and {} more (-v lists all)",
            human_count((all - shown) as u64)
        );
    }
}

fn workers(text: &mut String, report: &Report) {
    let _ = writeln!(text, "worker   busy s    jobs   pulls  steals   waits");
    for (index, worker) in report.workers.iter().enumerate() {
        let _ = writeln!(
            text,
            "{index:>6} {:>8.2} {:>7} {:>7} {:>7} {:>7}",
            worker.busy_seconds, worker.jobs, worker.pulls, worker.steals, worker.waits
        );
    }
}

fn stages(text: &mut String, report: &Report) {
    let busy: f64 = report
        .workers
        .iter()
        .map(|worker| worker.busy_seconds)
        .sum();

    let _ = writeln!(text, "stage           s       %");
    let mut lines: Vec<(&str, f64)> = Stage::ALL
        .iter()
        .map(|&stage| (stage.name(), report.stages.time(stage).as_secs_f64()))
        .collect();
    lines.push((
        "other",
        (busy - report.stages.total().as_secs_f64()).max(0.0),
    ));

    for (name, seconds) in lines {
        let _ = writeln!(
            text,
            "{name:<8} {seconds:>8.2} {:>7.1}",
            seconds * 100.0 / busy.max(1e-9)
        );
    }
}

/// Formats a number of bytes in a suitable unit.
pub(crate) fn size(bytes: u64) -> DecimalBytes {
    DecimalBytes(bytes)
}

/// Formats a number of things. The plural always adds an `s`.
pub(crate) fn count_text(count: u64, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{} {what}s", human_count(count))
    }
}

/// Formats a number with separators of thousands.
pub(crate) fn human_count(number: impl Into<u64>) -> HumanCount {
    HumanCount(number.into())
}

/// Returns whether a character is invisible in a line, or ends the line.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Escapes special characters in a name from a world, which may contain any character. The terminal
/// must not obey them or reorder letters because of them, and two different names must look
/// different.
pub(crate) fn escape_name(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_obeyed(c) || is_unseen(c) {
                c.escape_default().to_string()
            } else {
                c.into()
            }
        })
        .collect()
}

/// Returns the text about `bytes` that were sent in this time, of `total` bytes.
#[cfg(feature = "object-store")]
pub(crate) fn sent_amount(bytes: u64, total: u64, elapsed: Duration) -> String {
    let rate = bytes as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} of {}, {}/s",
        size(bytes),
        size(total),
        size(rate as u64)
    )
}

/// Returns the text about `bytes` that were downloaded in this time, of `total` bytes; 0: unknown.
#[cfg(feature = "object-store")]
pub(crate) fn received_amount(bytes: u64, total: u64, elapsed: Duration) -> String {
    if total > 0 {
        return sent_amount(bytes, total, elapsed);
    }
    format!("{} downloaded", size(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable_and_one_is_singular() {
        assert_eq!(
            [count_text(1, "tile"), count_text(0, "tile")],
            ["1 tile", "0 tiles"]
        );
        assert_eq!(
            count_text(62_392, "unfinished chunk"),
            "62,392 unfinished chunks"
        );

        let mut report = Report {
            outcome: Outcome::Complete,
            ..Report::default()
        };
        report.tiles.written = 1;
        report.chunks.unfinished = 62_392;

        let said = text(&report, "open map/index.html", false);
        assert!(
            said.starts_with("62,392 unfinished chunks left out: --unfinished draws them\n"),
            "{said}"
        );
        assert!(
            said.contains("\n1 tile written, 0 unchanged, 0 removed\n"),
            "{said}"
        );

        report.outcome = Outcome::Interrupted;
        let said = text(&report, "open map/index.html", false);
        assert!(
            said.starts_with("interrupted: run the same command again to continue\n"),
            "{said}"
        );
    }

    #[test]
    fn the_most_frequent_unknown_blocks_are_named() {
        let mut report = Report {
            outcome: Outcome::Complete,
            ..Report::default()
        };

        let seen = |columns| UnknownName {
            columns,
            ..UnknownName::default()
        };

        report.unknown_blocks = (1..=1100)
            .map(|number| (format!("a:{number}"), seen(number)))
            .collect();

        let said = text(&report, "open map/index.html", false);
        assert!(
            said.contains("1,100 unknown blocks")
                && said.contains("\n  and 1,095 more (-v lists all)\n"),
            "{said}"
        );

        assert!(
            said.contains("\n  a:1100 in 1,100 columns, ") && !said.contains("a:1095 "),
            "{said}"
        );
        assert!(!said.contains(" of the_nether"), "{said}");
        report.world.dimensions = ["overworld", "the_nether"].map(str::to_owned).to_vec();

        let seen = UnknownName {
            columns: 9999,
            dimension: "the_nether".to_owned(),
            first: [1, 2, 3],
            states: None,
        };
        report.unknown_blocks.insert("a:red".to_owned(), seen);

        let said = text(&report, "open map/index.html", false);
        assert!(
            said.contains("\n  a:red in 9,999 columns, first at 1 2 3 of the_nether\n"),
            "{said}"
        );
    }

    #[test]
    fn names_that_look_alike_are_distinguished() {
        assert_eq!(
            escape_name("a\u{ad}b\u{e0041}\u{e007f}\u{61c}"),
            "a\\u{ad}b\\u{e0041}\\u{e007f}\\u{61c}"
        );
        assert_eq!(
            escape_name("\u{e9} \u{4e00}\u{e0080}"),
            "\u{e9} \u{4e00}\u{e0080}"
        );
    }
}
