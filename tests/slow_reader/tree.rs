//! Reads NBT into a tree of values. Checks its bounds first, because `fastnbt` trusts depth and
//! text.

use std::collections::HashMap;

use fastnbt::Value;

use super::Reason;

/// The children of a compound.
pub type Compound = HashMap<String, Value>;

/// The most nested compounds and lists.
const MOST_DEPTH: usize = 512;

/// Returns the children of the root compound. Bytes after the document are ignored.
pub fn read(bytes: &[u8]) -> Result<Compound, Reason> {
    let mut walk = Walk {
        bytes: bytes.to_vec(),
        at: 0,
    };
    walk.document().ok_or(Reason::Nbt)?;
    fastnbt::from_bytes(&walk.bytes[..walk.at]).map_err(|_| Reason::Nbt)
}

/// A whole number of any width.
pub fn whole(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Byte(number) => Some(i64::from(*number)),
        Value::Short(number) => Some(i64::from(*number)),
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) => Some(*number),
        _ => None,
    }
}

/// A compound's children.
pub fn compound(value: Option<&Value>) -> Option<&Compound> {
    match value? {
        Value::Compound(children) => Some(children),
        _ => None,
    }
}

/// A list's elements.
pub fn list(value: Option<&Value>) -> Option<&[Value]> {
    match value? {
        Value::List(elements) => Some(elements),
        _ => None,
    }
}

/// Returns a string, which may be wrapped for a mixed list.
pub fn text(value: Option<&Value>) -> Option<&str> {
    match value? {
        Value::String(text) => Some(text),
        Value::Compound(children) => match children.get("")? {
            Value::String(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Checks a document once: lengths, depth, tag ids. Undecodable text becomes question marks.
struct Walk {
    bytes: Vec<u8>,
    at: usize,
}

impl Walk {
    fn document(&mut self) -> Option<()> {
        if self.byte()? != 10 {
            return None;
        }
        self.text()?;
        self.payload(10, 1)
    }

    fn byte(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count)?;
        (self.at <= self.bytes.len()).then_some(())
    }

    fn count(&mut self) -> Option<usize> {
        let four = self.bytes.get(self.at..)?.first_chunk::<4>()?;
        self.at += 4;
        usize::try_from(i32::from_be_bytes(*four)).ok()
    }

    fn text(&mut self) -> Option<()> {
        let length = usize::from(self.byte()?) << 8 | usize::from(self.byte()?);
        let text = self.bytes.get_mut(self.at..self.at + length)?;
        if cannot_be_read(text) {
            text.fill(b'?');
        }
        self.skip(length)
    }

    fn payload(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }

        match kind {
            1 => self.skip(1),
            2 => self.skip(2),
            3 | 5 => self.skip(4),
            4 | 6 => self.skip(8),
            8 => self.text(),
            7 | 11 | 12 => {
                let size = [1, 4, 8][usize::from(kind.saturating_sub(10))];
                let count = self.count()?;
                self.skip(count.checked_mul(size)?)
            }
            9 => {
                let kind = self.byte()?;
                let count = self.count()?;
                if kind > 12 || kind == 0 && count > 0 {
                    return None;
                }
                (0..count).try_for_each(|_| self.payload(kind, depth + 1))
            }
            10 => loop {
                let kind = self.byte()?;
                if kind == 0 {
                    return Some(());
                }
                self.text()?;
                self.payload(kind, depth + 1)?;
            },
            _ => None,
        }
    }
}

/// Returns whether a text contains a zero, as one byte or in the two bytes of modified UTF-8, or
/// whether `fastnbt` refuses it for another reason. No name of the game contains a zero. Asking
/// `fastnbt` is the surest test.
fn cannot_be_read(text: &[u8]) -> bool {
    if text.contains(&0) || text.windows(2).any(|two| two == [0xc0, 0x80]) {
        return true;
    }
    if text.is_ascii() {
        return false;
    }

    let mut document = vec![10, 0, 0, 8, 0, 0];
    document.extend((text.len() as u16).to_be_bytes());
    document.extend(text);
    document.push(0);

    fastnbt::from_bytes::<Compound>(&document).is_err()
}
