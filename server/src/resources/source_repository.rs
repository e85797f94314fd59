//! SourceRepository: the code that a workload is built from.

use super::{
    shared::{ResourceRef, absent, never, number},
    vocabulary::{AuthType, HostKeyPolicy},
};
use jiff::Timestamp;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code that a workload is built from.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "platform.chatcli.io",
    version = "v1alpha1",
    kind = "SourceRepository",
    plural = "sourcerepositories",
    shortname = "srcrepo"
)]
#[kube(
    namespaced,
    status = "SourceRepositoryStatus",
    derive = "PartialEq",
    schema = "disabled"
)]
#[kube(printcolumn(name = "URL", type_ = "string", json_path = ".spec.url"))]
#[kube(printcolumn(name = "Branch", type_ = "string", json_path = ".spec.branch"))]
#[kube(printcolumn(name = "Ready", type_ = "boolean", json_path = ".status.ready"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
#[serde(default, rename_all = "camelCase")]
pub struct SourceRepositorySpec {
    /// Where it is.
    pub url: String,
    /// The branch that counts.
    #[serde(default = "main", skip_serializing_if = "never")]
    pub branch: String,
    /// How to log in.
    #[serde(default = "none", skip_serializing_if = "never")]
    pub auth_type: AuthType,
    /// Secret to log in with, by name.
    #[serde(skip_serializing_if = "absent")]
    pub secret_ref: String,
    /// How the host's key is checked.
    #[serde(skip_serializing_if = "absent")]
    pub ssh_host_key_policy: Option<HostKeyPolicy>,
    /// The workload that is built from it.
    pub resource: ResourceRef,
    /// Folders that count.
    #[serde(skip_serializing_if = "absent")]
    pub paths: Vec<String>,
    /// Where its Dockerfile is.
    #[serde(skip_serializing_if = "absent")]
    pub dockerfile: String,
    /// The language it is written in.
    #[serde(skip_serializing_if = "absent")]
    pub language: String,
    /// Minutes between two looks.
    #[schemars(range(min = 5))]
    #[serde(default = "number::<30>", skip_serializing_if = "never")]
    pub sync_interval_minutes: i32,
}

/// What was seen of it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SourceRepositoryStatus {
    /// It can be read.
    pub ready: bool,
    /// When it was last read.
    #[serde(skip_serializing_if = "absent")]
    pub last_synced_at: Option<Timestamp>,
    /// The newest commit.
    #[serde(skip_serializing_if = "absent")]
    pub head_commit: Option<Box<Commit>>,
    /// The commits before it.
    #[serde(skip_serializing_if = "absent")]
    pub recent_commits: Vec<Commit>,
    /// Where its copy is.
    #[serde(skip_serializing_if = "absent")]
    pub local_path: String,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "absent")]
    pub error: String,
    /// Languages found in it.
    #[serde(skip_serializing_if = "absent")]
    pub detected_languages: Vec<String>,
    /// Where its programs start.
    #[serde(skip_serializing_if = "absent")]
    pub entrypoint_files: Vec<String>,
    /// Where its settings are.
    #[serde(skip_serializing_if = "absent")]
    pub config_files: Vec<String>,
}

/// One commit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Commit {
    /// Its hash.
    pub sha: String,
    /// Its message.
    pub message: String,
    /// Who wrote it.
    pub author: String,
    /// When it was made.
    pub timestamp: Option<Timestamp>,
    /// What it touched.
    #[serde(skip_serializing_if = "absent")]
    pub files_changed: Vec<String>,
}

fn main() -> String {
    "main".into()
}

fn none() -> AuthType {
    AuthType::None
}
