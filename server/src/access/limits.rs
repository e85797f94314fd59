//! How much one host or one key may ask: token buckets that start full and refill evenly.

use dashmap::{DashMap, Entry};
use governor::{
    Quota, RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};
use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    net::IpAddr,
    num::NonZeroU32,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Buckets that are held at most, a kind: some 10 MB. Beyond, hosts not seen before share what is left.
const MAX_BUCKETS: usize = 100_000;
/// Buckets that newcomers share while there is no room.
const SHARED_BUCKETS: u64 = 1024;
/// Full buckets are forgotten at most this often; walking them all costs some milliseconds.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// Requests a minute.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PerMinute(pub NonZeroU32);

/// Who is counted.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Spender {
    /// Without a valid key.
    Host(IpAddr),
    /// The id of a valid key.
    Key(String),
    /// In dev mode, where there are no keys to count by.
    Dev(IpAddr),
    /// One of the buckets that newcomers share.
    Crowd(u64),
}

/// Too much was asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Exhausted {
    pub limit: PerMinute,
}

/// The buckets of this process; each replica has its own.
#[derive(Debug)]
pub struct Limits {
    hosts: Buckets,
    keys: Buckets,
}

#[derive(Debug)]
struct Buckets {
    limit: PerMinute,
    limiter: RateLimiter<Spender, Table, RuntimeClock, NoOpMiddleware<Instant>>,
    swept: Mutex<Instant>,
}

/// What each spender has left, as the time at which its bucket is full again. Bounded: while there is no room, whoever has no
/// bucket yet shares one with others.
#[derive(Debug, Default)]
struct Table {
    buckets: DashMap<Spender, Nanos>,
    /// Counted apart, because asking the map looks at all of its parts.
    held: AtomicUsize,
}

/// The clock of the runtime, which stands still where a test wants it to.
#[derive(Clone, Copy, Debug)]
struct RuntimeClock;

impl Clock for RuntimeClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

// === impl PerMinute ===

impl PerMinute {
    pub const HOST: Self = Self::of(30);
    pub const KEY: Self = Self::of(600);

    const fn of(requests: u32) -> Self {
        match NonZeroU32::new(requests) {
            Some(requests) => Self(requests),
            None => panic!("a limit of nothing lets nobody in"),
        }
    }

    /// Seconds until one more request is allowed, as upstream counts them.
    pub fn retry_after(self) -> u32 {
        60_u32.div_ceil(self.0.get()).max(1)
    }
}

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self::new(PerMinute::HOST, PerMinute::KEY)
    }
}

impl Limits {
    pub fn new(host: PerMinute, key: PerMinute) -> Self {
        Self {
            hosts: Buckets::new(host),
            keys: Buckets::new(key),
        }
    }

    /// Takes one token. A refusal takes none.
    pub fn spend(&self, spender: Spender) -> Result<(), Exhausted> {
        match spender {
            Spender::Host(_) | Spender::Crowd(_) => self.hosts.spend(spender),
            Spender::Key(_) | Spender::Dev(_) => self.keys.spend(spender),
        }
    }
}

// === impl Buckets ===

impl Buckets {
    fn new(limit: PerMinute) -> Self {
        Self {
            limit,
            limiter: RateLimiter::new(Quota::per_minute(limit.0), Table::default(), RuntimeClock),
            swept: Mutex::new(RuntimeClock.now()),
        }
    }

    fn spend(&self, spender: Spender) -> Result<(), Exhausted> {
        if self.limiter.len() >= MAX_BUCKETS {
            self.sweep();
        }
        self.limiter
            .check_key(&spender)
            .map_err(|_| Exhausted { limit: self.limit })
    }

    /// Forgets the buckets that are full again: they say no more than no bucket does.
    fn sweep(&self) {
        let now = RuntimeClock.now();
        let Ok(mut swept) = self.swept.try_lock() else { return };
        if now.duration_since(*swept) >= SWEEP_EVERY {
            *swept = now;
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
    }
}

// === impl Table ===

impl StateStore for Table {
    type Key = Spender;

