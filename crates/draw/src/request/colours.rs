//! Chooses the palette of a run: the user's choices on top of the world's data packs and the
//! assets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;
use pixelmap_base::words::PALETTE_GENERATE;
use pixelmap_paint::palette::UnknownBlocks;
use pixelmap_paint::palette::resolver::{
    Assets, BUILT_IN_RULES, Climates, Colormaps, GeneratedTable, Registry, Rules, TableSources,
    generate,
};
use pixelmap_paint::palette::{Base, Palette, PaletteError};
use pixelmap_paint::textures::Textures;
use pixelmap_world::internal::{DimensionTypes, World};
use pixelmap_world::names::{Names, NumericNames};
use pixelmap_world::pack::{self, Budget, Pack, PackError, PackOpener};

/// The largest colour file that is read, in bytes. A file with all blocks of the game has about
/// 100,000.
const MAX_FILE: u64 = 16 << 20;

/// The most warnings about damaged packs.
const MAX_NOTES: usize = 50;

/// The user's choice of colours.
#[derive(Debug, Clone, Default)]
pub struct Colours {
    /// `texture`, `map-item` or colour files. Later ones override earlier ones.
    pub palettes: Vec<PathBuf>,
    /// How to draw blocks that no palette has.
    pub unknown: UnknownBlocks,
    /// Jars and packs. Later ones override earlier ones.
    pub assets: Vec<PathBuf>,
}

/// The reason why the requested colours cannot be used.
#[derive(Debug, Error)]
pub enum ColourError {
    /// A colour file cannot be read.
    #[error(
        "the palette {}: {}; give texture, map-item or the path of a colour file",
        .0.display(),
        .1
    )]
    Unreadable(PathBuf, std::io::Error),
    /// A line of a colour file has no meaning.
    #[error(transparent)]
    Line(#[from] PaletteError),
    /// A jar or pack cannot be read.
    #[error(transparent)]
    Assets(#[from] PackError),
}

impl ColourError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Unreadable(_, error) => retryable(error),
            Self::Line(_) => false,
            Self::Assets(error) => error.retryable,
        }
    }
}

/// The parts of a run that depend on packs: its palette, and the types of its dimensions.
#[derive(Debug)]
pub(crate) struct RunColours {
    pub(crate) palette: Arc<Palette>,
    pub(crate) dimension_types: DimensionTypes,
    /// The textures of the assets, if they are requested.
    pub(crate) textures: Option<Arc<Textures>>,
    /// Warnings about unreadable parts of the packs.
    pub(crate) notes: Vec<String>,
}

impl Colours {
    /// Returns the palette and the types of dimensions of a run over `world`.
    ///
    /// # Errors
    /// Fails if a named colour file, jar or pack cannot be used. Damage in the world's own packs is
    /// only a warning. But a retryable error in them fails as well, because the picture would
    /// change once the pack can be read.
    pub(crate) fn choose(
        &self,
        world: &World,
        with_textures: bool,
    ) -> Result<RunColours, ColourError> {
        let mut notes = Vec::new();
        let own = if world.is_bedrock() {
            open_own(world, &mut notes)?
        } else {
            Vec::new()
        };

        let assets = open_packs(own, &self.assets, &mut notes)?;

        let mut climates = Climates::default();
        let mut dimension_types = DimensionTypes::with_dimensions(&world.described);
        for pack in assets.packs().rev() {
            add_pack(pack, &mut climates, &mut dimension_types, &mut notes)?;
        }

        // The world's own packs override the game and its mods. Only one of them is open at a time.
        let budget = Budget::default();

        let data_packs = if world.is_bedrock() {
            &[][..]
        } else {
            &world.packs
        };

        for path in data_packs {
            match Pack::open_in(&world.files, path, &budget) {
                Ok(pack) => add_pack(&pack, &mut climates, &mut dimension_types, &mut notes)?,
                Err(error) if error.retryable => return Err(error.into()),
                Err(error) => notes.push(format!("the data pack {error}; it is left out")),
            }
        }

        notes.extend(climates.warning());
        shorten_notes(&mut notes, MAX_NOTES);
        let tints = climates.tints(&Colormaps::from_assets(&assets));
        let has_biomes = !tints.is_empty();

        let mut palette = Palette::builtin().with_unknown(self.unknown);
        if world.is_bedrock() {
            palette = palette.with_bedrock_water();
        }

        palette = palette.with_biomes(tints);

        let mut textures = None;
        let has_assets = !self.assets.is_empty();
        if assets.packs().next().is_some() {
            let (made, assets) = from_assets(assets)?;
            if has_assets && made.text.is_empty() && made.problems.is_empty() && !has_biomes {
                notes.push(
                    "the assets contain neither block states nor biomes: add the game's client jar \
                     before packs of textures"
                        .to_owned(),
                );
            }

            notes.extend(unresolved_note(&made.problems));
            palette = palette.with_overrides("the assets", &made.text)?;

            if with_textures && has_assets {
                let made = Textures::new(assets)?;
                let shapes = made.properties(palette.names())?;
                palette = palette.with_shapes(shapes);
                textures = Some(Arc::new(made));
            }
        }

        for path in &self.palettes {
            palette = match path.to_str() {
                Some("texture") => palette.with_base(Base::Texture),
                Some("map-item") => palette.with_base(Base::MapItem),
                _ => palette.with_overrides(&path.display().to_string(), &text(path)?)?,
            };
        }

        Ok(RunColours {
            palette: Arc::new(palette),
            dimension_types,
            textures,
            notes,
        })
    }
}

