//! Tests the documents: links have targets, and all places that name a file of a release, or the
//! oldest compiler, agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The pages of the project.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "benches", "contrib", "fixtures", "tests/world"];
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect()
}

/// Returns the lines of a page outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        is_code ^= line.starts_with("```");
        !is_code && !line.starts_with("    ")
    })
}

/// The targets of the links and the pictures of a page.
fn links(text: &str) -> Vec<&str> {
    let behind = |line, before, end| {
        str::split(line, before)
            .skip(1)
            .filter_map(move |rest| rest.split(end).next())
    };
    let links = prose(text).flat_map(|line| behind(line, "](", ')'));
    let pictures = prose(text)
        .flat_map(|line| behind(line, " src=\"", '"').chain(behind(line, "srcset=\"", '"')));
    links.chain(pictures).collect()
}

/// The names under which the headings of a page can be linked.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let is_kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);

    headings
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter(is_kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

#[test]
fn every_link_of_the_pages_leads_somewhere() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text)
            .into_iter()
            .filter(|link| !link.contains("://"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };

            let is_there = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor));
            if !is_there {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }

    assert!(pages().len() > 15, "{:?}", pages());
    assert_eq!(dead, [""; 0]);
}

/// Returns the paths of the project that a page names in back-ticks.
fn named_paths(text: &str) -> BTreeSet<&str> {
    // The folders of the project, and the rooms, which pages name without `crates/` and `src/`.
    let starts = [
        "src/",
        "crates/",
        "tests/",
        "docs/",
        "contrib/",
        "benches/",
        "fixtures/",
        "base/",
        "world/",
        "paint/",
        "markers/",
        "tile/",
        "schedule/",
        "report/",
        "atlas/",
        "store/",
        "page/",
        "import/",
        "map_mods/",
        "draw/",
        "ask/",
        "export/",
        "compare/",
        "serve/",
    ];
    let is_path = |name: &&str| {
        starts.iter().any(|start| name.starts_with(start))
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
    };

    prose(text)
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(is_path)
        .collect()
}

/// Returns whether a path exists: below the project, in the crate that it begins with, or in a room
/// of a crate.
fn is_in_project(path: &str) -> bool {
    let (first, rest) = path.split_once('/').unwrap();
    let of_crate = root().join("crates").join(first).join("src").join(rest);
    if root().join(path).exists() || of_crate.exists() {
        return true;
    }

    let mut crates = fs::read_dir(root().join("crates")).unwrap();
    crates.any(|folder| folder.unwrap().path().join("src").join(path).exists())
}

#[test]
fn every_path_in_the_guides_exists() {
    let mut dead = Vec::new();
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/bounds.md"] {
        let text = read(page);
        let paths = named_paths(&text);
        assert!(paths.len() > 5, "{page}: {paths:?}");

        for path in paths {
            if !is_in_project(path) {
                dead.push(format!("{page}: {path}"));
            }
        }
    }

    assert_eq!(dead, [""; 0]);
}

#[cfg(unix)]
#[test]
fn the_book_has_every_linked_page() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    let mut script = std::process::Command::new(root().join("contrib/book/make"));
    let output = script.arg("--source").arg(&book).output().unwrap();
    assert!(output.status.success(), "{output:?}");

    let summary = fs::read_to_string(book.join("src/SUMMARY.md")).unwrap();
    let chapters = links(&summary);

    let is_in_book = |page: &Path| {
        ["", "docs"]
            .map(Path::new)
            .contains(&page.parent().unwrap())
    };

    for page in pages() {
        let page = page.strip_prefix(root()).unwrap().to_owned();
        assert!(
            !is_in_book(&page) || chapters.contains(&page.to_str().unwrap()),
            "{}: {summary}",
            page.display()
        );
    }

    let chapters_once: BTreeSet<_> = chapters.iter().collect();
    assert_eq!(chapters_once.len(), chapters.len(), "{summary}");
    assert!(
        !summary.contains("[]"),
        "a page without a heading: {summary}"
    );

    for chapter in chapters {
        let path = book.join("src").join(chapter);
        let text = fs::read_to_string(&path).unwrap();
        for link in links(&text)
            .into_iter()
            .filter(|link| !link.contains("://") && !link.starts_with('#'))
        {
            let file = path.parent().unwrap().join(link.split('#').next().unwrap());
            assert!(file.is_file(), "{chapter}: {link}");
        }
    }
}

#[test]
fn the_first_picture_is_short_and_small() {
    let readme = read("README.md");
    let first = links(&readme)
        .into_iter()
        .find(|link| link.contains(".webp"))
        .unwrap();
    let film = fs::read(root().join(first)).unwrap();
    assert!(film.len() < 1_500_000, "{} bytes", film.len());

    let (mut at, mut frames, mut milliseconds) = (12, 0, 0);
    while at < film.len() {
        let number = |at: usize, bytes: usize| {
            (0..bytes)
                .rev()
                .fold(0, |sum, i| sum << 8 | usize::from(film[at + i]))
        };

        let length = number(at + 4, 4);

        if &film[at..at + 4] == b"ANMF" {
            frames += 1;
            milliseconds += number(at + 20, 3);
        }

        at += 8 + length + length % 2;
    }

    assert!(
        frames > 20 && (5_000..8_000).contains(&milliseconds),
        "{frames} frames, {milliseconds} ms"
    );
    assert!(
        readme.contains("<source media=\"(prefers-reduced-motion: reduce)\""),
        "a still for those who want one"
    );
}