    fn measure_and_replace<T, F, E>(&self, spender: &Spender, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        if let Some(mut full) = self.buckets.get_mut(spender) {
            let (outcome, after) = measure(Some(*full))?;
            *full = after;
            return Ok(outcome);
        }
        let place = if self.len() < MAX_BUCKETS {
            spender.clone()
        } else {
            crowd(spender)
        };
        match self.buckets.entry(place) {
            Entry::Occupied(mut full) => {
                let (outcome, after) = measure(Some(*full.get()))?;
                full.insert(after);
                Ok(outcome)
            }
            Entry::Vacant(empty) => {
                let (outcome, after) = measure(None)?;
                empty.insert(after);
                self.held.fetch_add(1, Ordering::Relaxed);
                Ok(outcome)
            }
        }
    }
}

impl ShrinkableKeyedStateStore<Spender> for Table {
    fn retain_recent(&self, drop_below: Nanos) {
        self.buckets.retain(|_, full| *full > drop_below);
        self.held.store(self.buckets.len(), Ordering::Relaxed);
    }

    fn shrink_to_fit(&self) {
        self.buckets.shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn crowd(spender: &Spender) -> Spender {
    let mut hasher = DefaultHasher::new();
    spender.hash(&mut hasher);
    Spender::Crowd(hasher.finish() % SHARED_BUCKETS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    fn host(number: u32) -> Spender {
        Spender::Host(IpAddr::V4(number.into()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_without_a_key_has_thirty_and_then_one_every_two_seconds() {
        let limits = Limits::default();
        assert!((0..30).all(|_| limits.spend(host(1)).is_ok()));
        let refused = limits.spend(host(1)).unwrap_err();
        assert_eq!((refused.limit, refused.limit.retry_after()), (PerMinute::HOST, 2));
        assert!(limits.spend(host(2)).is_ok(), "another host is not affected");
        advance(Duration::from_millis(1999)).await;
        assert!(limits.spend(host(1)).is_err());
        advance(Duration::from_millis(1)).await;
        assert!(limits.spend(host(1)).is_ok(), "refusals took nothing");
        assert!(limits.spend(host(1)).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_has_its_own_six_hundred() {
        let limits = Limits::default();
        let key = || Spender::Key("0123456789ab".into());
        assert!((0..30).all(|_| limits.spend(host(1)).is_ok()));
        assert!((0..600).all(|_| limits.spend(key()).is_ok()));
        assert_eq!(limits.spend(key()).unwrap_err().limit.retry_after(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_million_hosts_fill_no_more_than_the_table() {
        let limits = Limits::default();
        for number in 0..1_000_000 {
            let _ = limits.spend(host(number));
            if number % 100_000 == 0 {
                advance(Duration::from_millis(100)).await;
            }
        }
        let held = limits.hosts.limiter.len();
        assert!(held <= MAX_BUCKETS + SHARED_BUCKETS as usize, "{held} buckets");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_others_gives_nobody_a_second_bucket_and_takes_none_away() {
        let limits = Limits::default();
        assert!((0..30).all(|_| limits.spend(host(1)).is_ok()));
        assert!(limits.spend(host(2)).is_ok());
        (10..200_000).for_each(|number| {
            let _ = limits.spend(host(number));
        });
        assert!(limits.spend(host(1)).is_err());
        assert!((0..29).all(|_| limits.spend(host(2)).is_ok()));
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_flood_is_over_a_newcomer_has_a_bucket_of_its_own() {
        let limits = Limits::default();
        (0..200_000).for_each(|number| {
            let _ = limits.spend(host(number));
        });
        advance(Duration::from_secs(120)).await;
        assert!((0..30).all(|_| limits.spend(host(300_000)).is_ok()));
        assert_eq!(limits.hosts.limiter.len(), 1);
    }
}
