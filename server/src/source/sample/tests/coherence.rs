//! The preview's objects are what they claim to be, agree with each other, and move with the clock as one.

use super::{REFERENCE, find, objects, of, reference, text};
use crate::resources::{self, Kind, Object};
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn kind(object: &Value) -> Kind {
    Kind::from_api(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap()).unwrap()
}

/// Every text in an object, with the path to it.
fn texts<'a>(value: &'a Value, path: &str, found: &mut Vec<(String, &'a str)>) {
    match value {
        Value::String(text) => found.push((path.to_owned(), text)),
        Value::Array(entries) => entries.iter().for_each(|entry| texts(entry, path, found)),
        Value::Object(members) => members
            .iter()
            .for_each(|(name, member)| texts(member, &format!("{path}/{name}"), found)),
        _ => {}
    }
}

fn times(object: &Value) -> Vec<(String, Timestamp)> {
    let mut found = vec![];
    texts(object, "", &mut found);
    found
        .into_iter()
        .filter_map(|(path, text)| Some((path, text.parse().ok()?)))
        .collect()
}

#[test]
fn every_object_is_one_of_its_kind() {
    let schemas: BTreeMap<_, _> = resources::crds()
        .into_iter()
        .map(|crd| {
            let schema = crd.spec.versions[0].schema.clone().unwrap().open_api_v3_schema.unwrap();
            (crd.spec.names.kind.clone(), serde_json::to_value(schema).unwrap())
        })
        .collect();
    for object in reference() {
        let name = format!("{} {}", text(&object, "/kind"), text(&object, "/metadata/name"));
        Object::parse(kind(&object), object.clone()).unwrap_or_else(|invalid| panic!("{name}: {invalid}"));
        assert_eq!(
            resources::warnings(kind(&object), &object),
            Vec::<String>::new(),
            "{name}"
        );
        if let Some(schema) = schemas.get(text(&object, "/kind")) {
            conforms(&object, schema, &name);
        }
    }
}

/// The part of a schema that an API server would refuse an object by: types, required members, enums, bounds.
fn conforms(value: &Value, schema: &Value, path: &str) {
    if value.is_null() {
        assert_eq!(schema["nullable"], true, "{path} is null");
        return;
    }
    match schema["type"].as_str() {
        Some("object") => {
            let members = value.as_object().unwrap_or_else(|| panic!("{path} is no object"));
            for required in schema["required"].as_array().into_iter().flatten() {
                let required = required.as_str().unwrap();
                let given = members.contains_key(required) || !schema["properties"][required]["default"].is_null();
                assert!(given, "{path} lacks {required}");
            }
            for (name, member) in members {
                let member_schema = schema["properties"]
                    .get(name)
                    .unwrap_or(&schema["additionalProperties"]);
                if member_schema.is_object() {
                    conforms(member, member_schema, &format!("{path}/{name}"));
                }
            }
        }
        Some("array") => {
            for entry in value.as_array().unwrap_or_else(|| panic!("{path} is no list")) {
                conforms(entry, &schema["items"], path);
            }
        }
        Some("string") => assert!(value.is_string(), "{path} is no text"),
        Some("boolean") => assert!(value.is_boolean(), "{path} is no switch"),
        Some("integer") => assert!(value.is_i64(), "{path} is no whole number"),
        Some("number") => assert!(value.is_number(), "{path} is no number"),
        _ => {}
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{path}: {value} is not one of {words:?}");
    }
    for (bound, holds) in [("minimum", f64::ge as fn(&f64, &f64) -> bool), ("maximum", f64::le)] {
        if let (Some(bound), Some(value)) = (schema[bound].as_f64(), value.as_f64()) {
            assert!(holds(&value, &bound), "{path}: {value} is out of bounds");
        }
    }
}

#[test]
fn everything_moves_with_the_clock() {
    let (then, now): (Timestamp, Timestamp) = (REFERENCE.parse().unwrap(), "2031-02-03T01:17:42Z".parse().unwrap());
    let shift = now.duration_since(then);
    let (before, after) = (objects(then), objects(now));
    assert_eq!(before.len(), after.len());
    assert_eq!(after, objects(now + 400.milliseconds()), "the same within a second");
    for (before, after) in before.iter().zip(&after) {
        let shifted: Vec<_> = times(before)
            .into_iter()
            .map(|(path, time)| (path, time + shift))
            .collect();
        let mut moved = times(after);
        // What is keyed by an incident's name has another path.
        moved
            .iter_mut()
            .zip(&shifted)
            .for_each(|((path, _), (other, _))| other.clone_into(path));
        assert_eq!(moved, shifted, "{}", text(before, "/metadata/name"));
    }
    let old = serde_json::to_string(&after).unwrap();
    for remnant in ["17901", "17900", "17899", "17898", "2026-09", "202609"] {
        assert!(!old.contains(remnant), "{remnant} was left behind");
    }
}

#[test]
fn nothing_lies_ahead() {
    let now: Timestamp = REFERENCE.parse().unwrap();
    for object in reference() {
        let created = text(&object, "/metadata/creationTimestamp")
            .parse::<Timestamp>()
            .unwrap();
        for (path, time) in times(&object) {
            assert!(
                time <= now,
                "{}{path} is in the future",
                text(&object, "/metadata/name")
            );
            // Commits and first readings are older than what tells of them.
            let older = ["timestamp", "lastTransitionTime", "lastSyncedAt"]
                .iter()
                .any(|member| path.ends_with(member));
            assert!(
                older || time >= created,
                "{}{path} is older than the object",
                text(&object, "/metadata/name")
            );
        }
    }
}

