//! How the process ends: not ready first, then no new connection, then no process.

use crate::console::{KEYS, TestConsole, VIEWER};
use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Beyond, what was waited for does not come.
const DEADLINE: Duration = Duration::from_secs(30);

struct Process {
    child: Child,
    port: u16,
    _directory: TempDir,
}

impl Process {
    fn serve(drain_delay: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let keys = directory.path().join("keys.yaml");
        std::fs::write(&keys, KEYS).expect("a file");
        let [port, metrics] = [(); 2]
            .map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"))
            .map(|listener| listener.local_addr().expect("an address").port());
        let child = Command::new(env!("CARGO_BIN_EXE_opsdeck"))
            .args(["serve", "--source", "embedded", "--drain-delay", drain_delay])
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .args(["--metrics-listen", &format!("127.0.0.1:{metrics}")])
            .arg("--api-keys-file")
            .arg(&keys)
            .arg("--data-dir")
            .arg(directory.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let process = Self {
            child,
            port,
            _directory: directory,
        };
        wait("it serves", || process.status("/readyz") == Some(200));
        process
    }

    /// Nothing where nobody answers.
    fn status(&self, target: &str) -> Option<u16> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {VIEWER}\r\nConnection: close\r\n\r\n"
        )
        .ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        text.split(' ').nth(1)?.parse().ok()
    }

    fn terminate(&self) {
        let kill = format!("kill -TERM {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .expect("a shell")
                .success()
        );
    }

    fn exit_code(&mut self) -> Option<i32> {
        let mut code = None;
        wait("it ends", || {
            code = self
                .child
                .try_wait()
                .expect("a child of ours")
                .map(|status| status.code());
            code.is_some()
        });
        code.flatten()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < DEADLINE, "in vain waited for: {what}");
        thread::yield_now();
    }
}

#[test]
fn after_sigterm_it_serves_on_for_the_delay_and_is_not_ready() {
    let mut process = Process::serve("1h");
    process.terminate();
    wait("it is not ready", || process.status("/readyz") == Some(503));
    assert_eq!(process.status("/livez"), Some(200), "nobody is to restart it");
    assert_eq!(process.status("/api/v1/incidents"), Some(200));
    process.terminate();
    assert_eq!(process.exit_code(), Some(1), "who asks twice does not wait");
}

#[test]
fn after_the_delay_it_ends_of_itself() {
    let mut process = Process::serve("100ms");
    process.terminate();
    assert_eq!(process.exit_code(), Some(0));
    assert_eq!(process.status("/readyz"), None);
}

#[tokio::test]
async fn the_end_is_announced_by_readiness_alone() {
    let console = TestConsole::over_the_sample().await;
    console.console.drain.announced.cancel();
    let unready = console.get("/readyz").answer().await;
    assert_eq!(unready.status, 503);
    assert_eq!(unready.json()["status"], "not ready: the server is stopping");
    assert_eq!(console.get("/livez").answer().await.status, 200);
    assert_eq!(console.get("/api/v1/incidents").key(VIEWER).answer().await.status, 200);
}
