//! Shows how far a render is: a bar on a terminal, lines elsewhere if asked for.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Thread};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pixelmap::pipeline::{Progress, Snapshot};

use crate::cli;

/// How often the display looks.
const TICK: Duration = Duration::from_millis(100);
/// Lines come at least this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// What is shown.
enum Display {
    Bar(ProgressBar),
    Lines { next_percent: u64, last: Instant },
    Nothing,
}

impl Display {
    fn new(wanted: cli::Progress, quiet: bool) -> Self {
        let bar = match wanted {
            _ if quiet => return Self::Nothing,
            cli::Progress::Never => return Self::Nothing,
            cli::Progress::Plain => return Self::Lines { next_percent: 5, last: Instant::now() },
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

    fn show(&mut self, now: Snapshot, elapsed: Duration) {
        let percent = (now.cost * 100).checked_div(now.cost_total).unwrap_or(0);
        match self {
            Self::Bar(bar) => {
                bar.set_length(now.cost_total.max(1));
                bar.set_position(now.cost);
                bar.set_message(sentence(now, elapsed));
            }
            Self::Lines { next_percent, last } => {
                if percent >= *next_percent || last.elapsed() >= LINE_EVERY {
                    let _ = writeln!(std::io::stderr(), "{percent:>3}%  {}", sentence(now, elapsed));
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

/// Regions, chunks a second, time left, and what could not be read.
fn sentence(now: Snapshot, elapsed: Duration) -> String {
    let rate = now.chunks as f64 / elapsed.as_secs_f64().max(0.001);
    let mut text = format!("{}/{} regions, {rate:.0} chunks/s", now.regions, now.regions_total);
    if now.cost > 0 {
        let left = elapsed.as_secs_f64() * (now.cost_total - now.cost.min(now.cost_total)) as f64 / now.cost as f64;
        text += &format!(", {} left", HumanDuration(Duration::from_secs_f64(left)));
    }
    if now.bad > 0 {
        text += &format!(", {} bad chunks", now.bad);
    }
    text
}

/// Runs `work` and shows its progress meanwhile, where a thread can be had for that.
pub(crate) fn show<T>(wanted: cli::Progress, quiet: bool, progress: &Progress, work: impl FnOnce() -> T) -> T {
    show_by(Builder::new().name("progress".to_owned()), wanted, quiet, progress, work)
}

/// As [`show`], by a thread of `builder`.
fn show_by<T>(
    builder: Builder,
    wanted: cli::Progress,
    quiet: bool,
    progress: &Progress,
    work: impl FnOnce() -> T,
) -> T {
    let done = AtomicBool::new(false);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let watcher = builder.spawn_scoped(scope, || {
            let mut display = Display::new(wanted, quiet);
            while !done.load(Ordering::Acquire) {
                std::thread::park_timeout(TICK);
                display.show(progress.snapshot(), start.elapsed());
            }
            display.end();
        });
        // Without a thread nobody sees how far the work is, and that is all.
        let _ended = watcher.as_ref().ok().map(|watcher| Ended { done: &done, watcher: watcher.thread() });
        work()
    })
}

/// Sends the watcher home when it is dropped: also where the work panics, since its thread is waited for then too.
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

    fn show_nothing<T>(builder: Builder, work: impl FnOnce() -> T) -> T {
        show_by(builder, cli::Progress::Never, true, &Progress::default(), work)
    }

    #[test]
    fn a_panic_of_the_work_comes_out_and_nothing_hangs() {
        let (says, heard) = mpsc::channel();
        // A scope would wait for a thread that hangs, and the test would never end.
        let shown = Builder::new().spawn(move || {
            let work = AssertUnwindSafe(|| show_nothing(Builder::new(), || std::panic::panic_any("on purpose")));
            says.send(catch_unwind(work).is_err()).unwrap();
        });
        assert_eq!(heard.recv_timeout(Duration::from_secs(45)), Ok(true));
        shown.unwrap().join().unwrap();
    }

    #[test]
    fn the_work_is_done_where_no_thread_can_be_started() {
        assert_eq!(show_nothing(Builder::new().stack_size(usize::MAX / 4), || 7), 7);
    }
}
