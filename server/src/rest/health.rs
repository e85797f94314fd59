//! Is the process alive, can it answer, and how does it do? Outside `/api`, for anybody who reaches the listener.

use super::answer::json;
use crate::{catalog::project::wire_time, telemetry::metrics::Metrics};
use axum::{
    Router,
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use http::{StatusCode, header};
use jiff::Timestamp;
use serde::Serialize;

#[derive(Serialize)]
struct Health<'a> {
    status: &'a str,
    timestamp: String,
}

pub fn health_routes() -> Router {
    Router::new()
        .route("/healthz", any(live))
        .route("/livez", any(live))
        .route("/readyz", any(ready))
}

/// What the metrics listener shows, beside the health of the process.
pub fn metrics_routes(metrics: Metrics) -> Router {
    let figures = || async move { ([(header::CONTENT_TYPE, Metrics::CONTENT_TYPE)], metrics.text()).into_response() };
    health_routes().route("/metrics", get(figures))
}

/// Never depends on the store.
async fn live() -> Response {
    report(StatusCode::OK, "ok")
}

/// The listener opens once the catalog is filled, and the embedded store fills it whole.
async fn ready() -> Response {
    report(StatusCode::OK, "ready")
}

fn report(status: StatusCode, text: &str) -> Response {
    let timestamp = wire_time(Timestamp::now());
    let mut response = json(&Health {
        status: text,
        timestamp,
    })
    .unwrap_or_default();
    *response.status_mut() = status;
    response
}
