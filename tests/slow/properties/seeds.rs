//! Good inputs for each promise, made by the builder of the tests. Mutations and fuzzing start from
//! them.

use pixelmap_base::coord::{Area, Slot, TilePos};
use pixelmap_draw::report::{ChunkCounts, Damage, Findings, ShownNames};
use pixelmap_draw::tiles::record::{
    Hashes, NativeRecord, ParentRecord, RegionFacts, RegionSource, TileFacts, facts_bytes,
    native_bytes, parent_bytes,
};
use pixelmap_map::atlas::{
    DimensionFacts, LayerFacts, Manifest, MapFile, Naming, Scheme, TileRecord,
};
use pixelmap_map::store::{Identity, Journal, Output};
use pixelmap_world::internal::Stamp;

use super::promises::LAYER;
use crate::world::bedrock::keys::{biome_names, chunk_facts, dimension_names};
use crate::world::bedrock::{ChunkSpec, Form};
use crate::world::fixture::{bedrock, landscape};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::payload::{Block as Lz4, gzip, lz4, zlib};
use crate::world::xaero::{self, Pixel, XaeroFile};
use crate::world::zvcr::ZvcrFile;
use crate::world::{Generation, Record, RegionSpec, block};

/// The good inputs of a promise.
pub fn of(promise: &str) -> Vec<Vec<u8>> {
    let chunks = || {
        let generations = Generation::newest_of_each_form();
        generations
            .map(|generation| landscape(0, 0, generation).nbt().document())
            .collect::<Vec<_>>()
    };

    let stream = |raw: &[u8]| lz4(raw, 3000, &[Lz4::Lz4, Lz4::Raw], true);

    match promise {
        "header" => vec![region()[..8192].to_vec()],
        "region_file" => vec![region()],
        "record" => {
            let raw = landscape(5, 5, Generation::Root(3955)).nbt().document();
            [
                (1, gzip(&raw)),
                (2, zlib(&raw)),
                (3, raw.clone()),
                (4, stream(&raw)),
                (127, b"\0\x04zstd".to_vec()),
            ]
            .map(|(compression, payload)| [vec![compression], payload].concat())
            .to_vec()
        }
        "lz4" => chunks().iter().take(3).map(|raw| stream(raw)).collect(),
        "nbt" | "chunk" => chunks(),
        "values" => bedrock().map(|chunk| values(&chunk)).collect(),
        "zvcr_container" => {
            let mut file = ZvcrFile::default();
            let mut new = crate::world::ChunkSpec::new(5, 5, Generation::Root(4189));
            new.layer(0, 40, block::STONE);
            new.layer(41, 41, block::GRASS_BLOCK);
            let mut old = new.clone();
            old.set(3, 42, 4, block::OAK_PLANKS);
            file.put_states([(2000, &new), (1000, &old)]);
            vec![file.container()]
        }
        "xaero_stream" => {
            let tile = xaero::tile(|x, _| {
                let pixel = Pixel::new(if x < 8 { block::SAND } else { block::STONE }, 50);
                if x < 4 { pixel.under_water(60) } else { pixel }
            });
            let versions = [(0, 2), (2, 4), (4, 5), (6, 8)];
            let file = |version| XaeroFile {
                version,
                ..XaeroFile::of_tile((3, 4), tile.clone())
            };
            versions.map(|version| file(version).stream()).to_vec()
        }
        "subchunk" => bedrock()
            .filter(|chunk| chunk.form != Form::LegacyTerrain)
            .map(|chunk| chunk.subchunk(3))
            .collect(),
        "section_biomes" => bedrock()
            .filter_map(|chunk| chunk.changes().remove(&chunk.key(43))?)
            .collect(),
        "sign" => SIGNS
            .map(|text| text.as_bytes().to_vec())
            .into_iter()
            .chain([nbt_text()])
            .collect(),
        "palette" => vec![PALETTE.as_bytes().to_vec()],
        "pack" => PACKS.map(pack).to_vec(),
        "manifest" => vec![manifest()],
        "region_record" => records(),
        "journal" => vec![journal()],
        "level_dat" => vec![
            LevelDat::new("w", Some(3955))
                .old_spawn(1, 2, 3)
                .forge_registry(&[("mod:a", 500)])
                .bytes(),
            LevelDat::new("w", Some(4556))
                .new_spawn("minecraft:the_nether", [1, 2, 3])
                .bytes(),
        ],
        "database_table" => database_files(".ldb"),
        "database_log" => database_files(".log"),
        "database_manifest" => database_files("MANIFEST-"),
        "bedrock_level_dat" => {
            let tag = Tag::compound([
                ("LevelName", Tag::string("w")),
                ("SpawnX", Tag::Int(3)),
                ("SpawnY", Tag::Int(64)),
            ]);

            let tag = tag.bedrock_document();
            vec![
                [
                    &10_u32.to_le_bytes()[..],
                    &(tag.len() as u32).to_le_bytes(),
                    &tag,
                ]
                .concat(),
            ]
        }
        "add_on_tables" => [
            dimension_names(&[("test:sky", 1000)], true),
            dimension_names(&[("test:sky", 1000)], false),
            biome_names(&[(30_000, "test:glade")]),
            chunk_facts(&[(7, -64)]),
        ]
        .into_iter()
        .filter_map(|(_, table)| table)
        .collect(),
        "data_pack" => vec![DATA_PACK.as_bytes().to_vec()],
        "add_on" => vec![ADD_ON.as_bytes().to_vec()],
        "journeymap" => vec![WAYPOINT.as_bytes().to_vec(), waypoint_data()],
        "foreign_map" => {
            let history = FOREIGN.map(|text| text.as_bytes().to_vec());
            history
                .into_iter()
                .chain([map_facts().into_bytes()])
                .collect()
        }
        "request" => REQUESTS.map(|text| text.as_bytes().to_vec()).to_vec(),
        other => panic!("no promise is called {other}"),
    }
}

