//! The dashboard's files, inside the binary: the bundle under an address that changes with its content, the rest under fixed names.

use super::Pages;
use crate::{headers::CachePolicy, hex};
use axum::{
    body::Body,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest as _, Sha256};
use std::{borrow::Cow, sync::Arc};

/// What `scripts/bundle.sh` leaves: each file as it is, with `.br` and `.gz` beside it.
#[derive(RustEmbed)]
#[folder = "../target/site"]
#[allow_missing = true]
struct Site;

/// The names that the document asks for.
const BUNDLE: [&str; 3] = ["app.js", "app_bg.wasm", "main.css"];

/// Where the bundle is served.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    directory: Arc<str>,
}

// === impl Bundle ===

impl Bundle {
    pub(super) fn embedded() -> Self {
        let mut hash = Sha256::new();
        for name in BUNDLE {
            match Site::get(name) {
                Some(file) => hash.update(&file.data),
                None => tracing::warn!(
                    file = name,
                    "the dashboard's bundle is not in this binary: pages show their rows, but nothing moves"
                ),
            }
        }
        Self {
            directory: format!("pkg-{}", hex::encode(&hash.finalize()[..6])).into(),
        }
    }

    pub(super) fn directory(&self) -> &str {
        &self.directory
    }
}

pub(super) async fn bundled_file(State(_): State<Pages>, Path(file): Path<String>, headers: HeaderMap) -> Response {
    if !BUNDLE.contains(&file.as_str()) {
        return StatusCode::NOT_FOUND.into_response();
    }
    respond(&file, &headers, CachePolicy::Immutable).unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
}

/// A file with a fixed name, such as the icon.
pub(super) fn public_file(path: &str, headers: &HeaderMap) -> Option<Response> {
    let name = path.trim_start_matches('/');
    let is_public = !name.is_empty()
        && !name.ends_with(".html")
        && !name.ends_with(".br")
        && !name.ends_with(".gz")
        && !BUNDLE.contains(&name);
    if is_public {
        respond(name, headers, CachePolicy::ForAnHour)
    } else {
        None
    }
}

fn respond(name: &str, headers: &HeaderMap, cache: CachePolicy) -> Option<Response> {
    let (file, encoding) = best(name, headers)?;
    let mut response = Response::new(match file.data {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    });
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    out.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    cache.apply(out);
    Some(response)
}

/// The smallest form that the client takes.
fn best(name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let takes = |coding: &str| {
        accepted
            .split(',')
            .any(|one| one.split(';').next().is_some_and(|name| name.trim() == coding) && !one.contains("q=0"))
    };
    let packed = [("br", ".br"), ("gzip", ".gz")]
        .into_iter()
        .filter(|(coding, _)| takes(coding));
    packed
        .filter_map(|(coding, suffix)| Some((Site::get(&format!("{name}{suffix}"))?, Some(coding))))
        .next()
        .or_else(|| Site::get(name).map(|file| (file, None)))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
