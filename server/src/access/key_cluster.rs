//! The keys that a cluster holds: taken over whenever the source tells of another list. Where it is read is in `source`.

use super::keys::KeySet;
use crate::{source::kubernetes::KeyText, telemetry::metrics::Keys};
use arc_swap::ArcSwap;
use std::sync::Arc;

/// Puts a list in force. One that cannot be read leaves the last good one; none at all revokes everything.
///
/// `secret` signs sessions where the list brings no secret of its own.
pub fn take_over(keys: &ArcSwap<KeySet>, text: Option<KeyText>, secret: Option<&[u8]>, metrics: &Keys) {
    let read = text.map_or_else(
        || Ok(KeySet::default()),
        |text| KeySet::parse(&text.yaml, text.session_secret.as_deref().or(secret)),
    );
    if let Ok(set) = &read {
        metrics.loaded(set.len());
    }
    match read {
        Ok(set) if set.is_empty() => {
            tracing::warn!("the cluster holds no API keys: nobody can come in");
            keys.store(Arc::new(set));
        }
        Ok(set) => {
            tracing::info!(keys = set.len(), "API keys of the cluster taken over");
            keys.store(Arc::new(set));
        }
        Err(error) => {
            metrics.failures.inc();
            tracing::error!(%error, "API keys not taken over: the last good ones stay in force");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn text(yaml: &str) -> Option<KeyText> {
        Some(KeyText {
            yaml: yaml.into(),
            session_secret: None,
        })
    }

    #[test]
    fn what_cannot_be_read_changes_nothing_and_nothing_revokes_all() {
        let keys = ArcSwap::<KeySet>::default();
        let metrics = Keys::default();
        let take_over = |text| take_over(&keys, text, None, &metrics);
        let knows = |key: &str| keys.load().find(key, Timestamp::UNIX_EPOCH).is_some();
        take_over(text("- {key: a, role: viewer}"));
        assert!(knows("a"));
        take_over(text("- {key: ["));
        assert!(knows("a"));
        take_over(text("- {key: b, role: viewer}"));
        assert!(knows("b") && !knows("a"));
        take_over(None);
        assert!(keys.load().is_empty());
        assert_eq!((metrics.loaded.get(), metrics.failures.get()), (0, 1));
    }
}
