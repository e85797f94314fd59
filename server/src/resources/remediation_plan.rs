//! RemediationPlan: one attempt to fix one incident.

use super::{
    shared::{Action, IssueRef, TextMap, absent, never, number},
    vocabulary::{ActionType, PlanState},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One attempt to fix one incident.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "RemediationPlan",
    plural = "remediationplans",
    shortname = "rp"
)]
#[kube(
    namespaced,
    status = "RemediationPlanStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "Issue", type_ = "string", json_path = ".spec.issueRef.name"))]
#[kube(printcolumn(name = "Attempt", type_ = "integer", json_path = ".spec.attempt"))]
#[kube(printcolumn(name = "State", type_ = "string", json_path = ".status.state"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct RemediationPlanSpec {
    /// The incident.
    pub issue_ref: IssueRef,
    /// Which attempt this is, from 1.
    pub attempt: i32,
    /// Why this plan.
    pub strategy: String,
    /// The steps, in order; none when the model decides as it goes.
    #[serde(skip_serializing_if = "absent")]
    pub actions: Vec<Action>,
    /// Limits that the plan declares for itself.
    #[serde(skip_serializing_if = "absent")]
    pub safety_constraints: Vec<String>,
    /// The model observes, decides and acts in a loop, instead of working off a list.
    #[serde(skip_serializing_if = "absent")]
    pub agentic_mode: bool,
    /// Transcript of that loop.
    #[serde(skip_serializing_if = "absent")]
    pub agentic_history: Vec<AgenticStep>,
    /// Steps that the loop may take.
    #[serde(default = "number::<10>", skip_serializing_if = "never")]
    pub agentic_max_steps: i32,
}

/// One turn of the model's loop.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AgenticStep {
    /// Number of the turn, from 1.
    pub step_number: i32,
    /// What the model said.
    pub ai_message: String,
    /// What it chose to do, if anything.
    #[serde(skip_serializing_if = "absent")]
    pub action: Option<Action>,
    /// What came of it; starts with `SUCCESS:` or `FAILED:`.
    #[serde(skip_serializing_if = "absent")]
    pub observation: String,
    /// When.
    pub timestamp: Option<Timestamp>,
}

/// How far the attempt has got.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RemediationPlanStatus {
    /// Where it stands.
    pub state: PlanState,
    /// When the first step began.
    #[serde(skip_serializing_if = "absent")]
    pub started_at: Option<Timestamp>,
    /// When the last step was done.
    #[serde(skip_serializing_if = "absent")]
    pub actions_completed_at: Option<Timestamp>,
    /// When the verdict came.
    #[serde(skip_serializing_if = "absent")]
    pub completed_at: Option<Timestamp>,
    /// The outcome in a sentence.
    #[serde(skip_serializing_if = "absent")]
    pub result: String,
    /// The trail that it left.
    #[serde(skip_serializing_if = "absent")]
    pub evidence: Vec<Evidence>,
    /// Turns of the loop so far.
    #[serde(skip_serializing_if = "absent")]
    pub agentic_step_count: i32,
    /// When the loop began.
    #[serde(skip_serializing_if = "absent")]
    pub agentic_started_at: Option<Timestamp>,
    /// The target before the first step.
    #[serde(skip_serializing_if = "absent")]
    pub preflight_snapshot: Option<Box<ResourceSnapshot>>,
    /// The target before each step, to go back to.
    #[serde(skip_serializing_if = "absent")]
    pub action_checkpoints: Vec<ActionCheckpoint>,
    /// The steps were undone.
    #[serde(skip_serializing_if = "absent")]
    pub rollback_performed: bool,
    /// How that went.
    #[serde(skip_serializing_if = "absent")]
    pub rollback_result: String,
    /// The target was healthy once they were undone.
    #[serde(skip_serializing_if = "absent")]
    pub post_failure_healthy: bool,
}

