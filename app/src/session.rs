//! Who is signed in: asked before a page is rendered, kept while it is open.

use crate::client::ApiError;
use opsdeck_api::whoami::WhoAmI;

#[cfg(feature = "ssr")]
use {crate::client::ServerApi, opsdeck_api::Single};

/// The answer of `/whoami`. A 401 in it means: show the sign-in form, at whatever address was asked for.
pub type Session = Result<WhoAmI, ApiError>;

/// The server asks this before it renders, so that no part of a page has to wait to know for whom it is.
#[cfg(feature = "ssr")]
pub async fn session(api: &ServerApi) -> Session {
    api.get::<Single<WhoAmI>>("/whoami").await.map(|answer| answer.spec)
}