/// Texts of signs as plain text, in strict and in lenient JSON.
const SIGNS: [&str; 4] = [
    "§4To the §lport",
    r#"{"text": "a", "extra": ["b", {"translate": "block.x", "fallback": "X", "bold": true}], "color": "red"}"#,
    r#"["", 7, {"keybind": "key.jump"}, "\u00e9\ud83d\ude00"]"#,
    "{'text'='it\\'s';extra=[\"a\"; {text => b}]}",
];

/// The fields of a text in NBT.
fn nbt_text() -> Vec<u8> {
    let part = |text| Tag::compound([("text", Tag::string(text))]);
    let extra = Tag::List(vec![part("b"), Tag::compound([("", Tag::string("c"))])]);
    let document = Tag::compound([("text", Tag::string("a")), ("extra", extra)]).document();
    // Without the root and its end.
    document[3..document.len() - 1].to_vec()
}

const REQUESTS: [&str; 5] = [
    "GET /map.json HTTP/1.1\r\nHost: 127.0.0.1:80\r\nRange: bytes=0-3,-2\r\nAccept-Encoding: gzip, \
     br;q=0\r\n\r\n",
    "GET /.pixelmap/journal HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: W/\"0\", *\r\n\r\nHEAD / \
     HTTP/1.0\r\n\r\n",
    "GET /%2e%2e/outside HTTP/1.1\r\nHost: [::1]\r\nIf-Modified-Since: Thu, 26 Nov 2026 10:00:00 \
     GMT\r\n\r\n",
    "GET http://localhost/../outside HTTP/1.1\r\nHost: localhost\r\nIf-Range: \"0\"\r\nRange: \
     bytes=1-\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: \
     chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
];

const PALETTE: &str = "# a comment\nminecraft:stone\t7f7f80\nmod:glass c02040 50\nmod:fern_* \
                       808080 50 grass\n\
                       mod:beam[axis=x] 705030 100 - leaves 7\nmod:old =mod:beam\nbiome mod:heath 8f7a4a 7d6f3c 3f76e4\n";

/// The files of a data pack: its description, a kind of dimension and a dimension.
const DATA_PACK: &str = concat!(
    r#"{"pack": {"pack_format": 48}, "overlays": {"entries": [{"formats": [48, 99], "directory": "over"}]}}"#,
    "\0",
    r#"{"has_ceiling": true, "min_y": -64, "height": 128, "logical_height": 96}"#,
    "\0",
    r#"{"type": "mod:deep", "generator": {"type": "minecraft:noise"}}"#
);

