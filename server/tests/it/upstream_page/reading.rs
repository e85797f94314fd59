//! Whether the page can show an answer: no exception, no `undefined`, no `NaN`.

use super::table::{Need, Question, Reads, Use};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;

/// What was wrong with answers, and which of the members that are read had a value in any of them.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) faults: Vec<String>,
    pub(super) seen: BTreeSet<String>,
}

// === impl Findings ===

impl Findings {
    pub(super) fn read(&mut self, question: &Question, path: &str, answer: &Value) {
        for (under, need, usage, names) in question.reads {
            for place in places(answer, under) {
                for name in names.split(' ') {
                    let member = &place[name];
                    let missing = member.is_null() || member == "";
                    if missing && *need == Need::Must {
                        self.faults.push(format!("{path}: {under} has no {name}"));
                    } else if !missing && !fits(*usage, member) {
                        self.faults
                            .push(format!("{path}: {under}: {name} is no {usage:?}: {member}"));
                    } else if !missing && !is_empty(member) {
                        self.seen.insert(label(question, under, name));
                    }
                }
            }
        }
    }
}

/// Every member that a question reads, by its label.
pub(super) fn members(question: &Question) -> impl Iterator<Item = String> {
    let label_all = move |(under, _, _, names): &Reads| {
        names
            .split(' ')
            .map(|name| label(question, under, name))
            .collect::<Vec<_>>()
    };
    question.reads.iter().flat_map(label_all)
}

fn label(question: &Question, under: &str, name: &str) -> String {
    format!("{}: {under}: {name}", question.view)
}

/// The values at a path: several where it leads through lists, none where it ends early.
fn places<'a>(answer: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut places = vec![answer];
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let next = |place: &'a Value| match step.strip_suffix("[]") {
            Some(name) => place[name].as_array().into_iter().flatten().collect(),
            None => Vec::from_iter(place.get(step).filter(|part| part.is_object())),
        };
        places = places.into_iter().flat_map(next).collect();
    }
    places
}

fn fits(usage: Use, member: &Value) -> bool {
    match usage {
        Use::Text => member.is_string(),
        Use::Texts => member
            .as_array()
            .is_some_and(|texts| texts.iter().all(Value::is_string)),
        Use::Time => member.as_str().is_some_and(is_date),
        Use::Number => member.is_number(),
        Use::Stars => member.as_u64().is_some_and(|stars| stars <= 5),
        Use::Flag => member.is_boolean(),
        Use::Rows => member.as_array().is_some_and(|rows| rows.iter().all(Value::is_object)),
        Use::Part => member.is_object(),
    }
}

/// `YYYY-MM-DDTHH:MM:SS`, a fraction or none, `Z` or an offset: what `Date` reads in every browser.
fn is_date(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|sign| if sign.is_ascii_digit() { '0' } else { sign })
        .collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else {
        return false;
    };
    let zone = rest
        .strip_prefix('.')
        .map_or(rest, |fraction| fraction.trim_start_matches('0'));
    matches!(zone, "Z" | "+00:00" | "-00:00") && text.parse::<Timestamp>().is_ok()
}

fn is_empty(member: &Value) -> bool {
    member.as_array().is_some_and(Vec::is_empty)
}

mod tests {
    use super::{super::table::QUESTIONS, Findings, is_date};
    use serde_json::{Value, json};

    fn faults(view: &str, answer: &Value) -> Vec<String> {
        let question = QUESTIONS.iter().find(|question| question.view == view).expect("a view");
        let mut findings = Findings::default();
        findings.read(question, "/asked", answer);
        findings.faults
    }

    #[test]
    fn what_the_page_cannot_show_is_a_fault() {
        let post_mortem = |member: &str, value: Value| {
            let mut item = json!({"name": "pm", "namespace": "shop"});
            item[member] = value;
            ("post-mortems", json!({"items": [item]}))
        };
        let mean = |value: Value| {
            (
                "overview, means",
                json!({"items": [{"date": "2026-09-23", "value": value, "count": 1}]}),
            )
        };
        for (view, answer) in [
            ("post-mortems", json!({})),
            ("post-mortems", json!({"items": null})),
            ("post-mortems", json!({"items": {}})),
            ("post-mortems", json!({"items": [{"namespace": "shop"}]})),
            post_mortem("name", json!("")),
            post_mortem("summary", json!({"text": "long"})),
            post_mortem("requiresHumanAction", json!("false")),
            post_mortem("lessonsLearned", json!(["measure", 1])),
            post_mortem("resource", json!("Deployment/checkout")),
            post_mortem("timeline", json!([null])),
            post_mortem("timeline", json!([{"timestamp": "yesterday"}])),
            post_mortem("feedback", json!({"remediationAccuracy": 6})),
            post_mortem("feedback", json!({"remediationAccuracy": -1})),
            mean(json!("12")),
            mean(Value::Null),
            ("overview, compliance", json!({"spec": []})),
        ] {
            assert_eq!(faults(view, &answer).len(), 1, "{answer}");
        }
    }

    #[test]
    fn what_it_has_words_for_is_none() {
        for (view, answer) in [
            ("post-mortems", json!({"items": []})),
            (
                "post-mortems",
                json!({"items": [{"name": "pm", "namespace": "shop", "timeline": null, "summary": ""}]}),
            ),
            (
                "post-mortems",
                json!({"items": [{"name": "pm", "namespace": "shop", "feedback": {"remediationAccuracy": 5}}]}),
            ),
            (
                "overview, means",
                json!({"items": [{"date": "2026-09-23", "value": 0, "count": 1}]}),
            ),
            ("overview, compliance", json!({"spec": {}})),
        ] {
            assert_eq!(faults(view, &answer), [""; 0], "{answer}");
        }
    }

    #[test]
    fn a_date_is_whole_and_has_a_zone() {
        for text in [
            "2026-09-23T12:00:00Z",
            "0001-01-01T00:00:00Z",
            "2026-09-23T14:00:00.123456789+02:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2026-09-23",
            "2026-09-23T12:00:00",
            "2026-13-23T12:00:00Z",
            "2026-09-23 12:00:00Z",
            "2026-09-23T12:00:00.Z",
            "2026-09-23T12:00:00+02",
            "2026-09-23T12:00:00+02:00[Europe/Berlin]",
            "-000001-01-01T00:00:00Z",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
