//! The file that lists the keys: read at start, and again whenever it changes.

use super::keys::KeySet;
use crate::telemetry::metrics::Keys;
use arc_swap::ArcSwap;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use sha2::{Digest as _, Sha256};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::mpsc, time};

/// A mounted Secret is swapped in several steps; the file counts once it has been left alone for this long.
const QUIET: Duration = Duration::from_millis(200);
/// Looked at without any sign of change: not every file system reports them.
const PERIODIC: Duration = Duration::from_secs(5);

/// Where the keys are read from.
#[derive(Clone, Debug)]
pub struct KeyFile {
    path: PathBuf,
    /// Signs the sessions of all keys on all replicas, where it is given.
    session_secret: Option<Arc<[u8]>>,
    /// Digest of what the file held when it was last looked at; nothing where it could not be read. Its text is not kept.
    seen: Option<[u8; 32]>,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{0} cannot be read: {1}")]
    Unreadable(PathBuf, #[source] std::io::Error),
    #[error("{0}: {1}")]
    Malformed(PathBuf, #[source] super::keys::Malformed),
}

// === impl KeyFile ===

impl KeyFile {
    pub fn new(path: PathBuf, session_secret: Option<Arc<[u8]>>) -> Self {
        Self {
            path,
            session_secret,
            seen: None,
        }
    }

    pub fn read(&mut self) -> Result<KeySet, Unusable> {
        let text = self.text()?;
        let set = self.parse(&text)?;
        self.seen = Some(digest(&text));
        Ok(set)
    }

    /// Keeps the set equal to the file. What cannot be read or parsed leaves the last good set in force.
    pub async fn follow(mut self, keys: Arc<ArcSwap<KeySet>>, metrics: Keys) {
        let (signal, mut changes) = mpsc::channel(1);
        // Mounted Secrets change by swapping a symbolic link beside the file, so the directory is what is watched.
        // Where nothing can be watched, this end keeps the channel open, so that the wait below lasts.
        let _watcher = watch_directory(&self.path, signal.clone());
        loop {
            let changed = time::timeout(PERIODIC, changes.recv()).await;
            if matches!(changed, Ok(Some(()))) {
                // Somebody else's files in the same directory may never come to rest.
                let quiet = async { while let Ok(Some(())) = time::timeout(QUIET, changes.recv()).await {} };
                let _ = time::timeout(PERIODIC, quiet).await;
            }
            match self.refresh() {
                Ok(Some(set)) => {
                    tracing::info!(keys = set.len(), "API keys changed");
                    metrics.loaded(set.len());
                    keys.store(Arc::new(set));
                }
                Ok(None) => {}
                Err(error) => {
                    metrics.failures.inc();
                    tracing::error!(%error, "API keys not taken over: the last good ones stay in force");
                }
            }
        }
    }

    /// The keys, where the file has changed. What is wrong with it is said once and not at every look.
    fn refresh(&mut self) -> Result<Option<KeySet>, Unusable> {
        match self.text() {
            Ok(text) if self.seen == Some(digest(&text)) => Ok(None),
            Ok(text) => {
                self.seen = Some(digest(&text));
                self.parse(&text).map(Some)
            }
            Err(error) => self.seen.take().map_or(Ok(None), |_| Err(error)),
        }
    }

    fn text(&self) -> Result<String, Unusable> {
        std::fs::read_to_string(&self.path).map_err(|error| Unusable::Unreadable(self.path.clone(), error))
    }

    fn parse(&self, text: &str) -> Result<KeySet, Unusable> {
        KeySet::parse(text, self.session_secret.as_deref())
            .map_err(|error| Unusable::Malformed(self.path.clone(), error))
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

fn watch_directory(path: &Path, signal: mpsc::Sender<()>) -> Option<RecommendedWatcher> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let watching = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Our own reading is an access too. A full channel has a signal in it already.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = signal.try_send(());
        }
    })
    .and_then(|mut watcher| watcher.watch(directory, RecursiveMode::NonRecursive).map(|()| watcher));
    watching
        .inspect_err(|error| tracing::warn!(%error, directory = %directory.display(), "changes are looked for every few seconds only"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use std::os::unix::fs::symlink;
    use tokio::task::yield_now;

    struct Followed {
        directory: tempfile::TempDir,
        keys: Arc<ArcSwap<KeySet>>,
    }

    impl Followed {
        /// A mounted Secret: the file is a link through `..data`, which is what is swapped.
        fn new(yaml: &str) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let followed = Self {
                directory,
                keys: Arc::default(),
            };
            followed.mount("first", yaml);
            symlink("..data/api-keys", followed.path("api-keys")).unwrap();
            let mut file = KeyFile::new(followed.path("api-keys"), None);
            followed.keys.store(Arc::new(file.read().unwrap()));
            tokio::spawn(file.follow(followed.keys.clone(), Keys::default()));
            followed
        }

        fn path(&self, name: &str) -> PathBuf {
            self.directory.path().join(name)
        }

        fn mount(&self, version: &str, yaml: &str) {
            std::fs::create_dir(self.path(version)).unwrap();
            std::fs::write(self.path(version).join("api-keys"), yaml).unwrap();
            symlink(version, self.path("..data_tmp")).unwrap();
            std::fs::rename(self.path("..data_tmp"), self.path("..data")).unwrap();
        }

        async fn until(&self, holds: impl Fn(&KeySet) -> bool) {
            let settled = async {
                while !holds(&self.keys.load()) {
                    yield_now().await;
                }
            };
            time::timeout(Duration::from_secs(20), settled)
                .await
                .expect("the keys follow the file");
        }
    }

    fn knows(set: &KeySet, key: &str) -> bool {
        set.find(key, Timestamp::UNIX_EPOCH).is_some()
    }

    #[tokio::test]
    async fn a_swapped_secret_changes_the_keys() {
        let followed = Followed::new("- {key: a, role: viewer}");
        followed.mount("second", "- {key: b, role: viewer}");
        followed.until(|set| knows(set, "b") && !knows(set, "a")).await;
        followed.mount("third", "[]");
        followed.until(KeySet::is_empty).await;
    }

    #[test]
    fn what_cannot_be_taken_over_is_said_once_and_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("api-keys");
        let write = |yaml: &str| std::fs::write(&path, yaml).unwrap();
        write("- {key: a, role: viewer}");
        let mut file = KeyFile::new(path.clone(), None);
        file.read().unwrap();
        for break_it in [&(|| write("- {key: [")) as &dyn Fn(), &|| {
            std::fs::remove_file(&path).unwrap()
        }] {
            break_it();
            assert!(file.refresh().is_err());
            assert!(matches!(file.refresh(), Ok(None)));
        }
        write("- {key: b, role: viewer}");
        assert!(knows(&file.refresh().unwrap().unwrap(), "b"));
    }

