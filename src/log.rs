//! Writes the messages of commands to standard error: as text for people, or as JSON for programs
//! with one object per line.
//!
//! All messages of a run that draws go through this module, so that a log in JSON contains nothing
//! but objects. They are defined in `docs/log.schema.json`. The wording for people is in
//! [`summary`].

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use pixelmap_base::json::{self, WithWorldName};
use pixelmap_draw::Snapshot;
use pixelmap_draw::report::{
    BadChunk, ChunkCounts, Failure, FailureKind, Outcome, RegionCounts, Report, TileCounts,
    UnknownName,
};
use serde::Serialize;

use crate::cli::{LogFormat, RenderArgs, RunOutputArgs};
use crate::summary;

/// A line of the log in JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum LogLine<'a> {
    Progress {
        map: usize,
        maps: usize,
        percent: u64,
        regions: u64,
        regions_total: u64,
        chunks: u64,
        bad_chunks: u64,
        eta_seconds: Option<u64>,
    },
    Warning {
        message: &'a str,
    },
    UnknownBlock(UnknownLine<'a>),
    UnknownBiome(UnknownLine<'a>),
    BadChunk(&'a BadChunk),
    Error(&'a Failure),
    End {
        outcome: Outcome,
        code: u8,
        regions: RegionCounts,
        chunks: ChunkCounts,
        tiles: TileCounts,
        seconds: f64,
        output: Option<&'a str>,
        digest: Option<&'a str>,
    },
}

/// A name of a block or biome that no table contains.
#[derive(Serialize)]
struct UnknownLine<'a> {
    name: &'a str,
    #[serde(flatten)]
    seen: &'a UnknownName,
}

/// The form of a run's messages, and the map that they are about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log<'a> {
    format: LogFormat,
    /// The name of the map that the messages are about, if a configuration file gives it one.
    name: Option<&'a str>,
    /// True if only errors and the reasons for a code other than 0 are written.
    pub(crate) quiet: bool,
    verbose: bool,
    /// The number of the current map, from 1, and the number of all maps.
    map: usize,
    maps: usize,
}

impl Log<'static> {
    pub(crate) const fn new(format: LogFormat) -> Self {
        Self {
            format,
            name: None,
            quiet: false,
            verbose: false,
            map: 1,
            maps: 1,
        }
    }

    /// Returns the log that the options ask for, for a run whose map is unnamed.
    pub(crate) const fn new_for(run_output: &RunOutputArgs) -> Self {
        Self {
            quiet: run_output.quiet,
            verbose: run_output.verbose,
            ..Self::new(run_output.log_format)
        }
    }
}

impl<'a> Log<'a> {
    /// Returns the log that the options of a render ask for.
    pub(crate) fn for_render(run: &'a RenderArgs) -> Self {
        Self {
            name: run.name(),
            ..Log::new_for(&run.run_output)
        }
    }

    /// Returns the same log for messages about all maps.
    pub(crate) const fn without_name(self) -> Log<'static> {
        let Self {
            format,
            quiet,
            verbose,
            map,
            maps,
            ..
        } = self;

