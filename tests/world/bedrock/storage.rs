//! Writes palettes and indices packed in words, as subchunks store blocks and `Data3D` stores
//! biomes.

/// The index of a cell: y is fastest, x slowest.
pub const fn cell(x: usize, y: i32, z: usize) -> usize {
    x << 8 | z << 4 | (y & 15) as usize
}

/// The widths that the format has.
const WIDTHS: [usize; 8] = [1, 2, 3, 4, 5, 6, 8, 16];

/// Writes the head and the words of 4,096 indices into a palette of `count` entries, with at least
/// `least` bits. A palette of one entry has no words if `least` is 0.
pub fn indices(cells: &[u16], count: usize, least: usize) -> Vec<u8> {
    if count == 1 && least == 0 {
        return vec![0];
    }

    let fits = |width: usize| width >= least && 1 << width >= count;

    let width = WIDTHS.into_iter().find(|width| fits(*width)).unwrap();
    let mut out = vec![(width << 1) as u8];
    for cells in cells.chunks(32 / width) {
        let word = cells
            .iter()
            .rev()
            .fold(0_u32, |word, cell| word << width | u32::from(*cell));
        out.extend(word.to_le_bytes());
    }

    out
}

/// The distinct values of the cells in order of appearance, and the index of each cell.
pub fn palette<T: PartialEq + Copy>(values: &[T]) -> (Vec<T>, Vec<u16>) {
    let mut palette: Vec<T> = Vec::new();
    let index = |value: &T| {
        let known = palette.iter().rposition(|known| known == value);
        known.unwrap_or_else(|| {
            palette.push(*value);
            palette.len() - 1
        }) as u16
    };
    let cells = values.iter().map(index).collect();
    (palette, cells)
}
