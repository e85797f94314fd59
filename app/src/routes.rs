//! The pages by path.

use crate::{
    Session, Theme,
    components::{ask::Refresh, frame::Frame, time::Clock},
    live::Live,
    pages::{
        approval::Approval, approvals::Approvals, incident::Incident, incidents::Incidents, instance::Instance,
        instances::Instances, kinds::Described, not_found::NotFound, overview::Overview, sign_in::SignIn,
        unavailable::Unavailable,
    },
    shell::PageContext,
    view,
};
use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{FlatRoutes, Route, Router},
    path,
};

/// The dashboard.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let page = SharedValue::new_str(expect_context::<PageContext>).into_inner();
    let session: RwSignal<Session> = RwSignal::new(page.session.clone());
    let theme: RwSignal<Theme> = RwSignal::new(page.theme);
    provide_context(session);
    provide_context(theme);
    Clock::provide(page.now);
    Refresh::provide(page.now);
    Live::provide(page.session.as_ref().ok().and_then(|who| who.server.data_as_of.clone()));
    #[cfg(not(feature = "ssr"))]
    crate::session::adopt_upstream(&page, theme);
    let base = page.base.clone();
    provide_context(page);
    view! {
        <Title formatter=|title| format!("{title} · Opsdeck") text="Console" />
        <Router base=base>
            {move || match session.get() {
                Ok(who) => view! { <Frame who=who>{pages()}</Frame> },
                Err(error) if error.status == 401 => view! { <SignIn /> },
                Err(error) => view! { <Unavailable error=error /> },
            }}
        </Router>
    }
}

fn pages() -> AnyView {
    view! {
        <FlatRoutes fallback=NotFound>
            <Route path=path!("/") view=Overview ssr=SsrMode::Async />
            <Route path=path!("/incidents") view=Incidents ssr=SsrMode::Async />
            <Route path=path!("/incidents/:namespace/:name") view=Incident ssr=SsrMode::Async />
            <Route path=path!("/approvals") view=Approvals ssr=SsrMode::Async />
            <Route path=path!("/approvals/:namespace/:name") view=Approval ssr=SsrMode::Async />
            <Route path=path!("/instances") view=Instances ssr=SsrMode::Async />
            <Route path=path!("/instances/:namespace/:name") view=Instance ssr=SsrMode::Async />
            // Whatever is described in `pages::kinds`, and `/analytics`, which the server makes without a script.
            <Route path=path!("/*address") view=Described ssr=SsrMode::Async />
        </FlatRoutes>
    }
}
