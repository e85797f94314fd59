//! The real server over a bed, and words to ask it with.

use crate::bed::until;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

const KEY: &str = "key-of-an-admin";

pub(crate) struct Served {
    process: Child,
    port: u16,
    directory: TempDir,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Value,
}

// === impl Served ===

impl Served {
    /// Serves what this kubeconfig leads to; the listener is open, readiness is another matter.
    pub(crate) async fn start(kubeconfig: &Path) -> Self {
        let directory = TempDir::new().unwrap();
        let keys = directory.path().join("keys.yaml");
        fs::write(&keys, format!("- {{key: {KEY}, role: admin, name: sre-mira}}\n")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(env!("CARGO_BIN_EXE_opsdeck"))
            .args([
                "serve",
                "--source",
                "kubernetes",
                "--listen",
                &format!("127.0.0.1:{port}"),
            ])
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg("--api-keys-file")
            .arg(&keys)
            .stdout(Stdio::null())
            .stderr(File::create(directory.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let served = Self {
            process,
            port,
            directory,
        };
        until("the server listens", async || served.ask("/livez").is_some()).await;
        served
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.ask(target).unwrap_or_else(|| panic!("no answer to {target}"))
    }

    pub(crate) async fn until(&self, what: &str, target: &str, holds: impl Fn(&Answer) -> bool) {
        until(what, async || holds(&self.get(target))).await;
    }

    fn ask(&self, target: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\nConnection: close\r\n\r\n"
        )
        .ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        Some(Answer {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head: head.to_ascii_lowercase(),
            body: serde_json::from_str(body).unwrap_or_default(),
        })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.directory.path().join("log"));
            eprintln!("the server's log:\n{}", log.unwrap_or_default());
        }
    }
}

// === impl Answer ===

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::trim)
    }

    pub(crate) fn reason(&self) -> &str {
        self.body["reason"].as_str().unwrap_or_default()
    }
}

impl Served {
    /// Asks for something to be done.
    pub(crate) fn send(&self, method: &str, target: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: serde_json::from_str(body).unwrap_or_default(),
        }
    }
}
