//! Things that each cover a stretch from north to south, found by the stretch that one looks at.

/// Something that covers a stretch of z, both ends included.
pub(super) trait Span {
    /// Its northern end.
    fn north(&self) -> i64;
    /// Its southern end.
    fn south(&self) -> i64;
}

/// So many things share one entry of the index.
const BLOCK: usize = 64;

/// Things in the order of their northern ends.
#[derive(Debug)]
pub(super) struct Spans<T> {
    items: Vec<T>,
    /// How far south each block of items reaches.
    reach: Vec<i64>,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Self { items: Vec::new(), reach: Vec::new() }
    }
}

impl<T: Span> Spans<T> {
    pub(super) fn new(mut items: Vec<T>) -> Self {
        items.sort_unstable_by_key(Span::north);
        let reach = items.chunks(BLOCK).map(|block| block.iter().map(Span::south).max().unwrap_or(i64::MIN));
        Self { reach: reach.collect(), items }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Those that touch the stretch from `north` to `south`. Of all others at most one number a block is looked at.
    pub(super) fn over(&self, north: i64, south: i64) -> impl Iterator<Item = &T> {
        let end = self.items.partition_point(|item| item.north() <= south);
        let blocks = self.items[..end].chunks(BLOCK).zip(&self.reach).filter(move |(_, reach)| **reach >= north);
        blocks.flat_map(|(block, _)| block).filter(move |item| item.south() >= north)
    }
}
