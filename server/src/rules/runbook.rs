//! What a person may do to a runbook, and what of it changes. What a runbook must be like is said by its schema, not here.

use super::{decision::Decision, masking};
use crate::{
    resources::{Kind, NamedStep, Runbook, RunbookSpec, TextMap, runbook::RunbookTrigger},
    source::{Address, Verb},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Attempts that a new one grants where nobody says how many.
const ATTEMPTS: i32 = 3;

/// A runbook as somebody wrote it down.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub description: String,
    pub trigger: RunbookTrigger,
    pub steps: Vec<NamedStep>,
    pub max_attempts: i32,
    /// None leaves them as they are.
    pub labels: Option<TextMap>,
}

/// A value that was shown masked comes back, and nobody knows which one it stands for.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{field} is hidden where it is shown; write the value itself")]
pub struct Hidden {
    pub field: String,
}

// === impl Draft ===

impl Draft {
    pub fn create(&self, address: &Address) -> Result<Decision, Hidden> {
        let (description, steps) = self.restored("", &[])?;
        let attempts = match self.max_attempts {
            0 => ATTEMPTS,
            given => given,
        };
        let mut spec = json!({ "trigger": self.trigger, "maxAttempts": attempts });
        if !description.is_empty() {
            spec["description"] = description.as_str().into();
        }
        // As upstream has it: a list without steps is no list, and the schema demands one.
        if !steps.is_empty() {
            spec["steps"] = json!(steps);
        }
        let mut metadata = json!({ "name": address.name, "namespace": address.namespace });
        let labels = restored_labels(self.labels.as_ref().unwrap_or(&TextMap::new()), &TextMap::new())?;
        if !labels.is_empty() {
            metadata["labels"] = json!(labels);
        }
        let after = told(&description, &self.trigger, &steps, attempts, &labels);
        let object = json!({
            "apiVersion": Kind::Runbook.api_version(),
            "kind": Kind::Runbook.as_str(),
            "metadata": metadata,
            "spec": spec,
        });
        Ok(Decision::new(Verb::Create(object)).telling("after", Value::from(after).to_string()))
    }

    /// Takes the place of what is written there, but for attempts and labels that nobody mentions, and annotations.
    pub fn replace(&self, runbook: &Runbook) -> Result<Decision, Hidden> {
        let RunbookSpec {
            description: known,
            trigger,
            steps: written,
            max_attempts,
        } = &runbook.spec;
        let (description, steps) = self.restored(known, written)?;
        let attempts = match self.max_attempts {
            given if given > 0 => given,
            _ => *max_attempts,
        };
        let or_null = |absent: bool, value: Value| if absent { Value::Null } else { value };
        let mut patch = json!({ "spec": {
            "description": or_null(description.is_empty(), json!(description)),
            "trigger": self.trigger,
            "steps": or_null(steps.is_empty(), json!(steps)),
        }});
        if self.max_attempts > 0 {
            patch["spec"]["maxAttempts"] = attempts.into();
        }
        let held = runbook.metadata.labels.clone().unwrap_or_default();
        let labels = self
            .labels
            .as_ref()
            .map(|labels| restored_labels(labels, &held))
            .transpose()?;
        if let Some(labels) = &labels {
            let gone = held.keys().filter(|key| !labels.contains_key(*key));
            let gone = gone.map(|key| (key.clone(), Value::Null));
            let kept = labels.iter().map(|(key, value)| (key.clone(), json!(value)));
            patch["metadata"] = json!({ "labels": Map::from_iter(gone.chain(kept)) });
        }
        let before = told(known, trigger, written, *max_attempts, &held);
        let after = told(
            &description,
            &self.trigger,
            &steps,
            attempts,
            labels.as_ref().unwrap_or(&held),
        );
        let differing = |these: &Map<String, Value>, those: &Map<String, Value>| {
            let members = these.iter().filter(|(member, value)| those.get(*member) != Some(value));
            Value::from_iter(members.map(|(member, value)| (member.clone(), value.clone())))
        };
        Ok(Decision::new(Verb::Patch(patch))
            .telling("before", differing(&before, &after).to_string())
            .telling("after", differing(&after, &before).to_string()))
    }

