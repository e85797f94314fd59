//! The dashboard: one tree of pages, rendered on the server (feature `ssr`) and hydrated in the browser (feature `hydrate`).
//! Nothing here knows how the API gets its answers; `client` is the only module that asks.

#![expect(unreachable_pub, reason = "the component macro makes the items it generates public")]

#[cfg(not(any(feature = "ssr", feature = "hydrate")))]
compile_error!("build opsdeck-app with the feature `ssr` (server) or `hydrate` (browser)");

/// Leptos' `view!` with the type of its outcome erased: one kind of element is then built, hydrated and taken down by one piece of code wherever
/// it stands, which makes the bundle a tenth smaller.
macro_rules! erased_view {
    ($($nodes:tt)*) => {
        ::leptos::prelude::IntoAny::into_any(::leptos::view! { $($nodes)* }.into_inner())
    };
}
pub(crate) use erased_view as view;

mod acted;
mod client;
mod components;
mod live;
mod pages;
mod routes;
mod session;
mod shell;
mod theme;

pub use acted::Acted;
pub use routes::App;
pub use session::Session;
pub use shell::PageContext;
pub use theme::Theme;

#[cfg(feature = "ssr")]
pub use {
    client::{AskFn, ServerApi},
    session::session,
    shell::{Assets, PageStatus, shell},
};

/// Called by the page's script once the module is loaded.
#[cfg(all(feature = "hydrate", not(feature = "ssr")))]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(App);
    // Tells the browser tests that from here on the page answers by itself.
    if let Some(root) = leptos::prelude::document().document_element() {
        // The name is a valid one, so this cannot fail.
        let _ = root.set_attribute("data-hydrated", "");
    }
}
