//! Builds the JSON documents that commands print.
//!
//! Every document begins with the same fields, so that a script can read the format and the exit
//! code first. A command that fails prints such a document as well.

use pixelmap_base::json::{self, WithWorldName};
use serde::Serialize;

use super::ending::{Ending, FAILED, NOT_NOW};

/// The version of the documents' format. It is raised when a field is removed or changes its
/// meaning; new fields may be added without raising it.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct JsonDocument<'a, T> {
    format: u32,
    version: &'static str,
    /// The exit code.
    code: u8,
    error: Option<DocumentError<'a>>,
    #[serde(flatten)]
    body: Option<T>,
}

#[derive(Serialize)]
struct DocumentError<'a> {
    message: &'a str,
    retryable: bool,
}

const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the document, on one line, of a command that ends with this code.
pub(crate) fn result(code: u8, body: impl Serialize) -> Result<String, Ending> {
    let document = JsonDocument {
        format: FORMAT,
        version: version(),
        code,
        error: None,
        body: Some(body),
    };
    Ok(json::text(&document).map_err(|error| Ending::new(FAILED, error))? + "\n")
}

/// Returns the document of a command that failed. `name` is the name of the map, if it has one.
pub(crate) fn refusal(name: Option<&str>, Ending { code, message }: &Ending) -> String {
    let error = Some(DocumentError {
        message,
        retryable: *code == NOT_NOW,
    });

    let body = Some(WithWorldName::new(name, ()));
    let document = JsonDocument {
        format: FORMAT,
        version: version(),
        code: *code,
        error,
        body,
    };

    // This cannot fail, because JSON can hold all of these values.
    json::text(&document).unwrap_or_default() + "\n"
}

/// The report of a run, after the fields about the run as a whole.
#[derive(Serialize)]
struct ReportDocument<'a, T> {
    format: u32,
    version: &'static str,
    code: u8,
    output: Option<&'a str>,
    digest: Option<&'a str>,
    #[serde(flatten)]
    report: T,
}

/// Returns the report of a run with its exit code, its output and the digest of the output, as
/// indented JSON.
pub(crate) fn report(
    code: u8,
    output: Option<&str>,
    digest: Option<&str>,
    report: impl Serialize,
) -> Result<String, Ending> {
    let document = ReportDocument {
        format: FORMAT,
        version: version(),
        code,
        output,
        digest,
        report,
    };

    Ok(json::pretty(&document).map_err(|error| Ending::new(FAILED, error))? + "\n")
}
