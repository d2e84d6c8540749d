//! Handles the files that `render` and `merge` write in addition to the output: the report and the
//! lists of changed files. Also checks the files that `select` writes.
//!
//! They are checked and emptied before anything is drawn. Otherwise a script could mistake a file
//! of an earlier run for a file of this run.

use std::path::{Path, PathBuf};

use pixelmap_base::disk::{is_file, is_folder, is_one_place};
use pixelmap_draw::{Colours, Hide};
use pixelmap_map::atlas::is_own_path;
use pixelmap_map::store::{self, ChangeLists, Output};

use crate::cli::{FileListArgs, MergeArgs, RenderRequest, RunOutputArgs, SelectArgs};
use crate::outcome::{Ending, FAILED, USAGE, empty_file, put_lists};

const REPORT: &str = "--report";

/// The requested files, each with its option; the outputs; and the files, other than the world,
/// that the run reads.
pub(super) struct SideFiles {
    wanted: Vec<(&'static str, PathBuf)>,
    outputs: Vec<PathBuf>,
    inputs: Vec<PathBuf>,
}

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the requested ones of the report and the two lists, each with its option.
fn requested_files(
    RunOutputArgs { report, files, .. }: &RunOutputArgs,
) -> Vec<(&'static str, PathBuf)> {
    let all = [
        (REPORT, report),
        ("--changed-list", &files.changed_list),
        ("--deleted-list", &files.deleted_list),
    ];
    all.into_iter()
        .filter_map(|(option, path)| Some((option, path.clone()?)))
        .collect()
}

/// Returns the files among places.
fn files_of(places: &[Hide]) -> impl Iterator<Item = PathBuf> {
    places.iter().filter_map(|place| match place {
        Hide::File(path) => Some(path.clone()),
        Hide::Area(_) => None,
    })
}

impl SideFiles {
    /// Returns the files that a render writes. A dry run writes none of them.
    pub(super) fn for_render(request: &RenderRequest) -> Self {
        let run = &request.args;
        let wanted = if run.dry_run {
            Vec::new()
        } else {
            requested_files(&run.run_output)
        };

        let Colours {
            palettes, assets, ..
        } = run.drawn.colours();

        let hides = files_of(&run.drawn.hide);
        let inputs = run
            .config
            .clone()
            .into_iter()
            .chain(palettes)
            .chain(assets)
            .chain(hides)
            .collect();

        Self {
            wanted,
            outputs: vec![request.output().to_owned()],
            inputs,
        }
    }

    /// Returns the files that a merge writes.
    pub(super) fn for_merge(args: &MergeArgs) -> Self {
        Self {
            wanted: requested_files(&args.run_output),
            outputs: vec![args.output.clone()],
            inputs: Vec::new(),
        }
    }

    /// Returns the files that a selection of chunks writes.
    pub(super) fn for_select(args: &SelectArgs) -> Self {
        let wanted = [
            ("-o", Some(&args.output)),
            ("--preview", args.preview.as_ref()),
        ];
        let wanted = wanted
            .into_iter()
            .filter_map(|(option, path)| Some((option, path?.clone())))
            .collect();

        let inputs = files_of(&args.near)
            .chain(files_of(&args.keep_near))
            .collect();
        Self {
            wanted,
            outputs: Vec::new(),
            inputs,
        }
    }

    /// Returns the files of several runs. Each run draws one of the named maps in the folder
    /// `output` and has its own report, but all runs share the lists that the first run names.
    pub(super) fn for_worlds(output: &Path, runs: &[&RenderRequest]) -> Self {
        let mut all = Self {
            wanted: Vec::new(),
            outputs: vec![output.to_owned()],
            inputs: Vec::new(),
        };

        for (
            number,
            Self {
                wanted,
                outputs,
                inputs,
            },
        ) in runs.iter().map(|run| Self::for_render(run)).enumerate()
        {
            all.wanted.extend(
                wanted
                    .into_iter()
                    .filter(|(option, _)| number == 0 || *option == REPORT),
            );
            all.outputs.extend(outputs);
            all.inputs.extend(inputs);
        }

        all
    }

