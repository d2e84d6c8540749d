//! Computes mean colours from above: the upward faces of models are laid over each other by height,
//! and their mean is taken.

use std::rc::Rc;

use crate::palette::resolver::model::{BoxSide, Element, Face};
use crate::palette::resolver::texture::Texture;

/// The number of samples along a side of the block if all textures have 16 pixels.
const SIDE: usize = 16;

/// The number of samples along a side if a texture is finer.
const FINE_SIDE: usize = 64;

#[derive(Debug)]
pub(super) struct ViewedFace<'a> {
    pub(super) element: &'a Element,
    /// The face's side of the box, in the model's own orientation.
    pub(super) side: BoxSide,
    pub(super) face: &'a Face,
    pub(super) texture: Rc<Texture>,
    /// Quarter turns of the model about the x axis.
    pub(super) x: u8,
    /// Quarter turns of the model about the y axis.
    pub(super) y: u8,
}

/// A mean colour in straight sRGB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    /// Weighted by alpha.
    pub(super) rgb: [f32; 3],
    /// How much of the area is covered, 0 to 1.
    pub(super) coverage: f32,
    /// Whether more than a third of the visible area is multiplied by the colour of the biome or a
    /// constant.
    pub(super) tinted: bool,
}

impl Mean {
    /// The mean of a block that is not visible, because its textures are transparent everywhere.
    pub(super) const CLEAR: Self = Self {
        rgb: [0.0; 3],
        coverage: 0.0,
        tinted: false,
    };

    pub(super) fn is_clear(&self) -> bool {
        self.coverage <= 0.0
    }
}

/// Returns the side of a model that faces up after `turns` quarter turns about the x axis.
///
/// The game's `x: 90` turns the north side down. For example, a piston with `facing=down` is the
/// north-facing model with `x: 90`.
pub(super) fn side_above(turns: u8) -> BoxSide {
    match turns {
        1 => BoxSide::South,
        2 => BoxSide::Down,
        3 => BoxSide::North,
        _ => BoxSide::Up,
    }
}

/// Returns the point of the unturned model that is at `point` once the model is turned.
fn unturned(point: [f32; 3], x: u8, y: u8) -> [f32; 3] {
    let [mut px, mut py, mut pz] = point;
    for _ in 0..y {
        // A quarter turn moves north to east: (x, z) to (16 - z, x). This is the inverse.
        (px, pz) = (pz, 16.0 - px);
    }

    for _ in 0..x {
        // A quarter turn moves (y, z) to (z, 16 - y). This is the inverse.
        (py, pz) = (16.0 - pz, py);
    }

    [px, py, pz]
}

impl ViewedFace<'_> {
    /// Returns the height of the face once the model is turned, in sixteenths of a block.
    fn height(&self) -> f32 {
        let Element { from, to, .. } = self.element;
        match self.side {
            BoxSide::South => to[2],
            BoxSide::Down => 16.0 - from[1],
            BoxSide::North => 16.0 - from[2],
            _ => to[1],
        }
    }

    /// Returns the colour of the face above (`px`, `pz`), or `None` if the place is outside the
    /// face.
    fn above(&self, px: f32, pz: f32) -> Option<[u8; 4]> {
        let point = unturned([px, self.height(), pz], self.x, self.y);
        let Element { from, to, .. } = self.element;
        let flat = match self.side {
            BoxSide::Up | BoxSide::Down => [0, 2],
            BoxSide::North | BoxSide::South => [0, 1],
            BoxSide::West | BoxSide::East => [2, 1],
        };
        let inside = flat
            .iter()
            .all(|&axis| point[axis] >= from[axis] && point[axis] < to[axis]);
        inside.then(|| self.colour_at(point))
    }

    fn colour_at(&self, point: [f32; 3]) -> [u8; 4] {
        let Element { from, to, .. } = self.element;
        let share = |axis: usize| (point[axis] - from[axis]) / (to[axis] - from[axis]).max(1e-6);
        let (s, t) = match self.side {
            BoxSide::Up => (share(0), share(2)),
            BoxSide::Down => (share(0), 1.0 - share(2)),
            BoxSide::North => (1.0 - share(0), 1.0 - share(1)),
            BoxSide::South => (share(0), 1.0 - share(1)),
            BoxSide::West => (share(2), 1.0 - share(1)),
            BoxSide::East => (1.0 - share(2), 1.0 - share(1)),
        };
        self.texel(s, t)
    }

    /// Returns the texture's pixel at a share of the face's width and height, counted from the
    /// face's upper left corner.
    fn texel(&self, mut s: f32, mut t: f32) -> [u8; 4] {
        for _ in 0..self.face.turns {
            (s, t) = (t, 1.0 - s);
        }

        let [u1, v1, u2, v2] = self
            .face
            .uv
            .unwrap_or_else(|| self.element.usual_uv(self.side));
        self.texture
            .at((u1 + s * (u2 - u1)) / 16.0, (v1 + t * (v2 - v1)) / 16.0)
    }
}

