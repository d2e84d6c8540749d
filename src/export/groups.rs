//! Chooses the part of a world that a picture shows where no area is named.

use std::collections::BTreeMap;

use crate::coord::{Area, RegionPos};

/// Groups of regions that lie within so many regions of one that is shown are shown too.
const NEAR: i32 = 32;
/// The most groups of regions that are named when they are left out.
const NAMED: usize = 20;

/// Regions that hang together along sides and corners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The regions, in order.
    pub regions: Vec<RegionPos>,
    /// The weights of all of them together.
    pub weight: u64,
}

/// The part of a world that a picture shows by default: the heaviest group of regions, those near it, those
/// near these, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The columns from the first region shown to the last.
    pub area: Area,
    /// The groups that lie too far from what is shown and not between it.
    pub left_out: Vec<Group>,
}

impl Choice {
    /// The warnings that name what is left out; a group's weight is a number of `unit`.
    pub fn warnings(&self, unit: &str) -> Vec<String> {
        let mut warnings: Vec<String> = self.left_out.iter().take(NAMED).map(|group| group.is_left_out(unit)).collect();
        if self.left_out.len() > NAMED {
            warnings.push(format!("and {} more groups of regions are left out", self.left_out.len() - NAMED));
        }
        warnings
    }
}

impl Group {
    fn is_left_out(&self, unit: &str) -> String {
        let Some(first) = self.regions.first() else { return String::new() };
        let (corner, others) = (first.corner(), self.regions.len() - 1);
        let more = if others > 0 { format!(" and {others} more regions") } else { String::new() };
        format!(
            "left out, far from the rest: {first}{more} with {} {unit}, at block {} {}; --area all shows everything",
            self.weight, corner.x, corner.z
        )
    }
}

/// Chooses what to show; `None`: there are no regions. `weight` is asked only where there are several groups.
pub fn choose(regions: impl Iterator<Item = RegionPos>, weight: impl Fn(RegionPos) -> u64) -> Option<Choice> {
    let regions: Vec<RegionPos> = regions.collect();
    let mut groups: Vec<Group> = within(1, &regions).into_iter().map(|regions| Group { regions, weight: 0 }).collect();
    if groups.len() > 1 {
        for group in &mut groups {
            group.weight = group.regions.iter().map(|&region| weight(region)).sum();
        }
    }
    // Of several that are as heavy the northernmost.
    let most = (0..groups.len()).max_by_key(|&at| (groups[at].weight, std::cmp::Reverse(at)))?;
    let heaviest = groups[most].regions.first()?;
    let shown = within(NEAR, &regions).into_iter().find(|shown| shown.contains(heaviest))?;
    let area = shown.iter().map(|region| region.area()).reduce(Area::union)?;
    groups.retain(|group| group.regions.iter().any(|&region| !area.meets(region)));
    Some(Choice { area, left_out: groups })
}

/// The regions in groups, in which each lies within `near` regions of another; the groups, and the regions of each, in
/// order from north to south.
fn within(near: i32, regions: &[RegionPos]) -> Vec<Vec<RegionPos>> {
    // Every region near a region lies in its cell or in a cell around it.
    let cell = |region: RegionPos| (region.x.div_euclid(near), region.z.div_euclid(near));
    let is_near = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs() <= i64::from(near);
    let mut cells: BTreeMap<(i32, i32), Vec<RegionPos>> = BTreeMap::new();
    for &region in regions {
        cells.entry(cell(region)).or_default().push(region);
    }
    let mut groups = Vec::new();
    // Regions of one cell are near each other.
    while let Some((_, mut group)) = cells.pop_first() {
        let mut at = 0;
        while let Some(&region) = group.get(at) {
            let (x, z) = cell(region);
            let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| (x.saturating_add(dx), z.saturating_add(dz))));
            for place in around {
                let Some(there) = cells.get_mut(&place) else { continue };
                group.extend(there.extract_if(.., |other| is_near(other.x, region.x) && is_near(other.z, region.z)));
                if there.is_empty() {
                    cells.remove(&place);
                }
            }
            at += 1;
        }
        group.sort_unstable_by_key(|region| (region.z, region.x));
        groups.push(group);
    }
    groups.sort_unstable_by_key(|group| group.first().map(|region| (region.z, region.x)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(places: &[(i32, i32)]) -> impl Iterator<Item = RegionPos> {
        places.iter().map(|&(x, z)| RegionPos { x, z })
    }

    #[test]
    fn the_heaviest_group_is_shown_with_what_is_near() {
        let world = [(0, 0), (1, 1), (33, 1), (65, 1), (100, 1), (0, 200)];
        let choice = choose(at(&world), |region| if region.x < 2 { 10 } else { 1 }).unwrap();
        assert_eq!(choice.area, Area { x0: 0, z0: 0, x1: 66 * 512, z1: 1024 });
        let left: Vec<_> = choice.left_out.iter().map(|group| (group.regions[0], group.weight)).collect();
        assert_eq!(left, [(RegionPos { x: 100, z: 1 }, 1), (RegionPos { x: 0, z: 200 }, 10)]);
        let choice = choose(at(&world), |region| u64::from(region.x == 100)).unwrap();
        assert_eq!(choice.area, Area { x0: 51_200, z0: 512, x1: 101 * 512, z1: 1024 });
    }

    #[test]
    fn a_single_group_is_not_weighed() {
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
