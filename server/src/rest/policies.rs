//! Policies of four kinds, as they are stored: only read here, and always masked.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::{
    catalog::{
        Held,
        project::{Policy, policy_item},
    },
    json::shown,
    resources::{ApprovalPolicy, EscalationPolicy, IncidentSLA, NotificationPolicy},
};
use axum::{extract::Path, response::Response};

/// What stands in the address for each kind.
pub(super) const KINDS: [&str; 4] = ["approval", "notification", "escalation", "sla"];

const COLUMNS: &[&str] = &["name", "namespace", "kind", "spec", "status", "creationTimestamp"];

pub(super) async fn list_policies(Path(kind): Path<String>, ask: Ask) -> Result<Response, Error> {
    match kind.as_str() {
        "approval" => list::<ApprovalPolicy>(&ask, "ApprovalPolicyList"),
        "notification" => list::<NotificationPolicy>(&ask, "NotificationPolicyList"),
        "escalation" => list::<EscalationPolicy>(&ask, "EscalationPolicyList"),
        "sla" => list::<IncidentSLA>(&ask, "IncidentSLAList"),
        _ => Err(unknown(&kind)),
    }
}

pub(super) async fn get_policy(Path((kind, name)): Path<(String, String)>, ask: Ask) -> Result<Response, Error> {
    match kind.as_str() {
        "approval" => one::<ApprovalPolicy>(&ask, &name),
        "notification" => one::<NotificationPolicy>(&ask, &name),
        "escalation" => one::<EscalationPolicy>(&ask, &name),
        "sla" => one::<IncidentSLA>(&ask, &name),
        _ => Err(unknown(&kind)),
    }
}

fn list<P: Policy + Held>(ask: &Ask, kind: &'static str) -> Result<Response, Error> {
    ask.list::<P>(&Listing {
        kind,
        timed: false,
        table: (P::KIND.plural(), COLUMNS),
    })
}

/// Spec and status stand apart; a status that there is not is null.
fn one<P: Policy + Held>(ask: &Ask, name: &str) -> Result<Response, Error> {
    let single = Single {
        kind: P::KIND.as_str(),
        noun: P::KIND.as_str(),
        unqualified: Unqualified::Anywhere,
    };
    ask.one_with::<P, _>(&single, name, |row| {
        let item = policy_item(&*row.object);
        Ok((shown(&item.spec), shown(&item.status)))
    })
}

fn unknown(kind: &str) -> Error {
    Error::not_found(format!("unknown policy kind: {kind}"))
}
