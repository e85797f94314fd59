//! The kinds whose pages are made from a description: what each is called, where the API has it, and which of its members are shown how.
//! How lists and objects are laid out is not known here.

mod audit;
mod pipeline;
mod policies;
mod reliability;

use crate::{
    components::{
        field::{Field, Show},
        filter::Choice,
        link::{href, use_query},
    },
    pages::{listed, not_found::NotFound, object},
    view,
};
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map};
use opsdeck_api::{Query, kinds::Listed};
use serde_json::Value;

pub(crate) const POLICIES: &str = "/policies";

pub(crate) static ALL: [Kind; 11] = [
    reliability::SLOS,
    pipeline::INSIGHTS,
    pipeline::REMEDIATIONS,
    pipeline::RUNBOOKS,
    pipeline::POST_MORTEMS,
    reliability::CLUSTERS,
    audit::AUDIT,
    policies::APPROVAL,
    policies::NOTIFICATION,
    policies::ESCALATION,
    policies::SLA,
];

/// Everything that the pages of a kind need to know of it.
pub(crate) struct Kind {
    /// Of its pages.
    pub(crate) path: &'static str,
    /// Of its list in the API.
    pub(crate) api: &'static str,
    /// What its lists are told apart by in the address, where several share a path.
    pub(crate) tab: Option<&'static str>,
    /// Of the window.
    pub(crate) title: &'static str,
    /// Of the page.
    pub(crate) heading: &'static str,
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    /// `the SLOs`, where they are missing.
    pub(crate) these: &'static str,
    pub(crate) this: &'static str,
    /// Why there may be none, and how there would be some.
    pub(crate) empty: (&'static str, &'static str),
    /// How the list is sorted where the address does not say, and that in words.
    pub(crate) sort: &'static str,
    pub(crate) order: &'static str,
    pub(crate) filters: &'static [Filter],
    pub(crate) columns: &'static [Column],
    /// What stands above the list.
    pub(crate) above: Option<fn() -> AnyView>,
    /// The API does not answer about one alone, so it is looked for in the list.
    pub(crate) is_only_listed: bool,
    /// Where the API has all of the list in one document; else its JSON is a page of it.
    pub(crate) export: &'static str,
    /// Beside the name of an object.
    pub(crate) marks: &'static [Field],
    /// An object in a sentence or two.
    pub(crate) lead: fn(&Value) -> String,
    pub(crate) body: fn(&Value) -> AnyView,
    pub(crate) facts: &'static [Field],
    pub(crate) more_facts: fn(&Value) -> AnyView,
    pub(crate) related: &'static [Related],
}

#[derive(Clone, Copy)]
pub(crate) enum Filter {
    Several(&'static str, &'static str, &'static [Choice]),
    One(&'static str, &'static str, &'static [Choice]),
    /// With what to type.
    Typed(&'static str, &'static str, &'static str),
}

pub(crate) struct Column {
    pub(crate) field: Field,
    /// The member to sort by; empty where the API does not sort by it.
    pub(crate) sort: &'static str,
    pub(crate) class: &'static str,
    pub(crate) below: Option<Field>,
    /// Leads to the object.
    pub(crate) is_name: bool,
}

/// A list that holds what belongs to an object: those whose `param` is the value of the member.
pub(crate) struct Related {
    pub(crate) label: &'static str,
    pub(crate) at: &'static str,
    pub(crate) path: &'static str,
    pub(crate) query: &'static str,
    pub(crate) param: &'static str,
}

const NAMESPACE: Filter = Filter::Typed("namespace", "Namespace", "exact name");
const WORDS: Filter = Filter::Typed("q", "Text", "words to find");
const ISSUE: Filter = Filter::Typed("issue", "Incident", "exact name");
const SEVERITIES: Filter = Filter::Several(
    "severity",
    "Severity",
    &[
        ("critical", "Critical"),
        ("high", "High"),
        ("medium", "Medium"),
        ("low", "Low"),
    ],
);
const AGE: Column = Column::new(
    "Age",
    "creationTimestamp",
    "c-age num dim",
    "/creationTimestamp",
    Show::Age,
);
const CREATED: Field = Field::new("Created", "/creationTimestamp", Show::Moment);

// === impl Kind ===

impl Kind {
    const PLAIN: Self = Self {
        path: "",
        api: "",
        tab: None,
        title: "",
        heading: "",
        one: "",
        many: "",
        these: "",
        this: "",
        empty: ("", ""),
        sort: "",
        order: "Newest first",
        filters: &[],
        columns: &[],
        above: None,
        is_only_listed: false,
        export: "",
        marks: &[],
        lead: |_| String::new(),
        body: |_| ().into_any(),
        facts: &[],
        more_facts: |_| ().into_any(),
        related: &[],
    };

    /// The query of its own list.
    pub(crate) fn home(&self) -> Query {
        Query::default().with("kind", self.tab.unwrap_or_default())
    }

    /// What the address of an object needs beside its names.
    pub(crate) fn suffix(&self) -> String {
        self.home().on("")
    }

    pub(crate) fn tab_label(&self) -> &'static str {
        match self.tab {
            Some("notification") => "Notification",
            Some("escalation") => "Escalation",
            Some("sla") => "SLA",
            _ => "Approval",
        }
    }
}

// === impl Filter ===

impl Filter {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Several(name, ..) | Self::One(name, ..) | Self::Typed(name, ..) => name,
        }
    }
}

