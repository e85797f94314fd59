//! No page at this address.

use crate::{components::link::href, shell::set_status, view};
use leptos::prelude::*;
use leptos_meta::Title;

#[component]
pub(crate) fn NotFound() -> impl IntoView {
    set_status(404);
    view! {
        <Title text="No such page" />
        <div class="title">
            <h1>"There is no page at this address"</h1>
        </div>
        <p class="dim">"The address may be mistyped, or from a newer version."</p>
        <p>
            <a class="go" href=href("/")>
                "Go to the overview"
            </a>
        </p>
    }
}
