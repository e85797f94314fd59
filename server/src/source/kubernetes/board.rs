//! What is known about how current each watch is, and what that makes of each kind. Told by the watches, by the answers that
//! the API server gives them, and by the pulse; asks nobody.

use crate::{
    resources::Kind,
    source::{Absence, Standing},
};
use jiff::Timestamp;
use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{sync::watch, time::Instant};

/// One watch: a kind, in one namespace or in all.
pub(super) type WatchId = (Kind, Option<String>);

pub(super) struct Board {
    watches: Mutex<HashMap<WatchId, Watched>>,
    /// Since when the API server as a whole has not answered.
    away: Mutex<Option<Timestamp>>,
    filled: AtomicBool,
    /// Counts the calls to watches that hang on a dead connection.
    calls: watch::Sender<u64>,
}

/// What one watch has come to.
#[derive(Debug, Default)]
struct Watched {
    listed: bool,
    absent: Option<Absence>,
    /// When it was last known to be current, while it is not.
    behind: Option<Timestamp>,
    /// When the API server last opened it or told something by it.
    heard: Option<Instant>,
    /// It was open, or asked for its list, before the end of an outage and has not been heard of since.
    hangs: bool,
}

// === impl Board ===

impl Board {
    pub(super) fn new(watches: impl Iterator<Item = WatchId>) -> Self {
        Self {
            watches: Mutex::new(watches.map(|id| (id, Watched::default())).collect()),
            away: Mutex::default(),
            filled: AtomicBool::new(false),
            calls: watch::Sender::new(0),
        }
    }

    /// The first list, or another one, is in.
    pub(super) fn listed(&self, id: &WatchId) {
        self.note(id, |watched| {
            *watched = Watched {
                listed: true,
                heard: Some(Instant::now()),
                ..Watched::default()
            };
        });
        self.fill();
    }

    /// The API server has opened the watch, or told something by it.
    pub(super) fn heard(&self, id: &WatchId) {
        self.note(id, |watched| {
            watched.heard = Some(Instant::now());
            watched.behind = None;
            watched.hangs = false;
        });
    }

    /// Answers since when the watch has been behind.
    pub(super) fn failed(&self, id: &WatchId, now: Timestamp) -> Timestamp {
        let mut since = self.away().unwrap_or(now);
        self.note(id, |watched| since = *watched.behind.get_or_insert(since));
        since
    }

    /// Answers whether that is news.
    pub(super) fn absent(&self, id: &WatchId, absence: Absence) -> bool {
        let mut news = false;
        self.note(id, |watched| {
            news = watched.absent != Some(absence);
            watched.absent = Some(absence);
            watched.behind = None;
            watched.hangs = false;
        });
        self.fill();
        news
    }

    pub(super) fn was_listed(&self, id: &WatchId) -> bool {
        lock(&self.watches).get(id).is_some_and(|watched| watched.listed)
    }

    /// The API server does not answer, and last did at `since`.
    pub(super) fn gone_away(&self, since: Timestamp) {
        lock(&self.away).get_or_insert(since);
    }

    /// The API server answers again. A watch that has not been heard of since the outage was noticed, or a list in the making,
    /// may hang on a connection that nobody serves any more; until it is opened anew its kind is as of then.
    pub(super) fn come_back(&self, noticed: Instant) {
        let Some(since) = lock(&self.away).take() else {
            return;
        };
        for watched in lock(&self.watches).values_mut() {
            if watched.heard.is_none_or(|heard| heard <= noticed) {
                watched.behind.get_or_insert(since);
                watched.hangs = true;
            }
        }
    }

    /// Tells the watches that still hang to start anew.
    pub(super) fn call_the_hanging(&self) {
        if lock(&self.watches).values().any(|watched| watched.hangs) {
            self.calls.send_modify(|calls| *calls += 1);
        }
    }

    pub(super) fn calls(&self) -> watch::Receiver<u64> {
        self.calls.subscribe()
    }

    pub(super) fn hangs(&self, id: &WatchId) -> bool {
        lock(&self.watches).get(id).is_some_and(|watched| watched.hangs)
    }

    pub(super) fn away(&self) -> Option<Timestamp> {
        *lock(&self.away)
    }

