//! Thresholds that a drawn map must meet, and the judgement whether it does.

use std::fmt;

use crate::report::failure::{Failure, FailureKind};
use crate::report::odd_dimensions::OddDimensions;
use crate::report::run_report::Report;
use crate::report::tally::Tally;
use pixelmap_base::words::{
    ALLOW_GAPS, DENY_EMPTY, DENY_NEWER, DENY_UNKNOWN_BLOCKS, MAX_BAD_CHUNKS, PALETTE, STAGED,
};

/// A number, or a percentage of all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    Count(u64),
    Percent(f64),
}

impl Limit {
    /// Returns whether `count` of `total` is above the limit.
    pub fn is_exceeded(self, count: u64, total: u64) -> bool {
        match self {
            Self::Count(limit) => count > limit,
            // 100 % is never exceeded, even if the total is unknown.
            Self::Percent(percent) => {
                percent < 100.0 && count as f64 > percent / 100.0 * total as f64
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

/// The thresholds that the user has set for a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Up to this many unreadable places do not count as gaps.
    pub allow_gaps: Limit,
    /// With more unreadable places than this the run fails.
    pub max_bad_chunks: Option<Limit>,
    /// Whether unknown blocks count as gaps.
    pub deny_unknown_blocks: bool,
    /// Whether chunks of newer versions than this program supports count as gaps.
    pub deny_newer: bool,
    /// Whether a dimension in which nothing is drawn counts as a gap.
    pub deny_empty: bool,
}

impl Default for Thresholds {
    /// The default allows no gaps and demands nothing else.
    fn default() -> Self {
        Self {
            allow_gaps: Limit::Count(0),
            max_bad_chunks: None,
            deny_unknown_blocks: false,
            deny_newer: false,
            deny_empty: false,
        }
    }
}

/// The counts and dimensions that thresholds are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quality {
    /// Places that could not be read: chunks and whole region files.
    gaps: u64,
    /// Used slots.
    chunks: u64,
    unknown_blocks: bool,
    newer: bool,
    /// The dimensions that are odd as a whole.
    odd: OddDimensions,
}

impl std::iter::Sum for Quality {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, next| {
            sum.gaps += next.gaps;
            sum.chunks += next.chunks;
            sum.unknown_blocks |= next.unknown_blocks;
            sum.newer |= next.newer;
            sum.odd.add(next.odd);
            sum
        })
    }
}

impl Quality {
    /// Returns the quality of a map that is not published yet.
    pub fn new(tally: &Tally, odd: OddDimensions) -> Self {
        let Tally {
            chunks,
            regions_failed,
            chunk_findings,
            ..
        } = tally;

        Self {
            gaps: chunks.bad + regions_failed,
            chunks: chunks.total(),
            unknown_blocks: !chunk_findings.unknown.is_empty(),
            newer: chunk_findings.newer.is_some(),
            odd,
        }
    }
}

impl From<&Report> for Quality {
    fn from(report: &Report) -> Self {
        Self {
            gaps: report.gaps(),
            chunks: report.chunks.total(),
            unknown_blocks: !report.unknown_blocks.is_empty(),
            newer: report.newer.is_some(),
            odd: report.odd_dimensions.clone(),
        }
    }
}

/// A threshold that a map does not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Whether only `allow_gaps` is exceeded. The gaps are then also listed one by one.
    pub is_of_gaps: bool,
    /// The fault and its remedy, in one line.
    pub message: String,
}

impl Violation {
    /// Makes a violation of a threshold other than `allow_gaps`.
    const fn new(message: String) -> Self {
        Self {
            is_of_gaps: false,
            message,
        }
    }
}

/// The verdict on a drawn map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The map meets the thresholds.
    Good,
    /// The map has gaps, or something that the user denied.
    Gaps,
    /// The map has too many gaps.
    Failed,
}

