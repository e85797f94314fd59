//! `opsdeck healthcheck`: asks a running server how it is, for containers that hold no other program to ask with. What it answers
//! is in `rest/health.rs`.

use crate::{
    cli,
    config::{self, Misconfigured},
};
use bytes::Bytes;
use http::{Request, StatusCode, Uri, header, uri::Scheme};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, DigitallySignedStruct, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    version::TLS13,
};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

/// From the first packet to the last: whoever takes longer does not serve.
const LIMIT: Duration = Duration::from_secs(5);
/// More than the answer ever holds.
const ANSWER: usize = 4096;

/// Whom to ask, and what.
#[derive(Debug, Eq, PartialEq)]
pub struct Question {
    tls: bool,
    host: String,
    port: u16,
    path: String,
}

/// The server is well, in a line that says of what this was learnt.
#[derive(Debug)]
pub struct Well(String);

#[derive(Debug, thiserror::Error)]
pub enum Unwell {
    #[error("{0}: {1} {2}")]
    Says(String, StatusCode, String),
    #[error("{0}: no answer within {limit} s", limit = LIMIT.as_secs())]
    Silent(String),
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, #[source] std::io::Error),
    #[error("{0}: no TLS 1.3 is spoken there: {1}")]
    NoTls(String, #[source] std::io::Error),
    #[error("{0}: no HTTP is spoken there: {1}")]
    NoHttp(String, #[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Takes every certificate, as the kubelet's probes do: no secret is sent, and names and authorities are not the container's concern.
/// That the server holds the certificate's key is proved all the same.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

// === impl Question ===

impl TryFrom<cli::Healthcheck> for Question {
    type Error = Misconfigured;

    fn try_from(asked: cli::Healthcheck) -> Result<Self, Misconfigured> {
        let target = if asked.ready { "/readyz" } else { "/livez" };
        if let Some(url) = &asked.url {
            return Self::at(url, target).ok_or_else(|| {
                Misconfigured(format!(
                    "--url must be an address such as https://ops.example.com/opsdeck, not {url}"
                ))
            });
        }
        let listening = config::listen(asked.listen, asked.port.as_deref())?;
        let base_path = config::base_path(&asked.base_path)?;
        Ok(Self {
            tls: asked.tls_cert.is_some(),
            host: reached_at(listening).to_string(),
            port: listening.port(),
            path: base_path + target,
        })
    }
}

/// Who listens everywhere is reached on loopback.
fn reached_at(listening: SocketAddr) -> IpAddr {
    match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

impl Question {
    fn at(url: &str, target: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let tls = match uri.scheme()? {
            scheme if *scheme == Scheme::HTTPS => true,
            scheme if *scheme == Scheme::HTTP => false,
            _ => return None,
        };
        let authority = uri.authority()?.as_str();
        if authority.contains('@') || uri.query().is_some() {
            return None;
        }
        Some(Self {
            tls,
            host: uri.host()?.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            path: config::base_path(uri.path()).ok()? + target,
        })
    }

    pub async fn ask(&self) -> Result<Well, Unwell> {
        timeout(LIMIT, self.exchange())
            .await
            .unwrap_or_else(|_| Err(Unwell::Silent(self.to_string())))
    }

    async fn exchange(&self) -> Result<Well, Unwell> {
        let stream = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(|error| Unwell::Unreachable(self.to_string(), error))?;
        if !self.tls {
            return self.converse(stream, "").await;
        }
        let no_tls = |error| Unwell::NoTls(self.to_string(), error);
        let name = ServerName::try_from(self.host.clone()).map_err(|error| no_tls(std::io::Error::other(error)))?;
        let config = client_config().map_err(|error| no_tls(std::io::Error::other(error)))?;
        let stream = TlsConnector::from(config).connect(name, stream).await.map_err(no_tls)?;
        self.converse(stream, " (over TLS 1.3; whose certificate it is was not asked)")
            .await
    }

    async fn converse(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        over: &str,
    ) -> Result<Well, Unwell> {
        let (status, text) = self
            .answer(stream)
            .await
            .map_err(|error| Unwell::NoHttp(self.to_string(), error))?;
        if status.is_success() {
            Ok(Well(format!("{self}: {text}{over}")))
        } else {
            Err(Unwell::Says(self.to_string(), status, text))
        }
    }

    async fn answer(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(StatusCode, String), Box<dyn std::error::Error + Send + Sync>> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::get(&self.path)
            .header(header::HOST, self.authority())
            .header(header::CONNECTION, "close")
            .body(Empty::<Bytes>::new())?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER).collect().await?.to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = body["status"]
            .as_str()
            .unwrap_or("without a word of ours: is this Opsdeck?");
        Ok((status, text.to_owned()))
    }

    fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

// === impl Well ===

impl fmt::Display for Well {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn client_config() -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = AnyCertificate::trusting(&provider);
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

// === impl AnyCertificate ===

impl AnyCertificate {
    fn trusting(provider: &CryptoProvider) -> Self {
        Self(provider.signature_verification_algorithms)
    }
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use tokio::net::TcpListener;

    fn question(given: &[&str]) -> Result<Question, Misconfigured> {
        let line = ["opsdeck", "healthcheck"].iter().chain(given);
        match cli::Cli::try_parse_from(line).unwrap().command {
            cli::Command::Healthcheck(asked) => Question::try_from(asked),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_address_is_where_serve_with_the_same_flags_listens() {
        for (given, asked) in [
            (&[][..], "http://127.0.0.1:8090/livez"),
            (&["--ready"], "http://127.0.0.1:8090/readyz"),
            (&["--listen", "[::]:9000"], "http://[::1]:9000/livez"),
            (&["--listen", "192.0.2.1:80"], "http://192.0.2.1:80/livez"),
            (
                &["--tls-cert", "some.pem", "--base-path", "/ops/"],
                "https://127.0.0.1:8090/ops/livez",
            ),
            (&["--url", "https://ops.example"], "https://ops.example:443/livez"),
            (&["--url", "http://[::1]:8085/ops/"], "http://[::1]:8085/ops/livez"),
        ] {
            assert_eq!(question(given).unwrap().to_string(), asked);
        }
        for wrong in [
            "ops.example",
            "ftp://ops.example",
            "http://a@b",
            "http://b?c",
            "/livez",
            "",
        ] {
            let refused = question(&["--url", wrong]).unwrap_err().to_string();
            assert!(refused.starts_with("--url must be"), "{refused}");
        }
        assert!(question(&["--base-path", "ops"]).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_the_connection_and_says_nothing_is_not_waited_for() {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap().to_string();
        let silent = question(&["--listen", &address]).unwrap().ask().await.unwrap_err();
        assert!(silent.to_string().ends_with("no answer within 5 s"), "{silent}");
    }
}
