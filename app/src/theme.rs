//! Light, dark, or as the system has it: read from the address or the cookie before the first paint.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
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

    /// What `data-theme` on the document says; absent where the system decides.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        (self != Self::System).then(|| self.as_str())
    }
}
