//! Defines the range of keys that a block may contain.

/// A range of the keys that a block may contain, derived from the index of its table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRange<'a> {
    /// A lower bound of the keys, if one is known.
    pub(crate) first: Option<&'a [u8]>,
    /// An upper bound of the keys.
    pub(crate) last: &'a [u8],
}

impl KeyRange<'_> {
    /// Returns whether keys with this prefix may be in the range.
    pub(crate) fn may_have_prefix(&self, prefix: &[u8]) -> bool {
        // If the first key is greater than the prefix and does not begin with it, it is greater
        // than all keys with the prefix.
        self.first
            .is_none_or(|first| first <= prefix || first.starts_with(prefix))
            && prefix <= self.last
    }
}
