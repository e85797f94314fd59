//! Reads the API's JSON into its types. The types carry serde's derived readers as well, but those would be a fifth of the browser's bundle; these
//! are a few bytes a member. A test holds the two together.
//!
//! A member that is missing or of another type reads as empty, so that older and newer servers are understood.

use crate::client::{ApiError, Hand};
use opsdeck_api::{
    API_VERSION, Action, List, ListMeta, Number, ResourceRef, Single, StringMap,
    analytics::{AnalyticsSummary, TrendPoint},
    approval::{ApprovalItem, BlastRadius, ChangeWindow, Decision, Evidence, IssueName, RequestedAction, Vote},
    incident::{Acknowledged, IncidentItem, Snoozed, TimelineItem},
    insight::{InsightItem, SuggestedAction},
    instance::{Condition, DrivesAiops, InstanceDetail, InstanceItem, Tls},
    postmortem::{ExecutedAction, Feedback, PostMortemItem},
    remediation::{AgenticStep, EvidenceItem, RemediationDetail, RemediationItem},
    whoami::{ServerInfo, WhoAmI},
};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

/// What can be read.
pub(crate) trait FromJson: Sized {
    /// Takes what it needs out of the value.
    fn from_json(value: &mut Value) -> Self;
}

/// A member of an object; null where there is none.
pub(crate) fn member<T: FromJson>(object: &mut Value, name: &str) -> T {
    T::from_json(object.get_mut(name).unwrap_or(&mut Value::Null))
}

/// Names each member of a type once more, with what the API calls it. One that is left out does not compile; `..member` stands for one whose own
/// members are flattened into this object.
macro_rules! reads {
    ($($type:ident { $(..$flat:ident,)? $($field:ident: $name:literal,)* })*) => {
        $(impl FromJson for $type {
            fn from_json(value: &mut Value) -> Self {
                Self {
                    $($flat: FromJson::from_json(value),)?
                    $($field: member(value, $name),)*
                }
            }
        })*

        #[cfg(test)]
        const MEMBERS: &[(&str, &[&str])] = &[$((stringify!($type), &[$($name,)*]),)*];
    };
}

