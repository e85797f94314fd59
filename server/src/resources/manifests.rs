//! The manifests that define the custom resources in a cluster, made from the Rust types.

use super::*;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceValidation, JSONSchemaProps,
};
use kube::{
    CustomResourceExt,
    core::object::{HasSpec, HasStatus},
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::json;

/// The definitions of all custom resources.
pub fn crds() -> Vec<CustomResourceDefinition> {
    Kind::ALL
        .into_iter()
        .filter_map(definition)
        .map(Definition::into_crd)
        .collect()
}

/// The same as one YAML text of several documents, fit for `kubectl apply`.
pub fn crd_manifests() -> String {
    crds().iter().map(manifest).collect()
}

/// The schema of a custom resource.
pub(super) fn schema(kind: Kind) -> Option<Value> {
    definition(kind).map(|definition| definition.schema)
}

fn manifest(crd: &CustomResourceDefinition) -> String {
    let mut manifest = serde_json::to_value(crd).expect("a manifest is plain data");
    write_whole_numbers(&mut manifest);
    let body = serde_saphyr::to_string(&manifest).expect("a manifest is plain data");
    format!("---\n{body}")
}

/// Kubernetes' type of a schema holds limits as floats; `maximum: 100.0` is nothing that people would write.
fn write_whole_numbers(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(write_whole_numbers),
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers),
        Value::Number(number) => {
            if let Some(float) = number.as_f64()
                && float.fract() == 0.0
            {
                *value = json!(float as i64);
            }
        }
        _ => {}
    }
}

struct Definition {
    crd: CustomResourceDefinition,
    schema: Value,
}

fn definition(kind: Kind) -> Option<Definition> {
    Some(match kind {
        Kind::AIInsight => with_status::<AIInsight>(),
        Kind::Anomaly => with_status::<Anomaly>(),
        Kind::ApprovalPolicy => with_status::<ApprovalPolicy>(),
        Kind::ApprovalRequest => with_status::<ApprovalRequest>(),
        Kind::AuditEvent => spec_only::<AuditEvent>(),
        Kind::ChaosExperiment => with_status::<ChaosExperiment>(),
        Kind::ClusterRegistration => with_status::<ClusterRegistration>(),
        Kind::EscalationPolicy => with_status::<EscalationPolicy>(),
        Kind::IncidentSLA => with_status::<IncidentSLA>(),
        Kind::Instance => with_status::<Instance>(),
        Kind::Issue => with_status::<Issue>(),
        Kind::NotificationPolicy => with_status::<NotificationPolicy>(),
        Kind::PostMortem => with_status::<PostMortem>(),
        Kind::RemediationPlan => with_status::<RemediationPlan>(),
        Kind::Runbook => spec_only::<Runbook>(),
        Kind::ServiceLevelObjective => with_status::<ServiceLevelObjective>(),
        Kind::SourceRepository => with_status::<SourceRepository>(),
        Kind::Deployment | Kind::ConfigMap => return None,
    })
}

fn spec_only<K: CustomResourceExt + HasSpec<Spec: JsonSchema>>() -> Definition {
    let mut spec = part::<K::Spec>();
    let description = spec.remove("description");
    let schema = json!({
        "type": "object",
        "description": description,
        "required": ["spec"],
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": spec,
        },
    });
    Definition { crd: K::crd(), schema }
}

fn with_status<K>() -> Definition
where
    K: CustomResourceExt + HasSpec<Spec: JsonSchema> + HasStatus<Status: JsonSchema>,
{
    let mut definition = spec_only::<K>();
    definition.schema["properties"]["status"] = part::<K::Status>().into();
    definition
}

impl Definition {
    fn into_crd(mut self) -> CustomResourceDefinition {
        let schema: JSONSchemaProps =
            serde_json::from_value(self.schema).expect("the schemas are Kubernetes' own form");
        for version in &mut self.crd.spec.versions {
            version.schema = Some(CustomResourceValidation {
                open_api_v3_schema: Some(schema.clone()),
            });
        }
        self.crd
    }
}

/// The schema of spec or status. It describes what we write rather than what we accept, because reading is tolerant:
/// what is always written is required.
fn part<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::openapi3().for_serialize();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.transforms.clear();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    make_structural(&mut schema);
    schema
}

