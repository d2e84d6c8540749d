//! The arguments of `pixelmap serve`.

use std::path::PathBuf;

use clap::Args;
use pixelmap::serve::BasePath;

const EXAMPLES: &str = "\
Examples:
  pixelmap serve map --open                        in your browser
  pixelmap serve map --listen 0.0.0.0:8080         for all who can reach this machine
  pixelmap serve map --listen 127.0.0.1:0          on any port that is free
  pixelmap serve map --base-path /map              behind a proxy, at https://example.org/map/
  pixelmap serve world.pmtiles                     an archive

The address stands on standard error when the server takes requests. Nothing is written, and files
and folders whose names begin with a dot are never sent. Ctrl-C or SIGTERM end the server; answers
that are being sent get 5 seconds.
Exit codes:
  0   it was told to stop
  1   there is no drawn map, or the address cannot be had
  2   wrong usage
  75  not now: another program has the port of --listen";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// A map's folder, or an archive (.pmtiles)
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Where to take requests; port 0: any that is free [default: 127.0.0.1:8080, or the next port that is free]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,

    /// Open the map in the browser
    #[arg(long)]
    pub(crate) open: bool,

    /// The path under which the map stands
    #[arg(long, value_name = "/PATH", value_parser = base_path, default_value = "/")]
    pub(crate) base_path: BasePath,

    /// No address on standard error, errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn base_path(text: &str) -> Result<BasePath, String> {
    BasePath::parse(text).ok_or_else(|| "write it as /map, of letters, digits and -._~".to_owned())
}
