//! Tests `export --timelapse`: the moments of a map one after the other, as an animated GIF or WebP
//! or as frames.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::io::Cursor;
use std::path::Path;

use serde_json::Value;

use crate::map::{Map, Place, Ran, Rgba, assert_same_files, run};
use crate::outputs::picture::Picture;
use crate::publishing::history::{NIGHTS, at, draw, remember, remember_all};
use crate::world::Files;

/// A frame of an animation, as read by a strict reader.
struct Shown {
    pixels: Vec<Rgba>,
    /// Milliseconds.
    time: u32,
}

/// The pixels of one part of a frame. A transparent pixel keeps the earlier one visible.
struct Part {
    x: usize,
    y: usize,
    width: usize,
    pixels: Vec<Rgba>,
}

/// Draws parts of frames over each other.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgba>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![[0; 4]; width * height],
        }
    }

    fn show(&mut self, part: &Part, time: u32) -> Shown {
        assert!(
            part.x + part.width <= self.width
                && part.y + part.pixels.len() / part.width <= self.height
        );

        for (y, row) in part.pixels.chunks_exact(part.width).enumerate() {
            for (x, pixel) in row.iter().enumerate().filter(|(_, pixel)| pixel[3] != 0) {
                self.pixels[(part.y + y) * self.width + part.x + x] = *pixel;
            }
        }

        Shown {
            pixels: self.pixels.clone(),
            time,
        }
    }
}

fn read_gif(path: &Path) -> (usize, usize, Vec<Shown>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(fs::File::open(path).unwrap()).unwrap();
    let mut canvas = Canvas::new(decoder.width().into(), decoder.height().into());
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);

    let mut shown = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.dispose, gif::DisposalMethod::Keep);

        let pixels = frame.buffer.as_chunks().0.to_vec();
        let part = Part {
            x: frame.left.into(),
            y: frame.top.into(),
            width: frame.width.into(),
            pixels,
        };
        shown.push(canvas.show(&part, u32::from(frame.delay) * 10));
    }

    (canvas.width, canvas.height, shown)
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// The chunks of RIFF, with their names.
fn chunks(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut chunks = Vec::new();
    while !bytes.is_empty() {
        let len = number(&bytes[4..8]);
        chunks.push((&bytes[..4], &bytes[8..8 + len]));
        bytes = &bytes[8 + len + len % 2..];
    }
    chunks
}

fn read_webp(path: &Path) -> (usize, usize, Vec<Shown>) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(
        (&bytes[..4], number(&bytes[4..8]), &bytes[8..12]),
        (&b"RIFF"[..], bytes.len() - 8, &b"WEBP"[..])
    );

    let chunks = chunks(&bytes[12..]);
    let [
        (b"VP8X", canvas),
        (b"ANIM", [0, 0, 0, 0, 0, 0]),
        frames @ ..,
    ] = &chunks[..]
    else {
        panic!("no animation")
    };

    assert_eq!(canvas[0], 0x12, "an animation with transparent pixels");

    let mut canvas = Canvas::new(number(&canvas[4..7]) + 1, number(&canvas[7..10]) + 1);
    let mut shown = Vec::new();
    for (name, frame) in frames {
        assert!(*name == b"ANMF" && frame[16..].starts_with(b"VP8L"));

        let [x, y, width, height, time] =
            [0, 3, 6, 9, 12].map(|start| number(&frame[start..start + 3]));
        let file = [
            b"RIFF",
            &(frame.len() as u32 - 12).to_le_bytes(),
            &b"WEBP"[..],
            &frame[16..],
        ]
        .concat();
        let mut decoder = image_webp::WebPDecoder::new(Cursor::new(file)).unwrap();
        assert_eq!(decoder.dimensions(), (width as u32 + 1, height as u32 + 1));

        let mut samples = vec![0; (width + 1) * (height + 1) * 4];
        decoder.read_image(&mut samples).unwrap();
        let pixels = samples.as_chunks().0.to_vec();

        // A frame that replaces the earlier one may have no transparent pixel.
        assert!(
            frame[15] == 0 || frame[15] == 2 && pixels.iter().all(|pixel: &Rgba| pixel[3] == 255)
        );

        shown.push(canvas.show(
            &Part {
                x: x * 2,
                y: y * 2,
                width: width + 1,
                pixels,
            },
            time as u32,
        ));
    }

    check_by_decoder(&bytes, &shown);
    (canvas.width, canvas.height, shown)
}

