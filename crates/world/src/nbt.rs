//! A bounded pull reader for NBT bytes: visits the tags that a caller needs and skips the others.
//!
//! The reader builds no tree and allocates nothing. It has a position in the bytes and returns the
//! tag and name of the next entry; the caller then reads its payload or skips it. Arrays and
//! strings are returned as [`Span`]s of the same bytes. Every length is checked before it is used,
//! and nesting is limited to [`MAX_DEPTH`]. Callers interpret names.
//!
//! Every method that reads fails if the bytes end inside the payload, a length is negative, a tag
//! id does not exist, or nesting is too deep.
//!
//! The format is the same in all Java versions of the game: big-endian, tag ids 0 to 12. Bedrock
//! Edition stores numbers as little-endian, but is identical otherwise.

use std::ops::Range;

/// The most compounds and lists inside one another, which is the game's own limit.
pub const MAX_DEPTH: usize = 512;

/// A fault in the bytes; `u32` is its position. An error has eight bytes, so that results are
/// returned in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes end inside the tag that begins there.
    #[error("NBT ends inside a tag at byte {0}")]
    Truncated(u32),
    /// The root is not a compound.
    #[error("NBT root is not a compound")]
    Root,
    /// A tag id that does not exist.
    #[error("unknown NBT tag id {0} at byte {1}")]
    Tag(u8, u32),
    /// A negative length.
    #[error("impossible NBT length at byte {0}")]
    Length(u32),
    /// Nesting deeper than [`MAX_DEPTH`].
    #[error("NBT nested deeper than {MAX_DEPTH} at byte {0}")]
    Depth(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    End,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    ByteArray,
    String,
    List,
    Compound,
    IntArray,
    LongArray,
}

/// Indexed by id.
const TAGS: [Tag; 13] = [
    Tag::End,
    Tag::Byte,
    Tag::Short,
    Tag::Int,
    Tag::Long,
    Tag::Float,
    Tag::Double,
    Tag::ByteArray,
    Tag::String,
    Tag::List,
    Tag::Compound,
    Tag::IntArray,
    Tag::LongArray,
];

impl Tag {
    fn from_id(id: u8, at: usize) -> Result<Self, Error> {
        TAGS.get(usize::from(id))
            .copied()
            .ok_or(Error::Tag(id, at as u32))
    }

    /// Returns the number of payload bytes, if it is the same for all payloads of the tag.
    const fn fixed_len(self) -> Option<usize> {
        match self as usize {
            id @ 1..=6 => Some(FIXED[id]),
            _ => None,
        }
    }
}

/// Number of payload bytes by tag id; 0 if it varies.
const FIXED: [usize; 7] = [0, 1, 2, 4, 8, 4, 8];

const END: u8 = 0;
const STRING: u8 = 8;
const COMPOUND: u8 = 10;

/// A range of the bytes that the reader was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// Makes a span of `len` bytes from position `start` on.
    pub const fn new(start: usize, len: usize) -> Self {
        Self {
            start: start as u32,
            len: len as u32,
        }
    }

    pub const fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.len as usize
    }

    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Returns whether it has no bytes, like the default span.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the span's part of the bytes that the reader was given.
    pub fn slice(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.range()).unwrap_or(&[])
    }
}

/// Returns the bytes of a number with the most significant byte first.
#[inline]
fn big_endian<const LITTLE: bool, const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    if LITTLE {
        bytes.reverse();
    }
    bytes
}

/// Returns the length of a string or name from the two bytes before it.
#[inline]
fn string_len<const LITTLE: bool>(first: u8, second: u8) -> usize {
    usize::from(u16::from_be_bytes(big_endian::<LITTLE, 2>([first, second])))
}

/// A list whose elements have not been read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    pub tag: Tag,
    pub len: usize,
    /// Position of the first element.
    start: u32,
}

/// A reader of big-endian NBT.
pub type Reader<'a> = OrderedReader<'a, false>;

/// A reader of little-endian NBT.
pub type LittleReader<'a> = OrderedReader<'a, true>;

