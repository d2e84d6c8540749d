//! Chooses the part of a world that a picture shows if the user names no area. Explored land is
//! often a main area plus a few regions far away, which would make the picture huge and mostly
//! empty.

use std::collections::BTreeMap;

use pixelmap_base::coord::{Area, RegionPos, TILE_SIDE};
use pixelmap_base::words::AREA;

/// Regions at most this many regions apart along both axes belong to the same group.
const NEAR: i32 = 4;
/// A group is shown if its weight per added region is at least one eighth of the weight per region
/// that is already shown.
const SPARSE: u64 = 8;
/// The most left-out groups that the warnings name.
const NAMED: usize = 20;

/// Regions that are near each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The regions, in order.
    pub regions: Vec<RegionPos>,
    /// The sum of the weights of these regions.
    pub weight: u64,
}

/// The part of a world that a picture shows by default: the heaviest group of regions, and the
/// other groups that are heavy enough for the room that they add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The columns of blocks from the first shown region to the last.
    pub area: Area,
    /// The groups that are not completely inside the area, so the picture does not show all of
    /// their regions.
    pub left_out: Vec<Group>,
}

impl Choice {
    /// Returns warnings that name the left-out groups. A group's weight is counted in `unit`,
    /// which is singular.
    pub fn warnings(&self, unit: &str) -> Vec<String> {
        let mut warnings: Vec<String> = self
            .left_out
            .iter()
            .take(NAMED)
            .map(|group| group.left_out_warning(unit))
            .collect();

        match self.left_out.len().saturating_sub(NAMED) {
            0 => {}
            1 => warnings.push("and 1 more group of regions is left out".to_owned()),
            more => warnings.push(format!("and {more} more groups of regions are left out")),
        }

        warnings
    }
}

impl Group {
    fn area(&self) -> Option<Area> {
        self.regions
            .iter()
            .map(|region| region.area())
            .reduce(Area::union)
    }

    fn left_out_warning(&self, unit: &str) -> String {
        let Some(first) = self.regions.first() else {
            return String::new();
        };

        let corner = first.corner();

        let others = self.regions.len() - 1;
        let more = match others {
            0 => String::new(),
            1 => " and 1 more region".to_owned(),
            _ => format!(" and {others} more regions"),
        };
        let plural = if self.weight == 1 { "" } else { "s" };

        format!(
            "left out, far from the rest: {first}{more} with {} {unit}{plural}, at block {} {}; {AREA} all \
             shows everything",
            self.weight, corner.x, corner.z
        )
    }
}

/// Chooses the part to show. Returns `None` if there are no regions. `weight` is called only if
/// there are several groups.
pub fn choose(
    regions: impl Iterator<Item = RegionPos>,
    weight: impl Fn(RegionPos) -> u64,
) -> Option<Choice> {
    let mut groups = groups(regions);
    if groups.len() > 1 {
        for group in &mut groups {
            group.weight = group.regions.iter().map(|&region| weight(region)).sum();
        }
    }

    // The heaviest group comes first, and the northernmost of equally heavy ones, because the sort
    // is stable.
    let mut order: Vec<&Group> = groups.iter().collect();
    order.sort_by_key(|group| std::cmp::Reverse(group.weight));

    let (first, others) = order.split_first()?;
    let mut area = first.area()?;
    let mut weight = first.weight;
    for group in others {
        let all = area.union(group.area()?);
        let added = u128::from(regions_in(all) - regions_in(area));
        if added * u128::from(weight)
            <= u128::from(group.weight * SPARSE) * u128::from(regions_in(area))
        {
            area = all;
            weight += group.weight;
        }
    }

    groups.retain(|group| group.regions.iter().any(|&region| !area.meets(region)));

    Some(Choice {
        area,
        left_out: groups,
    })
}

/// Counts the regions that fit into an area of whole regions.
fn regions_in(area: Area) -> u64 {
    let width = (i64::from(area.x1) - i64::from(area.x0)) as u64;
    let height = (i64::from(area.z1) - i64::from(area.z0)) as u64;

    width / TILE_SIDE as u64 * (height / TILE_SIDE as u64)
}

