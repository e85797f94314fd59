//! What becomes of an incident: analysis, plans, the runbooks they follow, and what was learned.

use super::{AGE, CREATED, Column, Filter, ISSUE, Kind, NAMESPACE, Related, SEVERITIES, WORDS};
use crate::{
    client::{FromJson, member},
    components::{
        action::parameters,
        field::{Field, Show, is_true, list, text},
        insight::insight_panel,
        mark::StateWord,
        plan::plan_panel,
        post_mortem::post_mortem_panel,
        time::{fine_span, parse},
        timeline::{Hand, Story, Timeline},
        tree::panel,
        words::{action, capitalised, percent, plural, resource, signal},
    },
    pages::incidents::RANGES,
    view,
};
use leptos::prelude::*;
use opsdeck_api::{
    ResourceRef, StringMap, insight::InsightItem, postmortem::PostMortemItem, remediation::RemediationDetail,
};
use serde_json::Value;

const OF_INCIDENT: Column = Column::new("For incident", "issueRef", "c-for c-wide", "/issueRef", Show::Issue);
const RECORDED: Related = Related {
    label: "What was recorded of the incident",
    at: "/issueRef",
    path: "/audit",
    query: "",
    param: "issue",
};

/// Reads the item as the type that the incident's page shows it from.
fn typed<T: FromJson>(item: &Value) -> T {
    T::from_json(&mut item.clone())
}

const fn of_incident(label: &'static str, path: &'static str) -> Related {
    Related {
        label,
        path,
        at: "/issueRef",
        query: "",
        param: "issue",
    }
}

pub(super) const INSIGHTS: Kind = Kind {
    path: "/insights",
    api: "/aiinsights",
    title: "AI insights",
    heading: "AI insights",
    one: "insight",
    many: "insights",
    these: "the AI insights",
    this: "this AI insight",
    empty: (
        "No model was asked about an incident.",
        "An insight appears as soon as an incident is analyzed.",
    ),
    filters: &[ISSUE, NAMESPACE, WORDS],
    columns: &[
        Column::name("Insight").below("/analysis", Show::Text),
        OF_INCIDENT,
        Column::new("Model", "model", "c-fact", "/model", Show::Text).below("/provider", Show::Text),
        Column::new("Confidence", "confidence", "c-fact num", "", Show::Of(confidence)),
        Column::new("Suggests", "", "c-fact c-wide num", "/suggestedActions", Show::Count),
        AGE,
    ],
    lead: |item| {
        if text(item, "/generatedAt").is_empty() {
            return "The model was asked, and has not answered.".to_owned();
        }
        let number = |at| list(item, at).len() as u64;
        format!(
            "What a model makes of one incident, with {} confidence: {} and {}.",
            percent(item["confidence"].as_f64().unwrap_or_default()),
            plural(number("/recommendations"), "recommendation", "recommendations"),
            plural(number("/suggestedActions"), "suggested action", "suggested actions"),
        )
    },
    body: |item| insight_panel(typed::<InsightItem>(item)),
    facts: &[
        Field::new("Incident", "/issueRef", Show::Issue),
        Field::new("Provider", "/provider", Show::Text),
        Field::new("Model", "/model", Show::Text),
        Field::new("Confidence", "", Show::Of(confidence)),
        Field::new("Asked", "/creationTimestamp", Show::Moment),
        Field::new("Answered", "/generatedAt", Show::Moment),
    ],
    related: &[of_incident("Plans for the incident", "/remediations"), RECORDED],
    ..Kind::PLAIN
};

/// An answer that is still awaited has none.
fn confidence(item: &Value) -> Option<AnyView> {
    if text(item, "/generatedAt").is_empty() {
        return Some(view! { <span class="faint">"awaited"</span> });
    }
    Field::new("", "/confidence", Show::Share).view(item)
}

const PLAN_STATE: Show = Show::State(|item| StateWord::plan(text(item, "/state")));

