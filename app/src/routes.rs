//! The pages by path.

use crate::{Session, shell::PageContext};
use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

/// The dashboard.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let page = SharedValue::new(expect_context::<PageContext>).into_inner();
    let session: RwSignal<Session> = RwSignal::new(page.session.clone());
    provide_context(page.clone());
    provide_context(session);
    view! {
        <Title text="Opsdeck" />
        <Router base=page.base.clone()>
            <main>
                <Routes fallback=|| view! { <p>"There is no such page."</p> }>
                    <Route path=path!("/") view=|| view! { <h1>"What needs you"</h1> } ssr=SsrMode::Async />
                </Routes>
            </main>
        </Router>
    }
}
