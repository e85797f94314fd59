//! One watch of one kind, kept up through outages, lists that are too old, and kinds that come and go.

use super::{
    board::{Board, WatchId},
    intake::{Intake, News},
    link::RETRY,
    raw::Raw,
};
use crate::{resources::Object, source::Absence};
use futures_util::{Stream, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use kube::{
    Api, ResourceExt as _,
    runtime::{
        WatchStreamExt as _,
        utils::Backoff,
        watcher::{self, Event, watcher},
    },
};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::{Semaphore, watch},
    time::{self, Instant},
};

/// Objects of one answer to a list, which are held twice until they are read.
const PAGE: u32 = 250;
/// Seconds that a watch stays open, and five more until one that died in silence is missed. The API server tells where to go on
/// from shortly before it ends one, so opening it anew costs no list.
pub(super) const OPEN: u32 = 25;
/// Events that are handed on as one, when that many have come.
const CHUNK: usize = 256;
/// Between two looks whether a kind is there by now.
const ABSENT: Duration = Duration::from_secs(10);
/// A known kind that is not found, or refused, twice within this time is gone; once may be an API server that is starting.
const TWICE: Duration = Duration::from_secs(30);

/// A refusal that goes on for longer is told in the log.
const LASTING: SignedDuration = SignedDuration::from_secs(30);

pub(super) struct Follower {
    pub(super) id: WatchId,
    pub(super) api: Api<Raw>,
    /// Of the only objects that are asked for, where not all are.
    pub(super) name: Option<&'static str>,
    pub(super) intake: Arc<Intake>,
    pub(super) board: Arc<Board>,
    /// How many lists may be in the making at once.
    pub(super) lists: Arc<Semaphore>,
}

/// Why a watch has to be made anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Ended {
    Absent,
    Stale,
    Hung,
}

// === impl Follower ===

impl Follower {
    pub(super) async fn run(self) {
        let mut calls = self.board.calls();
        loop {
            let ended = self.follow(&mut calls).await;
            tracing::debug!(kind = %self.id.0, namespace = self.id.1, ?ended, "a watch starts anew");
            if ended == Ended::Absent {
                time::sleep(ABSENT).await;
            }
        }
    }

    async fn follow(&self, calls: &mut watch::Receiver<u64>) -> Ended {
        // Nobody closes the semaphore; without a permit we only use more memory.
        let mut permit = self.lists.acquire().await.ok();
        let mut listing = Vec::new();
        let mut trouble = Trouble::default();
        let mut events = pin!(self.events());
        loop {
            let chunk = tokio::select! {
                chunk = events.next() => match chunk {
                    Some(chunk) => chunk,
                    None => return Ended::Stale,
                },
                _ = calls.changed() => {
                    if self.board.hangs(&self.id) {
                        return Ended::Hung;
                    }
                    continue;
                }
            };
            let mut news = Vec::new();
            for event in chunk {
                match event {
                    Ok(Event::Apply(raw)) => news.push(self.applied(raw)),
                    Ok(Event::Delete(raw)) => news.push(deleted(&raw)),
                    Ok(Event::Init) => {
                        self.tell(&mut news);
                        self.intake.listing(self.scope());
                        listing.clear();
                    }
                    Ok(Event::InitApply(raw)) => listing.extend(self.read(raw).ok()),
                    Ok(Event::InitDone) => {
                        self.take_over(std::mem::take(&mut listing)).await;
                        drop(permit.take());
                        trouble = Trouble::default();
                    }
                    Err(error) => {
                        self.tell(&mut news);
                        drop(permit.take());
                        if let Some(ended) = self.failed(&error, &mut trouble) {
                            return ended;
                        }
                    }
                }
            }
            self.tell(&mut news);
        }
    }

    fn events(&self) -> impl Stream<Item = Vec<watcher::Result<Event<Raw>>>> {
        let mut config = watcher::Config::default().page_size(PAGE).timeout(OPEN);
        if let Some(name) = self.name {
            config = config.fields(&format!("metadata.name={name}"));
        }
        watcher(self.api.clone(), config)
            .backoff(Patience::default())
            .ready_chunks(CHUNK)
    }

