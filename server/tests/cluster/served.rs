//! The real server over a bed, and words to ask it with.

use crate::bed::until;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

const OPSDECK: &str = env!("CARGO_BIN_EXE_opsdeck");

/// Keys of the server; its name is each key's too.
pub(crate) const MIRA: &str = "sre-mira";
pub(crate) const TOMASZ: &str = "sre-tomasz";
pub(crate) const INES: &str = "sre-ines";
const KEYS: &str = "
- {key: sre-mira, role: admin, name: sre-mira}
- {key: sre-tomasz, role: operator, name: sre-tomasz}
- {key: sre-ines, role: operator, name: sre-ines}
";

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
        let mut command = Command::new(OPSDECK);
        command.args(["serve", "--kubeconfig"]).arg(kubeconfig);
        Self::run(command).await
    }

    /// Serves as in a pod that has this service account mounted, in front of the API server on that port. Nothing where this
    /// machine lets nobody have mounts of their own.
    pub(crate) async fn start_in_a_pod(account: &Path, port: u16) -> Option<Self> {
        const MOUNT: &str = "mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount && \
                             mount --bind \"$1\" /run/secrets/kubernetes.io/serviceaccount";
        let inside = |script: &str| {
            let mut command = Command::new("unshare");
            command.args(["--mount", "sh", "-c", script, "sh"]).arg(account);
            command
        };
        let possible = inside(MOUNT).output().is_ok_and(|output| output.status.success());
        if !possible {
            assert_ne!(
                std::env::var("CI").as_deref(),
                Ok("true"),
                "a pod needs unshare --mount, and CI=true allows no gap"
            );
            let _ = writeln!(
                io::stderr(),
                "LEFT OUT: a pod needs unshare --mount, which is not allowed here"
            );
            return None;
        }
        let mut command = inside(&format!("{MOUNT} && shift && exec \"$@\""));
        command
            .args([OPSDECK, "serve"])
            .env("KUBERNETES_SERVICE_HOST", "127.0.0.1")
            .env("KUBERNETES_SERVICE_PORT", port.to_string())
            .env_remove("KUBECONFIG");
        Some(Self::run(command).await)
    }

    async fn run(mut command: Command) -> Self {
        let directory = TempDir::new().unwrap();
        let keys = directory.path().join("keys.yaml");
        fs::write(&keys, KEYS).unwrap();
        let [port, metrics] = [(); 2]
            .map(|()| TcpListener::bind("127.0.0.1:0").unwrap())
            .map(|listener| listener.local_addr().unwrap().port());
        let process = command
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .args(["--metrics-listen", &format!("127.0.0.1:{metrics}")])
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
        until("the server listens", async || {
            served.ask(MIRA, "GET", "/livez", "").is_some()
        })
        .await;
        served
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.send(MIRA, "GET", target, "")
    }

    pub(crate) fn post(&self, key: &str, target: &str, body: &str) -> Answer {
        self.send(key, "POST", target, body)
    }

    pub(crate) fn send(&self, key: &str, method: &str, target: &str, body: &str) -> Answer {
        self.ask(key, method, target, body)
            .unwrap_or_else(|| panic!("no answer to {method} {target}"))
    }

    pub(crate) async fn until(&self, what: &str, target: &str, holds: impl Fn(&Answer) -> bool) {
        until(what, async || holds(&self.get(target))).await;
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    fn ask(&self, key: &str, method: &str, target: &str, body: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let length = body.len();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .ok()?;
        Answer::read(BufReader::new(stream))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("the server's log:\n{}", self.log());
        }
    }
}

// === impl Answer ===

impl Answer {
    /// Of a stream of events, which has no end, the head alone.
    fn read(mut from: impl BufRead) -> Option<Self> {
        let mut head = String::new();
        while from.read_line(&mut head).ok()? > 2 {}
        let mut answer = Self {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head: head.to_ascii_lowercase(),
            body: Value::Null,
        };
        if answer.header("content-type") != Some("text/event-stream") {
            let mut body = String::new();
            from.read_to_string(&mut body).ok()?;
            answer.body = serde_json::from_str(&body).unwrap_or_default();
        }
        Some(answer)
    }

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
