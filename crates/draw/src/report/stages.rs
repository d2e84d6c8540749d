//! Measures the time that workers spend in each stage.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

/// A step on the way from a region file to a published tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Collecting the surroundings of a region: from the cache, or by reading and scanning its
    /// neighbours' border chunks.
    Borders,
    /// Opening region files and reading records.
    Read,
    Inflate,
    Parse,
    /// Walking down the columns of chunks.
    Scan,
    /// Turning columns into pixels.
    Draw,
    /// Encoding the pixels of tiles, and hashing them.
    Encode,
    /// Writing tiles into the output folder.
    Write,
    /// Halving tiles and composing parents.
    Reduce,
}

impl Stage {
    /// All stages, in the order in which a region passes through them.
    pub const ALL: [Self; 9] = [
        Self::Borders,
        Self::Read,
        Self::Inflate,
        Self::Parse,
        Self::Scan,
        Self::Draw,
        Self::Encode,
        Self::Write,
        Self::Reduce,
    ];

    /// Returns the stage's name in reports.
    pub const fn name(self) -> &'static str {
        [
            "borders", "read", "inflate", "parse", "scan", "draw", "encode", "write", "reduce",
        ][self as usize]
    }
}

/// The time per stage, including waits for the disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stages([Duration; Stage::ALL.len()]);

impl Stages {
    pub const fn time(&self, stage: Stage) -> Duration {
        self.0[stage as usize]
    }

    /// Returns the time of all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Adds the times of another worker.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

impl Serialize for Stages {
    /// Writes an object with the seconds per stage name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Stage::ALL.len()))?;
        for stage in Stage::ALL {
            map.serialize_entry(stage.name(), &self.time(stage).as_secs_f64())?;
        }
        map.end()
    }
}

/// A worker's clock. It is read only once at the end of each stage, when the next one begins.
/// Reading it takes about 25 ns.
#[derive(Debug)]
pub struct Clock {
    last: Instant,
    spent: Stages,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            spent: Stages::default(),
        }
    }
}

impl Clock {
    /// Begins a job. The time since the end of the previous job is not counted.
    pub fn start(&mut self) {
        self.last = Instant::now();
    }

    /// Counts the time since the clock was last read as `stage`.
    pub fn end_stage(&mut self, stage: Stage) {
        self.end_stage_at(stage, Instant::now());
    }

    /// Does the same as [`Clock::end_stage`] for a stage that ended at `now`.
    pub fn end_stage_at(&mut self, stage: Stage, now: Instant) {
        self.spent.0[stage as usize] += now.saturating_duration_since(self.last);
        self.last = now;
    }

    /// Returns the time per stage so far.
    pub const fn stages(&self) -> Stages {
        self.spent
    }

    /// Counts all time since the stages were `before` as `stage`, no matter which stage it was
    /// counted for.
    pub fn recount_since(&mut self, before: Stages, stage: Stage) {
        self.end_stage(stage);
        let passed = self.spent.total().saturating_sub(before.total());
        self.spent = before;
        self.spent.0[stage as usize] += passed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn time_goes_to_the_stage_that_ends() {
        let mut clock = Clock::default();
        let start = clock.last;
        clock.end_stage_at(Stage::Read, start + SECOND);
        clock.end_stage_at(Stage::Parse, start + 3 * SECOND);
        clock.end_stage_at(Stage::Read, start + 6 * SECOND);
        assert_eq!(clock.stages().time(Stage::Read), 4 * SECOND);
        assert_eq!(clock.stages().time(Stage::Parse), 2 * SECOND);
        assert_eq!(clock.stages().total(), 6 * SECOND);
    }

    #[test]
    fn border_chunks_are_counted_only_as_borders() {
        let mut clock = Clock::default();
        let start = clock.last;
        clock.end_stage_at(Stage::Scan, start + SECOND);
        let before = clock.stages();
        clock.end_stage_at(Stage::Scan, start + 4 * SECOND);
        clock.recount_since(before, Stage::Borders);
        assert_eq!(clock.stages().time(Stage::Scan), SECOND);
        assert!(clock.stages().time(Stage::Borders) >= 3 * SECOND);
    }

    #[test]
    fn each_stage_has_its_own_position() {
        for (index, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
        }
    }
}
