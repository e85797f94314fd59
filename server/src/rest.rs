//! The REST API under `/api/v1`. The table below is its contents: every route with the role that it asks for.
//! One file per resource beside this one; what holds for all of them is in `route`, `ask`, `answer`, `params`, `error`.

mod analytics;
mod answer;
mod approvals;
mod ask;
mod csv;
mod error;
mod freshness;
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
mod session;
mod whoami;

pub use answer::finish;
pub use error::Error;
pub use health::health_routes;
pub use path::{is_api, normalized};
pub use route::{Need, Route};

use crate::console::SharedConsole;
use axum::Router;
use opsdeck_api::Role::Viewer;
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
        get("/analytics/summary", Viewer, analytics::get_summary),
        get("/analytics/trends", Viewer, analytics::get_trends),
        get("/whoami", Need::ValidKey, whoami::get_whoami),
        post("/session", Need::ValidKey, session::create_session),
        delete("/session", Need::Nothing, session::delete_session),
    ]
}

/// The API as a service for whole paths (`/api/v1/…`).
pub fn router(console: SharedConsole) -> Router {
    route::assemble(routes(), console)
}