    /// A complete list. Making rows of it takes a processor for a while, which requests need too.
    async fn take_over(&self, objects: Vec<Object>) {
        let (intake, scope) = (self.intake.clone(), self.id.1.clone());
        let (kind, count) = (self.id.0, objects.len());
        let done = tokio::task::spawn_blocking(move || intake.listed(scope.as_deref(), objects)).await;
        if let Err(error) = done {
            tracing::error!(%kind, %error, "a list was not taken over");
        }
        tracing::debug!(%kind, namespace = self.id.1, count, "listed");
        self.board.listed(&self.id);
    }

    fn tell(&self, news: &mut Vec<News>) {
        if !news.is_empty() {
            self.board.heard(&self.id);
            self.intake.changed(self.scope(), std::mem::take(news));
        }
    }

    fn scope(&self) -> Option<&str> {
        self.id.1.as_deref()
    }

    /// What cannot be read is as good as gone.
    fn applied(&self, raw: Raw) -> News {
        self.read(raw).map_or_else(|gone| gone, News::Applied)
    }

    fn read(&self, raw: Raw) -> Result<Object, News> {
        let gone = deleted(&raw);
        raw.read(self.id.0).map_err(|invalid| {
            tracing::warn!(kind = %self.id.0, object = ?gone, %invalid, "an object cannot be read and is left out");
            gone
        })
    }

    /// Notes what went wrong; says whether the watch is of no use any more.
    fn failed(&self, error: &watcher::Error, trouble: &mut Trouble) -> Option<Ended> {
        let kind = self.id.0;
        let Some(status) = answer(error) else {
            // There is no connection, or it broke: that is the pulse's to tell.
            tracing::debug!(%kind, %error, "a watch broke");
            self.board.failed(&self.id, Timestamp::now());
            return None;
        };
        match status.code {
            404 | 403 if self.board.was_listed(&self.id) && trouble.misses_for_the_first_time() => {
                self.board.failed(&self.id, Timestamp::now());
                None
            }
            404 => {
                if self.board.absent(&self.id, Absence::NotInstalled) {
                    tracing::warn!(%kind, "the cluster does not know this kind; its CRD is looked for again");
                }
                self.intake.emptied(self.scope());
                Some(Ended::Absent)
            }
            403 => {
                if self.board.absent(&self.id, Absence::Forbidden) {
                    tracing::warn!(%kind, message = status.message, "the cluster does not let us read this kind");
                }
                self.intake.emptied(self.scope());
                Some(Ended::Absent)
            }
            // What the list said is forgotten by now: no failure, but a reason to list again.
            410 => matches!(error, watcher::Error::WatchStartFailed(_)).then_some(Ended::Stale),
            _ => {
                let now = Timestamp::now();
                let since = self.board.failed(&self.id, now);
                if trouble.is_worth_a_word(since, now) {
                    let (code, message) = (status.code, &status.message);
                    tracing::warn!(%kind, %since, code, message, "the API server does not serve this kind");
                }
                None
            }
        }
    }
}

/// What has gone wrong with a watch, so that nothing is concluded too early nor said twice.
#[derive(Debug, Default)]
struct Trouble {
    missed: Option<Instant>,
    told: bool,
}

// === impl Trouble ===

impl Trouble {
    fn misses_for_the_first_time(&mut self) -> bool {
        let first = self.missed.is_none_or(|missed| missed.elapsed() > TWICE);
        if first {
            self.missed = Some(Instant::now());
        }
        first
    }

    /// An API server that is starting refuses for a while, which is no news.
    fn is_worth_a_word(&mut self, since: Timestamp, now: Timestamp) -> bool {
        let lasts = now.duration_since(since) > LASTING;
        let news = lasts && !self.told;
        self.told = lasts;
        news
    }
}

fn deleted(raw: &Raw) -> News {
    News::Deleted {
        place: (raw.namespace().unwrap_or_default(), raw.name_any()),
        uid: raw.uid(),
        version: raw.resource_version().and_then(|version| version.parse().ok()),
    }
}

/// What the API server said, if it was heard.
fn answer(error: &watcher::Error) -> Option<&kube::core::Status> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchFailed(kube::Error::Api(status))
        | watcher::Error::WatchError(status) => Some(status),
        _ => None,
    }
}

