//! `GET /openapi.json`: the description of the API, made from the table of routes, from what `operations` says of each, and from the
//! types of the wire contract. Bodies are the exception: `api/src/request.rs` describes what the handlers read by member.

mod book;
mod operations;
mod schemas;

use super::{
    Error,
    answer::{holds, json_bytes},
    route::{Need, PREFIX, Route},
    routes,
};
use crate::{console::SharedConsole, hex, json};
use axum::{body::Body, extract::State, response::Response};
use book::Operation;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use opsdeck_api::ErrorBody;
use schemas::Schemas;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

const ABOUT: &str = "Incidents, instances and approvals of Kubernetes AIOps, over the custom resources of \
                     platform.chatcli.io/v1alpha1. Whatever the dashboard shows or does is here; it has no other way. \
                     Members may be added to any object. Query parameters that cannot be read are ignored and named in a Warning header.";

/// Names of objects, as Kubernetes has them.
const NAME: &str = r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$";

/// What may go wrong: name of the component, and what it says.
const REFUSALS: [(u16, &str, &str); 13] = [
    (
        400,
        "Invalid",
        "Something that was sent cannot be used; `fields` says what.",
    ),
    (401, "Unauthorized", "No key, or one that is not known."),
    (
        403,
        "Forbidden",
        "The key's role is too low, or the cluster does not let the server do it (`forbidden_by_cluster`).",
    ),
    (404, "NotFound", "There is no such object."),
    (408, "Timeout", "The body did not come in time."),
    (
        409,
        "Conflict",
        "It is no longer as it was, or the name alone does not say which one is meant; see `reason`.",
    ),
    (413, "TooLarge", "The body is too large."),
    (414, "AddressTooLong", "Path and query are too long."),
    (
        422,
        "Unprocessable",
        "The object's own schema does not take it; `fields` says what.",
    ),
    (
        429,
        "RateLimited",
        "Too many requests. `Retry-After` says how long to wait.",
    ),
    (
        500,
        "Internal",
        "Something went wrong; the log tells more under `requestId`.",
    ),
    (
        503,
        "Unavailable",
        "It cannot be had at the moment. `Retry-After` says when to come back.",
    ),
    (
        504,
        "GatewayTimeout",
        "No answer from the cluster in time: look before you repeat it.",
    ),
];

/// The document as it is served. It is as long as the server runs, so it is written once.
#[derive(Debug)]
pub struct Description {
    body: Bytes,
    tag: HeaderValue,
}

// === impl Description ===

impl Description {
    fn of(base_path: &str) -> Self {
        let mut body = json::to_bytes(&document(base_path));
        body.push(b'\n');
        let tag = format!("W/\"{}\"", hex::encode(&Sha256::digest(&body)[..8]));
        Self {
            body: body.into(),
            tag: HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("W/\"\"")),
        }
    }
}

pub(super) async fn get_openapi(State(console): State<SharedConsole>, headers: HeaderMap) -> Result<Response, Error> {
    let Description { body, tag } = console.description.get_or_init(|| Description::of(&console.base_path));
    let mut response = if holds(headers.get(header::IF_NONE_MATCH), tag) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        json_bytes(body.clone())
    };
    response.headers_mut().insert(header::ETAG, tag.clone());
    Ok(response)
}

/// The whole description, for a server whose addresses begin with this.
pub fn document(base_path: &str) -> Value {
    let mut schemas = Schemas::default();
    let error = schemas.answer::<ErrorBody>();
    let (chapters, operations) = operations::all(&mut schemas);
    let operations: BTreeMap<_, _> = operations
        .into_iter()
        .map(|operation| (operation.id, operation))
        .collect();
    let mut paths = Map::new();
    for route in routes() {
        // A route without a description is one that the tests name.
        if let Some(operation) = operations.get(route.operation) {
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            path[route.method.as_str().to_lowercase()] = described(&route, operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Opsdeck",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": format!("{base_path}{PREFIX}") }],
        "tags": chapters,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "ApiKey": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "Session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "opsdeck_session",
                    "description": "What POST /session sets; `__Host-opsdeck_session` under TLS. A write by cookie must come from the console's own pages.",
                },
            },
            "responses": refusals(&error),
            "schemas": schemas.components(),
        },
    })
}

