//! A text to take along: selectable everywhere, copied by a press where scripts run.

use crate::view;
use leptos::prelude::*;

#[component]
pub(crate) fn Command(#[prop(into)] text: String) -> impl IntoView {
    view! { <div class="command"><code>{text.clone()}</code> {copies(text)}</div> }
}

/// The button that copies a text.
pub(crate) fn copies(text: String) -> AnyView {
    let copied = RwSignal::new(false);
    // Without script, or where the browser offers no clipboard, there is no button that would do nothing.
    let ready = RwSignal::new(false);
    #[cfg(not(feature = "ssr"))]
    Effect::new(move || ready.set(clipboard().is_some()));
    view! {
        <button
            class="btn"
            type="button"
            hidden=move || !ready.get()
            on:click=move |_| {
                #[cfg(not(feature = "ssr"))]
                if let Some(clipboard) = clipboard() {
                    // The promise only tells when; a refusal leaves the text selectable.
                    let _ = clipboard.write_text(&text);
                    copied.set(true);
                }
                #[cfg(feature = "ssr")]
                let _ = &text;
            }
        >
            {move || if copied.get() { "Copied" } else { "Copy" }}
        </button>
    }
}

/// Absent on pages that did not come over TLS or from this machine.
#[cfg(not(feature = "ssr"))]
fn clipboard() -> Option<web_sys::Clipboard> {
    let navigator = window().navigator();
    js_sys::Reflect::get(&navigator, &"clipboard".into())
        .is_ok_and(|value| value.is_object())
        .then(|| navigator.clipboard())
}
