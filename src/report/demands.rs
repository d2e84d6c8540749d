//! What is asked of a map beside being drawn, and whether it is as it was asked for.

use std::fmt;

use super::{Failure, Report, Tally};

/// A number of things, or a share of those there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// So many.
    Count(u64),
    /// So many of a hundred.
    Percent(f64),
}

impl Limit {
    /// Whether `count` of `total` is more than this.
    pub fn is_exceeded(self, count: u64, total: u64) -> bool {
        match self {
            Self::Count(limit) => count > limit,
            // All are never too many, also where nobody can tell how many there are.
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

/// What is asked of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demands {
    /// So many places that cannot be read are no gaps.
    pub allow_gaps: Limit,
    /// With more than these the run has failed.
    pub max_bad_chunks: Option<Limit>,
    /// Whether blocks that no table knows are as bad as gaps.
    pub deny_unknown_blocks: bool,
    /// Whether chunks newer than this program knows are.
    pub deny_newer: bool,
}

impl Default for Demands {
    /// No gaps, and nothing else.
    fn default() -> Self {
        Self { allow_gaps: Limit::Count(0), max_bad_chunks: None, deny_unknown_blocks: false, deny_newer: false }
    }
}

/// Of what was found, all that demands ask for.
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
        let Tally { chunks, regions_failed, remarks, .. } = tally;
        Self {
            gaps: chunks.bad + regions_failed,
            chunks: chunks.total(),
            unknown_blocks: !remarks.unknown.is_empty(),
            newer: remarks.newer.is_some(),
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

/// What demands make of a map that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is as it was asked for.
    Good,
    /// It has gaps, or what is denied.
    Gaps,
    /// It has too many gaps.
    Failed,
}

impl Demands {
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

    /// What is said where nothing is published since what was drawn is not as it was asked for; `None`: it is.
    pub fn hold_back(&self, quality: Quality) -> Option<Failure> {
        (self.judge(quality) != Verdict::Good).then(|| {
            let says = self.says_against(quality);
            let message = format!("nothing was published, as --staged asks, since {says}");
            Failure { kind: Failure::HELD_BACK, message, retryable: false }
        })
    }

    /// What of a map is not as it was asked for, and with which options it would be; empty where all is.
    pub fn says_against(&self, quality: Quality) -> String {
        let Quality { gaps, chunks, unknown_blocks, newer } = quality;
        let (mut against, mut remedies) = (Vec::new(), Vec::new());
        let limits = [("--max-bad-chunks", self.max_bad_chunks), ("--allow-gaps", Some(self.allow_gaps))];
        let exceeded = limits.into_iter().filter_map(|(option, limit)| Some((option, limit?)));
        let exceeded: Vec<_> = exceeded.filter(|(_, limit)| limit.is_exceeded(gaps, chunks)).collect();
        if !exceeded.is_empty() {
            let limits: Vec<_> = exceeded.iter().map(|(option, limit)| format!("{option} {limit}")).collect();
            let places = if gaps == 1 { "1 place".to_owned() } else { format!("{gaps} places") };
            against.push(format!("{places} could not be read, more than {}", limits.join(" and ")));
            let allows: Vec<_> = exceeded.iter().map(|(option, _)| format!("{option} {gaps}")).collect();
            remedies.push(format!("allow it with {}", allows.join(" and ")));
        }
        if self.deny_unknown_blocks && unknown_blocks {
            against.push("there are blocks that no table knows".to_owned());
            remedies.push("give them colours with --palette, or leave --deny unknown-blocks out".to_owned());
        }
        if self.deny_newer && newer {
            against.push("there are chunks newer than this program knows".to_owned());
            remedies.push("take a newer pixelmap, or leave --deny newer-version out".to_owned());
        }
        if against.is_empty() {
            String::new()
        } else {
            format!("{}: {}", against.join(", and since "), remedies.join(", and "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: Quality = Quality { gaps: 3, chunks: 100, unknown_blocks: true, newer: true };

    #[test]
    fn a_map_is_judged_by_the_hardest_demand_it_fails() {
        let judge = |demands: Demands| demands.judge(FOUND);
        let allows = |gaps| Demands { allow_gaps: gaps, ..Demands::default() };
        assert_eq!(judge(Demands::default()), Verdict::Gaps);
        assert_eq!([judge(allows(Limit::Count(2))), judge(allows(Limit::Percent(2.9)))], [Verdict::Gaps; 2]);
        assert_eq!([judge(allows(Limit::Count(3))), judge(allows(Limit::Percent(3.0)))], [Verdict::Good; 2]);
        let allows = allows(Limit::Count(3));
        assert_eq!(judge(Demands { deny_unknown_blocks: true, ..allows }), Verdict::Gaps);
        assert_eq!(judge(Demands { deny_newer: true, ..allows }), Verdict::Gaps);
        let too_many = Demands { max_bad_chunks: Some(Limit::Count(2)), deny_newer: true, ..allows };
        assert_eq!(judge(too_many), Verdict::Failed);
        assert_eq!(judge(Demands { max_bad_chunks: Some(Limit::Count(3)), ..allows }), Verdict::Good);
    }

    #[test]
    fn all_gaps_are_allowed_where_not_one_chunk_can_be_counted() {
        assert!(!Limit::Percent(100.0).is_exceeded(1, 0));
        assert!(Limit::Percent(99.9).is_exceeded(1, 0) && !Limit::Percent(0.0).is_exceeded(0, 0));
    }

    #[test]
    fn what_is_said_against_a_map_names_each_option_that_would_do() {
        let demands = Demands { max_bad_chunks: Some(Limit::Count(2)), deny_newer: true, ..Demands::default() };
        let says = demands.says_against(FOUND);
        for part in ["--max-bad-chunks 2", "--max-bad-chunks 3", "--allow-gaps 0", "--allow-gaps 3", "--deny newer"] {
            assert!(says.contains(part), "{part}: {says}");
        }
        assert!(!says.contains("unknown-blocks"));
        let content = Demands { allow_gaps: Limit::Percent(3.0), ..Demands::default() };
        assert_eq!((content.says_against(FOUND), content.judge(FOUND)), (String::new(), Verdict::Good));
    }
}
