//! Instance → instance.

#[cfg(test)]
mod tests;

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{
        AIInsight, Instance, Issue, Typed, moment, shared::Condition as StoredCondition, vocabulary::ConditionStatus,
    },
    rules::{
        drives_aiops::{Driver, MEMORY, Name, Trace},
        masking,
    },
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{EnvVar, ResourceRequirements};
use opsdeck_api::{
    StringMap,
    instance::{Condition, InstanceDetail, InstanceItem, Tls},
};
use serde_json::Value;
use std::sync::Arc;

/// What has to hold, each resting on those before it.
const CONDITIONS: [&str; 5] = [
    "TLSConfigured",
    "AuthenticationConfigured",
    "OperatorCredentialConfigured",
    "Available",
    "ServerReachable",
];

const INSTANCE: &str = "platform.chatcli.io/instance";
const INSTANCE_NAMESPACE: &str = "platform.chatcli.io/instance-namespace";
const DEFAULT_PORT: i32 = 50051;

pub fn instance_item(instance: &Instance, driver: &Driver) -> InstanceItem {
    let (meta, spec, status) = (&instance.metadata, &instance.spec, instance.status.as_ref());
    let ready = is_ready(instance);
    let (drives_aiops, drives_aiops_reason) = driver.verdict(&name_of(instance), ready);
    InstanceItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        ready,
        replicas: status.map_or(spec.replicas, |status| status.replicas),
        ready_replicas: status.map_or(0, |status| status.ready_replicas),
        provider: spec.provider.clone(),
        model: wire::text(&spec.model),
        version: status.and_then(|status| wire::text(&status.server_version)),
        server_reachable: reachable(instance),
        conditions: CONDITIONS.iter().map(|aspect| condition(instance, aspect)).collect(),
        first_failed: first_failed(instance).map(str::to_owned),
        drives_aiops,
        drives_aiops_reason,
        creation_timestamp: wire::created_or_zero(meta),
        labels: wire::labels(meta),
        annotations: wire::annotations(meta),
    }
}

/// The item, as the list has it, and what else a person asks of one Instance.
pub fn instance_detail(instance: &Instance, item: InstanceItem) -> InstanceDetail {
    let (spec, status) = (&instance.spec, instance.status.as_ref());
    let server = spec.server.as_deref();
    let tls = server.and_then(|server| server.tls.clone()).unwrap_or_default();
    InstanceDetail {
        image: spec.image.as_ref().map(|image| match &*image.tag {
            "" => image.repository.clone(),
            tag => format!("{}:{tag}", image.repository),
        }),
        endpoint: format!(
            "{}.{}.svc.cluster.local:{}",
            item.name,
            item.namespace,
            server.map_or(DEFAULT_PORT, |server| server.port)
        ),
        tls: Tls {
            enabled: tls.enabled,
            secret_name: wire::text(&tls.secret_name),
            client_ca_secret_name: wire::text(&tls.client_ca_secret_name),
        },
        probed_at: status.and_then(|status| status.server_probe_time).map(moment::written),
        observed_generation: status
            .map(|status| status.observed_generation)
            .filter(|&generation| generation != 0),
        resources: spec.resources.as_deref().map(resources).unwrap_or_default(),
        env: spec
            .extra_env
            .iter()
            .map(|variable| (variable.name.clone(), environment(variable)))
            .collect(),
        settings: settings(instance),
        item,
    }
}

/// Which Instance drives the pipeline, from what is known at that moment.
fn driver(context: &Context<'_>) -> Driver {
    let ready: Vec<Name> = context
        .all::<Instance>()
        .filter(|instance| is_ready(instance))
        .map(|instance| name_of(instance))
        .collect();
    let issue = newest_trace(context.newest_first::<Issue>(), "incident", context.now);
    let insight = newest_trace(context.newest_first::<AIInsight>(), "insight", context.now);
    let newest = issue.into_iter().chain(insight).max_by_key(|trace| trace.at);
    Driver::find(&ready, newest.as_ref(), context.now)
}

