//! Gives the little-endian NBT values of Bedrock Edition to serde, so that the same types can be
//! read from the worlds of both editions.
//!
//! Skipped values cost no recursion, and arrays are read by `Dat::bytes` only.

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::nbt::{self, LittleReader, Tag};

/// A payload that has not been read yet.
pub(crate) struct LittleValue<'r, 'a> {
    /// The bytes of the reader.
    pub(crate) bytes: &'a [u8],
    pub(crate) reader: &'r mut LittleReader<'a>,
    pub(crate) tag: Tag,
}

impl<'a> LittleValue<'_, 'a> {
    /// Reads the bytes of a number.
    fn number<const N: usize>(self) -> Result<[u8; N], Error> {
        let span = self.reader.skip_span(self.tag).map_err(fault)?;
        let bytes = span.slice(self.bytes);
        bytes
            .try_into()
            .map_err(|_| Error::custom("a number of another width"))
    }

    fn int(self) -> Result<i64, Error> {
        let int = self.reader.int(self.tag).map_err(fault)?;
        int.ok_or_else(|| Error::custom("not an integer"))
    }

    fn text(self) -> Result<&'a str, Error> {
        let text = self.reader.string(self.tag).map_err(fault)?;
        str::from_utf8(text.unwrap_or_default()).map_err(Error::custom)
    }
}

fn fault(error: nbt::Error) -> Error {
    Error::custom(error)
}

impl<'de> Deserializer<'de> for LittleValue<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.tag {
            Tag::Byte | Tag::Short | Tag::Int | Tag::Long => visitor.visit_i64(self.int()?),
            Tag::Float => visitor.visit_f32(f32::from_le_bytes(self.number()?)),
            Tag::Double => visitor.visit_f64(f64::from_le_bytes(self.number()?)),
            Tag::String => visitor.visit_borrowed_str(self.text()?),
            Tag::List => visit_list(self, visitor),
            Tag::Compound => visit_compound(self, visitor),
            Tag::End | Tag::ByteArray | Tag::IntArray | Tag::LongArray => {
                self.deserialize_ignored_any(visitor)
            }
        }
    }

    /// The game stores a truth value as a number.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.int()? != 0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.reader.skip(self.tag).map_err(fault)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier
    }
}

/// Passes the elements of a list to the visitor, and skips the ones that it leaves.
fn visit_list<'a, V: Visitor<'a>>(
    value: LittleValue<'_, 'a>,
    visitor: V,
) -> Result<V::Value, Error> {
    let LittleValue { bytes, reader, tag } = value;
    let Some(list) = reader.list(tag).map_err(fault)? else {
        return Err(Error::custom("not a list"));
    };

    let mut elements = Elements {
        bytes,
        reader,
        tag: list.tag,
        left: list.len,
    };
    let visited = visitor.visit_seq(&mut elements)?;

    for _ in 0..elements.left {
        reader.skip(list.tag).map_err(fault)?;
    }
    reader.leave();

    Ok(visited)
}

struct Elements<'r, 'a> {
    bytes: &'a [u8],
    reader: &'r mut LittleReader<'a>,
    tag: Tag,
    left: usize,
}

impl<'a> SeqAccess<'a> for &mut Elements<'_, 'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;

        let element = LittleValue {
            bytes: self.bytes,
            reader: &mut *self.reader,
            tag: self.tag,
        };
        seed.deserialize(element).map(Some)
    }
}

/// Passes the entries of a compound to the visitor, and skips the ones that it leaves.
fn visit_compound<'a, V: Visitor<'a>>(
    value: LittleValue<'_, 'a>,
    visitor: V,
) -> Result<V::Value, Error> {
    let LittleValue { bytes, reader, tag } = value;
    reader.compound(tag).map_err(fault)?;

    let mut entries = Entries {
        bytes,
        reader,
        tag: None,
        is_at_end: false,
    };
    let visited = visitor.visit_map(&mut entries)?;

    while !entries.is_at_end {
        entries.skip()?;
    }

    Ok(visited)
}

struct Entries<'r, 'a> {
    bytes: &'a [u8],
    reader: &'r mut LittleReader<'a>,
    /// The tag of the payload that follows the last name.
    tag: Option<Tag>,
    is_at_end: bool,
}

impl<'a> Entries<'_, 'a> {
    /// Reads the tag and the name of the next entry, and returns the name.
    fn name(&mut self) -> Result<Option<&'a [u8]>, Error> {
        let Some((tag, name)) = self.reader.entry().map_err(fault)? else {
            self.is_at_end = true;
            return Ok(None);
        };
        self.tag = Some(tag);
        Ok(Some(name))
    }

    fn skip(&mut self) -> Result<(), Error> {
        if let Some(tag) = self.tag.take() {
            self.reader.skip(tag).map_err(fault)?;
        }
        self.name().map(drop)
    }
}

impl<'a> MapAccess<'a> for &mut Entries<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.name()? else {
            return Ok(None);
        };
        let name = str::from_utf8(name).map_err(Error::custom)?;
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let Some(tag) = self.tag.take() else {
            return Err(Error::custom("a value without a name"));
        };
        seed.deserialize(LittleValue {
            bytes: self.bytes,
            reader: &mut *self.reader,
            tag,
        })
    }
}
