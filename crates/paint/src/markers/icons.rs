//! Reads the owner's icons: small PNG files in a folder, which markers name by the names of the
//! files.
//!
//! Each picture is decoded, and its pixels are encoded again. So the folder of a map never gets
//! texts, positions or anything else that a file may hold besides its pixels. Pictures in other
//! formats are refused, because an SVG may hold scripts.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Cursor, Read as _};
use std::path::Path;

use data_encoding::BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::markers::left_out::left_out;

/// The most bytes of a file.
const MAX_BYTES: u64 = 64 << 10;
/// The most pixels along each side.
const MAX_SIDE: u32 = 128;
/// The most icons of a folder.
const MAX_ICONS: usize = 256;
/// The most letters of an icon's name.
const MAX_NAME: usize = 32;
/// The limit, in bytes, of the memory that the decoder may use in addition to the pixels.
const MAX_DECODER: usize = 1 << 20;
/// The endings of pictures that are not PNG.
const OTHER_PICTURES: [&str; 8] = ["svg", "webp", "gif", "jpg", "jpeg", "avif", "bmp", "ico"];

/// The owner's icons of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct IconFolder {
    pub(super) icons: Vec<OwnerIcon>,
    /// Names the files that are left out.
    pub(super) warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerIcon {
    /// The name by which markers know it.
    pub name: String,
    #[serde(serialize_with = "write_base64", deserialize_with = "read_base64")]
    pub png: Vec<u8>,
}

impl IconFolder {
    /// Reads the icons of a folder, in the order of their names.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let mut paths = BTreeSet::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if is_picture(&path) {
                paths.insert(path);
            }
        }

        let mut read = Self::default();
        let mut faults = Vec::new();
        for path in paths {
            if let Err(fault) = read.add(&path) {
                faults.push((path, fault));
            }
        }

        read.warnings = left_out(folder, &faults);
        Ok(read)
    }

    /// Adds the icon of a file. Fails with the reason why it cannot be used, and with the remedy.
    fn add(&mut self, path: &Path) -> Result<(), String> {
        let name = icon_name(path)?;
        if self.icons.len() == MAX_ICONS {
            return Err(format!("a map has at most {MAX_ICONS} icons: remove some"));
        }

        let bytes = read_bytes(path)?;
        let png = encoded_again(&bytes)?;
        self.icons.push(OwnerIcon { name, png });

        Ok(())
    }
}

impl OwnerIcon {
    /// Returns whether an icon that another run has read can be shown.
    pub fn is_sound(&self) -> bool {
        is_icon_name(&self.name) && encoded_again(&self.png).as_ref() == Ok(&self.png)
    }
}

/// Returns whether a name is safe as the name of a file and in an address.
pub fn is_icon_name(name: &str) -> bool {
    let is_allowed = |c: u8| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Returns whether a file is a picture by its name. The folder may also hold other files, such as a
/// licence, and hidden files of the system.
fn is_picture(path: &Path) -> bool {
    let is_hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let ending = lower_ending(path);
    !is_hidden && (ending == "png" || OTHER_PICTURES.contains(&&*ending))
}

fn lower_ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}

/// Returns the name of the icon in a file.
fn icon_name(path: &Path) -> Result<String, String> {
    let ending = lower_ending(path);
    if ending != "png" {
        return Err(format!("icons are PNG files, not {ending}: convert it"));
    }

    let stem = path.file_name().and_then(|name| name.to_str());
    let stem = stem.and_then(|name| name.strip_suffix(".png"));
    match stem.filter(|stem| is_icon_name(stem)) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!(
            "name it NAME.png, with at most {MAX_NAME} of the letters a to z, 0 to 9, _ and -"
        )),
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| format!("it cannot be read: {error}");

    // Opening a named pipe would wait for another program.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err("it is not a file: remove it".to_owned());
    }

    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;

    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 10;
        return Err(format!("it has more than {most} KiB: make it smaller"));
    }

    Ok(bytes)
}

/// Returns a PNG with the pixels of another one, and nothing else.
fn encoded_again(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let not_png = |error: png::DecodingError| {
        format!("it is not a whole PNG: save it again as PNG ({error})")
    };

    let limits = png::Limits { bytes: MAX_DECODER };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );

    let mut reader = decoder.read_info().map_err(not_png)?;
    let (width, height) = reader.info().size();
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(format!(
            "it has {width} x {height} pixels, more than {MAX_SIDE} x {MAX_SIDE}: make it smaller"
        ));
    }

    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let form = reader.next_frame(&mut samples).map_err(not_png)?;
    reader.finish().map_err(not_png)?;

    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(form.color_type);
    encoder.set_depth(form.bit_depth);

    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&samples));
    written.map_err(|error| format!("it cannot be encoded: {error}"))?;

    Ok(png)
}

fn write_base64<S: Serializer>(png: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64.encode(png))
}

