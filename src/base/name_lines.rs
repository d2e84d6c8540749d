//! A table as text in which each line begins with a name: found by binary search, so that nothing is parsed or kept
//! before it is needed.

/// The lines of one name in a table that is sorted by name: each begins with the name and a tab, or a state in
/// brackets. Found by binary search in the text.
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

/// The name at the start of a line.
pub(crate) fn line_name(line: &str) -> &str {
    let end = line.bytes().position(|byte| matches!(byte, b'\t' | b'[' | b'\n')).unwrap_or(line.len());
    &line[..end]
}
