//! The time that workers spend in each stage.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

/// A part of the way from a region file to a published tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The surroundings of a region: taken from its neighbours, or their border chunks read and scanned for it.
    Borders,
    /// Opening region files and reading records.
    Read,
    Inflate,
    Parse,
    /// Walking down their columns.
    Scan,
    /// Columns to pixels.
    Draw,
    /// Pixels to PNG, and their hashes.
    Encode,
    /// Writing tiles into the output folder.
    Write,
    /// Halving tiles, and putting parents together.
    Reduce,
}

impl Stage {
    /// All stages, in the order in which a region passes through.
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

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        ["borders", "read", "inflate", "parse", "scan", "draw", "encode", "write", "reduce"][self as usize]
    }
}

/// Time by stage, including waits for the disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stages([Duration; Stage::ALL.len()]);

impl Stages {
    pub const fn time(&self, stage: Stage) -> Duration {
        self.0[stage as usize]
    }

    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Adds another worker's.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }
}

impl Serialize for Stages {
    /// An object of seconds by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Stage::ALL.len()))?;
        for stage in Stage::ALL {
            map.serialize_entry(stage.name(), &self.time(stage).as_secs_f64())?;
        }
        map.end()
    }
}

/// A worker's clock. It is read once where a stage ends, which is also where the next one begins: some 25 ns each time.
#[derive(Debug)]
pub struct Clock {
    last: Instant,
    spent: Stages,
}

impl Default for Clock {
    fn default() -> Self {
        Self { last: Instant::now(), spent: Stages::default() }
    }
}

impl Clock {
    /// Begins a job: the time since the end of the last one belongs to no stage.
    pub fn start(&mut self) {
        self.last = Instant::now();
    }

    /// Counts the time since the clock was last read as `stage`.
    pub fn end_stage(&mut self, stage: Stage) {
        self.end_stage_at(stage, Instant::now());
    }

    /// As [`Clock::end_stage`], for a stage that ended at `now`.
    pub fn end_stage_at(&mut self, stage: Stage, now: Instant) {
        self.spent.0[stage as usize] += now.saturating_duration_since(self.last);
        self.last = now;
    }

    /// The time by stage so far.
    pub const fn stages(&self) -> Stages {
        self.spent
    }

    /// Counts the time since the clock stood at `before` as `stage`, whatever it was counted as.
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
    fn what_borders_took_is_counted_as_borders_alone() {
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
    fn each_stage_has_its_own_place() {
        for (index, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
        }
    }
}