fn read_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    BASE64.decode(text.as_bytes()).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markers::left_out::MAX_NAMED;

    /// A PNG of one colour, with a text that says where it was made.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder
            .add_text_chunk("Location".to_owned(), "at home".to_owned())
            .unwrap();
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&vec![200; (width * height) as usize])
            .unwrap();
        bytes
    }

    /// Reads the icons of a folder with these files. Returns their names, and the warnings.
    fn read(files: &[(&str, Vec<u8>)]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }

        let IconFolder { icons, warnings } = IconFolder::read(folder.path()).unwrap();
        assert!(icons.iter().all(OwnerIcon::is_sound));
        (icons.into_iter().map(|icon| icon.name).collect(), warnings)
    }

    #[test]
    fn only_safe_names_are_icons() {
        let names = [
            "b-2.png",
            "a_1.png",
            ".hidden.png",
            "notes.txt",
            "Shop.png",
            "a b.png",
            "x.PNG",
            "\u{e9}t\u{e9}.png",
            "-.x.png",
            ".png",
        ];
        let files = names.map(|name| (name, png(4, 4)));
        let long = format!("{}.png", "x".repeat(MAX_NAME + 1));
        let (icons, warnings) = read(&[&files[..], &[(&long, png(4, 4))]].concat());

        assert_eq!(icons, ["a_1", "b-2"]);
        assert_eq!(warnings.len(), 6, "{warnings:?}");
        assert!(
            warnings
                .iter()
                .all(|warning| warning.contains("name it NAME.png")),
            "{warnings:?}"
        );
    }

    #[test]
    fn files_other_than_whole_pngs_are_refused() {
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>".to_vec();
        let whole = png(8, 8);
        let cut = whole[..whole.len() - 12].to_vec();

        for (name, bytes, reason) in [
            ("shop.svg", svg.clone(), "not svg: convert it"),
            ("shop.JPG", whole.clone(), "not jpg: convert it"),
            ("shop.png", svg, "not a whole PNG"),
            ("shop.png", cut, "not a whole PNG"),
            ("shop.png", Vec::new(), "not a whole PNG"),
        ] {
            let (icons, warnings) = read(&[(name, bytes), ("good.png", whole.clone())]);
            assert_eq!(icons, ["good"], "{name}");
            assert!(
                warnings.len() == 1 && warnings[0].contains(name) && warnings[0].contains(reason),
                "{warnings:?}"
            );
        }

        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("shop.png")).unwrap();
        let read = IconFolder::read(folder.path()).unwrap();
        assert!(
            read.warnings[0].contains("not a file"),
            "{:?}",
            read.warnings
        );
        assert!(IconFolder::read(&folder.path().join("missing")).is_err());
    }

    #[test]
    fn icons_beyond_the_bounds_are_left_out() {
        let most = MAX_SIDE;
        let heavy = [png(4, 4), vec![0; MAX_BYTES as usize]].concat();
        let (icons, warnings) = read(&[
            ("good.png", png(most, most)),
            ("heavy.png", heavy),
            ("high.png", png(1, most + 1)),
            ("wide.png", png(most + 1, 1)),
        ]);
        assert_eq!((icons.len(), warnings.len()), (1, 3), "{warnings:?}");
        assert!(warnings[0].contains("64 KiB") && warnings[1].contains("1 x 129 pixels"));

        let names: Vec<String> = (0..MAX_ICONS + 20)
            .map(|number| format!("{number:03}.png"))
            .collect();
        let files: Vec<_> = names.iter().map(|name| (&**name, png(1, 1))).collect();
        let (icons, warnings) = read(&files);
        assert_eq!((icons.len(), warnings.len()), (MAX_ICONS, MAX_NAMED + 1));
        assert!(warnings[MAX_NAMED].ends_with("10 more"), "{warnings:?}");
    }

    #[test]
    fn only_the_pixels_of_an_icon_are_kept() {
        let mut file = png(3, 2);
        file.extend(b"<script>after the end</script>");
        let kept = encoded_again(&file).unwrap();
        let holds = |text: &[u8]| kept.windows(text.len()).any(|part| part == text);
        assert!(!holds(b"at home") && !holds(b"script"));

        let mut reader = png::Decoder::new(Cursor::new(&kept)).read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut samples).unwrap();
        assert_eq!(samples, [200, 255].repeat(6));
    }

    #[test]
    fn an_icon_of_another_run_is_checked() {
        let icon = |name: &str, png: Vec<u8>| OwnerIcon {
            name: name.to_owned(),
            png,
        };
        let png = encoded_again(&png(4, 4)).unwrap();
        let text = serde_json::to_string(&icon("shop", png.clone())).unwrap();
        assert!(serde_json::from_str::<OwnerIcon>(&text).unwrap().is_sound());

        assert!(!icon("../shop", png.clone()).is_sound());
        assert!(!icon("shop", [&png[..], b"more"].concat()).is_sound());
        assert!(!icon("shop", b"<svg>".to_vec()).is_sound());
    }
}
