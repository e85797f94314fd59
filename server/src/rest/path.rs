//! Paths as upstream understands them: one slash more at the end is no matter, escapes are read before the path is split,
//! and a path that names nothing is told what it failed to name.

use super::{Error, policies, routes};
use crate::access::caller::Admitted;
use axum::Extension;
use http::{HeaderValue, Method, Uri};
use opsdeck_api::Role;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b':');

/// Resources that are only read. They look at the method first of all, and at the role before they look at what is below them.
const READ_ONLY: [&str; 5] = ["analytics", "audit", "clusters", "federation", "policies"];

/// Where whatever follows the name of a report counts for nothing.
const OPEN_ENDED: [&str; 2] = ["/api/v1/analytics/", "/api/v1/federation/"];

/// Whether a path is the API's rather than a page's.
pub fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// The same address in the one spelling that the router knows; None when nothing has to change.
pub fn normalized(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let spelled_otherwise = path.ends_with('/') || path.contains('%') || without_surplus(path) != path;
    // One whose escapes are none keeps them, to be told so.
    if !path.starts_with("/api/") || !spelled_otherwise || broken_escape(path).is_some() {
        return None;
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let trimmed = without_surplus(decoded.strip_suffix('/').unwrap_or(&decoded));
    let path = utf8_percent_encode(trimmed, SEGMENT).to_string();
    at(uri, &path)
}

fn without_surplus(path: &str) -> &str {
    let report = OPEN_ENDED.iter().find_map(|prefix| path.strip_prefix(prefix));
    let surplus = report.and_then(|report| Some(report.len() - report.find('/')?));
    &path[..path.len() - surplus.unwrap_or(0)]
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

/// Escapes may be none, and may hold any bytes; no name is made of such.
pub(super) fn legible(uri: &Uri) -> Result<(), Error> {
    if let Some(escape) = broken_escape(uri.path()) {
        let message = format!("the path holds {escape:?}, which is no escape: after % stand two hexadecimal digits");
        return Err(Error::invalid("path", message));
    }
    match percent_decode_str(uri.path()).decode_utf8() {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::invalid("path", "the path holds escapes that are not UTF-8")),
    }
}

/// The first `%` that two hexadecimal digits do not follow, and what does.
fn broken_escape(path: &str) -> Option<&str> {
    path.match_indices('%')
        .map(|(at, _)| path.get(at..at + 3).unwrap_or(&path[at..]))
        .find(|escape| {
            let digits = escape[1..].bytes();
            digits.len() < 2 || !digits.into_iter().all(|digit| digit.is_ascii_hexdigit())
        })
}

/// The end of every path that is in no route: costs a valid key first, then says what is unknown.
pub(super) async fn unknown_path(admitted: Option<Extension<Admitted>>, method: Method, uri: Uri) -> Error {
    let caller = match admitted.map(|Extension(admitted)| admitted).unwrap_or_default().0 {
        Ok(caller) => caller,
        Err(refusal) => return refusal.into(),
    };
    if let Err(fault) = legible(&uri) {
        return fault;
    }
    let segments: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    let ["api", "v1", resource, below @ ..] = segments.as_slice() else {
        return Error::not_found("unknown API path");
    };
    let read_only = READ_ONLY.contains(resource);
    if (read_only || *resource == "slos") && !caller.may(Role::Viewer) {
        return Error::forbidden("insufficient permissions");
    }
    if read_only && is_known(resource) && ![Method::GET, Method::HEAD].contains(&method) {
        return wrong_method(resource, HeaderValue::from_static("GET, HEAD"));
    }
    Error::not_found(unknown(resource, below))
}

/// The methods that the path does know stand in `allow`.
pub(super) fn wrong_method(resource: &str, allow: HeaderValue) -> Error {
    let message = if READ_ONLY.contains(&resource) {
        format!("{resource} endpoints only support GET")
    } else {
        format!("{resource} takes only {}", allow.to_str().unwrap_or_default())
    };
    Error::method_not_allowed(message, allow)
}

fn is_known(resource: &str) -> bool {
    routes()
        .iter()
        .any(|route| route.path.trim_start_matches('/').split('/').next() == Some(resource))
}

fn unknown(resource: &str, below: &[&str]) -> String {
    match (resource, below) {
        _ if !is_known(resource) => format!("unknown resource: {resource}"),
        ("analytics", []) => "specify an analytics endpoint".into(),
        ("policies", []) => format!("specify a policy kind: {}", policies::KINDS.join(", ")),
        ("analytics" | "federation", [report, ..]) => format!("unknown {resource} endpoint: {report}"),
        ("slos", _) => "unknown SLO endpoint".into(),
        ("aiinsights" | "remediations", _) => format!("unknown {resource} route"),
        _ => format!("unknown {resource} endpoint"),
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
        for surplus in ["/x", "/x/y/", "/%20"] {
            let address = format!("/api/v1/federation/clusters{surplus}?tier=critical");
            let spelled = normalized(&address.parse().unwrap()).map(|uri| uri.to_string());
            assert_eq!(spelled.as_deref(), Some("/api/v1/federation/clusters?tier=critical"));
        }
        assert_eq!(spelled("/api/v1/federation/clusters"), None);
    }
}
