//! What a reader of the catalog is shown, and the objects that tests write.

use opsdeck::{
    catalog::{Catalog, Held, Snapshot},
    resources::{
        AIInsight, Anomaly, ApprovalPolicy, ApprovalRequest, AuditEvent, ChaosExperiment, ClusterRegistration,
        ConfigMap, Deployment, EscalationPolicy, IncidentSLA, Instance, Issue, Kind, NotificationPolicy, PostMortem,
        RemediationPlan, Runbook, ServiceLevelObjective, SourceRepository,
    },
    source::Address,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

pub(crate) struct Shown(pub(crate) Arc<Catalog>);

impl Shown {
    pub(crate) fn nothing() -> Self {
        Self(Arc::new(Catalog::new(1)))
    }

    /// The resourceVersions of all that is there.
    pub(crate) fn versions(&self) -> BTreeMap<Address, String> {
        let snapshot = self.0.snapshot();
        let mut versions = BTreeMap::new();
        macro_rules! add {
            ($($kind:ident)*) => { $(versions.extend(of_kind::<$kind>(&snapshot));)* };
        }
        add! {
            AIInsight Anomaly ApprovalPolicy ApprovalRequest AuditEvent ChaosExperiment ClusterRegistration ConfigMap
            Deployment EscalationPolicy IncidentSLA Instance Issue NotificationPolicy PostMortem RemediationPlan Runbook
            ServiceLevelObjective SourceRepository
        }
        versions
    }
}

fn of_kind<K: Held>(snapshot: &Snapshot) -> impl Iterator<Item = (Address, String)> {
    snapshot.table::<K>().iter().map(|row| {
        let version = row.object.meta().resource_version.clone();
        (row.object.address(), version.unwrap_or_default())
    })
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
