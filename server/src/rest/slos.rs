//! Service level objectives: what is promised, what was reached, and what may still be spent.

use super::{
    Error,
    answer::json,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::{
    catalog::project::slo_budget,
    resources::{Kind, ServiceLevelObjective},
};
use axum::{extract::Path, response::Response};

pub(super) const SLOS: Listing = Listing {
    kind: "ServiceLevelObjectiveList",
    timed: false,
    table: (
        "slos",
        &[
            "name",
            "namespace",
            "service",
            "sli",
            "target",
            "window",
            "currentValue",
            "errorBudgetTotal",
            "errorBudgetUsed",
            "errorBudgetRemaining",
            "burnRate1h",
            "burnRate6h",
            "burnRate24h",
            "burnRate72h",
            "activeAlerts",
            "state",
            "creationTimestamp",
        ],
    ),
};

pub(super) const SLO: Single = Single {
    kind: "ServiceLevelObjective",
    noun: "SLO",
    unqualified: Unqualified::Anywhere,
};

pub(super) async fn list_slos(ask: Ask) -> Result<Response, Error> {
    ask.list::<ServiceLevelObjective>(&SLOS)
}

pub(super) async fn get_slo(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one::<ServiceLevelObjective>(&SLO, &name)
}

pub(super) async fn get_slo_budget(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::ServiceLevelObjective], |snapshot| {
        let row = ask.find::<ServiceLevelObjective>(snapshot, &SLO, &name)?;
        json(&opsdeck_api::Single::<_, ()>::report(
            "SLOBudget",
            slo_budget(&row.object),
        ))
    })
}
