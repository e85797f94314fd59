//! How one member of an item is shown. Pages describe their columns and facts with these; nothing here knows a kind.

use crate::components::{
    link::object_href,
    mark::{Severity, State, StateWord, level},
    time::{Age, Moment},
    words::{capitalised, figure, percent, signal},
};
use crate::view;
use leptos::prelude::*;
use serde_json::Value;

#[derive(Clone, Copy)]
pub(crate) enum Show {
    Text,
    Mono,
    /// A word of the vocabulary: `oom_kill`.
    Words,
    Severity,
    /// With its unit.
    Number(&'static str),
    /// A part of one, in percent.
    Share,
    /// How long a list is.
    Count,
    Age,
    Moment,
    State(fn(&Value) -> Option<StateWord>),
    /// The name of the incident, in the namespace of the item.
    Issue,
    /// What no member says alone.
    Of(fn(&Value) -> Option<AnyView>),
}

/// A member, by its JSON pointer.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) label: &'static str,
    pub(crate) at: &'static str,
    pub(crate) show: Show,
}

// === impl Field ===

impl Field {
    pub(crate) const fn new(label: &'static str, at: &'static str, show: Show) -> Self {
        Self { label, at, show }
    }

    /// Nothing where the item does not say.
    pub(crate) fn view(&self, item: &Value) -> Option<AnyView> {
        let said = || Some(text(item, self.at)).filter(|text| !text.is_empty());
        Some(match self.show {
            Show::Text => said()?.to_owned().into_any(),
            Show::Mono => view! { <span class="mono">{said()?.to_owned()}</span> },
            Show::Words => signal(said()?).into_any(),
            Show::Severity if level(said()?).is_empty() => capitalised(said()?).into_any(),
            Show::Severity => view! { <Severity severity=said()? /> },
            Show::Number(unit) => number(item.pointer(self.at)?.as_f64()?, unit),
            Show::Share => percent(item.pointer(self.at)?.as_f64()?).into_any(),
            Show::Count => number(list(item, self.at).len() as f64, ""),
            Show::Age => view! { <Age at=said()? /> },
            Show::Moment => view! { <Moment at=said()? /> },
            Show::State(known) => view! { <State known=known(item) word=text(item, self.at) /> },
            Show::Issue => {
                let name = said()?.to_owned();
                let href = object_href("/incidents", text(item, "/namespace"), &name);
                view! { <a class="mono clip" href=href>{name}</a> }
            }
            Show::Of(view) => view(item)?,
        })
    }

    /// Says so where the item does not say.
    pub(crate) fn view_or_unknown(&self, item: &Value) -> AnyView {
        self.view(item)
            .unwrap_or_else(|| view! { <span class="faint">"unknown"</span> })
    }
}

/// Zero is nothing to look at.
fn number(number: f64, unit: &'static str) -> AnyView {
    let class = if number == 0.0 { "faint" } else { "" };
    view! { <span class=class>{figure(number)} {unit}</span> }
}

/// Empty where there is no text.
pub(crate) fn text<'a>(item: &'a Value, at: &str) -> &'a str {
    item.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

/// Empty where there is no list.
pub(crate) fn list<'a>(item: &'a Value, at: &str) -> &'a [Value] {
    item.pointer(at).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn is_true(item: &Value, at: &str) -> bool {
    item.pointer(at) == Some(&Value::Bool(true))
}

/// What the item counts; 0 is left out on the wire.
pub(crate) fn count(item: &Value, at: &str) -> u64 {
    item.pointer(at).and_then(Value::as_u64).unwrap_or_default()
}

/// A list of facts, without those that the item does not tell.
pub(crate) fn facts(fields: &[Field], item: &Value) -> AnyView {
    view! {
        <dl class="facts body">
            {fields
                .iter()
                .filter_map(|field| {
                    let value = field.view(item)?;
                    Some(view! {
                        <dt>{field.label}</dt>
                        <dd>{value}</dd>
                    })
                })
                .collect_view()}
        </dl>
    }
}
