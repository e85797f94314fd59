//! Instance's settings of the server itself, its pods and what they mount.

use super::{
    shared::{SecretKeyRef, TextMap, absent, never, number},
    vocabulary::{MemoryMode, MtlsRole},
};
use k8s_openapi::api::core::v1::{Affinity, LocalObjectReference, Toleration};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// What the pods run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Image {
    /// Where the image is.
    #[serde(default = "repository", skip_serializing_if = "never")]
    pub repository: String,
    /// Which one; left out: the operator's own release.
    #[serde(skip_serializing_if = "absent")]
    pub tag: String,
    /// When it is fetched again.
    #[serde(default = "if_not_present", skip_serializing_if = "never")]
    pub pull_policy: String,
}

/// How the server listens.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct InstanceServer {
    /// Port of its API.
    #[serde(default = "number::<50051>", skip_serializing_if = "never")]
    pub port: i32,
    /// Port of its metrics and probes.
    #[serde(default = "number::<9090>", skip_serializing_if = "never")]
    pub metrics_port: i32,
    /// Encryption.
    #[serde(skip_serializing_if = "absent")]
    pub tls: Option<Tls>,
    /// Token that callers share.
    #[serde(skip_serializing_if = "absent")]
    pub token: Option<SecretKeyRef>,
    /// Who may call, and how much.
    #[serde(skip_serializing_if = "absent")]
    pub security: Option<Box<Security>>,
}

/// Encryption of the API.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Tls {
    /// It is on.
    #[serde(skip_serializing_if = "absent")]
    pub enabled: bool,
    /// Secret with certificate and key.
    #[serde(skip_serializing_if = "absent")]
    pub secret_name: String,
    /// Secret with the CA of clients, who then need a certificate too.
    #[serde(rename = "clientCASecretName")]
    #[serde(skip_serializing_if = "absent")]
    pub client_ca_secret_name: String,
}

/// Who may call the server, and how much.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Security {
    /// Secret that signs tokens.
    #[serde(skip_serializing_if = "absent")]
    pub jwt_secret_ref: Option<SecretKeyRef>,
    /// Public key that tokens are checked with.
    #[serde(skip_serializing_if = "absent")]
    pub jwt_public_key_ref: Option<SecretKeyRef>,
    /// Issuer that a token must name.
    #[serde(skip_serializing_if = "absent")]
    pub jwt_issuer: String,
    /// Audience that a token must name.
    #[serde(skip_serializing_if = "absent")]
    pub jwt_audience: String,
    /// Token that the operator itself presents.
    #[serde(skip_serializing_if = "absent")]
    pub operator_token_ref: Option<SecretKeyRef>,
    /// Role of a caller whom only a certificate identifies.
    #[serde(skip_serializing_if = "absent")]
    pub mtls_role: Option<MtlsRole>,
    /// Secret with the operator's own certificate.
    #[serde(skip_serializing_if = "absent")]
    pub operator_client_cert_secret_name: String,
    /// Calls a second and client.
    #[serde(skip_serializing_if = "absent")]
    pub rate_limit_rps: Option<i32>,
    /// Calls that may come at once.
    #[serde(skip_serializing_if = "absent")]
    pub rate_limit_burst: Option<i32>,
    /// Bytes of a message that comes in.
    #[serde(skip_serializing_if = "absent")]
    pub max_recv_msg_size: Option<i32>,
    /// Bytes of a message that goes out.
    #[serde(skip_serializing_if = "absent")]
    pub max_send_msg_size: Option<i32>,
    /// Streams of one connection.
    #[serde(skip_serializing_if = "absent")]
    pub max_concurrent_streams: Option<i32>,
    /// Address to listen on.
    #[serde(skip_serializing_if = "absent")]
    pub bind_address: String,
    /// File of the audit log.
    #[serde(skip_serializing_if = "absent")]
    pub audit_log_path: String,
    /// Log more.
    #[serde(skip_serializing_if = "absent")]
    pub debug: bool,
    /// Let clients ask which calls there are.
    #[serde(skip_serializing_if = "absent")]
    pub enable_reflection: bool,
}

/// Where sessions are kept.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Persistence {
    /// On a volume.
    #[serde(skip_serializing_if = "absent")]
    pub enabled: bool,
    /// Its size.
    #[serde(default = "one_gib", skip_serializing_if = "never")]
    pub size: String,
    /// Its storage class.
    #[serde(skip_serializing_if = "absent")]
    pub storage_class_name: String,
}