reads! {
    Acknowledged { by: "by", at: "at", }
    Action { kind: "type", params: "params", }
    AgenticStep {
        step_number: "stepNumber", ai_message: "aiMessage", action: "action", observation: "observation",
        timestamp: "timestamp",
    }
    AnalyticsSummary {
        total_issues: "totalIssues", resolved_issues: "resolvedIssues", contained_issues: "containedIssues",
        open_issues: "openIssues", critical_issues: "criticalIssues", chaos_induced_issues: "chaosInducedIssues",
        avg_risk_score: "avgRiskScore", severity_breakdown: "severityBreakdown",
        total_remediations: "totalRemediations", successful_remediations: "successfulRemediations",
        failed_remediations: "failedRemediations", remediated_issues: "remediatedIssues",
        resolved_by_remediation: "resolvedByRemediation", total_post_mortems: "totalPostMortems",
        post_mortems_requiring_human_action: "postMortemsRequiringHumanAction", total_runbooks: "totalRunbooks",
        total_slos: "totalSLOs", slos_at_risk: "slosAtRisk", pending_approvals: "pendingApprovals",
    }
    ApiError { status: "status", message: "message", reason: "reason", hand: "hand", request_id: "request_id", }
    ApprovalItem {
        name: "name", namespace: "namespace", resource: "resource", action: "action", reason: "reason",
        requested_by: "requestedBy", state: "state", approved_by: "approvedBy", rejected_by: "rejectedBy",
        decision_reason: "decisionReason", decided_at: "decidedAt", required_approvers: "requiredApprovers",
        decisions: "decisions", creation_timestamp: "creationTimestamp", labels: "labels", annotations: "annotations",
        issue: "issue", plan: "plan", policy: "policy", rule: "rule", actions: "actions", blast_radius: "blastRadius",
        evidence: "evidence", confidence: "confidence", rollback: "rollback", expires_at: "expiresAt",
        expired: "expired", votes: "votes", required: "required", change_window: "changeWindow",
        plan_hash: "planHash",
    }
    BlastRadius {
        affected_pods: "affectedPods", affected_services: "affectedServices",
        affected_namespaces: "affectedNamespaces", risk_level: "riskLevel", description: "description",
    }
    ChangeWindow { open: "open", opens_at: "opensAt", }
    Condition {
        kind: "type", status: "status", reason: "reason", message: "message",
        last_transition_time: "lastTransitionTime",
    }
    Decision { approver: "approver", decision: "decision", reason: "reason", timestamp: "timestamp", }
    Evidence {
        ai_confidence: "aiConfidence", ai_analysis: "aiAnalysis", historical_success_rate: "historicalSuccessRate",
        previous_attempts: "previousAttempts",
    }
    EvidenceItem { kind: "type", data: "data", timestamp: "timestamp", }
    ExecutedAction { action: "action", params: "params", result: "result", detail: "detail", timestamp: "timestamp", }
    Feedback {
        override_root_cause: "overrideRootCause", remediation_accuracy: "remediationAccuracy", comments: "comments",
        provided_by: "providedBy", provided_at: "providedAt",
    }
    Hand { by: "by", at: "at", }
    IncidentItem {
        name: "name", namespace: "namespace", severity: "severity", source: "source", signal_type: "signalType",
        resource: "resource", description: "description", risk_score: "riskScore", state: "state",
        detected_at: "detectedAt", resolved_at: "resolvedAt", resolution: "resolution",
        remediation_attempts: "remediationAttempts", max_remediation_attempts: "maxRemediationAttempts",
        creation_timestamp: "creationTimestamp", labels: "labels", annotations: "annotations",
        chaos_induced: "chaosInduced", chaos_experiment: "chaosExperiment",
        requires_human_action: "requiresHumanAction", required_action: "requiredAction",
        acknowledged: "acknowledged", snoozed: "snoozed",
    }
    InsightItem {
        name: "name", namespace: "namespace", issue_ref: "issueRef", provider: "provider", model: "model",
        analysis: "analysis", confidence: "confidence", recommendations: "recommendations",
        suggested_actions: "suggestedActions", log_analysis: "logAnalysis", metrics_context: "metricsContext",
        source_code_context: "sourceCodeContext", git_ops_context: "gitOpsContext",
        cascade_analysis: "cascadeAnalysis", blast_radius_prediction: "blastRadiusPrediction",
        generated_at: "generatedAt", creation_timestamp: "creationTimestamp",
    }
    InstanceDetail {
        ..item,
        image: "image", endpoint: "endpoint", tls: "tls", probed_at: "probedAt",
        observed_generation: "observedGeneration", resources: "resources", env: "env", settings: "settings",
    }
    InstanceItem {
        name: "name", namespace: "namespace", ready: "ready", replicas: "replicas", ready_replicas: "readyReplicas",
        provider: "provider", model: "model", version: "version", server_reachable: "serverReachable",
        conditions: "conditions", first_failed: "firstFailed", drives_aiops: "drivesAIOps",
        drives_aiops_reason: "drivesAIOpsReason", creation_timestamp: "creationTimestamp", labels: "labels",
        annotations: "annotations",
    }
    IssueName { namespace: "namespace", name: "name", }
    ListMeta { total_count: "totalCount", page: "page", page_size: "pageSize", }
    PostMortemItem {
        name: "name", namespace: "namespace", issue_ref: "issueRef", resource: "resource", severity: "severity",
        state: "state", summary: "summary", root_cause: "rootCause", impact: "impact", duration: "duration",
        lessons_learned: "lessonsLearned", prevention_actions: "preventionActions", timeline: "timeline",
        actions_executed: "actionsExecuted", feedback: "feedback", generated_at: "generatedAt",
        reviewed_at: "reviewedAt", creation_timestamp: "creationTimestamp",
        requires_human_action: "requiresHumanAction", required_action: "requiredAction",
        chaos_induced: "chaosInduced", chaos_experiment: "chaosExperiment",
    }
    RemediationDetail {
        ..item,
        safety_constraints: "safetyConstraints", evidence: "evidence", rollback_performed: "rollbackPerformed",
        rollback_result: "rollbackResult", agentic_history: "agenticHistory",
    }
    RemediationItem {
        name: "name", namespace: "namespace", issue_ref: "issueRef", attempt: "attempt", strategy: "strategy",
        state: "state", started_at: "startedAt", completed_at: "completedAt", result: "result",
        agentic_mode: "agenticMode", agentic_step_count: "agenticStepCount", actions: "actions",
        creation_timestamp: "creationTimestamp",
    }
    RequestedAction { order: "order", kind: "type", target: "target", params: "params", before: "before", }
    ResourceRef { kind: "kind", name: "name", namespace: "namespace", }
    ServerInfo { version: "version", source: "source", context: "context", time: "time", revision: "revision",
        data_as_of: "dataAsOf", }
    Snoozed { by: "by", until: "until", }
    SuggestedAction { name: "name", action: "action", description: "description", params: "params", }
    TimelineItem { timestamp: "timestamp", kind: "type", detail: "detail", }
    Tls { enabled: "enabled", secret_name: "secretName", client_ca_secret_name: "clientCASecretName", }
    TrendPoint { date: "date", total: "total", by_severity: "bySeverity", }
    Vote { approver: "approver", decision: "decision", reason: "reason", at: "at", }
    WhoAmI {
        identity: "identity", role: "role", key_id: "keyId", via: "via", expires_at: "expiresAt", server: "server",
    }
}

