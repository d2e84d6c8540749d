//! Runs commands that make a map and report the result: `render`, with all of its kinds, and
//! `merge`. They share how progress is shown, how the lists of changed files and the report are
//! written, and how the run ends.

use std::path::Path;

use pixelmap_draw::Progress;
use pixelmap_draw::report::{Failure, FailureKind, Outcome, Report, Thresholds, Violation};
use pixelmap_map::store::{Output, PublishError};

use super::side_files::put_changes;
use super::signals::Signals;
use crate::cli::{MergeArgs, RenderArgs, RunOutputArgs, shown_address};
use crate::log::Log;
use crate::outcome::{Ending, ReportTarget, exit_code, output_digest, refuse};
use crate::progress;

/// A run that makes a map.
pub(super) struct Runner<'a> {
    pub(super) log: Log<'a>,
    pub(super) signals: &'a Signals,
    output: &'a RunOutputArgs,
    target: ReportTarget,
    thresholds: Thresholds,
    /// Whether the report or the log contains the digest of the output.
    wants_digest: bool,
}

/// A map, a picture or other files that a run has made.
pub(super) struct MadeOutput<'p> {
    pub(super) path: &'p Path,
    /// The address of the bucket that got the output, if it did.
    pub(super) address: Option<&'p str>,
    pub(super) report: Report,
    /// The digest, if the run has already computed it.
    pub(super) digest: Option<String>,
}

/// Returns the file for the report of a render. A dry run writes no report.
pub(super) fn report_target(run: &RenderArgs) -> ReportTarget {
    ReportTarget {
        path: if run.dry_run {
            None
        } else {
            run.run_output.report.clone()
        },
        world: run.world.as_deref().map(shown_address),
    }
}

impl<'a> Runner<'a> {
    pub(super) fn for_render(run: &'a RenderArgs, log: Log<'a>, signals: &'a Signals) -> Self {
        Self {
            log,
            signals,
            output: &run.run_output,
            target: report_target(run),
            thresholds: run.thresholds(),
            // Only whole maps have a digest.
            wants_digest: (run.run_output.report.is_some() || log.is_json()) && run.shard.is_none(),
        }
    }

    pub(super) fn for_merge(args: &'a MergeArgs, log: Log<'a>, signals: &'a Signals) -> Self {
        Self {
            log,
            signals,
            output: &args.run_output,
            target: ReportTarget {
                path: args.run_output.report.clone(),
                world: None,
            },
            thresholds: Thresholds {
                allow_gaps: args.allow_gaps,
                ..Thresholds::default()
            },
            wants_digest: args.run_output.report.is_some() || log.is_json(),
        }
    }

    /// Ends a run that could not begin. Returns the exit code.
    pub(super) fn refuse(&self, ending: &Ending) -> u8 {
        refuse(self.log, &self.target, ending)
    }

    /// Runs `work` and shows its progress with `log`.
    pub(super) fn show<T>(&self, log: Log<'_>, counters: &Progress, work: impl FnOnce() -> T) -> T {
        progress::show(self.output.progress, log, counters, work)
    }

    /// Begins the lists of changed files, if the user asked for them.
    pub(super) fn begin_lists(&self, output: &Output) -> Result<(), PublishError> {
        if self.output.files.are_wanted() {
            output.begin_listing().map(drop)
        } else {
            Ok(())
        }
    }

    /// Writes the lists of changed files, if the user asked for them.
    pub(super) fn put_lists(&self, output: Output) -> Result<(), Ending> {
        if self.output.files.are_wanted() {
            put_changes(&self.output.files, &[output])
        } else {
            Ok(())
        }
    }

    /// Writes the report and the last lines of the log. Returns the exit code.
    pub(super) fn end(
        &self,
        MadeOutput {
            path,
            address,
            mut report,
            digest,
        }: MadeOutput<'_>,
    ) -> Result<u8, Ending> {
        report.world.path.clone_from(&self.target.world);
        let code = exit_code(&self.thresholds, &report, self.signals.code());
        let output = address.map_or_else(|| path.display().to_string(), str::to_owned);

        let digest = digest.or_else(|| {
            if self.wants_digest {
                output_digest(path, &report)
            } else {
                None
            }
        });
        self.target
            .write(&report, code, Some(&output), digest.as_deref())?;

        if let Some(failure) = &report.error {
            self.log.error(failure);
        } else if report.outcome == Outcome::Interrupted {
            self.log.interruption();
        } else {
            self.report_violations(&report);
        }

        self.log
            .end(&report, code, Some(&output), digest.as_deref());

        Ok(code)
    }

    /// Writes the thresholds of the options that the published map does not meet.
    fn report_violations(&self, report: &Report) {
        for Violation {
            is_of_gaps,
            message,
        } in self.thresholds.violations(&report.into())
        {
            match (is_of_gaps, self.log.quiet) {
                (false, _) => self.log.error(&Failure {
                    kind: FailureKind::Demands,
                    message,
                    retryable: false,
                }),
                (true, true) => self.log.gaps(report, self.target.path.as_deref()),
                // The summary has already listed the gaps.
                (true, false) => {}
            }
        }
    }
}
