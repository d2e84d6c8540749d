//! Types for values in small NBT files that may have any type and any length. They keep only the
//! needed part in memory.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::save::dat::Dat;
use crate::save::dimensions::dimension::canonical_id;

/// The longest text that is kept, in bytes. Ids are shorter.
const MAX_TEXT: usize = 256;

/// A text or a number; a value of any other type is skipped.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnyValue {
    Text(String),
    Number(i64),
    Other,
}

impl AnyValue {
    /// Returns the dimension at a path, which is stored as an id or as a number, depending on the
    /// version. A missing value means the overworld.
    pub(crate) fn dimension(dat: &Dat, path: &str) -> String {
        match dat.get(path) {
            Some(Self::Text(id)) => canonical_id(&id),
            Some(Self::Number(number)) => canonical_id(&number.to_string()),
            Some(Self::Other) | None => "overworld".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = AnyValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<AnyValue, E> {
        Ok(if text.len() <= MAX_TEXT {
            AnyValue::Text(text.to_owned())
        } else {
            AnyValue::Other
        })
    }

    fn visit_bool<E>(self, _: bool) -> Result<AnyValue, E> {
        Ok(AnyValue::Other)
    }

    fn visit_unit<E>(self) -> Result<AnyValue, E> {
        Ok(AnyValue::Other)
    }

    fn visit_u64<E>(self, number: u64) -> Result<AnyValue, E> {
        Ok(i64::try_from(number).map_or(AnyValue::Other, AnyValue::Number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<AnyValue, E> {
        Ok(AnyValue::Number(number))
    }

    fn visit_f64<E>(self, _: f64) -> Result<AnyValue, E> {
        Ok(AnyValue::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AnyValue, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(AnyValue::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<AnyValue, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(AnyValue::Other)
    }
}

/// The first elements of a list, at most `MOST`; further ones are only counted.
#[derive(Debug)]
pub struct FirstOf<T, const MOST: usize> {
    pub first: Vec<T>,
    pub left_out: usize,
}

impl<T, const MOST: usize> Default for FirstOf<T, MOST> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            left_out: 0,
        }
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for FirstOf<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstVisitor(PhantomData))
    }
}

struct FirstVisitor<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for FirstVisitor<T, MOST> {
    type Value = FirstOf<T, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while first.len() < MOST {
            let Some(element) = list.next_element()? else {
                return Ok(FirstOf { first, left_out: 0 });
            };
            first.push(element);
        }

        let mut left_out = 0;
        while list.next_element::<IgnoredAny>()?.is_some() {
            left_out += 1;
        }

        Ok(FirstOf { first, left_out })
    }
}

/// The values of the first fields of a compound, at most `MOST`; further ones are only counted, and
/// all names are skipped.
pub(crate) struct FirstFields<T, const MOST: usize> {
    pub first: Vec<T>,
    pub left_out: usize,
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for FirstFields<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor(PhantomData))
    }
}

struct FieldsVisitor<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for FieldsVisitor<T, MOST> {
    type Value = FirstFields<T, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a compound")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while first.len() < MOST {
            let Some((_, value)) = fields.next_entry::<IgnoredAny, T>()? else {
                return Ok(FirstFields { first, left_out: 0 });
            };
            first.push(value);
        }

        let mut left_out = 0;
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            left_out += 1;
        }

        Ok(FirstFields { first, left_out })
    }
}

#[cfg(test)]
mod tests {
    use fastnbt::{ByteArray, IntArray, Value, from_bytes, nbt, to_bytes};
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Fields {
        value: AnyValue,
        after: i32,
    }

    #[test]
    fn values_of_all_types_are_read_or_skipped() {
        let list = Value::List(vec![Value::Byte(1); 5000]);
        let arrays = [
            Value::ByteArray(ByteArray::new(vec![1; 9])),
            Value::IntArray(IntArray::new(vec![1; 9])),
        ];

        let others = [list, nbt!({ "a": { "b": [1, 2] } }), Value::Double(0.5)];
        let cases = arrays
            .into_iter()
            .chain(others)
            .map(|value| (value, AnyValue::Other));

        let texts = [(
            Value::String("x".to_owned()),
            AnyValue::Text("x".to_owned()),
        )];
        let numbers = [
            (Value::Byte(-1), AnyValue::Number(-1)),
            (Value::Int(7), AnyValue::Number(7)),
        ];

        for (value, expected) in cases.chain(texts).chain(numbers) {
            let bytes = to_bytes(&nbt!({ "value": value.clone(), "after": 3 })).unwrap();
            let fields: Fields = from_bytes(&bytes).unwrap();
            assert_eq!((fields.value, fields.after), (expected, 3), "{value:?}");
        }
    }

    #[test]
    fn elements_after_the_first_are_counted() {
        #[derive(Deserialize)]
        struct StoredLists {
            list: FirstOf<i32, 3>,
            fields: FirstFields<i32, 2>,
            after: i32,
        }

        let fields = nbt!({ "a": 7, "b": 7, "c": 7 });
        let bytes =
            to_bytes(&nbt!({ "list": [1, 2, 3, 4, 5], "fields": fields, "after": 3 })).unwrap();

        let lists: StoredLists = from_bytes(&bytes).unwrap();
        let StoredLists {
            list,
            fields,
            after,
        } = lists;
        assert_eq!((list.first, list.left_out), (vec![1, 2, 3], 2));
        assert_eq!((fields.first, fields.left_out, after), (vec![7, 7], 1, 3));
    }
}
