//! Tables as text in which each line begins with a name. Lines are found by binary search, so nothing is parsed
//! or stored before it is needed.

/// Returns the lines of one name in a table that is sorted by name. Each line begins with the name, followed by a
/// tab or by a block state in brackets.
pub(crate) fn lines_with_name<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low.midpoint(high);
        let start = text.as_bytes()[low..middle].iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
        if line_name(&text[start..]) < name {
            low = text[start..high].find('\n').map_or(high, |at| start + at + 1);
        } else {
            high = start;
        }
    }
    text[low..].lines().take_while(move |line| line_name(line) == name)
}

/// Returns the name at the start of a line.
pub(crate) fn line_name(line: &str) -> &str {
    let end = line.bytes().position(|byte| matches!(byte, b'\t' | b'[' | b'\n')).unwrap_or(line.len());
    &line[..end]
}
