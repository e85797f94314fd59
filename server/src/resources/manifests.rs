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
    let body = serde_saphyr::to_string(crd).expect("a manifest holds maps with text keys, lists and scalars only");
    format!("---\n{body}")
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
