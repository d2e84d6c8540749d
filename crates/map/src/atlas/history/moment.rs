//! The list of a map's moments, and the ways in which users name one of them: by time, by label, by
//! position from the end, or as `MAP@MOMENT` in a path.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::paths::HISTORY;
use crate::atlas::error::{AtlasError, MomentError};
use crate::atlas::naming::in_folder;
use pixelmap_base::disk::if_there;
use pixelmap_base::json;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_base::time::{TimeSpan, parse_utc, utc};

/// The list is a script, because a page that is opened from disk may not read other files.
const HEAD: &str = "pixelmapMoments(";
const TAIL: &str = ");\n";

/// The state of a map at a time of its world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Its number. Later moments have higher numbers.
    pub id: u32,
    /// When the world was last played, in seconds since 1970.
    pub time: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The number of tiles that this moment changed, added or removed.
    pub tiles: u64,
    /// The total length of the files that this moment replaced or removed, in bytes.
    pub bytes: u64,
}

/// The moments of a map, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments {
    pub moments: Vec<Moment>,
}

/// The changes that a moment made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MomentChanges {
    /// The number of tiles that it changed, added or removed.
    pub tiles: u64,
    /// The total length of the files that were kept first for it, in bytes.
    pub bytes: u64,
}

/// Formats seconds since 1970 as `2026-11-22T10:00:00Z`.
pub fn time_text(seconds: i64) -> String {
    utc(seconds.saturating_mul(1000)).unwrap_or_else(|| seconds.to_string())
}

impl Moment {
    /// Returns its time as `2026-11-22T10:00:00Z`.
    pub fn time_text(&self) -> String {
        time_text(self.time)
    }
}

impl Moments {
    /// Returns the moments of a map whose history begins.
    pub fn begin(time: i64, label: Option<String>) -> Self {
        Self {
            moments: vec![Moment {
                id: 1,
                time,
                label,
                tiles: 0,
                bytes: 0,
            }],
        }
    }

    /// Adds a moment, unless the last one has this id.
    pub fn extend_to(&mut self, id: u32, time: i64) {
        if self.last().is_none_or(|last| last.id < id) {
            self.moments.push(Moment {
                id,
                time,
                label: None,
                tiles: 0,
                bytes: 0,
            });
        }
    }

    /// Sets the changes of each moment, and drops the moments without changes. The moment before
    /// such a moment gets its label, as if the run had found nothing to change. The first moment
    /// stays, because it shows the map from the time when its history began.
    pub fn keep_changes(&mut self, changes: &BTreeMap<u32, MomentChanges>) {
        let mut kept: Vec<Moment> = Vec::new();
        for mut moment in std::mem::take(&mut self.moments) {
            let made = changes.get(&moment.id).copied();
            let MomentChanges { tiles, bytes } = made.unwrap_or_default();
            (moment.tiles, moment.bytes) = (tiles, bytes);

            match kept.last_mut() {
                Some(last) if made.is_none() => last.label = moment.label.or(last.label.take()),
                _ => kept.push(moment),
            }
        }

        self.moments = kept;
    }

    /// Numbers the moments from 1 without gaps, because a gap shows that a moment is gone. Returns
    /// the earlier ids, in order.
    pub fn renumber(&mut self) -> Vec<u32> {
        let mut earlier = Vec::new();
        for (moment, id) in self.moments.iter_mut().zip(1..) {
            earlier.push(moment.id);
            moment.id = id;
        }
        earlier
    }

    /// Returns the path of the list in a map.
    pub fn path() -> String {
        in_folder(HISTORY, "moments.js")
    }