fn described(route: &Route, operation: &Operation) -> Value {
    let mut told = json!({
        "operationId": operation.id,
        "tags": [operation.chapter],
        "summary": operation.summary,
        "responses": answers(route, operation),
        "security": security(route, operation),
    });
    if let Need::Role(role) = route.need {
        told["x-required-role"] = role.as_str().into();
    }
    let parameters: Vec<_> = in_path(route.path)
        .chain(operation.parameters.iter().cloned())
        .collect();
    if !parameters.is_empty() {
        told["parameters"] = parameters.into();
    }
    if let Some(body) = &operation.body {
        told["requestBody"] = json!({
            "required": body.required,
            "content": { "application/json": { "schema": body.schema } },
        });
    }
    told
}

fn security(route: &Route, operation: &Operation) -> Value {
    match route.need {
        Need::Nothing => json!([]),
        _ if operation.key_only => json!([{ "ApiKey": [] }]),
        _ => json!([{ "ApiKey": [] }, { "Session": [] }]),
    }
}

fn in_path(path: &'static str) -> impl Iterator<Item = Value> {
    let names = path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        let schema = match name {
            "kind" => json!({ "type": "string", "enum": super::policies::KINDS }),
            _ => json!({ "type": "string", "minLength": 1, "maxLength": 253, "pattern": NAME }),
        };
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    })
}

fn answers(route: &Route, operation: &Operation) -> Value {
    let mut answers = Map::new();
    let mut success = json!({ "description": operation.answer.description });
    let links = links(route);
    if !links.is_empty() {
        success["links"] = links.into();
    }
    if !operation.answer.content.is_empty() {
        success["content"] = operation.answer.content.clone().into();
    }
    answers.insert(operation.answer.status.to_string(), success);
    if operation.conditional {
        let same = json!({ "description": "What the client has, by its `If-None-Match`, is still true." });
        answers.insert(StatusCode::NOT_MODIFIED.as_u16().to_string(), same);
    }
    for (status, name, _) in REFUSALS {
        if refused_with(status, route, operation) {
            answers.insert(
                status.to_string(),
                json!({ "$ref": format!("#/components/responses/{name}") }),
            );
        }
    }
    answers.into()
}

/// From a list to what can be asked of, or done to, the objects in it.
fn links(list: &Route) -> Map<String, Value> {
    let below = format!("{}/{{name}}", list.path);
    let routes = routes().into_iter().filter(|route| route.path.starts_with(&below));
    let of_first = |member: &str| format!("$response.body#/items/0/{member}");
    let link = |route: Route| {
        let mut parameters = json!({ "path.name": of_first("name"), "query.namespace": of_first("namespace") });
        if list.path.contains("{kind}") {
            parameters["path.kind"] = "$request.path.kind".into();
        }
        let link = json!({ "operationId": route.operation, "parameters": parameters });
        (route.operation.to_owned(), link)
    };
    if list.method == Method::GET {
        routes.map(link).collect()
    } else {
        Map::new()
    }
}

fn refused_with(status: u16, route: &Route, operation: &Operation) -> bool {
    let (writes, named) = (route.method != Method::GET, route.path.contains('{'));
    let over_objects = matches!(route.need, Need::Role(_));
    match status {
        400 => named || operation.body.is_some() || operation.refusals.contains(&400),
        401 => route.need != Need::Nothing,
        // A write by cookie from elsewhere is refused whatever the role.
        403 => over_objects || (writes && route.need != Need::Nothing),
        404 => named || operation.refusals.contains(&404),
        408 | 413 => writes,
        409 => operation.refusals.contains(&409),
        422 | 504 => writes && over_objects,
        503 => over_objects,
        _ => true,
    }
}

fn refusals(error: &Value) -> Value {
    let responses = REFUSALS.map(|(_, name, description)| {
        let content = json!({ "application/json": { "schema": error } });
        (
            name.to_owned(),
            json!({ "description": description, "content": content }),
        )
    });
    Value::Object(responses.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_described_and_every_description_has_its_route() {
        let routes: BTreeSet<_> = routes().iter().map(|route| route.operation).collect();
        let (_, operations) = operations::all(&mut Schemas::default());
        let described: BTreeSet<_> = operations.iter().map(|operation| operation.id).collect();
        assert_eq!(described.len(), operations.len(), "described twice");
        assert_eq!(routes, described, "say in rest/openapi/operations.rs what it does");
    }

    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let routes = routes();
        let names: BTreeSet<_> = routes.iter().map(|route| route.operation).collect();
        assert_eq!(
            names.len(),
            routes.len(),
            "two routes share a handler: give the second one its own"
        );
    }

    #[test]
    fn the_document_is_the_one_that_was_agreed_on() {
        insta::assert_json_snapshot!("openapi", document(""));
    }

    #[test]
    fn addresses_begin_with_the_base_path() {
        assert_eq!(document("/ops")["servers"][0]["url"], "/ops/api/v1");
    }
}
