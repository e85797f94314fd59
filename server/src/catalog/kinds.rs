//! The kinds that have a table. A new kind is one line here, and an `impl Project` in `project/`.

use super::{
    project::{Context, Held, Project, Projection, minimal},
    table::{Outcome, Place, Table},
};
use crate::resources::{
    AIInsight, Anomaly, ApprovalPolicy, ApprovalRequest, AuditEvent, ChaosExperiment, ClusterRegistration, ConfigMap,
    Deployment, EscalationPolicy, IncidentSLA, Instance, Issue, Kind, NotificationPolicy, Object, PostMortem,
    RemediationPlan, Runbook, ServiceLevelObjective, SourceRepository,
};
use bytes::Bytes;
use jiff::Timestamp;
use std::sync::Arc;

macro_rules! kinds {
    ($($kind:ident in $table:ident,)*) => {
        /// One table per kind.
        #[derive(Clone, Debug, Default)]
        pub struct Tables {
            $($table: Arc<Table<$kind>>,)*
        }

        impl Tables {
            pub(super) fn any(&self, kind: Kind) -> &dyn AnyTable {
                match kind {
                    $(Kind::$kind => self.$table.as_ref(),)*
                }
            }

            pub(super) fn any_mut(&mut self, kind: Kind) -> &mut dyn AnyTable {
                match kind {
                    $(Kind::$kind => Arc::<Table<$kind>>::make_mut(&mut self.$table),)*
                }
            }
        }

        $(impl Held for $kind {
            fn table(tables: &Tables) -> &Table<Self> {
                &tables.$table
            }
        })*
    };
}

/// Kinds without a page: held typed, shown by name only.
macro_rules! minimal {
    ($($kind:ident)*) => {
        $(impl Project for $kind {
            fn project(&self, _: &Context<'_>) -> Projection {
                minimal(self)
            }
        })*
    };
}

kinds! {
    AIInsight in insights,
    Anomaly in anomalies,
    ApprovalPolicy in approval_policies,
    ApprovalRequest in approvals,
    AuditEvent in audit_events,
    ChaosExperiment in chaos_experiments,
    ClusterRegistration in clusters,
    ConfigMap in config_maps,
    Deployment in deployments,
    EscalationPolicy in escalation_policies,
    IncidentSLA in incident_slas,
    Instance in instances,
    Issue in issues,
    NotificationPolicy in notification_policies,
    PostMortem in post_mortems,
    RemediationPlan in plans,
    Runbook in runbooks,
    ServiceLevelObjective in objectives,
    SourceRepository in repositories,
}

minimal! {
    Anomaly
    ChaosExperiment
    ConfigMap
    Deployment
    SourceRepository
}

/// A table whose kind is known only at run time.
pub(super) trait AnyTable {
    fn place(&mut self, objects: Vec<Object>) -> Vec<Place>;
    /// Gives up what is held in a newer version than these: they are a complete list, and what is newer than that was undone.
    fn give_up_newer(&mut self, objects: &[Object]);
    fn remove(&mut self, place: &Place) -> bool;
    fn places(&self) -> Vec<Place>;
    fn newest(&self) -> Option<Place>;
    fn due(&self, now: Timestamp) -> Vec<Place>;
    fn next_change(&self) -> Option<Timestamp>;
    fn item(&self, place: &Place) -> Option<Bytes>;
    /// What the object looks like now; nothing if it is gone.
    fn look(&self, place: &Place, context: &Context<'_>) -> Option<Projection>;
    fn project(&mut self, place: &Place, projection: Projection, now: Timestamp) -> Outcome;
    fn touch(&mut self, revision: u64);
    fn revision(&self) -> u64;
}

// === impl AnyTable ===

impl<K: Project> AnyTable for Table<K> {
    fn place(&mut self, objects: Vec<Object>) -> Vec<Place> {
        Self::place(
            self,
            objects.iter().filter_map(|object| K::of(object).cloned()).collect(),
        )
    }

    fn give_up_newer(&mut self, objects: &[Object]) {
        for object in objects.iter().filter_map(|object| K::of(object)) {
            Self::give_up_newer(self, object);
        }
    }

    fn remove(&mut self, (namespace, name): &Place) -> bool {
        Self::remove(self, namespace, name).is_some()
    }

    fn places(&self) -> Vec<Place> {
        self.iter().map(|row| row.key().place()).collect()
    }

    fn newest(&self) -> Option<Place> {
        Self::newest(self).map(|row| row.key().place())
    }

    fn due(&self, now: Timestamp) -> Vec<Place> {
        Self::due(self, now)
    }

    fn next_change(&self) -> Option<Timestamp> {
        Self::next_change(self)
    }

    fn item(&self, (namespace, name): &Place) -> Option<Bytes> {
        self.get(namespace, name).map(|row| row.item.clone())
    }

    fn look(&self, (namespace, name): &Place, context: &Context<'_>) -> Option<Projection> {
        Some(self.get(namespace, name)?.object.project(context))
    }

    fn project(&mut self, place: &Place, projection: Projection, now: Timestamp) -> Outcome {
        Self::project(self, place, projection, now)
    }

    fn touch(&mut self, revision: u64) {
        Self::touch(self, revision);
    }

    fn revision(&self) -> u64 {
        Self::revision(self)
    }
}
