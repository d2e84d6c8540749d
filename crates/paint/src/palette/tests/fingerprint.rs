//! Checks that the fingerprint of a palette covers everything that decides a colour.

use super::*;

#[test]
fn the_fingerprint_covers_exactly_the_colour_inputs() {
    let plain = Palette::builtin;
    let file = |text: &str| {
        plain()
            .with_overrides("my.tsv", text)
            .unwrap()
            .fingerprint()
    };

    let heath = |water| {
        let tints = BiomeTints {
            water,
            ..plain().tints("minecraft:plains").unwrap()
        };
        plain()
            .with_biomes([("mod:heath".to_owned(), tints)])
            .fingerprint()
    };

    let all = [
        plain().fingerprint(),
        plain().with_base(Base::MapItem).fingerprint(),
        plain().with_unknown(UnknownBlocks::Hide).fingerprint(),
        plain()
            .with_unknown(UnknownBlocks::Colour([1; 3]))
            .fingerprint(),
        plain()
            .with_unknown(UnknownBlocks::Colour([2; 3]))
            .fingerprint(),
        file("stone 010101"),
        file("stone 010101 50"),
        file("stone[a=b] 010101"),
        file("stone =dirt"),
        file("biome mod:heath 010101 020202 030303"),
        heath([1; 3]),
        heath([2; 3]),
    ];

    assert_eq!(BTreeSet::from(all).len(), all.len(), "{all:?}");
    assert_eq!(
        file("# a comment\n\nstone  #010101\n"),
        file("minecraft:stone\t010101")
    );

    assert_eq!(
        plain()
            .with_unknown(UnknownBlocks::Auto)
            .with_base(Base::Texture)
            .fingerprint(),
        plain().fingerprint()
    );
}

/// The files next to this one that need not be in the fingerprint of a palette.
const NOT_IN_FINGERPRINT: [(&str, &str); 13] = [
    ("lookup.rs", "PICTURE_VERSION covers its code"),
    ("tint.rs", "PICTURE_VERSION covers its code"),
    ("unknown_blocks.rs", "PICTURE_VERSION covers its code"),
    ("sources.rs", "only lists the texts in the fingerprint"),
    ("error.rs", "only has messages"),
    ("table.rs", "PICTURE_VERSION covers its code"),
    ("biomes.rs", "PICTURE_VERSION covers its code"),
    ("overrides.rs", "PICTURE_VERSION covers its code"),
    ("lights.rs", "PICTURE_VERSION covers its code"),
    ("lights.tsv", "fingerprint_of_lights covers it"),
    (
        "rules.tsv",
        "only makes blocks.tsv, and the colours of assets, which are in the fingerprint",
    ),
    ("biome_rules.tsv", "only makes biomes.tsv"),
    ("guesses.rs", "only keeps guesses"),
];

#[test]
fn every_list_of_colours_is_in_the_fingerprint() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/palette");
    for folder in [folder.clone(), folder.join("unknown")] {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let is_folder = entry.file_type().unwrap().is_dir();
            if is_folder
                || name == "mod.rs"
                || entry.path().parent().unwrap().ends_with("palette") && is_left_out(&name)
            {
                continue;
            }

            let text = std::fs::read_to_string(entry.path()).unwrap();
            assert!(
                Palette::tables().any(|table| table == text),
                "{name} is not in the fingerprint"
            );
        }
    }
}

fn is_left_out(name: &str) -> bool {
    NOT_IN_FINGERPRINT
        .iter()
        .any(|(left_out, _)| *left_out == name)
}