// === impl Column ===

impl Column {
    const fn new(label: &'static str, sort: &'static str, class: &'static str, at: &'static str, show: Show) -> Self {
        Self {
            field: Field::new(label, at, show),
            sort,
            class,
            below: None,
            is_name: false,
        }
    }

    /// The object's name, leading to its page.
    const fn name(label: &'static str) -> Self {
        Self {
            is_name: true,
            ..Self::new(label, "name", "c-name", "/name", Show::Text)
        }
    }

    const fn below(self, at: &'static str, show: Show) -> Self {
        Self {
            below: Some(Field::new("", at, show)),
            ..self
        }
    }
}

/// Which of the kinds that share a path is meant.
pub(crate) fn tab_of(query: &Query) -> &str {
    query.first("kind").filter(|tab| !tab.is_empty()).unwrap_or("approval")
}

/// The kind at a path of pages, by its place in `ALL`.
fn find(list: &str, query: &Query) -> Option<usize> {
    let tab = tab_of(query);
    ALL.iter()
        .position(|kind| kind.path.get(1..) == Some(list) && kind.tab.is_none_or(|other| other == tab))
}

/// What an address below the base path leads to: a kind, and which object of it.
pub(crate) fn parts<'a>(address: &'a str, query: &Query) -> Option<(usize, Option<(&'a str, &'a str)>)> {
    let mut parts = address.trim_matches('/').splitn(3, '/');
    let kind = find(parts.next()?, query)?;
    match (parts.next(), parts.next()) {
        (None, _) => Some((kind, None)),
        (Some(namespace), Some(name)) => Some((kind, Some((namespace, name)))),
        (Some(_), None) => None,
    }
}

/// Makes the page that the address leads to. While it is being left for one that is not made here, it stays.
#[component]
pub(crate) fn Described() -> impl IntoView {
    let params = use_params_map();
    let pathname = use_location().pathname;
    let query = use_query();
    // Twice the place of the kind, and one more for an object: as a number it needs no code of its own.
    let page = Memo::new(move |before: Option<&usize>| {
        let address = params.with(|params| params.get("address").unwrap_or_default());
        let list = address.trim_matches('/').split('/').next().unwrap_or_default();
        match before {
            Some(before) if !pathname.with(|path| path.starts_with(&href(&format!("/{list}")))) => *before,
            _ => query.with(|query| {
                parts(&address, query).map_or(usize::MAX, |(kind, object)| kind * 2 + usize::from(object.is_some()))
            }),
        }
    });
    move || {
        let page = page.get();
        match (ALL.get(page / 2), page % 2) {
            (Some(kind), 0) => listed::page(kind),
            (Some(kind), _) => object::page(kind),
            (None, _) => other(&pathname.get()),
        }
    }
}

/// The report is made by the server alone, and a browser that goes there asks for it: its link is none of the router's.
fn other(pathname: &str) -> AnyView {
    #[cfg(feature = "ssr")]
    if pathname == href(super::analytics::PATH) {
        return view! { <super::analytics::Analytics /> };
    }
    let _ = pathname;
    view! { <NotFound /> }
}

/// Where the object that a cluster calls by this kind has its page.
pub(crate) fn page_of(kind: &str) -> Option<(&'static str, &'static str)> {
    Listed::of(kind).map(|listed| listed.page)
}

#[cfg(test)]
mod tests {
    use super::{ALL, find, parts};
    use opsdeck_api::{Query, kinds::LISTED};

    #[test]
    fn every_kind_with_a_list_has_its_pages_where_the_table_says() {
        let described: Vec<_> = ALL.iter().map(|kind| (kind.api, kind.path, kind.suffix())).collect();
        let has_pages_of_its_own = ["Issue", "ApprovalRequest", "Instance"];
        let mut listed: Vec<_> = (LISTED.iter())
            .filter(|listed| !has_pages_of_its_own.contains(&listed.kind))
            .map(|listed| (listed.list, listed.page.0, listed.page.1.to_owned()))
            .collect();
        assert_eq!(described.len(), listed.len());
        listed.retain(|place| !described.contains(place));
        assert!(listed.is_empty(), "{listed:?} are not described in ALL");
    }

    #[test]
    fn every_kind_is_found_at_its_address_and_nothing_elsewhere() {
        for (place, kind) in ALL.iter().enumerate() {
            assert_eq!(find(&kind.path[1..], &kind.home()), Some(place), "{}", kind.title);
        }
        assert_eq!(
            find("policies", &Query::default()),
            find("policies", &Query::parse("kind=approval"))
        );
        assert_eq!(find("policies", &Query::parse("kind=none")), None);
        assert_eq!(find("incidents", &Query::default()), None);
        assert_eq!(find("", &Query::default()), None);
    }

    #[test]
    fn an_address_is_a_list_or_an_object_of_it() {
        let parts = |address| parts(address, &Query::default());
        let slos = find("slos", &Query::default()).unwrap();
        assert_eq!(parts("/slos/"), Some((slos, None)));
        assert_eq!(parts("slos/shop/web/1"), Some((slos, Some(("shop", "web/1")))));
        assert_eq!(parts("slos/shop"), None);
        assert_eq!(parts("nowhere/shop/web"), None);
    }
}