    /// Description and steps with the values that were hidden from whoever wrote the draft.
    fn restored(&self, known: &str, written: &[NamedStep]) -> Result<(String, Vec<NamedStep>), Hidden> {
        let hidden = shown_hidden(known, written);
        let mut description = self.description.clone();
        restore(&mut description, &[vec![known]], &hidden, || "description".into())?;
        let mut steps = self.steps.clone();
        for (at, step) in steps.iter_mut().enumerate() {
            let meant = self.meant(at, written);
            let descriptions = meant
                .each_ref()
                .map(|those| those.iter().map(|other| &*other.description).collect());
            restore(&mut step.description, &descriptions, &hidden, || {
                format!("steps[{at}].description")
            })?;
            for (key, value) in &mut step.params {
                let held = meant.each_ref().map(|those| {
                    let held = those.iter().filter_map(|other| other.params.get(key));
                    held.map(String::as_str).collect::<Vec<_>>()
                });
                let field = || format!("steps[{at}].params.{key}");
                let is_hidden = masking::hides(&step.action, key);
                if value == masking::MASK {
                    // Under another action or name it stands for nothing that is known.
                    let meant = only(&held, |held| is_hidden || masking::text(held) == masking::MASK);
                    *value = meant.ok_or_else(|| Hidden { field: field() })?.to_owned();
                } else if is_hidden {
                    // A part of it was never shown under that name.
                    restore(value, &[], &hidden, field)?;
                } else {
                    restore(value, &held, &hidden, field)?;
                }
            }
        }
        Ok((description, steps))
    }

    /// Which steps the one in that place may have been, likely ones first: those of its name, of which the one in its place is meant as long as
    /// all of them still have theirs, then the one in its place, renamed, unless it still is among them.
    fn meant<'a>(&self, at: usize, written: &'a [NamedStep]) -> [Vec<&'a NamedStep>; 2] {
        let step = &self.steps[at];
        let is_same = |one: &NamedStep, other: &NamedStep| one.name == other.name && one.action == other.action;
        let namesakes = || written.iter().enumerate().filter(|(_, other)| is_same(step, other));
        let unmoved = namesakes().all(|(place, _)| self.steps.get(place).is_some_and(|other| is_same(step, other)));
        let of_that_name = namesakes()
            .filter(|(place, _)| !unmoved || *place == at)
            .map(|(_, other)| other);
        let renamed = written
            .get(at)
            .filter(|other| other.action == step.action && written.len() == self.steps.len())
            .filter(|other| !self.steps.iter().any(|kept| is_same(kept, other)));
        [of_that_name.collect(), renamed.into_iter().collect()]
    }
}

/// The texts of a runbook that are shown with something hidden in them, as they are shown.
fn shown_hidden(description: &str, steps: &[NamedStep]) -> BTreeSet<String> {
    let texts = steps
        .iter()
        .flat_map(|step| [&step.description].into_iter().chain(step.params.values()));
    let shown = texts
        .map(String::as_str)
        .chain([description])
        .map(|held| (held, masking::text(held)));
    shown
        .filter(|(held, shown)| shown != held)
        .map(|(_, shown)| shown.into_owned())
        .collect()
}

/// The labels with the values that are shown hidden as they are held.
fn restored_labels(labels: &TextMap, held: &TextMap) -> Result<TextMap, Hidden> {
    let shown = masking::entries(held);
    let restored = labels.iter().map(|(key, value)| {
        let is_hidden = value == masking::MASK
            || masking::is_masked(value)
            || (value.contains(masking::MASK) && shown.get(key) != held.get(key));
        let meant = match is_hidden {
            true => held.get(key).filter(|_| shown.get(key) == Some(value)),
            false => Some(value),
        };
        let field = || format!("labels.{key}");
        Ok((key.clone(), meant.ok_or_else(|| Hidden { field: field() })?.clone()))
    });
    restored.collect()
}

/// A text that comes back as one of those that are held is shown means that one. One that was shown elsewhere, or that takes the place of one
/// with something hidden and still has the mask, means none that is known.
fn restore(
    text: &mut String,
    held: &[Vec<&str>],
    hidden: &BTreeSet<String>,
    field: impl Fn() -> String,
) -> Result<(), Hidden> {
    let hides = |held: &&str| masking::text(held) != **held;
    if text.contains(masking::MASK)
        && (masking::is_masked(text) || hidden.contains(text) || held.iter().flatten().any(hides))
    {
        let meant = only(held, |held| masking::text(held) == *text);
        *text = meant.ok_or_else(|| Hidden { field: field() })?.to_owned();
    }
    Ok(())
}

/// The one text of the first group that has any; none where they differ.
fn only<'a>(groups: &[Vec<&'a str>], fits: impl Fn(&str) -> bool) -> Option<&'a str> {
    let fitting = |group: &Vec<&'a str>| group.iter().copied().filter(|text| fits(text)).collect::<Vec<_>>();
    let group = groups.iter().map(fitting).find(|group| !group.is_empty())?;
    group.iter().all(|text| *text == group[0]).then_some(group[0])
}

