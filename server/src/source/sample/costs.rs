//! What the model cost: one ledger a namespace, one entry for each incident with a finished plan and a post-mortem.

use super::{
    clock::{Clock, Moment},
    draft::Draft,
    incident::Incident,
};
use serde_json::json;
use std::collections::BTreeMap;

/// What a thousand tokens cost, in and out, in dollars.
const PRICES: [f64; 2] = [0.003, 0.015];

/// An incident with its dollars, calls, agentic steps and the minutes that it would have taken a person.
pub(super) type Entry<'a> = (&'a Incident, f64, i32, i32, i32);

pub(super) fn ledgers(clock: Clock, entries: &[Entry<'_>]) -> Vec<Draft> {
    let mut by_namespace = BTreeMap::<&str, serde_json::Map<_, _>>::new();
    for (incident, dollars, calls, steps, minutes) in entries {
        // Two thirds of the money went into what was read.
        let tokens = |share: f64, price: f64| (dollars * share / price * 1000.0).round() as i64;
        let entry = json!({
            "issueName": incident.name(),
            "llmCosts": {
                "totalInputTokens": tokens(2.0 / 3.0, PRICES[0]), "totalOutputTokens": tokens(1.0 / 3.0, PRICES[1]),
                "analysisCalls": calls,
                "agenticSteps": steps, "estimatedCostUSD": dollars, "provider": "CLAUDEAI", "model": "claude-sonnet-5",
            },
            "engineerTimeSavedMinutes": minutes,
            "totalCostUSD": dollars,
            "recordedAt": incident.post_mortem.as_ref().map(|draft| draft.get("/status/generatedAt")),
        });
        by_namespace
            .entry(&incident.target.namespace)
            .or_default()
            .insert(incident.name().to_owned(), entry.to_string().into());
    }
    by_namespace
        .into_iter()
        .map(|(namespace, entries)| {
            Draft::new(
                "ConfigMap",
                namespace,
                "chatcli-cost-ledger",
                clock.text(Moment::days_ago(90, "0:00")),
            )
            .label("app.kubernetes.io/managed-by", "chatcli-operator")
            .data(json!(entries))
        })
        .collect()
}
