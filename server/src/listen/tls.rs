//! TLS 1.3 and nothing older, with a certificate that is read again when its files change.

use crate::telemetry::metrics::Metrics;
use arc_swap::ArcSwap;
use jiff::Timestamp;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
    version::TLS13,
};
use sha2::{Digest as _, Sha256};
use std::{path::PathBuf, sync::Arc, time::Duration};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// How often the files are looked at: renewals come days ahead of need, and mounted files change without a sign.
const LOOK: Duration = Duration::from_secs(1);

/// Where certificate chain and private key are, as PEM.
#[derive(Clone, Debug)]
pub struct Files {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// The files cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{0} cannot be read: {1}")]
    Unreadable(PathBuf, #[source] std::io::Error),
    #[error("{0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    #[error("{0} holds no private key in PEM form")]
    NoKey(PathBuf),
    #[error("{0} is not the private key of the certificate in {1}")]
    Mismatch(PathBuf, PathBuf),
    #[error("{0} cannot be used: {1}")]
    Refused(PathBuf, #[source] rustls::Error),
}

/// The certificate in force. Connections that stand keep what they were made with.
#[derive(Debug)]
pub struct Certificate {
    files: Files,
    /// Digest of what the files held when they were last taken over.
    taken: [u8; 32],
    current: ArcSwap<CertifiedKey>,
}

struct Pem {
    cert: Vec<u8>,
    key: Vec<u8>,
}

/// What a look at the files has found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Seen {
    Files([u8; 32]),
    Nothing,
}

// === impl Certificate ===

impl Certificate {
    pub fn load(files: Files) -> Result<Arc<Self>, Unusable> {
        let pem = files.read()?;
        let current = ArcSwap::from_pointee(files.certify(&pem)?);
        Ok(Arc::new(Self {
            files,
            taken: pem.digest(),
            current,
        }))
    }

    /// What a listener needs.
    pub fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, rustls::Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// When the certificate ends.
    pub fn end(&self) -> Option<Timestamp> {
        let current = self.current.load();
        let (_, leaf) = X509Certificate::from_der(current.cert.first()?).ok()?;
        Timestamp::from_second(leaf.validity().not_after.timestamp()).ok()
    }

    /// Keeps the certificate equal to its files. What cannot be used leaves the last good one in force.
    pub async fn follow(self: Arc<Self>, metrics: Metrics) {
        self.report(&metrics);
        // Certificate and key are two files and change one after the other, so a change counts once two looks agree on it.
        let (mut done, mut before) = (Seen::Files(self.taken), Seen::Files(self.taken));
        loop {
            tokio::time::sleep(LOOK).await;
            let pem = self.files.read();
            let seen = pem.as_ref().map_or(Seen::Nothing, |pem| Seen::Files(pem.digest()));
            if seen != done && seen == before {
                done = seen;
                match pem.and_then(|pem| self.files.certify(&pem)) {
                    Ok(certified) => {
                        self.current.store(Arc::new(certified));
                        tracing::info!(end = self.end().map(tracing::field::display), "TLS certificate changed");
                        self.report(&metrics);
                    }
                    Err(error) => {
                        metrics.certificate_failures.inc();
                        tracing::error!(%error, "TLS certificate not taken over: the last good one stays in force");
                    }
                }
            }
            before = seen;
        }
    }

    fn report(&self, metrics: &Metrics) {
        metrics.certificate_end.set(self.end().map_or(0, Timestamp::as_second));
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.load_full())
    }
}

// === impl Pem ===

impl Pem {
    fn digest(&self) -> [u8; 32] {
        let hash = Sha256::new().chain_update(&self.cert).chain_update(&self.key);
        hash.finalize().into()
    }
}

// === impl Files ===

impl Files {
    fn read(&self) -> Result<Pem, Unusable> {
        let read = |path: &PathBuf| std::fs::read(path).map_err(|error| Unusable::Unreadable(path.clone(), error));
        Ok(Pem {
            cert: read(&self.cert)?,
            key: read(&self.key)?,
        })
    }

    fn certify(&self, pem: &Pem) -> Result<CertifiedKey, Unusable> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&pem.cert)
            .collect::<Result<_, pem::Error>>()
            .unwrap_or_default();
        if chain.is_empty() {
            return Err(Unusable::NoCertificate(self.cert.clone()));
        }
        let key = PrivateKeyDer::from_pem_slice(&pem.key).map_err(|_| Unusable::NoKey(self.key.clone()))?;
        let key = ring::sign::any_supported_type(&key).map_err(|error| Unusable::Refused(self.key.clone(), error))?;
        let certified = CertifiedKey::new(chain, key);
        match certified.keys_match() {
            Ok(()) => Ok(certified),
            Err(rustls::Error::InconsistentKeys(_)) => Err(Unusable::Mismatch(self.key.clone(), self.cert.clone())),
            Err(error) => Err(Unusable::Refused(self.cert.clone(), error)),
        }
    }
}
