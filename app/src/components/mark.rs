//! Severity and state, the two channels that are never mixed: how bad it is, and where it is.

use crate::components::{icon::Icon, words::capitalised};
use crate::view;
use leptos::prelude::*;

/// The colour a state may have: only where a person should look.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Tone {
    /// Automation is at it.
    Busy,
    /// Waits for a person.
    Needs,
    /// Went wrong.
    Bad,
    /// Done.
    Good,
    Plain,
}

/// Where an object is: an icon and a word, coloured by its tone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateWord {
    tone: Tone,
    icon: Icon,
    word: &'static str,
}

// === impl Tone ===

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Needs => "needs",
            Self::Bad => "bad",
            Self::Good => "good",
            Self::Plain => "",
        }
    }
}

// === impl StateWord ===

impl StateWord {
    const fn new(tone: Tone, icon: Icon, word: &'static str) -> Self {
        Self { tone, icon, word }
    }

    pub(crate) fn word(self) -> &'static str {
        self.word
    }

    pub(crate) fn incident(state: &str) -> Option<Self> {
        Some(match state {
            "" | "Detected" => Self::new(Tone::Plain, Icon::Circle, "Detected"),
            "Analyzing" => Self::new(Tone::Busy, Icon::Lens, "Analyzing"),
            "Remediating" => Self::new(Tone::Busy, Icon::Spin, "Remediating"),
            "Contained" => Self::new(Tone::Needs, Icon::Shield, "Contained"),
            "Resolved" => Self::new(Tone::Good, Icon::Check, "Resolved"),
            "Escalated" => Self::new(Tone::Bad, Icon::ArrowUp, "Escalated"),
            "Failed" => Self::new(Tone::Bad, Icon::Cross, "Failed"),
            _ => return None,
        })
    }

    pub(crate) fn plan(state: &str) -> Option<Self> {
        Some(match state {
            "" | "Pending" => Self::new(Tone::Plain, Icon::Circle, "Pending"),
            "WaitingApproval" => Self::new(Tone::Needs, Icon::Clock, "Waiting for approval"),
            "Executing" => Self::new(Tone::Busy, Icon::Spin, "Executing"),
            "Verifying" => Self::new(Tone::Busy, Icon::Eye, "Verifying"),
            "Completed" => Self::new(Tone::Good, Icon::Check, "Completed"),
            "Failed" => Self::new(Tone::Bad, Icon::Cross, "Failed"),
            "RolledBack" => Self::new(Tone::Bad, Icon::Undo, "Rolled back"),
            _ => return None,
        })
    }

    /// A request past its time is still stored as pending until the operator notices.
    pub(crate) fn approval(state: &str, past_its_time: bool) -> Option<Self> {
        Some(match state {
            "" | "Pending" if past_its_time => Self::new(Tone::Plain, Icon::Ban, "Past its time"),
            "" | "Pending" => Self::new(Tone::Needs, Icon::Clock, "Pending"),
            "Approved" => Self::new(Tone::Good, Icon::Check, "Approved"),
            "Rejected" => Self::new(Tone::Plain, Icon::Cross, "Rejected"),
            "Expired" => Self::new(Tone::Plain, Icon::Ban, "Expired"),
            _ => return None,
        })
    }

    pub(crate) fn instance(ready: bool) -> Self {
        if ready {
            Self::new(Tone::Good, Icon::Check, "Ready")
        } else {
            Self::new(Tone::Bad, Icon::Cross, "Not ready")
        }
    }

    /// Empty until it was calculated for the first time.
    pub(crate) fn objective(state: &str) -> Option<Self> {
        Some(match state {
            "" => Self::new(Tone::Plain, Icon::Question, "Not calculated"),
            "Healthy" => Self::new(Tone::Good, Icon::Check, "Healthy"),
            "AtRisk" => Self::new(Tone::Needs, Icon::Alert, "At risk"),
            "Breached" => Self::new(Tone::Bad, Icon::Cross, "Breached"),
            _ => return None,
        })
    }

    pub(crate) fn post_mortem(state: &str, owed: bool) -> Option<Self> {
        Some(match state {
            "" | "Open" if owed => Self::new(Tone::Needs, Icon::Person, "Needs a person"),
            "" | "Open" => Self::new(Tone::Plain, Icon::Circle, "Open"),
            "InReview" => Self::new(Tone::Busy, Icon::Eye, "In review"),
            "Closed" => Self::new(Tone::Good, Icon::Check, "Closed"),
            _ => return None,
        })
    }

    pub(crate) fn cluster(connected: bool, degraded: bool) -> Self {
        match (connected, degraded) {
            (false, _) => Self::new(Tone::Bad, Icon::Cross, "Offline"),
            (true, true) => Self::new(Tone::Bad, Icon::Alert, "Degraded"),
            (true, false) => Self::new(Tone::Good, Icon::Check, "Healthy"),
        }
    }

    pub(crate) fn enabled(enabled: bool) -> Self {
        if enabled {
            Self::new(Tone::Good, Icon::Check, "On")
        } else {
            Self::new(Tone::Plain, Icon::Ban, "Off")
        }
    }

    pub(crate) fn condition(status: &str) -> Self {
        match status {
            "True" => Self::new(Tone::Good, Icon::Check, "True"),
            "False" => Self::new(Tone::Bad, Icon::Cross, "False"),
            _ => Self::new(Tone::Plain, Icon::Question, "Unknown"),
        }
    }
}

/// A state, or the word itself where a newer operator has one that is not known here.
#[component]
pub(crate) fn State(known: Option<StateWord>, #[prop(into)] word: String) -> impl IntoView {
    match known {
        Some(StateWord { tone, icon, word }) => {
            view! { <span class=format!("state {}", tone.class())>{icon.view()} {word}</span> }
        }
        None => view! { <span class="state">{Icon::Question.view()} {word}</span> },
    }
}

/// A mark of four steps, and its word.
#[component]
pub(crate) fn Severity(#[prop(into)] severity: String) -> impl IntoView {
    let class = format!("sev {}", level(&severity));
    view! {
        <span class="sevw">
            <span class=class aria-hidden="true">
                <i></i>
                <i></i>
                <i></i>
                <i></i>
            </span>
            {capitalised(&severity)}
        </span>
    }
}

/// The class of a severity; none for a word that is not known.
pub(crate) fn level(severity: &str) -> &'static str {
    match severity {
        "critical" => "critical",
        "high" => "high",
        "medium" => "medium",
        "low" => "low",
        _ => "",
    }
}
