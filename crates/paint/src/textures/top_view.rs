//! Draws models from above. At each point of a block the highest upward face is on top. If all
//! faces of the block face sideways, the texture of its sides is drawn flat instead: plants are
//! upright planes, which would be only a thin line from above.

use std::sync::Arc;

use crate::textures::picture::{Picture, SIDE, Texel, mean};
use crate::textures::store::TextureStore;
use pixelmap_world::pack::PackError;

use crate::palette::resolver::model::{BoxSide, Element, Face, Model, Rotation, SIDES};
use crate::palette::resolver::states::Apply;
use crate::palette::resolver::texture::Texture;

/// The limit of the faces of one block that are drawn. The game's blocks have fewer than 200.
const MAX_FACES: usize = 4096;
/// The samples along a point's side if textures are finer than points.
const FINE: usize = 4;
/// Faces with less area than this from above count as side faces.
const LEAST_UP: f32 = 1e-3;
/// The height of a block, in sixteenths.
const FULL: f32 = 16.0;
/// How much darker a point is for each sixteenth of a block that it is lower, over 256. This makes
/// the steps of stairs visible.
const DARKER: f32 = 4.0;

/// Cosine and sine of 0 to 4 steps of 22.5 degrees. They are in a table so that no platform's
/// functions affect a texel.
const TURNS: [(f32, f32); 5] = [
    (1.0, 0.0),
    (0.923_879_5, 0.382_683_43),
    (
        std::f32::consts::FRAC_1_SQRT_2,
        std::f32::consts::FRAC_1_SQRT_2,
    ),
    (0.382_683_43, 0.923_879_5),
    (0.0, 1.0),
];

type Point = [f32; 3];

/// The faces of a block that may be visible.
#[derive(Debug, Default)]
pub(super) struct BlockFaces {
    up: Vec<PlacedFace>,
    side: Vec<PlacedFace>,
    /// The texture of a fluid, which covers the whole block.
    whole: Option<Arc<Texture>>,
    /// Whether a texture is finer than points.
    is_fine: bool,
}

/// A face at its place in the block.
#[derive(Debug)]
struct PlacedFace {
    /// The upper left corner of the face's texture.
    corner: Point,
    /// The texture's upper edge and left edge, as vectors from the corner.
    across: Point,
    down: Point,
    texture: Arc<Texture>,
    /// `[u1, v1, u2, v2]` in sixteenths of the texture.
    uv: [f32; 4],
    /// Quarter turns of the texture on the face.
    turns: u8,
    /// Whether the texture does not turn with the model.
    is_uv_locked: bool,
    tinted: bool,
}

impl BlockFaces {
    /// Makes a fluid, which shows this texture on the whole block.
    ///
    /// # Errors
    /// Fails if the texture is missing or damaged.
    pub(super) fn fluid(store: &TextureStore, still: &str) -> Result<Self, PackError> {
        let mut fluid = Self::default();
        fluid.whole = Some(fluid.texture(store, still)?);
        Ok(fluid)
    }

    /// Adds a model of the block.
    ///
    /// # Errors
    /// Fails if a texture is missing or damaged.
    pub(super) fn add(
        &mut self,
        store: &TextureStore,
        model: &Model,
        apply: &Apply,
    ) -> Result<(), PackError> {
        for element in &model.elements {
            for ((side, _), face) in SIDES.into_iter().zip(&element.faces) {
                let Some(face) = face else { continue };
                let outline = Outline::new(element, side).turned(element.rotation, apply);
                let height = outline.up();
                if height < -LEAST_UP || self.up.len() + self.side.len() >= MAX_FACES {
                    continue;
                }

                let texture = self.texture(store, model.texture(&face.texture)?)?;
                let placed = outline.placed(face, texture, element, side, apply);
                if height > LEAST_UP {
                    self.up.push(placed);
                } else {
                    self.side.push(placed);
                }
            }
        }

        Ok(())
    }

    /// Returns whether a face of the models is visible from above.
    pub(super) fn has_upper_face(&self) -> bool {
        !self.up.is_empty()
    }

    fn texture(&mut self, store: &TextureStore, name: &str) -> Result<Arc<Texture>, PackError> {
        let texture = store.texture(name)?;
        self.is_fine |= texture.width() > SIDE as u32;
        Ok(texture)
    }

    /// Returns the picture of all models that were added, or `None` if it is empty.
    pub(super) fn picture(&self) -> Option<Picture> {
        if let Some(whole) = &self.whole {
            return self.draw(&|x, z| texel(whole.at(x / 16.0, z / 16.0), false));
        }

        self.draw(&|x, z| self.seen_at(x, z))
            .or_else(|| self.draw(&|x, z| self.flat_at(x, z)))
    }