    #[tokio::test]
    async fn a_broken_list_leaves_the_last_good_keys_and_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("api-keys");
        std::fs::write(&path, "- {key: a, role: viewer}").unwrap();
        let mut file = KeyFile::new(path.clone(), None);
        let keys = Arc::new(ArcSwap::from_pointee(file.read().unwrap()));
        let metrics = Keys::default();
        tokio::spawn(file.follow(keys.clone(), metrics.clone()));
        std::fs::write(&path, "- {key: [").unwrap();
        let counted = async {
            while metrics.failures.get() == 0 {
                yield_now().await;
            }
        };
        time::timeout(Duration::from_secs(20), counted)
            .await
            .expect("a failure that is counted");
        assert!(knows(&keys.load(), "a"));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_watch_the_file_is_looked_at_now_and_then() {
        let file = KeyFile::new("/nowhere/at/all/keys.yaml".into(), None);
        let follow = file.follow(Arc::default(), Keys::default());
        // A loop that never waits would never let the time pass.
        assert!(time::timeout(PERIODIC * 10, follow).await.is_err());
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_with_its_name() {
        let mut file = KeyFile::new("/nowhere/keys.yaml".into(), None);
        assert!(file.read().unwrap_err().to_string().contains("/nowhere/keys.yaml"));
    }
}