    /// Checks the files and empties them. `folders` are the folders of the world.
    ///
    /// # Errors
    /// Fails before any file is changed if a file would overwrite the world, the output, an input
    /// or another file, or if its folder does not exist. Also fails if a file cannot be emptied.
    pub(super) fn begin(&self, folders: &[PathBuf]) -> Result<(), Ending> {
        self.check(folders)?;
        for (_, path) in &self.wanted {
            empty_file(path)?;
        }

        Ok(())
    }

    /// Refuses files that would be written over the world, the output, an input, or each other.
    pub(super) fn check(&self, folders: &[PathBuf]) -> Result<(), Ending> {
        let outputs: Vec<PathBuf> = self
            .outputs
            .iter()
            .map(|output| absolute_path(output))
            .collect();
        let mut taken: Vec<_> = outputs
            .iter()
            .map(|output| ("-o", output.clone()))
            .collect();

        for (option, path) in &self.wanted {
            let place = absolute_path(path);
            if let Some((other, _)) = taken.iter().find(|(_, there)| is_one_place(there, &place)) {
                let message = format!(
                    "{other} and {option} are both {}: give each a file of its own",
                    path.display()
                );
                return Err(Ending::new(USAGE, message));
            }

            if path != Path::new("-") {
                if store::check_apart(path, folders).is_err() {
                    let message = format!(
                        "{option} {} is inside the world: name another place",
                        path.display()
                    );
                    return Err(Ending::new(USAGE, message));
                }

                if self.inputs.iter().any(|input| is_one_place(input, path)) {
                    let message = format!(
                        "{option} {} is read by this run: name another file",
                        path.display()
                    );
                    return Err(Ending::new(USAGE, message));
                }

                if outputs
                    .iter()
                    .any(|output| place.strip_prefix(output).is_ok_and(is_own_path))
                {
                    let message = format!(
                        "{option} {} has the name of a file of the map: name another file",
                        path.display()
                    );
                    return Err(Ending::new(USAGE, message));
                }

                check_place(option, path, &outputs)?;
            }

            taken.push((option, place));
        }

        Ok(())
    }
}

/// Fails if a file cannot be written at its path, so that the user learns it before anything is
/// drawn. A path inside an output is accepted even if its folder does not exist, because the run
/// may create it.
fn check_place(option: &str, path: &Path, outputs: &[PathBuf]) -> Result<(), Ending> {
    let place = absolute_path(path);
    let folder = place.parent().unwrap_or(&place);

    // If the system does not answer, the error is reported when the file is written.
    let why = if is_file(&place).unwrap_or(true)
        || outputs.iter().any(|output| folder.starts_with(output))
    {
        return Ok(());
    } else if is_folder(&place).unwrap_or(false) {
        format!("{} is a folder", path.display())
    } else if !is_folder(folder).unwrap_or(true) {
        format!("there is no folder {}", folder.display())
    } else {
        return Ok(());
    };

    Err(Ending::new(
        FAILED,
        format!("{option} cannot be written: {why}; name a file in an existing folder"),
    ))
}

/// Writes the lists of files that changed in `folders` since the last lists. The paths are relative
/// to the first folder.
pub(super) fn put_changes(files: &FileListArgs, folders: &[Output]) -> Result<(), Ending> {
    let lists = ChangeLists::read(folders)?;
    let is_taken = put_lists([
        (&files.changed_list, &lists.changed),
        (&files.deleted_list, &lists.deleted),
    ])?;

    // If the run is killed before this line, or the reader of the lists has closed its end, the
    // changes are listed again by the next run.
    if is_taken {
        for folder in folders {
            folder.mark_listed()?;
        }
    }

    Ok(())
}
