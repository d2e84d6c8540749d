//! Runs `pixelmap serve WORLD`: draws a world while its map is already served.

use std::path::Path;
use std::time::Duration;

use pixelmap_draw::report::Report;
use pixelmap_draw::{Mode, OutputRequest, Progress, Settings};
use pixelmap_serve::{Follow, FollowError, FollowLog, RconAccess, RconNews, Server};
use pixelmap_world::internal::World;

use super::{address_line, open_browser, url, with_options};
use crate::cli::{self, LogFormat, ServeArgs};
use crate::commands::request::{map_request, unstored_layer};
use crate::commands::signals::Signals;
use crate::log::{Log, complain};
use crate::outcome::{Ending, FAILED, OK, USAGE};
use crate::progress;

/// Serves and draws a world until a signal comes. Returns the exit code.
pub(super) fn run(
    args: &ServeArgs,
    world: &World,
    server: Server,
    signals: &Signals,
) -> Result<u8, Ending> {
    let scratch = if args.world.output.is_none() {
        Some(scratch()?)
    } else {
        None
    };

    let output = args
        .world
        .output
        .as_deref()
        .or_else(|| scratch.as_ref().map(tempfile::TempDir::path));
    let output = output.unwrap_or_else(|| Path::new("map")).to_owned();
    let mut output = OutputRequest::new(Mode::Map, output);
    output.moment.follows = true;

    let settings = Settings {
        request: map_request(&args.world.drawn, Mode::Map, world)?,
        look: args
            .world
            .drawn
            .look()
            .map_err(|why| Ending::new(USAGE, why))?,
        output,
        run: args.world.workers.settings(),
    };

    if let Some(warning) = unstored_layer(&args.world.drawn, world) {
        complain(warning);
    }

    let poll = Some(Duration::from_secs(args.world.poll)).filter(|every| !every.is_zero());
    let follow = Follow::open(args.path(), world, &settings, args.world.on_demand, poll)?;
    let follow = match rcon_access(args)? {
        Some(rcon) => follow.with_players(rcon),
        None => follow,
    };

    let site = with_options(follow.site(args.base_path.clone())?, args);
    let log = Log::new(LogFormat::Text).with_quiet(args.quiet);
    address_line(&server, args, None);
    warn_of_open_password(args, log);
    open_browser(&server, args, None);
    signals.on_stop(follow.stopper(&server))?;

    let address = url(server.address(), args, None);
    follow.run(server, site, &ServeLog { args, address, log })?;

    Ok(OK)
}

/// Returns how to reach the game server, if the user named one.
fn rcon_access(args: &ServeArgs) -> Result<Option<RconAccess>, Ending> {
    let Some((address, file)) = args
        .world
        .rcon
        .as_ref()
        .zip(args.world.rcon_password_file.as_ref())
    else {
        return Ok(None);
    };

    if args.world.drawn.min_inhabited > 0 {
        let message = "--rcon does not go together with --min-inhabited, because players would be \
                       shown in places that it hides: hide places with --hide";
        return Err(Ending::new(USAGE, message));
    }

    let access = RconAccess {
        address: address.clone(),
        password_file: file.clone(),
        hidden: args.world.rcon_hide.clone(),
    };

    match access.password() {
        Ok(_) => Ok(Some(access)),
        Err(error) => {
            let message = format!(
                "{} with the password of --rcon cannot be read: {error}",
                file.display()
            );
            Err(Ending::new(FAILED, message))
        }
    }
}

/// Warns if users other than the owner and the group can read the password of the game server.
fn warn_of_open_password(args: &ServeArgs, log: Log<'_>) {
    let file = args.world.rcon_password_file.as_deref();
    if let Some(file) = file.filter(|file| is_readable_by_others(file)) {
        let file = file.display();
        log.warning(&format!(
            "{file}: other users can read the password of --rcon: chmod o= {file}"
        ));
    }
}

/// Returns whether users other than the owner and the group may read a file.
#[cfg(unix)]
fn is_readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|file| file.permissions().mode() & 0o004 != 0)
}

#[cfg(not(unix))]
const fn is_readable_by_others(_: &Path) -> bool {
    false
}

/// Writes the messages of a server that draws.
struct ServeLog<'a> {
    args: &'a ServeArgs,
    address: String,
    log: Log<'static>,
}

impl FollowLog for ServeLog<'_> {
    fn drawing(&self, progress: &Progress, draw: &mut dyn FnMut()) {
        // With `--on-demand` the total is unknown, because only requested tiles are drawn. So there
        // is no progress to show.
        let is_hidden = self.args.quiet || self.args.world.on_demand;
        let shown = if is_hidden {
            cli::ProgressMode::Never
        } else {
            cli::ProgressMode::Auto
        };
        progress::show(shown, self.log, progress, draw);
    }

    fn report_published(&self, report: Report, folder: &Path) {
        // A temporary folder is removed when the server ends, so the page cannot be opened from
        // there later.
        let open = match &self.args.world.output {
            Some(_) => format!("open {}", folder.join("index.html").display()),
            None => format!("all is drawn: {} (Ctrl-C ends the server)", self.address),
        };
        self.log.map(&report, &open);
    }

    fn report_failed(&self, error: FollowError) {
        complain(&Ending::from(error).message);
    }

    fn report_rcon(&self, news: RconNews) {
        match news {
            RconNews::Connected(message) => self.log.note(&message),
            RconNews::Away(message) => complain(&message),
        }
    }
}

/// Creates a temporary folder for a map that is not kept. Other users of this machine cannot read
/// it.
fn scratch() -> Result<tempfile::TempDir, Ending> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("pixelmap-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
        .tempdir()
        .map_err(|error| Ending::not_written(&std::env::temp_dir(), &error))
}
