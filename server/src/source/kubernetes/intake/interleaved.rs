//! Whatever the order in which writes, watches and lists tell, at the end the sink holds what there is.

use super::{
    tests::{address, ended, intake, object},
    *,
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeMap;

const NAMES: [&str; 2] = ["a", "b"];

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Somebody else writes to a place or deletes what is there.
    Others {
        name: usize,
        deletes: bool,
    },
    Begin {
        name: usize,
        deletes: bool,
    },
    /// The API server takes a write of ours that was sent.
    Take(usize),
    /// The answer to one that it took is here; before that, nobody waits for it any more.
    Answer(usize),
    /// The watch tells so many events that it has not told.
    Watch(usize),
    Ask,
    /// The API server makes the list that was asked for.
    Make,
    Complete,
}

/// The API server, and what is under way between it and us.
struct World<'a> {
    intake: &'a Intake,
    version: u64,
    stored: BTreeMap<&'static str, (String, u64)>,
    events: Vec<Event>,
    told: usize,
    list: Option<Option<List>>,
    writes: Vec<Write<'a>>,
}

#[derive(Clone)]
enum Event {
    Applied(&'static str, String, u64),
    Deleted(&'static str, String, u64),
}

struct List {
    objects: Vec<Object>,
    /// Where the watch goes on.
    events: usize,
}

struct Write<'a> {
    name: &'static str,
    deletes: bool,
    ticket: Ticket<'a>,
    answer: Option<(String, u64)>,
}

impl<'a> World<'a> {
    fn put(&mut self, name: &'static str) -> (String, u64) {
        self.version += 1;
        let uid = (self.stored.get(name)).map_or_else(|| format!("u{}", self.version), |(uid, _)| uid.clone());
        let now = (uid.clone(), self.version);
        self.stored.insert(name, now.clone());
        self.events.push(Event::Applied(name, uid, self.version));
        now
    }

    /// What was there last.
    fn delete(&mut self, name: &'static str) -> Option<(String, u64)> {
        let last = self.stored.remove(name)?;
        self.version += 1;
        self.events.push(Event::Deleted(name, last.0.clone(), self.version));
        Some(last)
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Others { name, deletes: true } => drop(self.delete(NAMES[name])),
            Step::Others { name, deletes: false } => drop(self.put(NAMES[name])),
            Step::Begin { name, deletes } => {
                let name = NAMES[name];
                self.writes.push(Write {
                    name,
                    deletes,
                    ticket: self.intake.begin(None, &address(name)),
                    answer: None,
                });
            }
            Step::Take(which) => {
                let sent = |write: &&mut Write<'_>| write.answer.is_none();
                let Some((name, deletes)) =
                    (self.writes.iter_mut().filter(sent).nth(which)).map(|write| (write.name, write.deletes))
                else {
                    return;
                };
                let answer = if deletes {
                    self.delete(name)
                } else {
                    Some(self.put(name))
                };
                if let Some(write) = self.writes.iter_mut().filter(sent).nth(which) {
                    write.answer = answer;
                }
            }
            Step::Answer(which) if which < self.writes.len() => {
                let write = self.writes.remove(which);
                match write.answer {
                    Some((uid, version)) if write.deletes => write.ticket.deleted(Some(uid), Some(version)),
                    Some((uid, version)) => write.ticket.written(object(write.name, &uid, version)),
                    None => {}
                }
            }
            // While a list is in the making there is no watch.
            Step::Watch(count) if self.list.is_none() => {
                let end = self.events.len().min(self.told + count);
                let news = self.events[self.told..end].iter().map(|event| match event {
                    Event::Applied(name, uid, version) => News::Applied(object(name, uid, *version)),
                    Event::Deleted(name, uid, version) => ended(name, uid, *version),
                });
                self.intake.changed(None, news.collect());
                self.told = end;
            }
            Step::Ask => {
                self.intake.listing(None);
                self.list = Some(None);
            }
            Step::Make => {
                if let Some(list @ None) = &mut self.list {
                    *list = Some(List {
                        objects: (self.stored.iter())
                            .map(|(name, (uid, version))| object(name, uid, *version))
                            .collect(),
                        events: self.events.len(),
                    });
                }
            }
            Step::Complete => {
                if let Some(Some(list)) = &mut self.list {
                    self.told = list.events;
                    self.intake.listed(None, std::mem::take(&mut list.objects));
                    self.list = None;
                }
            }
            Step::Answer(_) | Step::Watch(_) => {}
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let write = || (0..NAMES.len(), any::<bool>());
    prop_oneof![
        3 => write().prop_map(|(name, deletes)| Step::Others { name, deletes }),
        3 => write().prop_map(|(name, deletes)| Step::Begin { name, deletes }),
        3 => (0..2_usize).prop_map(Step::Take),
        2 => (0..3_usize).prop_map(Step::Answer),
        2 => (1..4_usize).prop_map(Step::Watch),
        1 => Just(Step::Ask),
        2 => Just(Step::Make),
        2 => Just(Step::Complete),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn at_the_end_the_sink_holds_what_there_is(steps in vec(step(), 1..60), watch_first in any::<bool>()) {
        let (held, intake) = intake();
        let mut world = World {
            intake: &intake,
            version: 0,
            stored: BTreeMap::new(),
            events: Vec::new(),
            told: 0,
            list: Some(None),
            writes: Vec::new(),
        };
        for step in steps {
            world.step(step);
        }
        world.step(Step::Make);
        world.step(Step::Complete);
        if watch_first {
            world.step(Step::Watch(usize::MAX / 2));
        }
        while !world.writes.is_empty() {
            world.step(Step::Answer(0));
        }
        world.step(Step::Watch(usize::MAX / 2));
        let truth: Vec<_> = (world.stored.iter()).map(|(name, (_, version))| format!("{name}@{version}")).collect();
        prop_assert_eq!(held.text(), truth.join(" "));
        drop(world);
        let inner = intake.lock();
        prop_assert!(inner.flights.is_empty(), "nothing is remembered of writes that have ended");
    }
}