#[test]
fn both_open_requests_leave_time_to_decide() {
    let now: Timestamp = REFERENCE.parse().unwrap();
    let mut left: Vec<_> = of(&reference(), "ApprovalRequest")
        .iter()
        .filter(|request| request["status"]["state"] == "Pending")
        .map(|request| {
            let created: Timestamp = text(request, "/metadata/creationTimestamp").parse().unwrap();
            let end = created + SignedDuration::from_mins(request["spec"]["timeoutMinutes"].as_i64().unwrap());
            end.duration_since(now).as_secs()
        })
        .collect();
    left.sort_unstable();
    assert_eq!(left, [17 * 60 + 5, 22 * 60 + 31]);
}

#[test]
fn references_lead_somewhere() {
    let all = reference();
    let known: BTreeSet<_> = all
        .iter()
        .map(|object| {
            (
                text(object, "/kind"),
                text(object, "/metadata/namespace"),
                text(object, "/metadata/name"),
            )
        })
        .collect();
    assert_eq!(known.len(), all.len(), "names are unique");
    let uids: BTreeSet<_> = all.iter().map(|object| text(object, "/metadata/uid")).collect();
    assert_eq!(uids.len(), all.len());
    let mut seen = BTreeSet::new();
    for object in &all {
        let (kind, namespace, name) = (
            text(object, "/kind"),
            text(object, "/metadata/namespace"),
            text(object, "/metadata/name"),
        );
        let leads = |kind, to| {
            assert!(
                known.contains(&(kind, namespace, to)),
                "{kind} {to} of {name} does not exist"
            )
        };
        let chaos = kind == "ApprovalRequest" && text(object, "/spec/policyRef") == "chaos-safety";
        if kind != "Anomaly" && !chaos && !object["spec"]["issueRef"].is_null() {
            leads("Issue", text(object, "/spec/issueRef/name"));
        }
        match kind {
            "Anomaly" => match text(object, "/status/issueRef/name") {
                "" => assert_eq!(object["status"]["correlated"], false),
                suppressed if suppressed.starts_with("suppressed:") => {}
                issue => leads("Issue", issue),
            },
            "ApprovalRequest" if chaos => leads("ChaosExperiment", text(object, "/spec/remediationPlanRef")),
            "ApprovalRequest" => {
                leads("RemediationPlan", text(object, "/spec/remediationPlanRef"));
                let policy = text(object, "/spec/policyRef");
                if policy != "decision-engine" {
                    let policy = find(&all, "ApprovalPolicy", policy);
                    let rules = policy["spec"]["rules"].as_array().unwrap();
                    let rule = rules
                        .iter()
                        .find(|rule| rule["name"] == object["spec"]["ruleName"])
                        .unwrap();
                    assert_eq!(rule["timeoutMinutes"], object["spec"]["timeoutMinutes"], "{name}");
                    assert_eq!(rule["requiredApprovers"], object["spec"]["requiredApprovers"], "{name}");
                }
            }
            "RemediationPlan" => match text(object, "/metadata/annotations/platform.chatcli.io~1approval-pending") {
                "" => assert_ne!(object["status"]["state"], "WaitingApproval"),
                approval => leads("ApprovalRequest", approval),
            },
            "Runbook" => match text(object, "/metadata/labels/platform.chatcli.io~1source-issue") {
                "" => {}
                issue => leads("Issue", issue),
            },
            _ => {}
        }
        for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
            assert!(
                seen.contains(text(owner, "/uid")),
                "the owner of {name} comes later, or never"
            );
        }
        seen.insert(text(object, "/metadata/uid"));
    }
}

#[test]
fn runbooks_of_plans_and_analyses_exist() {
    let all = reference();
    let runbooks: BTreeSet<_> = all
        .iter()
        .filter(|object| object["kind"] == "Runbook")
        .map(|object| text(object, "/metadata/name"))
        .collect();
    for plan in of(&all, "RemediationPlan") {
        if let Some((_, rest)) = text(&plan, "/spec/strategy").split_once("via runbook '") {
            assert!(runbooks.contains(rest.split('\'').next().unwrap()));
        }
    }
    for insight in of(&all, "AIInsight") {
        if let Some((_, runbook)) = text(&insight, "/status/analysis").split_once("RUNBOOK_APPROVED: ") {
            assert!(runbooks.contains(runbook));
        }
    }
}

#[test]
fn attempts_agree_with_plans_and_events_come_in_order() {
    let all = reference();
    let plans = of(&all, "RemediationPlan");
    for issue in of(&all, "Issue") {
        let name = text(&issue, "/metadata/name");
        let made = plans
            .iter()
            .filter(|plan| text(plan, "/spec/issueRef/name") == name)
            .count();
        assert_eq!(issue["status"]["remediationAttempts"], made, "{name}");
        assert!(
            issue["status"]["maxRemediationAttempts"].as_u64().unwrap() >= made as u64,
            "{name}"
        );
    }
    for (kind, list) in [
        ("PostMortem", "/status/timeline"),
        ("RemediationPlan", "/status/evidence"),
        ("ApprovalRequest", "/status/decisions"),
    ] {
        for object in of(&all, kind) {
            let moments: Vec<_> = object
                .pointer(list)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .map(|entry| text(entry, "/timestamp"))
                .collect();
            assert!(moments.is_sorted(), "{kind} {}", text(&object, "/metadata/name"));
        }
    }
}
