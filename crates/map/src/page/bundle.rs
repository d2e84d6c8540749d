//! Joins the modules of a page's script into one plain script, because browsers load no modules
//! from a page that was opened from disk.
//!
//! The order follows from the imports: each module follows all modules that it imports. Each one
//! becomes a function that returns its exports, so that its other names stay its own. Modules may
//! use only these forms, each at the start of a line:
//!
//!     import { name, other as own } from './module.js';
//!     import name from './data.json' with { type: 'json' };
//!     export function name(...), export async function, export class, export const

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::minify::minify;

/// Returns the plain script of `entry` and everything that it imports.
///
/// # Errors
/// The message names the module that cannot be read, has a form that is not known here, imports a
/// name that does not exist, or imports itself by way of other modules.
pub(crate) fn bundle(entry: &Path) -> Result<String, String> {
    let mut bundle = Bundle::default();
    bundle.add(entry)?;
    Ok(format!(
        "(function () {{\n'use strict';\n{}}})();\n",
        bundle.code
    ))
}

#[derive(Default)]
struct Bundle {
    code: String,
    /// The exports of the modules in `code`, by path.
    exports: BTreeMap<PathBuf, BTreeSet<String>>,
    /// The modules whose imports are being added: each one imports the next.
    open: Vec<PathBuf>,
}

impl Bundle {
    fn add(&mut self, path: &Path) -> Result<(), String> {
        if self.exports.contains_key(path) {
            return Ok(());
        }
        if self.open.iter().any(|open| open == path) {
            return Err(format!(
                "{}: it imports itself by way of {:?}",
                path.display(),
                self.open
            ));
        }
        self.open.push(path.to_owned());

        let module = Module::read(path)?;
        for import in &module.imports {
            self.add_import(path, import)?;
        }

        self.open.pop();
        self.code += &module.code(path)?;
        self.exports.insert(path.to_owned(), module.exports);
        Ok(())
    }

    fn add_import(&mut self, path: &Path, import: &Import) -> Result<(), String> {
        let Import::Names { names, from } = import else {
            return Ok(());
        };

        let imported = beside(path, from);
        self.add(&imported)?;

        let exports = &self.exports[&imported];
        match names.iter().find(|(name, _)| !exports.contains(name)) {
            Some((name, _)) => Err(format!("{}: {from} does not export {name}", path.display())),
            None => Ok(()),
        }
    }
}

enum Import {
    /// Names of a module, each with the name that it has here.
    Names {
        names: Vec<(String, String)>,
        from: String,
    },
    /// The value of a JSON file.
    Json { name: String, from: String },
}

/// A module without its imports and without the word `export`.
struct Module {
    imports: Vec<Import>,
    exports: BTreeSet<String>,
    body: String,
}

impl Module {
    fn read(path: &Path) -> Result<Self, String> {
        match fs::read_to_string(path) {
            Ok(script) => Self::parse(&script),
            Err(error) => Err(error.to_string()),
        }
        .map_err(|fault| format!("{}: {fault}", path.display()))
    }

    /// # Errors
    /// The message is the statement that has a form which is not known here.
    fn parse(script: &str) -> Result<Self, String> {
        let mut module = Self {
            imports: Vec::new(),
            exports: BTreeSet::new(),
            body: String::new(),
        };

        let script = minify(script);
        let mut lines = script.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("import ") {
                let mut statement = line.to_owned();
                while !statement.ends_with(';') {
                    statement += lines.next().ok_or("an import has no end")?;
                }
                let import = Import::parse(&statement).ok_or(statement)?;
                module.imports.push(import);
            } else if let Some(declaration) = line.strip_prefix("export ") {
                let name = declared_name(declaration).ok_or(line)?;
                module.exports.insert(name.to_owned());
                module.body += declaration;
                module.body.push('\n');
            } else {
                module.body += line;
                module.body.push('\n');
            }
        }

        Ok(module)
    }

    /// Returns the module as a statement of the plain script.
    fn code(&self, path: &Path) -> Result<String, String> {
        let mut code = format!("const {} = (function () {{\n", variable(path));

        for import in &self.imports {
            code += &match import {
                Import::Names { names, from } => {
                    let names: Vec<String> = names
                        .iter()
                        .map(|(name, own)| format!("{name}: {own}"))
                        .collect();
                    let from = variable(&beside(path, from));
                    format!("const {{ {} }} = {from};\n", names.join(", "))
                }
                Import::Json { name, from } => {
                    format!("const {name} = {};\n", json(&beside(path, from))?)
                }
            };
        }

        let exports: Vec<&str> = self.exports.iter().map(String::as_str).collect();
        code += &self.body;
        code += &format!("return {{ {} }};\n}})();\n", exports.join(", "));
        Ok(code)
    }
}

impl Import {
    /// Reads a statement that begins with `import` and ends with a semicolon.
    fn parse(statement: &str) -> Option<Self> {
        let rest = statement.strip_prefix("import ")?.strip_suffix(';')?;
        let (names, from) = rest.split_once(" from '")?;
        let (from, with) = from.split_once('\'')?;
        let from = from.to_owned();

        if with == " with { type: 'json' }" {
            let name = names.to_owned();
            return Some(Self::Json { name, from });
        }
        if !with.is_empty() {
            return None;
        }

        let names = names.strip_prefix('{')?.strip_suffix('}')?;
        let names = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| name.split_once(" as ").unwrap_or((name, name)))
            .map(|(name, own)| (name.to_owned(), own.to_owned()))
            .collect();
        Some(Self::Names { names, from })
    }
}

/// Returns the name that a declaration declares. `let` is left out, because importers would keep
/// the first value.
fn declared_name(declaration: &str) -> Option<&str> {
    let starts = ["async function ", "function ", "class ", "const "];
    let rest = starts
        .iter()
        .find_map(|start| declaration.strip_prefix(start))?;
    let name = rest
        .split(|character: char| !character.is_alphanumeric() && character != '_')
        .next()?;

    (!name.is_empty()).then_some(name)
}

/// Returns the path that a module names, relative to its own folder.
fn beside(module: &Path, named: &str) -> PathBuf {
    let mut path = module.parent().unwrap_or(module).to_owned();
    for part in Path::new(named).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// Returns the variable that holds the exports of a module.
fn variable(path: &Path) -> String {
    let name = path.with_extension("");
    let parts: Vec<_> = name.components().rev().take(2).collect();
    let mut variable = String::new();
    for part in parts.into_iter().rev() {
        variable.push('$');
        variable += &part.as_os_str().to_string_lossy().replace('-', "_");
    }
    variable
}

/// Returns a JSON file in one line.
fn json(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|err| format!("{}: {err}", path.display()))?;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    Ok(lines.concat())
}
