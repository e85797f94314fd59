//! The listener over real sockets and real handshakes: TLS 1.3 alone, a certificate that changes under way, clients without manners.

use crate::console::{KEYS, TestConsole, VIEWER, door};
use axum::{Router, body::Body};
use bytes::Bytes;
use futures_util::stream;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use opsdeck::{
    access::{caller::Door, keys::KeySet},
    listen::{
        Listener, Manners,
        tls::{Certificate, Files},
    },
    payload,
    telemetry::metrics::{Connections, Metrics},
};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
    version::{TLS12, TLS13},
};
use serde_json::Value;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Beyond, what was waited for does not come.
const DEADLINE: Duration = Duration::from_secs(20);

/// Certificate and key on disk, as a mounted Secret has them.
struct Mounted {
    directory: TempDir,
    certificate: CertificateDer<'static>,
}

// === impl Mounted ===

impl Mounted {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let certificate = renew(&directory);
        Self { directory, certificate }
    }

    fn renew(&mut self) {
        self.certificate = renew(&self.directory);
    }

    fn files(&self) -> Files {
        Files {
            cert: self.directory.path().join("tls.crt"),
            key: self.directory.path().join("tls.key"),
        }
    }

    async fn handshake(
        &self,
        address: SocketAddr,
        versions: &[&'static SupportedProtocolVersion],
    ) -> io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).expect("a certificate");
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .expect("what a test needs")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }
}

fn renew(directory: &TempDir) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(directory.path().join("tls.crt"), cert.pem()).expect("a file");
    std::fs::write(directory.path().join("tls.key"), signing_key.serialize_pem()).expect("a file");
    cert.der().clone()
}

/// A console on a port of its own.
struct Served {
    address: SocketAddr,
    connections: Connections,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

impl Served {
    async fn plain(manners: Manners) -> Self {
        Self::start(None, manners).await
    }

    async fn start(certificate: Option<&Arc<Certificate>>, manners: Manners) -> Self {
        let console = TestConsole::guarded(door(KEYS, "")).await;
        Self::router(console.router, certificate, manners).await
    }

    async fn router(router: Router, certificate: Option<&Arc<Certificate>>, manners: Manners) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = socket.local_addr().expect("an address");
        let connections = Connections::default();
        let listener = Listener {
            socket,
            tls: certificate.map(|certificate| certificate.server_config().expect("a usable certificate")),
            manners,
            connections: connections.clone(),
        };
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(async move {
            listener
                .serve(router, async {
                    let _ = stopped.await;
                })
                .await;
        });
        Self {
            address,
            connections,
            stop,
            ended,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }
}

/// One exchange on a connection that stays open.
async fn get(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request that is taken");
    answer(stream).await
}

/// Reads an answer to the end that its Content-Length gives.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let read = async {
        let mut text = String::new();
        let mut buffer = [0; 4096];
        loop {
            let count = stream.read(&mut buffer).await.expect("an answer");
            assert!(count > 0, "the connection ended after {text:?}");
            text.push_str(std::str::from_utf8(&buffer[..count]).expect("text"));
            let length = text
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if let (Some((_, body)), Some(length)) = (text.split_once("\r\n\r\n"), length)
                && body.len() >= length
            {
                return text;
            }
        }
    };
    timeout(DEADLINE, read).await.expect("an answer")
}

/// Waits until the server hangs up.
async fn hung_up(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    // A reset is as good as an end.
    timeout(DEADLINE, stream.read_to_end(&mut rest)).await.is_ok()
}

fn hasty() -> Manners {
    Manners {
        greeting: Duration::from_millis(50),
        ..Manners::default()
    }
}

