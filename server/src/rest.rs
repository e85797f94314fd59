//! The REST API under `/api/v1`. The table below is its contents: every route with the role that it asks for.
//! One file per resource beside this one; what holds for all of them is in `gate`, `route`, `ask`, `answer`, `params`, `body`, `write`,
//! `error`.

mod analytics;
mod answer;
mod approvals;
mod ask;
mod audit;
mod body;
mod bulk;
mod clusters;
mod csv;
mod error;
mod events;
mod federation;
mod freshness;
mod gate;
mod health;
mod incidents;
mod insights;
mod instances;
mod listing;
mod openapi;
mod params;
mod path;
mod policies;
mod postmortems;
mod remediations;
mod route;
mod runbooks;
mod search;
mod session;
mod slos;
mod whoami;
mod write;

pub use error::Error;
pub use events::Events;
pub use gate::{facing_the_network, identify, in_process, share};
pub use health::{health_routes, metrics_routes};
pub use openapi::{Description, document};
pub use path::{below, is_api, normalized};
pub use route::{Need, Route};

use crate::console::SharedConsole;
use axum::Router;
use opsdeck_api::Role::{Admin, Operator, Viewer};
use route::{delete, get, post, put};

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
        post(
            "/incidents/{name}/unacknowledge",
            Operator,
            incidents::unacknowledge_incident,
        ),
        post("/incidents/{name}/snooze", Operator, incidents::snooze_incident),
        post("/incidents/{name}/unsnooze", Operator, incidents::unsnooze_incident),
        post("/incidents/{name}/resolve", Operator, incidents::resolve_incident),
        post("/incidents/bulk", Operator, bulk::change_incidents),
        get("/slos", Viewer, slos::list_slos),
        get("/slos/{name}", Viewer, slos::get_slo),
        get("/slos/{name}/budget", Viewer, slos::get_slo_budget),
        get("/runbooks", Viewer, runbooks::list_runbooks),
        post("/runbooks", Operator, runbooks::create_runbook),
        get("/runbooks/{name}", Viewer, runbooks::get_runbook),
        put("/runbooks/{name}", Operator, runbooks::update_runbook),
        delete("/runbooks/{name}", Admin, runbooks::delete_runbook),
        get("/approvals", Viewer, approvals::list_approvals),
        get("/approvals/{name}", Viewer, approvals::get_approval),
        post("/approvals/{name}/approve", Operator, approvals::approve_approval),
        post("/approvals/{name}/reject", Operator, approvals::reject_approval),
        get("/instances", Viewer, instances::list_instances),
        get("/instances/{name}", Viewer, instances::get_instance),
        post("/instances/{name}/reprobe", Operator, instances::reprobe_instance),
        get("/aiinsights", Viewer, insights::list_insights),
        get("/aiinsights/{name}", Viewer, insights::get_insight),
        get("/remediations", Viewer, remediations::list_remediations),
        get("/remediations/{name}", Viewer, remediations::get_remediation),
        get("/postmortems", Viewer, postmortems::list_postmortems),
        get("/postmortems/{name}", Viewer, postmortems::get_postmortem),
        post("/postmortems/{name}/review", Operator, postmortems::review_postmortem),
        post("/postmortems/{name}/close", Operator, postmortems::close_postmortem),
        post("/postmortems/{name}/feedback", Operator, postmortems::rate_postmortem),
        post(
            "/postmortems/{name}/ack-human-action",
            Operator,
            postmortems::acknowledge_human_action,
        ),
        get("/analytics/summary", Viewer, analytics::get_summary),
        get("/analytics/mttd", Viewer, analytics::get_mttd),
        get("/analytics/mttr", Viewer, analytics::get_mttr),
        get("/analytics/trends", Viewer, analytics::get_trends),
        get("/analytics/top-resources", Viewer, analytics::get_top_resources),
        get("/analytics/remediation-stats", Viewer, analytics::get_remediation_stats),
        get("/analytics/compliance", Viewer, analytics::get_compliance),
        get("/analytics/capacity", Viewer, analytics::get_capacity),
        get("/analytics/cost", Viewer, analytics::get_cost),
        get("/clusters", Viewer, clusters::list_clusters),
        get("/clusters/global-status", Viewer, clusters::get_global_status),
        get("/clusters/{name}", Viewer, clusters::get_cluster),
        get("/federation", Viewer, federation::get_federation_status).named("get_federation"),
        get("/federation/status", Viewer, federation::get_federation_status),
        get("/federation/clusters", Viewer, federation::list_federation_clusters),
        get("/federation/correlations", Viewer, federation::list_correlations),
        get("/policies/{kind}", Viewer, policies::list_policies),
        get("/policies/{kind}/{name}", Viewer, policies::get_policy),
        get("/audit", Viewer, audit::list_audit_events),
        get("/audit/export", Viewer, audit::export_audit_events),
        get("/search", Viewer, search::search),
        get("/events", Viewer, events::watch_events),
        get("/whoami", Need::ValidKey, whoami::get_whoami),
        post("/session", Need::ValidKey, session::create_session),
        delete("/session", Need::Nothing, session::delete_session),
        get("/openapi.json", Need::Nothing, openapi::get_openapi),
    ]
}

/// The API as a service for whole paths (`/api/v1/…`): routes and their roles. Who asks is told by what stands in front, in `gate`.
pub fn router(console: SharedConsole) -> Router {
    route::assemble(routes(), console)
}
