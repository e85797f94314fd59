//! A TCP proxy in front of the API server, which lets everything pass, nothing, or most of it. It sees only ciphertext.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinHandle,
    time,
};

/// How a network treats those who use it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mood {
    Calm,
    /// Cuts now and then, in the middle of a record as well as between two, and takes its time.
    Spiteful,
    /// Cuts what there is and lets nobody in.
    Closed,
    /// Swallows everything. What was open or is opened meanwhile is dead for good, and nobody says so.
    Dark,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    mood: watch::Sender<Mood>,
    harm: Harm,
    connections: Arc<Mutex<Vec<Arc<Connection>>>>,
    task: JoinHandle<()>,
}

/// One that was let in.
struct Connection {
    moved: Mutex<time::Instant>,
    silent: watch::Sender<bool>,
}

/// Connections that were cut, and pauses that were made.
type Harm = Arc<AtomicUsize>;

/// A source of chance that a seed determines.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

// === impl Proxy ===

impl Proxy {
    pub(crate) async fn before(server: u16, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mood = watch::Sender::new(Mood::Calm);
        let moods = mood.subscribe();
        let harm = Harm::default();
        let connections = Arc::<Mutex<Vec<_>>>::default();
        let (done, joined) = (harm.clone(), connections.clone());
        let task = tokio::spawn(async move {
            let mut dice = Dice::new(seed);
            while let Ok((client, _)) = listener.accept().await {
                if *moods.borrow() != Mood::Closed
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await
                {
                    joined
                        .lock()
                        .unwrap()
                        .push(join(client, server, &moods, &mut dice, &done));
                }
            }
        });
        Self {
            port,
            mood,
            harm,
            connections,
            task,
        }
    }

    pub(crate) fn harm(&self) -> usize {
        self.harm.load(Ordering::Relaxed)
    }

    /// How many open connections there are on which nothing has moved for so long.
    pub(crate) fn quiet(&self, length: Duration) -> usize {
        let mut connections = self.connections.lock().unwrap();
        connections.retain(|connection| connection.silent.receiver_count() > 0);
        connections
            .iter()
            .filter(|connection| connection.is_quiet(length))
            .count()
    }

    /// Swallows what these carry from now on. All others go on.
    pub(crate) fn silence(&self, quiet: Duration) {
        let connections = self.connections.lock().unwrap();
        for connection in connections.iter().filter(|connection| connection.is_quiet(quiet)) {
            connection.silent.send_replace(true);
        }
    }

    pub(crate) fn turn(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

// === impl Connection ===

impl Connection {
    fn is_quiet(&self, length: Duration) -> bool {
        self.moved.lock().unwrap().elapsed() >= length
    }
}

fn join(
    client: TcpStream,
    server: TcpStream,
    moods: &watch::Receiver<Mood>,
    dice: &mut Dice,
    harm: &Harm,
) -> Arc<Connection> {
    let connection = Arc::new(Connection {
        moved: Mutex::new(time::Instant::now()),
        silent: watch::Sender::new(false),
    });
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let end = Arc::new(watch::Sender::new(false));
    for (from, to) in [(from_client, to_server), (from_server, to_client)] {
        let (moods, dice, end, harm) = (moods.clone(), dice.fork(), end.clone(), harm.clone());
        // Nobody but these two keeps a receiver, so their number tells whether the connection is open.
        let (connection, silent) = (connection.clone(), connection.silent.subscribe());
        tokio::spawn(async move {
            let mut ended = end.subscribe();
            tokio::select! {
                _ = pump((from, to), moods, silent, dice, &harm, &connection.moved) => drop(end.send_replace(true)),
                _ = ended.changed() => {}
            }
        });
    }
    connection
}

/// Carries one direction until it breaks.
async fn pump(
    (mut from, mut to): (OwnedReadHalf, OwnedWriteHalf),
    mut moods: watch::Receiver<Mood>,
    mut silent: watch::Receiver<bool>,
    mut dice: Dice,
    harm: &Harm,
    moved: &Mutex<time::Instant>,
) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read?,
            _ = silent.changed() => return dead(moods).await,
            changed = moods.changed() => {
                if changed.is_err() || *moods.borrow_and_update() == Mood::Closed {
                    return Ok(());
                }
                if *moods.borrow() == Mood::Dark {
                    return dead(moods).await;
                }
                continue;
            }
        };
        if read == 0 {
            return Ok(());
        }
        *moved.lock().unwrap() = time::Instant::now();
        let mood = *moods.borrow();
        match mood {
            Mood::Calm => {}
            Mood::Closed => return Ok(()),
            Mood::Dark => return dead(moods).await,
            Mood::Spiteful => {
                let spite = dice.roll(100);
                if spite < 20 {
                    harm.fetch_add(1, Ordering::Relaxed);
                }
                match spite {
                    0..4 => return Ok(()),
                    4..8 => {
                        let part = dice.roll(read as u64) as usize;
                        return to.write_all(&buffer[..part]).await;
                    }
                    8..20 => time::sleep_until(time::Instant::now() + Duration::from_millis(dice.roll(250))).await,
                    _ => {}
                }
            }
        }
        to.write_all(&buffer[..read]).await?;
    }
}

/// Holds the sockets open until the proxy goes.
async fn dead(mut moods: watch::Receiver<Mood>) -> io::Result<()> {
    while moods.changed().await.is_ok() {}
    Ok(())
}

// === impl Dice ===

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// SplitMix64, from 0 up to `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides.max(1)
    }

    fn fork(&mut self) -> Self {
        Self::new(self.roll(u64::MAX))
    }
}
