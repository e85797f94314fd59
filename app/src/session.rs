//! Who is signed in: asked before a page is rendered, kept while it is open.

use crate::client::ApiError;
use opsdeck_api::whoami::WhoAmI;

#[cfg(feature = "ssr")]
use {
    crate::client::{ServerApi, read},
    opsdeck_api::Single,
};

/// The answer of `/whoami`. A 401 in it means: show the sign-in form, at whatever address was asked for.
pub type Session = Result<WhoAmI, ApiError>;

/// The server asks this before it renders, so that no part of a page has to wait to know for whom it is.
#[cfg(feature = "ssr")]
pub async fn session(api: &ServerApi) -> Session {
    let answer: Single<WhoAmI> = read(&api.text("/whoami").await?)?;
    Ok(answer.spec)
}

/// Takes over, once, what upstream's page left in this browser: the theme, and the key, which is exchanged for a session and forgotten.
#[cfg(not(feature = "ssr"))]
pub(crate) fn adopt_upstream(page: &crate::PageContext, theme: leptos::prelude::RwSignal<crate::Theme>) {
    use crate::{Theme, client::Api};
    use leptos::{
        prelude::{Effect, Set, window},
        task::spawn_local,
    };

    const KEY: &str = "chatcli_api_key";
    const THEME: &str = "chatcli_dash_theme";

    let signed_out = page.session.as_ref().is_err_and(|error| error.status == 401);
    let base = page.base.clone();
    let system = page.theme == Theme::System;
    Effect::new(move || {
        let Ok(Some(storage)) = window().local_storage() else {
            return;
        };
        if let Ok(Some(text)) = storage.get_item(THEME) {
            // Storage that cannot be written to keeps the entry, and the next page tries again.
            let _ = storage.remove_item(THEME);
            if let Some(chosen) = Theme::parse(&text).filter(|_| system) {
                theme.set(chosen);
                chosen.keep();
            }
        }
        let Ok(Some(key)) = storage.get_item(KEY) else { return };
        let _ = storage.remove_item(KEY);
        if signed_out {
            let base = base.clone();
            spawn_local(async move {
                if Api::at(&base).sign_in(key, false).await.is_ok() {
                    let _ = window().location().reload();
                }
            });
        }
    });
}