/// Pauses between attempts: doubled up to a cap, then begun again once attempts have been rare for a while. An attempt that
/// gets as far as to announce a list must not begin it again, or a list that always fails is asked for without end.
#[derive(Debug, Default)]
pub(super) struct Patience {
    last: Option<Instant>,
    doublings: u32,
}

// === impl Patience ===

impl Patience {
    const FIRST: Duration = Duration::from_millis(200);
    const CALM: Duration = Duration::from_secs(15);
}

impl Iterator for Patience {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let now = Instant::now();
        if self.last.is_none_or(|last| now.duration_since(last) > Self::CALM) {
            self.doublings = 0;
        }
        self.last = Some(now);
        let pause = (Self::FIRST * 2_u32.pow(self.doublings)).min(RETRY);
        self.doublings = (self.doublings + 1).min(8);
        // Down to half of it, so that many watches and many replicas do not come at once.
        let mut byte = [0];
        let _ = getrandom::fill(&mut byte);
        Some(pause.mul_f64(1.0 - f64::from(byte[0]) / 512.0))
    }
}

impl Backoff for Patience {
    fn reset(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            api,
            link::scripted::{Answer, answering},
        },
        *,
    };
    use crate::{
        catalog::Catalog,
        resources::{Issue, Kind},
        source::Standing,
    };
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::task::JoinSet;

    /// Follows the issues of an API server that answers the n-th request so, until it has come to this.
    async fn follow(answer: impl Fn(usize) -> Answer + Send + 'static, done: impl Fn(&Board, &Catalog) -> bool) {
        let id = (Kind::Issue, None);
        let board = Arc::new(Board::new([id.clone()].into_iter()));
        let catalog = Arc::new(Catalog::new(1));
        let follower = Follower {
            api: api(&answering(answer), Kind::Issue, None),
            name: None,
            intake: Arc::new(Intake::new(Kind::Issue, catalog.clone())),
            board: board.clone(),
            lists: Arc::new(Semaphore::new(1)),
            id,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(follower.run());
        let mut looks = time::interval(Duration::from_secs(1));
        let comes = time::timeout(TWICE * 2, async {
            while !done(&board, &catalog) {
                looks.tick().await;
            }
        });
        assert!(comes.await.is_ok(), "it never came to this");
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_no_longer_be_read_is_not_shown_any_more() {
        const ONE: Answer = (
            200,
            r#"{"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "7"},
                "items": [{"metadata": {"name": "oom", "namespace": "shop", "uid": "1", "resourceVersion": "5"},
                           "spec": {"severity": "high", "source": "watcher", "description": "out of memory",
                                    "resource": {"kind": "Deployment", "name": "cart", "namespace": "shop"}}}]}"#,
        );
        const REFUSED: Answer = (
            403,
            r#"{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": "no", "code": 403}"#,
        );
        const BUSY: Answer = (
            503,
            r#"{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "code": 503}"#,
        );
        let seen = Arc::new(AtomicBool::new(false));
        let refuses = seen.clone();
        let answer = move |request| match request {
            0 => ONE,
            _ if refuses.load(Ordering::Relaxed) => REFUSED,
            _ => BUSY,
        };
        follow(answer, |board, catalog| {
            let shown = catalog.snapshot().table::<Issue>().len();
            seen.fetch_or(shown == 1, Ordering::Relaxed);
            board.standing(Kind::Issue) == Standing::Unavailable(Absence::Forbidden) && shown == 0
        })
        .await;
        assert!(seen.load(Ordering::Relaxed), "it had been read");
    }

    #[tokio::test(start_paused = true)]
    async fn patience_grows_to_a_cap_and_is_regained_in_calm() {
        let mut patience = Patience::default();
        let pauses: Vec<_> = patience.by_ref().take(10).collect();
        assert!(pauses[0] <= Patience::FIRST && pauses.iter().all(|pause| *pause <= RETRY && !pause.is_zero()));
        assert!(pauses[9] >= RETRY / 2);
        Backoff::reset(&mut patience);
        assert!(patience.next().unwrap() >= RETRY / 2, "an event alone is no calm");
        time::advance(Patience::CALM + Duration::from_secs(1)).await;
        assert!(patience.next().unwrap() <= Patience::FIRST);
    }
}
