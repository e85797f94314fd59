//! Reads objects from JSON, and says what is wrong or strange about them. What each kind demands is taken from the same
//! schemas that its manifest carries.

use super::{Invalid, Kind, Typed, manifests, moment};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::LazyLock,
};

/// Reads one object, or names the member that makes it impossible.
pub(super) fn read<T: Typed>(mut value: Value) -> Result<T, Invalid> {
    drop_nulls(&mut value);
    moment::bring_near::<T>(&mut value);
    let Some(object) = value.as_object() else {
        return Err(Invalid {
            field: ".".into(),
            message: "must be an object".into(),
        });
    };
    check_name(object)?;
    if let Some(Shape::Members(root)) = SHAPES.get(&T::KIND)
        && let Some(field) = missing_spec(root, object)
    {
        return Err(Invalid {
            field,
            message: "is required".into(),
        });
    }
    serde_path_to_error::deserialize(value).map_err(|error| Invalid {
        field: error.path().to_string(),
        message: error.into_inner().to_string(),
    })
}

/// What is strange about an object that can be read all the same: words and members that its schema does not know.
pub fn warnings(kind: Kind, object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(Shape::Members(root)), Some(object)) = (SHAPES.get(&kind), object.as_object()) {
        for part in ["spec", "status"] {
            if let (Some(member), Some(value)) = (root.get(part), object.get(part)) {
                member.shape.strange(
                    value,
                    &Path {
                        above: None,
                        step: Step::Member(part),
                    },
                    &mut found,
                );
            }
        }
    }
    found
}

/// A null says that there is no value, wherever it stands, as in Kubernetes.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn check_name(object: &Map<String, Value>) -> Result<(), Invalid> {
    let invalid = |message: &str| {
        Err(Invalid {
            field: "metadata.name".into(),
            message: message.into(),
        })
    };
    match object.get("metadata").and_then(|metadata| metadata.get("name")) {
        Some(Value::String(name)) if !name.is_empty() => Ok(()),
        Some(Value::String(_)) | None => invalid("is required"),
        Some(_) => invalid("must be a string"),
    }
}

/// The first member that the spec lacks. Only the spec is asked: what controllers write may be of an older release.
fn missing_spec(root: &BTreeMap<Box<str>, Member>, object: &Map<String, Value>) -> Option<String> {
    let path = Path {
        above: None,
        step: Step::Member("spec"),
    };
    match (root.get("spec"), object.get("spec")) {
        (Some(_), None) => Some(path.to_string()),
        (Some(member), Some(spec)) => member.shape.missing(spec, &path),
        (None, _) => None,
    }
}

static SHAPES: LazyLock<HashMap<Kind, Shape>> = LazyLock::new(|| {
    Kind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, Shape::from_schema(&manifests::schema(kind)?))))
        .collect()
});

/// As much of a schema as reading needs.
#[derive(Debug)]
enum Shape {
    /// Members by name.
    Members(BTreeMap<Box<str>, Member>),
    /// Any number of values by key.
    Values(Box<Shape>),
    /// Any number of values in a row.
    Items(Box<Shape>),
    /// One of these words.
    Word(Box<[Box<str>]>),
    /// Anything: numbers, texts, free parts.
    Any,
}

#[derive(Debug)]
struct Member {
    /// An author has to give it: it is required and nothing fills it in.
    demanded: bool,
    shape: Shape,
}