/// It is gone for good: the trail keeps what it was for.
pub fn delete(runbook: &Runbook) -> Decision {
    let spec = &runbook.spec;
    Decision::new(Verb::Delete)
        .telling("signalType", spec.trigger.signal_type.as_str())
        .telling("severity", spec.trigger.severity.as_str())
        .telling("resourceKind", &*spec.trigger.resource_kind)
        .telling("steps", spec.steps.len().to_string())
}

/// What the trail tells of a runbook, without secrets.
fn told(
    description: &str,
    trigger: &RunbookTrigger,
    steps: &[NamedStep],
    attempts: i32,
    labels: &TextMap,
) -> Map<String, Value> {
    let masked = steps.iter().cloned().map(|step| NamedStep {
        params: masking::params(&step.action, &step.params),
        ..step
    });
    let steps: Vec<_> = masked.collect();
    Map::from_iter([
        ("description".to_owned(), json!(description)),
        ("trigger".to_owned(), json!(trigger)),
        ("steps".to_owned(), json!(steps)),
        ("maxAttempts".to_owned(), json!(attempts)),
        ("labels".to_owned(), json!(masking::entries(labels))),
    ])
}

#[cfg(test)]
mod tests {
    use super::{Draft, Hidden, delete};
    use crate::{
        fixtures::{Fixture, runbook, texts},
        resources::{NamedStep, Runbook, Severity, Signal, Typed as _, runbook::RunbookTrigger},
        source::Verb,
    };
    use serde_json::{Value, json};

    fn step(name: &str, params: &[(&str, &str)]) -> NamedStep {
        NamedStep {
            name: name.into(),
            action: "PatchConfig".into(),
            description: String::new(),
            params: texts(params),
        }
    }

    fn trigger() -> RunbookTrigger {
        RunbookTrigger {
            signal_type: Signal::OomKill,
            severity: Severity::High,
            resource_kind: "Deployment".into(),
        }
    }

    fn written() -> Fixture<Runbook> {
        runbook()
            .labelled("team", "shop")
            .labelled("tier", "web")
            .with(|runbook| {
                runbook.spec.description = "restart it".into();
                runbook.spec.trigger = trigger();
                runbook.spec.steps = vec![step("Log", &[("API_TOKEN", "t0p"), ("LEVEL", "debug")])];
                runbook.spec.max_attempts = 5;
            })
    }

    fn draft(steps: Vec<NamedStep>) -> Draft {
        Draft {
            trigger: trigger(),
            steps,
            ..Draft::default()
        }
    }

    fn patch(draft: &Draft) -> Value {
        match draft.replace(&written()).unwrap().verb {
            Verb::Patch(patch) => patch,
            other => panic!("a patch, not {other:?}"),
        }
    }

    #[test]
    fn what_is_deleted_is_told_of() {
        let restart = runbook().with(|runbook| {
            runbook.spec.trigger.signal_type = Signal::OomKill;
            runbook.spec.trigger.severity = Severity::High;
            runbook.spec.steps = vec![Default::default(); 2];
        });
        let decision = delete(&restart);
        assert!(matches!(decision.verb, Verb::Delete) && decision.then.is_none());
        assert_eq!(
            decision.details,
            texts(&[("signalType", "oom_kill"), ("severity", "high"), ("steps", "2")])
        );
    }