/// A position in NBT bytes whose numbers are little-endian if `LITTLE`, otherwise big-endian.
#[derive(Debug, Clone)]
pub struct OrderedReader<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a, const LITTLE: bool> OrderedReader<'a, LITTLE> {
    /// Enters the root compound.
    pub fn root(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Self {
            bytes,
            at: 0,
            depth: 0,
        };
        if reader.byte()? != 10 {
            return Err(Error::Root);
        }

        reader.name()?;
        reader.enter()?;

        Ok(reader)
    }

    /// Makes a reader at the first element of a list that was read earlier from the same bytes.
    pub fn at_list(bytes: &'a [u8], list: List) -> Self {
        Self {
            bytes,
            at: list.start as usize,
            depth: 1,
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            Err(Error::Depth(self.at as u32))
        } else {
            Ok(())
        }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let taken = self
            .at
            .checked_add(len)
            .and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(Error::Truncated(self.at as u32))?;
        self.at += len;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    /// Reads a number's bytes, and returns them with the most significant byte first.
    fn number<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let taken = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.first_chunk::<N>());
        self.at += N;
        taken
            .map(|bytes| big_endian::<LITTLE, N>(*bytes))
            .ok_or(Error::Truncated((self.at - N) as u32))
    }

    fn name(&mut self) -> Result<&'a [u8], Error> {
        let len = u16::from_be_bytes(self.number()?);
        self.take(usize::from(len))
    }

    fn len(&mut self) -> Result<usize, Error> {
        let at = self.at;
        usize::try_from(i32::from_be_bytes(self.number()?)).or(Err(Error::Length(at as u32)))
    }

    /// Reads the tag and name of the next entry of the compound; `None` at its end. The payload
    /// must be read or skipped before the next call.
    #[inline]
    pub fn entry(&mut self) -> Result<Option<(Tag, &'a [u8])>, Error> {
        // The fast path for complete entries needs only two comparisons with the end of the bytes.
        if let Some([id @ 1..=12, first, second, rest @ ..]) = self.bytes.get(self.at..)
            && let Some(name) = rest.get(..string_len::<LITTLE>(*first, *second))
        {
            self.at += 3 + name.len();
            return Ok(Some((TAGS[usize::from(*id)], name)));
        }
        self.end()
    }

    /// Reads the end of a compound, or reports the fault of an entry.
    fn end(&mut self) -> Result<Option<(Tag, &'a [u8])>, Error> {
        let at = self.at;
        match Tag::from_id(self.byte()?, at)? {
            Tag::End => {
                self.depth = self.depth.saturating_sub(1);
                Ok(None)
            }
            tag => Ok(Some((tag, self.name()?))),
        }
    }

    /// Makes a reader at the first entry of a compound; `bytes` must be exactly the payload of that
    /// compound.
    pub fn in_compound(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            depth: 1,
        }
    }

    /// Makes a reader at a payload whose span [`Reader::skip_span`] returned for the same bytes.
    pub fn at_payload(bytes: &'a [u8], payload: Span) -> Self {
        Self {
            bytes,
            at: payload.start as usize,
            depth: 1,
        }
    }

    /// Skips the next payload and returns its span.
    pub fn skip_span(&mut self, tag: Tag) -> Result<Span, Error> {
        let start = self.at;
        self.skip(tag)?;
        Ok(Span {
            start: start as u32,
            len: (self.at - start) as u32,
        })
    }

    pub fn position(&self) -> usize {
        self.at
    }

    /// Skips the next bytes if they equal an earlier `stretch` of the bytes, except for the byte at
    /// `except`. Returns the byte that is here in its place; `None`: they differ, and nothing was
    /// skipped.
    pub fn skip_repeated(&mut self, stretch: Range<usize>, except: usize) -> Option<u8> {
        let here = self.bytes.get(self.at..self.at + stretch.len())?;
        let before = self.bytes.get(stretch.start..except)?;
        let after = self.bytes.get(except + 1..stretch.end)?;
        let (start, rest) = here.split_at_checked(before.len())?;
        let (byte, end) = rest.split_first()?;
        if start != before || end != after {
            return None;
        }

        self.at += stretch.len();
        Some(*byte)
    }

    /// Enters a compound if it is the next payload. Skips any other payload and returns `false`.
    pub fn compound(&mut self, tag: Tag) -> Result<bool, Error> {
        if tag == Tag::Compound {
            self.enter()?;
            return Ok(true);
        }
        self.skip(tag)?;
        Ok(false)
    }

    /// Reads an integer of any width; any other payload is skipped.
    pub fn int(&mut self, tag: Tag) -> Result<Option<i64>, Error> {
        Ok(Some(match tag {
            Tag::Byte => i64::from(i8::from_be_bytes(self.number()?)),
            Tag::Short => i64::from(i16::from_be_bytes(self.number()?)),
            Tag::Int => i64::from(i32::from_be_bytes(self.number()?)),
            Tag::Long => i64::from_be_bytes(self.number()?),
            _ => {
                self.skip(tag)?;
                return Ok(None);
            }
        }))
    }

    /// Reads a string as its stored bytes (Java writes modified UTF-8, Bedrock plain UTF-8); any
    /// other payload is skipped.
    pub fn string(&mut self, tag: Tag) -> Result<Option<&'a [u8]>, Error> {
        if tag == Tag::String {
            return self.name().map(Some);
        }
        self.skip(tag)?;
        Ok(None)
    }

    /// Reads an array of type `wanted` as its stored bytes; any other payload is skipped.
    pub fn array(&mut self, tag: Tag, wanted: Tag) -> Result<Option<Span>, Error> {
        let width = match tag {
            Tag::ByteArray => 1,
            Tag::IntArray => 4,
            Tag::LongArray => 8,
            _ => {
                self.skip(tag)?;
                return Ok(None);
            }
        };

        let len = self.len()?;
        let start = self.at as u32;
        self.take(len.saturating_mul(width))?;

        Ok((tag == wanted).then_some(Span {
            start,
            len: (len * width) as u32,
        }))
    }

    /// Reads an array of `N` ints; any other payload is skipped.
    pub fn ints<const N: usize>(&mut self, tag: Tag) -> Result<Option<[i32; N]>, Error> {
        let Some(array) = self.array(tag, Tag::IntArray)? else {
            return Ok(None);
        };
        let (ints, rest) = array.slice(self.bytes).as_chunks();
        if !rest.is_empty() {
            return Ok(None);
        }

        let ints = <[[u8; 4]; N]>::try_from(ints).ok();
        Ok(ints.map(|ints| ints.map(|int| i32::from_be_bytes(big_endian::<LITTLE, 4>(int)))))
    }

    /// Reads a list of `N` doubles; any other payload is skipped.
    pub fn doubles<const N: usize>(&mut self, tag: Tag) -> Result<Option<[f64; N]>, Error> {
        let Some((list, elements)) = self.whole_list(tag)? else {
            return Ok(None);
        };
        if list.tag != Tag::Double {
            return Ok(None);
        }

        let (doubles, _) = elements.slice(self.bytes).as_chunks();
        let doubles = <[[u8; 8]; N]>::try_from(doubles).ok();
        Ok(doubles.map(|doubles| {
            doubles.map(|double| f64::from_be_bytes(big_endian::<LITTLE, 8>(double)))
        }))
    }

    /// Enters a list; any other payload is skipped. The caller must read or skip each element, or
    /// skip all of them with [`Reader::skip_elements`], and then call [`Reader::leave`].
    #[inline]
    pub fn list(&mut self, tag: Tag) -> Result<Option<List>, Error> {
        if tag != Tag::List {
            self.skip(tag)?;
            return Ok(None);
        }

        let at = self.at;
        let tag = Tag::from_id(self.byte()?, at)?;
        let len = self.len()?;
        if tag == Tag::End && len > 0 {
            return Err(Error::Length(at as u32));
        }

        self.enter()?;

        Ok(Some(List {
            tag,
            len,
            start: self.at as u32,
        }))
    }

    /// Skips all elements of a list that was just entered.
    #[inline]
    pub fn skip_elements(&mut self, list: List) -> Result<(), Error> {
        match (list.tag.fixed_len(), list.tag) {
            (Some(width), _) => self.take(list.len.saturating_mul(width)).map(drop),
            (_, Tag::Compound) => self.skip_compounds(list.len),
            (_, Tag::String) => (0..list.len).try_for_each(|_| self.name().map(drop)),
            _ => (0..list.len).try_for_each(|_| self.skip(list.tag)),
        }
    }

    /// Reads a whole list and returns the bytes of its elements, which are checked by skipping
    /// them; any other payload is skipped.
    #[inline]
    pub fn whole_list(&mut self, tag: Tag) -> Result<Option<(List, Span)>, Error> {
        let Some(list) = self.list(tag)? else {
            return Ok(None);
        };
        self.skip_elements(list)?;
        self.leave();
        Ok(Some((
            list,
            Span {
                start: list.start,
                len: self.at as u32 - list.start,
            },
        )))
    }

    /// Leaves a list whose elements have all been read or skipped.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Skips the next payload.
    pub fn skip(&mut self, tag: Tag) -> Result<(), Error> {
        if let Some(width) = tag.fixed_len() {
            return self.take(width).map(drop);
        }

        match tag {
            Tag::String => self.name().map(drop),
            Tag::ByteArray | Tag::IntArray | Tag::LongArray => self.array(tag, tag).map(drop),
            Tag::List => {
                if let Some(list) = self.list(tag)? {
                    self.skip_elements(list)?;
                    self.leave();
                }
                Ok(())
            }
            Tag::Compound => self.skip_compounds(1),
            _ => Ok(()),
        }
    }

    /// Skips `count` successive compounds. Most of a chunk's tags are in the entries of its
    /// palettes and its lists of ticks, so numbers, strings and ends are skipped here without a
    /// call, with the position in a register.
    fn skip_compounds(&mut self, count: usize) -> Result<(), Error> {
        let bytes = self.bytes;
        let outside = self.depth;
        for _ in 0..count {
            self.enter()?;

            let mut at = self.at as u32;
            loop {
                // The sum of a 32-bit position and a length cannot overflow, so the compiler needs
                // only one comparison to check that they are inside the bytes.
                let start = at as usize;
                if let Some(&[id, first, second]) = bytes
                    .get(start..start + 3)
                    .and_then(|entry| entry.first_chunk::<3>())
                {
                    let payload = start + 3 + string_len::<LITTLE>(first, second);
                    let end = match id {
                        STRING => match bytes.get(payload..payload + 2) {
                            Some(&[first, second]) => {
                                payload + 2 + string_len::<LITTLE>(first, second)
                            }
                            _ => usize::MAX,
                        },
                        END => start + 1,
                        1..=6 => payload + FIXED[usize::from(id)],
                        COMPOUND => payload,
                        _ => usize::MAX,
                    };

                    if end <= bytes.len() {
                        at = end as u32;

                        if id == END {
                            self.depth -= 1;
                            if self.depth == outside {
                                self.at = end;
                                break;
                            }
                        } else if id == COMPOUND {
                            self.at = end;
                            self.enter()?;
                        }

                        continue;
                    }

                    if id <= 6 {
                        return Err(Error::Truncated(at));
                    }
                }

                // Lists, arrays, and an entry that the end of the bytes cuts off.
                self.at = start;

                match self.entry()? {
                    Some((Tag::Compound, _)) => self.enter()?,
                    Some((tag, _)) => self.skip(tag)?,
                    None if self.depth > outside => {}
                    None => break,
                }

                at = self.at as u32;
            }
        }

        Ok(())
    }
}

