//! Moves the preview: takes up the scenarios that are open, lets new incidents begin, and votes as the sample people.
//! What happens when is decided by `step`, which has no clock and no I/O; `play` is the thin loop around it.

mod difference;
mod drills;
mod plot;
mod plots;
mod scenarios;
mod story;
#[cfg(test)]
mod tests;

use super::dice::Dice;
use crate::{
    catalog::{Catalog, Snapshot},
    resources::Issue,
    source::{Change, Source, WriteError},
};
use difference::changes;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use plots::PLOTS;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use story::{Stage, Story};

/// New incidents that go on at the same time.
const AT_ONCE: usize = 3;
/// Seconds from one beginning to the next.
const APART: (u64, u64) = (25, 70);

#[derive(Debug)]
pub struct Simulator {
    dice: Dice,
    stories: Vec<Story>,
    /// When the next incident may begin.
    arrival: Timestamp,
    /// Plots in the order in which they come, played from the end.
    deck: Vec<usize>,
}

// === impl Simulator ===

impl Simulator {
    /// For a preview whose objects were made for `started`.
    pub fn new(seed: u64, started: Timestamp) -> Self {
        Self {
            dice: Dice(seed),
            stories: scenarios::open(started),
            arrival: started + SignedDuration::from_secs(12),
            deck: vec![],
        }
    }

    /// What is to be written now, given what is stored.
    pub fn step(&mut self, now: Timestamp, world: &Snapshot) -> Vec<Change> {
        let mut written = drills::due(now, world);
        if self.arrival <= now {
            self.arrival = now + SignedDuration::from_secs(self.dice.between(APART) as i64);
            if self.stories.iter().filter(|story| !story.scenario).count() < AT_ONCE {
                self.begin(now, world);
            }
        }
        for story in &mut self.stories {
            let extra = story.advance(now, world, &mut self.dice);
            let drafts = story.incident.clone().into_objects();
            written.extend(changes(&story.written, &drafts, world));
            written.extend(extra);
            story.written = drafts;
        }
        self.stories.retain(|story| story.stage != Stage::Over);
        written
    }

    /// When `step` has something to do again.
    pub fn next_moment(&self) -> Timestamp {
        self.stories
            .iter()
            .map(|story| story.due)
            .fold(self.arrival, Timestamp::min)
    }

    fn begin(&mut self, now: Timestamp, world: &Snapshot) {
        if self.deck.is_empty() {
            self.deck = (0..PLOTS.len()).collect();
            for last in (1..self.deck.len()).rev() {
                self.deck.swap(last, self.dice.index(last + 1));
            }
        }
        let Some(plot) = self.deck.pop().map(|index| &PLOTS[index]) else {
            return;
        };
        if !self.stories.iter().any(|story| story.plays(plot)) {
            self.stories
                .push(Story::begin(plot, &number(plot.namespace, now, world), now));
        }
    }
}

/// The next free one of the namespace and day.
fn number(namespace: &str, now: Timestamp, world: &Snapshot) -> String {
    let day = now.to_zoned(TimeZone::UTC).date().to_string().replace('-', "");
    let prefix = format!("INC-{day}-");
    let taken = world
        .table::<Issue>()
        .iter()
        .map(|row| &row.object)
        .filter(|issue| issue.metadata.namespace.as_deref() == Some(namespace))
        .filter_map(|issue| {
            let label = issue.metadata.labels.as_ref()?.get("platform.chatcli.io/inc-id")?;
            label.strip_prefix(&prefix)?.parse::<u32>().ok()
        })
        .max();
    format!("{prefix}{:03}", taken.unwrap_or_default() + 1)
}

/// Plays for as long as it is polled.
pub async fn play(mut simulator: Simulator, catalog: Arc<Catalog>, source: Arc<dyn Source>) {
    /// So that a moment that has passed does not spin.
    const LEAST: Duration = Duration::from_millis(250);
    let mut writer = Writer {
        source,
        uids: BTreeMap::new(),
    };
    loop {
        for change in simulator.step(Timestamp::now(), &catalog.snapshot()) {
            writer.write(change).await;
        }
        let wait = simulator.next_moment().duration_since(Timestamp::now());
        tokio::time::sleep(Duration::try_from(wait).unwrap_or_default().max(LEAST)).await;
    }
}

/// Writes what was told. The store gives its own uids, which what is told later has to use.
struct Writer {
    source: Arc<dyn Source>,
    uids: BTreeMap<String, String>,
}

// === impl Writer ===

impl Writer {
    async fn write(&mut self, mut change: Change) {
        difference::rename(&mut change, &self.uids);
        let own = difference::uid(&change);
        let outcome = match self.source.write(change.clone()).await {
            // Somebody acknowledged it meanwhile, say. What a person resolved stays so.
            Err(WriteError::Conflict(_, stored))
                if stored["status"]["state"] != "Resolved" && difference::is_ours(&change) =>
            {
                change.precondition = None;
                self.source.write(change).await
            }
            outcome => outcome,
        };
        match outcome {
            Ok(stored) => {
                if let (Some(own), Some(given)) = (own, stored["metadata"]["uid"].as_str()) {
                    self.uids.insert(own, given.to_owned());
                }
            }
            Err(WriteError::Conflict(..) | WriteError::NotFound(_) | WriteError::Exists(_)) => {}
            Err(error) => tracing::warn!(%error, "the preview cannot be moved"),
        }
    }
}
