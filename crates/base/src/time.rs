//! Converts the times of the game and of servers to text, and parses times that people write.

/// Returns the year, the month and the day of a time in seconds since 1970. Returns `None` if the
/// time is before 1970 or after the year 9999.
///
/// Source: `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub fn utc_date(seconds: i64) -> Option<[i64; 3]> {
    const LAST: i64 = 253_402_300_799;
    if !(0..=LAST).contains(&seconds) {
        return None;
    }

    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;

    let day = days % 146_097;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);

    Some([year, month, day])
}

/// Formats milliseconds since 1970 as `2026-11-22T10:00:00Z`. Returns `None` if the time is before
/// 1970 or after the year 9999.
pub fn utc(millis: i64) -> Option<String> {
    let seconds = millis.div_euclid(1000);
    let [year, month, day] = utc_date(seconds)?;
    let second = seconds % 86_400;

    let hour = second / 3600;
    let minute = second / 60 % 60;
    let second = second % 60;
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}

/// A time that was written as a day, a minute or a second: the range of its seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    pub first_second: i64,
    pub last_second: i64,
}

impl TimeSpan {
    fn new(first_second: i64, seconds: i64) -> Self {
        Self {
            first_second,
            last_second: first_second + seconds - 1,
        }
    }
}

/// Parses `2026-05-01`, `2026-05-01T12:00` or `2026-05-01T12:00:30`, in UTC; a time of day may end
/// in `Z`. Returns `None` if the text has another form, or if the year is before 1970.
///
/// Source: `days_from_civil` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub fn parse_utc(text: &str) -> Option<TimeSpan> {
    let (date, clock) = text
        .split_once('T')
        .map_or((text, None), |(date, clock)| (date, Some(clock)));
    let [year, month, day] = parse_numbers(date, '-', [4, 2, 2])?;
    let leap = i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    let days_in_month = match month {
        2 => 28 + leap,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };

    if year < 1970 || !(1..=12).contains(&month) || !(1..=days_in_month).contains(&day) {
        return None;
    }

    let year = year - i64::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let midnight =
        (year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468) * 86_400;
    let Some(clock) = clock else {
        return Some(TimeSpan::new(midnight, 86_400));
    };

    let clock = clock.strip_suffix('Z').unwrap_or(clock);
    let ([hour, minute, second], seconds) = match parse_numbers(clock, ':', [2, 2, 2]) {
        Some(clock) => (clock, 1),
        None => (
            parse_numbers(clock, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0])?,
            60,
        ),
    };

    if hour >= 24 || minute >= 60 || second >= 60 {
        return None;
    }

    let start = midnight + hour * 3600 + minute * 60 + second;
    Some(TimeSpan::new(start, seconds))
}

/// Parses separated numbers, each with exactly the given number of digits.
fn parse_numbers<const N: usize>(
    text: &str,
    separator: char,
    digits: [usize; N],
) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        })?;
        *number = part.parse().ok()?;
    }

    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_parsed_as_written() {
        for second in [
            0,
            951_782_399,
            951_782_400,
            1_714_564_800,
            1_709_164_800,
            1_709_251_199,
            253_402_300_799,
        ] {
            let text = utc(second * 1000).unwrap();
            let exact = TimeSpan {
                first_second: second,
                last_second: second,
            };
            assert_eq!(parse_utc(&text), Some(exact), "{text}");
            assert_eq!(parse_utc(text.trim_end_matches('Z')), Some(exact), "{text}");

            let day = parse_utc(&text[..10]).unwrap();
            assert_eq!(
                (day.first_second, day.last_second),
                (second - second % 86_400, second - second % 86_400 + 86_399)
            );

            let minute = parse_utc(&text[..16]).unwrap();
            assert_eq!(
                (minute.first_second, minute.last_second),
                (second - second % 60, second - second % 60 + 59)
            );
        }

        for wrong in [
            "",
            "2026",
            "2026-05",
            "2026-5-1",
            "2026-13-01",
            "2026-02-29",
            "2026-00-10",
            "2026-04-31",
            "1969-12-31",
            "2026-05-01T",
            "2026-05-01T24:00",
            "2026-05-01T12",
            "2026-05-01T12:60",
            "2026-05-01 12:00",
            "+026-05-01",
        ] {
            assert_eq!(parse_utc(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_are_formatted_as_dates() {
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