    /// Draws a picture from the texels at its points, or returns `None` if it is empty.
    fn draw(&self, point: &dyn Fn(f32, f32) -> Texel) -> Option<Picture> {
        let mut full = [Texel::default(); SIDE * SIDE];
        for (index, texel) in full.iter_mut().enumerate() {
            let [x, z] = [index % SIDE, index / SIDE].map(|at| at as f32);
            *texel = if self.is_fine {
                fine_point(x, z, point)
            } else {
                point(x + 0.5, z + 0.5)
            };
        }

        Picture::new(&full)
    }

    /// Returns the visible texel of the upward faces at a point.
    fn seen_at(&self, x: f32, z: f32) -> Texel {
        let mut hits: Vec<(f32, Texel)> =
            self.up.iter().filter_map(|face| face.hit(x, z)).collect();
        // The sort is stable, so of faces with equal heights the later one is on top.
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        hits.into_iter()
            .fold(Texel::default(), |below, (_, over)| lay_over(below, over))
    }

    /// Returns the texel at a point if the texture of the first side face is drawn flat.
    fn flat_at(&self, x: f32, z: f32) -> Texel {
        let Some(first) = self.side.first() else {
            return Texel::default();
        };
        let alike = self
            .side
            .iter()
            .filter(|face| Arc::ptr_eq(&face.texture, &first.texture));
        let mut here = alike.filter(|face| face.shows(x, z));
        here.next().map_or_else(Texel::default, |face| {
            texel(face.texture.at(x / 16.0, z / 16.0), face.tinted)
        })
    }
}

/// Returns the mean of samples inside a point.
fn fine_point(x: f32, z: f32, point: &dyn Fn(f32, f32) -> Texel) -> Texel {
    let within = |at: usize| (at as f32 + 0.5) / FINE as f32;
    let samples: [Texel; FINE * FINE] =
        std::array::from_fn(|at| point(x + within(at % FINE), z + within(at / FINE)));
    mean(samples)
}

const fn texel([r, g, b, alpha]: [u8; 4], tinted: bool) -> Texel {
    if alpha == 0 {
        return Texel {
            rgb: [0; 3],
            alpha: 0,
            tinted: 0,
        };
    }

    Texel {
        rgb: [r, g, b],
        alpha,
        tinted: if tinted { 255 } else { 0 },
    }
}

/// Darkens a pixel depending on its height in the block.
fn darkened([r, g, b, alpha]: [u8; 4], height: f32) -> [u8; 4] {
    let factor = 256 - ((FULL - height.clamp(0.0, FULL)) * DARKER) as u32;
    let [r, g, b] = [r, g, b].map(|channel| (u32::from(channel) * factor / 256) as u8);
    [r, g, b, alpha]
}

/// Lays one texel over another.
fn lay_over(below: Texel, over: Texel) -> Texel {
    if over.alpha == 255 || below.alpha == 0 {
        return if over.alpha == 0 { below } else { over };
    }

    let top = u32::from(over.alpha) * 255;
    let rest = u32::from(below.alpha) * (255 - u32::from(over.alpha));
    let whole = (top + rest).max(1);
    let mix = |over: u8, below: u8| {
        ((u32::from(over) * top + u32::from(below) * rest + whole / 2) / whole) as u8
    };

    Texel {
        rgb: std::array::from_fn(|c| mix(over.rgb[c], below.rgb[c])),
        alpha: (whole / 255) as u8,
        tinted: mix(over.tinted, below.tinted),
    }
}

