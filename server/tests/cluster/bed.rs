//! A cluster of one's own: etcd and kube-apiserver on loopback, in a directory that goes with it. Several can live side by
//! side. What is put into it is in `load.rs`, what is done to it in the tests.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use std::{
    fs::{self, File},
    io::{self, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::{Instant, interval};

/// May do everything.
pub(crate) const ADMIN: &str = "token-of-the-admin";
/// The user `opsdeck`, who may do what a test gives them.
pub(crate) const OPSDECK: &str = "token-of-opsdeck";

/// Nothing that a bed is waited for takes this long.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

pub(crate) struct Bed {
    pub(crate) ports: Ports,
    binaries: PathBuf,
    etcd: Process,
    api: Process,
    directory: TempDir,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) etcd: u16,
    peer: u16,
    pub(crate) api: u16,
}

/// Ends with its owner.
struct Process(Child);

/// Waits until the condition holds.
pub(crate) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    until_within(LIMIT, what, condition).await;
}

/// Waits so long at most.
pub(crate) async fn until_within(limit: Duration, what: &str, condition: impl AsyncFn() -> bool) {
    let began = Instant::now();
    let mut looks = interval(Duration::from_millis(50));
    while !condition().await {
        assert!(began.elapsed() < limit, "in vain waited for: {what}");
        looks.tick().await;
    }
}

// === impl Bed ===

impl Bed {
    /// A bed that answers; nothing, and a line that says so, where its programs have not been built.
    pub(crate) async fn start() -> Option<Self> {
        let binaries = binaries()?;
        for _ in 0..3 {
            if let Some(bed) = Self::attempt(&binaries).await {
                return Some(bed);
            }
        }
        panic!("no bed stays up on the ports that were free");
    }

    /// Between the search for a free port and its use somebody else may have taken it.
    async fn attempt(binaries: &Path) -> Option<Self> {
        let directory = TempDir::with_prefix("opsdeck-bed-").expect("a directory");
        let ports = Ports::free();
        let path = directory.path();
        let (private, public) = signing_keys();
        let tokens = format!("{ADMIN},admin,admin,system:masters\n{OPSDECK},opsdeck,opsdeck\n");
        for (name, text) in [("sa.key", private), ("sa.pub", public), ("tokens.csv", tokens)] {
            fs::write(path.join(name), text).expect("the directory takes files");
        }
        let etcd = etcd(binaries, path, ports);
        let api = api(binaries, path, ports);
        let mut bed = Self {
            ports,
            binaries: binaries.to_owned(),
            etcd,
            api,
            directory,
        };
        bed.answers().await.then_some(bed)
    }

    /// Waits until the API server is ready; false when one of the two has ended.
    async fn answers(&mut self) -> bool {
        let began = Instant::now();
        let mut looks = interval(Duration::from_millis(100));
        while !self.is_ready().await {
            if self.etcd.has_ended() || self.api.has_ended() {
                return false;
            }
            assert!(began.elapsed() < LIMIT, "the API server is not ready:\n{}", self.log());
            looks.tick().await;
        }
        !self.etcd.has_ended() && !self.api.has_ended()
    }

    async fn is_ready(&self) -> bool {
        // It writes its certificate when it starts.
        if !self.directory.path().join("certs/apiserver.crt").exists() {
            return false;
        }
        let request = http::Request::get("/readyz").body(Vec::new()).expect("a request");
        let answer = self.client(ADMIN).await.request_text(request).await;
        answer.is_ok_and(|text| text == "ok")
    }

    /// As if the machine had lost power.
    pub(crate) fn kill_api(&mut self) {
        self.api.kill();
    }

    /// On the same port and the same data.
    pub(crate) async fn start_api(&mut self) {
        self.api = api(&self.binaries, self.directory.path(), self.ports);
        assert!(self.answers().await, "the API server ended:\n{}", self.log());
    }

    /// The file that leads to this cluster.
    pub(crate) fn kubeconfig(&self, token: &str) -> PathBuf {
        self.kubeconfig_by(token, self.ports.api)
    }