#[tokio::test]
async fn tls_1_3_is_spoken_and_1_2_is_refused() {
    let mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let served = Served::start(Some(&certificate), Manners::default()).await;
    let stream = mounted.handshake(served.address, &[&TLS13]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
    let refused = mounted.handshake(served.address, &[&TLS12]).await.unwrap_err();
    assert!(refused.to_string().contains("ProtocolVersion"), "{refused}");
}

#[tokio::test]
async fn pages_and_forms_work_over_http_2_under_a_base_path() {
    let mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let keys = KeySet::parse(KEYS, None).unwrap();
    let door = Door {
        tls: true,
        ..Door::over(keys)
    };
    let console = TestConsole::behind_door(door, "/ops").await;
    let served = Served::router(console.router, Some(&certificate), Manners::default()).await;
    let stream = mounted.handshake(served.address, &[&TLS13]).await.unwrap();
    let (mut client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);

    let page = Request::get("https://localhost/ops/incidents").header("x-api-key", VIEWER);
    let page = client.send_request(page.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);

    for (origin, status) in [
        ("https://localhost", StatusCode::SEE_OTHER),
        ("https://evil.example", StatusCode::FORBIDDEN),
    ] {
        let form = Request::post("https://localhost/ops/session")
            .header("origin", origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(format!("key={VIEWER}&next=/ops/incidents")))
            .unwrap();
        assert_eq!(client.send_request(form).await.unwrap().status(), status, "{origin}");
    }
}

#[tokio::test]
async fn a_renewed_certificate_serves_new_connections_and_leaves_the_old_ones_alone() {
    let mut mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let served = Served::start(Some(&certificate), Manners::default()).await;
    tokio::spawn(certificate.clone().follow(Metrics::default()));
    let mut old = http1(&mounted, served.address).await.unwrap();
    assert!(get(&mut old, "/healthz").await.starts_with("HTTP/1.1 200"));

    mounted.renew();
    let renewed = async {
        loop {
            match http1(&mounted, served.address).await {
                Ok(stream) => return stream,
                // The old certificate is still in force, which this client does not trust.
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    let mut new = timeout(DEADLINE, renewed).await.expect("the new certificate in force");
    assert!(get(&mut new, "/healthz").await.starts_with("HTTP/1.1 200"));
    assert!(get(&mut old, "/healthz").await.starts_with("HTTP/1.1 200"));
}

async fn http1(mounted: &Mounted, address: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(mounted.certificate.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .expect("what a test needs")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    TlsConnector::from(Arc::new(config))
        .connect(name, TcpStream::connect(address).await?)
        .await
}

#[tokio::test]
async fn the_end_of_the_certificate_is_a_figure() {
    let mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let metrics = Metrics::default();
    let end = certificate.end().unwrap().as_second();
    tokio::spawn(certificate.follow(metrics.clone()));
    let reported = async {
        while metrics.certificate_end.get() == 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(DEADLINE, reported).await.expect("a figure");
    assert_eq!(metrics.certificate_end.get(), end);
}

#[test]
fn files_that_cannot_serve_are_named_with_the_reason() {
    let mounted = Mounted::new();
    let said = |files| Certificate::load(files).unwrap_err().to_string();
    let other = KeyPair::generate().unwrap().serialize_pem();
    let key = |content: &str| {
        std::fs::write(mounted.files().key, content).unwrap();
        said(mounted.files())
    };
    assert!(key(&other).contains("is not the private key of the certificate in"));
    assert!(key("nothing").contains("holds no private key in PEM form"));
    std::fs::remove_file(mounted.files().key).unwrap();
    assert!(said(mounted.files()).contains("tls.key cannot be read"));
    let swapped = Files {
        cert: mounted.files().cert,
        key: mounted.files().cert,
    };
    assert!(said(swapped).contains("holds no private key in PEM form"));
}

#[tokio::test]
async fn a_client_that_says_nothing_or_half_a_request_is_cut() {
    let served = Served::plain(hasty()).await;
    let mut silent = served.connect().await;
    let mut halting = served.connect().await;
    halting.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").await.unwrap();
    assert!(hung_up(&mut silent).await);
    assert!(hung_up(&mut halting).await);
}

#[tokio::test]
async fn a_client_that_does_not_shake_hands_is_cut() {
    let mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let served = Served::start(Some(&certificate), hasty()).await;
    let mut silent = served.connect().await;
    assert!(hung_up(&mut silent).await);
}

#[tokio::test]
async fn a_connection_that_has_asked_stays_until_nothing_moves() {
    let served = Served::plain(Manners {
        greeting: Duration::from_millis(200),
        idle: Duration::from_millis(400),
        ..Manners::default()
    })
    .await;
    let mut stream = served.connect().await;
    assert!(get(&mut stream, "/healthz").await.starts_with("HTTP/1.1 200"));
    assert!(hung_up(&mut stream).await);
}

#[tokio::test]
async fn beyond_the_room_a_connection_is_closed_at_once() {
    let served = Served::plain(Manners {
        connections: 1,
        ..Manners::default()
    })
    .await;
    let mut first = served.connect().await;
    assert!(get(&mut first, "/healthz").await.starts_with("HTTP/1.1 200"));
    assert!(hung_up(&mut served.connect().await).await);
    assert_eq!(
        (served.connections.open.get(), served.connections.refused.get()),
        (1, 1)
    );
    assert!(get(&mut first, "/healthz").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn too_much_is_refused_before_it_is_sent_and_while_it_is() {
    let served = Served::plain(Manners::default()).await;
    let mut stream = served.connect().await;
    let head = format!("POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {VIEWER}\r\n");
    let announced = format!("{head}Content-Length: 99999999\r\n\r\n");
    stream.write_all(announced.as_bytes()).await.unwrap();
    assert_too_large(&answer(&mut stream).await);

    let mut stream = served.connect().await;
    let chunk = vec![b' '; payload::LARGEST + 1];
    let lying = format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", chunk.len());
    stream.write_all(lying.as_bytes()).await.unwrap();
    stream.write_all(&chunk).await.unwrap();
    assert_too_large(&answer(&mut stream).await);
}

fn assert_too_large(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
}

/// Longer than what is taken, and than what the sockets between hold.
const LONG: usize = 4 * 1024 * 1024;

#[tokio::test]
async fn who_sends_everything_before_listening_still_hears_that_it_was_too_much() {
    let served = Served::plain(Manners::default()).await;
    let mut stream = served.connect().await;
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {VIEWER}\r\nContent-Length: {LONG}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let sent = timeout(DEADLINE, stream.write_all(&vec![b' '; LONG])).await;
    sent.expect("everything taken").unwrap();
    assert_too_large(&answer(&mut stream).await);
    assert!(hung_up(&mut stream).await);
}

#[tokio::test]
async fn who_asks_before_sending_is_not_told_to_go_on() {
    let served = Served::plain(Manners::default()).await;
    let mut stream = served.connect().await;
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {VIEWER}\r\nExpect: 100-continue\r\nContent-Length: {LONG}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    assert_too_large(&answer(&mut stream).await);
    assert!(hung_up(&mut stream).await);
}

#[tokio::test]
async fn a_small_body_that_nobody_reads_leaves_the_connection_open() {
    let served = Served::plain(Manners::default()).await;
    let mut stream = served.connect().await;
    let refused = "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
    for _ in 0..2 {
        stream.write_all(refused.as_bytes()).await.unwrap();
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
    }
}

#[tokio::test]
async fn over_http_2_too_much_is_refused_and_the_connection_lives() {
    let mounted = Mounted::new();
    let certificate = Certificate::load(mounted.files()).unwrap();
    let served = Served::start(Some(&certificate), Manners::default()).await;
    let stream = mounted.handshake(served.address, &[&TLS13]).await.unwrap();
    let (mut client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let piece = || Ok::<_, io::Error>(Bytes::from_static(&[b' '; 16 * 1024]));
    let pieces = |length: usize| Body::from_stream(stream::iter((0..length / (16 * 1024)).map(move |_| piece())));
    // One that says how long it is, one that does not, and one whose rest nobody reads to the end.
    for body in [Body::from(vec![b' '; LONG]), pieces(LONG), pieces(16 * LONG)] {
        let long = Request::post("https://localhost/api/v1/session").header("x-api-key", VIEWER);
        let asked = timeout(DEADLINE, client.send_request(long.body(body).unwrap())).await;
        let answer = asked.expect("an answer").unwrap();
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
        let whole = timeout(DEADLINE, answer.into_body().collect()).await.expect("an end");
        let told: Value = serde_json::from_slice(&whole.expect("a whole body").to_bytes()).unwrap();
        assert_eq!(told["reason"], "too_large");
    }
    let page = Request::get("https://localhost/healthz").body(Body::empty()).unwrap();
    assert_eq!(client.send_request(page).await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn headers_beyond_measure_are_refused() {
    let served = Served::plain(Manners::default()).await;
    let mut stream = served.connect().await;
    let many = "A: b\r\n".repeat(101);
    let request = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(answer(&mut stream).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn when_asked_to_stop_idle_connections_end_and_no_new_one_comes_in() {
    let served = Served::plain(Manners::default()).await;
    let mut idle = served.connect().await;
    assert!(get(&mut idle, "/healthz").await.starts_with("HTTP/1.1 200"));
    served.stop.send(()).unwrap();
    timeout(DEADLINE, served.ended).await.expect("an end").unwrap();
    assert!(hung_up(&mut idle).await);
    assert!(TcpStream::connect(served.address).await.is_err());
}
