//! What an answer says about how current it is: nothing while it is, a time while the source is away, 503 when there is
//! nothing to answer from.

use super::{Error, answer::add_warning};
use crate::{
    resources::{Kind, moment},
    source::{Absence, Source, Standing},
};
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use jiff::Timestamp;

/// When what is shown was last known to be true. Absent while that is now.
const AS_OF: HeaderName = HeaderName::from_static("x-data-as-of");

/// Of an answer that is made from several kinds.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Freshness {
    as_of: Option<Timestamp>,
    /// Kinds that count as empty because they cannot be had.
    missing: Vec<Kind>,
}

// === impl Freshness ===

impl Freshness {
    /// The first kind is the one that the answer is about: without it there is no answer. Without another there is a poorer one.
    pub(super) fn of(kinds: &[Kind], source: &dyn Source) -> Result<Self, Error> {
        let mut freshness = Self::default();
        for (index, kind) in kinds.iter().enumerate() {
            match source.standing(*kind) {
                Standing::Current => {}
                Standing::AsOf(since) => {
                    freshness.as_of = Some(freshness.as_of.map_or(since, |earlier| earlier.min(since)));
                }
                Standing::Syncing => {
                    return Err(Error::unavailable(format!(
                        "{kind} objects are still being read from the cluster"
                    )));
                }
                Standing::Unavailable(absence) if index == 0 => {
                    return Err(Error::kind_unavailable(match absence {
                        Absence::NotInstalled => format!(
                            "the cluster does not know the kind {kind}: its CustomResourceDefinition {} is not installed",
                            definition(*kind)
                        ),
                        Absence::Forbidden => format!(
                            "the cluster does not let this server read {kind} objects: its role needs get, list and watch on {}",
                            definition(*kind)
                        ),
                    }));
                }
                Standing::Unavailable(_) => freshness.missing.push(*kind),
            }
        }
        Ok(freshness)
    }

    pub(super) fn tell(&self, response: &mut Response) {
        let headers = response.headers_mut();
        if let Some(Ok(value)) = self.as_of.map(|since| HeaderValue::try_from(moment::written(since))) {
            headers.insert(AS_OF, value);
        }
        for kind in &self.missing {
            let text = format!("{kind} objects cannot be had from the cluster and count as none");
            add_warning(headers, &text);
        }
    }
}

/// Since when the source has not been heard of, about whatever it holds.
pub(super) fn data_as_of(source: &dyn Source) -> Option<Timestamp> {
    let standings = Kind::ALL.into_iter().map(|kind| source.standing(kind));
    let stale = standings.filter_map(|standing| match standing {
        Standing::AsOf(since) => Some(since),
        Standing::Current | Standing::Syncing | Standing::Unavailable(_) => None,
    });
    stale.min()
}

/// `issues.platform.chatcli.io`.
fn definition(kind: Kind) -> String {
    match kind.api_version().split_once('/') {
        Some((group, _)) => format!("{}.{group}", kind.plural()),
        None => kind.plural().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixtures::at,
        source::{Batch, Committing},
    };
    use http::header;
    use std::collections::HashMap;

    struct Told(HashMap<Kind, Standing>);

    impl Source for Told {
        fn commit(&self, _: Batch) -> Committing<'_> {
            unreachable!("nothing is written")
        }

        fn standing(&self, kind: Kind) -> Standing {
            self.0.get(&kind).copied().unwrap_or(Standing::Current)
        }
    }

    fn told(standings: &[(Kind, Standing)]) -> Told {
        Told(standings.iter().copied().collect())
    }

    #[test]
    fn an_answer_is_as_old_as_the_oldest_of_its_kinds() {
        let source = told(&[
            (Kind::Issue, Standing::AsOf(at("2026-09-23T12:00:05Z"))),
            (Kind::Runbook, Standing::AsOf(at("2026-09-23T12:00:00Z"))),
        ]);
        let mut response = Response::default();
        Freshness::of(&[Kind::Issue, Kind::Instance, Kind::Runbook], &source)
            .unwrap()
            .tell(&mut response);
        assert_eq!(response.headers()[AS_OF], "2026-09-23T12:00:00Z");
        let mut response = Response::default();
        Freshness::of(&[Kind::Instance], &source).unwrap().tell(&mut response);
        assert!(response.headers().is_empty(), "current answers say nothing");
    }

    #[test]
    fn without_its_own_kind_there_is_no_answer_without_another_a_warning() {
        let source = told(&[(Kind::Runbook, Standing::Unavailable(Absence::NotInstalled))]);
        let refused = Freshness::of(&[Kind::Runbook], &source).unwrap_err();
        let body = refused.body("id");
        assert_eq!(
            (body.code, body.reason),
            (503, Some(opsdeck_api::Reason::KindUnavailable))
        );
        assert!(
            body.message.contains("runbooks.platform.chatcli.io"),
            "{}",
            body.message
        );
        let mut response = Response::default();
        Freshness::of(&[Kind::Issue, Kind::Runbook], &source)
            .unwrap()
            .tell(&mut response);
        assert!(
            response.headers()[header::WARNING]
                .to_str()
                .unwrap()
                .contains("Runbook")
        );
    }

    #[test]
    fn what_is_still_being_read_is_not_answered_from() {
        let source = told(&[(Kind::Issue, Standing::Syncing)]);
        let refused = Freshness::of(&[Kind::Issue], &source).unwrap_err();
        assert_eq!(refused.status(), 503);
    }
}
