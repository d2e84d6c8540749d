//! Reads the source files of the project: their modules, and the paths that each file names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::place;

/// A source file: its path below the package, and its text.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Source {
    /// The names of its module, outermost first: its crate, and the modules below the crate. The
    /// program in `src/` has the name `program`.
    pub(super) fn module(&self) -> Vec<String> {
        let path = self.path.with_extension("");
        let names: Vec<String> = path
            .iter()
            .map(|name| name.to_str().unwrap().to_owned())
            .collect();

        let (name, below) = if names[0] == "crates" {
            (names[1].clone(), &names[3..])
        } else {
            ("program".to_owned(), &names[1..])
        };

        let mut module = [&[name], below].concat();
        if ["mod", "lib", "main"].contains(&self.stem()) {
            module.pop();
        }

        module
    }

    /// Whether the file lists its folder.
    pub(super) fn is_face(&self) -> bool {
        ["mod", "lib"].contains(&self.stem())
    }

    /// Whether the file contains only tests.
    pub(super) fn is_test(&self) -> bool {
        self.path
            .with_extension("")
            .iter()
            .any(|name| name.to_str().unwrap().ends_with("tests"))
    }

    pub(super) fn stem(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    /// The text without comments.
    pub(super) fn code(&self) -> String {
        let cut = |line: &str| -> String {
            let comment = line
                .match_indices("//")
                .find(|(at, _)| *at == 0 || line[..*at].ends_with([' ', '\t', ';']));
            comment.map_or(line, |(at, _)| &line[..at]).to_owned() + "\n"
        };
        self.text.lines().map(cut).collect()
    }

    /// The paths that follow `root` (`crate::`, say) in the code, groups taken apart, each as its
    /// names.
    pub(super) fn paths_after(&self, root: &str) -> Vec<Vec<String>> {
        let code = self.code();
        let mut paths = Vec::new();
        for (at, _) in code
            .match_indices(root)
            .filter(|(at, _)| !is_of_other_word(&code[..*at]))
        {
            read_paths(&code[at + root.len()..], &[], &mut paths);
        }

        paths
    }

    /// The file without its unit tests.
    pub(super) fn without_tests(&self) -> Self {
        let text = self
            .text
            .split("#[cfg(test)]\nmod")
            .next()
            .unwrap()
            .to_owned();
        Self {
            path: self.path.clone(),
            text,
        }
    }

    /// The paths that the file re-exports.
    pub(super) fn re_exports(&self) -> Vec<Vec<String>> {
        let code = format!("\n{}", self.code());
        let mut paths = Vec::new();
        for (at, start) in code.match_indices("\npub") {
            let rest = &code[at + start.len()..];
            if let Some(words) = rest.lines().next().unwrap().find(" use ") {
                read_paths(&rest[words + " use ".len()..], &[], &mut paths);
            }
        }

        paths
    }

    /// A path in this file as one that begins with the crate.
    pub(super) fn absolute(&self, path: Vec<String>) -> Vec<String> {
        let module = self.module();
        match path[0].as_str() {
            "crate" => [&module[..1], &path[1..]].concat(),
            "super" => [&module[..module.len() - 1], &path[1..]].concat(),
            "self" => [&module[..], &path[1..]].concat(),
            _ => [module, path].concat(),
        }
    }

    /// The paths that begin with `crate::` or `super::` outside the unit tests, as ones that begin
    /// with the crate.
    fn absolute_paths(&self) -> Vec<Vec<String>> {
        let outside = self.without_tests();
        let mut paths = Vec::new();
        for root in ["crate", "super"] {
            for path in outside.paths_after(&format!("{root}::")) {
                paths.push(self.absolute([&[root.to_owned()], &path[..]].concat()));
            }
        }

        paths
    }

    /// The places of its crate that the code names, without its own place.
    pub(super) fn named_places(&self) -> BTreeSet<String> {
        let module = self.module();

        // In a module of tests, `super::` is the file itself.
        let mut paths = self.absolute_paths();
        for path in self.paths_after("crate::") {
            paths.push([&module[..1], &path[..]].concat());
        }

        let places = paths
            .iter()
            .filter(|path| path.last().is_none_or(|name| name != "*"))
            .map(|path| place(path));

        places.filter(|name| *name != place(&module)).collect()
    }
}

/// The files of all crates by their modules, and the path of each name that a face re-exports.
pub(super) struct Modules {
    pub(super) files: BTreeMap<Vec<String>, Source>,
    pub(super) faces: BTreeMap<Vec<String>, Vec<String>>,
}

