//! The list of API keys that a cluster holds: a Secret, else a ConfigMap, both watched. What the list means is decided in
//! `access`. Nothing here is printed.

use super::{
    Kubernetes,
    follow::{OPEN, Patience},
};
use futures_util::{Stream, StreamExt as _};
use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, Resource,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event, watcher},
    },
};
use serde::de::DeserializeOwned;
use std::{fmt, future::ready, path::Path, pin::pin};

pub(super) const SECRET: &str = "chatcli-operator-secrets";
pub(super) const CONFIG_MAP: &str = "chatcli-operator-config";
/// Of both.
const LIST: &str = "api-keys";
/// Of the Secret alone.
const SESSIONS: &str = "session-secret";
/// Where a pod is told its namespace.
const OWN_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// A list of keys as it is stored.
#[derive(Clone, Eq, PartialEq)]
pub struct KeyText {
    pub yaml: String,
    /// What signs the browser sessions on all replicas, where it is given.
    pub session_secret: Option<Vec<u8>>,
}

/// The namespace that the operator, and with it the keys, live in.
pub fn operator_namespace() -> String {
    let given = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    (std::env::var("POD_NAMESPACE").ok().and_then(given))
        .or_else(|| std::fs::read_to_string(Path::new(OWN_NAMESPACE)).ok().and_then(given))
        .unwrap_or_else(|| "chatcli-system".into())
}

// === impl KeyText ===

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(…)")
    }
}

// === impl Kubernetes ===

impl Kubernetes {
    /// Tells which list of keys holds, as soon as that is known and whenever it is another one. Nothing means that there is
    /// none. While the API server cannot be asked, what was told last goes on holding.
    pub fn follow_keys(&mut self, namespace: &str, tell: impl Fn(Option<KeyText>) + Send + 'static) {
        let (client, namespace) = (self.client.clone(), namespace.to_owned());
        self.tasks.spawn(async move { follow(client, &namespace, tell).await });
    }
}

async fn follow(client: Client, namespace: &str, tell: impl Fn(Option<KeyText>)) {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client, namespace);
    let mut secrets = pin!(one(secrets, SECRET));
    let mut maps = pin!(one(maps, CONFIG_MAP));
    let mut choice = Choice::default();
    loop {
        let failed = tokio::select! {
            Some(told) = secrets.next() => told.map(|secret| choice.secret = Some(secret.and_then(of_secret))).err(),
            Some(told) = maps.next() => told.map(|map| choice.map = Some(map.and_then(of_map))).err(),
        };
        match failed {
            Some(error) if !choice.complained => {
                tracing::warn!(namespace, %error, "the API keys of the cluster cannot be read: the last ones stay in force");
                choice.complained = true;
            }
            Some(_) => {}
            None => choice.complained = false,
        }
        if let Some(news) = choice.news() {
            tell(news);
        }
    }
}

/// The object of that name, nothing when it is not there. A revoked key must not outlive a watch that died in silence for long.
fn one<K>(api: Api<K>, name: &str) -> impl Stream<Item = watcher::Result<Option<K>>>
where
    K: Resource + Clone + DeserializeOwned + fmt::Debug + Send + 'static,
{
    let config = watcher::Config::default()
        .fields(&format!("metadata.name={name}"))
        .timeout(OPEN);
    let told = watcher(api, config)
        .backoff(Patience::default())
        .scan(None, |listed: &mut Option<K>, event| {
            ready(Some(match event {
                Ok(Event::Apply(object)) => Some(Ok(Some(object))),
                Ok(Event::Delete(_)) => Some(Ok(None)),
                Ok(Event::Init) => {
                    *listed = None;
                    None
                }
                Ok(Event::InitApply(object)) => {
                    *listed = Some(object);
                    None
                }
                Ok(Event::InitDone) => Some(Ok(listed.take())),
                Err(error) => Some(Err(error)),
            }))
        });
    told.filter_map(ready)
}

/// What each of the two holds, once that is known, and what was told of it.
#[derive(Default)]
struct Choice {
    secret: Option<Option<KeyText>>,
    map: Option<Option<KeyText>>,
    told: Option<Option<KeyText>>,
    complained: bool,
}

// === impl Choice ===

impl Choice {
    /// The Secret is asked first, and where it has a list the ConfigMap does not count, whatever the list says.
    fn holds(&self) -> Option<&Option<KeyText>> {
        match self.secret.as_ref()? {
            Some(_) => self.secret.as_ref(),
            None => self.map.as_ref(),
        }
    }

    fn news(&mut self) -> Option<Option<KeyText>> {
        let holds = self.holds()?.clone();
        if self.told.as_ref() == Some(&holds) {
            return None;
        }
        self.told = Some(holds.clone());
        Some(holds)
    }
}

/// A list that is blank is none.
fn of_secret(secret: Secret) -> Option<KeyText> {
    let data = secret.data.unwrap_or_default();
    let entry = |name: &str| data.get(name).map(|ByteString(bytes)| bytes.clone());
    let yaml = String::from_utf8_lossy(&entry(LIST)?).into_owned();
    let session_secret = entry(SESSIONS).filter(|bytes| !bytes.is_empty());
    (!yaml.trim().is_empty()).then_some(KeyText { yaml, session_secret })
}

fn of_map(map: ConfigMap) -> Option<KeyText> {
    let yaml = map.data?.remove(LIST)?;
    (!yaml.trim().is_empty()).then_some(KeyText {
        yaml,
        session_secret: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(yaml: &str) -> Option<KeyText> {
        Some(KeyText {
            yaml: yaml.into(),
            session_secret: None,
        })
    }

    #[test]
    fn the_secret_comes_first_and_nothing_is_told_twice() {
        let mut choice = Choice {
            map: Some(list("map")),
            ..Choice::default()
        };
        assert!(choice.news().is_none(), "the Secret has not been looked at yet");
        choice.secret = Some(None);
        assert!(choice.news() == Some(list("map")) && choice.news().is_none());
        choice.secret = Some(list("[]"));
        assert!(choice.news() == Some(list("[]")), "an empty list is a list");
        choice.map = Some(None);
        assert!(choice.news().is_none());
        choice.secret = Some(None);
        assert!(choice.news() == Some(None), "all are revoked");
    }

    #[test]
    fn a_blank_list_is_none() {
        let secret = |pairs: &[(&str, &str)]| Secret {
            data: Some(
                (pairs.iter())
                    .map(|(name, text)| ((*name).into(), ByteString(text.as_bytes().into())))
                    .collect(),
            ),
            ..Secret::default()
        };
        assert!(of_secret(secret(&[(LIST, " \n")])).is_none() && of_secret(secret(&[(SESSIONS, "s")])).is_none());
        let both = of_secret(secret(&[(LIST, "- {key: a, role: viewer}"), (SESSIONS, "s")])).unwrap();
        assert_eq!(both.session_secret.as_deref(), Some(&b"s"[..]));
    }
}