/// The newest object with the label of an Instance; those older than the rule remembers are not looked at.
fn newest_trace<'a, K: Typed>(objects: impl Iterator<Item = &'a Arc<K>>, kind: &str, now: Timestamp) -> Option<Trace> {
    objects
        .map_while(|object| Some((object, object.created()?)))
        .take_while(|(_, created)| now.duration_since(*created) <= MEMORY)
        .find_map(|(object, created)| {
            Some(Trace {
                left_by: format!("{kind} {}/{}", object.namespace(), object.name()),
                at: created,
                instance: Name {
                    name: object.label(INSTANCE)?.to_owned(),
                    namespace: object
                        .label(INSTANCE_NAMESPACE)
                        .unwrap_or(object.namespace())
                        .to_owned(),
                },
            })
        })
}

fn name_of(instance: &Instance) -> Name {
    Name {
        namespace: wire::namespace(&instance.metadata),
        name: wire::name(&instance.metadata),
    }
}

fn is_ready(instance: &Instance) -> bool {
    instance.status.as_ref().is_some_and(|status| status.ready)
}

fn stored<'a>(instance: &'a Instance, aspect: &str) -> Option<&'a StoredCondition> {
    instance
        .status
        .as_ref()?
        .conditions
        .iter()
        .find(|condition| condition.aspect == aspect)
}

/// Whether the server answers; unknown where it was not probed.
fn reachable(instance: &Instance) -> Option<bool> {
    match stored(instance, "ServerReachable")?.status {
        ConditionStatus::True => Some(true),
        ConditionStatus::False => Some(false),
        _ => None,
    }
}

/// The first of the five that is not True, be it absent.
fn first_failed(instance: &Instance) -> Option<&'static str> {
    let holds =
        |aspect: &str| stored(instance, aspect).is_some_and(|condition| condition.status == ConditionStatus::True);
    CONDITIONS.into_iter().find(|aspect| !holds(aspect))
}

fn condition(instance: &Instance, aspect: &str) -> Condition {
    match stored(instance, aspect) {
        Some(condition) => Condition {
            kind: aspect.to_owned(),
            status: condition.status.to_string(),
            reason: wire::text(&condition.reason),
            message: wire::text(&condition.message),
            last_transition_time: condition.last_transition_time.map(moment::written),
        },
        None => {
            // The operator takes this one away when there is nothing to configure; say so, or it looks like a fault.
            let off = aspect == CONDITIONS[0] && !tls_enabled(instance);
            Condition {
                kind: aspect.to_owned(),
                status: "Unknown".into(),
                reason: off.then(|| "TLSDisabled".into()),
                message: off.then(|| "TLS is switched off for this Instance".into()),
                last_transition_time: None,
            }
        }
    }
}

fn tls_enabled(instance: &Instance) -> bool {
    instance
        .spec
        .server
        .as_ref()
        .and_then(|server| server.tls.as_ref())
        .is_some_and(|tls| tls.enabled)
}

fn resources(resources: &ResourceRequirements) -> StringMap {
    let groups = [("requests", &resources.requests), ("limits", &resources.limits)];
    groups
        .into_iter()
        .flat_map(|(group, quantities)| {
            quantities
                .iter()
                .flatten()
                .map(move |(name, quantity)| (format!("{group}.{name}"), quantity.0.clone()))
        })
        .collect()
}

/// The value itself may be a credential; where it comes from is not.
fn environment(variable: &EnvVar) -> String {
    let Some(source) = &variable.value_from else {
        return variable
            .value
            .as_deref()
            .filter(|value| !value.is_empty())
            .map_or(String::new(), |_| masking::MASK.into());
    };
    if let Some(key) = &source.secret_key_ref {
        return format!("Secret {}, key {}", key.name, key.key);
    }
    if let Some(key) = &source.config_map_key_ref {
        return format!("ConfigMap {}, key {}", key.name, key.key);
    }
    if let Some(field) = &source.field_ref {
        return format!("field {}", field.field_path);
    }
    match &source.resource_field_ref {
        Some(field) => format!("resource {}", field.resource),
        None => "elsewhere".into(),
    }
}

