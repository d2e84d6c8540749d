//! The table of all ways in which one chunk of a region can be broken, and the expected result of
//! each.
#![allow(
    clippy::needless_pass_by_value,
    reason = "tags are made where they are handed over: so the table is read best"
)]

mod contents;
mod files;
mod nbt;
mod records;

use std::path::Path;

pub(crate) use self::contents::contents;
pub(crate) use self::files::files_of_their_own;
pub(crate) use self::nbt::nbt;
pub(crate) use self::records::{compressions, records};
use super::one_chunk::VICTIM;
use crate::world::payload::zlib;
use crate::world::region::ZLIB;
use crate::world::{ChunkSpec, Generation, Record, Tag, fixture::landscape};

/// The required outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// The chunk cannot be read, for this reason.
    Bad(&'static str),
    /// No chunk is stored.
    Nothing,
    /// A chunk without blocks.
    Empty,
    /// Drawn as if the chunk had no fault.
    Drawn,
    /// Drawn in some way, with a warning that contains this word.
    Odd(&'static str),
    /// Drawn in some way.
    Sound,
}

/// One way to break a chunk.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) expect: Expect,
    pub(crate) record: Record,
    /// Puts a file next to the region file.
    pub(crate) beside: fn(&Path),
}

/// A chunk of the region that is stored without compression, in several sectors.
pub(crate) const PLAIN: (i32, i32) = (20, 25);

const ANY: Generation = Generation::Root(3955);

fn case(name: &str, expect: Expect, record: Record) -> Case {
    Case {
        name: name.to_owned(),
        expect,
        record,
        beside: |_| {},
    }
}

fn chunk(generation: Generation) -> ChunkSpec {
    landscape(VICTIM.0, VICTIM.1, generation)
}

fn good() -> Vec<u8> {
    chunk(ANY).nbt().document()
}

fn sound() -> Record {
    Record::new(ZLIB, zlib(&good()))
}

fn nested(depth: usize) -> Tag {
    (0..depth).fold(Tag::compound([]), |inner, _| Tag::compound([("", inner)]))
}

fn nested_lists(depth: usize) -> Tag {
    (0..depth).fold(Tag::List(Vec::new()), |inner, _| Tag::List(vec![inner]))
}

/// The payload of a tag: a count, and its expected result.
fn counted(count: i32, rest: &[u8]) -> Vec<u8> {
    [&count.to_be_bytes()[..], rest].concat()
}

fn list(tag: u8, count: i32) -> Tag {
    Tag::Raw(9, [&[tag][..], &counted(count, &[])].concat())
}

fn changed(generation: Generation, change: impl Fn(&mut Tag)) -> Record {
    let mut root = chunk(generation).nbt();
    change(&mut root);
    Record::zlib(&root)
}

fn sections(root: &mut Tag, generation: Generation) -> &mut Tag {
    match generation {
        Generation::Root(_) => root.child("sections"),
        _ => root.child("Level").child("Sections"),
    }
}

/// A chunk of this generation in which this replaces a tag of the first section.
fn section(generation: Generation, name: &str, tag: Tag) -> Record {
    changed(generation, |root| {
        sections(root, generation).elements()[0].set(name, tag.clone());
    })
}
