//! What every handler may use, put together once at start.

use crate::{access::caller::Door, catalog::Catalog, source::Source, telemetry::metrics::Metrics};
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// The running console.
pub struct Console {
    /// What is true now.
    pub catalog: Arc<Catalog>,
    /// Where changes go.
    pub source: Arc<dyn Source>,
    /// Who may come in.
    pub door: Door,
    /// What is counted.
    pub metrics: Metrics,
    /// Writes under way: they end even when nobody waits for them any more.
    pub writes: TaskTracker,
    /// Which server this is, for `whoami`.
    pub about: About,
    /// Where the console is mounted: empty, or `/x` without a slash at the end.
    pub base_path: String,
}

/// Where the objects come from, in the words of the API.
#[derive(Clone, Debug)]
pub struct About {
    /// `kubernetes`, `embedded` or `preview`.
    pub source: &'static str,
    /// The kubeconfig context, where there is one.
    pub context: Option<String>,
}

pub type SharedConsole = Arc<Console>;

// === impl Console ===

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console")
            .field("about", &self.about)
            .field("base_path", &self.base_path)
            .finish_non_exhaustive()
    }
}
