//! The REST API under `/api/v1`. The table below is its contents: every route with the role that it asks for.
//! One file per resource beside this one; what holds for all of them is in `gate`, `route`, `ask`, `answer`, `params`, `body`, `write`,
//! `error`.

mod analytics;
mod answer;
mod approvals;
mod ask;
mod body;
mod csv;
mod error;
mod freshness;
mod gate;
mod health;
mod incidents;
mod insights;
mod instances;
mod listing;
mod params;
mod path;
mod postmortems;
mod remediations;
mod route;
mod runbooks;
mod session;
mod whoami;
mod write;

pub use error::Error;
pub use gate::{facing_the_network, identify, in_process, share};
pub use health::{health_routes, metrics_routes};
pub use path::{below, is_api, normalized};
pub use route::{Need, Route};

use crate::console::SharedConsole;
use axum::Router;
use opsdeck_api::Role::{Admin, Operator, Viewer};
use route::{delete, get, post};

/// Every operation of the API and who may call it.
pub fn routes() -> Vec<Route> {
    vec![
        get("/incidents", Viewer, incidents::list_incidents),
        get("/incidents/{name}", Viewer, incidents::get_incident),
        get("/incidents/{name}/timeline", Viewer, incidents::get_incident_timeline),
        get(
            "/incidents/{name}/remediation",
            Viewer,
            incidents::list_incident_remediations,
        ),
        post(
            "/incidents/{name}/acknowledge",
            Operator,
            incidents::acknowledge_incident,
        ),
        post("/incidents/{name}/snooze", Operator, incidents::snooze_incident),
        post("/incidents/{name}/resolve", Operator, incidents::resolve_incident),
        delete("/runbooks/{name}", Admin, runbooks::delete_runbook),
        get("/approvals", Viewer, approvals::list_approvals),
        get("/approvals/{name}", Viewer, approvals::get_approval),
        get("/instances", Viewer, instances::list_instances),
        get("/instances/{name}", Viewer, instances::get_instance),
        get("/aiinsights", Viewer, insights::list_insights),
        get("/aiinsights/{name}", Viewer, insights::get_insight),
        get("/remediations", Viewer, remediations::list_remediations),
        get("/remediations/{name}", Viewer, remediations::get_remediation),
        get("/postmortems", Viewer, postmortems::list_postmortems),
        get("/postmortems/{name}", Viewer, postmortems::get_postmortem),
        get("/analytics/summary", Viewer, analytics::get_summary).whatever_follows(),
        get("/analytics/mttd", Viewer, analytics::get_mttd).whatever_follows(),
        get("/analytics/mttr", Viewer, analytics::get_mttr).whatever_follows(),
        get("/analytics/trends", Viewer, analytics::get_trends).whatever_follows(),
        get("/analytics/top-resources", Viewer, analytics::get_top_resources).whatever_follows(),
        get("/analytics/remediation-stats", Viewer, analytics::get_remediation_stats).whatever_follows(),
        get("/analytics/compliance", Viewer, analytics::get_compliance).whatever_follows(),
        get("/analytics/capacity", Viewer, analytics::get_capacity).whatever_follows(),
        get("/analytics/cost", Viewer, analytics::get_cost).whatever_follows(),
        get("/whoami", Need::ValidKey, whoami::get_whoami),
        post("/session", Need::ValidKey, session::create_session),
        delete("/session", Need::Nothing, session::delete_session),
    ]
}

/// The API as a service for whole paths (`/api/v1/…`): routes and their roles. Who asks is told by what stands in front, in `gate`.
pub fn router(console: SharedConsole) -> Router {
    route::assemble(routes(), console)
}
