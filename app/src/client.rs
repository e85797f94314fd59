//! The only module that asks the API anything: in process on the server, with fetch in the browser. One typed API, two transports.
//! Knows nothing of what is asked or how it is shown.

mod reading;

use leptos::prelude::*;
pub(crate) use reading::{FromJson, member};
use serde::Serialize;
use serde_json::Value;

use crate::live::Subjects;
use std::sync::Arc;

#[cfg(feature = "ssr")]
use std::{fmt, future::Future, pin::Pin};

#[cfg(not(feature = "ssr"))]
use crate::{Session, shell::PageContext};

/// Where the API's paths start, behind the base path.
pub(crate) const ROOT: &str = "/api/v1";

/// Why there is no answer, in the API's own words where it gave some.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct ApiError {
    /// 0 where no answer arrived at all.
    pub status: u16,
    pub message: String,
    /// The API's word for it, such as `kind_unavailable`.
    pub reason: Option<String>,
    /// Of a conflict.
    pub hand: Option<Box<Hand>>,
    pub request_id: Option<String>,
}

/// Who was quicker, and when.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Hand {
    pub by: Option<String>,
    pub at: Option<String>,
}

/// Asks the REST router in process, with the rights of the page's request. Takes a path under `/api/v1` without base path
/// (`/api/v1/incidents?page=2`), gives status and body. The server provides it as context.
#[cfg(feature = "ssr")]
#[derive(Clone)]
pub struct ServerApi(pub Arc<AskFn>);

#[cfg(feature = "ssr")]
pub type AskFn = dyn Fn(String) -> Pin<Box<dyn Future<Output = (u16, Vec<u8>)> + Send>> + Send + Sync;

/// A handle on the API, taken from the context while a component is built.
#[derive(Clone)]
pub(crate) struct Api {
    #[cfg(feature = "ssr")]
    server: ServerApi,
    #[cfg(not(feature = "ssr"))]
    base: String,
    /// Told when the session turns out to have ended.
    #[cfg(not(feature = "ssr"))]
    session: Option<RwSignal<Session>>,
    /// Told what is asked for.
    #[cfg(not(feature = "ssr"))]
    noted: Option<Arc<Subjects>>,
}

// === impl ApiError ===

impl ApiError {
    pub(crate) fn from_answer(status: u16, body: &str) -> Self {
        let mut body: Value = serde_json::from_str(body).unwrap_or_default();
        let message: Option<String> = member(&mut body, "message");
        Self {
            status,
            message: message.unwrap_or_else(|| format!("the server answered {status}")),
            reason: member(&mut body, "reason"),
            hand: Some(Box::new(Hand::from_json(&mut body))),
            request_id: member(&mut body, "requestId"),
        }
    }

    /// The answer may come when it is asked for again.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self.status, 0 | 429 | 500..)
    }

    pub(crate) fn unreadable() -> Self {
        Self {
            status: 0,
            message: "the answer could not be read".into(),
            ..Self::default()
        }
    }

    /// As the API says it of an object that it is asked for by name.
    pub(crate) fn gone() -> Self {
        Self {
            status: 404,
            message: "there is none of that name".into(),
            ..Self::default()
        }
    }

    #[cfg(not(feature = "ssr"))]
    fn unreachable() -> Self {
        Self {
            status: 0,
            message: "the server did not answer".into(),
            ..Self::default()
        }
    }
}

// === impl ServerApi ===

#[cfg(feature = "ssr")]
impl ServerApi {
    pub(crate) async fn text(&self, path: &str) -> Result<String, ApiError> {
        let (status, body) = (self.0)(format!("{ROOT}{path}")).await;
        succeeded(status, String::from_utf8(body).map_err(|_| ApiError::unreadable())?)
    }
}

#[cfg(feature = "ssr")]
impl fmt::Debug for ServerApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerApi").finish_non_exhaustive()
    }
}

// === impl Api ===

impl Api {
    /// `path` is relative to `/api/v1` and carries its query: `/incidents?page=2`.
    pub(crate) async fn get<T: FromJson>(&self, path: &str) -> Result<T, ApiError> {
        read(&self.text(path).await?)
    }
}

#[cfg(feature = "ssr")]
impl Api {
    pub(crate) fn current() -> Self {
        Self {
            server: expect_context(),
        }
    }

    /// On the server an answer is used once, so nobody asks what it was made from.
    pub(crate) fn noting(&self, _: &Arc<Subjects>) -> Self {
        self.clone()
    }

    /// As `get`, before it is read.
    pub(crate) async fn text(&self, path: &str) -> Result<String, ApiError> {
        self.server.text(path).await
    }
}

#[cfg(not(feature = "ssr"))]
impl Api {
    pub(crate) fn current() -> Self {
        Self {
            base: expect_context::<PageContext>().base,
            session: use_context(),
            noted: None,
        }
    }

