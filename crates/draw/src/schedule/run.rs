//! Runs a plan on threads of its own.

use std::thread::Builder;

use super::plan::JobPlan;
use super::settings::ScheduleSettings;
use super::stop::Stop;
use super::summary::Summary;
use super::urgent::Urgent;
use super::work::Work;
use super::worker;

/// Runs a plan, and returns when all of its jobs have ended or the run was stopped.
///
/// A plan whose dependencies are not a forest is not run; a warning in the summary gives the
/// reason.
pub fn run<W: Work>(
    work: &W,
    plan: JobPlan<W::Job>,
    settings: &ScheduleSettings,
    stop: &Stop,
) -> Summary {
    worker::run(work, plan, settings, stop, None, thread)
}

/// Like [`run`], with leaves that may become urgent during the run.
pub fn run_urgent<W: Work>(
    work: &W,
    plan: JobPlan<W::Job>,
    settings: &ScheduleSettings,
    stop: &Stop,
    urgent: &Urgent,
) -> Summary {
    worker::run(work, plan, settings, stop, Some(urgent), thread)
}

fn thread(index: usize) -> Builder {
    Builder::new().name(format!("worker-{index}"))
}
