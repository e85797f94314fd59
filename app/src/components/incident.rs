//! An incident as a row.

use crate::components::{
    link::object_href,
    mark::{Severity, State, StateWord},
    sort::SortHeader,
    time::{Age, Until},
    words::{person, told},
};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::incident::IncidentItem;

/// The list's own path, where its headers sort.
pub(crate) const PATH: &str = "/incidents";

#[component]
pub(crate) fn IncidentTable(
    items: Vec<IncidentItem>,
    /// What the table holds, for those who cannot see where it stands.
    caption: &'static str,
    #[prop(optional)] sortable: bool,
) -> impl IntoView {
    let head = if sortable { sorting_head() } else { plain_head() };
    view! {
        <table class="rows">
            <caption class="vh">{caption}</caption>
            <thead>{head}</thead>
            <tbody>{items.into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

fn plain_head() -> AnyView {
    view! {
        <tr>
            <th scope="col">"Severity"</th>
            <th scope="col">"Incident"</th>
            <th scope="col">"Resource"</th>
            <th scope="col">"State"</th>
            <th scope="col" class="num">"Risk"</th>
            <th scope="col" class="num">"Attempts"</th>
            <th scope="col" class="num">"Age"</th>
        </tr>
    }
}

fn sorting_head() -> AnyView {
    view! {
        <tr>
            <SortHeader path=PATH member="severity" label="Severity" descending_first=true />
            <SortHeader path=PATH member="name" label="Incident" />
            <SortHeader path=PATH member="resource" label="Resource" />
            <SortHeader path=PATH member="state" label="State" />
            <SortHeader path=PATH member="riskScore" label="Risk" descending_first=true class="num" />
            <SortHeader path=PATH member="remediationAttempts" label="Attempts" descending_first=true class="num" />
            <SortHeader path=PATH member="creationTimestamp" label="Age" descending_first=true class="num" inverted=true />
        </tr>
    }
}

fn row(item: IncidentItem) -> AnyView {
    let href = object_href(PATH, &item.namespace, &item.name);
    let resource = if item.resource.namespace.is_empty() {
        item.resource.kind.clone()
    } else {
        format!("{} in {}", item.resource.kind, item.resource.namespace)
    };
    view! {
        <tr>
            <td class="c-sev">
                <Severity severity=item.severity.clone() />
            </td>
            <td class="c-name">
                <a class="mono" href=href>
                    {item.name.clone()}
                </a>
                {item.chaos_induced.then(|| view! { <span class="tag">"drill"</span> })}
                <p title=item.description.clone()>{told(&item.description).to_owned()}</p>
            </td>
            <td class="c-res">
                {item.resource.name.clone()} <p>{resource}</p>
            </td>
            <td class="c-state">
                <State known=StateWord::incident(&item.state) word=item.state.clone() />
                {seen(&item)}
            </td>
            <td class="c-risk num">{item.risk_score.to_string()}</td>
            <td class="c-tries num">
                {item.remediation_attempts.to_string()}
                <span class="faint">"/" {item.max_remediation_attempts.to_string()}</span>
            </td>
            <td class="c-age num dim">
                <Age at=item.creation_timestamp />
            </td>
        </tr>
    }
}

/// Who has it, or until when it is kept quiet.
fn seen(item: &IncidentItem) -> Option<AnyView> {
    if let Some(snoozed) = &item.snoozed {
        return Some(view! {
            <p>
                "Snoozed for " <Until at=snoozed.until.clone() passed="no longer" />
            </p>
        });
    }
    item.acknowledged
        .as_ref()
        .map(|seen| view! { <p>{format!("Seen by {}", person(&seen.by))}</p> })
}
