//! `pixelmap verify --repair`: what is wrong with a map is taken out of it, and what is missing then is drawn by the calls
//! that drew it.
//!
//! The runs themselves tell what is missing and draw nothing else. Before they have ended well only damaged tiles go that
//! they draw again; what no manifest names goes last, when the manifests are right.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;

use pixelmap::compare::{self, Problem, Verification, Wrong};
use pixelmap::pipeline::Limit;
use pixelmap::publish::{self, Call, Content, HeldMap, MapFolder, PublishError};

use super::render::{self, Prepared, Signals};
use super::{Ending, FAILED, GAPS, NOT_NOW, OK, USAGE, complain, threads};
use crate::cli::{self, Repeated, VerifyArgs};
use crate::summary::{counted, plain};

/// A map that is to be repaired.
struct Repair<'a> {
    args: &'a VerifyArgs,
    /// Its folder, from the root: calls are repeated in the folders where they were made.
    out: PathBuf,
}

/// What was found in a map's folder.
struct Found {
    /// The folders of the layers that the map shows.
    layers: BTreeSet<String>,
    verification: Verification,
}

/// A call that is to be repeated, and how much it may remove.
struct Again<'a> {
    call: &'a Call,
    max_removed: Limit,
}

/// Repairs a map; returns the exit code of the runs, and what is wrong after them.
pub(super) fn run(args: &VerifyArgs) -> Result<(u8, Verification), Ending> {
    let out = std::path::absolute(&args.out).map_err(|error| Ending::new(FAILED, error))?;
    let calls = publish::calls(&out).map_err(|error| refused(&error))?;
    let repair = Repair { args, out };
    if calls.is_empty() {
        let Some(Found { verification, .. }) = repair.look()? else {
            return Err(refused(&PublishError::NoMap(repair.out)));
        };
        if !verification.is_right() {
            complain(&repair.not_kept("the map"));
        }
        return Ok((OK, verification));
    }
    let held = repair.hold()?;
    let Some(found) = repair.look()? else { return repair.whole(held, &calls) };
    if found.verification.is_right() {
        return Ok((OK, found.verification));
    }
    repair.mend(held, found, &calls)
}

