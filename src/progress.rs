//! Shows the progress of a render, an export or a long read: as a bar on a terminal, or as lines if
//! the user asks for them.
//!
//! A thread redraws the display from shared counters, so that the work itself never waits for the
//! terminal.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Thread};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pixelmap_draw::{Progress, Snapshot};
use pixelmap_map::export::Pieces;
#[cfg(feature = "object-store")]
use pixelmap_map::remote::DownloadWatch;

use crate::cli;
use crate::log::Log;
use crate::summary;

/// The time between two updates of the display.
const TICK: Duration = Duration::from_millis(100);
/// A bar appears after this time, so that short work shows none.
const SOON: Duration = Duration::from_millis(500);
/// The maximum time between two lines.
const LINE_EVERY: Duration = Duration::from_secs(30);

enum Display {
    Bar(ProgressBar),
    Lines { next_percent: u64, last: Instant },
    Nothing,
}

impl Display {
    fn new(wanted: cli::ProgressMode, log: Log<'_>) -> Self {
        match wanted {
            _ if log.quiet => Self::Nothing,
            cli::ProgressMode::Never => Self::Nothing,
            // A log in JSON is read by programs, which cannot use a bar.
            _ if log.is_json() => Self::lines(),
            cli::ProgressMode::Plain => Self::lines(),
            cli::ProgressMode::Auto if !std::io::stderr().is_terminal() => Self::Nothing,
            cli::ProgressMode::Auto | cli::ProgressMode::Always => Self::bar(),
        }
    }

    fn lines() -> Self {
        Self::Lines {
            next_percent: 5,
            last: Instant::now(),
        }
    }

    fn bar() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));

        // The whole line is one message, so that it is cut to the current width of the terminal and
        // changes all at once.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }

        Self::Bar(bar)
    }

    fn show(&mut self, log: Log<'_>, now: Snapshot, working: Duration) {
        let percent = (now.regions * 100)
            .checked_div(now.regions_total)
            .unwrap_or(0);

        match self {
            Self::Bar(bar) => {
                bar.set_message(format!(
                    "{percent:>3}% {} {}",
                    bar_text(percent),
                    summary::progress(now, working)
                ));
            }
            Self::Lines { next_percent, last } => {
                if percent >= *next_percent || last.elapsed() >= LINE_EVERY {
                    log.progress(percent, now, working);
                    *next_percent = percent / 5 * 5 + 5;
                    *last = Instant::now();
                }
            }
            Self::Nothing => {}
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Measures the time spent on drawing.
///
/// A run that continues an interrupted one first passes its unchanged regions in almost no time.
/// This time must not count, because the estimate of the remaining time would be much too low.
#[derive(Default)]
struct WorkClock {
    unchanged_cost: u64,
    began: Duration,
}

impl WorkClock {
    fn working(&mut self, now: Snapshot, elapsed: Duration) -> Duration {
        if now.cost == 0 && now.unchanged_cost > self.unchanged_cost {
            (self.unchanged_cost, self.began) = (now.unchanged_cost, elapsed);
        }
        elapsed.saturating_sub(self.began)
    }
}

/// Runs `work` and shows its progress, if a thread can be started for the display.
pub(crate) fn show<T>(
    wanted: cli::ProgressMode,
    log: Log<'_>,
    progress: &Progress,
    work: impl FnOnce() -> T,
) -> T {
    let start = Instant::now();
    let mut display = Display::new(wanted, log);
    if matches!(display, Display::Nothing) {
        return work();
    }

    let mut clock = WorkClock::default();
    watch(
        || {
            let now = progress.snapshot();
            let elapsed = start.elapsed();
            let working = clock.working(now, elapsed);
            if elapsed >= SOON || matches!(display, Display::Lines { .. }) {
                display.show(log, now, working);
            }
        },
        work,
    )
}

/// Runs `work`, and shows on a terminal how many pieces of an export are done. `amount` makes the
/// text about the done and all pieces and the time since the start.
pub(crate) fn show_pieces<T>(
    pieces: &Pieces,
    is_quiet: bool,
    amount: fn(u64, u64, Duration) -> String,
    work: impl FnOnce() -> T,
) -> T {
    show_counts(&|| pieces.counts(), is_quiet, amount, work)
}

/// Runs `work`, and shows on a terminal how many bytes of a download have arrived.
#[cfg(feature = "object-store")]
pub(crate) fn show_bytes<T>(
    download: &DownloadWatch,
    is_quiet: bool,
    amount: fn(u64, u64, Duration) -> String,
    work: impl FnOnce() -> T,
) -> T {
    show_counts(&|| download.counts(), is_quiet, amount, work)
}

/// Runs `work`, and shows on a terminal how much of it is done. `counts` returns the done and all
/// pieces.
fn show_counts<T>(
    counts: &(dyn Fn() -> (u64, u64) + Sync),
    is_quiet: bool,
    amount: fn(u64, u64, Duration) -> String,
    work: impl FnOnce() -> T,
) -> T {
    let shown = if is_quiet {
        cli::ProgressMode::Never
    } else {
        cli::ProgressMode::Auto
    };
    let display = Display::new(shown, Log::new(cli::LogFormat::Text));
    let Display::Bar(bar) = &display else {
        return work();
    };

    let start = Instant::now();
    watch(
        || {
            let elapsed = start.elapsed();
            if elapsed >= SOON {
                let (done, all) = counts();
                bar.set_message(piece_text(done, all, &amount(done, all, elapsed), elapsed));
            }
        },
        work,
    )
}

/// Formats the progress of an export: a bar, `amount`, and the estimated time left.
fn piece_text(done: u64, all: u64, amount: &str, elapsed: Duration) -> String {
    let percent = (done * 100).checked_div(all).unwrap_or(0).min(100);
    let text = format!("{percent:>3}% {} {amount}", bar_text(percent));
    if done == 0 {
        return text;
    }
    let left = elapsed.mul_f64(all.saturating_sub(done) as f64 / done as f64);
    format!("{text}, {} left", HumanDuration(left))
}

/// Draws a bar for a percentage.
fn bar_text(percent: u64) -> String {
    let full = percent as usize / 5;
    "█".repeat(full) + &"░".repeat(20 - full.min(20))
}

/// Runs `work`, and calls `tick` regularly from another thread until the work ends. If no thread
/// can be started, `tick` is never called.
fn watch<T>(mut tick: impl FnMut() + Send, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = Builder::new()
            .name("progress".to_owned())
            .spawn_scoped(scope, || {
                while !done.load(Ordering::Acquire) {
                    std::thread::park_timeout(TICK);
                    tick();
                }
            });

        // If the thread could not be started, the work runs without a display.
        let _ended = watcher.as_ref().ok().map(|watcher| WatcherGuard {
            done: &done,
            watcher: watcher.thread(),
        });
        work()
    })
}

