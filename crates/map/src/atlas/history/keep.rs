//! Decides which moments of a map are kept. The rules have the names and meanings of restic's
//! `forget`, because users know them from their backups.

use std::collections::{BTreeMap, BTreeSet};

use super::moment::{Moment, time_text};

const DAY: i64 = 86_400;

/// The number of moments that one rule keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepCount {
    Most(usize),
    Unlimited,
}

/// Rules for keeping moments: a moment stays if at least one rule keeps it. The newest moment
/// always stays, because it is the map itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeepRules {
    /// Keeps this number of the newest moments.
    pub last: Option<KeepCount>,
    /// Each of these four rules keeps the newest moment of each of the last days, weeks (from
    /// Monday), months or years that have a moment, in UTC.
    pub daily: Option<KeepCount>,
    pub weekly: Option<KeepCount>,
    pub monthly: Option<KeepCount>,
    pub yearly: Option<KeepCount>,
    /// Keeps all moments that are at most this number of seconds older than the newest.
    pub within: Option<i64>,
}

impl KeepRules {
    /// Returns whether no rule is set. Callers then keep all moments.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the ids of the moments that the rules keep. `moments` must be sorted, oldest first.
    pub fn kept(&self, moments: &[Moment]) -> BTreeSet<u32> {
        let newest = moments.iter().rev();
        let mut kept: BTreeSet<u32> = newest.clone().take(1).map(|moment| moment.id).collect();

        kept.extend(
            newest
                .clone()
                .take(most_of(self.last))
                .map(|moment| moment.id),
        );

        kept.extend(newest_by(moments, day).take(most_of(self.daily)));
        kept.extend(newest_by(moments, week).take(most_of(self.weekly)));
        kept.extend(newest_by(moments, month).take(most_of(self.monthly)));
        kept.extend(newest_by(moments, year).take(most_of(self.yearly)));

        if let (Some(seconds), Some(last)) = (self.within, moments.last()) {
            let since = last.time.saturating_sub(seconds);
            kept.extend(
                moments
                    .iter()
                    .filter(|moment| moment.time >= since)
                    .map(|moment| moment.id),
            );
        }

        kept
    }
}

/// Returns the number of moments that a rule keeps.
fn most_of(rule: Option<KeepCount>) -> usize {
    match rule {
        None => 0,
        Some(KeepCount::Most(count)) => count,
        Some(KeepCount::Unlimited) => usize::MAX,
    }
}

/// Returns the newest moment of each period, the newest period first.
fn newest_by(moments: &[Moment], period: fn(i64) -> i64) -> impl Iterator<Item = u32> {
    // Later moments overwrite earlier ones of the same period, so the newest remains.
    let newest: BTreeMap<i64, u32> = moments
        .iter()
        .map(|moment| (period(moment.time), moment.id))
        .collect();
    newest.into_values().rev()
}

fn day(time: i64) -> i64 {
    time.div_euclid(DAY)
}

/// Returns the number of the week, counted from Monday. Adds three days because the first day of
/// 1970 was a Thursday.
fn week(time: i64) -> i64 {
    (day(time) + 3).div_euclid(7)
}

fn month(time: i64) -> i64 {
    digits(&time_text(time)[..7])
}

fn year(time: i64) -> i64 {
    digits(&time_text(time)[..4])
}

fn digits(text: &str) -> i64 {
    text.bytes()
        .filter(u8::is_ascii_digit)
        .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::time::parse_utc;

    fn kept_days(rules: KeepRules) -> Vec<String> {
        let days = [
            "2024-12-30",
            "2024-12-31",
            "2025-01-01",
            "2025-01-05",
            "2025-01-06",
            "2025-01-06T12:00",
            "2025-02-28",
            "2025-03-01",
        ];

        let moments: Vec<Moment> = (1..)
            .zip(days)
            .map(|(id, day)| Moment {
                id,
                time: parse_utc(day).unwrap().first_second,
                label: None,
                tiles: 0,
                bytes: 0,
            })
            .collect();

        let kept = rules.kept(&moments);
        kept.into_iter()
            .map(|id| days[id as usize - 1].to_owned())
            .collect()
    }

    #[test]
    fn each_rule_keeps_its_moments() {
        let most = |count| Some(KeepCount::Most(count));
        let none = KeepRules::default();
        assert_eq!(kept_days(none), ["2025-03-01"], "the map itself");

        assert_eq!(
            kept_days(KeepRules {
                last: most(2),
                ..none
            }),
            ["2025-02-28", "2025-03-01"]
        );

        let daily = KeepRules {
            daily: most(3),
            ..none
        };
        assert_eq!(
            kept_days(daily),
            ["2025-01-06T12:00", "2025-02-28", "2025-03-01"]
        );

        // The weeks from 2024-12-30 to 2025-01-05 and from 2025-02-24 to 2025-03-02 keep one moment
        // each.
        let weekly = KeepRules {
            weekly: Some(KeepCount::Unlimited),
            ..none
        };

        assert_eq!(
            kept_days(weekly),
            ["2025-01-05", "2025-01-06T12:00", "2025-03-01"]
        );

        let monthly = KeepRules {
            monthly: most(3),
            ..none
        };
        assert_eq!(
            kept_days(monthly),
            ["2025-01-06T12:00", "2025-02-28", "2025-03-01"]
        );

        let yearly = KeepRules {
            yearly: most(9),
            ..none
        };
        assert_eq!(kept_days(yearly), ["2024-12-31", "2025-03-01"]);

        let within = KeepRules {
            within: Some(DAY),
            ..none
        };
        assert_eq!(kept_days(within), ["2025-02-28", "2025-03-01"]);

        let joined = KeepRules {
            yearly: most(2),
            last: most(1),
            within: Some(2 * DAY),
            ..none
        };

        assert_eq!(
            kept_days(joined),
            ["2024-12-31", "2025-02-28", "2025-03-01"]
        );
    }
}