pub(super) const REMEDIATIONS: Kind = Kind {
    path: "/remediations",
    api: "/remediations",
    title: "Remediations",
    heading: "Remediations",
    one: "plan",
    many: "plans",
    these: "the plans",
    this: "this plan",
    empty: (
        "No plan was made.",
        "A plan appears when an incident was analyzed and something can be done.",
    ),
    filters: &[
        Filter::Several(
            "state",
            "State",
            &[
                ("Pending", "Pending"),
                ("WaitingApproval", "Waiting for approval"),
                ("Executing", "Executing"),
                ("Verifying", "Verifying"),
                ("Completed", "Completed"),
                ("Failed", "Failed"),
                ("RolledBack", "Rolled back"),
            ],
        ),
        ISSUE,
        NAMESPACE,
        WORDS,
    ],
    columns: &[
        Column::new("State", "state", "c-state", "/state", PLAN_STATE),
        Column::name("Plan").below("/strategy", Show::Text),
        OF_INCIDENT,
        Column::new("Attempt", "attempt", "c-fact num", "/attempt", Show::Number("")),
        Column::new("Steps", "", "c-fact c-wide num", "", Show::Of(steps)),
        Column::new("Took", "", "c-fact num", "", Show::Of(took)),
        AGE,
    ],
    marks: &[Field::new("", "/state", PLAN_STATE)],
    lead: |item| match (text(item, "/result"), text(item, "/state")) {
        ("", "Executing") => "It is being carried out.".to_owned(),
        ("", "Verifying") => "It is carried out; whether it helped is being watched.".to_owned(),
        ("", "WaitingApproval") => "It waits until people allow it.".to_owned(),
        ("", "" | "Pending") => "It has not begun.".to_owned(),
        ("", _) => "It is over, and no result was written down.".to_owned(),
        (result, _) => result.to_owned(),
    },
    body: |item| plan_panel(typed::<RemediationDetail>(item), None),
    facts: &[
        Field::new("Incident", "/issueRef", Show::Issue),
        Field::new("Attempt", "/attempt", Show::Number("")),
        Field::new("Steps", "", Show::Of(steps)),
        CREATED,
        Field::new("Started", "/startedAt", Show::Moment),
        Field::new("Ended", "/completedAt", Show::Moment),
    ],
    related: &[
        of_incident("Approvals for the incident", "/approvals"),
        of_incident("Insights into the incident", "/insights"),
        RECORDED,
    ],
    ..Kind::PLAIN
};

/// An agentic plan has no list; it takes its steps as it goes.
fn steps(item: &Value) -> Option<AnyView> {
    if is_true(item, "/agenticMode") {
        let taken = Field::new("", "/agenticStepCount", Show::Number("")).view(item);
        return Some(view! { {taken} <span class="faint">" agentic"</span> });
    }
    Field::new("", "/actions", Show::Count).view(item)
}

fn took(item: &Value) -> Option<AnyView> {
    let moment = |at| parse(text(item, at));
    let words = match (moment("/startedAt"), moment("/completedAt")) {
        (Some(from), Some(to)) => fine_span(to - from),
        (Some(_), None) => return Some(view! { <span class="faint">"under way"</span> }),
        _ => return Some(view! { <span class="faint">"not begun"</span> }),
    };
    Some(words.into_any())
}

pub(super) const RUNBOOKS: Kind = Kind {
    path: "/runbooks",
    api: "/runbooks",
    title: "Runbooks",
    heading: "Runbooks",
    one: "runbook",
    many: "runbooks",
    these: "the runbooks",
    this: "this runbook",
    empty: (
        "There are no runbooks.",
        "The operator writes one after a remediation that worked; people can write them too.",
    ),
    filters: &[NAMESPACE, WORDS],
    columns: &[
        Column::new("Severity", "", "c-sev", "/trigger/severity", Show::Severity),
        Column::name("Runbook").below("/description", Show::Text),
        Column::new("Answers", "trigger", "c-res", "/trigger/signalType", Show::Words)
            .below("/trigger/resourceKind", Show::Text),
        Column::new("Steps", "", "c-fact num", "/steps", Show::Count),
        Column::new(
            "Attempts",
            "maxAttempts",
            "c-fact c-wide num",
            "/maxAttempts",
            Show::Number(""),
        ),
        AGE,
    ],
    marks: &[Field::new("", "/trigger/severity", Show::Severity)],
    lead: |item| match text(item, "/description") {
        "" => format!("What is tried against {}.", signal(text(item, "/trigger/signalType"))),
        description => description.to_owned(),
    },
    body: |item| {
        view! {
            <section class="panel">
                <header>
                    <h2>"Steps"</h2>
                    <span class="dim">"in this order"</span>
                </header>
                <ol class="steps">{list(item, "/steps").iter().zip(1_u32..).map(step).collect_view()}</ol>
            </section>
        }
    },
    facts: &[
        Field::new("Signal", "/trigger/signalType", Show::Words),
        Field::new("Severity", "/trigger/severity", Show::Severity),
        Field::new("Resource", "/trigger/resourceKind", Show::Text),
        Field::new("Attempts at most", "/maxAttempts", Show::Number("")),
        CREATED,
    ],
    related: &[Related {
        label: "Plans that followed it",
        at: "/name",
        path: "/remediations",
        query: "",
        param: "q",
    }],
    ..Kind::PLAIN
};

