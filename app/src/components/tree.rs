//! Any JSON laid out by the names of its members, for objects that are shown as they are stored.

use crate::components::{
    time::{parse, stamp},
    words::{figure, member_name},
};
use crate::view;
use leptos::prelude::*;
use serde_json::Value;

/// What an item of a list is called by, first come.
const NAMES: [&str; 5] = ["name", "action", "type", "issueName", "channel"];

/// Whether a member needs a panel of its own.
fn is_large(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

/// The members that a line each is enough for.
pub(crate) fn lines(object: &Value) -> AnyView {
    rows(object, &|_, value| !is_large(value))
}

/// One panel for each member that is more than a line.
pub(crate) fn panels(object: &Value) -> AnyView {
    let members = object.as_object().into_iter().flatten();
    members
        .filter(|(_, value)| is_large(value))
        .map(|(name, value)| panel(member_name(name), value))
        .collect_view()
        .into_any()
}

pub(crate) fn panel(title: String, value: &Value) -> AnyView {
    let body = match value.as_array() {
        Some(items) => view! { <ol class="steps">{items.iter().zip(1_u32..).map(step).collect_view()}</ol> },
        None => view! { <dl class="facts body">{rows(value, &|_, _| true)}</dl> },
    };
    view! {
        <section class="panel">
            <header>
                <h2>{title}</h2>
            </header>
            {body}
        </section>
    }
}

fn step((item, number): (&Value, u32)) -> AnyView {
    let name = NAMES
        .into_iter()
        .find(|name| item[*name].is_string())
        .unwrap_or_default();
    view! {
        <li>
            <span class="n">{number.to_string()}</span>
            <div>
                <h3>{inline(name, &item[name])}</h3>
                <dl class="facts">{rows(item, &|member, _| member != name)}</dl>
            </div>
        </li>
    }
}

fn rows(object: &Value, is_meant: &dyn Fn(&str, &Value) -> bool) -> AnyView {
    let members = object.as_object().into_iter().flatten();
    members
        .filter(|(name, value)| is_meant(name, value))
        .map(|(name, value)| {
            view! {
                <dt>{member_name(name)}</dt>
                <dd>{inline(name, value)}</dd>
            }
        })
        .collect_view()
        .into_any()
}

/// A value in one line.
fn inline(name: &str, value: &Value) -> String {
    let joined = |texts: Vec<String>, separator| match texts.as_slice() {
        [] if name == "match" => "everything".to_owned(),
        [] => "none".to_owned(),
        texts => texts.join(separator),
    };
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => figure(number.as_f64().unwrap_or_default()),
        Value::String(text) => parse(text).map_or_else(|| text.clone(), stamp),
        Value::Array(items) => joined(items.iter().map(|item| inline(name, item)).collect(), ", "),
        Value::Object(members) => joined(
            (members.iter())
                .map(|(name, value)| format!("{}: {}", member_name(name), inline(name, value)))
                .collect(),
            "; ",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::inline;
    use serde_json::json;

    #[test]
    fn any_value_fits_a_line() {
        let rule = json!({"actionTypes": ["DeletePod", "DrainNode"], "isOn": true, "since": "2026-09-23T12:00:00Z"});
        assert_eq!(
            inline("rule", &rule),
            "Action types: DeletePod, DrainNode; Is on: yes; Since: 2026-09-23 12:00:00 UTC"
        );
    }

    #[test]
    fn a_rule_without_conditions_matches_everything() {
        assert_eq!(inline("match", &json!({})), "everything");
        assert_eq!(inline("activeEscalations", &json!([])), "none");
    }
}