/// Returns the names of a run: the palette's traits, the game's numeric ids, and the ids that this
/// world assigned to mods.
pub(crate) fn names(world: &World, palette: &Arc<Palette>) -> Arc<Names> {
    let numeric = NumericNames::of_world(&world.level.block_ids, &world.level.biome_ids);
    Arc::new(Names::new(palette.clone(), numeric))
}

/// Returns a warning about the blocks of the assets whose colours are unknown because of these
/// problems.
fn unresolved_note(problems: &[String]) -> Option<String> {
    let note = match problems {
        [] => return None,
        [only] => format!("the assets give no colour for a block: {only}"),
        [first, others @ ..] => format!(
            "the assets give no colour for {} blocks, first {first}; {PALETTE_GENERATE} lists all \
             of them",
            others.len() + 1
        ),
    };
    Some(note)
}

/// Adds the biomes and the types of dimensions of a pack, which override the ones of earlier packs.
/// `notes` gets a warning for each part of the pack that is damaged.
fn add_pack(
    pack: &Pack,
    climates: &mut Climates,
    dimension_types: &mut DimensionTypes,
    notes: &mut Vec<String>,
) -> Result<(), PackError> {
    if let Some(error) = pack.problem() {
        notes.push(format!("{error}; overlays of the pack are left out"));
    }

    for error in climates.add(pack) {
        if error.retryable {
            return Err(error);
        }
        notes.push(format!("{error}; it is left out"));
    }

    dimension_types.add(pack, notes)?;
    shorten_notes(notes, MAX_NOTES);

    Ok(())
}

/// Cuts the warnings to the first `most`, and adds a warning that there are more.
fn shorten_notes(notes: &mut Vec<String>, most: usize) {
    if notes.len() > most {
        notes.truncate(most);
        notes.push("the packs contain more damaged files than are named here".to_owned());
    }
}

/// Reads the text of a colour file.
fn text(path: &Path) -> Result<String, ColourError> {
    let read = Files::Disk.read(path, MAX_FILE + 1);
    let bytes = read.map_err(|error| ColourError::Unreadable(path.to_owned(), error))?;

    let name = path.display().to_string();

    if bytes.len() as u64 > MAX_FILE {
        let reason = "it has more than 16 MiB, so it is not a colour file";
        return Err(ColourError::Line(PaletteError::new(&name, 0, reason)));
    }

    String::from_utf8(bytes).map_err(|error| {
        let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = sound.split(|&byte| byte == b'\n').count();
        let reason = "it is not UTF-8: save the colour file as UTF-8";
        ColourError::Line(PaletteError::new(&name, line, reason))
    })
}

/// Opens the packs in the folder of a Bedrock world, the topmost first. `notes` gets a warning for
/// each pack that cannot be read. Each pack may be as large as one that `--assets` names.
fn open_own(world: &World, notes: &mut Vec<String>) -> Result<Vec<Pack>, PackError> {
    let mut packs = Vec::new();
    for path in world.packs.iter().rev() {
        match Pack::open_in(&world.files, path, &Budget::default()) {
            Ok(pack) => packs.push(pack),
            Err(error) if error.retryable => return Err(error),
            Err(error) => notes.push(format!("the pack {error}; it is left out")),
        }
    }

    shorten_notes(notes, MAX_NOTES);
    Ok(packs)
}