    /// A handle without a session to lose.
    pub(crate) fn at(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            session: None,
            noted: None,
        }
    }

    /// Notes what answers are made from.
    pub(crate) fn noting(&self, subjects: &Arc<Subjects>) -> Self {
        Self {
            noted: Some(subjects.clone()),
            ..self.clone()
        }
    }

    /// As `get`, before it is read.
    pub(crate) async fn text(&self, path: &str) -> Result<String, ApiError> {
        if let Some(subjects) = &self.noted {
            subjects.add(path);
        }
        let url = format!("{}{ROOT}{path}", self.base);
        let (status, body) = browser::get(url).await?;
        let answer = succeeded(status, body);
        if let (Err(error), Some(session)) = (&answer, self.session)
            && error.status == 401
        {
            session.set(Err(error.clone()));
        }
        answer
    }

    /// Exchanges the key for a session cookie.
    pub(crate) async fn sign_in(&self, key: String, remember: bool) -> Result<(), ApiError> {
        let url = format!("{}{ROOT}/session", self.base);
        let (status, body) = browser::post(url, ("X-API-Key", &key), format!("{{\"remember\":{remember}}}")).await?;
        succeeded(status, body).map(drop)
    }

    /// Has something done in the name of whose page this is. A session that has ended is left for the page to find out, so that what was typed
    /// stays. What is no answer of the API, such as the sign-in page of a proxy, says nothing of what was done.
    pub(crate) async fn post(&self, path: &str, body: String) -> Result<(), ApiError> {
        let url = format!("{}{ROOT}{path}", self.base);
        let of = |session: RwSignal<Session>| session.with_untracked(|who| Some(who.as_ref().ok()?.key_id.clone()));
        let page_of = self.session.and_then(of).unwrap_or_default();
        let (status, body) = browser::post(url, ("X-Opsdeck-Caller", &page_of), body).await?;
        let answer = tree(&succeeded(status, body)?)?;
        answer.get("apiVersion").map(drop).ok_or_else(ApiError::unreadable)
    }
}

/// Reads an answer of the API. All of them name its version; what does not is somebody else's.
pub(crate) fn read<T: FromJson>(text: &str) -> Result<T, ApiError> {
    let mut answer = tree(text)?;
    match answer.get("apiVersion") {
        Some(_) => Ok(T::from_json(&mut answer)),
        None => Err(ApiError::unreadable()),
    }
}

/// Any JSON, before it is read.
pub(crate) fn tree(text: &str) -> Result<Value, ApiError> {
    serde_json::from_str(text).map_err(|_| ApiError::unreadable())
}

fn succeeded(status: u16, body: String) -> Result<String, ApiError> {
    if (200..300).contains(&status) {
        Ok(body)
    } else {
        Err(ApiError::from_answer(status, &body))
    }
}

/// Fetch. A request whose page was left before the answer came is aborted.
#[cfg(not(feature = "ssr"))]
mod browser {
    use super::ApiError;
    use gloo_net::http::{Request, Response};
    use leptos::__reexports::send_wrapper::SendWrapper;
    use web_sys::{AbortController, AbortSignal};

    struct AbortOnDrop(Option<AbortController>);

    impl Drop for AbortOnDrop {
        fn drop(&mut self) {
            if let Some(controller) = self.0.take() {
                controller.abort();
            }
        }
    }

    pub(super) async fn get(url: String) -> Result<(u16, String), ApiError> {
        SendWrapper::new(async move {
            let mut guard = AbortOnDrop(AbortController::new().ok());
            let signal = guard.0.as_ref().map(AbortController::signal);
            let request = Request::get(&url)
                .abort_signal(signal.as_ref())
                .header("Accept", "application/json");
            let response = request.send().await.map_err(|_| ApiError::unreachable())?;
            let answer = receive(response).await;
            guard.0 = None;
            answer
        })
        .await
    }

    /// Longer than the server takes over any write.
    const LONGEST_WRITE: u32 = 30_000;

    /// Says with one header who asks.
    pub(super) async fn post(url: String, who: (&str, &str), body: String) -> Result<(u16, String), ApiError> {
        SendWrapper::new(async move {
            let limit = AbortSignal::timeout_with_u32(LONGEST_WRITE);
            let request = Request::post(&url)
                .abort_signal(Some(&limit))
                .header("Content-Type", "application/json")
                .header(who.0, who.1);
            let request = request.body(body).map_err(|_| ApiError::unreachable())?;
            receive(request.send().await.map_err(|_| ApiError::unreachable())?).await
        })
        .await
    }

    async fn receive(response: Response) -> Result<(u16, String), ApiError> {
        let body = response.text().await.map_err(|_| ApiError::unreachable())?;
        Ok((response.status(), body))
    }
}
