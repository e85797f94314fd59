//! What an API server would not take of an object: what its schema refuses, and Kubernetes' own rules for names, labels and annotations.
//! The schemas are those of the manifests. Wrong types are found by reading; patterns, which conditions alone have, are not looked at.

use super::{Invalid, Kind, manifests};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::LazyLock};

static SCHEMAS: LazyLock<HashMap<Kind, Value>> = LazyLock::new(|| {
    let schema = |kind| Some((kind, manifests::schema(kind)?));
    Kind::ALL.into_iter().filter_map(schema).collect()
});

/// In bytes, keys and values together.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// Every reason to refuse the object; none for one that an API server would take.
pub fn refusals(kind: Kind, object: &Value) -> Vec<Invalid> {
    let mut found = Vec::new();
    if let Some(Value::Object(metadata)) = object.get("metadata") {
        check_metadata(metadata, &mut found);
    }
    if let Some(schema) = SCHEMAS.get(&kind) {
        check(schema, object, "", &mut found);
    }
    found
}

fn check(schema: &Value, value: &Value, at: &str, found: &mut Vec<Invalid>) {
    let mut refuse = |message: String| {
        found.push(Invalid {
            field: at.to_owned(),
            message,
        });
    };
    if let Some(words) = schema["enum"].as_array()
        && value.is_string()
        && !words.contains(value)
    {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
        refuse(format!("{value} is none of {}", words.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        if let Some(least) = schema["minimum"].as_f64().filter(|least| number < *least) {
            refuse(format!("must be at least {least}"));
        }
        if let Some(most) = schema["maximum"].as_f64().filter(|most| number > *most) {
            refuse(format!("must be at most {most}"));
        }
    }
    if let Some(text) = value.as_str() {
        let length = text.chars().count() as u64;
        if let Some(least) = schema["minLength"].as_u64().filter(|least| length < *least) {
            refuse(format!("must be at least {least} characters long"));
        }
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| length > *most) {
            refuse(format!("must be at most {most} characters long"));
        }
    }
    match value {
        Value::Object(members) => check_members(schema, members, at, found),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check(&schema["items"], item, &format!("{at}[{index}]"), found);
            }
        }
        _ => {}
    }
}

fn check_members(schema: &Value, members: &Map<String, Value>, at: &str, found: &mut Vec<Invalid>) {
    let below = |name: &str| match at {
        "" => name.to_owned(),
        at => format!("{at}.{name}"),
    };
    // A null says that there is no value.
    let given = |name: &str| members.get(name).filter(|value| !value.is_null());
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if given(name).is_none() && schema["properties"][name].get("default").is_none() {
            found.push(Invalid {
                field: below(name),
                message: "is required".into(),
            });
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = given(name) {
            check(schema, value, &below(name), found);
        }
    }
    if schema["additionalProperties"].is_object() {
        for (name, value) in members {
            check(&schema["additionalProperties"], value, &below(name), found);
        }
    }
}

fn check_metadata(metadata: &Map<String, Value>, found: &mut Vec<Invalid>) {
    let mut refuse = |member: &str, message: String| {
        found.push(Invalid {
            field: format!("metadata.{member}"),
            message,
        });
    };
    let text = |member: &str| metadata.get(member).and_then(Value::as_str);
    let texts = |member: &str| {
        let members = metadata.get(member).and_then(Value::as_object).into_iter().flatten();
        members.filter_map(|(key, value)| Some((key, value.as_str()?)))
    };
    if text("name").is_some_and(|name| !is_subdomain(name)) {
        let message = "must be lower-case letters, digits, - and ., begin and end with a letter or digit, and be at most 253 long";
        refuse("name", message.into());
    }
    if text("namespace").is_some_and(|namespace| !is_label(namespace)) {
        let message =
            "must be lower-case letters, digits and -, begin and end with a letter or digit, and be at most 63 long";
        refuse("namespace", message.into());
    }
    const KEY: &str = "the key must be letters, digits, -, _ and ., at most 63, after a domain and / or nothing";
    for (key, value) in texts("labels") {
        if !is_qualified(key) {
            refuse("labels", format!("{key:?}: {KEY}"));
        } else if !(value.is_empty() || is_word(value)) {
            let message =
                "must be letters, digits, -, _ and ., begin and end with a letter or digit, and be at most 63 long";
            refuse("labels", format!("{value:?}: {message}"));
        }
    }
    let mut size = 0;
    for (key, value) in texts("annotations") {
        size += key.len() + value.len();
        if !is_qualified(&key.to_lowercase()) {
            refuse("annotations", format!("{key:?}: {KEY}"));
        }
    }
    if size > MOST_ANNOTATIONS {
        refuse("annotations", "are more than 256 KiB together".into());
    }
}

