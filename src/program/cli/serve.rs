//! The arguments of `pixelmap serve`.

use std::path::PathBuf;

use clap::Args;
use pixelmap::serve::{BasePath, HostName, POLL_EVERY};

use super::drawn::{DrawnArgs, WorkerArgs};

const EXAMPLES: &str = "\
Examples:
  pixelmap serve world --open                      a world in your browser, at once
  pixelmap serve world -o map                      and the map of render, which is there when all is drawn
  pixelmap serve world --on-demand                 draws only what somebody looks at
  pixelmap serve world --assets client.jar         with textures when you zoom in (docs/closer.md)
  pixelmap serve world --nice                      beside the game's server, which goes first
  pixelmap serve map --open                        a map that is drawn
  pixelmap serve map@2026-05-01 --open             a map that remembers, as it was then
  pixelmap serve map --listen 0.0.0.0:8080         for all who can reach this machine
  pixelmap serve map --listen 127.0.0.1:0          on any port that is free
  pixelmap serve map --host map.example.org        behind a proxy that passes on this name
  pixelmap serve map --base-path /map              behind a proxy, at https://example.org/map/
  pixelmap serve world.pmtiles                     an archive

The address is printed on standard error when the server takes requests. Of a world, what is looked at
is drawn first, and then all the rest; what the game saves after that is drawn again. Of a map
nothing is written. Files and folders whose names begin with a dot are never sent. Ctrl-C or SIGTERM
end the server; answers that are being sent get 5 seconds, and what is drawn of a world is kept in
the folder of -o.
Exit codes:
  0   it was told to stop
  1   there is no drawn map and no world, or the address cannot be had
  2   wrong usage
  75  not now: another program has the port of --listen, or another run the folder of -o";

const DIMENSION: &str =
    "A dimension: overworld, nether, end, namespace:path, or an old number; may be repeated [default: all]";
const DETAILS: &str = "Keep facts about each column, which the page shows when the map is finished";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct ServeArgs {
    /// A world or its name, a map's folder, the same at a moment (MAP@MOMENT), or an archive (.pmtiles)
    #[arg(value_name = "WORLD|OUT")]
    pub(crate) out: PathBuf,

    /// Where to take requests; port 0: any that is free [default: 127.0.0.1:8080, or the next port that is free]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,

    /// Open the map in the browser
    #[arg(long)]
    pub(crate) open: bool,

    /// The path under which the map is served
    #[arg(long, value_name = "/PATH", value_parser = base_path, default_value = "/")]
    pub(crate) base_path: BasePath,

    /// A name under which browsers reach the server, as behind a proxy; may be repeated [default: addresses and local names]
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub(crate) host: Vec<HostName>,

    /// Let pages of other sites embed and read the map
    #[arg(long)]
    pub(crate) cors: bool,

    /// Make it harder to see which regions changed, and when: no manifests, history, times or events of changes
    #[arg(long)]
    pub(crate) hide_changes: bool,

    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// No address on standard error, errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What is drawn of a world, as `render` has it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where a world is drawn")]
#[command(mut_arg("dimension", |option| option.help(DIMENSION)), mut_arg("details", |option| option.help(DETAILS)))]
pub(crate) struct WorldArgs {
    /// The folder of the map: it is that of `render`, and is kept [default: a temporary one]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Draw only what somebody looks at
    #[arg(long)]
    pub(crate) on_demand: bool,

    /// How often to look for changes of the world, since network drives and containers report none; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = POLL_EVERY.as_secs())]
    pub(crate) poll: u64,

    #[command(flatten)]
    pub(crate) drawn: DrawnArgs,

    #[command(flatten)]
    pub(crate) workers: WorkerArgs,
}

fn base_path(text: &str) -> Result<BasePath, String> {
    BasePath::parse(text).ok_or_else(|| "write it as /map, of letters, digits and -._~".to_owned())
}

fn host_name(text: &str) -> Result<HostName, String> {
    HostName::parse(text)
        .ok_or_else(|| "write the name alone, such as map.example.org, without https:// or a port".to_owned())
}
