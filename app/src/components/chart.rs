//! Charts as SVG written by hand: rendered on the server, without style attributes, each bar a link to what it counts.

use crate::components::words::thousands;
use crate::view;
use leptos::prelude::*;

/// One bar: a part that stands out of a whole.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    /// Said under the bar; empty for most, so that labels do not touch.
    pub(crate) tick: String,
    pub(crate) part: u64,
    pub(crate) whole: u64,
    pub(crate) href: String,
}

/// The drawing's own units; it is stretched to its place, so nothing in it may depend on their proportion.
const HEIGHT: u64 = 1000;
const STEP: u64 = 100;
const WIDTH: u64 = 64;

#[component]
pub(crate) fn Bars(bars: Vec<Bar>, #[prop(into)] label: String) -> impl IntoView {
    let most = bars.iter().map(|bar| bar.whole).max().unwrap_or(0);
    let ceiling = round_up(most);
    let span = STEP * bars.len() as u64;
    let height_of = move |count: u64| count.saturating_mul(HEIGHT) / ceiling;
    let ticks = bars
        .iter()
        .map(|bar| view! { <span>{bar.tick.clone()}</span> })
        .collect_view();
    let columns = bars
        .into_iter()
        .zip(0..)
        .map(|(bar, index): (_, u64)| {
            let left = STEP * index;
            let x = (left + (STEP - WIDTH) / 2).to_string();
            let (whole, part) = (height_of(bar.whole), height_of(bar.part));
            view! {
                // Inside a group, so that the link is one of SVG and not one of HTML.
                <g>
                    <a href=bar.href aria-label=bar.label.clone()>
                        <title>{bar.label.clone()}</title>
                        <rect class="hit" x=left.to_string() y="0" width=STEP.to_string() height=HEIGHT.to_string() />
                        <rect
                            class="whole"
                            x=x.clone()
                            y=HEIGHT.saturating_sub(whole).to_string()
                            width=WIDTH.to_string()
                            height=whole.saturating_sub(part).to_string()
                        />
                        <rect class="part" x=x y=HEIGHT.saturating_sub(part).to_string() width=WIDTH.to_string() height=part.to_string() />
                    </a>
                </g>
            }
        })
        .collect_view();
    view! {
        <div class="bars">
            <div class="scale" aria-hidden="true">
                <span>{thousands(ceiling)}</span>
                <span>{thousands(ceiling / 2)}</span>
                <span>"0"</span>
            </div>
            <svg viewBox=format!("0 0 {span} {HEIGHT}") preserveAspectRatio="none" role="group" aria-label=label>
                {columns}
            </svg>
            <div class="ticks" aria-hidden="true">
                {ticks}
            </div>
        </div>
    }
}

/// The next number that halves well, so that both lines of the grid are whole.
fn round_up(most: u64) -> u64 {
    [2, 4, 6, 10, 20, 40, 60, 100]
        .into_iter()
        .find(|line| *line >= most)
        .unwrap_or_else(|| most.div_ceil(100) * 100)
}

/// The length of the line, and what it leaves free between two parts.
const WHOLE: u64 = 1000;
const GAP: u64 = 3;

/// Parts of a whole on one line.
#[component]
pub(crate) fn Shares(
    /// Class and count.
    parts: Vec<(&'static str, u64)>,
    #[prop(into)] label: String,
) -> impl IntoView {
    let all: u64 = parts.iter().map(|(_, count)| count).sum();
    let mut x: u64 = 0;
    let segments = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| {
            let width = count.saturating_mul(WHOLE) / all;
            let at = x;
            x += width;
            let (at, drawn) = (at.to_string(), width.saturating_sub(GAP).max(1).to_string());
            view! { <rect class=format!("share {class}") x=at y="0" width=drawn height="8" /> }
        })
        .collect_view();
    view! {
        <svg class="shares" viewBox=format!("0 0 {WHOLE} 8") preserveAspectRatio="none" role="img" aria-label=label>
            {segments}
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn the_ceiling_is_even_and_high_enough() {
        assert_eq!(round_up(0), 2);
        assert_eq!(round_up(7), 10);
        assert_eq!(round_up(101), 200);
    }
}
