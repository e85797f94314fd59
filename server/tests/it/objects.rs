//! Objects that several tests write on, and writes of somebody else who does not ask the API.

use opsdeck::{
    resources::Kind,
    source::{Address, Change, Verb},
};
use serde_json::{Value, json};

pub(crate) fn issue(name: &str, namespace: &str) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue",
        "metadata": {
            "name": name, "namespace": namespace, "creationTimestamp": "2026-09-23T12:00:00Z",
            "annotations": {"team": "shop"},
        },
        "spec": {
            "severity": "high", "source": "watcher", "description": "out of memory", "riskScore": 0,
            "resource": {"kind": "Deployment", "name": "checkout", "namespace": namespace},
        },
    })
}

/// What somebody else writes, whatever is stored.
pub(crate) fn write_of_another(kind: Kind, namespace: &str, name: &str, verb: Verb) -> Change {
    Change {
        address: Address {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        },
        precondition: None,
        verb,
    }
}
