//! One search over everything that has a page.

use super::{Error, answer::json, ask::Ask, route::Need, routes};
use crate::{
    access::caller::Caller,
    catalog::{Held, Snapshot},
    resources::{
        AIInsight, ApprovalPolicy, ApprovalRequest, AuditEvent, ClusterRegistration, EscalationPolicy, IncidentSLA,
        Instance, Issue, Kind, NotificationPolicy, PostMortem, RemediationPlan, Runbook, ServiceLevelObjective,
    },
    rules::search::{Best, Question, headline},
    source::Standing,
};
use axum::response::Response;
use bytes::Bytes;
use http::Method;
use opsdeck_api::{API_VERSION, List, ListMeta, kinds::leads_to, search::SearchResult};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::{collections::BTreeMap, sync::LazyLock, thread::available_parallelism, time::Duration};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task::spawn_blocking,
    time::timeout,
};

const LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 50;

/// Searches at a time: as many as there are cores, since none of them ever waits for anything. The others queue for so long.
static PLACES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, std::num::NonZero::get)));
const PATIENCE: Duration = Duration::from_secs(2);

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where objects of one kind are found, and which members of their items are shown.
struct Shelf {
    kind: Kind,
    title: &'static str,
    texts: &'static [&'static str],
    severity: &'static str,
    search: fn(&'static Shelf, &Snapshot, &Question, &mut Best<Hit>),
}

/// An object that answers.
struct Hit {
    shelf: &'static Shelf,
    item: Bytes,
}

/// Of equally good answers those of the kind that stands higher here come first.
static SHELVES: [Shelf; 14] = [
    Shelf {
        title: "/description",
        texts: &["/resource", "/signalType", "/namespace"],
        ..Shelf::of::<Issue>()
    },
    Shelf {
        title: "/action",
        texts: &["/resource", "/reason", "/requestedBy"],
        ..Shelf::of::<ApprovalRequest>()
    },
    Shelf {
        texts: &["/provider", "/model"],
        ..Shelf::of::<Instance>()
    },
    Shelf {
        title: "/issueRef",
        texts: &["/analysis", "/provider", "/model"],
        ..Shelf::of::<AIInsight>()
    },
    Shelf {
        title: "/strategy",
        texts: &["/issueRef", "/result"],
        ..Shelf::of::<RemediationPlan>()
    },
    Shelf {
        title: "/description",
        texts: &["/trigger/signalType", "/trigger/resourceKind"],
        severity: "/trigger/severity",
        ..Shelf::of::<Runbook>()
    },
    Shelf {
        title: "/summary",
        texts: &["/resource", "/issueRef"],
        ..Shelf::of::<PostMortem>()
    },
    Shelf {
        title: "/service",
        texts: &["/sli", "/window"],
        ..Shelf::of::<ServiceLevelObjective>()
    },
    Shelf::of::<ApprovalPolicy>(),
    Shelf::of::<NotificationPolicy>(),
    Shelf::of::<EscalationPolicy>(),
    Shelf {
        severity: "/spec/severity",
        ..Shelf::of::<IncidentSLA>()
    },
    Shelf {
        title: "/displayName",
        texts: &["/region", "/environment", "/tier", "/version"],
        ..Shelf::of::<ClusterRegistration>()
    },
    Shelf {
        title: "/eventType",
        texts: &["/detail", "/resourceName", "/actorName", "/correlationId"],
        ..Shelf::of::<AuditEvent>()
    },
];

/// What the list of each kind asks for: who may not call it does not find what is on it either.
static NEEDS: LazyLock<BTreeMap<Kind, Need>> = LazyLock::new(|| {
    let routes = routes();
    let need = |list: &str| {
        let mut reads = routes.iter().filter(|route| route.method == Method::GET);
        reads.find(|route| leads_to(route.path, list)).map(|route| route.need)
    };
    let lists = (Kind::ALL.into_iter()).filter_map(|kind| Some((kind, kind.listed()?.list)));
    lists.filter_map(|(kind, list)| Some((kind, need(list)?))).collect()
});

/// Each word is looked for in everything that is known. With a hundred thousand objects that takes longer than those should wait whose
/// requests share the thread.
pub(super) async fn search(ask: Ask) -> Result<Response, Error> {
    let place = place(&PLACES).await?;
    let found = spawn_blocking(move || {
        // Whoever asked may be gone before it ends; the core is taken until then.
        let _place = place;
        find(&ask)
    });
    found.await.map_err(Error::internal)?
}

async fn place(places: &Semaphore) -> Result<SemaphorePermit<'_>, Error> {
    match timeout(PATIENCE, places.acquire()).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(Error::unavailable("too many searches at a time; try again in a moment")),
    }
}

