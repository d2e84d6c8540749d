//! The call of `render`, stored so that it can be repeated: its arguments and its folder.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use pixelmap::json;
use pixelmap::publish::KeptPath;
use serde::{Deserialize, Serialize};

use super::render::FileListArgs;
use super::{Cli, Command, LogFormat, Progress, RenderArgs, config, mode};

/// A call of `render`. Other users may be able to change a stored call: so it decides what is drawn, and never where
/// files are written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The folder that relative paths start from.
    folder: KeptPath,
    /// The arguments after `render`.
    arguments: Vec<KeptPath>,
}

/// Values that the repeating command sets.
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
    /// The text of a call, for storing; `argv` is the whole command line. `None` where the folder is unknown.
    pub(crate) fn text(argv: &[OsString]) -> Option<String> {
        let folder = KeptPath::from(std::env::current_dir().ok()?.as_os_str());
        let arguments = argv.iter().skip(2).map(|argument| KeptPath::from(argument.as_os_str())).collect();
        json::text(&Self { folder, arguments }).ok()
    }

    /// Reads such a text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The folder that relative paths start from; `None`: its path is of another system.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.path().map(PathBuf::from)
    }

    /// The arguments of the call, once for each of its maps. Whatever they are, the output is the map to repair, and no
    /// other file is written.
    ///
    /// # Errors
    /// It is no call, or its configuration file cannot be used.
    pub(crate) fn again(&self, by: &Repeated) -> Result<Vec<RenderArgs>, String> {
        let program = ["pixelmap", "render"].into_iter().map(|name| Some(name.into()));
        let argv = program.chain(self.arguments.iter().map(KeptPath::path)).collect::<Option<Vec<OsString>>>();
        let argv = argv.ok_or("its arguments are of another system")?;
        let cli = Cli::try_parse_from(&argv).map_err(|error| config::in_a_line(&error))?;
        let Some(Command::Render(args)) = cli.command else { return Err("it is not a call of render".to_owned()) };
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
            // Files that are right stay.
            force: false,
            // Repairs as much as possible, even if not all.
            staged: false,
            dry_run: false,
            json: false,
            // These name files of the first run.
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