fn step((item, number): (&Value, u32)) -> AnyView {
    let description = text(item, "/description").to_owned();
    let params: StringMap = member(&mut item.clone(), "params");
    view! {
        <li>
            <span class="n">{number.to_string()}</span>
            <div>
                <h3>{text(item, "/name").to_owned()} " " <span class="faint">{action(text(item, "/action"))}</span></h3>
                {(!description.is_empty()).then(|| view! { <p class="dim">{description}</p> })}
                {parameters(params)}
            </div>
        </li>
    }
}

const REVIEW: Show =
    Show::State(|item| StateWord::post_mortem(text(item, "/state"), is_true(item, "/requiresHumanAction")));
const RESOURCE: Show = Show::Of(|item| {
    let resource: ResourceRef = member(&mut item.clone(), "resource");
    let place = if resource.namespace.is_empty() {
        resource.kind
    } else {
        format!("{} in {}", resource.kind, resource.namespace)
    };
    Some(view! { {resource.name} <p>{place}</p> })
});

pub(super) const POST_MORTEMS: Kind = Kind {
    path: "/postmortems",
    api: "/postmortems",
    title: "Post-mortems",
    heading: "Post-mortems",
    one: "post-mortem",
    many: "post-mortems",
    these: "the post-mortems",
    this: "this post-mortem",
    empty: (
        "There are no post-mortems.",
        "The operator writes one when a plan has ended an incident.",
    ),
    filters: &[
        SEVERITIES,
        Filter::Several(
            "state",
            "State",
            &[("Open", "Open"), ("InReview", "In review"), ("Closed", "Closed")],
        ),
        Filter::One("range", "Written", RANGES),
        ISSUE,
        NAMESPACE,
        WORDS,
    ],
    columns: &[
        Column::new("Severity", "severity", "c-sev", "/severity", Show::Severity),
        Column::name("Post-mortem").below("/summary", Show::Text),
        Column::new("Resource", "resource", "c-res", "/resource", RESOURCE),
        Column::new("State", "state", "c-state", "/state", REVIEW),
        Column::new("Lasted", "", "c-fact c-wide num", "/duration", Show::Text),
        AGE,
    ],
    marks: &[
        Field::new("", "/severity", Show::Severity),
        Field::new("", "/state", REVIEW),
    ],
    lead: |item| {
        let owner: ResourceRef = member(&mut item.clone(), "resource");
        let lasted = match text(item, "/duration") {
            "" => String::new(),
            duration => format!(" for {duration}"),
        };
        let drill = if is_true(item, "/chaosInduced") {
            " It was a drill."
        } else {
            ""
        };
        format!("{} was affected{lasted}.{drill}", resource(&owner))
    },
    body: |item| {
        let done = list(item, "/actionsExecuted");
        let told = story(item);
        let annotations = item["annotations"].as_object().into_iter().flatten();
        let reviewer = annotations
            .filter(|(name, _)| name.ends_with("/reviewed-by"))
            .find_map(|(_, by)| by.as_str());
        view! {
            {post_mortem_panel(typed::<PostMortemItem>(item), reviewer)}
            {(!done.is_empty()).then(|| panel("What was done".into(), &item["actionsExecuted"]))}
            {(item["feedback"].is_object()).then(|| panel("What people say of it".into(), &item["feedback"]))}
            <section class="panel">
                <header>
                    <h2>"Timeline"</h2>
                    <span class="dim">"UTC"</span>
                </header>
                <div class="body">
                    <Timeline events=told.in_order() />
                </div>
            </section>
        }
    },
    facts: &[
        Field::new("Incident", "/issueRef", Show::Issue),
        Field::new("Resource", "/resource", RESOURCE),
        Field::new("Lasted", "/duration", Show::Text),
        Field::new("Experiment", "/chaosExperiment", Show::Mono),
        Field::new("Written", "/generatedAt", Show::Moment),
        Field::new("In review since", "/reviewedAt", Show::Moment),
    ],
    related: &[of_incident("Plans for the incident", "/remediations"), RECORDED],
    ..Kind::PLAIN
};

fn story(item: &Value) -> Story {
    let mut story = Story::default();
    for event in list(item, "/timeline") {
        let hand = match text(event, "/type") {
            "detected" | "action_failed" => Hand::Bad,
            "verified" | "resolved" => Hand::Good,
            _ => Hand::Automation,
        };
        let what = capitalised(&text(event, "/type").replace('_', " "));
        story.tell(Some(text(event, "/timestamp")), hand, what, text(event, "/detail"));
    }
    story
}
