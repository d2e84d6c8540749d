//! The arguments of `pixelmap serve`.

use std::path::{Path, PathBuf};

use clap::Args;
use pixelmap_serve::{AnswerHeader, BasePath, HostName, POLL_EVERY};

use super::drawn::{DrawnArgs, WorkerArgs};

const EXAMPLES: &str = "\
Examples:
  pixelmap serve world --open                      a world in your browser, immediately
  pixelmap serve world -o map                      also writes the map, complete when everything is drawn
  pixelmap serve world --on-demand                 draws only the places that somebody looks at
  pixelmap serve world --assets client.jar         with textures when you zoom in (docs/closer.md)
  pixelmap serve world --nice                      next to the game's server, which has priority
  pixelmap serve world --rcon localhost:25575 --rcon-password-file password.txt    with the players who are online
  pixelmap serve map --open                        a drawn map
  pixelmap serve map@2026-05-01 --open             the moment of 2026-05-01 of a map with history
  pixelmap serve map --listen 0.0.0.0:8080         for everyone who can reach this machine
  pixelmap serve map --listen 127.0.0.1:0          on any free port
  pixelmap serve map --host map.example.org        behind a proxy that passes on this name
  pixelmap serve map --base-path /map              behind a proxy, at https://example.org/map/
  pixelmap serve map --trust-proxy                 in a container that only a proxy can reach, under any name
  pixelmap serve --check http://127.0.0.1:8080/    code 0 if a server answers there: for health checks
  pixelmap serve world.pmtiles                     an archive

The server prints its address on standard error when it accepts requests. It draws the visible part of
a world first, then the rest, and again the regions that the game saves. It never writes to a drawn
map, and never sends files and folders whose names begin with a dot. Ctrl-C or SIGTERM ends the
server: answers that are being sent get 5 seconds, and finished tiles stay in the folder of -o.
Exit codes:
  0   stopped by Ctrl-C or SIGTERM
  1   there is neither a drawn map nor a world, or the address cannot be used
  2   wrong usage
  75  not now: another program uses the port of --listen, or another run uses the folder of -o";

const DIMENSION: &str = "Draw this dimension: overworld, nether, end, namespace:path, or an old \
                         number; may be repeated [default: all]";
const DETAILS: &str =
    "Write facts about each column, which the page shows when the map is finished";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct ServeArgs {
    /// A world or its name, a drawn map, a moment of it (MAP@MOMENT), or an archive (.pmtiles)
    #[arg(value_name = "WORLD|OUT", required_unless_present = "check")]
    out: Option<PathBuf>,

    /// The address to listen on; port 0: any free port [default: 127.0.0.1:8080, or the next free
    /// port]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,

    /// Open the map in the browser
    #[arg(long)]
    pub(crate) open: bool,

    /// The path under which the map is served
    #[arg(long, value_name = "/PATH", value_parser = base_path, default_value = "/")]
    pub(crate) base_path: BasePath,

    /// A name under which browsers reach the server, for example behind a proxy; may be repeated
    /// [default: addresses and local names]
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub(crate) host: Vec<HostName>,

    /// Answer to every name. Use this only behind a proxy, if nobody can reach the server without it
    #[arg(long)]
    pub(crate) trust_proxy: bool,

    /// Add this header to all answers; may be repeated
    #[arg(long, value_name = "'NAME: VALUE'", value_parser = answer_header)]
    pub(crate) header: Vec<AnswerHeader>,

    /// Let pages of other sites embed and read the map
    #[arg(long)]
    pub(crate) cors: bool,

    /// Make it harder to find out which regions changed, and when: send no manifests, history,
    /// times or events of changes
    #[arg(long)]
    pub(crate) hide_changes: bool,

    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// Write the address into this file as one line of JSON as soon as the server listens, and remove
    /// the file at the end; -: standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) ready_file: Option<PathBuf>,

    /// Serve nothing, but ask the server at this address whether it works: code 0 if it does, or
    /// else 1
    #[arg(long, value_name = "URL", exclusive = true)]
    pub(crate) check: Option<String>,

    /// Print errors only, and no address
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl ServeArgs {
    /// Returns the path of the world or map. It is empty with `--check`.
    pub(crate) fn path(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the same arguments for another path.
    pub(crate) fn with_path(self, path: PathBuf) -> Self {
        Self {
            out: Some(path),
            ..self
        }
    }
}

/// How to draw a world, as in `render`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where a world is drawn")]
#[command(mut_arg("dimension", |option| option.help(DIMENSION)), mut_arg("details", |option| option.help(DETAILS)))]
pub(crate) struct WorldArgs {
    /// Keep the map in this folder, as `render` writes it [default: a temporary folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Draw only the places that somebody looks at
    #[arg(long)]
    pub(crate) on_demand: bool,

    /// Look for changes of the world at least this often, because network drives and containers do
    /// not report them; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = POLL_EVERY.as_secs())]
    pub(crate) poll: u64,

    /// Show the players of a running game server on open pages: ask it by RCON, at this address
    #[arg(long, value_name = "HOST:PORT", value_parser = rcon_address, requires = "rcon_password_file")]
    #[arg(conflicts_with = "hide_changes")]
    pub(crate) rcon: Option<String>,

    /// The file with the password of --rcon: rcon.password in the server's server.properties
    #[arg(long, value_name = "FILE", requires = "rcon")]
    pub(crate) rcon_password_file: Option<PathBuf>,

    /// Never show these players, separated by commas, such as moderators who are invisible to
    /// others; may be repeated
    #[arg(
        long,
        value_name = "NAME[,NAME]",
        value_delimiter = ',',
        requires = "rcon"
    )]
    pub(crate) rcon_hide: Vec<String>,

    #[command(flatten)]
    pub(crate) drawn: DrawnArgs,

    #[command(flatten)]
    pub(crate) workers: WorkerArgs,
}

fn rcon_address(text: &str) -> Result<String, String> {
    let port = text
        .rsplit_once(':')
        .filter(|(host, _)| !host.is_empty())
        .and_then(|(_, port)| port.parse::<u16>().ok());
    match port {
        Some(1..) => Ok(text.to_owned()),
        _ => Err("write the host and the port, such as localhost:25575".to_owned()),
    }
}

fn base_path(text: &str) -> Result<BasePath, String> {
    BasePath::parse(text).ok_or_else(|| "write it as /map, of letters, digits and -._~".to_owned())
}

fn host_name(text: &str) -> Result<HostName, String> {
    HostName::parse(text).ok_or_else(|| {
        "write the name alone, such as map.example.org, without https:// or a port".to_owned()
    })
}

fn answer_header(text: &str) -> Result<AnswerHeader, String> {
    AnswerHeader::parse(text).ok_or_else(|| {
        "write it as 'Name: value'; headers about the length and the form of answers cannot be set"
            .to_owned()
    })
}
