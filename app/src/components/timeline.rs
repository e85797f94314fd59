//! Events of several objects as one story, oldest first.

use crate::components::time::{date, parse, rfc3339, stamp, time_of_day};
use crate::view;
use leptos::prelude::*;

/// Whose doing it was, or how it went.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Hand {
    Automation,
    Person,
    Bad,
    Good,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) hand: Hand,
    pub(crate) what: String,
    pub(crate) detail: String,
}

/// Events told in any order, kept in that of their times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story(Vec<Event>);

// === impl Story ===

impl Story {
    /// Takes note of an event. One whose time is missing or cannot be read has no place in a timeline.
    pub(crate) fn tell(&mut self, at: Option<&str>, hand: Hand, what: impl Into<String>, detail: impl Into<String>) {
        if let Some(at) = at.and_then(parse) {
            let place = self.0.partition_point(|event| event.at <= at);
            let event = Event {
                at,
                hand,
                what: what.into(),
                detail: detail.into(),
            };
            self.0.insert(place, event);
        }
    }

    pub(crate) fn in_order(self) -> Vec<Event> {
        self.0
    }
}

#[component]
pub(crate) fn Timeline(events: Vec<Event>) -> impl IntoView {
    if events.is_empty() {
        return view! { <p class="faint">"Nothing is recorded."</p> };
    }
    let mut day = String::new();
    let rows = events.into_iter().map(|event| {
        let today = date(event.at);
        let new_day = (today != day).then(|| today.clone());
        day = today;
        let class = match event.hand {
            Hand::Automation => "",
            Hand::Person => "person",
            Hand::Bad => "bad",
            Hand::Good => "good",
        };
        view! {
            {new_day.map(|day| view! { <li class="day">{day} " UTC"</li> })}
            <li class=class>
                <time datetime=rfc3339(event.at) title=stamp(event.at)>
                    {time_of_day(event.at)}
                </time>
                <i aria-hidden="true"></i>
                <div>
                    {event.what}
                    {(!event.detail.is_empty()).then(|| view! { <p>{event.detail}</p> })}
                </div>
            </li>
        }
    });
    view! { <ol class="events">{rows.collect_view()}</ol> }
}

#[cfg(test)]
mod tests {
    use super::{Hand, Story};

    #[test]
    fn events_without_a_time_are_left_out_and_the_rest_is_in_order() {
        let mut story = Story::default();
        story.tell(Some("2026-09-23T12:00:00Z"), Hand::Person, "later", "");
        story.tell(None, Hand::Automation, "never", "");
        story.tell(Some("2026-09-23T11:00:00Z"), Hand::Automation, "earlier", "");
        let told: Vec<_> = story.in_order().into_iter().map(|event| event.what).collect();
        assert_eq!(told, ["earlier", "later"]);
    }
}
