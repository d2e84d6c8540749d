//! Tables as text in which each line begins with a name. Lines are found by binary search, so
//! nothing is parsed or stored before it is needed.

use std::cmp::Ordering;

/// Returns the lines of one name in a table that is sorted by name. Each line begins with the name,
/// followed by a tab or by a block state in brackets.
pub fn lines_with_name<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let bytes = text.as_bytes();
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low.midpoint(high);
        let start = bytes[low..middle]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(low, |at| low + at + 1);

        if compare_name(&bytes[start..], name.as_bytes()) == Ordering::Less {
            low = bytes[middle..high]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(high, |at| middle + at + 1);
        } else {
            high = start;
        }
    }

    text[low..]
        .lines()
        .take_while(move |line| line_name(line) == name)
}

/// Returns the name at the start of a line.
pub fn line_name(line: &str) -> &str {
    let end = line.bytes().position(is_end).unwrap_or(line.len());
    &line[..end]
}

/// Compares the name at the start of a line with another name. Most names differ in their first
/// bytes, so the end of the first one is not searched.
fn compare_name(line: &[u8], name: &[u8]) -> Ordering {
    let mut line = line.iter().copied().take_while(|byte| !is_end(*byte));
    for &byte in name {
        match line.next() {
            Some(first) if first == byte => {}
            Some(first) => return first.cmp(&byte),
            None => return Ordering::Less,
        }
    }

    line.next().map_or(Ordering::Equal, |_| Ordering::Greater)
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\t' | b'[' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_name_are_found() {
        let text = "a\t1\nab\t2\nab[x=y]\t3\nabc\t4\nb\t5\n";
        let lines = |name| lines_with_name(text, name).collect::<Vec<_>>();
        assert_eq!(lines("ab"), ["ab\t2", "ab[x=y]\t3"]);
        assert_eq!(
            (lines("a"), lines("abc"), lines("b")),
            (vec!["a\t1"], vec!["abc\t4"], vec!["b\t5"])
        );

        for missing in ["", "A", "aa", "abb", "abcd", "c", "ab\t2", "ab[x=y]"] {
            assert!(lines(missing).is_empty(), "{missing}");
        }

        assert_eq!(lines_with_name("", "a").count(), 0);
    }
}