fn samples<'a>(textures: impl Iterator<Item = &'a Texture>) -> usize {
    if textures.map(Texture::width).max().unwrap_or(0) > SIDE as u32 {
        FINE_SIDE
    } else {
        SIDE
    }
}

/// Returns the mean of all that is visible from above, or `None` if the faces are empty or
/// transparent.
pub(super) fn from_above(mut faces: Vec<ViewedFace<'_>>) -> Option<Mean> {
    faces.sort_by(|a, b| a.height().total_cmp(&b.height()));

    let side = samples(faces.iter().map(|face| &*face.texture));
    let mut sum = Sum::default();
    for index in 0..side * side {
        let middle = |i: usize| (i as f32 + 0.5) * 16.0 / side as f32;

        let px = middle(index % side);
        let pz = middle(index / side);
        let mut pixel = Sum::default();
        for face in &faces {
            if let Some(over) = face.above(px, pz) {
                let alpha = f32::from(over[3]) / 255.0;
                pixel.scale(1.0 - alpha);
                pixel.add(over, alpha, face.face.tinted);
            }
        }

        sum.merge(&pixel);
    }

    sum.mean((side * side) as f32)
}

/// Returns the mean over all faces, each seen from its front.
pub(super) fn from_the_front(faces: &[ViewedFace<'_>]) -> Option<Mean> {
    let side = samples(faces.iter().map(|face| &*face.texture));
    let mut sum = Sum::default();
    for face in faces {
        sum.add_all(side, face.face.tinted, |s, t| face.texel(s, t));
    }
    sum.mean((side * side * faces.len()) as f32)
}

pub(super) fn whole(texture: &Texture) -> Option<Mean> {
    let side = samples(std::iter::once(texture));
    let mut sum = Sum::default();
    sum.add_all(side, false, |u, v| texture.at(u, v));
    sum.mean((side * side) as f32)
}

/// The sum of colours times alpha.
#[derive(Default)]
struct Sum {
    rgb: [f32; 3],
    alpha: f32,
    tinted: f32,
}

impl Sum {
    fn add(&mut self, pixel: [u8; 4], alpha: f32, tinted: bool) {
        for (sum, &channel) in self.rgb.iter_mut().zip(&pixel[..3]) {
            *sum += f32::from(channel) * alpha;
        }
        self.alpha += alpha;
        self.tinted += if tinted { alpha } else { 0.0 };
    }

    /// Adds `side` by `side` samples. `sample` returns the pixel at a share of the width and
    /// height.
    fn add_all(&mut self, side: usize, tinted: bool, sample: impl Fn(f32, f32) -> [u8; 4]) {
        for index in 0..side * side {
            let middle = |i: usize| (i as f32 + 0.5) / side as f32;
            let pixel = sample(middle(index % side), middle(index / side));
            self.add(pixel, f32::from(pixel[3]) / 255.0, tinted);
        }
    }

    fn scale(&mut self, factor: f32) {
        self.rgb = self.rgb.map(|channel| channel * factor);
        self.alpha *= factor;
        self.tinted *= factor;
    }

    fn merge(&mut self, other: &Self) {
        for (sum, channel) in self.rgb.iter_mut().zip(other.rgb) {
            *sum += channel;
        }
        self.alpha += other.alpha;
        self.tinted += other.tinted;
    }

    fn mean(&self, area: f32) -> Option<Mean> {
        (self.alpha > 0.0).then(|| Mean {
            rgb: self.rgb.map(|channel| channel / self.alpha),
            coverage: self.alpha / area,
            tinted: self.tinted * 3.0 > self.alpha,
        })
    }
}
