//! What answers cost beside an axum handler that sends the same bytes from memory, how long a change takes to the readers of the event
//! stream, and what idle readers hold. Client and server share the machine. Prints figures and ratios; judges nothing.
//!
//! `cargo bench -p opsdeck --bench answers`

mod served;

use axum::{Router, routing::get};
use bytes::Bytes;
use http::header;
use jiff::Timestamp;
use opsdeck::{
    catalog::Catalog,
    resources::{Kind, Object},
    source::sample,
};
use serde_json::Value;
use served::{KEYS, listen, resident_kib, serve};
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::mpsc,
    time::timeout,
};

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const CONNECTIONS: usize = 4;
/// Each figure is the best of so many turns, between which the others have theirs.
const TURNS: usize = 3;
const TURN: Duration = Duration::from_secs(2);
const READERS: usize = 100;
const CHANGES: u64 = 50;
const IDLE: usize = 1000;

#[tokio::main]
async fn main() {
    for size in SIZES {
        let (address, _) = serve(incidents(size)).await;
        answers(size, address).await;
    }
    let objects = incidents(10_000);
    let changing = objects.first().cloned().expect("an incident");
    let (address, catalog) = serve(objects).await;
    latency(address, &catalog, changing).await;
    idle(address).await;
}

fn incidents(count: u32) -> Vec<Value> {
    sample::generated(count, 1, Timestamp::now())
        .filter(|object| object["kind"] == "Issue")
        .collect()
}

async fn answers(size: u32, address: SocketAddr) {
    let list = "/api/v1/incidents?pageSize=50";
    let (head, body) = exchange(address, list, "").await;
    let tag = head
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .expect("a tag")
        .to_owned();
    let body = Bytes::from(body);
    let fixed = Router::new().route(
        "/fixed",
        get(move || {
            let body = body.clone();
            async move { ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], body) }
        }),
    );
    let fixed = listen(fixed).await;
    let unchanged = format!("If-None-Match: {tag}\r\n");
    let asked = [
        ("fixed bytes", fixed, "/fixed", ""),
        ("first page", address, list, ""),
        ("one filter", address, "/api/v1/incidents?pageSize=50&severity=high", ""),
        (
            "two filters",
            address,
            "/api/v1/incidents?pageSize=50&severity=high&state=Analyzing",
            "",
        ),
        ("not modified", address, list, unchanged.as_str()),
    ];
    let mut best = [0.0_f64; 5];
    for _ in 0..TURNS {
        for ((_, address, target, headers), best) in asked.iter().zip(&mut best) {
            *best = best.max(throughput(*address, target, headers).await);
        }
    }
    for ((name, ..), figure) in asked.iter().zip(best) {
        println!(
            "{size:>7} incidents, {name:<12} {figure:>8.0}/s {:>5.0} % of the fixed bytes",
            100.0 * figure / best[0]
        );
    }
}

/// Requests a second, one after the other on each of some connections.
async fn throughput(address: SocketAddr, target: &str, headers: &str) -> f64 {
    let end = Instant::now() + TURN;
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let request = request(KEYS[0], target, headers);
            tokio::spawn(async move {
                let mut stream =
                    BufReader::with_capacity(1 << 17, TcpStream::connect(address).await.expect("a connection"));
                let mut count = 0_u32;
                while Instant::now() < end {
                    stream.get_mut().write_all(request.as_bytes()).await.expect("a request");
                    answer(&mut stream).await;
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut total = 0.0;
    for client in clients {
        total += f64::from(client.await.expect("a client"));
    }
    total / TURN.as_secs_f64()
}

fn request(key: &str, target: &str, headers: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n{headers}\r\n")
}

async fn exchange(address: SocketAddr, target: &str, headers: &str) -> (String, Vec<u8>) {
    let mut stream = BufReader::new(TcpStream::connect(address).await.expect("a connection"));
    stream
        .get_mut()
        .write_all(request(KEYS[0], target, headers).as_bytes())
        .await
        .expect("a request");
    answer(&mut stream).await
}

async fn answer(stream: &mut BufReader<TcpStream>) -> (String, Vec<u8>) {
    let head = head(stream).await;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a length"))];
    stream.read_exact(&mut body).await.expect("a body");
    (head, body)
}

async fn head(stream: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while stream.read_line(&mut head).await.expect("a head") > 2 {}
    head
}

/// One row changes again and again; every reader says when it has the event.
async fn latency(address: SocketAddr, catalog: &Catalog, mut changing: Value) {
    let (told, mut heard) = mpsc::unbounded_channel();
    for _ in 0..READERS {
        let (mut stream, told) = (reader(address, KEYS[0]).await, told.clone());
        tokio::spawn(async move {
            let mut line = String::new();
            while stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
                if line.starts_with("event: change") && told.send(Instant::now()).is_err() {
                    return;
                }
                line.clear();
            }
        });
    }
    let mut took = Vec::new();
    for change in 0..CHANGES {
        changing["metadata"]["resourceVersion"] = (1_000_000 + change).to_string().into();
        changing["spec"]["riskScore"] = (change % 100).into();
        let object = Object::parse(Kind::Issue, changing.clone()).expect("an incident");
        let began = Instant::now();
        catalog.apply(vec![object], Timestamp::now());
        for _ in 0..READERS {
            let at = timeout(Duration::from_secs(10), heard.recv())
                .await
                .expect("an event")
                .expect("a reader");
            took.push(at - began);
        }
    }
    took.sort_unstable();
    println!(
        "change to event with {READERS} readers: median {:?}, p99 {:?}",
        took[took.len() / 2],
        took[took.len() * 99 / 100]
    );
}

async fn idle(address: SocketAddr) {
    let before = resident_kib();
    let mut readers = Vec::new();
    // One key may not hold them all, and the first holds those that are not idle.
    for key in KEYS[1..].iter().cycle().take(IDLE - READERS) {
        readers.push(reader(address, key).await);
    }
    println!(
        "{} more idle readers hold {} KiB, both ends",
        readers.len(),
        resident_kib().saturating_sub(before)
    );
}

async fn reader(address: SocketAddr, key: &str) -> BufReader<TcpStream> {
    let mut stream = BufReader::with_capacity(4096, TcpStream::connect(address).await.expect("a connection"));
    let request = request(key, "/api/v1/events?kinds=Issue", "");
    stream.get_mut().write_all(request.as_bytes()).await.expect("a request");
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    stream
}
