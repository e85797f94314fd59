//! The custom resources of `platform.chatcli.io/v1alpha1` as Rust types: reading them from JSON, and the manifests that
//! define them. What to make of them is decided elsewhere.

#![expect(
    clippy::duplicated_attributes,
    reason = "two printer columns of one type are no slip"
)]

use crate::source::Address;
use jiff::Timestamp;
use opsdeck_api::kinds::Listed;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{fmt, sync::Arc};

pub use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::ConfigMap},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

pub mod ai_insight;
pub mod anomaly;
pub mod approval_policy;
pub mod approval_request;
pub mod audit_event;
pub mod chaos_experiment;
pub mod cluster_registration;
pub mod escalation_policy;
pub mod incident_sla;
pub mod instance;
pub mod instance_pipeline;
pub mod instance_pod;
pub mod issue;
mod manifests;
pub mod moment;
pub mod notification_policy;
pub mod post_mortem;
mod reading;
pub mod remediation_plan;
pub mod runbook;
pub mod service_level_objective;
pub mod shared;
pub mod source_repository;
mod validity;
pub mod vocabulary;

pub use ai_insight::{AIInsight, AIInsightSpec, AIInsightStatus};
pub use anomaly::{Anomaly, AnomalySpec, AnomalyStatus};
pub use approval_policy::{ApprovalPolicy, ApprovalPolicySpec, ApprovalPolicyStatus};
pub use approval_request::{ApprovalRequest, ApprovalRequestSpec, ApprovalRequestStatus};
pub use audit_event::{AuditEvent, AuditEventSpec};
pub use chaos_experiment::{ChaosExperiment, ChaosExperimentSpec, ChaosExperimentStatus};
pub use cluster_registration::{ClusterRegistration, ClusterRegistrationSpec, ClusterRegistrationStatus};
pub use escalation_policy::{EscalationPolicy, EscalationPolicySpec, EscalationPolicyStatus};
pub use incident_sla::{IncidentSLA, IncidentSLASpec, IncidentSLAStatus};
pub use instance::{Instance, InstanceSpec, InstanceStatus};
pub use issue::{Issue, IssueSpec, IssueStatus};
pub use manifests::{crd_manifests, crds};
pub use notification_policy::{NotificationPolicy, NotificationPolicySpec, NotificationPolicyStatus};
pub use post_mortem::{PostMortem, PostMortemSpec, PostMortemStatus};
pub use reading::warnings;
pub use remediation_plan::{RemediationPlan, RemediationPlanSpec, RemediationPlanStatus};
pub use runbook::{Runbook, RunbookSpec};
pub use service_level_objective::{ServiceLevelObjective, ServiceLevelObjectiveSpec, ServiceLevelObjectiveStatus};
pub use shared::{Action, Condition, IssueRef, NamedStep, ResourceRef, SecretKeyRef, SecretRef, Stored, TextMap};
pub use source_repository::{SourceRepository, SourceRepositorySpec, SourceRepositoryStatus};
pub use validity::refusals;
pub use vocabulary::{
    ActionType, ApprovalMode, ApprovalState, ChaosState, ConditionStatus, IssueState, PlanState, PostMortemState,
    Severity, Signal, SignalSource,
};

/// Group of the custom resources.
pub const GROUP: &str = "platform.chatcli.io";
/// Group and version of the custom resources.
pub const API_VERSION: &str = "platform.chatcli.io/v1alpha1";
/// The only ConfigMaps that are kept: what the models have cost.
pub const COST_LEDGER: &str = "chatcli-cost-ledger";

/// An object that cannot be the kind that it claims to be.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Invalid {
    /// Dotted path of the member at fault.
    pub field: String,
    pub message: String,
}

/// A kind of object as a type, so that code can be written once for all kinds.
pub trait Typed: Clone + fmt::Debug + DeserializeOwned + Send + Sync + 'static {
    const KIND: Kind;

    fn meta(&self) -> &ObjectMeta;

    /// This kind's objects among all kinds'.
    fn of(object: &Object) -> Option<&Arc<Self>>;

    fn into_object(self: Arc<Self>) -> Object;

    fn name(&self) -> &str {
        self.meta().name.as_deref().unwrap_or_default()
    }

    fn namespace(&self) -> &str {
        self.meta().namespace.as_deref().unwrap_or_default()
    }

    fn created(&self) -> Option<Timestamp> {
        self.meta().creation_timestamp.as_ref().map(|time| time.0)
    }

    fn label(&self, key: &str) -> Option<&str> {
        self.meta().labels.as_ref()?.get(key).map(String::as_str)
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.meta().annotations.as_ref()?.get(key).map(String::as_str)
    }

    fn address(&self) -> Address {
        Address {
            kind: Self::KIND,
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
        }
    }
}

