//! Records which world a folder shows, its content, and the naming of its tiles. These are chosen
//! when the folder is first used and then kept, so that one folder never mixes tiles of different
//! worlds or with different names.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::atlas::{
    Content, Format, FrameList, LayerFacts, MapFile, MapFolder, Naming, STATE, Scheme,
    is_site_of_worlds,
};
use crate::store::error::PublishError;
use pixelmap_base::disk::if_there;
use pixelmap_base::json;
use pixelmap_base::own_folder::{OwnFolder, Place};

/// The name of the file in the state folder that holds these facts.
pub(crate) const FILE: &str = "world.json";
/// The folder in the state folder that contains the parts of shards.
pub(crate) const PARTS: &str = "parts";

/// Returns the path of that file, relative to a map's folder.
#[cfg(feature = "object-store")]
pub fn begun_path() -> String {
    format!("{STATE}/{FILE}")
}

/// Returns how the tiles of a map's folder are counted, from the facts with which it was begun.
///
/// # Errors
/// The facts exist and cannot be read.
#[cfg(feature = "object-store")]
pub fn begun_scheme(folder: &OwnFolder) -> Result<Scheme, PublishError> {
    let begun = FolderIdentity::read(folder)?;
    Ok(begun.map(|begun| begun.naming().scheme).unwrap_or_default())
}

/// Returns the path of the state folder of the part with this name, relative to the map's folder.
pub(crate) fn part_state(name: &str) -> String {
    format!("{STATE}/{PARTS}/{name}")
}

/// Identifies a world. A world is recognised by its name and spawn after it was moved, and by its
/// path after it was renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    /// The block at which players start, as `[x, y, z]`.
    pub spawn: Option<[i32; 3]>,
    /// The path of the world on this machine. It is empty if the path is unknown.
    pub path: PathBuf,
}

impl Identity {
    /// Returns the world that a map shows, as recorded in its state folder or its published facts.
    /// If neither exists, the identity has only the map's name.
    ///
    /// # Errors
    /// The record exists and cannot be read.
    pub fn read(map: &MapFolder) -> Result<Self, PublishError> {
        let begun = FolderIdentity::read(map.folder())?;
        Ok(begun.map_or_else(|| Self::from_name(map.name()), |begun| begun.identity()))
    }

    /// Returns a world with only its name, if nothing else is known of it.
    pub(crate) fn from_name(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            spawn: None,
            path: PathBuf::new(),
        }
    }
}

/// The naming that the user asked for. For `None`, an existing map keeps its naming and a new map
/// takes the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WantedNaming {
    /// The scheme that counts tiles.
    pub scheme: Option<Scheme>,
    /// The file format of the tiles.
    pub format: Option<Format>,
}

impl From<Naming> for WantedNaming {
    fn from(Naming { scheme, format }: Naming) -> Self {
        Self {
            scheme: Some(scheme),
            format: Some(format),
        }
    }
}

/// The contents of [`FILE`]. The path of the world is only stored as a hash, because the folder may
/// be public.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FolderIdentity {
    name: String,
    spawn: Option<[i32; 3]>,
    place: Option<String>,
    #[serde(default)]
    pub(crate) content: Content,
    #[serde(default)]
    scheme: Scheme,
    #[serde(default)]
    format: Format,
}

impl FolderIdentity {
    /// Reads the facts from the state folder or, if that is gone, derives them from the published
    /// facts. Returns `None` if there are neither, or if they are damaged.
    ///
    /// # Errors
    /// The facts exist and cannot be read. This is an error so that the folder is not reused for
    /// another world.
    pub(crate) fn read(folder: &OwnFolder) -> Result<Option<Self>, PublishError> {
        let failed = PublishError::io(folder.path());
        match Self::read_in(
            &folder
                .place(STATE)
                .map_err(PublishError::io(folder.path()))?,
        )? {
            None => Self::read_published(folder).map_err(failed),
            begun => Ok(begun),
        }
    }