    /// Once true, always true.
    pub(super) fn is_filled(&self) -> bool {
        self.filled.load(Ordering::Acquire)
    }

    pub(super) fn standing(&self, kind: Kind) -> Standing {
        let away = self.away();
        let watches = lock(&self.watches);
        let of_kind = || {
            watches
                .iter()
                .filter(|((watched, _), _)| *watched == kind)
                .map(|(_, watched)| watched)
        };
        if let Some(absence) = of_kind().filter_map(|watched| watched.absent).max() {
            Standing::Unavailable(absence)
        } else if of_kind().any(|watched| !watched.listed) {
            Standing::Syncing
        } else {
            let since = of_kind().filter_map(|watched| watched.behind).chain(away).min();
            since.map_or(Standing::Current, Standing::AsOf)
        }
    }

    fn note(&self, id: &WatchId, note: impl FnOnce(&mut Watched)) {
        if let Some(watched) = lock(&self.watches).get_mut(id) {
            note(watched);
        }
    }

    fn fill(&self) {
        let filled = || {
            lock(&self.watches)
                .values()
                .all(|watched| watched.listed || watched.absent.is_some())
        };
        if !self.is_filled() && filled() {
            self.filled.store(true, Ordering::Release);
            tracing::info!("everything has been read once");
        }
    }
}

/// Notes are whole whenever the lock is free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::at;

    fn board() -> (Board, WatchId, WatchId) {
        let issues = |namespace: &str| (Kind::Issue, Some(namespace.to_owned()));
        let (shop, edge) = (issues("shop"), issues("edge"));
        (Board::new([shop.clone(), edge.clone()].into_iter()), shop, edge)
    }

    #[test]
    fn a_kind_is_as_good_as_the_worst_of_its_watches() {
        let (board, shop, edge) = board();
        board.listed(&shop);
        assert_eq!(board.standing(Kind::Issue), Standing::Syncing);
        assert!(!board.is_filled());
        board.listed(&edge);
        assert_eq!(board.standing(Kind::Issue), Standing::Current);
        board.failed(&edge, at("2026-09-23T12:00:00Z"));
        board.failed(&edge, at("2026-09-23T12:00:05Z"));
        assert_eq!(board.standing(Kind::Issue), Standing::AsOf(at("2026-09-23T12:00:00Z")));
        board.heard(&edge);
        assert_eq!(board.standing(Kind::Issue), Standing::Current);
        assert!(board.absent(&shop, Absence::NotInstalled) && !board.absent(&shop, Absence::NotInstalled));
        assert_eq!(
            board.standing(Kind::Issue),
            Standing::Unavailable(Absence::NotInstalled)
        );
        assert!(board.is_filled(), "readiness does not flap");
    }

    #[test]
    fn what_is_absent_does_not_keep_the_rest_waiting() {
        let (board, shop, edge) = board();
        board.absent(&shop, Absence::Forbidden);
        board.listed(&edge);
        assert!(board.is_filled());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_was_not_heard_of_since_the_outage_hangs() {
        let (board, shop, edge) = board();
        board.listed(&shop);
        board.listed(&edge);
        let noon = at("2026-09-23T12:00:00Z");
        let noticed = Instant::now();
        board.gone_away(noon);
        assert_eq!(board.standing(Kind::Issue), Standing::AsOf(noon));
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        board.heard(&shop);
        board.come_back(noticed);
        assert!(board.hangs(&edge) && !board.hangs(&shop));
        assert_eq!(board.standing(Kind::Issue), Standing::AsOf(noon));
        let calls = board.calls();
        board.call_the_hanging();
        assert!(calls.has_changed().unwrap());
        board.heard(&edge);
        assert_eq!(board.standing(Kind::Issue), Standing::Current);
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_was_asked_for_in_an_outage_hangs() {
        let (board, shop, edge) = board();
        board.absent(&edge, Absence::NotInstalled);
        board.gone_away(at("2026-09-23T12:00:00Z"));
        board.come_back(Instant::now());
        assert!(board.hangs(&shop) && board.hangs(&edge));
        board.absent(&edge, Absence::NotInstalled);
        assert!(!board.hangs(&edge), "it has been answered");
    }
}
