//! Addresses of pages and of the API, below the base path.

use crate::{client, shell::PageContext, view};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use opsdeck_api::Query;

/// The address of a page: its path, with the base path in front.
pub(crate) fn href(path: &str) -> String {
    format!("{}{path}", expect_context::<PageContext>().base)
}

/// The page of one object: `/incidents/shop/checkout`.
pub(crate) fn object_href(list: &str, namespace: &str, name: &str) -> String {
    href(&format!("{list}/{}/{}", segment(namespace), segment(name)))
}

/// An object's name in the heading of its panel, leading to its page. That page itself is titled by it already.
pub(crate) fn name_link(list: &str, namespace: &str, name: &str) -> Option<AnyView> {
    let href = object_href(list, namespace, name);
    let is_here = use_location().pathname.with_untracked(|path| *path == href);
    (!is_here).then(|| view! { " " <a class="go mono small" href=href>{name.to_owned()}</a> })
}

/// The address of an answer of the API, for links to CSV and JSON. Give the link `rel="external"`: it is no page.
pub(crate) fn api_href(path: &str) -> String {
    href(&format!("{}{path}", client::ROOT))
}

/// The query of the page's address. All state of a list lives in it.
pub(crate) fn use_query() -> Memo<Query> {
    let search = use_location().search;
    Memo::new(move |_| search.with(|text| Query::parse(text)))
}

/// One segment of a path. Names in Kubernetes need no escapes, those of an imported file may.
pub(crate) fn segment(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            escaped.push(byte.into());
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn a_segment_cannot_leave_its_place() {
        assert_eq!(segment("checkout-api.v2"), "checkout-api.v2");
        assert_eq!(segment("a/b?c"), "a%2Fb%3Fc");
    }
}