    #[test]
    fn a_new_one_gets_what_nobody_said() {
        let created = |draft: &Draft| match draft.create(&runbook().address()).unwrap().verb {
            Verb::Create(object) => object,
            other => panic!("a new object, not {other:?}"),
        };
        let bare = created(&draft(Vec::new()));
        assert_eq!(
            bare["spec"],
            json!({"trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"}, "maxAttempts": 3}),
            "no steps are none, so that the schema can refuse them"
        );
        assert_eq!(bare["metadata"], json!({"name": "restart", "namespace": "shop"}));
        let full = created(&Draft {
            description: "why".into(),
            max_attempts: -2,
            labels: Some(texts(&[("team", "shop")])),
            ..draft(vec![step("Log", &[])])
        });
        assert_eq!(
            (
                &full["spec"]["maxAttempts"],
                &full["spec"]["description"],
                &full["spec"]["steps"]
            ),
            (
                &json!(-2),
                &json!("why"),
                &json!([{"name": "Log", "action": "PatchConfig"}])
            )
        );
        assert_eq!(full["metadata"]["labels"], json!({"team": "shop"}));
    }

    #[test]
    fn what_is_left_out_is_cleared_or_kept_as_the_contract_has_it() {
        let cleared = patch(&Draft::default());
        assert_eq!(
            cleared,
            json!({"spec": {
                "description": null, "steps": null,
                "trigger": {"signalType": "", "severity": "", "resourceKind": ""},
            }})
        );
        let relabelled = |labels| {
            patch(&Draft {
                labels: Some(labels),
                ..Draft::default()
            })["metadata"]["labels"]
                .clone()
        };
        assert_eq!(relabelled(texts(&[])), json!({"team": null, "tier": null}));
        assert_eq!(
            relabelled(texts(&[("team", "web"), ("new", "")])),
            json!({"team": "web", "tier": null, "new": ""})
        );
        for (given, kept) in [(-1, None), (0, None), (2, Some(2))] {
            let attempts = patch(&Draft {
                max_attempts: given,
                ..Draft::default()
            })["spec"]
                .get("maxAttempts")
                .cloned();
            assert_eq!(attempts, kept.map(Value::from));
        }
    }

    #[test]
    fn the_trail_tells_what_differs_and_no_secret() {
        let draft = Draft {
            description: "restart it".into(),
            ..draft(vec![step("Log", &[("API_TOKEN", "n3w"), ("LEVEL", "info")])])
        };
        let decision = draft.replace(&written()).unwrap();
        let told = |key: &str| serde_json::from_str::<Value>(&decision.details[key]).unwrap();
        let steps = |level: &str| json!({"steps": [{"name": "Log", "action": "PatchConfig", "params": {"API_TOKEN": "***", "LEVEL": level}}]});
        assert_eq!((told("before"), told("after")), (steps("debug"), steps("info")));
        let created = draft.create(&runbook().address()).unwrap();
        assert!(!created.details["after"].contains("n3w"), "{created:?}");
    }

    #[test]
    fn a_text_that_was_shown_with_something_hidden_in_it_stays_what_it_is() {
        let held = runbook().with(|runbook| {
            runbook.spec.description = "sign in with password=t0p first".into();
            runbook.spec.steps = vec![step(
                "Log",
                &[("command", "login --token t0p --user x"), ("cron", "*** 5")],
            )];
        });
        let back = Draft {
            description: "sign in with password=*** first".into(),
            ..draft(vec![step(
                "Log",
                &[("command", "login --token *** --user x"), ("cron", "*** 6")],
            )])
        };
        let Verb::Patch(patch) = back.replace(&held).unwrap().verb else {
            panic!("a patch")
        };
        assert_eq!(patch["spec"]["description"], "sign in with password=t0p first");
        assert_eq!(
            patch["spec"]["steps"][0]["params"],
            json!({"command": "login --token t0p --user x", "cron": "*** 6"})
        );
        let told = format!("{:?}", back.replace(&held).unwrap().details);
        assert!(!told.contains("t0p"), "{told}");

        let other = draft(vec![step("Log", &[("command", "login --token *** --user y")])]);
        let field = "steps[0].params.command".to_owned();
        assert_eq!(other.replace(&held).unwrap_err(), Hidden { field });
    }

    #[test]
    fn what_was_hidden_is_never_that_of_another_step() {
        let log = |token: &str| {
            step(
                "Log",
                &[("command", &format!("login --token {token}")), ("API_TOKEN", token)],
            )
        };
        let held = runbook().with(|runbook| runbook.spec.steps = vec![log("t0p"), log("s3c"), step("Wait", &[])]);
        let written = |steps: Vec<NamedStep>| match draft(steps).replace(&held).map(|decision| decision.verb) {
            Ok(Verb::Patch(patch)) => Ok(patch["spec"]["steps"].clone()),
            Ok(other) => panic!("a patch, not {other:?}"),
            Err(Hidden { field }) => Err(field),
        };
        let as_shown = vec![log("***"), log("***"), step("Wait", &[]), step("More", &[])];
        assert_eq!(
            written(as_shown),
            Ok(json!([log("t0p"), log("s3c"), step("Wait", &[]), step("More", &[])]))
        );
        let field = "steps[0].params.API_TOKEN".to_owned();
        for unclear in [vec![log("***")], vec![log("***"), step("Wait", &[]), log("***")]] {
            assert_eq!(written(unclear), Err(field.clone()), "either may be meant");
        }
        let renamed = NamedStep {
            name: "Other".into(),
            ..log("***")
        };
        assert_eq!(written(vec![renamed]), Err(field), "the first may be gone");
    }

    #[test]
    fn a_value_that_was_shown_hidden_stays_what_it_is() {
        let moved = draft(vec![
            step("First", &[]),
            step("Log", &[("API_TOKEN", "***"), ("LEVEL", "debug")]),
        ]);
        let params = &patch(&moved)["spec"]["steps"][1]["params"];
        assert_eq!(*params, json!({"API_TOKEN": "t0p", "LEVEL": "debug"}));
        let renamed = draft(vec![step("Log more", &[("API_TOKEN", "***")])]);
        assert_eq!(
            patch(&renamed)["spec"]["steps"][0]["params"],
            json!({"API_TOKEN": "t0p"})
        );
        let foreign = draft(vec![step("Log", &[("DB_PASSWORD", "***")])]);
        let field = "steps[0].params.DB_PASSWORD".to_owned();
        assert_eq!(
            foreign.replace(&written()).unwrap_err(),
            Hidden { field: field.clone() }
        );
        assert_eq!(foreign.create(&runbook().address()).unwrap_err(), Hidden { field });
    }

    #[test]
    fn a_label_that_was_shown_hidden_stays_what_it_is() {
        let held = written().labelled("api-token", "t0p");
        let sent = |labels: &[(&str, &str)]| Draft {
            labels: Some(texts(labels)),
            ..draft(vec![step("Log", &[("LEVEL", "debug")])])
        };
        let decision = sent(&[("api-token", "***"), ("team", "bank")]).replace(&held).unwrap();
        let Verb::Patch(patch) = &decision.verb else {
            panic!("a patch")
        };
        assert_eq!(
            patch["metadata"]["labels"],
            json!({"api-token": "t0p", "team": "bank", "tier": null})
        );
        assert!(!decision.details.values().any(|told| told.contains("t0p")));
        let refused = sent(&[("other-token", "***")]).replace(&held).unwrap_err();
        assert_eq!(refused.field, "labels.other-token");
        let refused = sent(&[("team", "***")]).replace(&held).unwrap_err();
        assert_eq!(refused.field, "labels.team", "it was shown");
    }

    #[test]
    fn what_was_hidden_in_a_text_is_refused_wherever_else_it_comes_back() {
        let held = runbook().with(|runbook| {
            let params = [
                ("command", "it said eyJhbGci.eyJzdWIi.c-2_x"),
                ("curl", "curl -u app:t0p x"),
            ];
            runbook.spec.steps = vec![step("Log", &params)];
        });
        let refused = |key: &str, text: &str| {
            let draft = draft(vec![step("Log", &[(key, text)])]);
            let refused = draft.replace(&held).map(|decision| decision.verb);
            assert_eq!(refused.unwrap_err().field, format!("steps[0].params.{key}"), "{text}");
        };
        refused("command", "it said *** twice");
        refused("other", "it said ***");
        refused("other", "curl -u *** y");
        refused("API_TOKEN", "it said ***");
        let kept = draft(vec![step("Log", &[("command", "it said ***"), ("cron", "*** 5")])]);
        let Verb::Patch(patch) = kept.replace(&held).unwrap().verb else {
            panic!("a patch")
        };
        assert_eq!(
            patch["spec"]["steps"][0]["params"],
            json!({"command": "it said eyJhbGci.eyJzdWIi.c-2_x", "cron": "*** 5"})
        );
    }

    #[test]
    fn a_new_step_gets_nothing_of_the_one_whose_place_it_takes() {
        let log = |name: &str, token: &str| step(name, &[("API_TOKEN", token)]);
        let held = runbook().with(|runbook| runbook.spec.steps = vec![log("First", "t0p"), log("Second", "s3c")]);
        let moved = draft(vec![log("Second", "***"), log("Third", "***")]);
        assert_eq!(
            moved.replace(&held).unwrap_err().field,
            "steps[1].params.API_TOKEN",
            "the second has moved up, and is not the third"
        );
        let swapped = draft(vec![log("Second", "***"), log("First", "***")]);
        let Verb::Patch(patch) = swapped.replace(&held).unwrap().verb else {
            panic!("a patch")
        };
        assert_eq!(
            patch["spec"]["steps"],
            json!([log("Second", "s3c"), log("First", "t0p")])
        );
    }

    #[test]
    fn what_stands_under_another_action_or_name_is_refused_rather_than_lost() {
        let refused = |step| draft(vec![step]).replace(&written()).unwrap_err().field;
        for (name, key) in [("Log", "LOG_LEVEL"), ("Log", "LEVEL")] {
            assert_eq!(refused(step(name, &[(key, "***")])), format!("steps[0].params.{key}"));
        }
        let scaled = NamedStep {
            action: "ScaleDeployment".into(),
            ..step("Log", &[("API_TOKEN", "***")])
        };
        assert_eq!(refused(scaled), "steps[0].params.API_TOKEN");
    }
}
