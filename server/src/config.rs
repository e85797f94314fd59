//! Flags and environment, checked as a whole before a port is bound. A mistake is one line that names the flag and the fix.

mod door;

use crate::{
    access::{caller::Door, key_file::KeyFile, keys::KeySet},
    cli::{self, SourceChoice},
    listen::tls::Certificate,
    source::kubernetes::{self, Access},
};
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

const DEFAULT_PORT: u16 = 8090;

/// The keys of the preview, printed at its start.
const PREVIEW_KEYS: &str = "
- {key: preview, role: admin, name: preview}
- {key: preview-operator, role: operator, name: preview-operator}
- {key: preview-viewer, role: viewer, name: preview-viewer}
";

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misconfigured(pub String);

/// What a running console is made of, whatever the command was.
#[derive(Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// Where the metrics are; nowhere in a preview, unless asked for.
    pub metrics_listen: Option<SocketAddr>,
    /// Between SIGTERM and the moment when no new connection is taken.
    pub drain_delay: Duration,
    /// With one, TLS is spoken and nothing else.
    pub certificate: Option<Arc<Certificate>>,
    /// Empty, or `/x` without a slash at the end.
    pub base_path: String,
    pub door: Door,
    /// Signs the sessions of all keys on all replicas, where it is given.
    pub session_secret: Option<Arc<[u8]>>,
    /// Read again when it changes.
    pub key_file: Option<KeyFile>,
    pub objects: Objects,
}

/// Where the objects come from.
#[derive(Debug)]
pub enum Objects {
    /// A cluster; of it these namespaces, or all where none is named.
    Cluster { access: Access, namespaces: Vec<String> },
    /// The store in this file.
    Stored { file: PathBuf, settle: bool },
    /// The sample, in memory, with this many generated incidents besides.
    Sample { simulate: bool, generated: u32 },
}

// === impl Config ===

impl TryFrom<cli::Serve> for Config {
    type Error = Misconfigured;

    fn try_from(serve: cli::Serve) -> Result<Self, Misconfigured> {
        let secret = serve.session_secret_file.as_deref().map(session_secret).transpose()?;
        let mut key_file = serve.api_keys_file.map(|path| KeyFile::new(path, secret.clone()));
        let keys = key_file.as_mut().map_or_else(|| Ok(KeySet::default()), read_keys)?;
        let base_path = base_path(&serve.mount.base_path)?;
        let certificate = door::certificate(&serve.door)?;
        let door = door::door(keys, &base_path, &serve.mount, &serve.door)?;
        Ok(Self {
            listen: listen(serve.listen, serve.port.as_deref())?,
            metrics_listen: Some(serve.metrics_listen),
            drain_delay: serve.drain_delay,
            certificate,
            base_path,
            door,
            session_secret: secret,
            key_file,
            objects: if in_cluster(serve.source, &serve.cluster)? {
                cluster(serve.cluster)?
            } else {
                Objects::Stored {
                    file: store_file(&serve.store)?,
                    settle: !serve.no_settler,
                }
            },
        })
    }
}

impl TryFrom<cli::Preview> for Config {
    type Error = Misconfigured;

    fn try_from(preview: cli::Preview) -> Result<Self, Misconfigured> {
        let keys = KeySet::parse(PREVIEW_KEYS, None).map_err(|error| Misconfigured(error.to_string()))?;
        let base_path = base_path(&preview.mount.base_path)?;
        let certificate = door::certificate(&preview.door)?;
        let door = door::door(keys, &base_path, &preview.mount, &preview.door)?;
        let objects = Objects::Sample {
            simulate: !preview.calm,
            generated: preview.objects,
        };
        Ok(Self {
            listen: preview.listen,
            metrics_listen: preview.metrics_listen,
            drain_delay: Duration::ZERO,
            certificate,
            base_path,
            door,
            session_secret: None,
            key_file: None,
            objects,
        })
    }
}

/// Whether the objects are a cluster's. Flags that only make sense there must not be passed over.
fn in_cluster(choice: SourceChoice, cluster: &cli::Cluster) -> Result<bool, Misconfigured> {
    let named = cluster.kubeconfig.is_some() || cluster.context.is_some();
    let usual = || kubernetes::in_a_pod() || std::env::var_os("KUBECONFIG").is_some_and(|value| !value.is_empty());
    let chosen = match choice {
        SourceChoice::Kubernetes => true,
        SourceChoice::Auto => named || usual(),
        SourceChoice::Embedded => false,
    };
    if chosen || (!named && cluster.watch_namespaces.is_empty()) {
        Ok(chosen)
    } else {
        Err(Misconfigured(
            "--kubeconfig, --context and --watch-namespaces say which cluster: give --source kubernetes, or leave them out"
                .into(),
        ))
    }
}

fn cluster(cluster: cli::Cluster) -> Result<Objects, Misconfigured> {
    Ok(Objects::Cluster {
        namespaces: namespaces(&cluster.watch_namespaces)?,
        access: Access {
            kubeconfig: cluster.kubeconfig,
            context: cluster.context,
        },
    })
}

/// Those of `--watch-namespaces`, each once.
pub fn namespaces(given: &[String]) -> Result<Vec<String>, Misconfigured> {
    let given = given.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let checked = given.map(|text| namespace(text, "--watch-namespaces").map(str::to_owned));
    let mut namespaces = checked.collect::<Result<Vec<_>, _>>()?;
    namespaces.sort();
    namespaces.dedup();
    Ok(namespaces)
}

