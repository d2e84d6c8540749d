//! Joins the reports of several maps that one run drew into one report.

use crate::report::bad_chunk::MAX_LISTED;
use crate::report::findings::{add_newer, add_not_understood, add_reported};
use crate::report::one_map::OneMap;
use crate::report::outcome::Outcome;
use crate::report::run_report::Report;

impl OneMap {
    fn new(report: &Report) -> Self {
        let Report {
            outcome,
            ref options,
            ref world,
            regions,
            chunks,
            tiles,
            seconds,
            ..
        } = *report;

        let dimensions = world.dimensions.clone();
        Self {
            outcome,
            options: options.clone(),
            dimensions,
            regions,
            chunks,
            tiles,
            seconds,
        }
    }
}

impl Report {
    /// Adds the report of the next map of the same run. The counts are summed, and `maps` lists the
    /// facts of each map.
    pub fn join(&mut self, next: Self) {
        if self.maps.is_empty() {
            self.maps.push(OneMap::new(self));
        }

        self.maps.push(OneMap::new(&next));
        self.outcome = worse_outcome(self.outcome, next.outcome);
        self.error = self.error.take().or(next.error);

        let known = self.world.dimensions.clone();
        self.world.dimensions.extend(
            next.world
                .dimensions
                .into_iter()
                .filter(|name| !known.contains(name)),
        );

        self.regions.add(next.regions);
        self.chunks.add(next.chunks);
        self.tiles.add(next.tiles);
        self.bad_chunks.extend(next.bad_chunks);
        self.bad_chunks.truncate(MAX_LISTED);

        add_reported(&mut self.unknown_blocks, next.unknown_blocks);
        add_reported(&mut self.unknown_biomes, next.unknown_biomes);
        self.not_understood = add_not_understood(self.not_understood, next.not_understood);
        self.newer = add_newer(self.newer, next.newer);
        self.odd_dimensions.add(next.odd_dimensions);

        let earlier = self.warnings.len();
        for warning in next.warnings {
            if !self.warnings[..earlier].contains(&warning) {
                self.warnings.push(warning);
            }
        }

        let read = self.chunks_per_second * self.seconds + next.chunks_per_second * next.seconds;
        self.seconds += next.seconds;
        self.chunks_per_second = read / self.seconds.max(1e-9);
        self.peak_memory_bytes = self.peak_memory_bytes.max(next.peak_memory_bytes);
        self.threads = self.threads.max(next.threads);
        self.stages.add(&next.stages);
        self.workers.extend(next.workers);
    }
}

/// Returns the worse of two outcomes.
fn worse_outcome(one: Outcome, other: Outcome) -> Outcome {
    std::cmp::max_by_key(one, other, |outcome: &Outcome| match outcome {
        Outcome::Empty => 0,
        Outcome::Complete => 1,
        Outcome::Gaps => 2,
        Outcome::Interrupted => 3,
        Outcome::Failed => 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::counts::{ChunkCounts, RegionCounts};
    use crate::report::failure::{Failure, FailureKind};
    use crate::report::findings::NewerChunks;

    fn report(outcome: Outcome, dimension: &str, bad: u64) -> Report {
        let failure = Failure {
            kind: FailureKind::Defect,
            message: String::new(),
            retryable: false,
        };

        let mut report = Report {
            outcome,
            error: None,
            ..Report::failed(failure)
        };
        report.world.dimensions.push(dimension.to_owned());

        report.chunks = ChunkCounts {
            drawn: 10,
            bad,
            ..ChunkCounts::default()
        };

        report.regions = RegionCounts {
            total: 2,
            drawn: 2,
            failed: 1,
            ..RegionCounts::default()
        };

        report.warnings.push("odd".to_owned());
        report.newer = Some(NewerChunks {
            chunks: bad,
            data_version: 9000,
        });

        report
    }

    #[test]
    fn reports_of_several_maps_add_up() {
        let mut run = report(Outcome::Complete, "overworld", 0);
        run.join(report(Outcome::Gaps, "the_nether", 3));
        run.join(report(Outcome::Empty, "overworld", 0));

        assert_eq!(run.outcome, Outcome::Gaps);
        assert_eq!(
            (
                run.chunks.drawn,
                run.chunks.bad,
                run.regions.total,
                run.gaps()
            ),
            (30, 3, 6, 6)
        );

        assert_eq!(run.world.dimensions, ["overworld", "the_nether"]);
        assert_eq!(
            run.warnings,
            ["odd"],
            "what concerns the world is said once"
        );
        assert_eq!(run.newer.map(|newer| newer.chunks), Some(3));

        let each: Vec<_> = run
            .maps
            .iter()
            .map(|map| (map.outcome, map.chunks.bad))
            .collect();

        assert_eq!(
            each,
            [
                (Outcome::Complete, 0),
                (Outcome::Gaps, 3),
                (Outcome::Empty, 0)
            ]
        );
    }
}