/// RFC 1123, as names of objects.
fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_part)
}

/// RFC 1123, as names of namespaces.
fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_part(text)
}

fn is_part(text: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    is_framed(text, |byte| alphanumeric(byte), |byte| *byte == b'-')
}

/// The key of a label.
fn is_qualified(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_word(name),
        None => is_word(key),
    }
}

fn is_word(text: &str) -> bool {
    text.len() <= 63 && is_framed(text, u8::is_ascii_alphanumeric, |byte| b"-_.".contains(byte))
}

/// Not empty, with one sort of bytes at both ends and both sorts between.
fn is_framed(text: &str, ends: impl Fn(&u8) -> bool, between: impl Fn(&u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(&ends)
        && bytes.last().is_some_and(&ends)
        && bytes.iter().all(|byte| ends(byte) || between(byte))
}

#[cfg(test)]
mod tests {
    use super::refusals;
    use crate::resources::Kind;
    use serde_json::{Value, json};

    fn runbook() -> Value {
        json!({
            "metadata": {"name": "restart", "namespace": "shop"},
            "spec": {
                "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": ""},
                "steps": [{"name": "", "action": ""}],
            },
        })
    }

    fn fields(kind: Kind, object: &Value) -> Vec<String> {
        refusals(kind, object)
            .into_iter()
            .map(|refused| refused.field)
            .collect()
    }

    #[test]
    fn what_an_api_server_takes_is_taken() {
        let mut odd = runbook();
        assert_eq!(fields(Kind::Runbook, &odd), Vec::<String>::new());
        odd["spec"]["maxAttempts"] = json!(-3);
        odd["spec"]["unknown"] = json!({"member": null});
        odd["spec"]["description"] = Value::Null;
        odd["metadata"]["name"] = json!("a.b-c.1");
        odd["metadata"]["labels"] = json!({"app.kubernetes.io/Name": "x_Y.z", "team": ""});
        assert_eq!(fields(Kind::Runbook, &odd), Vec::<String>::new());
    }

    #[test]
    fn all_that_is_wrong_is_named_at_once() {
        let broken = json!({
            "metadata": {"name": "Restart", "namespace": "a.b", "labels": {"-x": "", "team": "a b"}, "annotations": {"a/b/c": ""}},
            "spec": {"trigger": {"signalType": "tired", "severity": ""}},
        });
        assert_eq!(
            fields(Kind::Runbook, &broken),
            [
                "metadata.name",
                "metadata.namespace",
                "metadata.labels",
                "metadata.labels",
                "metadata.annotations",
                "spec.steps",
                "spec.trigger.resourceKind",
                "spec.trigger.severity",
                "spec.trigger.signalType",
            ]
        );
        let told = refusals(Kind::Runbook, &broken).pop().unwrap();
        assert!(
            told.message.starts_with(r#""tired" is none of pod_restart, "#),
            "{}",
            told.message
        );
    }

    #[test]
    fn limits_and_inner_objects_are_looked_at() {
        let postmortem = json!({
            "metadata": {"name": "pm", "namespace": "shop"},
            "spec": {
                "issueRef": {"name": "i"}, "severity": "high",
                "resource": {"kind": "Deployment", "name": "x", "namespace": "shop"},
            },
            "status": {
                "state": "Open", "feedback": {"remediationAccuracy": 6},
                "actionsExecuted": [{"action": "a", "result": "success", "detail": "", "timestamp": "2026-09-23T12:00:00Z"}, {}],
            },
        });
        let found = fields(Kind::PostMortem, &postmortem);
        assert!(
            found.contains(&"status.feedback.remediationAccuracy".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"status.actionsExecuted[1].action".to_owned()),
            "{found:?}"
        );
        assert!(
            !found.iter().any(|field| field.contains("actionsExecuted[0]")),
            "{found:?}"
        );
    }

    #[test]
    fn names_and_keys_have_a_length() {
        let mut long = runbook();
        long["metadata"]["name"] = json!("a".repeat(254));
        long["metadata"]["labels"] = json!({"a".repeat(64): "", "b": "b".repeat(64)});
        assert_eq!(fields(Kind::Runbook, &long).len(), 3);
        long["metadata"] = json!({"name": "a".repeat(253), "labels": {"a".repeat(63): "b".repeat(63)}});
        assert_eq!(fields(Kind::Runbook, &long), Vec::<String>::new());
        long["metadata"] = json!({"name": "a", "annotations": {"a": "b".repeat(256 * 1024)}});
        assert_eq!(fields(Kind::Runbook, &long), ["metadata.annotations"]);
    }
}