impl Thresholds {
    /// Judges a map.
    pub fn judge(&self, quality: &Quality) -> Verdict {
        let Quality {
            gaps,
            chunks,
            unknown_blocks,
            newer,
            ref odd,
        } = *quality;

        if self
            .max_bad_chunks
            .is_some_and(|limit| limit.is_exceeded(gaps, chunks))
        {
            Verdict::Failed
        } else if self.allow_gaps.is_exceeded(gaps, chunks)
            || self.deny_unknown_blocks && unknown_blocks
            || self.deny_newer && newer
            || self.deny_empty && !odd.empty.is_empty()
            || !odd.unclear.is_empty()
        {
            Verdict::Gaps
        } else {
            Verdict::Good
        }
    }

    /// Returns the failure of a staged run that does not meet its thresholds and so publishes
    /// nothing. `None` if it meets them.
    pub fn withhold(&self, quality: &Quality) -> Option<Failure> {
        (self.judge(quality) != Verdict::Good).then(|| {
            let violations: Vec<_> = self
                .violations(quality)
                .into_iter()
                .map(|violation| violation.message)
                .collect();
            let message = format!(
                "nothing was published because of {STAGED}: {}",
                violations.join("; ")
            );

            Failure {
                kind: FailureKind::HeldBack,
                message,
                retryable: false,
            }
        })
    }

