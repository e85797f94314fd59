//! The icons, as paths on a grid of 16. All are decoration beside a word, so they are hidden from screen readers.

use crate::view;
use leptos::prelude::*;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Icon {
    Alert,
    ArrowUp,
    Ban,
    Book,
    Chart,
    Check,
    Circle,
    Clock,
    Cross,
    Cubes,
    Dots,
    Eye,
    Home,
    Lens,
    List,
    Logo,
    Page,
    Person,
    Question,
    Server,
    Shield,
    Spark,
    Spin,
    Stamp,
    Target,
    Tool,
    Undo,
}

// === impl Icon ===

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Alert => "M8 2.2 14.6 13.5H1.4zM8 6.5v3M8 11.6v.2",
            Self::ArrowUp => "M8 13V3M3.5 7.5 8 3l4.5 4.5",
            Self::Ban => "M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M4.2 4.2l7.6 7.6",
            Self::Book => "M3 12V4a1.5 1.5 0 0 1 1.5-1.5H13v11H4.5A1.5 1.5 0 0 1 3 12a1.5 1.5 0 0 1 1.5-1.5H13",
            Self::Chart => "M2.5 13.5h11M4.5 13v-3M8 13V6M11.5 13V3",
            Self::Check => "m2.5 8.5 3.5 3.5 7.5-8",
            Self::Circle => "M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M8 7.4v1.2",
            Self::Clock => "M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M8 4.5V8l2.5 1.5",
            Self::Cross => "m3.5 3.5 9 9M12.5 3.5l-9 9",
            Self::Cubes => "M5.5 2.5h5v5h-5zM2.5 9h5v4.5h-5zM9 9h4.5v4.5H9z",
            Self::Dots => "M3 8h.2M8 8h.2M13 8h.2",
            Self::Eye => {
                "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M6.2 8a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 1 0-3.6 0"
            }
            Self::Home => "M2 7.5 8 2.5l6 5M3.5 6.5v7h9v-7M6.5 13.5v-4h3v4",
            Self::Lens => "M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M10.5 10.5l4 4",
            Self::List => "M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.2M2.8 8h.2M2.8 12h.2",
            Self::Logo => "M2 11V5l6-3 6 3v6l-6 3zM2 5l6 3 6-3M8 8v6",
            Self::Page => "M3.5 2h6l3 3v9h-9zM6 7.5h4M6 10.5h4",
            Self::Person => {
                "M5.2 5a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0M2.5 14c.4-3 2.6-4.3 5.5-4.3s5.1 1.3 5.5 4.3"
            }
            Self::Question => {
                "M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M6.2 6.5c0-2.5 3.7-2.4 3.7-.2C9.9 7.7 8 7.7 8 9.2M8 11.4v.2"
            }
            Self::Server => "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.2M5 11h.2",
            Self::Shield => "M8 1.5 13 3.5v4c0 3.4-2.1 5.6-5 7-2.9-1.4-5-3.6-5-7v-4z",
            Self::Spark => "M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4M4 4l1.5 1.5M10.5 10.5 12 12M12 4l-1.5 1.5M4 12l1.5-1.5",
            Self::Spin => "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M12 1v3.2H8.8",
            Self::Stamp => "M2.5 13.5h11M3.5 11v-1.5h9V11zM6.8 9.5V7.2a3 3 0 1 1 2.4 0v2.3",
            Self::Target => "M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M5.2 8a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0",
            Self::Tool => {
                "M10.2 2.3a3.4 3.4 0 0 0-3.4 4.5l-4.5 4.5 2.4 2.4 4.5-4.5a3.4 3.4 0 0 0 4.5-3.4L11.5 8 8 7.9 8 4.5z"
            }
            Self::Undo => "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M6 3 2.5 6.5 6 10",
        }
    }

    pub(crate) fn view(self) -> AnyView {
        view! {
            <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <path d=self.path() />
            </svg>
        }
    }
}
