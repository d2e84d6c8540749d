//! Ends a run that draws: decides its exit code, and writes its report and the last lines of its
//! log.

use std::path::{Path, PathBuf};

use pixelmap_draw::report::{FailureKind, Outcome, Report, Thresholds, Verdict};
use pixelmap_map::compare::{self, Side};

use super::document;
use super::ending::{Ending, FAILED, GAPS, NOT_NOW, OK};
use super::files::put;
use crate::log::Log;

/// The file for the report of a run, and the world's path that the report contains.
pub(crate) struct ReportTarget {
    /// `None` if the user asked for no report.
    pub(crate) path: Option<PathBuf>,
    /// `None` if the run reads no world.
    pub(crate) world: Option<String>,
}

impl ReportTarget {
    /// Writes a report with the reason why nothing was drawn.
    pub(crate) fn write_refusal(&self, ending: &Ending) -> Result<(), Ending> {
        let mut report = Report::failed(ending.failure());
        report.world.path.clone_from(&self.world);
        self.write(&report, ending.code, None, None)
    }

    /// Writes a report with the exit code, the output and the digest of the output.
    pub(crate) fn write(
        &self,
        report: &Report,
        code: u8,
        output: Option<&str>,
        digest: Option<&str>,
    ) -> Result<(), Ending> {
        let Some(path) = &self.path else {
            return Ok(());
        };

        put(
            path,
            document::report(code, output, digest, report)?.as_bytes(),
        )
        .map(drop)
    }
}

/// Returns the digest of a run's output, or `None` if the output is not complete or cannot be read.
pub(crate) fn output_digest(output: &Path, report: &Report) -> Option<String> {
    if is_cut_short(report) {
        return None;
    }
    let side = Side::open(output).ok()?;
    // The number of threads that really drew: the user may have asked for more than the system
    // allows.
    compare::digest(&side, report.threads.max(1)).ok()?
}

/// Returns whether a run failed or was interrupted.
pub(crate) fn is_cut_short(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Failed | Outcome::Interrupted)
}

/// Writes the reason why nothing was drawn to the log and as a report, because a script that asked
/// for a report expects one even then. Returns the exit code.
pub(crate) fn refuse(log: Log<'_>, target: &ReportTarget, ending: &Ending) -> u8 {
    match target.write_refusal(ending) {
        Ok(()) => end_unbegun(log, ending),
        Err(other) => end_unbegun(log, &other),
    }
}

/// Writes the reason why nothing was drawn to the log. Returns the exit code.
pub(crate) fn end_unbegun(log: Log<'_>, ending: &Ending) -> u8 {
    let failure = ending.failure();
    log.error(&failure);
    log.end(&Report::failed(failure), ending.code, None, None);
    ending.code
}

/// Joins the reports of all maps of a run.
pub(crate) fn join(reports: Vec<Report>) -> Report {
    let joined = reports.into_iter().reduce(|mut all, next| {
        all.join(next);
        all
    });
    joined.unwrap_or_else(|| Report::failed(Ending::new(FAILED, "no map was requested").failure()))
}

/// Returns the exit code of a run with this report. `signal` is the exit code to use after a
/// signal.
pub(crate) fn exit_code(thresholds: &Thresholds, report: &Report, signal: u8) -> u8 {
    let verdict = match thresholds.judge(&report.into()) {
        Verdict::Good => OK,
        Verdict::Gaps => GAPS,
        Verdict::Failed => FAILED,
    };

    let failure = report.error.as_ref();
    match report.outcome {
        Outcome::Interrupted => signal,
        Outcome::Failed if failure.is_some_and(|failure| failure.retryable) => NOT_NOW,
        // The map was not published because it does not meet the thresholds, so the code is the
        // same as for a published map with these faults.
        Outcome::Failed if failure.is_some_and(|failure| failure.kind == FailureKind::HeldBack) => {
            verdict
        }
        Outcome::Failed => FAILED,
        Outcome::Complete | Outcome::Empty | Outcome::Gaps => verdict,
    }
}
