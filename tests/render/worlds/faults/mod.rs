//! Tests damaged worlds: a fault costs no more than it must, and is named.

mod chunks;
mod fixtures;
mod folders;
mod gaps;
mod mutations;
mod unknown;

use std::path::Path;

use crate::map::{Columns, Map};
use crate::world::{Files, Generation, Record, RegionSpec, fixture as made};

fn columns(out: &Path) -> Columns {
    Map::at(out).columns()
}

/// A world of 10 chunks. The first `bad` of them are damaged.
fn with_bad(bad: i32) -> Files {
    let mut region = RegionSpec::new(0, 0);
    for x in 0..10 {
        match x {
            x if x < bad => region.put_record(x, 0, Record::new(2, vec![0x5a; 90])),
            x => region.put(&made::landscape(x, 0, Generation::Root(3955))),
        }
    }

    Files::of_regions([region])
}
