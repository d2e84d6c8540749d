//! Shows the progress of a render: a bar on a terminal, lines elsewhere if asked for.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pixelmap::pipeline::{Progress, Snapshot};

use crate::cli;
use crate::log::Log;
use crate::summary;

/// The time between two updates of the display.
const TICK: Duration = Duration::from_millis(100);
/// Lines come at least this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The display of progress.
enum Display {
    Bar(ProgressBar),
    Lines { next_percent: u64, last: Instant },
    Nothing,
}

impl Display {
    fn new(wanted: cli::Progress, log: Log) -> Self {
        let lines = || Self::Lines { next_percent: 5, last: Instant::now() };
        let bar = match wanted {
            _ if log.quiet => return Self::Nothing,
            cli::Progress::Never => return Self::Nothing,
            // A bar is for people, and JSON is for programs.
            _ if log.is_json() => return lines(),
            cli::Progress::Plain => return lines(),
            cli::Progress::Auto => std::io::stderr().is_terminal(),
            cli::Progress::Always => true,
        };
        if !bar {
            return Self::Nothing;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self::Bar(bar)
    }

    fn show(&mut self, log: Log, now: Snapshot, elapsed: Duration) {
        let percent = (now.cost * 100).checked_div(now.cost_total).unwrap_or(0);
        match self {
            Self::Bar(bar) => {
                bar.set_length(now.cost_total.max(1));
                bar.set_position(now.cost);
                bar.set_message(summary::progress(now, elapsed));
            }
            Self::Lines { next_percent, last } => {
                if percent >= *next_percent || last.elapsed() >= LINE_EVERY {
                    log.progress(percent, now, elapsed);
                    *next_percent = percent / 5 * 5 + 5;
                    *last = Instant::now();
                }
            }
            Self::Nothing => {}
        }
    }

    fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Runs `work` and shows its progress meanwhile, if a thread can be started for that.
pub(crate) fn show<T>(wanted: cli::Progress, log: Log, progress: &Progress, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let watcher = Builder::new().name("progress".to_owned()).spawn_scoped(scope, || {
            let mut display = Display::new(wanted, log);
            while !done.load(Ordering::Acquire) {
                std::thread::park_timeout(TICK);
                display.show(log, progress.snapshot(), start.elapsed());
            }
            display.end();
        });
        // Without a thread the progress is not shown.
        let _ended = watcher.as_ref().ok().map(|watcher| Ended { done: &done, watcher: watcher.thread() });
        work()
    })
}

/// Ends the watcher's thread when dropped: also where the work panics, as the scope waits for the thread then too.
struct Ended<'a> {
    done: &'a AtomicBool,
    watcher: &'a Thread,
}

impl Drop for Ended<'_> {
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

    fn show_nothing<T>(work: impl FnOnce() -> T) -> T {
        show(cli::Progress::Never, Log::new(cli::LogFormat::Text), &Progress::default(), work)
    }

    #[test]
    fn a_panic_of_the_work_comes_out_and_nothing_hangs() {
        let (says, heard) = mpsc::channel();
        // A scope would wait for a thread that hangs, and the test would never end.
        let shown = Builder::new().spawn(move || {
            let work = AssertUnwindSafe(|| show_nothing(|| std::panic::panic_any("on purpose")));
            says.send(catch_unwind(work).is_err()).unwrap();
        });
        assert_eq!(heard.recv_timeout(Duration::from_secs(45)), Ok(true));
        shown.unwrap().join().unwrap();
    }
}