impl Modules {
    pub(super) fn new(sources: Vec<Source>) -> Self {
        let files: BTreeMap<_, _> = sources
            .into_iter()
            .filter(|source| !source.is_test())
            .map(|source| (source.module(), source))
            .collect();

        let faces = files.iter().filter(|(_, source)| source.is_face());
        let faces = faces.flat_map(|(module, source)| {
            let named = |path: Vec<String>| {
                (
                    [&module[..], &path[path.len() - 1..]].concat(),
                    source.absolute(path),
                )
            };
            source.re_exports().into_iter().map(named)
        });

        Self {
            faces: faces.collect(),
            files,
        }
    }

    /// Returns the file that a path leads to; `None` if it leads to the face of a folder.
    pub(super) fn file(&self, path: &[String]) -> Option<&[String]> {
        for len in (1..=path.len()).rev() {
            let face = self.faces.get(&path[..len]);
            match self.files.get_key_value(&path[..len]) {
                // A function may have the name of its module.
                Some((module, source)) if len < path.len() || face.is_none() => {
                    return (!source.is_face()).then_some(&module[..]);
                }
                _ => {}
            }

            if let Some(other) = face {
                return self.file(other);
            }
        }

        None
    }

    /// Returns the names that a file takes from a face above it. It must name their files instead.
    pub(super) fn names_from_above(&self, source: &Source) -> Vec<String> {
        let module = source.module();
        let mut names = Vec::new();
        for path in source.absolute_paths() {
            let is_offered = self.faces.contains_key(&path) && !self.files.contains_key(&path);
            let face = &path[..path.len() - 1];
            if is_offered && module.len() > face.len() && module.starts_with(face) {
                names.push(path.join("::"));
            }
        }

        names
    }

    /// Returns the files that name each other in a circle, each with the files of the circle that
    /// it names.
    pub(super) fn circles(&self) -> BTreeMap<&[String], BTreeSet<&[String]>> {
        let mut named: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
        for (module, source) in &self.files {
            if !source.is_face() {
                let paths = source.absolute_paths().into_iter();
                let files = paths.filter_map(|path| self.file(&path));
                named.insert(module, files.filter(|file| *file != &module[..]).collect());
            }
        }

        // Files that name no other file, or that no other file names, are in no circle.
        loop {
            let all: BTreeSet<&[String]> = named.values().flatten().copied().collect();
            let before = named.len();
            named.retain(|file, others| !others.is_empty() && all.contains(file));

            let left: BTreeSet<&[String]> = named.keys().copied().collect();
            for others in named.values_mut() {
                others.retain(|file| left.contains(file));
            }

            if named.len() == before {
                return named;
            }
        }
    }
}

/// Returns whether the next characters belong to a longer name, or only set the visibility of an
/// item.
pub(super) fn is_of_other_word(before: &str) -> bool {
    before.ends_with(is_of_name) || before.ends_with("(in ")
}

pub(super) fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Adds the paths at the beginning of `text`, each after the names in `before`. Returns the rest of
/// the text.
pub(super) fn read_paths<'a>(
    text: &'a str,
    before: &[String],
    paths: &mut Vec<Vec<String>>,
) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = read_paths(rest, before, paths).trim_start();

            match rest.strip_prefix(',') {
                Some(next) if !next.trim_start().starts_with('}') => rest = next,
                last => {
                    return last
                        .unwrap_or(rest)
                        .trim_start()
                        .strip_prefix('}')
                        .unwrap_or(rest);
                }
            }
        }
    }

    let end = text
        .find(|letter| !is_of_name(letter) && letter != '*')
        .unwrap_or(text.len());
    let path = [before, &[text[..end].to_owned()]].concat();
    match text[end..].strip_prefix("::") {
        Some(rest) if rest.starts_with(|next| is_of_name(next) || "{*".contains(next)) => {
            read_paths(rest, &path, paths)
        }
        _ => {
            paths.push(path);
            &text[end..]
        }
    }
}

/// The files of the program and of all crates.
pub(super) fn code() -> Vec<Source> {
    let mut found = sources("src");
    let of_crates = sources("crates").into_iter();
    found.extend(of_crates.filter(|source| source.path.iter().nth(2).unwrap() == "src"));
    found
}

pub(super) fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    gather(root, Path::new(folder), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no source files under {folder}");
    found
}

pub(super) fn gather(root: &Path, below: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let path = below.join(entry.unwrap().file_name());
        if root.join(&path).is_dir() {
            gather(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(Source {
                text: fs::read_to_string(root.join(&path)).unwrap(),
                path,
            });
        }
    }
}