/// Blanks find nothing.
fn find(ask: &Ask) -> Result<Response, Error> {
    let limit = ask.params.whole("limit").unwrap_or(LIMIT).min(MAX_LIMIT);
    let mut shelves = open_to(&ask.caller, |kind| NEEDS.get(&kind).copied());
    // The answer is about none of the kinds in particular: it is poorer without one, and there all the same.
    shelves.sort_by_key(|shelf| matches!(ask.console.source.standing(shelf.kind), Standing::Unavailable(_)));
    let kinds: Vec<_> = shelves.iter().map(|shelf| shelf.kind).collect();
    ask.conditional(&kinds, |snapshot| {
        let question = Question::parse(ask.params.one("q").unwrap_or_default());
        let mut best = Best::new(usize::try_from(limit).unwrap_or(usize::MAX));
        if let Some(question) = &question {
            for &shelf in &shelves {
                (shelf.search)(shelf, snapshot, question, &mut best);
            }
        }
        let total_count = best.total() as u64;
        let items = question.map(|question| best.into_best().map(|hit| hit.told(&question)).collect());
        json(&List::<SearchResult> {
            api_version: API_VERSION.into(),
            kind: "SearchResultList".into(),
            metadata: ListMeta {
                total_count,
                page: 1,
                page_size: limit,
            },
            items: items.unwrap_or_default(),
        })
    })
}

fn open_to(caller: &Caller, need: impl Fn(Kind) -> Option<Need>) -> Vec<&'static Shelf> {
    let may = |shelf: &&Shelf| matches!(need(shelf.kind), Some(Need::Role(role)) if caller.may(role));
    SHELVES.iter().filter(may).collect()
}

// === impl Shelf ===

impl Shelf {
    const fn of<K: Held>() -> Self {
        Self {
            kind: K::KIND,
            title: "/name",
            texts: &["/kind"],
            severity: "/severity",
            search: Self::search::<K>,
        }
    }

    fn search<K: Held>(shelf: &'static Shelf, snapshot: &Snapshot, question: &Question, best: &mut Best<Hit>) {
        for row in snapshot.table::<K>().iter() {
            if let Some(grade) = question.grade(row.text()) {
                best.add(grade, || Hit {
                    shelf,
                    item: row.item.clone(),
                });
            }
        }
    }
}

// === impl Hit ===

impl Hit {
    fn told(&self, question: &Question) -> SearchResult {
        let item: Value = serde_json::from_slice(&self.item).unwrap_or_default();
        let text = |pointer: &str| match item.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Object(object)) if object.contains_key("kind") => {
                let part = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
                format!("{}/{}", part("kind"), part("name"))
            }
            _ => String::new(),
        };
        let said = |pointer: &str| Some(text(pointer)).filter(|text| !text.is_empty());
        let (namespace, name) = (text("/namespace"), text("/name"));
        let texts: Vec<_> = self.shelf.texts.iter().map(|pointer| text(pointer)).collect();
        let (pages, suffix) = self.shelf.kind.listed().map(|listed| listed.page).unwrap_or_default();
        SearchResult {
            kind: self.shelf.kind.to_string(),
            title: headline(&said(self.shelf.title).unwrap_or_else(|| name.clone())),
            snippet: question.snippet(texts.iter().map(String::as_str)),
            href: format!(
                "{pages}/{}/{}{suffix}",
                utf8_percent_encode(&namespace, SEGMENT),
                utf8_percent_encode(&name, SEGMENT)
            ),
            state: said("/state"),
            severity: said(self.shelf.severity),
            namespace,
            name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::caller::Via;
    use axum::response::IntoResponse as _;
    use http::{StatusCode, header::RETRY_AFTER};
    use opsdeck_api::{
        Role::{self, Admin, Viewer},
        kinds::LISTED,
    };

    fn caller(role: Result<Role, String>) -> Caller {
        Caller {
            identity: "wallboard".into(),
            role,
            key_id: String::new(),
            via: Via::Key,
            expires_at: None,
            session: None,
        }
    }

    #[test]
    fn a_kind_that_the_caller_may_not_list_is_not_searched() {
        let need = |kind| match kind {
            Kind::AuditEvent => Some(Need::Role(Admin)),
            Kind::ClusterRegistration => None,
            _ => Some(Need::Role(Viewer)),
        };
        let kinds = |role| -> Vec<_> { open_to(&caller(role), need).iter().map(|shelf| shelf.kind).collect() };
        assert_eq!(kinds(Ok(Viewer)).len(), SHELVES.len() - 2);
        assert!(!kinds(Ok(Viewer)).contains(&Kind::AuditEvent) && kinds(Ok(Admin)).contains(&Kind::AuditEvent));
        assert_eq!(kinds(Err("auditor".into())), []);
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_for_which_there_is_no_core_waits_a_while_and_is_refused() {
        let places = Semaphore::new(1);
        let taken = place(&places).await.unwrap();
        let refused = place(&places).await.unwrap_err();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.into_response().headers().contains_key(RETRY_AFTER));
        let (waited, ()) = tokio::join!(place(&places), async { drop(taken) });
        assert!(waited.is_ok(), "it gets the place that becomes free meanwhile");
    }

    #[test]
    fn what_has_a_list_has_a_shelf_and_the_list_says_what_it_needs() {
        let mut shelves: Vec<_> = SHELVES.iter().map(|shelf| shelf.kind).collect();
        shelves.sort();
        let mut listed: Vec<_> = Kind::ALL.into_iter().filter(|kind| kind.listed().is_some()).collect();
        listed.sort();
        assert_eq!(
            listed.len(),
            LISTED.len(),
            "api/src/kinds.rs names kinds that there are"
        );
        assert_eq!(shelves, listed, "say in SHELVES how it is found");
        assert!(NEEDS.keys().eq(&listed), "a list has no route: {NEEDS:?}");
    }
}