/// Returns whether `bytes` begin with a whole compound.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    end(bytes).is_ok()
}

/// Returns whether `bytes` are a whole compound with nothing after it. The bytes of a record that a
/// game is writing over may begin with a compound by chance, but hardly end with it.
pub(crate) fn is_exactly_whole(bytes: &[u8]) -> bool {
    end(bytes) == Ok(bytes.len())
}

/// Returns the end of the compound with which `bytes` begin.
fn end(bytes: &[u8]) -> Result<usize, Error> {
    let mut reader = Reader::root(bytes)?;
    while let Some((tag, _)) = reader.entry()? {
        reader.skip(tag)?;
    }
    Ok(reader.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{a: 5b, b: [L; 7], c: [{}, {}], d: "x"}` in an unnamed root.
    fn sample() -> Vec<u8> {
        let mut bytes = vec![10, 0, 0];
        bytes.extend([1, 0, 1, b'a', 5]);
        bytes.extend([12, 0, 1, b'b', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7]);
        bytes.extend([9, 0, 1, b'c', 10, 0, 0, 0, 2, 0, 0]);
        bytes.extend([8, 0, 1, b'd', 0, 1, b'x']);
        bytes.push(0);
        bytes
    }

    fn walk(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        names(Reader::root(bytes)?)
    }

    fn names<const LITTLE: bool>(mut reader: OrderedReader<'_, LITTLE>) -> Result<Vec<u8>, Error> {
        let mut names = Vec::new();
        while let Some((tag, name)) = reader.entry()? {
            names.extend_from_slice(name);
            reader.skip(tag)?;
        }
        Ok(names)
    }

    #[test]
    fn wanted_tags_are_taken_and_others_skipped() {
        let bytes = sample();
        assert_eq!(walk(&bytes).unwrap(), b"abcd");

        let mut reader = Reader::root(&bytes).unwrap();
        let (tag, _) = reader.entry().unwrap().unwrap();
        assert_eq!(reader.int(tag).unwrap(), Some(5));

        let (tag, _) = reader.entry().unwrap().unwrap();
        let longs = reader.array(tag, Tag::LongArray).unwrap().unwrap();
        assert_eq!(longs.slice(&bytes), [0, 0, 0, 0, 0, 0, 0, 7]);

        let (tag, _) = reader.entry().unwrap().unwrap();
        let list = reader.list(tag).unwrap().unwrap();
        assert_eq!((list.tag, list.len), (Tag::Compound, 2));
        reader.skip_elements(list).unwrap();
        reader.leave();
        let (tag, _) = reader.entry().unwrap().unwrap();
        assert_eq!(reader.string(tag).unwrap(), Some(&b"x"[..]));
        assert_eq!(reader.entry().unwrap(), None);
    }

    #[test]
    fn every_truncation_is_an_error_and_no_panic() {
        let bytes = sample();
        for len in 0..bytes.len() {
            assert!(walk(&bytes[..len]).is_err(), "cut to {len}");
        }
    }

    #[test]
    fn a_compound_is_skipped_as_a_whole() {
        let mut inner = vec![10, 0, 1, b'o'];
        for (id, len) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 4), (6, 8)] {
            inner.extend([id, 0, 2, b'n', b'n']);
            inner.extend([0xff].repeat(len));
        }

        inner.extend([
            8, 0, 1, b's', 0, 3, b'x', b'y', b'z', 10, 0, 1, b'c', 8, 0, 0, 0, 0, 0,
        ]);
        inner.extend([
            9, 0, 1, b'l', 8, 0, 0, 0, 2, 0, 1, b'x', 0, 0, 7, 0, 0, 0, 0, 0, 1, 9,
        ]);

        inner.extend([
            9, 0, 1, b'm', 10, 0, 0, 0, 2, 1, 0, 0, 1, 0, 10, 0, 0, 0, 0, 0,
        ]);
        let bytes = [&[10, 0, 0][..], &inner, &[1, 0, 1, b'z', 1, 0]].concat();
        assert_eq!(walk(&bytes).unwrap(), b"oz");

        for len in 0..bytes.len() {
            assert!(walk(&bytes[..len]).is_err(), "cut to {len}");
        }

        assert_eq!(
            walk(&bytes[..10]),
            Err(Error::Truncated(7)),
            "a number is named by where its entry starts"
        );
    }

    #[test]
    fn little_endian_numbers_and_lengths_are_read() {
        let mut inner = vec![
            1, 1, 0, b'b', 0xfe, 2, 1, 0, b's', 0xfe, 0xff, 3, 1, 0, b'i', 1, 2, 0, 0,
        ];
        inner.extend([
            4, 1, 0, b'l', 1, 0, 0, 0, 1, 0, 0, 0, 8, 1, 0, b't', 2, 0, b'x', b'y',
        ]);

        inner.extend([
            11, 1, 0, b'a', 2, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
        ]);
        inner.extend([
            9, 1, 0, b'm', 10, 2, 0, 0, 0, 8, 1, 0, b'n', 1, 0, b'z', 5, 1, 0, b'f', 0, 0, 0, 0, 0,
            0, 0,
        ]);

        let bytes = [&[10, 0, 0][..], &inner].concat();
        for mut reader in [
            LittleReader::root(&bytes).unwrap(),
            LittleReader::in_compound(&inner),
        ] {
            let mut numbers = Vec::new();
            while let Some((tag, name)) = reader.entry().unwrap() {
                match name {
                    b"t" => assert_eq!(reader.string(tag).unwrap(), Some(&b"xy"[..])),
                    b"a" => assert_eq!(reader.ints(tag).unwrap(), Some([1, -1])),
                    b"m" => assert_eq!(reader.whole_list(tag).unwrap().unwrap().0.len, 2),
                    _ => numbers.push(reader.int(tag).unwrap().unwrap()),
                }
            }

            assert_eq!(numbers, [-2, -2, 0x201, 0x1_0000_0001]);
        }

        for len in 0..inner.len() {
            assert!(
                names(LittleReader::in_compound(&inner[..len])).is_err(),
                "cut to {len}"
            );
        }
    }

    #[test]
    fn a_repeated_stretch_is_passed_in_one_step() {
        let bytes = b"abc-abd-abc-xbc";
        let reader = |at| Reader {
            bytes,
            at,
            depth: 1,
        };

        let mut same = reader(4);
        assert_eq!(
            (same.skip_repeated(0..3, 2), same.position()),
            (Some(b'd'), 7)
        );

        assert_eq!(
            reader(4).skip_repeated(0..3, 1),
            None,
            "another byte differs"
        );
        assert_eq!(reader(12).skip_repeated(0..3, 2), None);
        assert_eq!(reader(12).skip_repeated(0..3, 0), Some(b'x'));
        assert_eq!(reader(13).skip_repeated(0..3, 1), None, "the bytes end");
        assert_eq!(reader(8).skip_repeated(0..4, 3), Some(b'-'));
    }

    #[test]
    fn a_result_fits_a_register() {
        assert_eq!(size_of::<Result<(), Error>>(), 8);
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let mut bytes = vec![10, 0, 0, 9, 0, 0];
        bytes.extend([9, 0, 0, 0, 1].repeat(100_000));
        assert!(matches!(walk(&bytes), Err(Error::Depth(_))));
        let mut bytes = vec![10, 0, 0];
        bytes.extend([10, 0, 0].repeat(100_000));
        assert!(matches!(walk(&bytes), Err(Error::Depth(_))));
    }

    #[test]
    fn impossible_lengths_are_refused() {
        let array = [10, 0, 0, 12, 0, 0, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(walk(&array), Err(Error::Length(6)));
        let long = [10, 0, 0, 12, 0, 0, 0x7f, 0xff, 0xff, 0xff];
        assert_eq!(walk(&long), Err(Error::Truncated(10)));
        let list_of_nothing = [10, 0, 0, 9, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0];
        assert!(walk(&list_of_nothing).is_err());
        assert_eq!(walk(&[10, 0, 0, 13, 0, 0]), Err(Error::Tag(13, 3)));
        assert_eq!(walk(&[1, 0, 0, 1]), Err(Error::Root));
    }
}
