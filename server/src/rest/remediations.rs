//! Remediations: the plans that were made to end incidents.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::{
    catalog::project::{remediation_detail, remediation_status},
    json::shown,
    resources::{PlanState, RemediationPlan},
};
use axum::{extract::Path, response::Response};

pub(super) const REMEDIATIONS: Listing = Listing {
    kind: "RemediationPlanList",
    timed: false,
    table: (
        "remediations",
        &[
            "name",
            "namespace",
            "issueRef",
            "attempt",
            "strategy",
            "state",
            "startedAt",
            "completedAt",
            "result",
            "agenticMode",
            "agenticStepCount",
            "actions",
            "creationTimestamp",
        ],
    ),
};

pub(super) const REMEDIATION: Single = Single {
    kind: "RemediationPlan",
    noun: "remediation plan",
    unqualified: Unqualified::Default,
};

/// The one list whose `state` may be written in any case.
pub(super) async fn list_remediations(ask: Ask) -> Result<Response, Error> {
    let states = ask.params.any_of("state").into_iter().map(canonical);
    ask.list_where::<RemediationPlan>(&REMEDIATIONS, |selection| {
        selection.without("state").filter("state", states)
    })
}

/// `status` is the stored one, not the item.
pub(super) async fn get_remediation(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one_with::<RemediationPlan, _>(&REMEDIATION, &name, |row| {
        Ok((
            shown(&remediation_detail(&row.object)),
            shown(&remediation_status(&row.object)),
        ))
    })
}

fn canonical(state: String) -> String {
    PlanState::KNOWN
        .iter()
        .find(|known| known.eq_ignore_ascii_case(&state))
        .map_or(state, ToString::to_string)
}
