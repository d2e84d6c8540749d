//! One picture: its area, its scale, its size.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::coord::{Area, REGION_SIDE, RegionPos};

/// The most pixels along a side of a PNG (W3C PNG specification, 2^31 - 1).
const SIDE_LIMIT: u64 = (1 << 31) - 1;
/// More pixels than this need the user's consent.
const SURE_LIMIT: u64 = 4_000_000_000;
/// Groups within so many regions of a shown one are shown too.
const NEAR: i32 = 32;
/// The largest scale up, and the largest down.
const MAX_TIMES: u32 = 8;

/// Pixels a block: so many along each side, or one for so many blocks along each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The width of a block in pixels: 1, 2, 4 or 8.
    Times(u32),
    /// The binary logarithm of a pixel's width in blocks: 1 to 3.
    Halved(u32),
}

impl Scale {
    /// Reads `1/8` to `8`.
    pub fn parse(text: &str) -> Option<Self> {
        let power = |text: &str| text.parse::<u32>().ok().filter(|n| n.is_power_of_two() && *n <= MAX_TIMES);
        match text.split_once('/') {
            Some(("1", below)) => match power(below)? {
                1 => Some(Self::Times(1)),
                below => Some(Self::Halved(below.ilog2())),
            },
            Some(_) => None,
            None => power(text).map(Self::Times),
        }
    }

    /// Pixels along a number of blocks, which is a multiple of a pixel's.
    pub fn pixels(self, blocks: i64) -> u64 {
        match self {
            Self::Times(times) => blocks as u64 * u64::from(times),
            Self::Halved(halvings) => blocks as u64 >> halvings,
        }
    }

    /// The width of a pixel in blocks.
    pub fn pixel_blocks(self) -> f64 {
        match self {
            Self::Times(times) => 1.0 / f64::from(times),
            Self::Halved(halvings) => f64::from(1_u32 << halvings),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(times) => write!(f, "{times}"),
            Self::Halved(halvings) => write!(f, "1/{}", 1_u32 << halvings),
        }
    }
}

/// The area and size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Its columns, a whole number of pixels along each side.
    pub area: Area,
    /// Its scale.
    pub scale: Scale,
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
}

/// A reason why a picture is not drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureError {
    /// It has no columns.
    Nothing,
    /// It is larger than a PNG can be: pixels along its sides.
    TooLarge(u64, u64),
    /// It is larger than a WebP can be: pixels along its sides, and the most there may be.
    TooLargeForWebp(u32, u32, u32),
    /// It is very large, and the user has not consented: pixels along its sides.
    Unsure(u64, u64),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let smaller = "give a smaller area with --area, or a smaller scale with --scale 1/8";
        match self {
            Self::Nothing => write!(f, "there is nothing to draw in a picture: give an area with --area"),
            Self::TooLarge(width, height) => {
                write!(f, "{width} by {height} pixels are more than a PNG can have ({SIDE_LIMIT} a side): {smaller}")
            }
            Self::TooLargeForWebp(width, height, limit) => write!(
                f,
                "{width} by {height} pixels are more than a WebP can have ({limit} a side): make a PNG, with an output \
                 that ends in .png, or {smaller}"
            ),
            Self::Unsure(width, height) => write!(
                f,
                "{width} by {height} pixels are {:.1} gigapixels: {smaller}, or draw it all the same with --yes",
                *width as f64 * *height as f64 / 1e9
            ),
        }
    }
}

impl std::error::Error for PictureError {}

impl Grid {
    /// The picture of an area; sides that lie inside a pixel move outward to its own. `sure`: draws it however large it
    /// is.
    ///
    /// # Errors
    /// The picture has no pixels, or too many.
    pub fn new(area: Area, scale: Scale, sure: bool) -> Result<Self, PictureError> {
        if area.is_empty() {
            return Err(PictureError::Nothing);
        }
        let blocks = if let Scale::Halved(halvings) = scale { 1_i64 << halvings } else { 1 };
        let down = |at: i32| i64::from(at).div_euclid(blocks) * blocks;
        let up = |at: i32| -(-i64::from(at)).div_euclid(blocks) * blocks;
        let (x0, z0, x1, z1) = (down(area.x0), down(area.z0), up(area.x1), up(area.z1));
        let (width, height) = (scale.pixels(x1 - x0), scale.pixels(z1 - z0));
        let side = |pixels: u64| u32::try_from(pixels).ok().filter(|_| pixels <= SIDE_LIMIT);
        let ((Some(w), Some(h)), Ok(x1), Ok(z1)) = ((side(width), side(height)), i32::try_from(x1), i32::try_from(z1))
        else {
            return Err(PictureError::TooLarge(width, height));
        };
        if width * height > SURE_LIMIT && !sure {
            return Err(PictureError::Unsure(width, height));
        }
        let area = Area { x0: x0 as i32, z0: z0 as i32, x1, z1 };
        Ok(Self { area, scale, width: w, height: h })
    }