/// One thing noted on the way.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
#[schemars(rename = "PlanEvidence")]
pub struct Evidence {
    /// What sort of thing.
    #[serde(rename = "type")]
    pub kind: String,
    /// The thing itself.
    pub data: String,
    /// When it was noted.
    pub timestamp: Option<Timestamp>,
}

/// The target before one step.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ActionCheckpoint {
    /// Which step, from 0.
    pub action_index: i32,
    /// What the step does.
    pub action_type: ActionType,
    /// Whether it succeeded.
    pub success: bool,
    /// The target before it.
    #[serde(skip_serializing_if = "absent")]
    pub snapshot_before: Option<Box<ResourceSnapshot>>,
    /// When it was taken.
    pub timestamp: Option<Timestamp>,
}

/// A workload or node as it was at one moment. Which members are there depends on its kind.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ResourceSnapshot {
    /// Kind of the object.
    pub resource_kind: String,
    /// Name of the object.
    pub resource_name: String,
    /// Namespace of the object.
    pub namespace: String,
    /// The moment.
    pub captured_at: Option<Timestamp>,
    /// Replicas asked for.
    #[serde(skip_serializing_if = "absent")]
    pub replicas: i32,
    /// Image by container.
    #[serde(skip_serializing_if = "absent")]
    pub container_images: TextMap,
    /// Resources by container.
    #[serde(skip_serializing_if = "absent")]
    pub container_resources: BTreeMap<String, ContainerResources>,
    /// Least replicas of its autoscaler.
    #[serde(skip_serializing_if = "absent")]
    pub hpa_min_replicas: i32,
    /// Most replicas of its autoscaler.
    #[serde(skip_serializing_if = "absent")]
    pub hpa_max_replicas: i32,
    /// The node took no new pods.
    #[serde(skip_serializing_if = "absent")]
    pub node_unschedulable: bool,
    /// Annotations of the object.
    #[serde(skip_serializing_if = "absent")]
    pub annotations: TextMap,
    /// The job was suspended.
    #[serde(skip_serializing_if = "absent")]
    pub suspend: bool,
    /// Seconds that a job may run.
    #[serde(skip_serializing_if = "absent")]
    pub active_deadline_seconds: i64,
    /// Retries of a job.
    #[serde(skip_serializing_if = "absent")]
    pub backoff_limit: i32,
    /// Pods of a job at a time.
    #[serde(skip_serializing_if = "absent")]
    pub parallelism: i32,
    /// When a cron job runs.
    #[serde(skip_serializing_if = "absent")]
    pub schedule: String,
    /// Whether runs of a cron job may overlap.
    #[serde(skip_serializing_if = "absent")]
    pub concurrency_policy: String,
    /// Seconds by which a cron job may start late.
    #[serde(skip_serializing_if = "absent")]
    pub starting_deadline_seconds: i64,
    /// Successful runs that are kept.
    #[serde(skip_serializing_if = "absent")]
    pub successful_jobs_history_limit: i32,
    /// Failed runs that are kept.
    #[serde(skip_serializing_if = "absent")]
    pub failed_jobs_history_limit: i32,
    /// How the workload is updated.
    #[serde(skip_serializing_if = "absent")]
    pub update_strategy_type: String,
    /// First ordinal that is updated.
    #[serde(skip_serializing_if = "absent")]
    pub partition: i32,
    /// Pods that may be missing during an update.
    #[serde(skip_serializing_if = "absent")]
    pub max_unavailable: String,
    /// The whole spec, as JSON text.
    #[serde(skip_serializing_if = "absent")]
    pub full_spec: String,
}

/// What one container asked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ContainerResources {
    /// CPU asked for.
    #[serde(skip_serializing_if = "absent")]
    pub cpu_request: String,
    /// CPU allowed.
    #[serde(skip_serializing_if = "absent")]
    pub cpu_limit: String,
    /// Memory asked for.
    #[serde(skip_serializing_if = "absent")]
    pub memory_request: String,
    /// Memory allowed.
    #[serde(skip_serializing_if = "absent")]
    pub memory_limit: String,
}
