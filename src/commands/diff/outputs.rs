//! Checks and prepares the files that `pixelmap diff` writes.
//!
//! They are checked before anything is read, so that no file overwrites an input or another output.
//! They are then emptied, so that nobody mistakes a file of an earlier call for a result of this
//! one.

use std::path::{Path, PathBuf};

use pixelmap_base::disk::{full_path, is_folder, is_one_place};
use pixelmap_map::atlas::is_own_path;
use pixelmap_map::compare;

use super::codes::TROUBLE;
use super::judged::MAX_CROPS;
use crate::cli::DiffArgs;
use crate::cli::parse::IgnoredArea;
use crate::outcome::{Ending, empty_file};

/// The options of pictures.
const PICTURES: [&str; 2] = ["--image", "--heatmap"];

/// A requested file.
struct OutputFile<'a> {
    option: &'static str,
    path: &'a Path,
}

/// The requested files.
pub(super) struct Outputs<'a>(Vec<OutputFile<'a>>);

/// Returns whether a name means standard output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the paths of the pictures that belong to a summary. The names are fixed, so that each
/// call finds the pictures of an earlier one.
pub(super) fn crop_paths(summary: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = summary
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    (1..=MAX_CROPS).map(move |number| summary.with_file_name(format!("{stem}-{number}.png")))
}

impl<'a> Outputs<'a> {
    /// Returns the requested files, after checking that they differ from each other and from the
    /// inputs.
    ///
    /// # Errors
    /// Fails if a file is an input or is named twice, or if more than one text would go to standard
    /// output.
    pub(super) fn new(args: &'a DiffArgs) -> Result<Self, Ending> {
        let all = [
            ("--html", &args.html),
            ("--image", &args.image),
            ("--heatmap", &args.heatmap),
            ("--junit", &args.junit),
            ("--markdown", &args.markdown),
            ("--changed-list", &args.changed_list),
            ("--deleted-list", &args.deleted_list),
        ];

        let file = all
            .into_iter()
            .filter_map(|(option, path)| path.as_deref().map(|path| OutputFile { option, path }));
        let outputs = Self(file.collect());
        outputs
            .check(args)
            .map(|()| outputs)
            .map_err(|message| Ending::new(TROUBLE, message))
    }

    fn check(&self, args: &DiffArgs) -> Result<(), String> {
        let json = args.json.then_some("--json");
        let standard: Vec<&str> = json
            .into_iter()
            .chain(
                self.0
                    .iter()
                    .filter(|file| is_standard(file.path))
                    .map(|file| file.option),
            )
            .collect();

        if let [one, other, ..] = standard[..] {
            return Err(format!(
                "{one} and {other} would both go to standard output: name a file for one of them"
            ));
        }

        let files = self.files();
        let ignored = args.ignore.iter().filter_map(|ignored| match ignored {
            IgnoredArea::File(path) => Some(path),
            IgnoredArea::Of(_) => None,
        });

        let inputs: Vec<&PathBuf> = [&args.a, &args.b].into_iter().chain(ignored).collect();
        for (number, (option, path)) in files.iter().enumerate() {
            if inputs.iter().any(|input| is_input(path, input)) {
                return Err(format!(
                    "{option} {} would overwrite an input: name another file",
                    path.display()
                ));
            }

            if let Some((other, _)) = files[..number]
                .iter()
                .find(|(_, there)| is_one_place(there, path))
            {
                return Err(format!(
                    "{other} and {option} are both {}: name a file for each",
                    path.display()
                ));
            }
        }

        Ok(())
    }

    /// Empties the texts of an earlier call and removes its pictures. A picture that `diff` did not
    /// make is kept.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn empty_files(&self) -> Result<(), Ending> {
        for (option, path) in self.files() {
            let is_picture = path.extension().is_some_and(|ending| ending == "png")
                || PICTURES.contains(&option);
            if !is_picture {
                empty_file(&path)?;
            } else if compare::is_shown(&path) {
                std::fs::remove_file(&path).map_err(|error| Ending::not_written(&path, &error))?;
            }
        }

        Ok(())
    }

    /// Returns all files that may be written, each with its option.
    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let file = self.0.iter().filter(|file| !is_standard(file.path));
        let files = file.flat_map(|&OutputFile { option, path }| {
            let crops = crop_paths(path).filter(move |_| option == "--markdown");
            std::iter::once(path.to_owned())
                .chain(crops)
                .map(move |path| (option, path))
        });
        files.collect()
    }

    /// Returns whether one of the texts is written to standard output, so that the usual lines must
    /// not.
    pub(super) fn use_standard_output(&self) -> bool {
        self.0.iter().any(|file| is_standard(file.path))
    }
}

/// Returns whether writing `path` would overwrite the input, or a file of the map in the folder
/// `input`.
fn is_input(path: &Path, input: &Path) -> bool {
    let path = full_path(path);
    let mut folders = path.ancestors().skip(1);
    is_one_place(&path, input)
        || is_folder(input).unwrap_or(true)
            && folders.any(|folder| {
                is_one_place(folder, input) && path.strip_prefix(folder).is_ok_and(is_own_path)
            })
}
