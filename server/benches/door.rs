//! What strangers can cost: memory under ten million hosts, and the time of a healthy client beside three hundred bad ones.
//! Prints figures and ratios; judges nothing.

use axum::Router;
use opsdeck::{
    access::{
        caller::Door,
        keys::KeySet,
        limits::{Limits, PerMinute, Spender},
    },
    catalog::Catalog,
    console::{About, Console},
    listen::{Listener, Manners},
    run,
    source::{embedded::Embedded, sample},
    telemetry::metrics::{Connections, Metrics},
};
use std::{
    future::pending,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

const HOSTS: u32 = 10_000_000;
const REQUESTS: usize = 5_000;
const HALF_OPEN: usize = 200;
const DRIPPING: usize = 100;

fn main() {
    ten_million_hosts();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(bad_company());
}

fn ten_million_hosts() {
    let limits = Limits::default();
    let (before, start) = (resident_kib(), Instant::now());
    for number in 0..HOSTS {
        let network = u128::from(number) << 64 | 0x2001_0db8 << 96;
        let _ = limits.spend(Spender::Host(IpAddr::V6(Ipv6Addr::from_bits(network))));
    }
    let took = start.elapsed();
    println!(
        "{HOSTS} distinct hosts: {} KiB more resident, {:.0} ns a request",
        resident_kib().saturating_sub(before),
        took.as_nanos() as f64 / f64::from(HOSTS)
    );
}

/// From `/proc`; 0 where there is none.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

async fn bad_company() {
    let address = serve().await;
    let alone = p99(address).await;
    let _half_open = connections(address, HALF_OPEN).await;
    let mut slow = Vec::new();
    for mut stream in connections(address, DRIPPING).await {
        slow.push(tokio::spawn(async move {
            let mut pace = tokio::time::interval(Duration::from_secs(1));
            for byte in b"GET /api/v1/incidents HTTP/1.1\r\nX-Slow: "
                .iter()
                .chain([b'a'; 600].iter())
            {
                if stream.write_all(&[*byte]).await.is_err() {
                    return;
                }
                pace.tick().await;
            }
        }));
    }
    let beside = p99(address).await;
    println!(
        "p99 of {REQUESTS} lists on one connection: {alone:?} alone, {beside:?} beside {HALF_OPEN} half-open and {DRIPPING} \
         byte-per-second clients: {:.2}×",
        beside.as_secs_f64() / alone.as_secs_f64()
    );
    slow.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn connections(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(TcpStream::connect(address).await.expect("a connection"));
    }
    streams
}

async fn p99(address: SocketAddr) -> Duration {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let mut took = Vec::with_capacity(REQUESTS);
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..REQUESTS {
        let start = Instant::now();
        let request = b"GET /api/v1/incidents HTTP/1.1\r\nHost: localhost\r\nX-API-Key: k\r\n\r\n";
        stream.write_all(request).await.expect("a request");
        let mut filled = 0;
        while !ends(&buffer[..filled]) {
            filled += stream.read(&mut buffer[filled..]).await.expect("an answer");
        }
        took.push(start.elapsed());
    }
    took.sort_unstable();
    took[REQUESTS * 99 / 100]
}

/// Every answer of the API is one line of JSON.
fn ends(answer: &[u8]) -> bool {
    answer.ends_with(b"}\n")
}

async fn serve() -> SocketAddr {
    let catalog = Arc::new(Catalog::new(1));
    let source = Embedded::in_memory(catalog.clone()).expect("a store in memory");
    let objects = sample::objects(jiff::Timestamp::now());
    source.load(objects).await.expect("objects that are valid");
    let plenty = PerMinute(NonZeroU32::MAX);
    let keys = KeySet::parse("- {key: k, role: viewer}", None).expect("a list of keys");
    let door = Door {
        limits: Limits::new(plenty, plenty),
        ..Door::over(keys)
    };
    let about = About {
        source: "embedded",
        context: None,
    };
    let console = Arc::new(Console::new(catalog, Arc::new(source), door, Metrics::default(), about));
    let router: Router = run::router(console);
    let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = socket.local_addr().expect("an address");
    let listener = Listener {
        socket,
        tls: None,
        manners: Manners::default(),
        connections: Connections::default(),
    };
    tokio::spawn(listener.serve(router, pending()));
    address
}
