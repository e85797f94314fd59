//! Light, dark, or as the system has it: read from the address or the cookie before the first paint.

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

// === impl Theme ===

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The cookie that keeps the choice; readable by the page's script, `Path` is the base path.
    pub const COOKIE: &str = "opsdeck_theme";

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text)
    }

    /// Shows the theme at once and keeps it for the next page.
    #[cfg(not(feature = "ssr"))]
    pub(crate) fn keep(self) {
        use leptos::prelude::{document, window};
        use wasm_bindgen::JsCast;

        let Some(root) = document().document_element() else {
            return;
        };
        // Neither can fail: the attribute's name is well-formed.
        let _ = match self.attribute() {
            Some(value) => root.set_attribute("data-theme", value),
            None => root.remove_attribute("data-theme"),
        };
        let path = root.get_attribute("data-base").unwrap_or_default();
        let secure = if window().location().protocol().is_ok_and(|scheme| scheme == "https:") {
            "; Secure"
        } else {
            ""
        };
        if let Ok(document) = document().dyn_into::<web_sys::HtmlDocument>() {
            let cookie = format!(
                "{}={}; Path={path}/; Max-Age=31536000; SameSite=Lax{secure}",
                Self::COOKIE,
                self.as_str()
            );
            // Refused cookies: the choice holds for this page only.
            let _ = document.set_cookie(&cookie);
        }
    }

    /// What `data-theme` on the document says; absent where the system decides.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        (self != Self::System).then(|| self.as_str())
    }
}
