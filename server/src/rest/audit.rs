//! The trail: who did what, newest first, and all of it as a file.

use super::{Error, ask::Ask, listing::Listing};
use crate::{
    catalog::{Row, project::audit_item},
    json,
    resources::{AuditEvent, Kind, moment},
};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, header};
use std::{convert::Infallible, sync::Arc};

pub(super) const EVENTS: Listing = Listing {
    kind: "AuditEventList",
    timed: true,
    table: (
        "audit",
        &[
            "timestamp",
            "eventType",
            "severity",
            "actorType",
            "actorName",
            "resourceKind",
            "resourceName",
            "resourceNamespace",
            "correlationId",
            "detail",
            "name",
            "namespace",
            "creationTimestamp",
        ],
    ),
};

/// Events that are written at a time, so that a long trail is never in memory twice.
const CHUNK: usize = 256;

pub(super) async fn list_audit_events(ask: Ask) -> Result<Response, Error> {
    ask.list::<AuditEvent>(&EVENTS)
}

/// The whole filtered trail as one indented document, written while it is read. Always JSON.
pub(super) async fn export_audit_events(ask: Ask) -> Result<Response, Error> {
    ask.conditional(&[Kind::AuditEvent], |snapshot| {
        let rows = snapshot.table::<AuditEvent>().all(&ask.selection::<AuditEvent>(true))?;
        let file = format!(
            "attachment; filename=audit-events-{}.json",
            ask.now.strftime("%Y%m%d-%H%M%S")
        );
        let mut response = Response::new(document(rows, &moment::written(ask.now)));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::try_from(file).map_err(Error::internal)?,
        );
        Ok(response)
    })
}

fn document(rows: Vec<Arc<Row<AuditEvent>>>, exported_at: &str) -> Body {
    let total = rows.len();
    let head = format!("{{\n  \"apiVersion\": \"v1\",\n  \"exportedAt\": \"{exported_at}\",\n  \"items\": [");
    let tail = format!(
        "{}],\n  \"kind\": \"AuditEventExport\",\n  \"totalCount\": {total}\n}}\n",
        if total == 0 { "" } else { "\n  " }
    );
    let events = (0..total.div_ceil(CHUNK)).map(move |chunk| {
        let rows = rows.iter().enumerate().skip(chunk * CHUNK).take(CHUNK);
        let mut text = String::new();
        for (index, row) in rows {
            text.push_str(if index == 0 { "\n    " } else { ",\n    " });
            text.push_str(&indented(row));
        }
        text
    });
    let pieces = [head].into_iter().chain(events).chain([tail]);
    Body::from_stream(stream::iter(
        pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))),
    ))
}

/// One event where the list's brackets stand two spaces in. What a browser could take for markup is escaped.
fn indented(row: &Row<AuditEvent>) -> String {
    let item = audit_item(&row.object);
    let text = serde_json::to_vec_pretty(&item).expect("an item of texts can be written");
    let text = String::from_utf8(json::masked(text)).expect("JSON is text");
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\n    "),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}
