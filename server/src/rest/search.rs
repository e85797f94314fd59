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
use opsdeck_api::{API_VERSION, List, ListMeta, search::SearchResult};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::{collections::BTreeMap, sync::LazyLock};
use tokio::task::spawn_blocking;

const LIMIT: u64 = 20;
const MAX_LIMIT: u64 = 50;

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where objects of one kind are found, and which members of their items are shown.
struct Shelf {
    kind: Kind,
    /// The route that lists them: who may not call it does not find them either.
    list: &'static str,
    /// Address of their pages, and what has to follow a name in it.
    page: (&'static str, &'static str),
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
        ..Shelf::of::<Issue>("/incidents", "/incidents")
    },
    Shelf {
        title: "/action",
        texts: &["/resource", "/reason", "/requestedBy"],
        ..Shelf::of::<ApprovalRequest>("/approvals", "/approvals")
    },
    Shelf {
        texts: &["/provider", "/model"],
        ..Shelf::of::<Instance>("/instances", "/instances")
    },
    Shelf {
        title: "/issueRef",
        texts: &["/analysis", "/provider", "/model"],
        ..Shelf::of::<AIInsight>("/aiinsights", "/insights")
    },
    Shelf {
        title: "/strategy",
        texts: &["/issueRef", "/result"],
        ..Shelf::of::<RemediationPlan>("/remediations", "/remediations")
    },
    Shelf {
        title: "/description",
        texts: &["/trigger/signalType", "/trigger/resourceKind"],
        severity: "/trigger/severity",
        ..Shelf::of::<Runbook>("/runbooks", "/runbooks")
    },
    Shelf {
        title: "/summary",
        texts: &["/resource", "/issueRef"],
        ..Shelf::of::<PostMortem>("/postmortems", "/postmortems")
    },
    Shelf {
        title: "/service",
        texts: &["/sli", "/window"],
        ..Shelf::of::<ServiceLevelObjective>("/slos", "/slos")
    },
    Shelf {
        page: ("/policies", "?kind=approval"),
        ..Shelf::of::<ApprovalPolicy>("/policies/{kind}", "/policies")
    },
    Shelf {
        page: ("/policies", "?kind=notification"),
        ..Shelf::of::<NotificationPolicy>("/policies/{kind}", "/policies")
    },
    Shelf {
        page: ("/policies", "?kind=escalation"),
        ..Shelf::of::<EscalationPolicy>("/policies/{kind}", "/policies")
    },
    Shelf {
        page: ("/policies", "?kind=sla"),
        severity: "/spec/severity",
        ..Shelf::of::<IncidentSLA>("/policies/{kind}", "/policies")
    },
    Shelf {
        title: "/displayName",
        texts: &["/region", "/environment", "/tier", "/version"],
        ..Shelf::of::<ClusterRegistration>("/clusters", "/clusters")
    },
    Shelf {
        title: "/eventType",
        texts: &["/detail", "/resourceName", "/actorName", "/correlationId"],
        ..Shelf::of::<AuditEvent>("/audit", "/audit")
    },
];

/// What each list asks for.
static NEEDS: LazyLock<BTreeMap<&'static str, Need>> = LazyLock::new(|| {
    let routes = routes().into_iter().filter(|route| route.method == Method::GET);
    routes.map(|route| (route.path, route.need)).collect()
});

/// Each word is looked for in everything that is known. With a hundred thousand objects that takes longer than those should wait whose
/// requests share the thread.
pub(super) async fn search(ask: Ask) -> Result<Response, Error> {
    spawn_blocking(move || find(&ask)).await.map_err(Error::internal)?
}

/// Blanks find nothing.
fn find(ask: &Ask) -> Result<Response, Error> {
    let limit = ask.params.whole("limit").unwrap_or(LIMIT).min(MAX_LIMIT);
    let mut shelves = open_to(&ask.caller, |list| NEEDS.get(list).copied());
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

fn open_to(caller: &Caller, need: impl Fn(&str) -> Option<Need>) -> Vec<&'static Shelf> {
    let may = |shelf: &&Shelf| matches!(need(shelf.list), Some(Need::Role(role)) if caller.may(role));
    SHELVES.iter().filter(may).collect()
}

// === impl Shelf ===

impl Shelf {
    const fn of<K: Held>(list: &'static str, page: &'static str) -> Self {
        Self {
            kind: K::KIND,
            list,
            page: (page, ""),
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
        let (list, suffix) = self.shelf.page;
        SearchResult {
            kind: self.shelf.kind.to_string(),
            title: headline(&said(self.shelf.title).unwrap_or_else(|| name.clone())),
            snippet: question.snippet(texts.iter().map(String::as_str)),
            href: format!(
                "{list}/{}/{}{suffix}",
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
    use opsdeck_api::Role::{self, Admin, Viewer};

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
        let need = |list: &str| match list {
            "/audit" => Some(Need::Role(Admin)),
            "/clusters" => None,
            _ => Some(Need::Role(Viewer)),
        };
        let kinds = |role| -> Vec<_> { open_to(&caller(role), need).iter().map(|shelf| shelf.kind).collect() };
        assert_eq!(kinds(Ok(Viewer)).len(), SHELVES.len() - 2);
        assert!(!kinds(Ok(Viewer)).contains(&Kind::AuditEvent) && kinds(Ok(Admin)).contains(&Kind::AuditEvent));
        assert_eq!(kinds(Err("auditor".into())), []);
    }

    #[test]
    fn every_shelf_has_a_list_that_says_what_it_needs() {
        for shelf in &SHELVES {
            assert!(NEEDS.contains_key(shelf.list), "{}", shelf.list);
        }
    }
}
