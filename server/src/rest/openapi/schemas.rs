//! The schemas of the document: the types of the wire contract, the envelopes around them, and the words that their members may hold.

use crate::resources::vocabulary::{
    ActionType, ApprovalState, ConditionStatus, Environment, IndicatorType, IssueState, PlanState, PostMortemState,
    Severity, Signal, SignalSource, Tier, Verdict,
};
use opsdeck_api::{API_VERSION, List, ResourceMeta, Single};
use schemars::{
    JsonSchema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};

const DEFINITIONS: &str = "/components/schemas";

/// Words of members that hold text on the wire. Newer releases may send others, so clients are told, not bound.
const WORDS: [(&str, &str, &[&str]); 21] = [
    ("Action", "type", ActionType::KNOWN),
    ("ApprovalItem", "state", ApprovalState::KNOWN),
    ("AuditEventItem", "severity", AUDIT_SEVERITIES),
    ("AuditEventItem", "actorType", &["system", "user", "controller"]),
    ("ClusterItem", "environment", Environment::KNOWN),
    ("ClusterItem", "tier", Tier::KNOWN),
    ("Condition", "status", ConditionStatus::KNOWN),
    ("CorrelationItem", "severity", Severity::KNOWN),
    ("Decision", "decision", Verdict::KNOWN),
    ("IncidentItem", "severity", Severity::KNOWN),
    ("IncidentItem", "signalType", Signal::KNOWN),
    ("IncidentItem", "source", SignalSource::KNOWN),
    ("IncidentItem", "state", IssueState::KNOWN),
    ("PostMortemItem", "severity", Severity::KNOWN),
    ("PostMortemItem", "state", PostMortemState::KNOWN),
    ("RemediationItem", "state", PlanState::KNOWN),
    ("RequestedAction", "type", ActionType::KNOWN),
    ("RunbookTrigger", "severity", Severity::KNOWN),
    ("RunbookTrigger", "signalType", Signal::KNOWN),
    ("SloItem", "sli", IndicatorType::KNOWN),
    ("Vote", "decision", Verdict::KNOWN),
];

/// Words that a body must be made of.
const BINDING: [(&str, &str, &[&str]); 2] = [
    ("TriggerBody", "severity", Severity::KNOWN),
    ("TriggerBody", "signalType", Signal::KNOWN),
];

pub(super) const AUDIT_SEVERITIES: &[&str] = &["info", "warning", "critical"];

/// Texts that are passed on as they were written: times for the most part, for sure only elsewhere.
const VERBATIM: [(&str, &str); 5] = [
    ("ApprovalItem", "decidedAt"),
    ("AuditEventItem", "timestamp"),
    ("ClusterItem", "lastHealthCheck"),
    ("Decision", "timestamp"),
    ("Vote", "at"),
];

/// What the schemas are collected in.
#[derive(Debug)]
pub(super) struct Schemas {
    answers: SchemaGenerator,
    bodies: SchemaGenerator,
    envelopes: Map<String, Value>,
}

/// What an object has besides `spec`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Has {
    StatusAndMeta,
    Status,
    Meta,
    Nothing,
}

// === impl Schemas ===

impl Default for Schemas {
    fn default() -> Self {
        let generator = |contract| {
            let settings = SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = DEFINITIONS.into();
                settings.meta_schema = None;
                settings.contract = contract;
            });
            settings.into_generator()
        };
        Self {
            answers: generator(Contract::Serialize),
            bodies: generator(Contract::Deserialize),
            envelopes: Map::new(),
        }
    }
}

impl Schemas {
    pub(super) fn answer<T: JsonSchema>(&mut self) -> Value {
        self.answers.subschema_for::<T>().to_value()
    }

    pub(super) fn body<T: JsonSchema>(&mut self) -> Value {
        self.bodies.subschema_for::<T>().to_value()
    }

    /// A page of such items.
    pub(super) fn list<I: JsonSchema>(&mut self, kind: &str) -> Value {
        let schema = List::<I>::json_schema(&mut self.answers).to_value();
        self.envelope(kind, kind, schema)
    }

    /// One object of a kind, under the name of a component of its own.
    pub(super) fn object<S: JsonSchema, T: JsonSchema>(&mut self, name: &str, kind: &str, has: Has) -> Value {
        let mut schema = Single::<S, T>::json_schema(&mut self.answers).to_value();
        let mut required = vec!["apiVersion", "kind", "spec"];
        let parts = [
            ("status", self.answer::<T>(), [Has::StatusAndMeta, Has::Status]),
            (
                "resourceMeta",
                self.answer::<ResourceMeta>(),
                [Has::StatusAndMeta, Has::Meta],
            ),
        ];
        for (member, part, with) in parts {
            if with.contains(&has) {
                required.push(member);
                schema["properties"][member] = part;
            } else if let Some(members) = schema["properties"].as_object_mut() {
                members.remove(member);
            }
        }
        schema["required"] = json!(required);
        self.envelope(name, kind, schema)
    }

