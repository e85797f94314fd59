//! What surrounds every page: the rail (on a phone: the bar at the bottom) and the top bar. Knows the pages by name and address only.

use crate::{
    Theme,
    components::{
        act::Acting,
        ask::{Asked, Refresh, ask_total, shown_over},
        icon::Icon,
        link::{href, use_query},
        search::Search,
        time::{Moment, time_of_day},
        words::thousands,
    },
    live::{Link, Live},
    shell::PageContext,
    view,
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use opsdeck_api::{Query, Role, whoami::WhoAmI};

/// States in which an incident is not over.
pub(crate) const UNRESOLVED: [&str; 6] = [
    "Detected",
    "Analyzing",
    "Remediating",
    "Contained",
    "Escalated",
    "Failed",
];

/// The query of the incidents that are not over.
pub(crate) fn unresolved() -> Query {
    UNRESOLVED
        .into_iter()
        .fold(Query::default(), |query, state| query.and("state", state))
}

#[component]
pub(crate) fn Frame(who: WhoAmI, children: Children) -> impl IntoView {
    Acting::provide();
    #[cfg(not(feature = "ssr"))]
    {
        browser::behave();
        crate::live::follow(&who, expect_context::<PageContext>().base);
    }
    let dev = who.via == "dev";
    let preview = who.server.source == "preview";
    view! {
        // The router would swallow the press and leave the focus where it is.
        <a class="skip" href="#main" rel="external">
            "Skip to the page"
        </a>
        <div class="frame">
            <div class="rail">
                <a class="brand" href=href("/")>
                    {Icon::Logo.view()}
                    "Opsdeck"
                </a>
                <nav aria-label="Pages">{nav_items()}</nav>
                <div class="foot">
                    {preview.then(|| view! { <p class="tag">"Sample data"</p> })}
                    <p class="faint">{source_line(&who)}</p>
                    <p class="faint">{format!("Opsdeck {}", who.server.version)}</p>
                </div>
            </div>
            <div class="body">
                <header class="bar">
                    <a class="brand phone" href=href("/") aria-label="Opsdeck, overview">
                        {Icon::Logo.view()}
                        "Opsdeck"
                    </a>
                    <Search id="search" />
                    <Freshness />
                    <Account who=who />
                </header>
                <Outage />
                {dev.then(|| {
                    view! {
                        <p class="notice needs" role="status">
                            "No keys are configured: everybody who can reach this page acts as admin. Configure keys before others can."
                        </p>
                    }
                })}
                <main id="main" tabindex="-1">
                    {children()}
                </main>
            </div>
        </div>
    }
}

/// The pages, each with a total of the server beside it.
fn nav_items() -> AnyView {
    let one = |query: Query, path: &str| query.with("pageSize", "1").on(path);
    let open = ask_total(move || one(unresolved(), "/incidents"));
    let pending = ask_total(move || one(Query::parse("state=Pending&expired=false"), "/approvals"));
    let ready = ask_total(move || one(Query::parse("ready=true"), "/instances"));
    let instances = ask_total(move || one(Query::default(), "/instances"));
    view! {
        <ul class="now">
            {nav_item("/", Icon::Home, "Overview", ().into_any())}
            {nav_item("/incidents", Icon::Alert, "Incidents", count(open, "unresolved", ""))}
            {nav_item("/approvals", Icon::Stamp, "Approvals", count(pending, "waiting", "needs"))}
            {nav_item("/instances", Icon::Server, "Instances", ready_of_all(ready, instances))}
        </ul>
        <div class="groups">{groups()}</div>
        // On a phone there is room for one more.
        <details class="menu others" name="pages">
            <summary>
                {Icon::Dots.view()}
                <span>"More"</span>
            </summary>
            <div class="fold">{groups()}</div>
        </details>
    }
}

/// The pages behind those that are needed now.
fn groups() -> AnyView {
    let groups: [(_, &[_]); 2] = [
        (
            "Understand",
            &[
                ("/insights", Icon::Spark, "AI insights"),
                ("/remediations", Icon::Tool, "Remediations"),
                ("/runbooks", Icon::Book, "Runbooks"),
                ("/postmortems", Icon::Page, "Post-mortems"),
                ("/analytics", Icon::Chart, "Analytics"),
            ],
        ),
        (
            "Govern",
            &[
                ("/slos", Icon::Target, "SLOs"),
                ("/policies", Icon::Shield, "Policies"),
                ("/clusters", Icon::Cubes, "Clusters"),
                ("/audit", Icon::List, "Audit"),
            ],
        ),
    ];
    groups
        .into_iter()
        .map(|(name, pages)| {
            view! {
                <p class="group">{name}</p>
                <ul>
                    {pages
                        .iter()
                        .map(|&(path, icon, label)| nav_item(path, icon, label, ().into_any()))
                        .collect_view()}
                </ul>
            }
        })
        .collect_view()
        .into_any()
}

fn nav_item(path: &'static str, icon: Icon, label: &'static str, count: AnyView) -> AnyView {
    let pathname = use_location().pathname;
    let target = href(path);
    let is_here = {
        let target = target.clone();
        move || {
            pathname.with(|at| match at.strip_prefix(target.trim_end_matches('/')) {
                Some(rest) if path == "/" => matches!(rest, "" | "/"),
                Some(rest) => rest.is_empty() || rest.starts_with('/'),
                None => false,
            })
        }
    };
    view! {
        <li>
            // A page of the server alone is none of the router's.
            <a href=target rel={(path == "/analytics").then_some("external")} aria-current=move || is_here().then_some("page")>
                {icon.view()}
                <span>{label}</span>
                {count}
            </a>
        </li>
    }
}

pub(crate) fn count(total: Asked<u64>, word: &'static str, class: &'static str) -> AnyView {
    total
        .quietly(move |total| match total {
            0 => ().into_any(),
            total => view! {
                <span class=format!("count {class}")>
                    {thousands(total)} <span class="vh">" " {word}</span>
                </span>
            },
        })
        .into_any()
}

fn ready_of_all(ready: Asked<u64>, instances: Asked<u64>) -> AnyView {
    shown_over(
        || ().into_any(),
        move || async move {
            let (Ok(ready), Ok(all)) = (ready.get().await, instances.get().await) else {
                return ().into_any();
            };
            view! {
                <span class="count">
                    {format!("{}/{}", thousands(ready), thousands(all))} <span class="vh">" ready"</span>
                </span>
            }
        },
    )
}

/// The server has not heard of its cluster for a while.
#[component]
fn Outage() -> impl IntoView {
    let live = expect_context::<Live>();
    move || {
        live.data_as_of().map(|at| {
            view! {
                <p class="notice needs" role="status">
                    "The cluster does not answer. What is shown was true " <Moment at=at />
                    "; nothing can be decided until it is back."
                </p>
            }
        })
    }
}

/// How old the page is, and the way to a newer one.
#[component]
fn Freshness() -> impl IntoView {
    let refresh = expect_context::<Refresh>();
    let live = expect_context::<Live>();
    let is_stale = move || refresh.has_failed() || matches!(live.link(), Link::Lost(_));
    let is_live = move || !refresh.has_failed() && live.link() == Link::Open;
    let class = move || match (is_stale(), is_live()) {
        (true, _) => "stale",
        (_, true) => "live",
        _ => "faint",
    };
    let word = move || match live.link() {
        _ if refresh.has_failed() => "Refresh failed, as of ".to_owned(),
        Link::Lost(since) => format!("Not live since {}, as of ", time_of_day(since)),
        Link::Open => "Live".to_owned(),
        Link::Closed => "As of ".to_owned(),
    };
    view! {
        <p class="fresh">
            {move || {
                live.is_replaced()
                    .then(|| {
                        view! {
                            <a class="go" href="" rel="external">
                                "New version: reload"
                            </a>
                        }
                    })
            }}
            <span class=class role="status">
                {word}
                {move || {
                    (!is_live())
                        .then(|| {
                            view! { <span class="moment">{move || time_of_day(refresh.as_of())} " UTC"</span> }
                        })
                }}
            </span>
            // Without script this loads the page again, which is the same.
            <a
                href=""
                rel="external"
                aria-label="Refresh"
                on:click=move |event| {
                    event.prevent_default();
                    refresh.now();
                }
            >
                {Icon::Spin.view()}
                <span>"Refresh"</span>
            </a>
        </p>
    }
}

/// Who is signed in, the theme, and the way out.
#[component]
fn Account(who: WhoAmI) -> impl IntoView {
    let base = expect_context::<PageContext>().base;
    let rights = match who.role.parse::<Role>() {
        Ok(Role::Viewer) => "Reads everything, changes nothing.",
        Ok(Role::Operator) => "Reads everything, acts on incidents, decides approvals.",
        Ok(Role::Admin) => "Reads and does everything.",
        Err(_) => "This role is not known here and gives no rights.",
    };
    let can_leave = who.via == "session";
    let acting = expect_context::<Acting>();
    view! {
        <details class="menu who" name="account">
            <summary aria-label=format!("{}, {}: account and theme", who.identity, who.role)>
                {Icon::Person.view()}
                <b>{who.identity.clone()}</b>
                <span class="faint">{who.role.clone()}</span>
            </summary>
            <div class="fold">
                <p>
                    <b>{who.identity}</b>
                    " "
                    <span class="tag">{who.role}</span>
                </p>
                <p class="dim">{rights}</p>
                {who.expires_at.map(|at| view! { <p class="faint">"Signed in until " <Moment at=at /></p> })}
                <ThemeSwitch />
                {can_leave
                    .then(|| {
                        view! {
                            <form method="post" action=format!("{base}/session/end") on:submit=move |_| acting.forget()>
                                <button class="btn" type="submit">"Sign out"</button>
                            </form>
                        }
                    })}
            </div>
        </details>
    }
}

/// Three links: without script the server keeps the choice, with script the page does.
#[component]
pub(crate) fn ThemeSwitch() -> impl IntoView {
    let chosen = expect_context::<RwSignal<Theme>>();
    let location = use_location();
    let query = use_query();
    let item = move |theme: Theme, label: &'static str| {
        view! {
            <a
                href=move || query.get().with("theme", theme.as_str()).on(&location.pathname.get())
                rel="external"
                aria-current=move || (chosen.get() == theme).then_some("true")
                on:click=move |event| {
                    event.prevent_default();
                    chosen.set(theme);
                    #[cfg(not(feature = "ssr"))]
                    theme.keep();
                }
            >
                {label}
            </a>
        }
    };
    view! {
        <div class="switch" role="group" aria-label="Theme">
            {item(Theme::System, "System")} {item(Theme::Light, "Light")} {item(Theme::Dark, "Dark")}
        </div>
    }
}

