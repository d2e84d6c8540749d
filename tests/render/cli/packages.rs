//! Tests `contrib/packages/make`, which makes packages from the files of a release.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::map::Place;
use crate::missing;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-musl.tar.gz",
    "aarch64-unknown-linux-musl.tar.gz",
    "x86_64-apple-darwin.tar.gz",
    "aarch64-apple-darwin.tar.gz",
    "x86_64-pc-windows-msvc.tar.gz",
];
const WINDOWS: &str = "x86_64-pc-windows-msvc.exe";

/// Puts the files of a release into a folder, and `SHA256SUMS`. Returns each ending with its
/// checksum.
fn put_release(folder: &Path) -> Vec<(&'static str, String)> {
    let mut sums = Vec::new();
    let mut list = String::new();
    for ending in TARGETS.into_iter().chain([WINDOWS]) {
        let name = format!("pixelmap-v{VERSION}-{ending}");
        let file = folder.join(&name);
        if let Some(inner) = name.strip_suffix(".tar.gz") {
            for (path, text) in [
                ("pixelmap", "#!/bin/sh\necho 'pixelmap of a test'\n"),
                ("README.md", "readme"),
                ("LICENSE-MIT", "licence"),
                ("docs/faq.md", "questions"),
                ("man/pixelmap.1", "manual"),
                ("completions/pixelmap.bash", "bash"),
                ("completions/_pixelmap", "zsh"),
                ("completions/pixelmap.fish", "fish"),
            ] {
                let path = folder.join(inner).join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }

            fs::set_permissions(
                folder.join(inner).join("pixelmap"),
                fs::Permissions::from_mode(0o755),
            )
            .unwrap();
            let mut tar = Command::new("tar");
            tar.current_dir(folder).args(["-czf", &name, inner]);
            assert!(tar.status().unwrap().success());
        } else {
            fs::write(&file, ending).unwrap();
        }

        let digest = Sha256::digest(fs::read(file).unwrap());
        let sum = digest
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .concat();
        list += &format!("{sum}  {name}\n");
        sums.push((ending, sum));
    }

    fs::write(folder.join("SHA256SUMS"), list).unwrap();
    sums
}

#[test]
fn packages_have_version_and_checksums_of_the_release() {
    let place = Place::empty();
    let sums = put_release(&place.at(""));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/packages/make");
    let output = Command::new(script)
        .arg(place.at(""))
        .arg("acme/pixelmap")
        .output()
        .unwrap();

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let read = |name: &str| fs::read_to_string(place.at("packages").join(name)).unwrap();

    let mut all = String::new();
    for name in [
        "pixelmap.rb",
        "pixelmap.json",
        "PKGBUILD",
        "winget/pixelmap.pixelmap.yaml",
        "winget/pixelmap.pixelmap.locale.en-US.yaml",
        "winget/pixelmap.pixelmap.installer.yaml",
    ] {
        let text = read(name);
        assert!(
            text.contains(VERSION) && !text.contains('@'),
            "{name}: {text}"
        );
        all += &text;
    }

    for (ending, sum) in &sums {
        assert!(all.contains(sum), "{ending}");
    }

    let scoop: serde_json::Value = serde_json::from_str(&read("pixelmap.json")).unwrap();
    assert_eq!(
        scoop["architecture"]["64bit"]["hash"].as_str(),
        Some(sums[4].1.as_str())
    );

    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return missing::report("runner", "packages of Debian: dpkg-deb is not installed");
    }

    for processor in ["amd64", "arm64"] {
        let deb = place
            .at("packages")
            .join(format!("pixelmap_{VERSION}_{processor}.deb"));

        let root = place.at(processor);
        assert!(
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(&deb)
                .arg(&root)
                .status()
                .unwrap()
                .success()
        );

        let ran = Command::new(root.join("usr/bin/pixelmap"))
            .output()
            .unwrap();
        assert_eq!(ran.stdout, b"pixelmap of a test\n");

        for path in [
            "share/man/man1/pixelmap.1.gz",
            "share/doc/pixelmap/docs/faq.md",
            "share/fish/vendor_completions.d/pixelmap.fish",
        ] {
            assert!(root.join("usr").join(path).is_file(), "{path}");
        }

        let control = Command::new("dpkg-deb")
            .args(["-f"])
            .arg(&deb)
            .arg("Architecture")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&control.stdout).trim(), processor);
    }
}
