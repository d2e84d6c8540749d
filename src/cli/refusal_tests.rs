//! Tests the command lines that the program refuses before it opens anything. Each row has the
//! promise, the words of a command line, and words of the message.

use clap::Parser as _;

use super::command::{Cli, Command};
use super::config::in_a_line;
use super::request::RenderRequest;

/// Returns the message with which a command line is refused; empty if it is accepted.
fn refusal<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = ["pixelmap"].into_iter().chain(words);
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Err(error) => in_a_line(&error),
        Ok(Some(Command::Render(args))) => {
            let request = RenderRequest::new(*args);
            let look = request.args.drawn.look().map_err(str::to_owned);
            request.target.and(look).err().unwrap_or_default()
        }
        Ok(_) => String::new(),
    }
}

#[track_caller]
fn assert_refused(rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (promise, line, says) in rows {
        let message = refusal(line.split(' '));
        if !message.contains(says) {
            wrong.push(format!("{promise}: {line}: {message:?}"));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn plain_command_lines_are_accepted() {
    for line in [
        "render w",
        "render w -o map.png -l day --scale 2",
        "diff a b --tolerance 255",
    ] {
        assert_eq!(refusal(line.split(' ')), "", "{line}");
    }
}

#[test]
fn commands_need_their_arguments() {
    assert_refused(&[
        ("a command exists", "rander", "unrecognized subcommand"),
        ("diff needs two renders", "diff a", "<B>"),
        ("an option exists", "render w --unheard-of", "--unheard-of"),
        ("a shell is known", "completions tcsh-of-old", "tcsh-of-old"),
        ("--json alone is no command", "--json", "--version"),
    ]);
}

#[test]
fn values_are_checked_with_their_option() {
    assert_refused(&[
        ("a mode is known", "render w --mode globe", "--mode"),
        (
            "a layer is known",
            "render w -l dusk",
            "possible values: day",
        ),
        (
            "an area has four numbers",
            "render w -a 1,2,3",
            "X0,Z0,X1,Z1",
        ),
        (
            "an area has columns",
            "render w -a 1,2,1,9",
            "the area is empty",
        ),
        ("threads are a number", "render w -t many", "--threads"),
        ("a look exists", "render w --look 99", "--look"),
        (
            "a share is at most 100 %",
            "render w --max-removed 150%",
            "150%",
        ),
        ("a demand is known", "render w --deny everything", "--deny"),
        (
            "an unknown block has a colour",
            "render w --unknown pink",
            "give auto, hide, or a colour such as ff00ff",
        ),
        (
            "a hidden rectangle has four numbers",
            "render w --hide 1,2,3",
            "X0,Z0,X1,Z1",
        ),
        (
            "a hidden rectangle has columns",
            "render w --hide 1,2,1,9",
            "the area is empty",
        ),
        ("signs match a pattern", "render w --signs (", "--signs"),
        (
            "blocks have no properties",
            "render w --find oak_log[axis=x]",
            "without properties",
        ),
        (
            "textures go four levels in",
            "render w --zoom-in 5",
            "1..=4",
        ),
        (
            "a picture has two sides",
            "render w -o a.png --fit 100",
            "1920x1080",
        ),
        (
            "a scale is a power of two",
            "render w -o odd.png --scale 3",
            "1/8",
        ),
        (
            "a page has a whole address",
            "render w --url example.org/map",
            "--url",
        ),
        (
            "an address has a host",
            "render w --url https:///map",
            "--url",
        ),
        (
            "an address has no query",
            "render w --url https://example.org/?map=1",
            "--url",
        ),
        (
            "a tolerance fits a channel",
            "diff a b --tolerance 256",
            "256",
        ),
        (
            "an ignored rectangle has four numbers",
            "diff a b --ignore 1,2,3",
            "--ignore",
        ),
    ]);
}

#[cfg(feature = "serve")]
#[test]
fn names_of_a_server_are_plain() {
    assert_eq!(
        refusal("serve w --host map.example.org --base-path /map".split(' ')),
        ""
    );
    assert_refused(&[
        (
            "a base path begins with a slash",
            "serve w --base-path map",
            "write it as /map",
        ),
        (
            "a base path has one slash",
            "serve w --base-path //map",
            "write it as /map",
        ),
        (
            "a base path stays inside",
            "serve w --base-path /../x",
            "write it as /map",
        ),
        (
            "a base path has no query",
            "serve w --base-path /a?b",
            "write it as /map",
        ),
        (
            "a host has no protocol",
            "serve w --host https://map.example.org",
            "write the name alone",
        ),
        (
            "a host has no port",
            "serve w --host map.example.org:443",
            "write the name alone",
        ),
        (
            "a host is written in ASCII",
            "serve w --host münchen.example",
            "write the name alone",
        ),
        (
            "a host is not empty",
            "serve w --host=",
            "write the name alone",
        ),
    ]);

    let host = refusal(["serve", "w", "--host", "a b"]);
    assert!(host.contains("write the name alone"), "{host}");
    let path = refusal(["serve", "w", "--base-path", "/a b"]);
    assert!(path.contains("write it as /map"), "{path}");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    assert_refused(&[
        (
            "a center needs a radius",
            "render w --center 1,2",
            "--radius",
        ),
        ("a radius needs a center", "render w --radius 5", "--center"),
        (
            "one area is given",
            "render w -a 0,0,9,9 --center 1,2 --radius 5",
            "cannot be used with",
        ),
        (
            "columns are an area or positions",
            "query w --area 0,0,9,9 1 2",
            "cannot be used with",
        ),
        (
            "quiet is not verbose",
            "render w -q -v",
            "cannot be used with",
        ),
        (
            "one size is given",
            "render w -o a.png --width 9 --scale 2",
            "cannot be used with",
        ),
        (
            "heights are in order",
            "render w --min-y 9 --max-y 8",
            "swap them",
        ),
    ]);
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn options_must_fit_the_kind_of_output() {
    assert_refused(&[
        (
            "a picture shows one layer",
            "render w -o a.png -l day -l height",
            "one layer",
        ),
        (
            "a picture shows one dimension",
            "render w -o a.png -d all",
            "one dimension",
        ),
        (
            "a picture is PNG or WebP",
            "render w -o map.jpg --mode image",
            ".png",
        ),
        ("no JPEG is made", "render w -o map.jpg", ".png"),
        ("no MBTiles are made", "render w -o map.mbtiles", ".pmtiles"),
        (
            "no zip is made",
            "render w -o world.zip --mode regions",
            "makes no .zip",
        ),
        (
            "a GeoTIFF is exported",
            "render w -o b.tif",
            "pixelmap export MAP",
        ),
        (
            "a map has no background",
            "render w --background ffffff",
            "--background is for one picture",
        ),
        (
            "a map has no hatching",
            "render w --hatching",
            "--hatching is for one picture",
        ),
        (
            "a format fits its ending",
            "render w -o map.png --format webp",
            "--format",
        ),
        (
            "a map has one scale",
            "render w --scale 1/2",
            "for one picture",
        ),
        (
            "a map shows everything",
            "render w --area all",
            "leave it out",
        ),
        (
            "an archive shows one dimension",
            "render w -o a.pmtiles -d all",
            "one dimension",
        ),
        (
            "an archive shows one layer",
            "render w -o a.pmtiles -l day -l night",
            "one layer",
        ),
        (
            "an archive has one scale",
            "render w -o a.pmtiles --scale 1/2",
            "for one picture",
        ),
        (
            "an archive shows everything",
            "render w -o a.pmtiles --area all",
            "leave it out",
        ),
        (
            "regions need a folder",
            "render w -o a.pmtiles --mode regions",
            "folder",
        ),
        (
            "an archive is not a picture",
            "render w -o a.pmtiles --mode image",
            ".png",
        ),
        (
            "an archive has no title",
            "render w -o a.pmtiles --title Map",
            "--title",
        ),
        (
            "a picture has no page",
            "render w -o a.png --url https://a.org/",
            "--url",
        ),
        (
            "a picture has no description",
            "render w -o a.png --description A",
            "--description",
        ),
        (
            "a picture has no scheme",
            "render w -o map.png --scheme xyz",
            "--scheme",
        ),
        (
            "a picture has no details",
            "render w -o map.png --details",
            "--details",
        ),
        (
            "an archive has no details",
            "render w -o map.pmtiles --details",
            "--details",
        ),
        (
            "regions have no details",
            "render w --mode regions --details",
            "--details",
        ),
        (
            "a picture has no players",
            "render w -o a.png --players",
            "only for maps",
        ),
        (
            "a picture has no signs",
            "render w -o a.png --signs .",
            "only for maps",
        ),
        (
            "a picture has no markers",
            "render w -o a.png --marker-kinds none",
            "only for maps",
        ),
        ("one world is drawn", "render w second", "one name too many"),
    ]);
}
