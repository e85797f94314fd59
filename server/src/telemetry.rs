//! The log: one line an event on standard error, for people or as JSON. What is counted stands in `metrics`.

pub mod metrics;

use crate::cli::LogFormat;
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise: our own informational lines and everybody's warnings. The client of the
/// API server complains of every attempt while that is away; the source says once that it is.
const USUAL: &str = "warn,opsdeck=info,kube_client=off,kube_runtime=off";

pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(USUAL));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A file that is searched must not hold colours.
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    // A second start, as in tests, keeps the first.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