/// Returns the cell of a region. All regions near it are in this cell or in one of the eight around
/// it.
fn cell(region: RegionPos) -> (i32, i32) {
    (region.x.div_euclid(NEAR), region.z.div_euclid(NEAR))
}

fn is_near(a: i32, b: i32) -> bool {
    (i64::from(a) - i64::from(b)).abs() <= i64::from(NEAR)
}

/// Splits the regions into groups in which each region is near another one. The groups, and the
/// regions of each group, are sorted from north to south.
fn groups(regions: impl Iterator<Item = RegionPos>) -> Vec<Group> {
    let mut cells: BTreeMap<(i32, i32), Vec<RegionPos>> = BTreeMap::new();
    for region in regions {
        cells.entry(cell(region)).or_default().push(region);
    }

    let mut groups = Vec::new();

    // All regions of one cell are near each other, so a whole cell starts a group.
    while let Some((_, mut group)) = cells.pop_first() {
        let mut at = 0;
        while let Some(&region) = group.get(at) {
            let (x, z) = cell(region);
            let around = (-1..=1).flat_map(|dx| {
                (-1..=1).map(move |dz| (x.saturating_add(dx), z.saturating_add(dz)))
            });
            for nearby_cell in around {
                let Some(nearby) = cells.get_mut(&nearby_cell) else {
                    continue;
                };

                group.extend(nearby.extract_if(.., |other| {
                    is_near(other.x, region.x) && is_near(other.z, region.z)
                }));

                if nearby.is_empty() {
                    cells.remove(&nearby_cell);
                }
            }

            at += 1;
        }

        group.sort_unstable_by_key(|region| (region.z, region.x));
        groups.push(Group {
            regions: group,
            weight: 0,
        });
    }

    groups.sort_unstable_by_key(|group| group.regions.first().map(|region| (region.z, region.x)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(positions: &[(i32, i32)]) -> impl Iterator<Item = RegionPos> {
        positions.iter().map(|&(x, z)| RegionPos { x, z })
    }

    #[test]
    fn a_group_worth_its_room_is_shown() {
        // Four regions, a village nearly as large some regions away, a lone chunk nearer, and a
        // large island far out.
        let world = [
            (0, 0),
            (1, 0),
            (0, 1),
            (1, 1),
            (7, 0),
            (7, 1),
            (0, -9),
            (400, 0),
            (401, 0),
        ];

        let weight = |region: RegionPos| match region.z {
            -9 => 1,
            _ if region.x < 2 => 1000,
            _ => 900,
        };

        let choice = choose(at(&world), weight).unwrap();
        assert_eq!(
            choice.area,
            Area {
                x0: 0,
                z0: 0,
                x1: 8 * 512,
                z1: 1024
            }
        );

        let left: Vec<_> = choice
            .left_out
            .iter()
            .map(|group| (group.regions[0], group.weight))
            .collect();

        assert_eq!(
            left,
            [
                (RegionPos { x: 0, z: -9 }, 1),
                (RegionPos { x: 400, z: 0 }, 1800)
            ]
        );

        let choice = choose(at(&world), |region| u64::from(region.z == -9)).unwrap();
        assert_eq!(
            choice.area,
            Area {
                x0: 0,
                z0: -9 * 512,
                x1: 512,
                z1: -8 * 512
            }
        );
    }

    #[test]
    fn a_single_group_is_not_weighed() {
        let choice = choose(at(&[(0, 0), (1, 1), (2, 0)]), |_| panic!("counted")).unwrap();
        assert!(choice.left_out.is_empty());
        assert!(choose(at(&[]), |_| 0).is_none());
    }

    #[test]
    fn groups_between_shown_ones_are_not_left_out() {
        // A ring of regions, and one region in its middle that is too far from the ring to join it.
        let mut world: Vec<(i32, i32)> = (-40..=40)
            .flat_map(|n| [(n, -40), (n, 40), (-40, n), (40, n)])
            .collect();
        world.push((0, 0));
        let choice = choose(at(&world), |_| 1).unwrap();
        assert!(choice.left_out.is_empty());
    }
}
