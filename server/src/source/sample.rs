//! The preview's objects: every scenario of the reference data set, moved so that its clock stands at a given moment.

mod audit;
mod cart_chaos;
mod checkout_memory;
mod clock;
mod clusters;
mod costs;
mod dice;
mod dns_cache;
mod draft;
mod edge_certificate;
mod experiments;
mod gate;
mod generated;
mod incident;
mod instances;
mod ledger_volume;
mod node_network;
mod objectives;
mod patterns;
mod payout_leak;
mod plan;
mod policies;
mod post_mortem;
mod repositories;
mod runbooks;
mod search_ceiling;
mod signal;
pub mod simulator;
mod small_stories;
mod storefront_rollout;
mod thumbnail_image;
mod workloads;

pub use generated::generated;

use clock::Clock;
use draft::Draft;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// All of them, the same for the same `now`; owners come before what they own.
pub fn objects(now: Timestamp) -> Vec<Value> {
    let clock = Clock::new(now);
    let objectives = objectives::all(clock);
    let [checkout, storefront, edge] = [
        checkout_memory::tell(clock),
        storefront_rollout::tell(clock),
        edge_certificate::tell(clock),
    ];
    let [ledger, node, dns] = [
        ledger_volume::tell(clock),
        node_network::tell(clock),
        dns_cache::tell(clock),
    ];
    let [search, thumbnails] = [search_ceiling::tell(clock), thumbnail_image::tell(clock)];
    let [payout, cart] = [payout_leak::tell(clock), cart_chaos::tell(clock)];
    let objective = |name: &str| objectives.iter().find(|objective| objective.name() == name);
    let burning =
        objective("storefront-availability").map(|objective| small_stories::storefront_objective(clock, objective));
    let spent = objective("payout-availability").map(|objective| small_stories::payout_objective(clock, objective));

    let mut drafts = instances::all(clock);
    drafts.extend(workloads::all(clock));
    drafts.extend(repositories::all(clock));
    drafts.extend(clusters::all(clock));
    drafts.extend(policies::all(
        clock,
        &policies::Incidents {
            late: edge.name(),
            node: node.name(),
            budget: spent.as_ref().map_or("", |incident| incident.name()),
        },
    ));
    drafts.extend(runbooks::written(clock));
    drafts.extend(runbooks::generated(
        clock,
        storefront.name(),
        payout.name(),
        cart.name(),
    ));
    drafts.extend(experiments::all(clock));
    drafts.extend(small_stories::stray_signals(clock, checkout.name()));
    drafts.extend(costs::ledgers(
        clock,
        &[
            (&checkout, 0.04, 1, 0, 35),
            (&edge, 0.09, 2, 0, 50),
            (&ledger, 0.05, 1, 0, 40),
            (&dns, 0.06, 1, 0, 60),
            (&thumbnails, 0.03, 1, 0, 20),
            (&payout, 0.14, 3, 0, 90),
            (&cart, 0.11, 1, 3, 25),
        ],
    ));
    let small = [
        small_stories::ingress(clock),
        small_stories::transcoder(clock),
        small_stories::nightly_export(clock),
        small_stories::legacy_bridge(clock),
        small_stories::subtitle_sync(clock),
        small_stories::recommendations(clock),
    ];
    drafts.extend(objectives);
    let stories = [
        checkout, storefront, edge, ledger, node, dns, search, thumbnails, payout, cart,
    ];
    for incident in stories.into_iter().chain(burning).chain(spent).chain(small) {
        drafts.extend(incident.into_objects());
    }
    number(&mut drafts);
    drafts.into_iter().map(Draft::into_value).collect()
}

/// Gives the incidents that want one their number: from 001 in each namespace and day, in the order of their creation.
fn number(drafts: &mut [Draft]) {
    let mut waiting: Vec<_> = drafts
        .iter_mut()
        .filter(|draft| draft.label_of("inc-id") == Some(""))
        .collect();
    waiting.sort_by_key(|draft| draft.created().to_owned());
    let mut counts = BTreeMap::<(String, String), u32>::new();
    for draft in waiting {
        let day: String = draft.created().chars().take(10).filter(char::is_ascii_digit).collect();
        let count = counts.entry((draft.namespace().to_owned(), day.clone())).or_default();
        *count += 1;
        draft.relabel("inc-id", &format!("INC-{day}-{count:03}"));
    }
}

#[cfg(test)]
mod tests;