    /// Reads the moments of the map in a folder. Returns `None` for a map without history.
    ///
    /// # Errors
    /// Fails if the list exists but cannot be read or is damaged.
    pub fn read(folder: &OwnFolder) -> io::Result<Option<Self>> {
        let Some(bytes) = if_there(folder.place(Self::path())?.read())? else {
            return Ok(None);
        };

        let text = String::from_utf8(bytes).ok();
        let list = text
            .as_deref()
            .and_then(|text| text.strip_prefix(HEAD)?.strip_suffix(TAIL));
        let moments = list
            .and_then(|list| serde_json::from_str::<Self>(list).ok())
            .filter(Self::is_in_order);

        match moments {
            Some(moments) => Ok(Some(moments)),
            None => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the list of moments is damaged: restore the file",
            )),
        }
    }

    /// Reads the moments of a map that must have some.
    ///
    /// # Errors
    /// Fails if the map does not have moments, or if their list cannot be read.
    pub fn open(folder: &OwnFolder) -> Result<Self, AtlasError> {
        let root = folder.path();
        let moments = Self::read(folder).map_err(AtlasError::io(&root.join(Self::path())))?;
        let moments = moments.filter(|moments| !moments.moments.is_empty());
        moments.ok_or_else(|| AtlasError::Moment(MomentError::NoHistory(root.to_owned())))
    }

    fn is_in_order(&self) -> bool {
        self.moments
            .is_sorted_by(|a, b| a.id < b.id && a.time < b.time)
    }

    /// Returns the text of the list's file.
    pub fn script(&self) -> String {
        // JSON can represent every value of these types, so this cannot fail.
        format!("{HEAD}{}{TAIL}", json::text(self).unwrap_or_default())
    }

    pub fn last(&self) -> Option<&Moment> {
        self.moments.last()
    }

    /// Finds a moment by a time (the last moment at or before it), by a label (the last moment with
    /// it), or by `-N` (N moments before the last one).
    ///
    /// # Errors
    /// Fails if no moment matches.
    pub fn find(&self, wanted: &str) -> Result<&Moment, AtlasError> {
        let position = self.position(wanted, |time| {
            self.moments
                .iter()
                .rposition(|moment| moment.time <= time.last_second)
        })?;

        Ok(&self.moments[position])
    }

    /// Finds a moment by a label (the last moment with it), by `-N` as in [`Self::find`], or by its
    /// own time: the last moment within that day, minute or second. Unlike [`Self::find`] it never
    /// returns a moment before that time.
    ///
    /// # Errors
    /// Fails if no moment matches.
    pub fn find_exact(&self, wanted: &str) -> Result<&Moment, AtlasError> {
        let position = self.position(wanted, |time| {
            let seconds = time.first_second..=time.last_second;
            self.moments
                .iter()
                .rposition(|moment| seconds.contains(&moment.time))
        })?;

        Ok(&self.moments[position])
    }

    /// Returns the moments from `from` to `to`, including both; without a name the range starts at
    /// the first or ends at the last moment. Names are resolved as in [`Self::find`], except that a
    /// time in `from` selects the first moment since the start of that time.
    ///
    /// # Errors
    /// Fails if one of them does not exist, or if the first is later than the last.
    pub fn range(&self, from: Option<&str>, to: Option<&str>) -> Result<&[Moment], AtlasError> {
        let first = match from {
            Some(from) => self.position(from, |time| {
                self.moments
                    .iter()
                    .position(|moment| moment.time >= time.first_second)
            })?,
            None => 0,
        };
        let end = match to {
            Some(to) => self.end(self.find(to)?),
            None => self.moments.len(),
        };

        match self.moments.get(first..end) {
            Some(moments) if !moments.is_empty() => Ok(moments),
            _ => {
                let ends = [from, to].map(|wanted| wanted.unwrap_or_default().to_owned());
                Err(AtlasError::Moment(MomentError::NoneBetween(ends)))
            }
        }
    }

    /// Returns the number of moments up to and including `last`.
    fn end(&self, last: &Moment) -> usize {
        self.moments.partition_point(|moment| moment.id <= last.id)
    }

    /// Returns the index of the moment that is `-N` from the end or has this label. If neither
    /// fits, `wanted` is parsed as a time, and `by_time` chooses the moment.
    fn position(
        &self,
        wanted: &str,
        by_time: impl Fn(TimeSpan) -> Option<usize>,
    ) -> Result<usize, AtlasError> {
        let position = match wanted
            .strip_prefix('-')
            .and_then(|back| back.parse::<usize>().ok())
        {
            Some(back) => self
                .moments
                .len()
                .checked_sub(1)
                .and_then(|last| last.checked_sub(back)),
            None => self
                .moments
                .iter()
                .rposition(|moment| moment.label.as_deref() == Some(wanted))
                .or_else(|| by_time(parse_utc(wanted)?)),
        };

        position.ok_or_else(|| {
            let ends = [self.moments.first(), self.moments.last()]
                .map(|end| end.map(Moment::time_text).unwrap_or_default());
            AtlasError::Moment(MomentError::NotThere(wanted.to_owned(), ends))
        })
    }
}

/// Splits `MAP@MOMENT`. Returns `None` if the path does not name a moment, or if a file or folder
/// with exactly this name exists.
pub(crate) fn split_moment(path: &Path) -> Option<(PathBuf, String)> {
    let (map, moment) = path.to_str()?.rsplit_once('@')?;
    let is_split = !map.is_empty() && !moment.is_empty() && path.symlink_metadata().is_err();
    is_split.then(|| (PathBuf::from(map), moment.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_moments_includes_both_ends() {
        let days = [
            ("2026-05-01T02:00", None),
            ("2026-05-01T20:00", Some("flood")),
            ("2026-05-03", None),
        ];

        let moment = |(id, (time, label)): (u32, (&str, Option<&str>))| Moment {
            id,
            time: parse_utc(time).unwrap().first_second,
            label: label.map(str::to_owned),
            tiles: 0,
            bytes: 0,
        };

        let moments = Moments {
            moments: (1..).zip(days).map(moment).collect(),
        };

        let ids = |from, to| {
            moments
                .range(from, to)
                .map(|range| range.iter().map(|moment| moment.id).collect::<Vec<_>>())
        };

        for (from, to, wanted) in [
            (None, None, &[1, 2, 3][..]),
            (Some("2026-05-01"), Some("2026-05-01"), &[1, 2]),
            (Some("2026-05-01T03:00"), None, &[2, 3]),
            (Some("2020-01-01"), Some("2026-05-02"), &[1, 2]),
            (Some("flood"), Some("-0"), &[2, 3]),
            (None, Some("-2"), &[1]),
        ] {
            assert_eq!(ids(from, to).unwrap(), wanted, "{from:?} {to:?}");
        }

        for (from, to, reason) in [
            (
                Some("-0"),
                Some("flood"),
                "there is no moment from -0 to flood",
            ),
            (
                Some("2026-05-02"),
                Some("2026-05-02"),
                "there is no moment from 2026-05-02 to 2026-05-02",
            ),
            (Some("2026-06-01"), None, "there is no moment 2026-06-01"),
            (None, Some("2020-01-01"), "there is no moment 2020-01-01"),
            (Some("-3"), None, "there is no moment -3"),
        ] {
            let error = ids(from, to).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
