//! A post-mortem: what happened and why, what to change, and what can be done with it.

use crate::{
    components::{decisions, link::name_link},
    view,
};
use leptos::prelude::*;
use opsdeck_api::postmortem::PostMortemItem;

/// `reviewer`: who moved it last, where that is known.
pub(crate) fn post_mortem_panel(post_mortem: PostMortemItem, reviewer: Option<&str>) -> AnyView {
    let state = match post_mortem.state.as_str() {
        "InReview" => "In review".to_owned(),
        "" => "Open".to_owned(),
        other => other.to_owned(),
    };
    let decisions = decisions::of_post_mortem(&post_mortem, reviewer);
    let texts = [
        ("Summary", post_mortem.summary),
        ("Root cause", post_mortem.root_cause),
        ("Impact", post_mortem.impact),
    ];
    let lists = [
        ("Lessons", post_mortem.lessons_learned),
        ("To prevent it", post_mortem.prevention_actions),
    ];
    view! {
        <section class="panel">
            <header>
                <h2>"Post-mortem" {name_link("/postmortems", &post_mortem.namespace, &post_mortem.name)}</h2>
                <span class="dim">
                    {(!post_mortem.duration.is_empty()).then(|| view! { {post_mortem.duration} ", " })} {state}
                </span>
            </header>
            <div class="body prose">
                {post_mortem
                    .requires_human_action
                    .then(|| view! { <p class="warn">"Owed by a person: " {post_mortem.required_action}</p> })}
                {texts
                    .into_iter()
                    .filter(|(_, text)| !text.is_empty())
                    .map(|(label, text)| view! { <h3>{label}</h3> <p class="pre">{text}</p> })
                    .collect_view()} {lists.into_iter().map(|(label, items)| bullets(label, items)).collect_view()}
                {decisions}
            </div>
        </section>
    }
}

fn bullets(label: &'static str, items: Vec<String>) -> Option<AnyView> {
    (!items.is_empty()).then(|| {
        view! {
            <h3>{label}</h3>
            <ul class="bullets">{items.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ul>
        }
    })
}
