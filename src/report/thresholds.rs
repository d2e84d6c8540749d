//! Thresholds that a drawn map must keep, and whether it does.

use std::fmt;

use crate::report::{Failure, FailureKind, Report, Tally};

/// A number, or a share of all.
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
            // 100 % is never exceeded, even where the total is unknown.
            Self::Percent(percent) => percent < 100.0 && count as f64 > percent / 100.0 * total as f64,
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
    /// With more unreadable places than this the run has failed.
    pub max_bad_chunks: Option<Limit>,
    /// Unknown blocks count as gaps.
    pub deny_unknown_blocks: bool,
    /// Chunks newer than this program knows count as gaps.
    pub deny_newer: bool,
}

impl Default for Thresholds {
    /// No gaps, and nothing else.
    fn default() -> Self {
        Self { allow_gaps: Limit::Count(0), max_bad_chunks: None, deny_unknown_blocks: false, deny_newer: false }
    }
}

/// The counts to which thresholds apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quality {
    /// Places that could not be read: chunks, and whole region files.
    gaps: u64,
    /// Slots in use.
    chunks: u64,
    unknown_blocks: bool,
    newer: bool,
}

impl std::iter::Sum for Quality {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self { gaps: 0, chunks: 0, unknown_blocks: false, newer: false }, |sum, next| Self {
            gaps: sum.gaps + next.gaps,
            chunks: sum.chunks + next.chunks,
            unknown_blocks: sum.unknown_blocks || next.unknown_blocks,
            newer: sum.newer || next.newer,
        })
    }
}

impl From<&Tally> for Quality {
    fn from(tally: &Tally) -> Self {
        let Tally { chunks, regions_failed, chunk_findings, .. } = tally;
        Self {
            gaps: chunks.bad + regions_failed,
            chunks: chunks.total(),
            unknown_blocks: !chunk_findings.unknown.is_empty(),
            newer: chunk_findings.newer.is_some(),
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
        }
    }
}

/// The verdict on a map that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps the thresholds.
    Good,
    /// It has gaps, or something that is denied.
    Gaps,
    /// It has too many gaps.
    Failed,
}

impl Thresholds {
    /// Judges a map.
    pub fn judge(&self, quality: Quality) -> Verdict {
        let Quality { gaps, chunks, unknown_blocks, newer } = quality;
        if self.max_bad_chunks.is_some_and(|limit| limit.is_exceeded(gaps, chunks)) {
            Verdict::Failed
        } else if self.allow_gaps.is_exceeded(gaps, chunks)
            || self.deny_unknown_blocks && unknown_blocks
            || self.deny_newer && newer
        {
            Verdict::Gaps
        } else {
            Verdict::Good
        }
    }

    /// The failure of a staged run that publishes nothing because thresholds are exceeded; `None`: they are kept.
    pub fn withhold(&self, quality: Quality) -> Option<Failure> {
        (self.judge(quality) != Verdict::Good).then(|| {
            let violations = self.violations(quality);
            let message = format!("nothing was published because of `staged`: {violations}");
            Failure { kind: FailureKind::HeldBack, message, retryable: false }
        })
    }

    /// The exceeded thresholds in words, with the settings that would allow them; empty: none.
    pub fn violations(&self, quality: Quality) -> String {
        let Quality { gaps, chunks, unknown_blocks, newer } = quality;
        let mut against = Vec::new();
        let mut remedies = Vec::new();
        let limits = [("`max_bad_chunks`", self.max_bad_chunks), ("`allow_gaps`", Some(self.allow_gaps))];
        let exceeded = limits.into_iter().filter_map(|(option, limit)| Some((option, limit?)));
        let exceeded: Vec<_> = exceeded.filter(|(_, limit)| limit.is_exceeded(gaps, chunks)).collect();
        if !exceeded.is_empty() {
            let limits: Vec<_> = exceeded.iter().map(|(option, limit)| format!("{option} {limit}")).collect();
            let places = if gaps == 1 { "1 place".to_owned() } else { format!("{gaps} places") };
            against.push(format!("{places} could not be read, which is more than {}", limits.join(" and ")));
            let allows: Vec<_> = exceeded.iter().map(|(option, _)| format!("{option} {gaps}")).collect();
            remedies.push(format!("allow it with {}", allows.join(" and ")));
        }
        if self.deny_unknown_blocks && unknown_blocks {
            against.push("there are unknown blocks".to_owned());
            remedies.push("give them colours with `palettes`, or leave out `deny_unknown_blocks`".to_owned());
        }
        if self.deny_newer && newer {
            against.push("there are chunks of a newer game version than this pixelmap knows".to_owned());
            remedies.push("use a newer pixelmap, or leave out `deny_newer`".to_owned());
        }
        if against.is_empty() {
            String::new()
        } else {
            format!("{}: {}", against.join(", and "), remedies.join(", and "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: Quality = Quality { gaps: 3, chunks: 100, unknown_blocks: true, newer: true };

    #[test]
    fn a_map_is_judged_by_the_hardest_threshold_it_exceeds() {
        let judge = |thresholds: Thresholds| thresholds.judge(FOUND);
        let allows = |gaps| Thresholds { allow_gaps: gaps, ..Thresholds::default() };
        assert_eq!(judge(Thresholds::default()), Verdict::Gaps);
        assert_eq!([judge(allows(Limit::Count(2))), judge(allows(Limit::Percent(2.9)))], [Verdict::Gaps; 2]);
        assert_eq!([judge(allows(Limit::Count(3))), judge(allows(Limit::Percent(3.0)))], [Verdict::Good; 2]);
        let allows = allows(Limit::Count(3));
        assert_eq!(judge(Thresholds { deny_unknown_blocks: true, ..allows }), Verdict::Gaps);
        assert_eq!(judge(Thresholds { deny_newer: true, ..allows }), Verdict::Gaps);
        let too_many = Thresholds { max_bad_chunks: Some(Limit::Count(2)), deny_newer: true, ..allows };
        assert_eq!(judge(too_many), Verdict::Failed);
        assert_eq!(judge(Thresholds { max_bad_chunks: Some(Limit::Count(3)), ..allows }), Verdict::Good);
    }

    #[test]
    fn a_limit_of_all_is_kept_without_countable_chunks() {
        assert!(!Limit::Percent(100.0).is_exceeded(1, 0));
        assert!(Limit::Percent(99.9).is_exceeded(1, 0) && !Limit::Percent(0.0).is_exceeded(0, 0));
    }

    #[test]
    fn violations_name_each_setting_that_allows_them() {
        let thresholds =
            Thresholds { max_bad_chunks: Some(Limit::Count(2)), deny_newer: true, ..Thresholds::default() };
        let text = thresholds.violations(FOUND);
        for part in ["`max_bad_chunks` 2", "`max_bad_chunks` 3", "`allow_gaps` 0", "`allow_gaps` 3", "`deny_newer`"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("unknown_blocks"));
        let content = Thresholds { allow_gaps: Limit::Percent(3.0), ..Thresholds::default() };
        assert_eq!((content.violations(FOUND), content.judge(FOUND)), (String::new(), Verdict::Good));
    }
}