/// Reads all frames with a decoder of animations, which mixes colours with a difference of one.
fn check_by_decoder(bytes: &[u8], shown: &[Shown]) {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).unwrap();
    assert_eq!(
        (decoder.loop_count(), decoder.is_lossy()),
        (image_webp::LoopCount::Forever, false)
    );
    assert_eq!(decoder.num_frames() as usize, shown.len());

    for frame in shown {
        let mut samples = vec![0; frame.pixels.len() * 4];
        assert_eq!(decoder.read_frame(&mut samples).unwrap(), frame.time);

        let wanted = frame.pixels.as_flattened();
        assert!(
            samples
                .iter()
                .zip(wanted)
                .all(|(found, wanted)| found.abs_diff(*wanted) <= 1)
        );
    }
}

fn export(place: &Place, map: &str, name: &str, options: &[&str]) -> Ran {
    run(&[
        &["export", map, "-o", place.at(name).to_str().unwrap()],
        options,
    ]
    .concat())
}

fn timelapse(place: &Place, map: &Map, name: &str, options: &[&str]) -> Ran {
    let all = [&["--timelapse", "-l", "height"], options].concat();
    export(place, map.root.to_str().unwrap(), name, &all).expect(0, name)
}

/// The times of the frames in a folder.
fn times(folder: &Path) -> Vec<String> {
    let list: Value =
        serde_json::from_slice(&fs::read(folder.join("frames.json")).unwrap()).unwrap();
    let frames = list["frames"].as_array().unwrap().iter();
    let times = frames.enumerate().map(|(number, frame)| {
        assert_eq!(frame["file"], format!("frame-{:05}.png", number + 1));
        assert!(folder.join(frame["file"].as_str().unwrap()).is_file());
        frame["time"].as_str().unwrap()[..10].to_owned()
    });
    times.collect()
}

fn days(numbers: &[u32]) -> Vec<String> {
    numbers
        .iter()
        .map(|day| format!("2026-05-{day:02}"))
        .collect()
}

/// The area of the region that exists since the second night and changed in the third.
const ISLAND: &str = "-1536,1024,-1024,1536";

#[test]
fn each_frame_is_the_picture_of_its_moment() {
    let place = Place::empty();
    let map = remember_all(&place);
    draw(&place, 4, &map.root, &["--label", "the end"]).expect(0, "a label");

    let newest = export(
        &place,
        map.root.to_str().unwrap(),
        "newest.png",
        &["-l", "height", "--scale", "1/4"],
    );
    newest.expect(0, "newest");

    let area = Picture::read(&place.at("newest.png")).texts["Area"].clone();
    let options = ["--scale", "1/4", "--scale-bar"];
    let wanted: Vec<Picture> = (0..NIGHTS.len())
        .map(|night| {
            let label = if night == 4 { " \u{b7} the end" } else { "" };
            let title = format!("Home \u{b7} 2026-05-0{} 02:00{label}", night + 1);
            let frame = [
                "-l",
                "height",
                "-a",
                &area,
                "--title",
                &title,
                "--background",
                "000000",
            ];

            let moment = at(&map, &format!("-{}", 4 - night));
            export(&place, &moment, "one.png", &[&frame[..], &options].concat())
                .expect(0, "a picture");

            Picture::read(&place.at("one.png"))
        })
        .collect();

    let titled = [&["--title", "Home"], &options[..]].concat();
    let ran = timelapse(&place, &map, "a.gif", &titled);
    let size = format!(
        "5 frames of {} by {} pixels, ",
        wanted[0].width, wanted[0].height
    );

    assert!(
        ran.err.starts_with(&size) && ran.err.contains("\nopen "),
        "{}",
        ran.err
    );
    timelapse(&place, &map, "a.webp", &titled);

    for (width, height, shown) in [read_gif(&place.at("a.gif")), read_webp(&place.at("a.webp"))] {
        assert_eq!(
            shown.iter().map(|frame| frame.time).collect::<Vec<_>>(),
            [250, 250, 250, 250, 2000]
        );
        for (picture, frame) in wanted.iter().zip(&shown) {
            assert_eq!((width, height), (picture.width, picture.height));
            assert!(frame.pixels == picture.pixels);
        }
    }

    timelapse(&place, &map, "frames", &titled);
    assert_eq!(times(&place.at("frames")), days(&[1, 2, 3, 4, 5]));

    for (number, picture) in (1..).zip(&wanted) {
        let frame = Picture::read(&place.at(&format!("frames/frame-{number:05}.png")));
        assert!(
            (frame.width, &frame.pixels) == (picture.width, &picture.pixels),
            "{number}"
        );
        assert_eq!(frame.texts["Area"], picture.texts["Area"]);
    }
}

