//! Tests promises for any bytes with random bytes and with changed good inputs. `fuzz/` tries to
//! break the same promises; `PROPTEST_CASES=100000 cargo test --release --test slow properties`
//! tries more inputs here.
#![allow(unreachable_pub, reason = "fuzz/ includes the same files")]

mod promises;
mod seeds;

use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::world::nbt::Tag;

/// One change of some bytes.
#[derive(Debug, Clone)]
enum Change {
    Flip(usize, u8),
    Set(usize, u8),
    Word(usize, u32),
    Cut(usize),
    Copy(usize, usize, usize),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let at = any::<usize>;
        let words = [
            0,
            1,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x0001_0000,
            0x0010_0000,
        ];

        proptest::prop_oneof![
            4 => (at(), 0..8_u8).prop_map(|(at, bit)| Self::Flip(at, 1 << bit)),
            4 => (at(), any::<u8>()).prop_map(|(at, byte)| Self::Set(at, byte)),
            2 => (at(), proptest::sample::select(words.to_vec())).prop_map(|(at, word)| Self::Word(at, word)),
            1 => at().prop_map(Self::Cut),
            1 => (at(), at(), 1..200_usize).prop_map(|(from, to, len)| Self::Copy(from, to, len)),
        ]
    }

    fn make(&self, bytes: &mut Vec<u8>) {
        let len = bytes.len().max(1);

        match *self {
            Self::Flip(at, bits) => bytes.get_mut(at % len).map_or((), |byte| *byte ^= bits),
            Self::Set(at, to) => bytes.get_mut(at % len).map_or((), |byte| *byte = to),
            Self::Word(at, word) => {
                let at = at % len;
                for (byte, to) in bytes.iter_mut().skip(at).zip(word.to_be_bytes()) {
                    *byte = to;
                }
            }
            Self::Cut(at) => bytes.truncate(at % len),
            Self::Copy(from, to, count) => {
                let (from, to) = (from % len, to % len);
                let count = count.min(bytes.len() - from.max(to).min(bytes.len()));
                bytes.copy_within(from..from + count, to);
            }
        }
    }
}

/// An input, described in few words.
#[derive(Debug, Clone)]
enum Input {
    /// The good input of this number with some changes.
    Changed(usize, Vec<Change>),
    Senseless(Vec<u8>),
}

impl Input {
    fn any(good: usize) -> impl Strategy<Value = Self> {
        let changes = proptest::collection::vec(Change::any(), 0..6);
        proptest::prop_oneof![
            9 => (0..good, changes).prop_map(|(number, changes)| Self::Changed(number, changes)),
            1 => proptest::collection::vec(any::<u8>(), 0..600).prop_map(Self::Senseless),
        ]
    }

    fn bytes(self, good: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Self::Senseless(bytes) => bytes,
            Self::Changed(number, changes) => {
                let mut bytes = good[number].clone();
                for change in changes {
                    change.make(&mut bytes);
                }
                bytes
            }
        }
    }
}