    /// The rows of regions that it shows, from north to south, and the range of x in each row.
    pub fn regions(&self) -> (std::ops::Range<i32>, std::ops::Range<i32>) {
        let side = REGION_SIDE as i32;
        let range = |from: i32, to: i32| from.div_euclid(side)..(to - 1).div_euclid(side) + 1;
        (range(self.area.z0, self.area.z1), range(self.area.x0, self.area.x1))
    }
}

/// Regions that touch at sides or corners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The regions, in order.
    pub regions: Vec<RegionPos>,
    /// Their chunks.
    pub chunks: u64,
}

/// The part of a world that a picture shows by default: the group of regions with most chunks, the groups near it,
/// those near these, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The columns from the first region shown to the last.
    pub area: Area,
    /// The groups that lie too far from the shown ones and not between them.
    pub left_out: Vec<Group>,
}

/// Chooses the area; `None`: there are no regions. `chunks` is called only where there are several groups.
pub fn choose(regions: impl Iterator<Item = RegionPos>, chunks: impl Fn(RegionPos) -> u64) -> Option<Choice> {
    let mut groups = groups(regions.map(|region| (region.x, region.z)).collect());
    if groups.len() > 1 {
        for group in &mut groups {
            group.chunks = group.regions.iter().map(|&region| chunks(region)).sum();
        }
    }
    // Of several with as many chunks, the northernmost.
    let most = (0..groups.len()).max_by_key(|&at| (groups[at].chunks, std::cmp::Reverse(at)))?;
    let shown = spread(&groups, most);
    let (shown, mut left_out): (Vec<_>, Vec<_>) = groups.into_iter().zip(shown).partition(|(_, shown)| *shown);
    let all = shown.iter().flat_map(|(group, _)| &group.regions);
    let area = all.map(|region| region.area()).reduce(Area::union)?;
    left_out.retain(|(group, _)| group.regions.iter().any(|&region| !area.meets(region)));
    Some(Choice { area, left_out: left_out.into_iter().map(|(group, _)| group).collect() })
}

/// The regions in groups, the groups in the order of their first region, from north to south.
fn groups(mut left: BTreeSet<(i32, i32)>) -> Vec<Group> {
    let mut groups = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut regions = vec![first];
        let mut at = 0;
        while let Some(&(x, z)) = regions.get(at) {
            let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| (x.saturating_add(dx), z.saturating_add(dz))));
            regions.extend(around.filter(|place| left.remove(place)));
            at += 1;
        }
        let mut regions: Vec<RegionPos> = regions.into_iter().map(|(x, z)| RegionPos { x, z }).collect();
        regions.sort_unstable_by_key(|region| (region.z, region.x));
        groups.push(Group { regions, chunks: 0 });
    }
    groups.sort_unstable_by_key(|group| group.regions.first().map(|region| (region.z, region.x)));
    groups
}

/// Finds the groups near the first, those near these, and so on.
fn spread(groups: &[Group], first: usize) -> Vec<bool> {
    // All regions near another lie in its cell or in one around it.
    let mut cells: BTreeMap<(i32, i32), Vec<(RegionPos, usize)>> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        for &region in &group.regions {
            cells.entry(cell(region)).or_default().push((region, number));
        }
    }
    let mut shown = vec![false; groups.len()];
    shown[first] = true;
    let mut next = vec![first];
    while let Some(number) = next.pop() {
        for &region in &groups[number].regions {
            let (x, z) = cell(region);
            for place in (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| (x, z))) {
                let Some(there) = cells.get_mut(&place) else { continue };
                there.retain(|&(other, number)| {
                    if !shown[number] && is_near(other, region) {
                        shown[number] = true;
                        next.push(number);
                    }
                    // Shown groups need no second test.
                    !shown[number]
                });
            }
        }
    }
    shown
}

