//! What a model made of an incident: its analysis, what it recommends, what it would do.

use crate::{
    client::ApiError,
    components::{
        action::parameters,
        link::{href, name_link},
        notice::Failed,
        time::Ago,
        words::{action, percent},
    },
    view,
};
use leptos::prelude::*;
use opsdeck_api::{
    List, Query,
    insight::{InsightItem, SuggestedAction},
};

/// What the models made of an incident.
pub(crate) fn insight_panels(insights: Result<List<InsightItem>, ApiError>) -> AnyView {
    match insights {
        Err(error) => {
            view! { <section class="panel"><Failed what="the AI insight" error=error /></section> }
        }
        Ok(list) if list.items.is_empty() => view! {
            <section class="panel">
                <header>
                    <h2>"AI insight"</h2>
                </header>
                <p class="body dim">"No model was asked about this incident."</p>
            </section>
        },
        Ok(list) => list.items.into_iter().map(insight_panel).collect_view().into_any(),
    }
}

pub(crate) fn insight_panel(insight: InsightItem) -> AnyView {
    let model = format!("{} / {}", insight.provider, insight.model);
    let title = view! {
        <h2>"AI insight" {name_link("/insights", &insight.namespace, &insight.name)}</h2>
    };
    if insight.generated_at.is_none() {
        return view! {
            <section class="panel">
                <header>
                    {title}
                    <span class="dim">{model}</span>
                </header>
                <p class="body dim">"The model was asked " <Ago at=insight.creation_timestamp /> " and has not answered."</p>
            </section>
        };
    }
    let (analysis, runbook) = analysis_and_runbook(&insight.analysis);
    let more = [
        ("What the logs say", insight.log_analysis),
        ("Metrics", insight.metrics_context),
        ("Source code", insight.source_code_context),
        ("GitOps", insight.git_ops_context),
        ("Cascade", insight.cascade_analysis),
        ("Predicted blast radius", insight.blast_radius_prediction),
    ];
    view! {
        <section class="panel">
            <header>
                {title}
                <span class="dim">"confidence " {percent(insight.confidence.0)} ", " {model}</span>
            </header>
            <div class="body prose">
                <p class="pre">{analysis}</p>
                {runbook.map(runbook_line)}
                {(!insight.recommendations.is_empty())
                    .then(|| {
                        view! {
                            <h3>"It recommends"</h3>
                            <ul class="bullets">
                                {insight.recommendations.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                            </ul>
                        }
                    })}
                {(!insight.suggested_actions.is_empty())
                    .then(|| {
                        view! {
                            <h3>"Actions it suggests"</h3>
                            <ul class="suggested">{insight.suggested_actions.into_iter().map(suggested).collect_view()}</ul>
                        }
                    })}
                {more
                    .into_iter()
                    .filter(|(_, text)| !text.is_empty())
                    .map(|(label, text)| {
                        view! {
                            <details class="more">
                                <summary>{label}</summary>
                                <p class="pre">{text}</p>
                            </details>
                        }
                    })
                    .collect_view()}
            </div>
        </section>
    }
}

/// Which runbook it picks, if any. The model names no namespace, so the link leads to all of that name.
fn runbook_line(name: String) -> AnyView {
    if name.is_empty() {
        return view! { <p class="dim">"It finds no runbook that fits."</p> };
    }
    let found = href(&Query::default().with("q", &name).on("/runbooks"));
    view! { <p class="dim">"It picks the runbook " <a class="go mono" href=found>{name}</a> "."</p> }
}

/// The model's verdict on the runbooks stands in a line of its own that is meant for the operator: the name of
/// the one that it picks, or an empty one.
fn analysis_and_runbook(text: &str) -> (String, Option<String>) {
    let mut runbook = None;
    let lines: Vec<_> = text
        .lines()
        .filter(|line| {
            let verdict = line.trim();
            if let Some(name) = verdict.strip_prefix("RUNBOOK_APPROVED:") {
                runbook = Some(name.trim().to_owned());
            } else if verdict.starts_with("RUNBOOK_REJECTED") {
                runbook = Some(String::new());
            } else {
                return true;
            }
            false
        })
        .collect();
    (lines.join("\n").trim().to_owned(), runbook)
}

fn suggested(suggestion: SuggestedAction) -> AnyView {
    view! {
        <li>
            <h4>{suggestion.name} " " <span class="faint">{action(&suggestion.action)}</span></h4>
            {(!suggestion.description.is_empty()).then(|| view! { <p class="dim">{suggestion.description}</p> })}
            {(!suggestion.params.is_empty()).then(|| parameters(suggestion.params))}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::analysis_and_runbook;

    #[test]
    fn the_verdict_on_runbooks_is_taken_out_of_the_analysis() {
        let (text, runbook) = analysis_and_runbook("The cache grew.\nRUNBOOK_APPROVED: oom-raise-memory\n");
        assert_eq!(text, "The cache grew.");
        assert_eq!(runbook.as_deref(), Some("oom-raise-memory"));
    }
}