/// The rest of the specification, one line a member. What is shown in a place of its own is left out.
fn settings(instance: &Instance) -> StringMap {
    const ELSEWHERE: [&str; 6] = ["replicas", "provider", "model", "image", "resources", "extraEnv"];
    let mut lines = StringMap::new();
    if let Ok(Value::Object(spec)) = serde_json::to_value(&instance.spec) {
        for (name, value) in spec.iter().filter(|(name, _)| !ELSEWHERE.contains(&name.as_str())) {
            flatten(name, name, value, &mut lines);
        }
    }
    lines.retain(|path, _| path != "server.port" && !path.starts_with("server.tls."));
    lines
}

/// `name` is what decides about masking: of an element of a list, that of the list.
fn flatten(path: &str, name: &str, value: &Value, lines: &mut StringMap) {
    match value {
        Value::Object(members) => match secret_reference(members) {
            Some(reference) => {
                lines.insert(path.to_owned(), reference);
            }
            None => {
                for (member, value) in members {
                    let inherited = if name == "env" { name } else { member };
                    flatten(&format!("{path}.{member}"), inherited, value, lines);
                }
            }
        },
        Value::Array(elements) if elements.iter().all(|element| !element.is_object()) => {
            let words: Vec<String> = elements.iter().map(|element| shown(name, element)).collect();
            if !words.is_empty() {
                lines.insert(path.to_owned(), words.join(", "));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                flatten(&format!("{path}.{}", index + 1), name, element, lines);
            }
        }
        Value::Null => {}
        scalar => {
            lines.insert(path.to_owned(), shown(name, scalar));
        }
    }
}

/// `{name, key}` names an entry of a Secret and nothing that has to be hidden.
fn secret_reference(members: &serde_json::Map<String, Value>) -> Option<String> {
    let (name, key) = (members.get("name")?.as_str()?, members.get("key")?.as_str()?);
    (members.len() == 2).then(|| format!("Secret {name}, key {key}"))
}

/// Arguments and addresses of tool servers may carry credentials under any name.
fn shown(name: &str, value: &Value) -> String {
    let hidden = matches!(name, "env" | "args") || masking::names_credential(name);
    match value {
        _ if hidden => masking::MASK.into(),
        Value::String(text) => masking::without_urls(text),
        other => other.to_string(),
    }
}

fn next_minute(now: Timestamp) -> Option<Timestamp> {
    let minute = now.as_second().div_euclid(60) + 1;
    Timestamp::from_second(minute.checked_mul(60)?).ok()
}

impl Project for Instance {
    const FACETS: &'static [&'static str] = &["ready", "provider"];

    const SORTABLE: &'static [&'static str] = &[
        "ready",
        "replicas",
        "readyReplicas",
        "provider",
        "model",
        "version",
        "serverReachable",
        "firstFailed",
    ];

    fn project(&self, context: &Context<'_>) -> Projection {
        let item = instance_item(self, &driver(context));
        let failing = item.conditions.iter().any(|condition| condition.status == "False");
        let need = match (item.ready, failing) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        Projection::of(&item)
            .text([&*item.provider, item.model.as_deref().unwrap_or_default()])
            .need(need)
            .until(next_minute(context.now))
            .flag("ready", item.ready)
            .facet("provider", item.provider)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        match member {
            "ready" => is_ready(&row.object).into(),
            "replicas" => status.map_or(spec.replicas, |status| status.replicas).into(),
            "readyReplicas" => status.map_or(0, |status| status.ready_replicas).into(),
            "provider" => spec.provider.as_str().into(),
            "model" => spec.model.as_str().into(),
            "version" => status.map_or("", |status| status.server_version.as_str()).into(),
            "serverReachable" => reachable(&row.object).into(),
            "firstFailed" => first_failed(&row.object).into(),
            _ => SortKey::Absent,
        }
    }
}
