//! Chooses the dimensions that a folder of the mod gets, and the names of their folders.

use std::io::Read as _;
use std::sync::Arc;

use super::error::XaeroError;
use super::options::XaeroOptions;
use crate::request::ceilings;
use crate::request::hide::HiddenPlaces;
use crate::request::look::Look;
use crate::request::plan::find_dimensions;
use pixelmap_world::internal::{
    Dimension, DimensionTypes, UnreadableDimension, World, dimension_folder,
};
use pixelmap_world::names::NumericNames;

/// The map of a server that does not send the number of its world.
const DEFAULT_MAP: &str = "mw$default";
/// The file next to level.dat in which the mod's part on the server keeps that number.
const NUMBER_FILE: &str = "xaeromap.txt";
/// The most bytes of that file that are read.
const MAX_NUMBER_FILE: u64 = 4096;
/// The bytes that a chunk takes in the files of players at most.
const CHUNK_BYTES: u64 = 450;

/// A checked export to Xaero's World Map, which can begin.
#[derive(Debug)]
pub struct XaeroPlan<'w> {
    pub(super) world: &'w World,
    pub(super) options: XaeroOptions,
    /// The dimensions, each with the path of its folder.
    pub(super) dimensions: Vec<(&'w Dimension, String)>,
    /// The name of the map in each dimension.
    pub(super) map: String,
    pub(super) numeric: Arc<NumericNames>,
    /// Messages about dimensions that are left out.
    pub warnings: Vec<String>,
}

/// How much an export writes at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct XaeroAmount {
    pub regions: u64,
    pub chunks: u64,
    pub bytes: u64,
}

impl<'w> XaeroPlan<'w> {
    /// Chooses the dimensions.
    ///
    /// # Errors
    /// Fails if the world lacks a requested dimension, none can be written, or a chunk that decides
    /// whether a dimension is closed cannot be read now.
    pub fn new(world: &'w World, options: XaeroOptions) -> Result<Self, XaeroError> {
        let types = DimensionTypes::with_dimensions(&world.described);
        let mut dimensions: Vec<(&Dimension, String)> = Vec::new();
        let mut warnings = Vec::new();

        for dimension in find_dimensions(world, &options.dimensions)? {
            let id = &dimension.id;
            let folder = dimension_folder(id);
            if let Some(why) = UnreadableDimension::from_dimension(dimension) {
                warnings.push(why.to_string());
            } else if is_closed(world, &types, dimension)? {
                warnings.push(format!(
                    "left out: {id}: Xaero's World Map shows a dimension with a ceiling as caves, \
                     which are not written: players see it when they explore it"
                ));
            } else if dimensions.iter().any(|(_, other)| *other == folder) {
                warnings.push(format!(
                    "left out: {id}: another dimension has the folder {folder}: name this one alone"
                ));
            } else {
                dimensions.push((dimension, folder));
            }
        }

        if dimensions.is_empty() {
            return Err(XaeroError::NothingToWrite(warnings.join("; ")));
        }

        let numeric = NumericNames::of_world(&world.level.block_ids, &world.level.biome_ids);
        Ok(Self {
            world,
            map: map_name(world),
            numeric: Arc::new(numeric),
            options,
            dimensions,
            warnings,
        })
    }

    /// Counts the stored chunks, without reading them.
    ///
    /// # Errors
    /// Fails if a region file cannot be read now, but perhaps later.
    pub fn amount(&self) -> Result<XaeroAmount, XaeroError> {
        let mut amount = XaeroAmount::default();
        for (dimension, _) in &self.dimensions {
            for entry in &dimension.regions {
                let Some(region) = dimension.open(*entry)? else {
                    continue;
                };

                let chunks = region.stored().count() as u64;
                amount.regions += u64::from(chunks > 0);
                amount.chunks += chunks;
            }
        }

        amount.bytes = amount.chunks * CHUNK_BYTES;
        Ok(amount)
    }
}

fn is_closed(
    world: &World,
    types: &DimensionTypes,
    dimension: &Dimension,
) -> Result<bool, XaeroError> {
    let found = ceilings::find(
        world,
        types,
        dimension,
        &Look::default(),
        &HiddenPlaces::default(),
    )?;
    Ok(found.ceiling.is_some())
}

/// Returns the name of the map that players of this world see: by the number that their server
/// sends, if it has the mod.
fn map_name(world: &World) -> String {
    let mut text = String::new();
    let file = world.files.reader(&world.folder.join(NUMBER_FILE));
    let is_read =
        file.is_ok_and(|file| file.take(MAX_NUMBER_FILE).read_to_string(&mut text).is_ok());
    let number = text.lines().find_map(|line| {
        let number = line.trim().strip_prefix("id:")?;
        number.trim().parse::<i32>().ok()
    });
    match number {
        Some(number) if is_read => format!("mw${number}"),
        _ => DEFAULT_MAP.to_owned(),
    }
}