impl Shape {
    fn from_schema(schema: &Value) -> Self {
        let texts = |key: &str| schema[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(properties) = schema["properties"].as_object() {
            let members = properties.iter().map(|(name, schema)| {
                let demanded = texts("required").any(|required| required == name) && schema.get("default").is_none();
                (
                    name.as_str().into(),
                    Member {
                        demanded,
                        shape: Self::from_schema(schema),
                    },
                )
            });
            Self::Members(members.collect())
        } else if schema["additionalProperties"].is_object() {
            Self::Values(Box::new(Self::from_schema(&schema["additionalProperties"])))
        } else if schema["items"].is_object() {
            Self::Items(Box::new(Self::from_schema(&schema["items"])))
        } else if schema["enum"].is_array() {
            Self::Word(texts("enum").map(Into::into).collect())
        } else {
            Self::Any
        }
    }

    fn missing(&self, value: &Value, path: &Path<'_>) -> Option<String> {
        match (self, value) {
            (Self::Members(members), Value::Object(object)) => members.iter().find_map(|(name, member)| {
                let path = path.then(Step::Member(name));
                match object.get(&**name) {
                    Some(value) => member.shape.missing(value, &path),
                    None => member.demanded.then(|| path.to_string()),
                }
            }),
            (Self::Values(shape), Value::Object(object)) => object
                .iter()
                .find_map(|(name, value)| shape.missing(value, &path.then(Step::Member(name)))),
            (Self::Items(shape), Value::Array(items)) => items
                .iter()
                .enumerate()
                .find_map(|(at, value)| shape.missing(value, &path.then(Step::Item(at)))),
            _ => None,
        }
    }

    fn strange(&self, value: &Value, path: &Path<'_>, found: &mut Vec<String>) {
        match (self, value) {
            (Self::Members(members), Value::Object(object)) => {
                for (name, value) in object {
                    let path = path.then(Step::Member(name));
                    match members.get(name.as_str()) {
                        Some(member) => member.shape.strange(value, &path, found),
                        None => found.push(format!("{path} is unknown")),
                    }
                }
            }
            (Self::Values(shape), Value::Object(object)) => {
                for (name, value) in object {
                    shape.strange(value, &path.then(Step::Member(name)), found);
                }
            }
            (Self::Items(shape), Value::Array(items)) => {
                for (at, value) in items.iter().enumerate() {
                    shape.strange(value, &path.then(Step::Item(at)), found);
                }
            }
            (Self::Word(known), Value::String(word)) if !known.iter().any(|known| **known == **word) => {
                // What stands there instead may be anything, a secret too.
                found.push(format!("{path} is none of {}", known.join(", ")));
            }
            _ => {}
        }
    }
}

/// Where in an object a value stands; written out only when there is something to say about it.
struct Path<'a> {
    above: Option<&'a Path<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Member(&'a str),
    Item(usize),
}