/// Declares everything that goes kind by kind.
macro_rules! kinds {
    ($($kind:ident, $plural:literal, $api_version:expr, status: $has_status:literal;)+) => {
        /// What can be stored and watched.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Kind {
            $($kind,)+
        }

        impl Kind {
            pub const ALL: [Kind; [$($plural),+].len()] = [$(Kind::$kind),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Kind::$kind => stringify!($kind),)+
                }
            }

            /// The name in Kubernetes' own addresses.
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Kind::$kind => $plural,)+
                }
            }

            pub const fn api_version(self) -> &'static str {
                match self {
                    $(Kind::$kind => $api_version,)+
                }
            }

            /// Whether `status` is written apart from the rest.
            pub const fn has_status(self) -> bool {
                match self {
                    $(Kind::$kind => $has_status,)+
                }
            }

            pub fn from_api(api_version: &str, kind: &str) -> Option<Kind> {
                Kind::ALL.into_iter().find(|known| known.as_str() == kind && known.api_version() == api_version)
            }

            /// Whether objects of this kind are kept under such a name.
            pub fn keeps(self, name: &str) -> bool {
                self != Kind::ConfigMap || name == COST_LEDGER
            }
        }

        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        /// One object of any kind, read.
        #[derive(Clone, Debug)]
        pub enum Object {
            $($kind(Arc<$kind>),)+
        }

        impl Object {
            /// Reads an object. Members of `status` may be missing, words and members may be unknown.
            pub fn parse(kind: Kind, value: Value) -> Result<Object, Invalid> {
                let stored = kind.is_policy().then(|| Stored::of(&value));
                let mut object = match kind {
                    $(Kind::$kind => reading::read(value).map(|object| Object::$kind(Arc::new(object))),)+
                }?;
                if let Some(stored) = stored {
                    object.keep(stored);
                }
                Ok(object)
            }

            pub fn kind(&self) -> Kind {
                match self {
                    $(Object::$kind(_) => Kind::$kind,)+
                }
            }

            pub fn meta(&self) -> &ObjectMeta {
                match self {
                    $(Object::$kind(object) => &object.metadata,)+
                }
            }

            pub fn address(&self) -> Address {
                match self {
                    $(Object::$kind(object) => object.address(),)+
                }
            }
        }

        $(impl Typed for $kind {
            const KIND: Kind = Kind::$kind;

            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn of(object: &Object) -> Option<&Arc<Self>> {
                match object {
                    Object::$kind(object) => Some(object),
                    _ => None,
                }
            }

            fn into_object(self: Arc<Self>) -> Object {
                Object::$kind(self)
            }
        })+
    };
}

// === impl Kind ===

impl Kind {
    /// The kinds that the API passes on as they are stored.
    pub const POLICIES: [Self; 4] = [
        Self::ApprovalPolicy,
        Self::NotificationPolicy,
        Self::EscalationPolicy,
        Self::IncidentSLA,
    ];

    /// What the API and the dashboard make of it, where it has a list.
    pub fn listed(self) -> Option<&'static Listed> {
        Listed::of(self.as_str())
    }

    fn is_policy(self) -> bool {
        Self::POLICIES.contains(&self)
    }
}

// === impl Object ===

impl Object {
    fn keep(&mut self, stored: Stored) {
        match self {
            Self::ApprovalPolicy(policy) => Arc::make_mut(policy).spec.stored = stored,
            Self::NotificationPolicy(policy) => Arc::make_mut(policy).spec.stored = stored,
            Self::EscalationPolicy(policy) => Arc::make_mut(policy).spec.stored = stored,
            Self::IncidentSLA(policy) => Arc::make_mut(policy).spec.stored = stored,
            _ => {}
        }
    }
}

kinds! {
    AIInsight, "aiinsights", API_VERSION, status: true;
    Anomaly, "anomalies", API_VERSION, status: true;
    ApprovalPolicy, "approvalpolicies", API_VERSION, status: true;
    ApprovalRequest, "approvalrequests", API_VERSION, status: true;
    AuditEvent, "auditevents", API_VERSION, status: false;
    ChaosExperiment, "chaosexperiments", API_VERSION, status: true;
    ClusterRegistration, "clusterregistrations", API_VERSION, status: true;
    EscalationPolicy, "escalationpolicies", API_VERSION, status: true;
    IncidentSLA, "incidentslas", API_VERSION, status: true;
    Instance, "instances", API_VERSION, status: true;
    Issue, "issues", API_VERSION, status: true;
    NotificationPolicy, "notificationpolicies", API_VERSION, status: true;
    PostMortem, "postmortems", API_VERSION, status: true;
    RemediationPlan, "remediationplans", API_VERSION, status: true;
    Runbook, "runbooks", API_VERSION, status: false;
    ServiceLevelObjective, "servicelevelobjectives", API_VERSION, status: true;
    SourceRepository, "sourcerepositories", API_VERSION, status: true;
    Deployment, "deployments", "apps/v1", status: true;
    ConfigMap, "configmaps", "v1", status: false;
}