impl<T: FromJson> FromJson for List<T> {
    fn from_json(value: &mut Value) -> Self {
        Self {
            api_version: API_VERSION.into(),
            kind: String::new(),
            metadata: member(value, "metadata"),
            items: member(value, "items"),
        }
    }
}

/// What an answer about one object says of it; the rest says it again.
impl<S: FromJson, T> FromJson for Single<S, T> {
    fn from_json(value: &mut Value) -> Self {
        Self {
            api_version: API_VERSION.into(),
            kind: String::new(),
            spec: member(value, "spec"),
            status: None,
            resource_meta: None,
        }
    }
}

impl FromJson for IgnoredAny {
    fn from_json(_: &mut Value) -> Self {
        Self
    }
}

impl FromJson for String {
    fn from_json(value: &mut Value) -> Self {
        match value.take() {
            Value::String(text) => without_reordering(text),
            _ => Self::new(),
        }
    }
}

/// A line that reads otherwise than it runs is no basis for a decision: characters that reorder it become �, wherever the text goes
/// from here. See <https://trojansource.codes>.
fn without_reordering(text: String) -> String {
    let reorders = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.contains(reorders) {
        text.replace(reorders, "\u{fffd}")
    } else {
        text
    }
}

/// Anything, for what is laid out by a description.
impl FromJson for Value {
    fn from_json(value: &mut Value) -> Self {
        match value.take() {
            Value::String(text) => Self::String(without_reordering(text)),
            Value::Array(mut items) => {
                for item in &mut items {
                    *item = Self::from_json(item);
                }
                Self::Array(items)
            }
            Value::Object(members) => {
                let mut read = serde_json::Map::new();
                for (name, mut value) in members {
                    read.insert(without_reordering(name), Self::from_json(&mut value));
                }
                Self::Object(read)
            }
            other => other,
        }
    }
}

impl FromJson for bool {
    fn from_json(value: &mut Value) -> Self {
        matches!(value, Value::Bool(true))
    }
}

impl FromJson for i64 {
    fn from_json(value: &mut Value) -> Self {
        value.as_i64().unwrap_or_default()
    }
}

impl FromJson for i32 {
    fn from_json(value: &mut Value) -> Self {
        i64::from_json(value).try_into().unwrap_or_default()
    }
}

impl FromJson for u32 {
    fn from_json(value: &mut Value) -> Self {
        i64::from_json(value).try_into().unwrap_or_default()
    }
}

impl FromJson for u16 {
    fn from_json(value: &mut Value) -> Self {
        i64::from_json(value).try_into().unwrap_or_default()
    }
}

impl FromJson for u64 {
    fn from_json(value: &mut Value) -> Self {
        value.as_u64().unwrap_or_default()
    }
}

impl FromJson for Number {
    fn from_json(value: &mut Value) -> Self {
        Self(value.as_f64().unwrap_or_default())
    }
}