#[test]
fn unchanged_moments_are_left_out_or_held() {
    let place = Place::empty();
    let map = remember_all(&place);
    let ran = timelapse(&place, &map, "frames", &["-a", ISLAND]);

    assert!(
        ran.err.contains("2 frames of ")
            && ran.err.contains("; 3 moments without a change left out"),
        "{}",
        ran.err
    );
    assert_eq!(times(&place.at("frames")), days(&[2, 3]));

    let ran = timelapse(&place, &map, "held", &["-a", ISLAND, "--hold"]);
    assert!(
        ran.err.contains("5 frames of ") && !ran.err.contains("left out"),
        "{}",
        ran.err
    );
    assert_eq!(times(&place.at("held")), days(&[1, 2, 3, 4, 5]));

    let frame =
        |number: usize| Picture::read(&place.at(&format!("held/frame-0000{number}.png"))).pixels;
    let land = |number: usize| frame(number)[..512 * 512].to_vec();
    assert!(land(1).iter().all(|pixel| *pixel == [0, 0, 0, 255]) && land(2) != land(3));
    assert!(
        land(3) == land(4) && land(4) == land(5) && frame(4) != frame(5),
        "the date alone differs"
    );

    // The tile changes outside this area.
    timelapse(&place, &map, "corner", &["-a", "0,0,16,16"]);
    assert_eq!(times(&place.at("corner")), days(&[1]));
    timelapse(
        &place,
        &map,
        "empty-corner",
        &["-a", "16,0,512,100", "--hold", "--background", "102030"],
    );

    let corner = Picture::read(&place.at("empty-corner/frame-00001.png"));
    assert_eq!(corner.at(0, 0), [0x10, 0x20, 0x30, 255]);

    for (name, time) in [("a.gif", [2500, 2500]), ("a.webp", [2500, 2500])] {
        timelapse(&place, &map, name, &["-a", ISLAND, "--fps", "0.4"]);

        let (.., shown) = if name == "a.gif" {
            read_gif(&place.at(name))
        } else {
            read_webp(&place.at(name))
        };

        assert_eq!(
            shown.iter().map(|frame| frame.time).collect::<Vec<_>>(),
            time,
            "{name}"
        );
    }
}

#[test]
fn time_lapse_ranges_use_moment_names() {
    let place = Place::empty();
    let map = remember_all(&place);
    draw(
        &place,
        0,
        &map.root,
        &["--time", "2026-05-06T03:00", "--label", "back home"],
    )
    .expect(0, "a label");

    for (options, wanted) in [
        (
            &["--from", "2026-05-02", "--to", "2026-05-03"][..],
            &[2, 3][..],
        ),
        (&["--from", "-1"], &[5, 6]),
        (&["--to", "-4"], &[1, 2]),
        (&["--from", "back home", "--hold"], &[6]),
        (&["--from", "2020-01-01", "--to", "2026-05-01T02:00"], &[1]),
    ] {
        timelapse(&place, &map, "frames", options);
        assert_eq!(times(&place.at("frames")), days(wanted), "{options:?}");
    }

    // Without an area, the area of the last moment counts. It does not contain the third region
    // here.
    let first = Picture::read(&place.at("frames/frame-00001.png"));
    let picture = export(
        &place,
        &at(&map, "2026-05-01"),
        "first.png",
        &["-l", "height"],
    );
    picture.expect(0, "a picture");

    assert_eq!(
        first.texts["Area"],
        Picture::read(&place.at("first.png")).texts["Area"]
    );
}