fn source_line(who: &WhoAmI) -> String {
    match (who.server.source.as_str(), who.server.context.as_deref()) {
        ("kubernetes", Some(context)) => format!("Cluster {context}"),
        ("kubernetes", None) => "Kubernetes".into(),
        ("embedded", _) => "Embedded store".into(),
        ("preview", _) => "Preview, in memory".into(),
        (other, _) => other.into(),
    }
}

/// What the frame does once scripts run.
#[cfg(not(feature = "ssr"))]
mod browser {
    use leptos::{ev, prelude::*};
    use leptos_router::hooks::use_location;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, FocusOptions, HtmlElement, Node};

    pub(super) fn behave() {
        let pathname = use_location().pathname;
        Effect::new(move |before: Option<String>| {
            let path = pathname.get();
            if before.is_some_and(|before| before != path) {
                fold_menus(None);
                focus_page();
            }
            path
        });
        Effect::new(|| {
            let click = window_event_listener(ev::click, |event| {
                fold_menus(
                    event
                        .target()
                        .and_then(|target| target.dyn_into::<Node>().ok())
                        .as_ref(),
                );
            });
            let key = window_event_listener(ev::keydown, |event| {
                if event.key() == "Escape" {
                    fold_menus(None);
                }
            });
            on_cleanup(move || {
                click.remove();
                key.remove();
            });
        });
    }

    /// A new page: reading starts at its top, not at the link that led here.
    fn focus_page() {
        let main = document()
            .get_element_by_id("main")
            .and_then(|element| element.dyn_into::<HtmlElement>().ok());
        if let Some(main) = main {
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            // An element that was just found can be focused.
            let _ = main.focus_with_options(&options);
        }
    }

    /// Folds every open menu but the one that holds `inside`; a menu that held the focus gives it to its summary.
    fn fold_menus(inside: Option<&Node>) {
        let Ok(open) = document().query_selector_all("details.menu[open]") else {
            return;
        };
        for menu in (0..open.length()).filter_map(|index| open.get(index)) {
            if inside.is_some_and(|node| menu.contains(Some(node))) {
                continue;
            }
            let Ok(menu) = menu.dyn_into::<Element>() else { continue };
            let held_focus = document()
                .active_element()
                .is_some_and(|element| menu.contains(Some(&element)));
            // Neither can fail: attribute and selector are well-formed.
            let _ = menu.remove_attribute("open");
            if let (true, Ok(Some(summary))) = (held_focus, menu.query_selector("summary"))
                && let Ok(summary) = summary.dyn_into::<HtmlElement>()
            {
                let _ = summary.focus();
            }
        }
    }
}