    /// Returns the thresholds that a map does not meet, each with the setting that would allow the
    /// map.
    pub fn violations(&self, quality: &Quality) -> Vec<Violation> {
        let Quality {
            gaps,
            chunks,
            unknown_blocks,
            newer,
            ref odd,
        } = *quality;

        let mut violations = Vec::new();
        let limits = [
            (MAX_BAD_CHUNKS, self.max_bad_chunks),
            (ALLOW_GAPS, Some(self.allow_gaps)),
        ];

        let exceeded = limits
            .into_iter()
            .filter_map(|(option, limit)| Some((option, limit?)));
        let exceeded: Vec<_> = exceeded
            .filter(|(_, limit)| limit.is_exceeded(gaps, chunks))
            .collect();
        if !exceeded.is_empty() {
            let limits: Vec<_> = exceeded
                .iter()
                .map(|(option, limit)| format!("{option} {limit}"))
                .collect();

            let places = if gaps == 1 {
                "1 place".to_owned()
            } else {
                format!("{gaps} places")
            };

            let allows: Vec<_> = exceeded
                .iter()
                .map(|(option, _)| format!("{option} {gaps}"))
                .collect();

            let (limits, allows) = (limits.join(" and "), allows.join(" and "));
            violations.push(Violation {
                is_of_gaps: !self
                    .max_bad_chunks
                    .is_some_and(|limit| limit.is_exceeded(gaps, chunks)),
                message: format!(
                    "{places} could not be read, which is more than {limits}: allow more with \
                     {allows}"
                ),
            });
        }

        if !odd.unclear.is_empty() {
            let dimensions = odd.unclear.join(", ");
            violations.push(Violation::new(format!(
                "no chunk could be understood in {dimensions}: the world may be newer than this \
                 pixelmap, so try a newer one"
            )));
        }

        if self.deny_empty && !odd.empty.is_empty() {
            let dimensions = odd.empty.join(", ");
            violations.push(Violation::new(format!(
                "nothing is drawn in {dimensions}: check that the whole world is there, or leave \
                 out {DENY_EMPTY}"
            )));
        }

        if self.deny_unknown_blocks && unknown_blocks {
            violations.push(Violation::new(format!(
                "there are unknown blocks: give them colours with {PALETTE}, or leave out \
                 {DENY_UNKNOWN_BLOCKS}"
            )));
        }

        if self.deny_newer && newer {
            violations.push(Violation::new(format!(
                "there are chunks of a newer game version than this pixelmap knows: use a newer \
                 pixelmap, or leave out {DENY_NEWER}"
            )));
        }

        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tally::DimensionCounts;

    fn found() -> Quality {
        Quality {
            gaps: 3,
            chunks: 100,
            unknown_blocks: true,
            newer: true,
            odd: OddDimensions::default(),
        }
    }

    fn texts(thresholds: &Thresholds, quality: &Quality) -> String {
        let violations = thresholds
            .violations(quality)
            .into_iter()
            .map(|violation| violation.message);
        violations.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn an_incomprehensible_dimension_is_a_gap() {
        let counts = |drawn, understood, unclear| DimensionCounts {
            drawn,
            understood,
            unclear,
        };

        let dimensions = [
            ("a", counts(0, 0, 7)),
            ("b", counts(2, 2, 5)),
            ("c", counts(0, 3, 0)),
            ("d", counts(1, 0, 1)),
        ];

        let quality = Quality {
            odd: OddDimensions::new(dimensions.into_iter()),
            ..Quality::default()
        };

        assert_eq!(
            (&*quality.odd.empty, &*quality.odd.unclear),
            (
                &["a", "c"].map(String::from)[..],
                &["a", "d"].map(String::from)[..]
            )
        );

        let thresholds = Thresholds::default();
        assert_eq!(thresholds.judge(&quality), Verdict::Gaps);
        assert!(texts(&thresholds, &quality).starts_with("no chunk could be understood in a, d: "));
        assert!(thresholds.withhold(&quality).is_some());
    }

    #[test]
    fn an_empty_dimension_fails_only_if_denied() {
        let odd = OddDimensions {
            empty: vec!["the_end".to_owned()],
            unclear: Vec::new(),
        };
        let quality = Quality {
            odd,
            ..Quality::default()
        };
        assert_eq!(Thresholds::default().judge(&quality), Verdict::Good);

        let denied = Thresholds {
            deny_empty: true,
            ..Thresholds::default()
        };
        assert_eq!(denied.judge(&quality), Verdict::Gaps);
        assert!(texts(&denied, &quality).starts_with("nothing is drawn in the_end: "));
        assert_eq!(denied.judge(&Quality::default()), Verdict::Good);
    }

    #[test]
    fn the_hardest_exceeded_threshold_judges_a_map() {
        let judge = |thresholds: Thresholds| thresholds.judge(&found());

        let allows = |gaps| Thresholds {
            allow_gaps: gaps,
            ..Thresholds::default()
        };

        assert_eq!(judge(Thresholds::default()), Verdict::Gaps);
        assert_eq!(
            [
                judge(allows(Limit::Count(2))),
                judge(allows(Limit::Percent(2.9)))
            ],
            [Verdict::Gaps; 2]
        );

        assert_eq!(
            [
                judge(allows(Limit::Count(3))),
                judge(allows(Limit::Percent(3.0)))
            ],
            [Verdict::Good; 2]
        );

        let allows = allows(Limit::Count(3));
        assert_eq!(
            judge(Thresholds {
                deny_unknown_blocks: true,
                ..allows
            }),
            Verdict::Gaps
        );

        assert_eq!(
            judge(Thresholds {
                deny_newer: true,
                ..allows
            }),
            Verdict::Gaps
        );

        let too_many = Thresholds {
            max_bad_chunks: Some(Limit::Count(2)),
            deny_newer: true,
            ..allows
        };

        assert_eq!(judge(too_many), Verdict::Failed);
        assert_eq!(
            judge(Thresholds {
                max_bad_chunks: Some(Limit::Count(3)),
                ..allows
            }),
            Verdict::Good
        );
    }

    #[test]
    fn a_limit_of_all_works_without_chunks() {
        assert!(!Limit::Percent(100.0).is_exceeded(1, 0));
        assert!(Limit::Percent(99.9).is_exceeded(1, 0) && !Limit::Percent(0.0).is_exceeded(0, 0));
    }

    #[test]
    fn violations_name_each_setting_that_allows_them() {
        let thresholds = Thresholds {
            max_bad_chunks: Some(Limit::Count(2)),
            deny_newer: true,
            ..Thresholds::default()
        };

        let text = texts(&thresholds, &found());
        for part in [
            "--max-bad-chunks 2",
            "--max-bad-chunks 3",
            "--allow-gaps 0",
            "--allow-gaps 3",
            "--deny newer-version",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }

        assert!(!text.contains("unknown_blocks"));

        let content = Thresholds {
            allow_gaps: Limit::Percent(3.0),
            ..Thresholds::default()
        };
        assert_eq!(
            (content.violations(&found()), content.judge(&found())),
            (Vec::new(), Verdict::Good)
        );
    }
}