#[test]
fn a_later_layer_appears_when_it_begins() {
    let place = Place::empty();
    remember(&place, 0, &[]).expect(0, "day and height");

    let map = Map::at(&place.at("map"));
    draw(
        &place,
        1,
        &map.root,
        &["-l", "biome", "--time", "2026-05-02T02:00"],
    )
    .expect(0, "biomes, too");

    let root = map.root.to_str().unwrap();
    export(
        &place,
        root,
        "frames",
        &["--timelapse", "-l", "biome", "--scale", "1/4"],
    )
    .expect(0, "biomes");

    assert_eq!(times(&place.at("frames")), days(&[2]));
    export(
        &place,
        root,
        "frames",
        &["--timelapse", "-l", "biome", "--scale", "1/4", "--hold"],
    )
    .expect(0, "held");
    assert_eq!(times(&place.at("frames")), days(&[1, 2]));
}

#[test]
fn threads_do_not_change_the_bytes() {
    let place = Place::empty();
    let map = remember_all(&place);
    for name in ["a.gif", "a.webp"] {
        let bytes = |threads: &str| {
            timelapse(&place, &map, name, &["--scale", "1/4", "-t", threads]);
            fs::read(place.at(name)).unwrap()
        };
        assert!(bytes("1") == bytes("3"), "{name}");
    }

    for (name, threads) in [("one", "1"), ("three", "3")] {
        timelapse(&place, &map, name, &["--scale", "1/4", "-t", threads]);
    }

    let [one, three] = ["one", "three"].map(|name| Map::at(&place.at(name)).files());
    assert_same_files("frames", &one, &three);
}