fn is_near(a: RegionPos, b: RegionPos) -> bool {
    let apart = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs() <= i64::from(NEAR);
    apart(a.x, b.x) && apart(a.z, b.z)
}

fn cell(region: RegionPos) -> (i32, i32) {
    (region.x.div_euclid(NEAR), region.z.div_euclid(NEAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[(i32, i32)]) -> impl Iterator<Item = RegionPos> {
        places.iter().map(|&(x, z)| RegionPos { x, z })
    }

    #[test]
    fn scales_are_powers_of_two_from_an_eighth_to_eight() {
        for (text, scale) in
            [("1", Scale::Times(1)), ("8", Scale::Times(8)), ("1/2", Scale::Halved(1)), ("1/8", Scale::Halved(3))]
        {
            assert_eq!(Scale::parse(text), Some(scale));
            assert_eq!(scale.to_string(), text);
        }
        for text in ["0", "3", "16", "1/16", "1/3", "2/4", "", "1/", "0.5", "-1"] {
            assert_eq!(Scale::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sides_inside_a_pixel_move_outward() {
        let area = Area { x0: -3, z0: 5, x1: 9, z1: 16 };
        let grid = Grid::new(area, Scale::Halved(3), false).unwrap();
        assert_eq!(grid.area, Area { x0: -8, z0: 0, x1: 16, z1: 16 });
        assert_eq!((grid.width, grid.height), (3, 2));
        let grid = Grid::new(area, Scale::Times(4), false).unwrap();
        assert_eq!((grid.area, grid.width, grid.height), (area, 48, 44));
        assert_eq!(grid.regions(), (0..1, -1..1));
    }

    #[test]
    fn what_is_too_large_is_refused_with_its_numbers() {
        let area = |side| Area { x0: 0, z0: 0, x1: side, z1: side };
        assert_eq!(Grid::new(area(70_000), Scale::Times(1), false), Err(PictureError::Unsure(70_000, 70_000)));
        assert!(Grid::new(area(70_000), Scale::Times(1), true).is_ok());
        assert!(Grid::new(area(70_000), Scale::Halved(1), false).is_ok());
        let wide = Area { x0: i32::MIN, z0: 0, x1: i32::MAX, z1: 1 };
        assert_eq!(Grid::new(wide, Scale::Times(1), true), Err(PictureError::TooLarge((1 << 32) - 1, 1)));
        assert!(Grid::new(wide, Scale::Halved(3), true).is_err_and(|error| error.to_string().contains("536870912")));
        assert_eq!(Grid::new(area(0), Scale::Times(1), true), Err(PictureError::Nothing));
    }

    #[test]
    fn the_largest_group_is_shown_with_all_near_it() {
        let world = [(0, 0), (1, 1), (33, 1), (65, 1), (100, 1), (0, 200)];
        let choice = choose(at(&world), |region| if region.x < 2 { 10 } else { 1 }).unwrap();
        assert_eq!(choice.area, Area { x0: 0, z0: 0, x1: 66 * 512, z1: 1024 });
        let left: Vec<_> = choice.left_out.iter().map(|group| (group.regions[0], group.chunks)).collect();
        assert_eq!(left, [(RegionPos { x: 100, z: 1 }, 1), (RegionPos { x: 0, z: 200 }, 10)]);
        let choice = choose(at(&world), |region| u64::from(region.x == 100)).unwrap();
        assert_eq!(choice.area, Area { x0: 51_200, z0: 512, x1: 101 * 512, z1: 1024 });
    }

    #[test]
    fn chunks_of_a_single_group_are_not_counted() {
        let choice = choose(at(&[(0, 0), (1, 1), (2, 0)]), |_| panic!("counted")).unwrap();
        assert!(choice.left_out.is_empty());
        assert!(choose(at(&[]), |_| 0).is_none());
    }

    #[test]
    fn a_group_between_those_shown_is_not_left_out() {
        // A ring with a region in its middle, too far from all of it.
        let mut world: Vec<(i32, i32)> = (-40..=40).flat_map(|n| [(n, -40), (n, 40), (-40, n), (40, n)]).collect();
        world.push((0, 0));
        let choice = choose(at(&world), |_| 1).unwrap();
        assert!(choice.left_out.is_empty());
    }
}
