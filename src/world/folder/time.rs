//! Times as the game and servers store them, as text.

/// Milliseconds since 1970 as `2026-11-22T10:00:00Z`; `None`: the time is before 1970 or after the year 9999.
///
/// Source: `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub fn utc(millis: i64) -> Option<String> {
    const LAST: i64 = 253_402_300_799;
    let seconds = Some(millis.div_euclid(1000)).filter(|seconds| (0..=LAST).contains(seconds))?;
    let days = seconds / 86_400 + 719_468;
    let second = seconds % 86_400;
    let era = days / 146_097;
    let day = days % 146_097;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let hour = second / 3600;
    let minute = second / 60 % 60;
    let second = second % 60;
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_dates() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_795_341_600_000, "2026-11-22T10:00:00Z"),
            (4_102_444_800_000, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(utc(milliseconds).as_deref(), Some(text));
        }
        assert_eq!((utc(-1), utc(i64::MAX)), (None, None));
    }
}