fn sum(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

fn difference(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// Turns a point of a model with its box and then with the model.
fn turned(point: Point, rotation: Option<Rotation>, apply: &Apply) -> Point {
    let mut point = rotation.map_or(point, |rotation| rotated(point, rotation));
    for _ in 0..apply.x {
        point = [point[0], point[2], 16.0 - point[1]];
    }
    for _ in 0..apply.y {
        point = [16.0 - point[2], point[1], point[0]];
    }

    point
}

/// The outline of a face: the upper left corner of its texture, and the two edges that begin there.
#[derive(Debug, Clone, Copy)]
struct Outline {
    corner: Point,
    across: Point,
    down: Point,
}

impl Outline {
    fn new(element: &Element, side: BoxSide) -> Self {
        let Element {
            from: [x0, y0, z0],
            to: [x1, y1, z1],
            ..
        } = *element;

        let [dx, dy, dz] = [x1 - x0, y1 - y0, z1 - z0];
        let (corner, across, down) = match side {
            BoxSide::Up => ([x0, y1, z0], [dx, 0.0, 0.0], [0.0, 0.0, dz]),
            BoxSide::Down => ([x0, y0, z1], [dx, 0.0, 0.0], [0.0, 0.0, -dz]),
            BoxSide::North => ([x1, y1, z0], [-dx, 0.0, 0.0], [0.0, -dy, 0.0]),
            BoxSide::South => ([x0, y1, z1], [dx, 0.0, 0.0], [0.0, -dy, 0.0]),
            BoxSide::West => ([x0, y1, z0], [0.0, 0.0, dz], [0.0, -dy, 0.0]),
            BoxSide::East => ([x1, y1, z1], [0.0, 0.0, -dz], [0.0, -dy, 0.0]),
        };

        Self {
            corner,
            across,
            down,
        }
    }

    /// Returns the outline in the block, turned with its box and then with the model.
    fn turned(self, rotation: Option<Rotation>, apply: &Apply) -> Self {
        let ends = [
            self.corner,
            sum(self.corner, self.across),
            sum(self.corner, self.down),
        ];
        let [corner, right, bottom] = ends.map(|point| turned(point, rotation, apply));
        let across = difference(right, corner);
        let down = difference(bottom, corner);

        Self {
            corner,
            across,
            down,
        }
    }

    /// Returns the area of the outline from above. It is negative if the face faces down.
    fn up(&self) -> f32 {
        self.down[2] * self.across[0] - self.down[0] * self.across[2]
    }

    fn placed(
        self,
        face: &Face,
        texture: Arc<Texture>,
        element: &Element,
        side: BoxSide,
        apply: &Apply,
    ) -> PlacedFace {
        let Self {
            corner,
            across,
            down,
        } = self;

        PlacedFace {
            corner,
            across,
            down,
            texture,
            uv: face.uv.unwrap_or_else(|| element.usual_uv(side)),
            turns: face.turns,
            is_uv_locked: apply.is_uv_locked && element.rotation.is_none(),
            tinted: face.tinted,
        }
    }
}

/// Returns the place of a box's point after the turn of the box.
fn rotated(
    point: Point,
    Rotation {
        origin,
        axis,
        steps,
        is_rescaled,
    }: Rotation,
) -> Point {
    let (cosine, sine) = TURNS[usize::from(steps.unsigned_abs()).min(4)];
    let sine = if steps < 0 { -sine } else { sine };

    // The two axes across the turning axis, in the order in which a right-handed turn leads from
    // the first to the second.
    let (a, b) = [(1, 2), (2, 0), (0, 1)][axis];

    let scale = if is_rescaled && cosine > 0.1 {
        1.0 / cosine
    } else {
        1.0
    };

    let [da, db] = [a, b].map(|axis| (point[axis] - origin[axis]) * scale);
    let mut turned = point;
    turned[a] = origin[a] + da * cosine - db * sine;
    turned[b] = origin[b] + da * sine + db * cosine;

    turned
}

impl PlacedFace {
    /// Returns the height and the texel of the face above a point, or `None` if the point is
    /// outside the face.
    fn hit(&self, x: f32, z: f32) -> Option<(f32, Texel)> {
        let Self {
            corner,
            across,
            down,
            ..
        } = self;
        let [dx, dz] = [x - corner[0], z - corner[2]];
        let area = across[0] * down[2] - across[2] * down[0];

        let s = (dx * down[2] - dz * down[0]) / area;
        let t = (across[0] * dz - across[2] * dx) / area;
        let is_inside = (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t);
        is_inside.then(|| {
            let pixel = if self.is_uv_locked {
                self.texture.at(x / 16.0, z / 16.0)
            } else {
                self.pixel(s, t)
            };
            let height = corner[1] + s * across[1] + t * down[1];
            (height, texel(darkened(pixel, height), self.tinted))
        })
    }

    /// Returns the texture's pixel at a share of the face's width and height.
    fn pixel(&self, mut s: f32, mut t: f32) -> [u8; 4] {
        for _ in 0..self.turns {
            (s, t) = (t, 1.0 - s);
        }
        let [u1, v1, u2, v2] = self.uv;
        self.texture
            .at((u1 + s * (u2 - u1)) / 16.0, (v1 + t * (v2 - v1)) / 16.0)
    }

    /// Returns whether the face shows this point of its texture.
    fn shows(&self, x: f32, z: f32) -> bool {
        let [u1, v1, u2, v2] = self.uv;
        (u1.min(u2)..u1.max(u2)).contains(&x) && (v1.min(v2)..v1.max(v2)).contains(&z)
    }
}
