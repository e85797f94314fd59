//! What every handler may use, put together once at start.

use crate::{
    access::caller::{Caller, Door},
    catalog::Catalog,
    rest::{Description, Events},
    source::Source,
    telemetry::metrics::Metrics,
};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

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
    /// What open pages are told.
    pub events: Events,
    /// Writes under way: they end even when nobody waits for them any more.
    pub writes: TaskTracker,
    /// How far the end of this server has come.
    pub drain: Drain,
    /// Which server this is, for `whoami`.
    pub about: About,
    /// Where the console is mounted: empty, or `/x` without a slash at the end.
    pub base_path: String,
    /// What describes the API, once it was asked for.
    pub description: OnceLock<Description>,
}

/// Where the objects come from, in the words of the API.
#[derive(Clone, Debug)]
pub struct About {
    /// `kubernetes`, `embedded` or `preview`.
    pub source: &'static str,
    /// The kubeconfig context, where there is one.
    pub context: Option<String>,
}

/// The end of a server, in two steps. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    /// The server is asked to stop: it is not ready any more, so that no new client is sent here. It still serves.
    pub announced: CancellationToken,
    /// What would go on by itself, such as a stream of events, has to end now.
    pub begun: CancellationToken,
}

pub type SharedConsole = Arc<Console>;

// === impl Drain ===

impl Drain {
    /// Leaves those who send clients here the time to hear of it.
    pub async fn after(&self, delay: Duration) {
        self.announced.cancel();
        tokio::time::sleep(delay).await;
        self.begun.cancel();
    }
}

// === impl Console ===

impl Console {
    /// At its start, mounted at the root: nothing is open, nothing is being written, nothing ends.
    pub fn new(catalog: Arc<Catalog>, source: Arc<dyn Source>, door: Door, metrics: Metrics, about: About) -> Self {
        Self {
            catalog,
            source,
            door,
            events: Events::new(&metrics.events),
            metrics,
            writes: TaskTracker::new(),
            drain: Drain::default(),
            about,
            base_path: String::new(),
            description: OnceLock::new(),
        }
    }

    /// The caller signs out: what is open under the session ends.
    pub fn end_session(&self, caller: &Caller) {
        if let Some(session) = caller.session {
            self.events.sign_out(session);
        }
    }
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console")
            .field("about", &self.about)
            .field("base_path", &self.base_path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn it_is_announced_before_it_begins() {
        let (drain, begun) = (Drain::default(), Instant::now());
        let clone = drain.clone();
        let ending = tokio::spawn(async move { clone.after(Duration::from_secs(3)).await });
        drain.announced.cancelled().await;
        assert!(!drain.begun.is_cancelled());
        drain.begun.cancelled().await;
        ending.await.unwrap();
        assert_eq!(begun.elapsed(), Duration::from_secs(3));
    }
}
