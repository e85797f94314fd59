//! Paths as upstream understands them: one slash more at the end is no matter, escapes are read before the path is split,
//! and a path that names nothing is told what it failed to name.

use super::{Error, routes};
use crate::access::caller::Admitted;
use axum::Extension;
use http::Uri;
use opsdeck_api::Role;
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
    at(uri, &path)
}

/// The address as it is below the base path; None for one that is not.
pub fn below(base_path: &str, uri: &Uri) -> Option<Uri> {
    let within = uri.path().strip_prefix(base_path)?;
    within.starts_with('/').then(|| at(uri, within)).flatten()
}

/// Another path, and all the rest of the address: over HTTP/2 it holds the host.
fn at(uri: &Uri, path: &str) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    let target = uri
        .query()
        .map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    parts.path_and_query = Some(target.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// Escapes may hold any bytes; no name is made of such.
pub(super) fn legible(uri: &Uri) -> Result<(), Error> {
    match percent_decode_str(uri.path()).decode_utf8() {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::invalid("path", "the path holds escapes that are not UTF-8")),
    }
}

/// The end of every path that is in no route: costs a valid key first, on some resources one with rights, then says what is unknown.
pub(super) async fn unknown_path(admitted: Option<Extension<Admitted>>, uri: Uri) -> Error {
    let caller = match admitted.map(|Extension(admitted)| admitted).unwrap_or_default().0 {
        Ok(caller) => caller,
        Err(refusal) => return refusal.into(),
    };
    let segments: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", "v1", "analytics", ..] if !caller.may(Role::Viewer) => Error::forbidden("insufficient permissions"),
        ["api", "v1", "analytics"] => Error::not_found("specify an analytics endpoint"),
        ["api", "v1", "analytics", endpoint, ..] => Error::not_found(format!("unknown analytics endpoint: {endpoint}")),
        ["api", "v1", resource, ..] => Error::not_found(unknown(resource)),
        _ => Error::not_found("unknown API path"),
    }
}

fn unknown(resource: &str) -> String {
    let known = routes()
        .iter()
        .any(|route| route.path.trim_start_matches('/').split('/').next() == Some(resource));
    match resource {
        "aiinsights" | "remediations" if known => format!("unknown {resource} route"),
        _ if known => format!("unknown {resource} endpoint"),
        _ => format!("unknown resource: {resource}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_below_the_base_path_keeps_its_host_and_query() {
        let within = |text: &'static str| below("/ops", &Uri::from_static(text)).map(|uri| uri.to_string());
        assert_eq!(within("/ops/").as_deref(), Some("/"));
        assert_eq!(within("/ops/incidents?page=2").as_deref(), Some("/incidents?page=2"));
        assert_eq!(
            within("https://a.example/ops/x").as_deref(),
            Some("https://a.example/x")
        );
        for other in ["/ops", "/opsx/", "/", "/incidents"] {
            assert_eq!(within(other), None, "{other}");
        }
    }

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
