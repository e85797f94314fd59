//! A sink that remembers what it was told, and the objects that tests write.

use opsdeck::{
    resources::{Kind, Object},
    source::{Address, Sink},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex},
    time::Duration,
};

#[derive(Debug, Default)]
pub(crate) struct Notebook {
    versions: Mutex<BTreeMap<Address, String>>,
    changed: Condvar,
}

impl Notebook {
    /// The resourceVersions of all that is there.
    pub(crate) fn versions(&self) -> BTreeMap<Address, String> {
        self.versions.lock().unwrap().clone()
    }

    /// Returns as soon as what is there fulfils `wish`.
    pub(crate) fn wait(&self, wish: impl Fn(&BTreeMap<Address, String>) -> bool) {
        let versions = self.versions.lock().unwrap();
        let limit = Duration::from_secs(60);
        let waiting = self
            .changed
            .wait_timeout_while(versions, limit, |versions| !wish(versions));
        assert!(!waiting.unwrap().1.timed_out(), "the sink was never told");
    }

    fn note(&self, change: impl FnOnce(&mut BTreeMap<Address, String>)) {
        change(&mut self.versions.lock().unwrap());
        self.changed.notify_all();
    }
}

impl Sink for Notebook {
    fn apply(&self, objects: Vec<Object>) {
        self.note(|versions| versions.extend(objects.iter().map(entry)));
    }

    fn delete(&self, addresses: Vec<Address>) {
        self.note(|versions| {
            for address in addresses {
                versions.remove(&address);
            }
        });
    }

    fn reset(&self, kind: Kind, objects: Vec<Object>) {
        self.note(|versions| {
            versions.retain(|address, _| address.kind != kind);
            versions.extend(objects.iter().map(entry));
        });
    }
}

fn entry(object: &Object) -> (Address, String) {
    (
        object.address(),
        object.meta().resource_version.clone().unwrap_or_default(),
    )
}

pub(crate) fn address(kind: Kind, name: &str) -> Address {
    Address {
        kind,
        namespace: "shop".into(),
        name: name.into(),
    }
}

pub(crate) fn issue() -> Value {
    json!({"spec": {
        "severity": "high",
        "source": "watcher",
        "resource": {"kind": "Deployment", "name": "cart", "namespace": "shop"},
        "description": "cart is slow",
    }})
}
