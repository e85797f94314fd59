//! The sign-in form. It stands at the address that was asked for, and leads back to it.

use crate::{
    components::{act::written, frame::ThemeSwitch, icon::Icon},
    shell::{PageContext, set_status},
    view,
};
use leptos::{html::Input, prelude::*};
use leptos_meta::Title;
use leptos_router::hooks::use_location;

#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let PageContext {
        base,
        sign_in_error,
        sign_in_hint,
        acted,
        ..
    } = expect_context();
    let location = use_location();
    let path = location.pathname.get_untracked();
    let is_home = path.trim_end_matches('/') == base;
    set_status(if is_home { 200 } else { 401 });
    let next = match location.search.get_untracked() {
        search if search.is_empty() => path,
        search => format!("{path}?{search}"),
    };
    let error = RwSignal::new(sign_in_error);
    // Without script nothing else has kept it.
    let unsent = acted
        .filter(|acted| acted.error.as_ref().is_some_and(|error| error.status == 401))
        .map(|acted| acted.typed.into_iter().collect());
    let is_kept = RwSignal::new(false);
    #[cfg(not(feature = "ssr"))]
    Effect::new(move || is_kept.set(crate::components::act::are_kept()));
    let key = NodeRef::<Input>::new();
    let remember = NodeRef::<Input>::new();
    view! {
        <Title text="Sign in" />
        <main id="main" class="alone">
            <p class="brand">{Icon::Logo.view()} "Opsdeck"</p>
            <h1>"Sign in"</h1>
            {(!is_home)
                .then(|| view! { <p class="dim">"You will come back to " <span class="mono">{next.clone()}</span></p> })}
            {unsent
                .map(|texts| {
                    view! {
                        <section class="unsent">
                            <h2>"Not sent: the session has ended"</h2>
                            <p class="dim">"Copy what you had written before you sign in."</p>
                            {written(texts)}
                        </section>
                    }
                })}
            {move || is_kept.get().then(|| view! { <p class="dim">"What you had written and not sent is kept in this tab."</p> })}
            <form method="post" action=format!("{base}/session") on:submit=signs_in(key, remember, error)>
                <input type="hidden" name="next" value=next.clone() />
                // Password managers file a key under a name.
                <input type="text" name="username" value="opsdeck" autocomplete="username" hidden />
                <label for="key">"API key"</label>
                <input
                    node_ref=key
                    id="key"
                    name="key"
                    type="password"
                    required
                    autocomplete="current-password"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="key-help"
                    aria-invalid=move || error.with(Option::is_some).then_some("true")
                />
                <p id="key-help" class="faint">
                    "A key of this console, as its operator hands them out. It is exchanged for a session; this page does not keep it."
                </p>
                <p class="error" role="alert">
                    {move || error.get()}
                </p>
                <label class="check">
                    <input node_ref=remember type="checkbox" name="remember" value="true" />
                    "Stay signed in for 30 days"
                </label>
                <button class="btn go" type="submit">"Sign in"</button>
            </form>
            {sign_in_hint.map(|hint| view! { <p class="notice">{hint}</p> })}
            <ThemeSwitch />
        </main>
    }
}

/// With script the page exchanges the key itself, so that a failure keeps what was typed.
fn signs_in(
    key: NodeRef<Input>,
    remember: NodeRef<Input>,
    error: RwSignal<Option<String>>,
) -> impl FnMut(leptos::ev::SubmitEvent) {
    #[cfg(not(feature = "ssr"))]
    let api = crate::client::Api::current();
    move |event| {
        #[cfg(not(feature = "ssr"))]
        if let (Some(key), Some(remember)) = (key.get_untracked(), remember.get_untracked()) {
            event.prevent_default();
            let api = api.clone();
            leptos::task::spawn_local(async move {
                match api.sign_in(key.value(), remember.checked()).await {
                    // The page comes again, with its rows.
                    Ok(()) => drop(window().location().reload()),
                    Err(cause) => error.set(Some(explain(cause.status, &cause.message))),
                }
            });
        }
        #[cfg(feature = "ssr")]
        let _ = (key, remember, error, &event);
    }
}

#[cfg(not(feature = "ssr"))]
fn explain(status: u16, message: &str) -> String {
    match status {
        401 | 403 => "This key is not known here. Check that it is complete.".into(),
        429 => "Too many attempts from here. Wait a minute, then try again; the key was not judged.".into(),
        0 => "The server did not answer. The key was not judged; try again.".into(),
        _ => format!("The server could not check the key: {message}. Try again."),
    }
}