    /// A component that is not a type of its own.
    pub(super) fn component(&mut self, name: &str, schema: Value) -> Value {
        self.envelopes.insert(name.to_owned(), schema);
        json!({ "$ref": format!("#{DEFINITIONS}/{name}") })
    }

    /// Says of an envelope that it is around any of these kinds.
    pub(super) fn of_kinds(&mut self, name: &str, kinds: &[String]) {
        self.envelopes[name]["properties"]["kind"] = json!({ "type": "string", "enum": kinds });
    }

    fn envelope(&mut self, name: &str, kind: &str, mut schema: Value) -> Value {
        schema["properties"]["apiVersion"] = json!({ "type": "string", "const": API_VERSION });
        schema["properties"]["kind"] = json!({ "type": "string", "const": kind });
        self.component(name, schema)
    }

    /// Everything that the document refers to.
    pub(super) fn components(mut self) -> Value {
        let mut answers = self.answers.take_definitions(false);
        for (name, schema) in &mut answers {
            opened(schema);
            present(schema);
            timed(name, schema);
        }
        for (component, member, words) in WORDS {
            says(&mut answers, component, member, "x-extensible-enum", words);
        }
        let mut bodies = self.bodies.take_definitions(false);
        for (component, member, words) in BINDING {
            says(&mut bodies, component, member, "enum", words);
        }
        let mut all = self.envelopes;
        for (name, schema) in answers.into_iter().chain(bodies) {
            assert!(
                all.insert(name.clone(), schema).is_none(),
                "two schemas are called {name}"
            );
        }
        all.into()
    }
}

fn says(definitions: &mut Map<String, Value>, component: &str, member: &str, keyword: &str, words: &[&str]) {
    let members = definitions
        .get_mut(component)
        .and_then(|schema| schema.get_mut("properties"));
    match members.and_then(|members| members.get_mut(member)) {
        Some(schema) => schema[keyword] = json!(words),
        None => panic!("{component} has no member {member}"),
    }
}

/// Custom resources may hold words of a newer release, whatever their manifests say.
fn opened(schema: &mut Value) {
    let Value::Object(members) = schema else {
        if let Value::Array(list) = schema {
            list.iter_mut().for_each(opened);
        }
        return;
    };
    for (name, member) in members {
        if name == "properties"
            && let Some(properties) = member.as_object_mut()
        {
            for property in properties.values_mut().filter_map(Value::as_object_mut) {
                if let Some(words) = property.remove("enum") {
                    property.insert("x-extensible-enum".into(), words);
                }
            }
        }
        opened(member);
    }
}

/// A member that may be absent is so instead of being null, and nothing of an answer is by default.
fn present(schema: &mut Value) {
    if let Some([only]) = schema["oneOf"].as_array().map(Vec::as_slice) {
        let mut only = only.clone();
        only["description"] = schema["description"].take();
        *schema = only;
    }
    let required = schema["required"].clone();
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let always = |name: &str| {
        required
            .as_array()
            .is_some_and(|names| names.iter().any(|one| one == name))
    };
    for (name, member) in members {
        let Some(keywords) = member.as_object_mut() else {
            continue;
        };
        keywords.remove("default");
        if always(name) {
            continue;
        }
        if let Some([kind, null]) = keywords.get("type").and_then(Value::as_array).map(Vec::as_slice)
            && null == "null"
        {
            let kind = kind.clone();
            keywords.insert("type".into(), kind);
        }
        if let Some([Value::Object(given), null]) = keywords.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
            && null["type"] == "null"
        {
            let given = given.clone();
            keywords.remove("anyOf");
            keywords.extend(given);
        }
    }
}

fn timed(component: &str, schema: &mut Value) {
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, member) in members {
        let text = member["type"] == "string" || member["type"] == json!(["string", "null"]);
        if text && is_moment(name) && !VERBATIM.contains(&(component, name)) {
            member["format"] = "date-time".into();
        }
    }
}

fn is_moment(member: &str) -> bool {
    const OTHERS: [&str; 11] = [
        "Start",
        "End",
        "at",
        "dataAsOf",
        "lastIncident",
        "lastTransitionTime",
        "periodEnd",
        "periodStart",
        "time",
        "timestamp",
        "until",
    ];
    member.ends_with("At") || member.ends_with("Timestamp") || OTHERS.contains(&member)
}