/// Uses the same inputs in every run, so that a failure can be repeated. The environment can
/// request more inputs.
fn assert_kept(name: &str, cases: u32) {
    let (_, promise) = promises::ALL
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap();

    let good = seeds::of(name);
    for good in &good {
        promise(good);
    }

    promise(&[]);
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        ..Config::default()
    };

    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(&Input::any(good.len()), |input| {
        promise(&input.bytes(&good));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn a_header_matches_its_bytes() {
    assert_kept("header", 300);
}

#[test]
fn any_bytes_read_as_a_region_file() {
    assert_kept("region_file", 200);
}

#[test]
fn any_record_is_inflated_within_bounds_or_refused() {
    assert_kept("record", 200);
}

#[test]
fn any_lz4_stream_matches_the_slow_reader() {
    assert_kept("lz4", 200);
}

#[test]
fn any_nbt_ends_alike_skipped_or_entered() {
    assert_kept("nbt", 2000);
}

#[test]
fn any_chunk_is_refused_or_read_correctly() {
    assert_kept("chunk", 400);
}

/// A chunk with one section of one block.
fn chunk_with(section_y: Tag, block: Tag) -> Vec<u8> {
    let states = Tag::compound([("palette", Tag::List(vec![Tag::compound([("Name", block)])]))]);
    let section = Tag::compound([("Y", section_y), ("block_states", states)]);
    let sections = Tag::List(vec![section]);
    Tag::compound([
        ("DataVersion", Tag::Int(3955)),
        ("Status", Tag::string("full")),
        ("sections", sections),
    ])
    .document()
}

#[test]
fn sections_at_impossible_heights_are_not_walked() {
    for y in [i32::MIN, -129, 128, 1 << 27, i32::MAX] {
        promises::chunk(&chunk_with(Tag::Int(y), Tag::string("minecraft:stone")));
    }
}

#[test]
fn names_with_zeros_match_the_slow_reader() {
    // The last name contains a zero in the two bytes that modified UTF-8 writes.
    for name in [
        &b"minecraft:stone\0"[..],
        b"\0",
        b"minecraft:oak_log\0axis=x",
        b"minecraft:st\xc3\xb6ne\0",
        b"a:\xc0\x80",
    ] {
        let name = Tag::Raw(8, [&(name.len() as u16).to_be_bytes()[..], name].concat());
        promises::chunk(&chunk_with(Tag::Byte(0), name));
    }
}

#[test]
fn any_values_are_refused_or_read_alike() {
    assert_kept("values", 100);
    assert_kept("subchunk", 200);
    assert_kept("section_biomes", 200);
}

#[test]
fn any_container_of_zvcr_gives_whole_chunks() {
    assert_kept("zvcr_container", 60);
}

#[test]
fn any_stream_of_xaero_is_read_or_refused() {
    assert_kept("xaero_stream", 200);
}

#[test]
fn any_text_of_a_sign_can_be_shown() {
    assert_kept("sign", 1000);
}

#[test]
fn any_colour_file_is_refused_or_used() {
    assert_kept("palette", 600);
}

#[test]
fn any_pack_has_textures_or_none() {
    assert_kept("pack", 400);
}

#[test]
fn a_read_manifest_is_written_unchanged() {
    assert_kept("manifest", 1000);
}

#[test]
fn region_records_read_back() {
    assert_kept("region_record", 2000);
}

#[test]
fn a_journal_of_any_bytes_is_continued() {
    assert_kept("journal", 150);
}

#[test]
fn a_world_opens_whatever_its_level_dat_holds() {
    assert_kept("level_dat", 400);
}

#[test]
fn any_table_matches_the_slow_reader() {
    assert_kept("database_table", 150);
}

#[test]
fn any_log_matches_the_slow_reader() {
    assert_kept("database_log", 150);
}

#[test]
fn any_file_list_is_followed_or_damaged() {
    assert_kept("database_manifest", 500);
}

#[test]
fn a_bedrock_world_opens_with_any_level_dat() {
    assert_kept("bedrock_level_dat", 300);
}

#[test]
fn any_tables_of_add_ons_give_safe_ids() {
    assert_kept("add_on_tables", 300);
}

#[test]
fn any_packs_are_read_or_left_out() {
    assert_kept("data_pack", 200);
    assert_kept("add_on", 200);
}

#[test]
fn a_folder_of_journeymap_may_hold_anything() {
    assert_kept("journeymap", 400);
}

#[test]
fn any_imported_file_is_refused_or_read_back() {
    assert_kept("foreign_map", 600);
}

#[cfg(feature = "serve")]
#[test]
fn any_request_is_answered_or_ends() {
    assert_kept("request", 300);
}

/// Writes the good inputs into the folder where fuzzing starts.
#[test]
#[ignore = "writes to fuzz/corpus; see README.md"]
#[allow(
    clippy::disallowed_methods,
    reason = "inputs are no output of the program"
)]
fn the_good_inputs_are_written_for_fuzzing() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, _) in promises::ALL {
        std::fs::create_dir_all(corpus.join(name)).unwrap();
        for (number, good) in seeds::of(name).iter().enumerate() {
            std::fs::write(corpus.join(name).join(format!("good-{number}")), good).unwrap();
        }
    }
}