/// The files of an add-on: the faces of a block, the list of textures, and the components of a
/// block.
const ADD_ON: &str = concat!(
    r#"{"format_version": [1, 1, 0], "mod:thing": {"textures": {"up": "thing", "side": "other"}}}"#,
    "\0",
    r#"{"texture_data": {"thing": {"textures": ["textures/thing", "textures/other"]}}}"#,
    "\0",
    r##"{"minecraft:block": {"description": {"identifier": "mod:thing"}, "components": {"minecraft:map_color": "#102030"}}}"##,
    "\0no picture"
);

const WAYPOINT: &str = r#"{"name": "§chub", "x": 80, "y": 70, "z": -161, "r": 1, "g": 2, "b": 3, "type": "Normal", "dimensions": [0, "minecraft:the_nether"]}"#;

/// The waypoints of JourneyMap 6.
fn waypoint_data() -> Vec<u8> {
    let pos = Tag::compound([
        ("x", Tag::Int(1)),
        ("y", Tag::Int(2)),
        ("z", Tag::Int(3)),
        ("dimension", Tag::string("DIM7")),
    ]);
    let waypoint = Tag::compound([
        ("name", Tag::string("hub")),
        ("pos", pos),
        ("color", Tag::Int(255)),
    ]);
    Tag::compound([("waypoints", Tag::compound([("hub_1", waypoint)]))]).document()
}

/// The facts of a map with one layer.
fn map_facts() -> String {
    let (path, naming) = ("overworld/day".to_owned(), Naming::default());
    let layer = LayerFacts::new(
        "day",
        path,
        naming,
        1,
        16,
        &Manifest {
            tiles: tiles().collect(),
        },
    );

    let mut map = MapFile::new("w".to_owned());
    map.add(vec![DimensionFacts {
        id: "overworld".to_owned(),
        path: "overworld".to_owned(),
        name: "Overworld".to_owned(),
        spawn: Some([1, 2, 3]),
        markers: Vec::new(),
        details: None,
        layers: vec![layer],
    }]);

    map.json()
}

/// The moments of a map, and earlier versions of tiles.
const FOREIGN: [&str; 2] = [
    "pixelmapMoments({\"moments\":[{\"id\":1,\"time\":5,\"tiles\":0,\"bytes\":0},{\"id\":2,\"time\":9,\"label\":\"b\",\"tiles\":1,\"bytes\":7}]});\n",
    "pixelmapPast(\"overworld/day\",\"outer\",[\n[12,0,0,2,9,\"00000000000000ff\",\"0000000000000001\"],\n[12,0,1,2,0,\"\",\"\"]\n]);\n",
];

/// A block state file, a model and its parent.
const PACKS: [[&str; 3]; 2] = [
    [
        r#"{"variants": {"axis=y": {"model": "mod:block/thing"}, "axis=x": [{"model": "mod:block/thing", "x": 90, "y": 90,
            "uvlock": true, "weight": 3}, {"model": "mod:block/thing", "y": 180}]}}"#,
        r##"{"parent": "mod:block/parent", "textures": {"all": "mod:block/thing", "particle": "#all"}}"##,
        r##"{"elements": [{"from": [0, 0, 0], "to": [16, 8, 16], "faces": {"up": {"texture": "#all", "uv": [0, 4, 8, 16],
            "rotation": 90, "tintindex": 0, "cullface": "up"}, "north": {"texture": "#all"}}}]}"##,
    ],
    [
        r#"{"multipart": [{"apply": {"model": "thing"}}, {"when": {"OR": [{"north": "true"}, {"east": "true|tall"}]},
            "apply": {"model": "mod:thing"}}, {"when": {"AND": [{"up": "!false"}]}, "apply": {"model": "mod:thing"}}]}"#,
        r#"{"parent": "mod:block/parent", "textures": {"all": {"sprite": "mod:block/thing"}}}"#,
        r##"{"elements": [{"from": [0.8, 0, 8], "to": [15.2, 16, 8], "rotation": {"origin": [8, 8, 8], "axis": "y",
            "angle": 45, "rescale": true}, "faces": {"north": {"texture": "#all"}, "south": {"texture": "#all"}}}]}"##,
    ],
];

/// The files of a pack, and a texture of 4 by 8 pixels.
fn pack(texts: [&str; 3]) -> Vec<u8> {
    let mut bytes: Vec<u8> = texts
        .iter()
        .flat_map(|text| [text.as_bytes(), &[0]].concat())
        .collect();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 8);
    encoder.set_color(png::ColorType::GrayscaleAlpha);

    let pixels: Vec<u8> = (0..64).map(|at| at * 4).collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels)
        .unwrap();

    bytes
}

