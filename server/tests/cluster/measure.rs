//! `make measure`: how much a server holds and how soon it is ready, by how many objects the cluster has.

use crate::{
    bed::{ADMIN, Bed, until},
    load::put,
};
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use opsdeck::{resources::Kind, source::Address, source::sample};
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Writes to the API server at a time.
const TOGETHER: usize = 16;

/// A server that goes with its owner.
struct Measured(Child);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "make measure runs it: it measures and asserts nothing"]
async fn measure() {
    let Some(bed) = Bed::start().await else { return };
    let binary = std::env::var_os("OPSDECK_BIN").map_or_else(|| env!("CARGO_BIN_EXE_opsdeck").into(), PathBuf::from);
    let sizes = std::env::var("OPSDECK_OBJECTS").unwrap_or_else(|_| "1000 10000 100000".into());
    bed.define(|_| true).await;
    let directory = TempDir::new().unwrap();
    let keys = directory.path().join("keys.yaml");
    fs::write(&keys, "- {key: measure, role: viewer}\n").unwrap();
    let client = bed.client(ADMIN).await;
    let sizes: Vec<usize> = sizes
        .split_whitespace()
        .map(|size| size.parse().expect("a number"))
        .collect();
    // Each incident is two objects at least.
    let most = u32::try_from(sizes.iter().max().copied().unwrap_or_default() / 2).unwrap();
    let mut objects = sample::generated(most, 1, Timestamp::now());
    println!("{}", binary.display());
    let (mut stored, mut bytes) = (0, 0);
    let mut known = std::collections::BTreeSet::from(["default".to_owned()]);
    for size in sizes {
        let part: Vec<Value> = objects.by_ref().take(size - stored).collect();
        for object in &part {
            bytes += object.to_string().len();
            let namespace = object["metadata"]["namespace"].as_str().unwrap();
            if known.insert(namespace.to_owned()) {
                bed.namespace(namespace).await;
            }
        }
        stored += part.len();
        let began = Instant::now();
        stream::iter(part)
            .for_each_concurrent(TOGETHER, async |object| put(&client, &address(&object), object).await)
            .await;
        let loading = began.elapsed();
        let (ready, settled, highest) = start(&binary, &bed.kubeconfig(ADMIN), &keys, directory.path()).await;
        println!(
            "{stored} objects of {} bytes: ready after {} ms, {} MB resident then, {} MB at most (stored in {} s)",
            bytes / stored,
            ready.as_millis(),
            settled / 1024,
            highest / 1024,
            loading.as_secs()
        );
    }
}

fn address(object: &Value) -> Address {
    let part = |value: &Value| value.as_str().unwrap().to_owned();
    Address {
        kind: Kind::from_api(&part(&object["apiVersion"]), &part(&object["kind"])).unwrap(),
        namespace: part(&object["metadata"]["namespace"]),
        name: part(&object["metadata"]["name"]),
    }
}

/// From the start of the process to readiness; then what it holds and the most that it held, in KB.
async fn start(binary: &Path, kubeconfig: &Path, keys: &Path, directory: &Path) -> (Duration, u64, u64) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let began = Instant::now();
    let process = Command::new(binary)
        .args(["serve", "--metrics-listen", "127.0.0.1:0", "--listen"])
        .arg(format!("127.0.0.1:{port}"))
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .arg("--api-keys-file")
        .arg(keys)
        .stdout(Stdio::null())
        .stderr(File::create(directory.join("log")).unwrap())
        .spawn()
        .unwrap();
    let measured = Measured(process);
    until("the server is ready", async || is_ready(port).unwrap_or(false)).await;
    let ready = began.elapsed();
    (ready, measured.kilobytes("VmRSS:"), measured.kilobytes("VmHWM:"))
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
