//! How `render` was called, so that the same can be done again: what was typed, and in which folder.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use pixelmap::json;
use pixelmap::publish::KeptPath;
use serde::{Deserialize, Serialize};

use super::render::FileListArgs;
use super::{Cli, Command, LogFormat, Progress, RenderArgs, config, mode};

/// A call of `render`. Where it is kept others may write: so it decides what is drawn, and nothing of where it goes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The folder that relative paths start from.
    folder: KeptPath,
    /// What was typed after `render`.
    arguments: Vec<KeptPath>,
}

/// What a call that is repeated takes from whoever repeats it.
#[derive(Debug, Clone)]
pub(crate) struct Repeated {
    /// The map's folder.
    pub(crate) output: PathBuf,
    /// Workers; 0: as the call had it.
    pub(crate) threads: usize,
    /// Errors only.
    pub(crate) quiet: bool,
}

impl Call {
    /// The text of a call, to be kept; `argv` is all that was typed. None where the folder is not known.
    pub(crate) fn text(argv: &[OsString]) -> Option<String> {
        let folder = KeptPath::from(std::env::current_dir().ok()?.as_os_str());
        let arguments = argv.iter().skip(2).map(|argument| KeptPath::from(argument.as_os_str())).collect();
        json::text(&Self { folder, arguments }).ok()
    }

    /// Reads such a text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The folder that relative paths start from; `None`: this system has none like it.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.path().map(PathBuf::from)
    }

    /// What the call asks for, once for each of its maps. Whatever it says, it is a map in the folder that is repaired,
    /// and no other file is written.
    ///
    /// # Errors
    /// It is none, or its configuration file cannot be used.
    pub(crate) fn again(&self, by: &Repeated) -> Result<Vec<RenderArgs>, String> {
        let program = ["pixelmap", "render"].into_iter().map(|name| Some(name.into()));
        let argv = program.chain(self.arguments.iter().map(KeptPath::path)).collect::<Option<Vec<OsString>>>();
        let argv = argv.ok_or("this system has no such arguments")?;
        let cli = Cli::try_parse_from(&argv).map_err(|error| config::in_a_line(&error))?;
        let Some(Command::Render(args)) = cli.command else { return Err("this is no call of render".to_owned()) };
        let maps = config::renders(*args, &argv).map_err(|error| error.message)?;
        Ok(maps.into_iter().map(|args| by.of(args)).collect())
    }
}

impl Repeated {
    fn of(&self, args: RenderArgs) -> RenderArgs {
        let Self { output, threads, quiet } = self.clone();
        RenderArgs {
            output: Some(output),
            mode: Some(mode::ModeArg::Map),
            threads: if threads == 0 { args.threads } else { threads },
            // What is there and right stays.
            force: false,
            // What is damaged is to be mended, as far as that goes.
            staged: false,
            dry_run: false,
            json: false,
            // These name files, and were for that run.
            report: None,
            files: FileListArgs { changed_list: None, deleted_list: None },
            quiet,
            verbose: false,
            progress: Progress::Auto,
            log_format: LogFormat::Text,
            ..args
        }
    }
}