    /// Who vouches for the API server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.directory.path().join("certs/apiserver.crt")
    }

    /// By way of another port.
    pub(crate) fn kubeconfig_by(&self, token: &str, port: u16) -> PathBuf {
        // A token of a service account is longer than a file's name may be.
        let user = if token == ADMIN {
            "admin"
        } else {
            &token[token.len().saturating_sub(16)..]
        };
        let path = self.directory.path().join(format!("kubeconfig-{user}-{port}"));
        let authority = self.authority();
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: bed\n\
             clusters: [{{name: bed, cluster: {{server: 'https://127.0.0.1:{port}', certificate-authority: '{}'}}}}]\n\
             users: [{{name: user, user: {{token: {token}}}}}]\n\
             contexts: [{{name: bed, context: {{cluster: bed, user: user}}}}]\n",
            authority.display()
        );
        fs::write(&path, text).expect("the directory takes files");
        path
    }

    /// Straight to the API server.
    pub(crate) async fn client(&self, token: &str) -> Client {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig(token)).expect("what was just written");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options)
            .await
            .expect("a context");
        Client::try_from(config).expect("a client")
    }

    fn log(&self) -> String {
        let text = fs::read_to_string(self.directory.path().join("api.log")).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Bed {
    /// Without its etcd the API server would take its time.
    fn drop(&mut self) {
        self.api.kill();
        self.etcd.kill();
    }
}

// === impl Ports ===

impl Ports {
    fn free() -> Self {
        let held = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [etcd, peer, api] = held.map(|listener| listener.local_addr().expect("an address").port());
        Self { etcd, peer, api }
    }
}

// === impl Process ===

impl Process {
    fn start(program: &Path, arguments: &[String], log: &Path) -> Self {
        let log = File::options().create(true).append(true).open(log).expect("a log");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log);
        Self(
            command
                .spawn()
                .unwrap_or_else(|error| panic!("{}: {error}", program.display())),
        )
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("a child of ours").is_some()
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where `scripts/tools.sh cluster` leaves them.
fn binaries() -> Option<PathBuf> {
    let module = include_str!("bed/go.mod");
    let version = module.lines().find_map(|line| {
        line.trim()
            .trim_start_matches("require ")
            .strip_prefix("k8s.io/kubernetes ")
    });
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let directory = cache.join(format!("opsdeck/tools/cluster-{}", version.expect("a version")));
    if directory.is_dir() {
        return Some(directory);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "{} is missing (scripts/tools.sh cluster builds it), and CI=true allows no gap",
        directory.display()
    );
    // Straight to the terminal: a test that passes is not heard otherwise.
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(
        io::stderr(),
        "LEFT OUT: {test} needs a real API server; scripts/tools.sh cluster builds it and needs Go 1.24"
    );
    None
}

fn etcd(binaries: &Path, directory: &Path, ports: Ports) -> Process {
    let client = format!("http://127.0.0.1:{}", ports.etcd);
    let arguments = [
        format!("--data-dir={}", directory.join("etcd").display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls=http://127.0.0.1:{}", ports.peer),
        "--unsafe-no-fsync".into(),
    ];
    Process::start(&binaries.join("etcd"), &arguments, &directory.join("etcd.log"))
}

fn api(binaries: &Path, directory: &Path, ports: Ports) -> Process {
    let file = |name: &str| directory.join(name).display().to_string();
    let arguments = [
        format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd),
        "--bind-address=127.0.0.1".into(),
        format!("--secure-port={}", ports.api),
        format!("--cert-dir={}", file("certs")),
        "--service-cluster-ip-range=10.0.0.0/24".into(),
        "--service-account-issuer=https://kubernetes.default.svc".into(),
        format!("--service-account-key-file={}", file("sa.pub")),
        format!("--service-account-signing-key-file={}", file("sa.key")),
        format!("--token-auth-file={}", file("tokens.csv")),
        "--authorization-mode=RBAC".into(),
        "--disable-admission-plugins=ServiceAccount".into(),
        // As clusters have it: what a namespace forbids is then forbidden by its own policy.
        "--allow-privileged=true".into(),
    ];
    Process::start(&binaries.join("kube-apiserver"), &arguments, &directory.join("api.log"))
}

/// Signs the tokens of service accounts, and proves them.
fn signing_keys() -> (String, String) {
    /// X.509 wants to be told that a point on P-256 follows.
    const POINT: &[u8] =
        b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";
    let (random, curve) = (SystemRandom::new(), &ECDSA_P256_SHA256_ASN1_SIGNING);
    let private = EcdsaKeyPair::generate_pkcs8(curve, &random).expect("a key");
    let pair = EcdsaKeyPair::from_pkcs8(curve, private.as_ref(), &random).expect("what was just made");
    let public = [POINT, pair.public_key().as_ref()].concat();
    let pem = |name: &str, bytes: &[u8]| {
        format!(
            "-----BEGIN {name}-----\n{}\n-----END {name}-----\n",
            STANDARD.encode(bytes)
        )
    };
    (pem("PRIVATE KEY", private.as_ref()), pem("PUBLIC KEY", &public))
}
