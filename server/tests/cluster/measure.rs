//! `make measure`: how much a server holds and how soon it is ready, by how many objects the cluster has.

use crate::{
    bed::{ADMIN, Bed, until},
    load::put,
};
use futures_util::{StreamExt as _, stream};
use opsdeck::{
    resources::Kind,
    source::{Address, sample},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Writes to the API server at a time.
const TOGETHER: usize = 16;
/// Enough for every size: each is two objects at least.
const INCIDENTS: u32 = 100_000;

/// A server that goes with its owner.
struct Measured(Child);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "make measure runs it: it measures and asserts nothing"]
async fn measure_over_a_cluster() {
    let Some(bed) = Bed::start().await else { return };
    bed.define(|_| true).await;
    let client = bed.client(ADMIN).await;
    let mut known = BTreeSet::from(["default".to_owned()]);
    let mut stored = 0;
    for size in sizes() {
        let part = objects(size).split_off(stored);
        for object in &part {
            let namespace = address(object).namespace;
            if known.insert(namespace.clone()) {
                bed.namespace(&namespace).await;
            }
        }
        stored = size;
        stream::iter(part)
            .for_each_concurrent(TOGETHER, async |object| put(&client, &address(&object), object).await)
            .await;
        let kubeconfig = bed.kubeconfig(ADMIN);
        report(size, "cluster", &["--kubeconfig".as_ref(), kubeconfig.as_os_str()]).await;
    }
}

#[tokio::test]
#[ignore = "make measure runs it: it measures and asserts nothing"]
async fn measure_over_the_embedded_store() {
    for size in sizes() {
        let directory = TempDir::new().unwrap();
        let dump = directory.path().join("dump.json");
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects(size)});
        fs::write(&dump, list.to_string()).unwrap();
        let mut import = Command::new(binary());
        import.arg("import").arg("--data-dir").arg(directory.path());
        let imported = import.arg("--file").arg(&dump).output().unwrap();
        assert!(imported.status.success(), "{imported:?}");
        let place = ["--source", "embedded", "--no-settler", "--data-dir"].map(OsStr::new);
        report(
            size,
            "embedded store",
            &[&place[..], &[directory.path().as_os_str()]].concat(),
        )
        .await;
    }
}

/// How many objects there are, in the order of measuring.
fn sizes() -> Vec<usize> {
    let sizes = std::env::var("OPSDECK_OBJECTS").unwrap_or_else(|_| "1000 10000 100000".into());
    sizes
        .split_whitespace()
        .map(|size| size.parse().expect("a number"))
        .collect()
}

fn binary() -> PathBuf {
    std::env::var_os("OPSDECK_BIN").map_or_else(|| env!("CARGO_BIN_EXE_opsdeck").into(), PathBuf::from)
}

/// The first of the same long row.
fn objects(count: usize) -> Vec<Value> {
    let now = "2026-09-23T12:00:00Z".parse().unwrap();
    sample::generated(INCIDENTS, 1, now).take(count).collect()
}

async fn report(size: usize, source: &str, place: &[&OsStr]) {
    let bytes: usize = objects(size).iter().map(|object| object.to_string().len()).sum();
    let (ready, kilobytes) = start(place).await;
    println!(
        "{source}, {size} objects of {} bytes: ready after {} ms, {} MB resident",
        bytes / size,
        ready.as_millis(),
        kilobytes / 1024
    );
}

fn address(object: &Value) -> Address {
    let part = |value: &Value| value.as_str().unwrap().to_owned();
    Address {
        kind: Kind::from_api(&part(&object["apiVersion"]), &part(&object["kind"])).unwrap(),
        namespace: part(&object["metadata"]["namespace"]),
        name: part(&object["metadata"]["name"]),
    }
}

/// From the start of the process to readiness, and the most that it held until then.
async fn start(place: &[&OsStr]) -> (Duration, u64) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let began = Instant::now();
    let process = Command::new(binary())
        .args(["serve", "--metrics-listen", "127.0.0.1:0", "--listen"])
        .arg(format!("127.0.0.1:{port}"))
        .args(place)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let measured = Measured(process);
    until("the server is ready", async || is_ready(port).unwrap_or(false)).await;
    (began.elapsed(), measured.kilobytes("VmHWM:"))
}

fn is_ready(port: u16) -> Option<bool> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(
        stream,
        "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text.starts_with("HTTP/1.1 200"))
}

// === impl Measured ===

impl Measured {
    fn kilobytes(&self, member: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(member)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