/// Returns the targets in a text that follow `before`.
fn targets<'a>(text: &'a str, before: &str) -> BTreeSet<&'a str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let words = text
        .split(before)
        .skip(1)
        .map(|rest| rest.split(|letter| !is_part(letter)).next().unwrap());
    words.filter(|word| word.matches('-').count() > 1).collect()
}

#[test]
fn all_documents_name_the_same_release_files() {
    let workflow = read(".github/workflows/release.yml");
    let made = targets(&workflow, "target: ");
    assert_eq!(made.len(), 5, "{made:?}");

    for (file, before) in [
        ("contrib/get-pixelmap.sh", "target="),
        ("contrib/egg-pixelmap.json", "target="),
        ("contrib/Dockerfile", "pixelmap-v${VERSION}-"),
        ("docs/install.md", "`pixelmap-vVERSION-"),
    ] {
        let text = read(file);
        let named = targets(&text, before);
        assert!(
            named.len() > 1 && named.is_subset(&made),
            "{file}: {named:?}"
        );
    }

    let release = read("contrib/release");
    assert!(
        release.contains("name=pixelmap-v$version-$target\n")
            && release.contains(r#"sum "$name.tar.gz""#)
    );
    assert!(
        read("contrib/get-pixelmap.sh").contains("archive=pixelmap-v$version-$target.tar.gz\n")
    );

    let package = read("Cargo.toml");
    assert!(package.contains("/v{ version }/{ name }-v{ version }-{ target }.tar.gz\"\n"));
    assert!(
        package.contains("bin-dir = \"{ name }-v{ version }-{ target }/{ bin }{ binary-ext }\"\n")
    );
}

#[cfg(unix)]
#[test]
fn the_demo_site_links_only_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let mut script = std::process::Command::new(root().join("contrib/demo"));
    let output = script
        .arg(&site)
        .arg(crate::map::program().get_program())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");

    let page = fs::read_to_string(site.join("index.html")).unwrap();
    let links: Vec<_> = page
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split(['"', '?']).next().unwrap())
        .collect();

    assert_eq!(links.len(), 5, "{page}");
    assert!(
        links.iter().all(|link| site.join(link).exists()),
        "{links:?}"
    );
    assert!(site.join("cut/map.json").exists() && site.join("island.pmtiles").exists());
}

#[test]
fn every_dependency_has_its_reason_on_its_page() {
    let (package, page) = (read("Cargo.toml"), read("docs/dependencies.md"));
    let tables = package
        .split("\n[")
        .filter(|table| table.lines().next().unwrap().ends_with("dependencies]"));
    let lines = tables
        .flat_map(|table| table.lines().skip(1))
        .filter(|line| !line.starts_with([' ', '#', ']']));

    // Leaves out the crates of this repository, and packages whose version is in another table.
    let is_own_or_named_again =
        |name: &&str| name.starts_with("pixelmap-") || name.ends_with(".workspace");

    let names: Vec<_> = lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| !is_own_or_named_again(name))
        .collect();
    assert!(names.len() > 30, "{names:?}");

    let silent: Vec<_> = names
        .into_iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert_eq!(silent, [""; 0]);
}

#[test]
fn examples_name_this_version() {
    let version = env!("CARGO_PKG_VERSION");

    for (file, before) in [
        ("docs/ci.md", "pixelmap@v"),
        ("docs/ci.md", "-b v"),
        ("docs/install.md", "pixelmap-v"),
        ("docs/install.md", "download/v"),
        ("CITATION.cff", "\nversion: "),
        ("contrib/Dockerfile", "VERSION="),
        ("contrib/helm/pixelmap/Chart.yaml", "\nversion: "),
        ("contrib/helm/pixelmap/Chart.yaml", "\nappVersion: "),
        (
            "contrib/egg-pixelmap.json",
            "\"VERSION\",\n            \"default_value\": \"",
        ),
    ] {
        let text = read(file);
        let named: Vec<_> = text
            .split(before)
            .skip(1)
            .filter(|rest| rest.starts_with(char::is_numeric))
            .collect();

        assert!(
            !named.is_empty() && named.iter().all(|rest| rest.starts_with(version)),
            "{file}: {before}"
        );
    }
}

#[test]
fn benchmarks_name_the_installed_programs() {
    let (script, page) = (read("benches/peers/run.sh"), read("docs/benchmarks.md"));
    for (variable, program) in [("minedmap", "MinedMap"), ("anvil", "anvil")] {
        let version = script
            .split(&format!("\n{variable}="))
            .nth(1)
            .unwrap()
            .lines()
            .next()
            .unwrap();
        assert!(
            page.contains(&format!("\n| {program} | {version} |")),
            "{program} {version}"
        );
    }
}

#[test]
fn all_documents_name_the_same_oldest_compiler() {
    let package = read("Cargo.toml");
    let oldest = package
        .split("\nrust-version = \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(read("rust-toolchain.toml").contains(&format!("\nchannel = \"{oldest}.0\"\n")));
    assert!(read("README.md").contains(&format!("[Rust](https://rustup.rs), {oldest} or newer")));
    assert!(read("docs/ci.md").contains(&format!("image: rust:{oldest}\n")));
}

#[test]
fn pages_name_the_newest_game_version() {
    let newest = pixelmap_draw::game_version(Some(pixelmap_draw::newest_data_version()));
    for (page, words) in [
        ("README.md", format!("from Alpha to {newest} ")),
        ("docs/versions.md", format!("\n| 1.18 to {newest} |")),
    ] {
        assert!(read(page).contains(&words), "{page}: {words}");
    }
}