    /// Reads the facts from a state folder.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn read_in(state: &Place) -> Result<Option<Self>, PublishError> {
        let place = state.inside(FILE);
        let text = if_there(place.read()).map_err(PublishError::at(&place))?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    fn read_published(folder: &OwnFolder) -> io::Result<Option<Self>> {
        if is_site_of_worlds(folder)? {
            return Ok(Some(Self::new(
                &Identity::from_name(""),
                Content::Worlds,
                WantedNaming::default(),
            )));
        }

        if let Some(frames) = FrameList::read(folder)? {
            let world = Identity::from_name(&frames.name);
            return Ok(Some(Self::new(
                &world,
                Content::Frames,
                WantedNaming::default(),
            )));
        }

        let Some((content, map)) = MapFile::read_any(folder)? else {
            return Ok(None);
        };

        let spawn = map.dimensions.iter().find_map(|dimension| dimension.spawn);
        let Naming { scheme, format } = tile_naming(&map);
        Ok(Some(Self {
            name: map.name,
            spawn,
            place: None,
            content,
            scheme,
            format,
        }))
    }

    /// Returns the facts of a new folder.
    pub(crate) fn new(world: &Identity, content: Content, naming: WantedNaming) -> Self {
        let Identity { name, spawn, path } = world;
        let scheme = naming.scheme.unwrap_or_default();
        let format = naming.format.unwrap_or_default();
        Self {
            name: name.clone(),
            spawn: *spawn,
            place: place_hash(path),
            content,
            scheme,
            format,
        }
    }

    /// Returns the world of the folder, without its path, which is only known as a hash.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            spawn: self.spawn,
            ..Identity::from_name(&self.name)
        }
    }

    /// Returns the naming of the folder's tiles.
    pub(crate) const fn naming(&self) -> Naming {
        Naming {
            scheme: self.scheme,
            format: self.format,
        }
    }

    pub(crate) fn json(&self) -> serde_json::Result<String> {
        json::pretty(self)
    }

    /// Returns the facts with the present name, spawn and path of the world.
    pub(crate) fn with_world(self, world: &Identity) -> Self {
        let Identity { name, spawn, path } = world;
        Self {
            name: name.clone(),
            spawn: *spawn,
            place: place_hash(path).or(self.place),
            ..self
        }
    }

    /// Checks that the folder may be used for this content of this world, with the requested naming
    /// of tiles.
    ///
    /// # Errors
    /// The folder shows another world, has other content, or names its tiles differently.
    pub(crate) fn check(
        &self,
        root: &Path,
        world: &Identity,
        content: Content,
        naming: WantedNaming,
    ) -> Result<(), PublishError> {
        if self.content != content {
            return Err(PublishError::OtherContent(root.to_owned(), self.content));
        }

        self.check_world(
            root,
            &world.name,
            world.spawn,
            place_hash(&world.path).as_deref(),
        )?;

        let is_other = naming.scheme.is_some_and(|scheme| scheme != self.scheme)
            || naming.format.is_some_and(|format| format != self.format);
        if is_other {
            Err(PublishError::OtherNaming(root.to_owned(), self.naming()))
        } else {
            Ok(())
        }
    }

    fn check_world(
        &self,
        root: &Path,
        name: &str,
        spawn: Option<[i32; 3]>,
        place: Option<&str>,
    ) -> Result<(), PublishError> {
        // If the state folder of a map that shows only the nether is gone, the spawn is unknown.
        let same_spawn = self.spawn.is_none() || spawn.is_none() || self.spawn == spawn;
        let same_place = self.place.is_some() && self.place.as_deref() == place;
        if same_place || self.name == name && same_spawn {
            return Ok(());
        }

        Err(PublishError::OtherWorld(root.to_owned(), self.name.clone()))
    }

    /// Checks that a copy of this map may replace the map at `copy`, whose facts are `text`.
    ///
    /// # Errors
    /// The map at `copy` shows another world, has other content, or names its tiles differently.
    pub(crate) fn check_copy(&self, copy: &Path, text: &[u8]) -> Result<(), PublishError> {
        let begun: Self =
            serde_json::from_slice(text).map_err(|_| PublishError::NotOurs(copy.to_owned()))?;
        if begun.content != self.content {
            return Err(PublishError::OtherContent(copy.to_owned(), begun.content));
        }

        // Paths of worlds can only be compared on one machine.
        begun.check_world(copy, &self.name, self.spawn, None)?;

        let is_other = begun.naming() != self.naming();
        if is_other {
            Err(PublishError::OtherNaming(copy.to_owned(), begun.naming()))
        } else {
            Ok(())
        }
    }
}