/// Brings a schema into the form that Kubernetes demands. That knows no null: a member without a value is left out.
fn make_structural(schema: &mut Schema) {
    transform_subschemas(&mut make_structural, schema);
    schema.remove("title");
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        variants.retain(|variant| variant["type"] != "null");
        if let [only] = &mut variants[..] {
            let only = only.take();
            schema.remove("anyOf");
            if let Value::Object(only) = only {
                for (key, value) in only {
                    schema.ensure_object().entry(key).or_insert(value);
                }
            }
        }
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    // `Default` of the Rust types is the empty object, which is nobody's default but Rust's.
    if schema.get("default").is_some_and(is_empty) {
        schema.remove("default");
    }
    if let Some(default) = schema.remove("x-default") {
        schema.insert("default".into(), default);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Object(_) | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_as_recorded() {
        for crd in crds() {
            insta::assert_snapshot!(crd.spec.names.plural.clone(), manifest(&crd));
        }
    }

    #[test]
    fn manifests_are_one_text() {
        let documents: Vec<Value> = serde_saphyr::from_multiple(&crd_manifests()).unwrap();
        let names: Vec<_> = documents
            .iter()
            .map(|document| document["metadata"]["name"].as_str().unwrap())
            .collect();
        let expected: Vec<_> = Kind::ALL
            .into_iter()
            .filter(|kind| kind.api_version() == API_VERSION)
            .map(|kind| format!("{}.{GROUP}", kind.plural()))
            .collect();
        assert_eq!(names, expected);
    }

    /// Plural, short name, status sub-resource and columns of every kind, as `kubectl get` has to show them.
    const LISTED: [(Kind, &str, &str); 17] = [
        (
            Kind::AIInsight,
            "ai",
            "Issue=.spec.issueRef.name Provider=.spec.provider Confidence=.status.confidence",
        ),
        (
            Kind::Anomaly,
            "anom",
            "Source=.spec.source Signal=.spec.signalType Correlated=.status.correlated",
        ),
        (
            Kind::ApprovalPolicy,
            "ap",
            "DefaultMode=.spec.defaultMode Enabled=.spec.enabled Approved=.status.totalApproved \
             Rejected=.status.totalRejected",
        ),
        (
            Kind::ApprovalRequest,
            "ar",
            "Issue=.spec.issueRef.name Plan=.spec.remediationPlanRef State=.status.state Rule=.spec.ruleName",
        ),
        (
            Kind::AuditEvent,
            "ae",
            "EventType=.spec.eventType Actor=.spec.actor.name Resource=.spec.resource.name Severity=.spec.severity",
        ),
        (
            Kind::ChaosExperiment,
            "chaos",
            "Type=.spec.experimentType Target=.spec.target.name State=.status.state Duration=.spec.duration",
        ),
        (
            Kind::ClusterRegistration,
            "cr",
            "DisplayName=.spec.displayName Region=.spec.region Environment=.spec.environment \
             Connected=.status.connected Nodes=.status.nodeCount",
        ),
        (
            Kind::EscalationPolicy,
            "ep",
            "Default=.spec.defaultPolicy Enabled=.spec.enabled",
        ),
        (
            Kind::IncidentSLA,
            "sla",
            "Severity=.spec.severity ResponseTime=.spec.responseTime ResolutionTime=.spec.resolutionTime \
             Compliance%=.status.compliancePercentage Violations=.status.totalViolations",
        ),
        (
            Kind::Instance,
            "inst",
            "Ready=.status.ready Replicas=.status.replicas Provider=.spec.provider Version=.status.serverVersion",
        ),
        (
            Kind::Issue,
            "iss",
            "Severity=.spec.severity State=.status.state Risk=.spec.riskScore",
        ),
        (
            Kind::NotificationPolicy,
            "np",
            "Enabled=.spec.enabled Sent=.status.totalSent Failed=.status.failedCount",
        ),
        (
            Kind::PostMortem,
            "pm",
            "Issue=.spec.issueRef.name Severity=.spec.severity State=.status.state",
        ),
        (
            Kind::RemediationPlan,
            "rp",
            "Issue=.spec.issueRef.name Attempt=.spec.attempt State=.status.state",
        ),
        (
            Kind::Runbook,
            "rb",
            "Signal=.spec.trigger.signalType Severity=.spec.trigger.severity ResourceKind=.spec.trigger.resourceKind",
        ),
        (
            Kind::ServiceLevelObjective,
            "slo",
            "Service=.spec.serviceName Target%=.spec.target.percentage Current=.status.currentValue \
             BudgetRemaining%=.status.errorBudgetRemainingPercentage BurnRate1h=.status.burnRate1h",
        ),
        (
            Kind::SourceRepository,
            "srcrepo",
            "URL=.spec.url Branch=.spec.branch Ready=.status.ready",
        ),
    ];

    #[test]
    fn kinds_are_listed_by_kubectl_as_documented() {
        for (kind, short_name, columns) in LISTED {
            let crd = definition(kind).unwrap().into_crd();
            let version = &crd.spec.versions[0];
            let listed: Vec<_> = version.additional_printer_columns.iter().flatten().collect();
            let columns = format!("{columns} Age=.metadata.creationTimestamp");
            let shown: Vec<_> = listed
                .iter()
                .map(|column| format!("{}={}", column.name, column.json_path))
                .collect();
            assert_eq!(shown.join(" "), columns, "{kind}");
            assert_eq!(crd.spec.names.short_names, Some(vec![short_name.to_owned()]), "{kind}");
            assert_eq!(
                (crd.spec.names.kind.as_str(), crd.spec.names.plural.as_str()),
                (kind.as_str(), kind.plural())
            );
            assert_eq!(
                (crd.spec.scope.as_str(), version.name.as_str()),
                ("Namespaced", "v1alpha1"),
                "{kind}"
            );
            assert_eq!(version.subresources.is_some(), kind.has_status(), "{kind}");
            for column in listed {
                assert_eq!(column.type_, type_at(kind, &column.json_path), "{kind} {}", column.name);
            }
        }
    }

    /// The column type that the schema's type at that path calls for.
    fn type_at(kind: Kind, json_path: &str) -> String {
        if json_path == ".metadata.creationTimestamp" {
            return "date".into();
        }
        let pointer = json_path.replace('.', "/properties/");
        schema(kind).unwrap().pointer(&pointer).unwrap()["type"]
            .as_str()
            .unwrap()
            .into()
    }

    #[test]
    fn schemas_are_structural() {
        const ALLOWED: [&str; 15] = [
            "additionalProperties",
            "default",
            "description",
            "enum",
            "format",
            "items",
            "maxLength",
            "maximum",
            "minLength",
            "minimum",
            "pattern",
            "properties",
            "required",
            "type",
            "x-kubernetes-int-or-string",
        ];
        fn check(schema: &Value, at: &str) {
            let members = schema.as_object().unwrap();
            for key in members.keys() {
                assert!(ALLOWED.contains(&key.as_str()), "{at}: {key}");
            }
            assert!(
                schema["type"].is_string() != members.contains_key("x-kubernetes-int-or-string"),
                "{at}: type"
            );
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    schema["properties"].get(required.as_str().unwrap()).is_some(),
                    "{at}: {required}"
                );
            }
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                check(schema, &format!("{at}.{name}"));
            }
            for key in ["items", "additionalProperties"] {
                if let Some(schema) = members.get(key) {
                    check(schema, &format!("{at}.{key}"));
                }
            }
        }
        for kind in Kind::ALL {
            if let Some(schema) = schema(kind) {
                check(&schema, kind.as_str());
            }
        }
    }

    #[test]
    fn words_are_closed_in_the_schema_and_open_in_reading() {
        let words = |kind, pointer: &str| {
            schema(kind)
                .unwrap()
                .pointer(pointer)
                .unwrap()
                .as_array()
                .unwrap()
                .len()
        };
        assert_eq!(words(Kind::Anomaly, "/properties/spec/properties/signalType/enum"), 24);
        assert_eq!(
            words(
                Kind::RemediationPlan,
                "/properties/spec/properties/actions/items/properties/type/enum"
            ),
            55
        );
        for word in ActionType::KNOWN {
            assert!(ActionType::from(*word).is_known());
            assert_eq!(ActionType::from(*word).as_str(), *word);
        }
    }
}