/// A landscape in each form of Bedrock Edition.
fn bedrock() -> impl Iterator<Item = ChunkSpec> {
    [2, 3, 7, 8, 9, 25, 39, 42]
        .into_iter()
        .map(|version| bedrock::landscape(0, 0, version))
}

/// Returns the stored bytes of a chunk of the overworld, as the program's reader passes them on.
fn values(chunk: &ChunkSpec) -> Vec<u8> {
    let mut bytes = vec![chunk.lowest as u8];
    for (key, value) in chunk.changes() {
        let value = value.unwrap_or_default();
        bytes.extend([key[8], key.get(9).copied().unwrap_or(0)]);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value);
    }
    bytes
}

fn region() -> Vec<u8> {
    let mut region = RegionSpec::new(0, 0);
    for (x, generation) in Generation::newest_of_each_form().enumerate() {
        let raw = landscape(x as i32, 3, generation).nbt().document();
        let record = match x % 3 {
            0 => Record::new(1, gzip(&raw)),
            1 => Record::new(2, zlib(&raw)),
            _ => Record::external(2, None),
        };
        region.put_record(x as i32, 3, record);
    }

    region.bytes()
}

fn tiles() -> impl Iterator<Item = (TilePos, TileRecord)> {
    (0..5).map(|n| {
        (
            TilePos {
                zoom: 17 + n as u8,
                x: n - 2,
                y: n * 7,
            },
            TileRecord {
                bytes: 99,
                file: 7,
                pixels: u64::MAX,
            },
        )
    })
}

fn manifest() -> Vec<u8> {
    let mut text = Vec::new();
    Manifest {
        tiles: tiles().collect(),
    }
    .write(Scheme::Signed, &mut text)
    .unwrap();
    text
}

fn records() -> Vec<Vec<u8>> {
    let stamp = Stamp {
        len: 5,
        modified: -6,
        changed: 7,
        inode: 8,
        header: 9,
    };

    let hashes = Hashes {
        content: 1,
        sides: [2, 3, 4, 5],
        corners: [6, 7, 8, 9],
    };

    let source = RegionSource {
        stamp,
        read: 11,
        external: vec![(Slot::at(3, 30), None), (Slot::at(1, 1), Some(stamp))],
        hashes,
    };

    let tile = tiles().next().map(|(_, record)| TileFacts {
        record,
        modified: -3,
    });

    let chunks = ChunkCounts {
        drawn: 4,
        empty: 3,
        unfinished: 2,
        bad: 1,
        hidden: 0,
        edge: 0,
    };

    let bad = vec![Damage::new(
        Some(Slot::at(3, 30)),
        "inflate",
        "damaged".to_owned(),
    )];
    let plain = Findings {
        chunks,
        ..Findings::default()
    };

    let facts = |findings: Findings| {
        facts_bytes(&RegionFacts {
            source: source.clone(),
            neighbour_hash: 12,
            findings,
        })
    };

    let native = |unlit: u64| {
        native_bytes(&NativeRecord {
            sources: 13,
            tile,
            filled: Area::default(),
            shown: ShownNames::default(),
            unlit,
        })
    };

    vec![
        facts(plain.clone()),
        facts(Findings { bad, ..plain }),
        native(0),
        native(6),
        parent_bytes(&ParentRecord { children: 77, tile }),
    ]
}

fn journal() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let world = Identity {
        name: "w".to_owned(),
        spawn: None,
        path: folder.path().join("world"),
    };

    let output = Output::open(&folder.path().join("map"), &world, &[]).unwrap();
    let journal = Journal::open(&output, vec![LAYER]).unwrap();
    for (tile, _) in tiles() {
        journal.add(0, tile, b"something of some length").unwrap();
    }

    std::fs::read(folder.path().join("map/.pixelmap/journal")).unwrap()
}

/// The files of a database whose names have this part.
fn database_files(part: &str) -> Vec<Vec<u8>> {
    let files = bedrock::forms().files.0;
    files
        .into_iter()
        .filter(|(name, _)| name.contains(part))
        .map(|(_, bytes)| bytes)
        .collect()
}