/// What may be the name of one.
pub fn namespace<'a>(text: &'a str, flag: &str) -> Result<&'a str, Misconfigured> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !text.is_empty() && text.chars().all(fits) {
        Ok(text)
    } else {
        Err(Misconfigured(format!("{flag} takes names such as shop, not {text}")))
    }
}

/// The file of the embedded store.
pub fn store_file(store: &cli::Store) -> Result<PathBuf, Misconfigured> {
    Ok(data_dir(store)?.join("opsdeck.db"))
}

/// Its directory, given or usual.
fn data_dir(store: &cli::Store) -> Result<PathBuf, Misconfigured> {
    if let Some(given) = &store.data_dir {
        return Ok(given.clone());
    }
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .map(|base| base.join("opsdeck"))
        .ok_or_else(|| Misconfigured("--data-dir is not given and there is no home directory to use instead".into()))
}

/// The address that the two flags name together.
pub(crate) fn listen(given: Option<SocketAddr>, port: Option<&str>) -> Result<SocketAddr, Misconfigured> {
    let port = match port.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => text
            .parse()
            .map_err(|_| Misconfigured(format!("CHATCLI_AIOPS_PORT is not a port: {text}")))?,
        None => DEFAULT_PORT,
    };
    Ok(given.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port)))
}

fn read_keys(file: &mut KeyFile) -> Result<KeySet, Misconfigured> {
    file.read()
        .map_err(|error| Misconfigured(format!("--api-keys-file {error}")))
}

fn session_secret(path: &Path) -> Result<Arc<[u8]>, Misconfigured> {
    const SHORTEST: usize = 32;
    let wrong = |why: String| Misconfigured(format!("--session-secret-file {} {why}", path.display()));
    let secret = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    // The newline that editors and `echo` leave at the end must not make two replicas differ.
    let secret = secret.strip_suffix(b"\n").unwrap_or(&secret);
    let secret = secret.strip_suffix(b"\r").unwrap_or(secret);
    if secret.len() < SHORTEST {
        let hint = "make one with `openssl rand -base64 48`";
        return Err(wrong(format!(
            "holds {} bytes and needs {SHORTEST}: {hint}",
            secret.len()
        )));
    }
    Ok(secret.into())
}

/// Empty, or `/x` without a slash at the end.
pub(crate) fn base_path(text: &str) -> Result<String, Misconfigured> {
    let path = text.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.~".contains(c);
    let whole = |segment: &str| !matches!(segment, "" | "." | "..");
    if path.is_empty() || (path.starts_with('/') && path[1..].split('/').all(whole) && path.chars().all(plain)) {
        Ok(path.to_owned())
    } else {
        Err(Misconfigured(format!(
            "--base-path must be a path such as /opsdeck, not {text}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_may_come_by_upstreams_name() {
        assert_eq!(listen(None, None).unwrap().to_string(), "0.0.0.0:8090");
        assert_eq!(listen(None, Some("9000")).unwrap().to_string(), "0.0.0.0:9000");
        assert_eq!(
            listen("127.0.0.1:1".parse().ok(), Some("9000")).unwrap().to_string(),
            "127.0.0.1:1"
        );
        assert!(
            listen(None, Some("http"))
                .unwrap_err()
                .to_string()
                .contains("CHATCLI_AIOPS_PORT")
        );
    }

    #[test]
    fn what_says_which_cluster_chooses_the_cluster_or_is_refused() {
        let given = |kubeconfig: Option<&str>, namespaces: &[&str]| cli::Cluster {
            kubeconfig: kubeconfig.map(PathBuf::from),
            context: None,
            watch_namespaces: namespaces.iter().map(ToString::to_string).collect(),
        };
        assert!(in_cluster(SourceChoice::Auto, &given(Some("/k"), &[])).unwrap());
        assert!(in_cluster(SourceChoice::Kubernetes, &given(None, &["shop"])).unwrap());
        assert!(!in_cluster(SourceChoice::Embedded, &given(None, &[])).unwrap());
        for misplaced in [given(Some("/k"), &[]), given(None, &["shop"])] {
            let refused = in_cluster(SourceChoice::Embedded, &misplaced).unwrap_err();
            assert!(refused.to_string().contains("--source kubernetes"));
        }
        let Objects::Cluster { namespaces, .. } = cluster(given(None, &["shop", " edge", "", "shop"])).unwrap() else {
            panic!("a cluster");
        };
        assert_eq!(namespaces, ["edge", "shop"]);
        assert!(cluster(given(None, &["a/b"])).unwrap_err().to_string().contains("a/b"));
    }

    #[test]
    fn a_base_path_is_a_plain_path() {
        assert_eq!(base_path("/ops/").unwrap(), "/ops");
        assert_eq!(base_path("/").unwrap(), "");
        for wrong in ["ops", "/a//b", "/a?b", "/ä", "/..", "/a/./b"] {
            assert!(base_path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_session_secret_is_long_and_ends_without_a_newline() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let secret = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            session_secret(file.path())
        };
        let long = "0123456789abcdef0123456789abcdef";
        assert_eq!(secret(long).unwrap(), secret(&format!("{long}\n")).unwrap());
        let refused = secret("short").unwrap_err().to_string();
        assert!(refused.contains("holds 5 bytes and needs 32"), "{refused}");
    }
}