impl Repair<'_> {
    fn hold(&self) -> Result<HeldMap, Ending> {
        HeldMap::open(&self.out).map_err(|error| refused(&error))
    }

    /// What is wrong with the map, all of it; `None`: it does not say what it shows.
    fn look(&self) -> Result<Option<Found>, Ending> {
        let map = match MapFolder::open(&self.out) {
            Ok(map) => map,
            Err(PublishError::NoMap(_)) => return Ok(None),
            Err(error) => return Err(refused(&error)),
        };
        if map.content() != Content::Map {
            let message =
                format!("{} holds {}: draw them again with pixelmap render", self.out.display(), map.content());
            return Err(Ending::new(USAGE, format!("--repair is for maps, and {message} and the same options")));
        }
        let verification = compare::verify(&map, threads(self.args.threads), usize::MAX);
        let verification = verification.map_err(|error| Ending::new(FAILED, error))?;
        Ok(Some(Found { layers: map.layers().map(|(_, layer)| layer.path.clone()).collect(), verification }))
    }

    /// Draws all again that a call is kept of, where nothing says what the map shows. What no manifest names then may be
    /// of a layer of which no call is kept: it stays.
    fn whole(&self, held: HeldMap, calls: &[Call]) -> Result<(u8, Verification), Ending> {
        let again = calls.iter().map(|call| self.prepared(call)).collect::<Result<Vec<_>, _>>()?;
        drop(held);
        let code = self.draw(&again)?;
        let found = self.look()?.ok_or_else(|| refused(&PublishError::NoMap(self.out.clone())))?;
        if found.verification.problems.iter().any(|problem| problem.wrong == Wrong::Stray) {
            let remedy = "look at what is stray, and repair the map again to remove it";
            complain(&format!("map.json was made anew and may name fewer layers than before: {remedy}"));
        }
        Ok((code, found.verification))
    }

    fn mend(&self, held: HeldMap, found: Found, calls: &[Call]) -> Result<(u8, Verification), Ending> {
        let problems = &found.verification.problems;
        let is_kept = |layer: &str| calls.iter().any(|call| call.layers.iter().any(|drawn| drawn == layer));
        let damaged: BTreeSet<&str> = problems.iter().filter_map(|problem| found.damaged(problem, is_kept)).collect();
        for layer in damaged.iter().filter(|layer| !is_kept(layer)) {
            complain(&self.not_kept(layer));
        }
        let concerns = |call: &&Call| call.layers.iter().any(|layer| damaged.contains(layer.as_str()));
        let mut concerned: Vec<&Call> = calls.iter().filter(concerns).collect();
        if concerned.is_empty()
            && problems.iter().any(|problem| problem.wrong != Wrong::Stray && problem.layer.is_none())
        {
            // What is of no layer every run writes.
            concerned.extend(calls.last());
        }
        let again = concerned.into_iter().map(|call| self.prepared(call)).collect::<Result<Vec<_>, _>>()?;
        if again.is_empty() {
            return self.clear(&held, found, &BTreeMap::new()).map(|verification| (OK, verification));
        }
        let is_drawn = |layer: &str| again.iter().any(|again| again.call.layers.iter().any(|drawn| drawn == layer));
        for problem in problems.iter().filter(|problem| problem.wrong == Wrong::Changed) {
            if problem.layer.as_deref().is_some_and(is_drawn) {
                held.remove_tile(&problem.path).map_err(|error| refused(&error))?;
            }
        }
        let doubtful = doubtful(problems, &again);
        drop(held);
        let code = self.draw(&again)?;
        let held = self.hold()?;
        let found = self.look()?.ok_or_else(|| refused(&PublishError::NoMap(self.out.clone())))?;
        self.clear(&held, found, &doubtful).map(|verification| (code, verification))
    }

    /// Removes what no manifest names. Of layers whose manifest was in doubt a world of which half is not mounted must not
    /// take more than a run may.
    fn clear(&self, held: &HeldMap, found: Found, doubtful: &BTreeMap<String, Limit>) -> Result<Verification, Ending> {
        let Found { mut verification, .. } = found;
        let mut strays: BTreeMap<String, u64> = BTreeMap::new();
        for problem in verification.problems.iter().filter(|problem| problem.wrong == Wrong::Stray) {
            *strays.entry(layer_of(&problem.path).to_owned()).or_default() += 1;
        }
        let mut kept = BTreeSet::new();
        for (layer, limit) in doubtful {
            let count = strays.get(layer).copied().unwrap_or_default();
            if limit.is_exceeded(count, count + self.tiles(layer)?) {
                let remedy = "check that the world is all there; to remove them, draw the map with --max-removed 100% \
                              and repair it again";
                complain(&format!(
                    "{} of {layer}, more than {limit}, are no longer drawn: {remedy}",
                    counted(count, "tile")
                ));
                kept.insert(layer.as_str());
            }
        }
        let mut removed = 0;
        let mut failure = None;
        verification.problems.retain(|problem| {
            if problem.wrong != Wrong::Stray || kept.contains(layer_of(&problem.path)) || failure.is_some() {
                return true;
            }
            let is_gone = held.remove_tile(&problem.path).map_err(|error| failure = Some(error));
            let is_gone = is_gone.unwrap_or_default();
            removed += u64::from(is_gone);
            !is_gone
        });
        self.say(&if removed == 0 { String::new() } else { format!("{} removed\n", counted(removed, "stray file")) });
        failure.map_or(Ok(verification), |error| Err(refused(&error)))
    }

    /// How many tiles a layer's manifest names.
    fn tiles(&self, layer: &str) -> Result<u64, Ending> {
        let map = MapFolder::open(&self.out).map_err(|error| refused(&error))?;
        let facts = map.layers().find(|(_, facts)| facts.path == layer);
        let lines = facts.and_then(|(_, facts)| map.manifest(facts).ok());
        Ok(lines.map_or(0, |lines| lines.map_while(Result::ok).count() as u64))
    }

    /// Looks whether a call can be repeated, before anything is removed for its sake.
    fn prepared<'a>(&self, call: &'a Call) -> Result<Again<'a>, Ending> {
        let (maps, _) = self.prepare(call).map_err(|ending| self.not_again(call, ending))?;
        let max_removed = maps.first().map_or(Limit::Count(0), |args| args.max_removed);
        Ok(Again { call, max_removed })
    }

    /// Enters the folder of a call, and reads what it asks for.
    fn prepare(&self, call: &Call) -> Result<(Vec<cli::RenderArgs>, Prepared), Ending> {
        let damaged = || Ending::new(FAILED, "what is kept of it is damaged");
        let kept = cli::Call::parse(&call.says).ok_or_else(damaged)?;
        let folder = kept.folder().ok_or_else(damaged)?;
        let entered = std::env::set_current_dir(&folder);
        entered.map_err(|error| Ending::new(FAILED, format!("{}: {error}", folder.display())))?;
        let by = Repeated { output: self.out.clone(), threads: self.args.threads, quiet: self.args.quiet };
        let maps = kept.again(&by).map_err(|error| Ending::new(FAILED, error))?;
        let prepared = render::prepare(&maps, Some(&call.says))?;
        Ok((maps, prepared))
    }

    /// Repeats calls, in order, and returns the exit code of all. One that does not come to its end is the last.
    fn draw(&self, again: &[Again<'_>]) -> Result<u8, Ending> {
        let (signals, mut worst) = (Signals::take(), OK);
        for Again { call, .. } in again {
            self.say(&format!("drawing again: {}\n", plain(&call.layers.join(", "))));
            let drawn = self.prepare(call).and_then(|(maps, prepared)| render::draw(&maps, &prepared, &signals));
            match drawn.map_err(|ending| self.not_again(call, ending))? {
                OK => {}
                GAPS => worst = GAPS,
                // It has said why.
                code => return Err(Ending(code, String::new())),
            }
        }
        signals.end();
        Ok(worst)
    }

    fn say(&self, text: &str) {
        if !self.args.quiet {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    fn not_kept(&self, what: &str) -> String {
        let out = self.out.display();
        format!("how {what} was drawn is not kept in {out}: draw it again with pixelmap render and the same options")
    }

    fn not_again(&self, call: &Call, Ending(code, message): Ending) -> Ending {
        let (layers, out) = (call.layers.join(", "), self.out.display());
        let remedy = format!("mend that, or draw into {out} with pixelmap render and the same options");
        Ending(code, format!("{layers} cannot be drawn again as it was: {message}; {remedy}"))
    }
}

impl Found {
    /// The layer that has to be drawn again for the sake of a problem, if there is one. A file of a layer that the map does
    /// not show, though its call is kept, is of a run that did not come to its end.
    fn damaged<'a>(&self, problem: &'a Problem, is_kept: impl Fn(&str) -> bool) -> Option<&'a str> {
        let of_no_manifest =
            || Some(layer_of(&problem.path)).filter(|layer| !self.layers.contains(*layer) && is_kept(layer));
        if problem.wrong == Wrong::Stray { of_no_manifest() } else { problem.layer.as_deref() }
    }
}

/// The layers that are drawn again and whose manifest may have lacked tiles, with what the call may remove.
fn doubtful(problems: &[Problem], again: &[Again<'_>]) -> BTreeMap<String, Limit> {
    let doubtful = problems.iter().filter(|problem| matches!(problem.wrong, Wrong::Manifest | Wrong::Facts));
    let layers: BTreeSet<&str> = doubtful.filter_map(|problem| problem.layer.as_deref()).collect();
    let of = |layer: &str| again.iter().find(|again| again.call.layers.iter().any(|drawn| drawn == layer));
    layers.into_iter().filter_map(|layer| Some((layer.to_owned(), of(layer)?.max_removed))).collect()
}

/// The folder of the layer in which a tile lies: `<layer>/<z>/<x>/<file>`.
fn layer_of(path: &str) -> &str {
    path.rsplitn(4, '/').last().unwrap_or_default()
}

fn refused(error: &PublishError) -> Ending {
    Ending::new(if error.retryable() { NOT_NOW } else { FAILED }, error)
}
