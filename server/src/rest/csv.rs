//! Lists as tables: RFC 4180, one column a member of the item, safe to open in a spreadsheet.

use super::Error;
use crate::{catalog::Row, resources::moment};
use axum::{body::Body, response::Response};
use http::{HeaderValue, header};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

pub(super) fn table<K>(
    (name, columns): (&str, &[&str]),
    rows: &[Arc<Row<K>>],
    now: Timestamp,
) -> Result<Response, Error> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    writer.write_record(columns).map_err(Error::internal)?;
    for row in rows {
        let item: Value = serde_json::from_slice(&row.item).map_err(Error::internal)?;
        writer
            .write_record(columns.iter().map(|column| cell(column, &item[column])))
            .map_err(Error::internal)?;
    }
    let body = writer
        .into_inner()
        .map_err(|error| Error::internal(error.into_error()))?;
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/csv; charset=utf-8"),
    );
    let file = format!("attachment; filename={name}-{}.csv", now.strftime("%Y%m%d-%H%M%S"));
    if let Ok(value) = HeaderValue::try_from(file) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

fn cell(column: &str, value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) if is_time(column) => utc(text),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    inert(text)
}

fn is_time(column: &str) -> bool {
    column.ends_with("At") || column.ends_with("Timestamp") || ["timestamp", "lastHealthCheck"].contains(&column)
}

/// Kinds that keep the stored text may hold an offset.
fn utc(text: &str) -> String {
    moment::read(text).map_or_else(|| text.to_owned(), moment::written)
}

/// A spreadsheet must not run what a cluster wrote.
fn inert(text: String) -> String {
    match text.chars().next() {
        Some(first) if "=+-@".contains(first) || first.is_control() => format!("'{text}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_spreadsheet_would_run_is_made_inert() {
        for (value, shown) in [
            ("=1+1", "'=1+1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("-5", "'-5"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(cell("description", &json!(value)), shown);
        }
    }

    #[test]
    fn times_are_utc_and_structures_are_json() {
        assert_eq!(
            cell("decidedAt", &json!("2026-09-23T14:00:00+02:00")),
            "2026-09-23T12:00:00Z"
        );
        assert_eq!(cell("resource", &json!({"kind": "Node"})), r#"{"kind":"Node"}"#);
        assert_eq!(cell("snoozed", &json!(null)), "");
        assert_eq!(cell("riskScore", &json!(85)), "85");
    }
}