#[test]
fn a_frame_folder_loses_only_earlier_frames() {
    let place = Place::empty();
    let map = remember_all(&place);
    timelapse(&place, &map, "frames", &["--scale", "1/8"]);

    let folder = place.at("frames");
    for mine in ["notes.txt", "frame-00099.png"] {
        fs::write(folder.join(mine), b"mine").unwrap();
    }

    let written = |name: &str| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    timelapse(
        &place,
        &map,
        "frames",
        &["--scale", "1/8", "--to", "-3", "-a", "-1536,0,1024,1536"],
    );

    let all = Map::at(&folder).files();
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "frame-00001.png",
            "frame-00002.png",
            "frame-00099.png",
            "frames.json",
            "notes.txt"
        ]
    );

    timelapse(&place, &map, "frames", &["--scale", "1/8"]);
    assert_eq!(times(&folder), days(&[1, 2, 3, 4, 5]));

    let before = written("frame-00001.png");
    timelapse(&place, &map, "frames", &["--scale", "1/8"]);
    assert_eq!(written("frame-00001.png"), before, "the same frame");
    fs::remove_dir_all(folder.join(".pixelmap")).unwrap();
    timelapse(&place, &map, "frames", &["--scale", "1/8", "--to", "-4"]);
    assert!(
        !folder.join("frame-00002.png").exists()
            && fs::read(folder.join("notes.txt")).unwrap() == b"mine"
    );
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn invalid_time_lapses_are_refused() {
    let place = Place::empty();
    let map = remember_all(&place);
    let plain = place.at("plain");
    draw(&place, 0, &plain, &[]).expect(0, "no history");

    let [map, plain] = [map.root.to_str().unwrap(), plain.to_str().unwrap()];
    let archive = place.at("map.pmtiles").to_str().unwrap().to_owned();
    export(&place, map, "map.pmtiles", &["-l", "day"]).expect(0, "an archive");
    export(&place, map, "regions", &["-l", "day"]).expect(0, "regions");
    fs::create_dir(place.at("mine")).unwrap();
    fs::write(place.at("mine/notes.txt"), b"mine").unwrap();

    let cases: [(&str, &str, &[&str], i32, &str); 26] = [
        (
            plain,
            "a.gif",
            &["--timelapse"],
            1,
            "draw it with --history",
        ),
        (
            &archive,
            "a.gif",
            &["--timelapse"],
            2,
            "name the folder of a map",
        ),
        (
            &format!("{map}@-2"),
            "a.gif",
            &["--timelapse"],
            2,
            "the last moment with --to",
        ),
        (map, "a.gif", &[], 2, "add --timelapse"),
        (
            map,
            "a.png",
            &["--timelapse"],
            2,
            "a .gif, a .webp or a folder",
        ),
        (
            map,
            "a.pmtiles",
            &["--timelapse"],
            2,
            "a .gif, a .webp or a folder",
        ),
        (
            map,
            "a.mp4",
            &["--timelapse"],
            2,
            "a .gif, a .webp or a folder",
        ),
        (map, "a.png", &["--fps", "2"], 2, "--timelapse"),
        (map, "a.png", &["--hold"], 2, "--timelapse"),
        (map, "a.png", &["--from", "-1"], 2, "--timelapse"),
        (map, "a.png", &["--to", "-1"], 2, "--timelapse"),
        (
            map,
            "a.gif",
            &["--timelapse", "--fps", "0"],
            2,
            "0.01 to 50",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "--fps", "51"],
            2,
            "0.01 to 50",
        ),
        (
            map,
            "frames",
            &["--timelapse", "--fps", "2"],
            2,
            "-framerate",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "--from", "2030-01-01"],
            1,
            "there is no moment 2030-01-01",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "--to", "nothing"],
            1,
            "there is no moment nothing",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "--from", "-1", "--to", "-2"],
            1,
            "from -1 to -2: name an earlier one with --from",
        ),
        (map, "a.gif", &["--timelapse", "-l", "all"], 2, "one layer"),
        (
            map,
            "a.gif",
            &["--timelapse", "-l", "day", "-a", "90000,0,90016,16"],
            2,
            "nothing is drawn there",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "-l", "day", "-a", "0,0,8001,8001"],
            2,
            "64 megapixels",
        ),
        (
            map,
            "a.gif",
            &["--timelapse", "-l", "day", "-a", "0,0,65536,1"],
            2,
            "65535 per side",
        ),
        (
            map,
            "a.webp",
            &["--timelapse", "-l", "day", "-a", "0,0,16384,1"],
            2,
            "16383 per side",
        ),
        (
            map,
            "map",
            &["--timelapse", "-l", "day"],
            1,
            "contains a map",
        ),
        (
            map,
            "map/overworld",
            &["--timelapse", "-l", "day"],
            2,
            "is inside the map",
        ),
        (
            map,
            "regions",
            &["--timelapse", "-l", "day"],
            1,
            "the regions of one layer",
        ),
        (map, "mine", &["--timelapse", "-l", "day"], 1, "not empty"),
    ];

    let files = || {
        let all = Files::read_under(&place.at("")).0;
        all.into_iter()
            .filter(|(path, _)| !path.ends_with(".pixelmap/lock"))
            .collect()
    };

    let before = files();
    for (from, name, options, code, says) in cases {
        let ran = export(&place, from, name, options).expect(code, &format!("{name} {options:?}"));
        assert!(ran.err.contains(says), "{name} {options:?}: {}", ran.err);
        assert_same_files(name, &before, &files());
    }

    export(
        &place,
        map,
        "frames",
        &["--timelapse", "-l", "day", "--scale", "1/8", "-q"],
    )
    .expect(0, "frames");

    let ran = export(&place, map, "frames", &["-l", "day"]).expect(1, "regions");
    assert!(
        ran.err.contains("contains the frames of a time-lapse"),
        "{}",
        ran.err
    );
}