/// Returns the facts of a map as the text to store at [`begun_path`] in a copy of it elsewhere.
/// `there` is the text that is already stored in that copy, if it exists.
///
/// # Errors
/// The existing copy shows another world, has other content, or names its tiles differently.
pub fn begun_copy(
    map: &MapFolder,
    copy: &Path,
    there: Option<&[u8]>,
) -> Result<String, PublishError> {
    let begun = FolderIdentity::read(map.folder())?
        .ok_or_else(|| PublishError::NoMap(map.root().to_owned()))?;
    there.map_or(Ok(()), |there| begun.check_copy(copy, there))?;
    begun
        .json()
        .map_err(|error| PublishError::Io(map.root().to_owned(), error.into()))
}

/// Returns the naming of a map's tiles, from the facts of its layers. A layer of colours is
/// preferred, because layers of numbers are always PNG.
fn tile_naming(map: &MapFile) -> Naming {
    let of_colours = map.layers().find(|layer| layer.numbers.is_none());
    of_colours
        .or_else(|| map.layers().next())
        .map(LayerFacts::naming)
        .unwrap_or_default()
}

fn place_hash(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_encoded_bytes();
    (!bytes.is_empty()).then(|| format!("{:016x}", XxHash3_64::oneshot(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_world_and_naming() {
        let world = Identity {
            name: "w".to_owned(),
            spawn: Some([0, 64, 0]),
            path: "/worlds/w".into(),
        };

        let xyz = WantedNaming {
            scheme: Some(Scheme::Xyz),
            format: None,
        };
        let begun = FolderIdentity::new(&world, Content::Map, xyz);
        let check =
            |world: &Identity, asked| begun.check(Path::new("map"), world, Content::Map, asked);
        assert!(check(&world, WantedNaming::default()).is_ok() && check(&world, xyz).is_ok());

        for other in [
            Naming::default().into(),
            WantedNaming {
                format: Some(Format::Webp),
                ..xyz
            },
        ] {
            let refused = check(&world, other).unwrap_err();
            assert!(
                matches!(refused, PublishError::OtherNaming(..)),
                "{refused}"
            );
        }

        let moved = Identity {
            path: "/elsewhere".into(),
            ..world.clone()
        };
        let renamed = Identity {
            name: "x".to_owned(),
            ..world.clone()
        };
        assert!(check(&moved, xyz).is_ok() && check(&renamed, xyz).is_ok());

        let another = Identity {
            name: "x".to_owned(),
            ..moved.clone()
        };
        assert!(
            matches!(check(&another, xyz), Err(PublishError::OtherWorld(_, name)) if name == "w")
        );

        let now = FolderIdentity::new(&world, Content::Map, xyz).with_world(&another);
        assert_eq!(
            (now.name.as_str(), now.spawn, &now.place),
            ("x", Some([0, 64, 0]), &place_hash(&another.path))
        );
        assert_eq!(
            (begun.identity().spawn, begun.identity().name),
            (world.spawn, world.name.clone())
        );

        // The spawn of either world may be unknown.
        let of_nether = Identity {
            spawn: None,
            ..moved.clone()
        };

        assert!(check(&of_nether, xyz).is_ok());
        assert!(
            FolderIdentity::new(&of_nether, Content::Map, xyz)
                .check(Path::new("map"), &world, Content::Map, xyz)
                .is_ok()
        );

        let respawned = Identity {
            spawn: Some([1, 64, 0]),
            ..moved
        };
        assert!(check(&respawned, xyz).is_err());

        let kept: FolderIdentity = serde_json::from_str(&begun.json().unwrap()).unwrap();
        assert_eq!(kept.naming().scheme, Scheme::Xyz);
        assert!(
            !begun.json().unwrap().contains("worlds"),
            "the place is told as a hash"
        );
    }
}
