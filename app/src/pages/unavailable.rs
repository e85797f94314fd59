//! The server could not even say who is asking.

use crate::{
    client::ApiError,
    components::{icon::Icon, notice::Failed},
    view,
};
use leptos::prelude::*;
use leptos_meta::Title;

#[component]
pub(crate) fn Unavailable(error: ApiError) -> impl IntoView {
    view! {
        <Title text="Not available" />
        <main id="main" class="alone">
            <p class="brand">{Icon::Logo.view()} "Opsdeck"</p>
            <h1>"The console is not available"</h1>
            <Failed what="the console" error=error />
        </main>
    }
}
