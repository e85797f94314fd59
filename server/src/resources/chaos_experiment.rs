//! ChaosExperiment: a fault that is caused on purpose.

use super::{
    shared::{Condition, IssueRef, ResourceRef, TextMap, absent, never, number, yes},
    vocabulary::{ChaosState, ExperimentType},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fault that is caused on purpose.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "ChaosExperiment",
    plural = "chaosexperiments",
    shortname = "chaos"
)]
#[kube(
    namespaced,
    status = "ChaosExperimentStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Type", type_ = "string", json_path = ".spec.experimentType"))]
#[kube(printcolumn(name = "Target", type_ = "string", json_path = ".spec.target.name"))]
#[kube(printcolumn(name = "State", type_ = "string", json_path = ".status.state"))]
#[kube(printcolumn(name = "Duration", type_ = "string", json_path = ".spec.duration"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct ChaosExperimentSpec {
    /// The fault.
    pub experiment_type: ExperimentType,
    /// The victim.
    pub target: ResourceRef,
    /// How long.
    pub duration: String,
    /// How hard; which keys depends on the fault.
    #[serde(skip_serializing_if = "absent")]
    pub parameters: TextMap,
    /// Reserved; a run with one fails.
    #[serde(skip_serializing_if = "absent")]
    pub schedule: String,
    /// Only pretend.
    #[serde(skip_serializing_if = "absent")]
    pub dry_run: bool,
    /// What has to hold before and while it runs.
    #[serde(skip_serializing_if = "absent")]
    pub safety_checks: Option<Box<SafetyChecks>>,
    /// What happens afterwards.
    #[serde(skip_serializing_if = "absent")]
    pub post_experiment: Option<Box<PostExperiment>>,
    /// The incident whose repair is put to the test.
    #[serde(skip_serializing_if = "absent")]
    pub linked_issue_ref: Option<IssueRef>,
    /// The experiment may run.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// What has to hold before and while it runs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SafetyChecks {
    /// Healthy pods that must be left.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "absent")]
    pub min_healthy_pods: i32,
    /// Experiments at a time.
    #[serde(default = "number::<1>", skip_serializing_if = "never")]
    pub max_concurrent_experiments: i32,
    /// Stop at the first incident.
    #[serde(skip_serializing_if = "absent")]
    pub abort_on_issue_detected: bool,
    /// Ask people first.
    #[serde(skip_serializing_if = "absent")]
    pub require_approval: bool,
    /// Namespaces that may be hit.
    #[serde(skip_serializing_if = "absent")]
    pub allowed_namespaces: Vec<String>,
    /// Namespaces that may not be hit.
    #[serde(skip_serializing_if = "absent")]
    pub blocked_namespaces: Vec<String>,
}

/// What happens afterwards.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PostExperiment {
    /// Wait until the victim is healthy.
    #[serde(skip_serializing_if = "absent")]
    pub verify_recovery: bool,
    /// How long to wait.
    #[serde(skip_serializing_if = "absent")]
    pub recovery_timeout: String,
    /// See whether the remediation copes.
    #[serde(skip_serializing_if = "absent")]
    pub run_remediation_test: bool,
}

/// How the experiment went.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ChaosExperimentStatus {
    /// Where it stands.
    pub state: ChaosState,
    /// When it began.
    #[serde(skip_serializing_if = "absent")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "absent")]
    pub completed_at: Option<Timestamp>,
    /// The outcome in a sentence.
    #[serde(skip_serializing_if = "absent")]
    pub result: String,
    /// The victim was healthy again.
    pub recovery_verified: bool,
    /// How long that took.
    #[serde(skip_serializing_if = "absent")]
    pub recovery_time: String,
    /// Pods that were hit.
    pub pods_affected: i32,
    /// The victim before it, in a line.
    #[serde(skip_serializing_if = "absent")]
    pub pre_experiment_snapshot: String,
    /// The victim after it, in a line.
    #[serde(skip_serializing_if = "absent")]
    pub post_experiment_snapshot: String,
    /// Observed aspects.
    #[serde(skip_serializing_if = "absent")]
    pub conditions: Vec<Condition>,
}
