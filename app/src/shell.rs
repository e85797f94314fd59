//! The document around the pages, and what the server hands over for each of them.
//!
//! The server renders `shell` with `SsrMode::Async` semantics (`leptos_axum::render_app_async_with_context`) for every page address, known or
//! not, and provides these contexts: [`ServerApi`](crate::ServerApi), [`PageContext`], [`Assets`], [`PageStatus`]. Leptos' own `Nonce` is put on every
//! inline script; take it with `use_nonce` for the content security policy. Pages write their status into `PageStatus` while they render; as
//! everything is rendered before the answer is built, the server reads it afterwards.
//!
//! Forms post to the server outside the API: `POST /session` (`key`, `remember`, `next`: the address to come back to) and `POST /session/end`
//! (`next`). Both answer 303. A sign-in that fails is answered with the page of `next`, status of the failure, and `sign_in_error` set.
//! `POST /act` (`act`: a path of the API that takes POST; `next`; every other field a member of the body) does the same for decisions, with `acted`.

use crate::{
    Acted, Session, Theme,
    client::{ApiError, member, tree},
};
use serde_json::json;
use std::{fmt, str::FromStr};

#[cfg(feature = "ssr")]
use {
    crate::{App, pages::analytics::PATH},
    leptos::{config::LeptosOptions, prelude::*},
    leptos_meta::MetaTags,
    leptos_router::location::RequestUrl,
    std::sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
};

/// What a page knows about its request; travels to the browser in the page, so that both render the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PageContext {
    /// Base path with leading and without trailing slash; empty at the root.
    pub base: String,
    /// The server's clock when the page was rendered, Unix seconds.
    pub now: i64,
    /// From `?theme=`, else from the cookie.
    pub theme: Theme,
    /// From [`session`](crate::session()).
    pub session: Session,
    /// Why the sign-in that led here failed, in one sentence.
    pub sign_in_error: Option<String>,
    /// Shown in the sign-in form: the preview tells its keys here.
    pub sign_in_hint: Option<String>,
    /// The form that led here, and how it ended.
    pub acted: Option<Acted>,
}

/// The content-addressed directory of the bundle, relative to the base path: `pkg-<hash>`. Holds `app.js`, `app_bg.wasm`, `main.css`.
#[cfg(feature = "ssr")]
#[derive(Clone, Debug)]
pub struct Assets(pub Arc<str>);

/// The status that the page asks for; 200 unless a page said otherwise.
#[cfg(feature = "ssr")]
#[derive(Clone, Debug)]
pub struct PageStatus(Arc<AtomicU16>);

// === impl PageContext ===

/// As it travels in the page.
impl fmt::Display for PageContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context = json!({
            "base": self.base,
            "now": self.now,
            "theme": self.theme.as_str(),
            "who": self.session.as_ref().ok(),
            "refused": self.session.as_ref().err(),
            "signInError": self.sign_in_error,
            "signInHint": self.sign_in_hint,
            "acted": self.acted,
        });
        context.fmt(f)
    }
}

impl FromStr for PageContext {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut context = tree(text)?;
        let refused: Option<ApiError> = member(&mut context, "refused");
        let theme: String = member(&mut context, "theme");
        Ok(Self {
            base: member(&mut context, "base"),
            now: member(&mut context, "now"),
            theme: Theme::parse(&theme).unwrap_or_default(),
            session: refused.map_or_else(|| Ok(member(&mut context, "who")), Err),
            sign_in_error: member(&mut context, "signInError"),
            sign_in_hint: member(&mut context, "signInHint"),
            acted: member(&mut context, "acted"),
        })
    }
}

// === impl PageStatus ===

#[cfg(feature = "ssr")]
impl PageStatus {
    pub fn get(&self) -> u16 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(feature = "ssr")]
impl Default for PageStatus {
    fn default() -> Self {
        Self(Arc::new(AtomicU16::new(200)))
    }
}

/// Says with which status the page is sent. In the browser the page has long arrived and nothing happens.
pub(crate) fn set_status(status: u16) {
    #[cfg(feature = "ssr")]
    if let Some(page) = use_context::<PageStatus>() {
        page.0.store(status, Ordering::Relaxed);
    }
    #[cfg(not(feature = "ssr"))]
    let _ = status;
}

/// The whole document.
#[cfg(feature = "ssr")]
pub fn shell() -> impl IntoView {
    let PageContext { base, theme, .. } = expect_context();
    let Assets(assets) = expect_context();
    let options = LeptosOptions::builder()
        .output_name("app")
        .site_pkg_dir(Arc::clone(&assets))
        .build();
    let is_report = is_report(&base);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme.attribute() data-base=base.clone()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="referrer" content="same-origin" />
                <link rel="icon" href=format!("{base}/favicon.svg") type="image/svg+xml" />
                <link rel="stylesheet" href=format!("{base}/{assets}/main.css") />
                {is_report.then(|| view! { <link rel="stylesheet" href=format!("{base}/report.css") /> })}
                {(!is_report).then(|| view! { <HydrationScripts options=options root=base.clone() /> })}
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// What is read and not acted on comes without a script.
#[cfg(feature = "ssr")]
fn is_report(base: &str) -> bool {
    let address = use_context::<RequestUrl>().and_then(|address| address.parse().ok());
    address.is_some_and(|address| address.path().strip_prefix(base) == Some(PATH))
}

#[cfg(test)]
mod tests {
    use super::PageContext;
    use crate::{
        Acted, Theme,
        client::{ApiError, Hand},
    };
    use opsdeck_api::whoami::{ServerInfo, WhoAmI};

    #[test]
    fn what_a_page_knows_arrives_as_it_was_sent() {
        let signed_in = WhoAmI {
            identity: "mira".into(),
            role: "operator".into(),
            expires_at: Some("2026-09-23T12:00:00Z".into()),
            server: ServerInfo {
                source: "preview".into(),
                ..ServerInfo::default()
            },
            ..WhoAmI::default()
        };
        let signed_out = ApiError {
            status: 401,
            message: "unauthorized".into(),
            request_id: Some("r-1".into()),
            ..ApiError::default()
        };
        let refused = Acted {
            path: "/approvals/a/approve?namespace=shop".into(),
            error: Some(ApiError {
                status: 409,
                hand: Some(Box::new(Hand {
                    by: Some("tomasz".into()),
                    at: None,
                })),
                ..ApiError::default()
            }),
            typed: [("reason".to_owned(), "seen \"it\"".to_owned())].into(),
        };
        for session in [Ok(signed_in), Err(signed_out)] {
            let context = PageContext {
                base: "/ops".into(),
                now: 1_790_164_800,
                theme: Theme::Dark,
                session,
                sign_in_error: None,
                sign_in_hint: Some("key: preview".into()),
                acted: Some(refused.clone()),
            };
            assert_eq!(context.to_string().parse(), Ok(context));
        }
    }
}
