//! Runs `pixelmap serve`: serves a map that is already drawn, or a world that `world` draws
//! meanwhile.

mod check;
mod ready_file;
mod world;

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::{Command, Stdio};

use pixelmap_map::atlas::{AtlasError, MapMoment, Moment};
use pixelmap_serve::{AccessRules, FollowError, Server, Site};
use pixelmap_world::internal::{World, WorldRequest};

use self::ready_file::ReadyFile;
use super::nice::be_nice;
use super::saves_list::find_named;
use super::signals::Signals;
use super::world_place::check_folder;
use crate::cli::{CommandLine, LogFormat, ServeArgs};
use crate::log::Log;
use crate::outcome::{Ending, FAILED, NOT_NOW, OK, USAGE};

/// Without `--listen` the server uses this address and the first free port between the two.
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const PORT: u16 = 8080;
const LAST_PORT: u16 = 8179;

/// Serves a map until a signal comes. Returns the exit code.
pub(super) fn run(args: ServeArgs, line: &CommandLine) -> Result<u8, Ending> {
    let log = Log::new(LogFormat::Text).with_quiet(args.quiet);
    for warning in &line.warnings {
        log.warning(warning);
    }

    if let Some(url) = &args.check {
        return check::run(url);
    }

    check_folder(args.path())?;
    let path = find_named(args.path(), log)?;
    let args = &args.with_path(path);
    be_nice(&args.world.workers, log);

    let named = match MapMoment::find(args.path()) {
        Err(AtlasError::NoMap(_)) => None,
        named => named?,
    };

    let out = named
        .as_ref()
        .map_or(args.path(), |named| named.map.as_path());
    let shown = match Site::open(out, args.base_path.clone()) {
        Err(error @ AtlasError::NoMap(_)) => Err(open_world(args, &error)?),
        site => Ok(with_options(site?, args)),
    };

    // Until here a signal ends the program at once, even while it unpacks a tar.
    let signals = Signals::install();

    if shown.is_ok() && args.world.output.is_some() {
        let message = format!(
            "-o is for serving a world, but {} is a drawn map: leave out -o",
            out.display()
        );
        return Err(Ending::new(USAGE, message));
    }

    if shown.is_ok() && args.world.rcon.is_some() {
        let message = format!(
            "--rcon is for a world that is drawn, and {} is a drawn map",
            out.display()
        );
        return Err(Ending::new(USAGE, message));
    }

    let access = AccessRules {
        hosts: args.host.clone(),
        trusts_proxy: args.trust_proxy,
        headers: args.header.clone(),
        host_option: "--host",
        is_open: args.cors,
    };

    let server = match &args.listen {
        Some(address) => {
            Server::listen(address, access).map_err(|error| address_error(address, &error))
        }
        None => listen(access),
    }?;

    let _ready = ReadyFile::put(args, &server)?;
    let site = match shown {
        Ok(site) => site,
        Err(world) => return world::run(args, &world, server, &signals),
    };

    let moment = named.as_ref().map(|named| &named.moment);
    address_line(&server, args, moment);
    open_browser(&server, args, moment);

    // Being stopped by a signal is the normal end of a server, so the exit code is 0.
    signals.on_stop(server.stopper())?;
    server.run(site).map_err(FollowError::Server)?;

    Ok(OK)
}

fn with_options(site: Site, args: &ServeArgs) -> Site {
    if args.hide_changes {
        site.hiding_changes()
    } else {
        site
    }
}

/// Opens the world to serve, after the path turned out not to be a map. `no_map` is the error of
/// opening it as one.
fn open_world(args: &ServeArgs, no_map: &AtlasError) -> Result<World, Ending> {
    let request = WorldRequest {
        threads: args.world.workers.threads(),
        ..WorldRequest::new(pixelmap_draw::RESERVED_NAMES)
    };
    let world = match &args.world.output {
        Some(output) => pixelmap_draw::open_world(args.path(), output, None, request),
        None => World::open_for(args.path(), &request),
    };
    world
        .map_err(Ending::from)
        .map_err(|Ending { code, message }| {
            Ending::new(code, format!("{no_map}; nor is there a world: {message}"))
        })
}

/// Writes the address of the map to standard error. If the user named a moment, the address leads
/// to it.
fn address_line(server: &Server, args: &ServeArgs, moment: Option<&Moment>) {
    if args.quiet {
        return;
    }

    let taken = if args.listen.is_none() && server.address().port() != PORT {
        format!("another program uses port {PORT}, so this is the next free port\n")
    } else {
        String::new()
    };

    say(&format!("{taken}{}\n", url(server.address(), args, moment)));
}

/// Opens the map in the browser with `--open`.
fn open_browser(server: &Server, args: &ServeArgs, moment: Option<&Moment>) {
    if args.open {
        open(&url(reachable_address(server.address()), args, moment));
    }
}

/// Starts to listen on the first free port.
fn listen(access: AccessRules) -> Result<Server, Ending> {
    let addresses: Vec<_> = (PORT..=LAST_PORT)
        .map(|port| SocketAddr::new(ADDRESS, port))
        .collect();
    Server::listen(&*addresses, access)
        .map_err(|error| address_error(&format!("{ADDRESS}:{PORT} to {LAST_PORT}"), &error))
}

/// Returns the ending for an address that is in use, not valid, not allowed or not local.
fn address_error(address: &str, error: &io::Error) -> Ending {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let remedy = "name another port with --listen, or end the other program";
            Ending::new(
                NOT_NOW,
                format!("{address} is used by another program: {remedy}"),
            )
        }
        io::ErrorKind::InvalidInput => Ending::new(
            USAGE,
            format!("{address} is not an address with a port: write --listen 127.0.0.1:8080"),
        ),
        io::ErrorKind::PermissionDenied => Ending::new(
            FAILED,
            format!(
                "{address} is reserved for the administrator: name a port above 1023 with --listen"
            ),
        ),
        _ => Ending::new(
            FAILED,
            format!(
                "{address} cannot be used: {error}: name an address of this machine with --listen"
            ),
        ),
    }
}

fn url(address: SocketAddr, args: &ServeArgs, moment: Option<&Moment>) -> String {
    let then = moment
        .map(|moment| format!("#@{}", moment.time_text()))
        .unwrap_or_default();
    format!("http://{address}{}{then}", args.base_path.text())
}

/// Returns the address at which a browser on this machine reaches a server that listens on all
/// addresses.
fn reachable_address(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Opens an address in the browser without waiting for it.
#[expect(
    clippy::disallowed_methods,
    reason = "the thread waits for another program, and does no work"
)]
pub(super) fn open(url: &str) {
    let program = if cfg!(windows) {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };

    let mut command = Command::new(program);
    command
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());

    std::thread::spawn(move || {
        // On Windows the exit code of explorer does not show whether it opened the page.
        let is_open = command
            .status()
            .is_ok_and(|status| status.success() || cfg!(windows));
        if !is_open {
            say(&format!(
                "warning: {program} opened no browser: open the address above\n"
            ));
        }
    });
}

fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