impl Path<'_> {
    fn then<'a>(&'a self, step: Step<'a>) -> Path<'a> {
        Path {
            above: Some(self),
            step,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(f)?;
        }
        match self.step {
            Step::Member(name) if self.above.is_some() => write!(f, ".{name}"),
            Step::Member(name) => f.write_str(name),
            Step::Item(at) => write!(f, "[{at}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::*;
    use serde::Serialize;
    use serde_json::json;

    /// Objects of every kind, as `kubectl get -o yaml` prints them.
    fn recorded() -> Vec<(Kind, Value)> {
        let documents: Vec<Value> =
            serde_saphyr::from_multiple(include_str!("../../../conformance/dump.yaml")).unwrap();
        let objects = documents
            .into_iter()
            .flat_map(|mut document| match document["items"].take() {
                Value::Array(items) => items,
                _ => vec![document],
            });
        objects.map(|object| (kind_of(&object), object)).collect()
    }

    fn kind_of(object: &Value) -> Kind {
        Kind::from_api(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap()).unwrap()
    }

    fn issue() -> Value {
        json!({
            "metadata": { "name": "checkout-err", "namespace": "orchard" },
            "spec": {
                "severity": "high",
                "source": "watcher",
                "resource": { "kind": "Deployment", "name": "checkout", "namespace": "orchard" },
                "description": "too many errors",
            },
        })
    }

    fn parse<T: Typed>(value: Value) -> Arc<T> {
        let object = Object::parse(T::KIND, value).unwrap();
        assert_eq!(object.kind(), T::KIND);
        T::of(&object).unwrap().clone()
    }

    fn refused(kind: Kind, value: Value) -> (String, String) {
        let Invalid { field, message } = Object::parse(kind, value).unwrap_err();
        (field, message)
    }

    #[test]
    fn recorded_objects_read_and_have_nothing_strange_about_them() {
        let recorded = recorded();
        for kind in Kind::ALL {
            assert!(
                recorded.iter().any(|(recorded, _)| *recorded == kind),
                "no {kind} was recorded"
            );
        }
        for (kind, object) in recorded {
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            assert_eq!(warnings(kind, &object), Vec::<String>::new(), "{kind} {name}");
            let read = Object::parse(kind, object).unwrap();
            assert_eq!((read.kind(), read.address().name), (kind, name));
        }
    }

    #[test]
    fn what_was_read_is_written_again() {
        for (kind, object) in recorded() {
            let written = match Object::parse(kind, object.clone()).unwrap() {
                Object::AIInsight(read) => written(&*read),
                Object::Anomaly(read) => written(&*read),
                Object::ApprovalPolicy(read) => written(&*read),
                Object::ApprovalRequest(read) => written(&*read),
                Object::AuditEvent(read) => written(&*read),
                Object::ChaosExperiment(read) => written(&*read),
                Object::ClusterRegistration(read) => written(&*read),
                Object::EscalationPolicy(read) => written(&*read),
                Object::IncidentSLA(read) => written(&*read),
                Object::Instance(read) => written(&*read),
                Object::Issue(read) => written(&*read),
                Object::NotificationPolicy(read) => written(&*read),
                Object::PostMortem(read) => written(&*read),
                Object::RemediationPlan(read) => written(&*read),
                Object::Runbook(read) => written(&*read),
                Object::ServiceLevelObjective(read) => written(&*read),
                Object::SourceRepository(read) => written(&*read),
                Object::Deployment(read) => written(&*read),
                Object::ConfigMap(read) => written(&*read),
            };
            assert_holds(&written, &object, &format!("{kind} {}", object["metadata"]["name"]));
        }
    }

    /// Writes an object, and makes sure that the text means the same object.
    fn written<T: Typed + PartialEq + Serialize>(read: &T) -> Value {
        let written = serde_json::to_value(read).unwrap();
        assert_eq!(*parse::<T>(written.clone()), *read);
        written
    }

    /// Everything that the original says stands in the copy, save what says nothing. Times may change their zone.
    fn assert_holds(copy: &Value, original: &Value, at: &str) {
        match original {
            Value::Object(members) => {
                for (name, original) in members {
                    assert_holds(&copy[name.as_str()], original, &format!("{at}.{name}"));
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, original) in items.iter().enumerate() {
                    assert_holds(&copy[index], original, &format!("{at}[{index}]"));
                }
            }
            Value::Number(number) if !copy.is_null() => assert_eq!(copy.as_f64(), number.as_f64(), "{at}"),
            Value::String(text) if !text.is_empty() => match text.parse::<Timestamp>() {
                Ok(time) => assert_eq!(copy.as_str().and_then(|copy| copy.parse().ok()), Some(time), "{at}"),
                Err(_) => assert_eq!(copy, original, "{at}"),
            },
            Value::Bool(true) => assert_eq!(copy, original, "{at}"),
            _ => assert!(
                copy.is_null() || copy == original || *original == 0,
                "{at}: {copy} for {original}"
            ),
        }
    }

    #[test]
    fn a_moment_beyond_what_can_be_reckoned_with_is_the_nearest() {
        let mut object = issue();
        let end = "9999-12-31T23:59:59Z";
        object["metadata"]["creationTimestamp"] = end.into();
        object["metadata"]["annotations"] = json!({ "a/b": end });
        object["spec"]["description"] = end.into();
        object["status"] = json!({ "state": "Resolved", "detectedAt": "0000-01-01T00:00:00+02:00", "resolvedAt": end });
        let issue = parse::<Issue>(object);
        assert_eq!(issue.created(), Some(Timestamp::MAX));
        assert_eq!((issue.annotation("a/b"), &*issue.spec.description), (Some(end), end));
        let status = issue.status.clone().unwrap();
        assert_eq!(status.resolved_at, Some(Timestamp::MAX));
        assert_eq!(status.detected_at, Some("0000-01-01T00:00:00Z".parse().unwrap()));

        let event = parse::<AuditEvent>(json!({
            "metadata": { "name": "audit-1" },
            "spec": {
                "eventType": "issue_created", "severity": "info", "timestamp": end,
                "actor": { "type": "user", "name": "mira" }, "resource": { "kind": "Issue", "name": "x", "namespace": "orchard" },
            },
        }));
        let written = event.spec.timestamp.clone().unwrap();
        assert_eq!((written.as_str(), written.moment()), (end, Some(Timestamp::MAX)));
    }

    #[test]
    fn a_fresh_object_reads_without_status() {
        let issue = parse::<Issue>(issue());
        assert_eq!(
            (issue.name(), issue.namespace(), issue.created()),
            ("checkout-err", "orchard", None)
        );
        assert_eq!(issue.spec.severity, Severity::High);
        assert_eq!(issue.status, None);
    }

    #[test]
    fn status_may_lack_members() {
        let mut object = issue();
        object["status"] = json!({ "conditions": [{ "type": "Analyzing", "status": "True" }] });
        let status = parse::<Issue>(object).status.clone().unwrap();
        assert_eq!(status.state, IssueState::default());
        assert_eq!(status.max_remediation_attempts, 3);
        assert_eq!(status.conditions[0].status, ConditionStatus::True);
        assert_eq!(status.conditions[0].last_transition_time, None);
    }

    #[test]
    fn null_is_no_value() {
        let mut object = issue();
        object["metadata"]["labels"] = Value::Null;
        object["status"] = json!({ "state": "Analyzing", "resolvedAt": null, "resolution": null, "conditions": null });
        assert!(
            parse::<Issue>(object.clone())
                .status
                .as_ref()
                .unwrap()
                .conditions
                .is_empty()
        );
        object["spec"]["severity"] = Value::Null;
        assert_eq!(
            refused(Kind::Issue, object),
            ("spec.severity".into(), "is required".into())
        );
    }

    #[test]
    fn the_missing_member_of_a_spec_is_named() {
        let without = |pointer: &str, name: &str| {
            let mut object = issue();
            object
                .pointer_mut(pointer)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name);
            refused(Kind::Issue, object)
        };
        let required = |field: &str| (field.to_owned(), "is required".to_owned());
        assert_eq!(without("", "spec"), required("spec"));
        assert_eq!(without("", "metadata"), required("metadata.name"));
        assert_eq!(without("/metadata", "name"), required("metadata.name"));
        assert_eq!(without("/spec", "resource"), required("spec.resource"));
        assert_eq!(without("/spec/resource", "name"), required("spec.resource.name"));

        let runbook = json!({
            "metadata": { "name": "restart" },
            "spec": {
                "trigger": { "signalType": "latency", "severity": "low", "resourceKind": "Deployment" },
                "steps": [{ "name": "Restart", "action": "RestartDeployment" }, { "name": "Wait" }],
            },
        });
        assert_eq!(refused(Kind::Runbook, runbook), required("spec.steps[1].action"));
    }

    #[test]
    fn a_member_of_the_wrong_type_is_named() {
        let with = |pointer: &str, name: &str, value: Value| {
            let mut object = issue();
            object["status"] = json!({});
            object.pointer_mut(pointer).unwrap()[name] = value;
            refused(Kind::Issue, object)
        };
        let expected = |field: &str, message: &str| (field.to_owned(), message.to_owned());
        assert_eq!(
            with("/metadata", "name", json!(7)),
            expected("metadata.name", "must be a string")
        );
        assert_eq!(
            with("/spec/resource", "kind", json!(7)),
            expected("spec.resource.kind", "invalid type: integer `7`, expected a string")
        );
        assert_eq!(
            with("/spec", "severity", json!(["high"])),
            expected("spec.severity", "invalid type: sequence, expected a string")
        );
        assert_eq!(with("/spec", "riskScore", json!("9")).0, "spec.riskScore");
        assert_eq!(with("/status", "detectedAt", json!("yesterday")).0, "status.detectedAt");
        assert_eq!(
            with("/metadata", "labels", json!({ "team": 1 })).0,
            "metadata.labels.team"
        );
        assert_eq!(refused(Kind::Issue, json!([])), expected(".", "must be an object"));
    }

    #[test]
    fn unknown_words_and_members_are_kept_and_told() {
        let mut object = issue();
        object["spec"]["severity"] = json!("catastrophic");
        object["spec"]["resource"]["cluster"] = json!("west");
        object["status"] = json!({ "state": "Dreaming", "conditions": [{ "type": "X", "status": "Perhaps" }] });
        assert_eq!(
            warnings(Kind::Issue, &object),
            [
                "spec.resource.cluster is unknown",
                "spec.severity is none of critical, high, medium, low",
                "status.conditions[0].status is none of True, False, Unknown",
                "status.state is none of Detected, Analyzing, Remediating, Contained, Resolved, Escalated, Failed",
            ]
        );
        let issue = parse::<Issue>(object);
        assert_eq!(issue.spec.severity, Severity::Other("catastrophic".into()));
        assert_eq!(written(&*issue)["status"]["state"], "Dreaming");
    }

    #[test]
    fn what_an_author_left_out_is_filled_in_as_the_api_server_would() {
        let policy = parse::<ApprovalPolicy>(json!({
            "metadata": { "name": "guard" },
            "spec": { "rules": [{ "name": "all", "match": {}, "changeWindow": { "startHour": 22, "endHour": 6 } }] },
        }));
        let rule = &policy.spec.rules[0];
        let window = rule.change_window.as_ref().unwrap();
        assert!(policy.spec.enabled);
        assert_eq!(
            (rule.mode.as_str(), rule.required_approvers, rule.timeout_minutes),
            ("manual", 1, 30)
        );
        assert_eq!((window.timezone.as_str(), window.allowed_days.len()), ("UTC", 5));

        let instance = parse::<Instance>(json!({
            "metadata": { "name": "main" },
            "spec": { "provider": "OLLAMA", "server": { "metricsPort": 0 }, "mcp": { "servers": [] } },
        }));
        assert_eq!(instance.spec.replicas, 1);
        assert_eq!(
            instance
                .spec
                .server
                .as_ref()
                .map(|server| (server.port, server.metrics_port)),
            Some((50051, 0))
        );
        assert_eq!(written(&*instance)["spec"]["server"]["metricsPort"], 0);
    }

    #[test]
    fn an_empty_status_is_written_without_what_is_absent() {
        assert_eq!(serde_json::to_value(AIInsightStatus::default()).unwrap(), json!({}));
        assert_eq!(
            serde_json::to_value(RemediationPlanStatus::default()).unwrap(),
            json!({ "state": "" })
        );
    }

    #[test]
    fn only_the_cost_ledger_is_kept_of_config_maps() {
        assert!(Kind::ConfigMap.keeps(COST_LEDGER));
        assert!(!Kind::ConfigMap.keeps("kube-root-ca.crt"));
        assert!(Kind::Deployment.keeps("checkout"));
    }
}