/// Where pods may run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Scheduling {
    /// Labels that a node must have.
    #[serde(skip_serializing_if = "absent")]
    pub node_selector: TextMap,
    /// Taints that they put up with.
    #[schemars(schema_with = "bare::<Vec<Toleration>>")]
    #[serde(skip_serializing_if = "absent")]
    pub tolerations: Vec<Toleration>,
    /// Nodes and neighbours that they like.
    #[schemars(schema_with = "bare::<Affinity>")]
    #[serde(skip_serializing_if = "absent")]
    pub affinity: Option<Box<Affinity>>,
    /// Secrets to fetch the image with.
    #[schemars(schema_with = "bare::<Vec<LocalObjectReference>>")]
    #[serde(skip_serializing_if = "absent")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Their priority.
    #[serde(skip_serializing_if = "absent")]
    pub priority_class_name: String,
    /// Annotations that they carry.
    #[serde(skip_serializing_if = "absent")]
    pub pod_annotations: TextMap,
}

/// The identity that pods run under.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ServiceAccount {
    /// Annotations that it carries.
    #[serde(skip_serializing_if = "absent")]
    pub annotations: TextMap,
}

/// Optional parts of the server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Features {
    /// Long-term memory.
    #[serde(skip_serializing_if = "absent")]
    pub memory: Option<Memory>,
    /// Knowledge base; left out: as the server likes.
    #[serde(skip_serializing_if = "absent")]
    pub knowledge: Option<bool>,
    /// Conversation hub; left out: as the server likes.
    #[serde(skip_serializing_if = "absent")]
    pub hub: Option<bool>,
    /// What incidents may cost.
    #[serde(skip_serializing_if = "absent")]
    pub budget: Option<Budget>,
    /// Secret with CAs for calls that go out.
    #[serde(skip_serializing_if = "absent")]
    pub ca_bundle_secret_name: String,
    /// Call vendors without encryption too.
    #[serde(rename = "allowHTTPProviders")]
    #[serde(skip_serializing_if = "absent")]
    pub allow_http_providers: bool,
    /// Key that stored data is encrypted with.
    #[serde(skip_serializing_if = "absent")]
    pub encryption_key_ref: Option<SecretKeyRef>,
    /// How log files are cut.
    #[serde(skip_serializing_if = "absent")]
    pub log_rotation: Option<LogRotation>,
}

/// Long-term memory.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Memory {
    /// It is on.
    #[serde(skip_serializing_if = "absent")]
    pub enabled: Option<bool>,
    /// How it is used.
    #[serde(skip_serializing_if = "absent")]
    pub mode: Option<MemoryMode>,
}

/// What incidents may cost.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Budget {
    /// Dollars a session.
    #[serde(rename = "sessionUSD")]
    #[serde(skip_serializing_if = "absent")]
    pub session_usd: String,
    /// Dollars a day.
    #[serde(rename = "dailyUSD")]
    #[serde(skip_serializing_if = "absent")]
    pub daily_usd: String,
    /// Stop there, instead of warning.
    #[serde(skip_serializing_if = "absent")]
    pub hard_stop: bool,
}

/// How log files are cut.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LogRotation {
    /// Size of one.
    #[serde(rename = "maxSizeMB")]
    #[serde(skip_serializing_if = "absent")]
    pub max_size_mb: Option<i32>,
    /// Number of old ones.
    #[serde(skip_serializing_if = "absent")]
    pub max_backups: Option<i32>,
    /// Age of the oldest.
    #[serde(skip_serializing_if = "absent")]
    pub max_age_days: Option<i32>,
    /// Old ones are compressed.
    #[serde(skip_serializing_if = "absent")]
    pub compress: Option<bool>,
}

/// The schema of one of Kubernetes' own types, without its texts: they would be the better half of the manifest.
pub(super) fn bare<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<T>();
    drop_descriptions(&mut schema);
    schema
}

fn drop_descriptions(schema: &mut Schema) {
    schema.remove("description");
    schemars::transform::transform_subschemas(&mut drop_descriptions, schema);
}

fn repository() -> String {
    "ghcr.io/diillson/chatcli".into()
}

fn if_not_present() -> String {
    "IfNotPresent".into()
}

fn one_gib() -> String {
    "1Gi".into()
}
