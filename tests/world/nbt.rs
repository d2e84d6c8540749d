//! Writes NBT: every tag, lists of one kind, and mixed lists in the wrapped form of 1.21.5 and
//! later. Numbers are big-endian for Java Edition and little-endian for Bedrock Edition. Its
//! callers choose the names of tags.

/// One tag's payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Tag {
    Byte(i8),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bytes(Vec<u8>),
    String(String),
    /// Elements of several kinds are written as compounds: elements other than compounds become
    /// `{"": element}`.
    List(Vec<Tag>),
    Compound(Vec<(String, Tag)>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    /// A tag id and raw payload bytes, for invalid NBT.
    Raw(u8, Vec<u8>),
}

impl Tag {
    /// Makes a compound of these children, in this order.
    pub fn compound<const N: usize>(children: [(&str, Tag); N]) -> Self {
        Self::Compound(
            children
                .into_iter()
                .map(|(name, tag)| (name.to_owned(), tag))
                .collect(),
        )
    }

    /// Makes a string.
    pub fn string(text: &str) -> Self {
        Self::String(text.to_owned())
    }

    /// Adds or replaces a child of a compound.
    pub fn set(&mut self, name: &str, tag: Tag) {
        let children = self.children();
        match children.iter_mut().find(|(known, _)| known == name) {
            Some(child) => child.1 = tag,
            None => children.push((name.to_owned(), tag)),
        }
    }

    /// Removes and returns a child of a compound.
    pub fn remove(&mut self, name: &str) {
        self.children().retain(|(known, _)| known != name);
    }

    /// A child of a compound.
    pub fn child(&mut self, name: &str) -> &mut Tag {
        let found = self.children().iter_mut().find(|(known, _)| known == name);
        &mut found.unwrap_or_else(|| panic!("no tag named {name}")).1
    }

    /// The elements of a list.
    pub fn elements(&mut self) -> &mut Vec<Tag> {
        match self {
            Self::List(elements) => elements,
            other => panic!("not a list: {other:?}"),
        }
    }

    fn children(&mut self) -> &mut Vec<(String, Tag)> {
        match self {
            Self::Compound(children) => children,
            other => panic!("not a compound: {other:?}"),
        }
    }

    /// A whole document: this tag as the nameless root.
    pub fn document(&self) -> Vec<u8> {
        self.document_in(Order::GreatestFirst)
    }

    /// A whole document of Bedrock Edition.
    pub fn bedrock_document(&self) -> Vec<u8> {
        self.document_in(Order::LeastFirst)
    }

    fn document_in(&self, order: Order) -> Vec<u8> {
        let mut out = Out {
            bytes: vec![self.id()],
            order,
        };
        out.text("");
        self.put(&mut out);
        out.bytes
    }

    const fn id(&self) -> u8 {
        match self {
            Self::Byte(_) => 1,
            Self::Short(_) => 2,
            Self::Int(_) => 3,
            Self::Long(_) => 4,
            Self::Float(_) => 5,
            Self::Double(_) => 6,
            Self::Bytes(_) => 7,
            Self::String(_) => 8,
            Self::List(_) => 9,
            Self::Compound(_) => 10,
            Self::Ints(_) => 11,
            Self::Longs(_) => 12,
            Self::Raw(id, _) => *id,
        }
    }

    fn put(&self, out: &mut Out) {
        match self {
            Self::Byte(value) => out.bytes.push(*value as u8),
            Self::Short(value) => out.number(value.to_be_bytes()),
            Self::Int(value) => out.number(value.to_be_bytes()),
            Self::Long(value) => out.number(value.to_be_bytes()),
            Self::Float(value) => out.number(value.to_be_bytes()),
            Self::Double(value) => out.number(value.to_be_bytes()),
            Self::Bytes(values) => {
                out.count(values.len());
                out.bytes.extend(values);
            }
            Self::String(text) => out.text(text),
            Self::List(elements) => put_list(elements, out),
            Self::Compound(children) => {
                for (name, child) in children {
                    out.bytes.push(child.id());
                    out.text(name);
                    child.put(out);
                }
                out.bytes.push(0);
            }
            Self::Ints(values) => {
                out.count(values.len());
                for value in values {
                    out.number(value.to_be_bytes());
                }
            }
            Self::Longs(values) => {
                out.count(values.len());
                for value in values {
                    out.number(value.to_be_bytes());
                }
            }
            Self::Raw(_, bytes) => out.bytes.extend(bytes),
        }
    }
}

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    GreatestFirst,
    LeastFirst,
}

/// The parts of a document, in the order in which they are written.
struct Out {
    bytes: Vec<u8>,
    order: Order,
}

impl Out {
    /// A number, given with its greatest byte first.
    fn number<const N: usize>(&mut self, mut bytes: [u8; N]) {
        if self.order == Order::LeastFirst {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn count(&mut self, count: usize) {
        self.number(i32::try_from(count).unwrap().to_be_bytes());
    }

    /// Modified UTF-8: the same as UTF-8 but for NUL and for characters beyond U+FFFF, which no
    /// test needs.
    fn text(&mut self, text: &str) {
        assert!(
            text.chars()
                .all(|letter| letter != '\0' && letter <= '\u{ffff}'),
            "not writable: {text:?}"
        );
        self.number(u16::try_from(text.len()).unwrap().to_be_bytes());
        self.bytes.extend(text.as_bytes());
    }
}

fn put_list(elements: &[Tag], out: &mut Out) {
    let kind = elements.first().map_or(0, Tag::id);
    if elements.iter().all(|element| element.id() == kind) {
        out.bytes.push(kind);
        out.count(elements.len());
        for element in elements {
            element.put(out);
        }
        return;
    }

    out.bytes.push(10);
    out.count(elements.len());

    for element in elements {
        match element {
            Tag::Compound(_) => element.put(out),
            other => Tag::compound([("", other.clone())]).put(out),
        }
    }
}