impl FromJson for DrivesAiops {
    fn from_json(value: &mut Value) -> Self {
        match value.as_str() {
            Some("yes") => Self::Yes,
            Some("no") => Self::No,
            _ => Self::Unknown,
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &mut Value) -> Self {
        (!value.is_null()).then(|| T::from_json(value))
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: &mut Value) -> Self {
        Self::new(T::from_json(value))
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &mut Value) -> Self {
        match value {
            Value::Array(items) => items.iter_mut().map(T::from_json).collect(),
            _ => Self::new(),
        }
    }
}

impl FromJson for StringMap {
    fn from_json(value: &mut Value) -> Self {
        pairs(value)
    }
}

impl FromJson for BTreeMap<String, u64> {
    fn from_json(value: &mut Value) -> Self {
        pairs(value)
    }
}

fn pairs<T: FromJson>(value: &mut Value) -> BTreeMap<String, T> {
    let mut pairs = BTreeMap::new();
    if let Value::Object(members) = value.take() {
        for (name, mut value) in members {
            pairs.insert(without_reordering(name), T::from_json(&mut value));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{FromJson, MEMBERS, member};
    use opsdeck_api::{
        instance::{DrivesAiops, InstanceDetail},
        remediation::RemediationDetail,
    };
    use serde::{
        Deserialize, Deserializer,
        de::{Visitor, value::Error},
        forward_to_deserialize_any,
    };
    use serde_json::{Value, json};

    /// Asks a type for the names that serde's derived reader knows, and gives it nothing.
    struct Names<'a>(&'a mut Vec<&'static str>);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(serde::de::Error::custom("nothing to read"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            self.deserialize_any(visitor)
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    fn assert_agrees<T: for<'de> Deserialize<'de>>() {
        let mut names = Vec::new();
        assert!(T::deserialize(Names(&mut names)).is_err());
        let this = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
        let (_, ours) = MEMBERS
            .iter()
            .find(|(name, _)| *name == this)
            .expect("a type that is read");
        assert_eq!(*ours, names, "{this}");
    }

    #[test]
    fn the_names_are_those_of_the_contract() {
        macro_rules! agree {
            ($($type:ident)*) => { $(assert_agrees::<super::$type>();)* };
        }
        agree! {
            Acknowledged Action AgenticStep AnalyticsSummary ApprovalItem BlastRadius ChangeWindow Condition Decision
            Evidence EvidenceItem ExecutedAction Feedback IncidentItem InsightItem InstanceItem IssueName ListMeta
            PostMortemItem RemediationItem RequestedAction ResourceRef ServerInfo Snoozed SuggestedAction TimelineItem
            Tls TrendPoint Vote WhoAmI
        }
    }

    #[test]
    fn flattened_objects_are_read_as_serde_reads_them() {
        let plan = json!({
            "name": "p", "namespace": "n", "issueRef": "i", "attempt": 2, "strategy": "s", "state": "Failed",
            "agenticMode": true, "agenticStepCount": 1, "actions": [{"type": "DeletePod", "params": {"pod": "x"}}],
            "creationTimestamp": "t", "safetyConstraints": ["no"], "rollbackPerformed": true, "rollbackResult": "r",
            "evidence": [{"type": "e", "data": "d", "timestamp": "t"}],
            "agenticHistory": [{"stepNumber": 1, "aiMessage": "m", "observation": "o", "timestamp": "t"}],
        });
        let expected: RemediationDetail = serde_json::from_value(plan.clone()).unwrap();
        assert_eq!(RemediationDetail::from_json(&mut plan.clone()), expected);

        let instance = json!({
            "name": "p", "namespace": "n", "ready": true, "replicas": 2, "readyReplicas": 1, "provider": "OPENAI",
            "model": null, "version": "v1", "serverReachable": false, "conditions": [], "firstFailed": null,
            "drivesAIOps": "no", "drivesAIOpsReason": "r", "creationTimestamp": "t", "image": "i", "endpoint": "e",
            "tls": {"enabled": true, "secretName": "s", "clientCASecretName": null}, "probedAt": "t",
            "observedGeneration": 3, "resources": {"limits.cpu": "1"}, "env": {"A": "***"}, "settings": {},
        });
        let expected: InstanceDetail = serde_json::from_value(instance.clone()).unwrap();
        assert_eq!(InstanceDetail::from_json(&mut instance.clone()), expected);
    }

    #[test]
    fn nothing_in_any_json_reads_otherwise_than_it_runs() {
        let mut value = json!({"a\u{202e}": ["\u{2066}b", {"c": "d\u{202c}"}], "n": 1.5});
        let expected = json!({"a\u{fffd}": ["\u{fffd}b", {"c": "d\u{fffd}"}], "n": 1.5});
        assert_eq!(Value::from_json(&mut value), expected);
    }

    #[test]
    fn what_is_missing_or_of_another_type_reads_as_empty() {
        let mut value = json!({"name": 7, "items": null, "maybe": null, "drives": "perhaps"});
        assert_eq!(member::<String>(&mut value, "name"), "");
        assert_eq!(member::<Vec<String>>(&mut value, "items"), Vec::<String>::new());
        assert_eq!(member::<Option<String>>(&mut value, "maybe"), None);
        assert_eq!(member::<DrivesAiops>(&mut value, "drives"), DrivesAiops::Unknown);
        assert_eq!(member::<u64>(&mut Value::Null, "anything"), 0);
    }
}