/// Ends the watcher's thread when dropped. This includes a panic of the work: the scope waits for
/// the thread, which would otherwise never end.
struct WatcherGuard<'a> {
    done: &'a AtomicBool,
    watcher: &'a Thread,
}

impl Drop for WatcherGuard<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use super::*;

    fn show_lines<T>(work: impl FnOnce() -> T) -> T {
        show(
            cli::ProgressMode::Plain,
            Log::new(cli::LogFormat::Text),
            &Progress::default(),
            work,
        )
    }

    #[test]
    fn a_panic_of_the_work_hangs_nothing() {
        let (sender, receiver) = mpsc::channel();

        // This is not a scoped thread, because a scope would wait for a hanging thread and the test
        // would never end.
        let shown = Builder::new().spawn(move || {
            let work = AssertUnwindSafe(|| show_lines(|| std::panic::panic_any("on purpose")));
            sender.send(catch_unwind(work).is_err()).unwrap();
        });
        assert_eq!(receiver.recv_timeout(Duration::from_secs(45)), Ok(true));
        shown.unwrap().join().unwrap();
    }

    #[test]
    fn bar_and_text_count_the_same_regions() {
        let bar = ProgressBar::hidden();
        let now = Snapshot {
            regions: 300,
            regions_total: 1200,
            cost: 90,
            cost_total: 100,
            ..Snapshot::default()
        };

        let mut display = Display::Bar(bar.clone());
        display.show(Log::new(cli::LogFormat::Text), now, Duration::from_secs(9));
        let drawn = "█".repeat(5) + &"░".repeat(15);
        assert_eq!(
            bar.message(),
            format!(" 25% {drawn} 300 of 1,200 regions, 0 chunks/s, 1 second left")
        );
    }

    #[test]
    fn unchanged_regions_do_not_count_as_work() {
        let at = |cost, unchanged_cost| Snapshot {
            cost,
            unchanged_cost,
            cost_total: 1000,
            ..Snapshot::default()
        };

        let seconds = Duration::from_secs;
        let mut clock = WorkClock::default();
        assert_eq!(clock.working(at(0, 500), seconds(5)), seconds(0));
        assert_eq!(clock.working(at(0, 600), seconds(6)), seconds(0));
        assert_eq!(summary::remaining_time(at(0, 600), seconds(0)), None);

        let working = clock.working(at(100, 600), seconds(9));
        assert_eq!(working, seconds(3));
        assert_eq!(
            summary::remaining_time(at(100, 600), working),
            Some(seconds(9)),
            "300 of 1000 are left, 100 took 3 s"
        );
        assert_eq!(clock.working(at(100, 700), seconds(10)), seconds(4));
    }
}