/// Opens jars and packs; later ones override earlier ones, and the packs of the world override all
/// of them. A folder of jars is replaced by its jars that contain assets or data. `notes` gets a
/// warning for each jar that cannot be read.
fn open_packs(
    own: Vec<Pack>,
    paths: &[PathBuf],
    notes: &mut Vec<String>,
) -> Result<Assets, PackError> {
    let mut opener = PackOpener::default();
    let mut sources = Vec::new();
    for path in paths {
        let jars = pack::jars(path)?;
        if jars.is_empty() {
            sources.push(Assets::open_source(path, &mut opener)?);
        }

        for jar in jars {
            match opener.open(&jar) {
                Ok(packs) => sources.push(packs.into_iter().filter(Assets::are_in).collect()),
                Err(error) if error.retryable => return Err(error),
                Err(error) => notes.push(format!("{error}; it is left out")),
            }
        }
    }

    notes.extend(
        opener
            .drain_problems()
            .map(|error| format!("{error}; it is left out")),
    );

    Ok(Assets::new(
        own.into_iter().chain(sources.into_iter().rev().flatten()),
    ))
}

/// Generates the colours of assets, and returns them with the assets.
fn from_assets(assets: Assets) -> Result<(GeneratedTable, Assets), ColourError> {
    let rules = Rules::parse("rules.tsv", BUILT_IN_RULES)?;
    let sources = TableSources {
        assets,
        registry: Registry::builtin(),
        rules,
    };
    Ok((generate(&sources)?, sources.assets))
}

/// Makes a colour file from jars and packs that the user owns, in the same way as the built-in
/// table. Later packs override earlier ones.
///
/// # Errors
/// Fails if a jar or pack cannot be read. Damage inside a pack only costs the damaged block and is
/// one of the problems.
pub fn generate_palette(assets: &[PathBuf]) -> Result<GeneratedTable, ColourError> {
    let mut problems = Vec::new();
    let assets = open_packs(Vec::new(), assets, &mut problems)?;
    let maps = Colormaps::from_assets(&assets);

    let mut climates = Climates::default();
    for pack in assets.packs().rev() {
        problems.extend(pack.problem().map(ToString::to_string));
        problems.extend(
            climates
                .add(pack)
                .into_iter()
                .map(|error| error.to_string()),
        );
    }

    problems.extend(climates.warning());
    let biomes = climates.lines(&maps);
    let (mut made, _) = from_assets(assets)?;
    made.text += &biomes;
    made.problems.extend(problems);

    Ok(made)
}

/// The result of checking a colour file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteCheck {
    /// The number of lines that are neither empty nor a comment.
    pub lines: usize,
    /// Lines about blocks or biomes that the game does not have: a typing error, or from a newer
    /// version.
    pub hints: Vec<PaletteError>,
}

/// The reason for refusing a line that gives water a colour of its own.
const OF_WATER: &str = "water has the colour of its biome: set that colour (biome NAME grass \
                        foliage water), write ffffff here, or give flags without water to draw it \
                        like other blocks";

/// Reads a colour file as a render would, and refuses lines that would have no effect.
///
/// # Errors
/// Fails if the file cannot be read, or a line has no meaning or no effect.
pub fn check_palette(path: &Path) -> Result<PaletteCheck, ColourError> {
    let name = path.display().to_string();
    let text = text(path)?;
    let builtin = Palette::builtin();
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let lines: Vec<(usize, &str)> = lines.collect();

    if let Some((index, _)) = lines
        .iter()
        .find(|(_, line)| builtin.is_lost_on_water(line))
    {
        return Err(ColourError::Line(PaletteError::new(
            &name,
            index + 1,
            OF_WATER,
        )));
    }

    let mut hints = Vec::new();
    for &(index, line) in &lines {
        if let Some(what) = builtin.is_nowhere(line) {
            let reason = format!("the game has no {what}");
            hints.push(PaletteError::new(&name, index + 1, reason));
        }
    }

    builtin.with_overrides(&name, &text)?;

    Ok(PaletteCheck {
        lines: lines.len(),
        hints,
    })
}

/// Returns the `DataVersion` of the newest release of the game that this program supports.
pub fn newest_data_version() -> i32 {
    Palette::newest_data_version()
}