        Log {
            format,
            name: None,
            quiet,
            verbose,
            map,
            maps,
        }
    }

    /// Returns the same log, with errors only if `is_quiet`.
    #[cfg(feature = "serve")]
    pub(crate) const fn with_quiet(self, is_quiet: bool) -> Self {
        Self {
            quiet: is_quiet,
            ..self
        }
    }

    /// Returns the same log for one map of several.
    pub(crate) const fn for_map(self, map: usize, maps: usize) -> Self {
        Self { map, maps, ..self }
    }

    /// Returns whether messages are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == LogFormat::Json
    }

    /// Makes panics appear as JSON if the log is JSON. Otherwise the message of a panic would break
    /// the format.
    pub(crate) fn install_panic_hook(self) {
        let log = self.without_name();
        if log.is_json() {
            std::panic::set_hook(Box::new(move |panic| {
                let message = format!("this is a defect of pixelmap, please report it: {panic}");
                log.error(&Failure {
                    kind: FailureKind::Defect,
                    message,
                    retryable: false,
                });
            }));
        }
    }

    /// Writes the progress of a map. `working` is the time spent on drawing so far.
    pub(crate) fn progress(&self, percent: u64, now: Snapshot, working: Duration) {
        match self.format {
            LogFormat::Text => say(&format!(
                "{percent:>3}%  {}\n",
                summary::progress(now, working)
            )),
            LogFormat::Json => self.write(&LogLine::Progress {
                map: self.map,
                maps: self.maps,
                percent,
                regions: now.regions,
                regions_total: now.regions_total,
                chunks: now.chunks,
                bad_chunks: now.bad,
                eta_seconds: summary::remaining_time(now, working).map(|left| left.as_secs()),
            }),
        }
    }

    /// Writes the name of the next map, if it has one. In JSON every line contains the name, so
    /// nothing is written.
    pub(crate) fn heading(&self) {
        if !self.quiet && !self.is_json() {
            say(&summary::heading(self.name));
        }
    }

    /// Writes the results of a map. `next` is the next step for the user.
    pub(crate) fn map(&self, report: &Report, next: &str) {
        if self.quiet {
            return;
        }
        if !self.is_json() {
            return say(&summary::text(report, next, self.verbose));
        }

        for message in summary::warnings(report) {
            self.write(&LogLine::Warning { message: &message });
        }

        for (name, seen) in &report.unknown_blocks {
            self.write(&LogLine::UnknownBlock(UnknownLine { name, seen }));
        }

        for (name, seen) in &report.unknown_biomes {
            self.write(&LogLine::UnknownBiome(UnknownLine { name, seen }));
        }

        for bad in &report.bad_chunks {
            self.write(&LogLine::BadChunk(bad));
        }
    }

    /// Writes a warning that is not about one map.
    pub(crate) fn warning(&self, message: &str) {
        match self.format {
            _ if self.quiet => {}
            LogFormat::Text => say(&format!("warning: {message}\n")),
            LogFormat::Json => self.write(&LogLine::Warning { message }),
        }
    }

    /// Writes a message for people. It is left out in JSON, because programs find the same fact in
    /// the report.
    pub(crate) fn note(&self, message: &str) {
        if !self.quiet && !self.is_json() {
            say(&format!("{}\n", summary::escape_name(message)));
        }
    }

    /// Writes an error.
    pub(crate) fn error(&self, failure: &Failure) {
        match self.format {
            LogFormat::Text => match self.name {
                Some(name) => complain(&format!("{name}: {}", failure.message)),
                None => complain(&failure.message),
            },
            LogFormat::Json => self.write(&LogLine::Error(failure)),
        }
    }

    /// Writes that the map has gaps, for a run without a summary. `list` is the file of the report.
    pub(crate) fn gaps(&self, report: &Report, list: Option<&Path>) {
        let message = summary::gaps(report, list);
        self.error(&Failure {
            kind: FailureKind::Demands,
            message,
            retryable: false,
        });
    }

    /// Writes that the run was interrupted, if there is no summary. Programs that read JSON get the
    /// exit code instead.
    pub(crate) fn interruption(&self) {
        if self.quiet && !self.is_json() {
            complain(summary::INTERRUPTED);
        }
    }

    /// Writes the end of the run in JSON. In text nothing is written, because each map has had its
    /// summary.
    pub(crate) fn end(
        &self,
        report: &Report,
        code: u8,
        output: Option<&str>,
        digest: Option<&str>,
    ) {
        if self.quiet || !self.is_json() {
            return;
        }

        let &Report {
            outcome,
            regions,
            chunks,
            tiles,
            seconds,
            ..
        } = report;

        self.write(&LogLine::End {
            outcome,
            code,
            regions,
            chunks,
            tiles,
            seconds,
            output,
            digest,
        });
    }

    /// Writes a line in one call, so that no other text can appear inside it.
    fn write(&self, event: &LogLine<'_>) {
        // This cannot fail, because JSON can hold all of these values.
        if let Ok(line) = json::text(&WithWorldName::new(self.name, event)) {
            say(&(line + "\n"));
        }
    }
}

/// Writes an error as text: one line, or more if the message contains a list.
pub(crate) fn complain(message: &str) {
    let lines: Vec<String> = message.split("\n  ").map(summary::escape_name).collect();
    say(&format!("pixelmap: {}\n", lines.join("\n  ")));
}

/// Writes to standard error, which is not buffered.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
