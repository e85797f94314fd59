//! A row of the table of contents, and how the rows become a router: the role check stands in front of every handler.

use super::{Error, answer::RequestId, path};
use crate::{access::caller::Admitted, console::SharedConsole, payload};
use axum::{
    Extension, Router,
    extract::Request,
    handler::Handler,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use http::{HeaderValue, Method};
use opsdeck_api::Role;
use std::{any::type_name, collections::BTreeMap};

pub(super) const PREFIX: &str = "/api/v1";

/// One operation.
#[derive(Debug)]
pub struct Route {
    pub method: Method,
    /// Below `/api/v1`.
    pub path: &'static str,
    pub need: Need,
    /// Name of the handler, or of its second route: how `openapi` finds what is said about the operation.
    pub operation: &'static str,
    handler: MethodRouter<SharedConsole>,
}

/// What a caller must have.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Need {
    Nothing,
    /// Any key that exists, even one without rights.
    ValidKey,
    Role(Role),
}

// === impl Route ===

impl Route {
    /// For a handler that answers under a second path, which is another operation.
    pub(super) fn named(self, operation: &'static str) -> Self {
        Self { operation, ..self }
    }
}

// === impl Need ===

impl From<Role> for Need {
    fn from(role: Role) -> Self {
        Self::Role(role)
    }
}

impl Need {
    fn check(self, caller: &Admitted) -> Result<(), Error> {
        match self {
            Self::Nothing => Ok(()),
            Self::ValidKey => caller.0.as_ref().map(drop).map_err(|refusal| (*refusal).into()),
            Self::Role(role) => match &caller.0 {
                Ok(caller) if caller.may(role) => Ok(()),
                Ok(_) => Err(Error::forbidden("insufficient permissions")),
                Err(refusal) => Err((*refusal).into()),
            },
        }
    }
}

// axum answers HEAD from the handler of GET.
pub(super) fn get<H: Handler<T, SharedConsole>, T: 'static>(
    path: &'static str,
    need: impl Into<Need>,
    handler: H,
) -> Route {
    route(Method::GET, MethodFilter::GET, path, need, handler)
}

pub(super) fn post<H: Handler<T, SharedConsole>, T: 'static>(
    path: &'static str,
    need: impl Into<Need>,
    handler: H,
) -> Route {
    route(Method::POST, MethodFilter::POST, path, need, handler)
}

pub(super) fn put<H: Handler<T, SharedConsole>, T: 'static>(
    path: &'static str,
    need: impl Into<Need>,
    handler: H,
) -> Route {
    route(Method::PUT, MethodFilter::PUT, path, need, handler)
}

pub(super) fn delete<H: Handler<T, SharedConsole>, T: 'static>(
    path: &'static str,
    need: impl Into<Need>,
    handler: H,
) -> Route {
    route(Method::DELETE, MethodFilter::DELETE, path, need, handler)
}

fn route<H: Handler<T, SharedConsole>, T: 'static>(
    method: Method,
    filter: MethodFilter,
    path: &'static str,
    need: impl Into<Need>,
    handler: H,
) -> Route {
    Route {
        method,
        path,
        need: need.into(),
        operation: type_name::<H>().rsplit("::").next().unwrap_or_default(),
        handler: on(filter, handler),
    }
}

pub(super) fn assemble(routes: Vec<Route>, console: SharedConsole) -> Router {
    let mut by_path: BTreeMap<&'static str, Vec<Route>> = BTreeMap::new();
    for route in routes {
        by_path.entry(route.path).or_default().push(route);
    }
    let mut router = Router::new();
    for (path, routes) in by_path {
        router = router.route(&format!("{PREFIX}{path}"), methods(path, routes));
    }
    router.fallback(path::unknown_path).with_state(console)
}

/// All methods of one path, each behind its role, and 405 for the others behind the least of these.
fn methods(route: &'static str, routes: Vec<Route>) -> MethodRouter<SharedConsole> {
    let least = routes
        .iter()
        .map(|route| route.need)
        .filter(|need| *need != Need::Nothing)
        .min()
        .unwrap_or(Need::ValidKey);
    let allow = allowed(&routes);
    let refuse = move |admitted: Option<Extension<Admitted>>| async move {
        let refusal = path::wrong_method(resource(route), allow);
        let admitted = admitted.map(|Extension(admitted)| admitted).unwrap_or_default();
        least.check(&admitted).and(Err::<(), _>(refusal))
    };
    let guarded = routes.into_iter().map(|route| {
        let need = route.need;
        route
            .handler
            .route_layer(middleware::from_fn(move |request, next| guard(need, request, next)))
    });
    guarded.fold(MethodRouter::new(), MethodRouter::merge).fallback(refuse)
}

fn allowed(routes: &[Route]) -> HeaderValue {
    let mut names: Vec<&str> = routes.iter().map(|route| route.method.as_str()).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.sort_unstable();
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("GET, HEAD"))
}

fn resource(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

async fn guard(need: Need, mut request: Request, next: Next) -> Response {
    let admitted = request.extensions().get::<Admitted>().cloned().unwrap_or_default();
    if request.method().is_safe() {
        return match need.check(&admitted).and_then(|()| path::legible(request.uri())) {
            Ok(()) => next.run(request).await,
            Err(refusal) => refusal.into_response(),
        };
    }
    let attempt = Attempt::of(&request, &admitted);
    request.extensions_mut().insert(attempt.clone());
    let response = match write(need, &admitted, request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    };
    if let Some(error) = response.extensions().get::<Error>() {
        attempt.refused(None, error);
    }
    response
}

/// The body comes after the role: who may not write learns that first, and nothing is read for them.
async fn write(need: Need, admitted: &Admitted, request: Request, next: Next) -> Result<Response, Error> {
    need.check(admitted)?;
    path::legible(request.uri())?;
    Ok(next.run(payload::collect(request, payload::LARGEST).await?).await)
}

/// A write as it was asked for, for the log.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    request_id: RequestId,
    method: Method,
    path: String,
    by: String,
    role: String,
}

// === impl Attempt ===

impl Attempt {
    fn of(request: &Request, Admitted(caller): &Admitted) -> Self {
        let (by, role) = match caller {
            Ok(caller) => (caller.identity.as_str(), caller.role_text()),
            Err(_) => ("-", "-"),
        };
        Self {
            request_id: request.extensions().get().cloned().unwrap_or_default(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            by: by.to_owned(),
            role: role.to_owned(),
        }
    }

    /// Who tried what and why it was not done: what was done is in the audit trail. `object`: namespace and name of the one of
    /// several that it is about.
    pub(super) fn refused(&self, object: Option<(&str, &str)>, error: &Error) {
        tracing::warn!(
            request.id = self.request_id.0,
            method = %self.method,
            path = self.path,
            namespace = object.map(|(namespace, _)| namespace),
            name = object.map(|(_, name)| name),
            by = self.by,
            role = self.role,
            status = error.status().as_u16(),
            reason = ?error.reason(),
            told = error.message(),
            "write refused"
        );
    }
}
