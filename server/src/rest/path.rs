//! Paths as upstream understands them: one slash more at the end is no matter, escapes are read before the path is split,
//! and a path that names nothing is told what it failed to name.

use super::{Error, routes};
use crate::access::caller::Admitted;
use axum::Extension;
use http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b':');

/// Whether a path is the API's rather than a page's.
pub fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// The same address in the one spelling that the router knows; None when nothing has to change.
pub fn normalized(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    if !path.starts_with("/api/") || !(path.ends_with('/') || path.contains('%')) {
        return None;
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let trimmed = decoded.strip_suffix('/').unwrap_or(&decoded);
    let path = utf8_percent_encode(trimmed, SEGMENT).to_string();
    let target = uri
        .query()
        .map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
    target.parse().ok()
}

/// The end of every path that is in no route: costs a valid key first, then says what is unknown.
pub(super) async fn unknown_path(admitted: Option<Extension<Admitted>>, uri: Uri) -> Error {
    if let Err(refusal) = admitted.map(|Extension(admitted)| admitted).unwrap_or_default().0 {
        return refusal.into();
    }
    let segments: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    Error::not_found(match segments.as_slice() {
        ["api", "v1", resource, ..] => unknown(resource),
        _ => "unknown API path".into(),
    })
}

fn unknown(resource: &str) -> String {
    let known = routes()
        .iter()
        .any(|route| route.path.trim_start_matches('/').split('/').next() == Some(resource));
    match resource {
        "approvals" | "incidents" | "postmortems" if known => format!("unknown {resource} endpoint"),
        "aiinsights" | "remediations" if known => format!("unknown {resource} route"),
        "analytics" if known => "unknown analytics endpoint".into(),
        _ if known => format!("unknown {resource} endpoint"),
        _ => format!("unknown resource: {resource}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_for_the_router() {
        let spelled = |text: &'static str| normalized(&Uri::from_static(text)).map(|uri| uri.to_string());
        assert_eq!(spelled("/api/v1/incidents"), None);
        assert_eq!(
            spelled("/api/v1/incidents/?page=2").as_deref(),
            Some("/api/v1/incidents?page=2")
        );
        assert_eq!(
            spelled("/api/v1/incidents/a%2Ftimeline").as_deref(),
            Some("/api/v1/incidents/a/timeline")
        );
        assert_eq!(
            spelled("/api/v1/incidents/%C3%A9%20").as_deref(),
            Some("/api/v1/incidents/%C3%A9%20")
        );
        assert_eq!(spelled("/incidents/"), None);
    }
}
