//! Charts as SVG written by hand: rendered on the server, without style attributes, each bar a link to what it counts.

use crate::components::words::thousands;
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
const HEIGHT: f64 = 100.0;
const STEP: f64 = 10.0;
const WIDTH: f64 = 6.4;

#[component]
pub(crate) fn Bars(bars: Vec<Bar>, #[prop(into)] label: String) -> impl IntoView {
    let most = bars.iter().map(|bar| bar.whole).max().unwrap_or(0);
    let ceiling = round_up(most);
    let span = STEP * bars.len() as f64;
    let height_of = move |count: u64| HEIGHT * count as f64 / ceiling as f64;
    let ticks = bars
        .iter()
        .map(|bar| view! { <span>{bar.tick.clone()}</span> })
        .collect_view();
    let columns = bars
        .into_iter()
        .enumerate()
        .map(|(index, bar)| {
            let left = STEP * index as f64;
            let x = left + (STEP - WIDTH) / 2.0;
            let (whole, part) = (height_of(bar.whole), height_of(bar.part));
            view! {
                // Inside a group, so that the link is one of SVG and not one of HTML.
                <g>
                    <a href=bar.href aria-label=bar.label.clone()>
                        <title>{bar.label.clone()}</title>
                        <rect class="hit" x=left y="0" width=STEP height=HEIGHT />
                        <rect class="whole" x=x y={HEIGHT - whole} width=WIDTH height={whole - part} />
                        <rect class="part" x=x y={HEIGHT - part} width=WIDTH height=part />
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
    .into_any()
}

/// The next number that halves well, so that both lines of the grid are whole.
fn round_up(most: u64) -> u64 {
    [2, 4, 6, 10, 20, 40, 60, 100]
        .into_iter()
        .find(|line| *line >= most)
        .unwrap_or_else(|| most.div_ceil(100) * 100)
}

/// Parts of a whole on one line.
#[component]
pub(crate) fn Shares(
    /// Class and count.
    parts: Vec<(&'static str, u64)>,
    #[prop(into)] label: String,
) -> impl IntoView {
    let all: u64 = parts.iter().map(|(_, count)| count).sum();
    let mut x = 0.0;
    let segments = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| {
            let width = 1000.0 * count as f64 / all as f64;
            let at = x;
            x += width;
            view! { <rect class=format!("share {class}") x=at y="0" width={(width - 3.0).max(1.0)} height="8" /> }
        })
        .collect_view();
    view! {
        <svg class="shares" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label=label>
            {segments}
        </svg>
    }
    .into_any()
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
