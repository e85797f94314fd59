//! What an Instance's conditions mean, in words, and what to do about each.

use crate::components::{
    mark::{State, StateWord},
    time::Ago,
};
use crate::view;
use leptos::prelude::*;
use opsdeck_api::instance::{Condition, InstanceItem};

/// One condition in words.
struct Meaning {
    name: &'static str,
    asks: &'static str,
    /// What holds while it is False, and the way out.
    when_false: &'static str,
    when_unknown: &'static str,
}

fn meaning(kind: &str) -> Meaning {
    match kind {
        "TLSConfigured" => Meaning {
            name: "Certificate",
            asks: "Is there a certificate to serve with?",
            when_false: "The Deployment is not created. Name a Secret with tls.crt and tls.key in spec.server.tls.secretName.",
            when_unknown: "TLS is switched off, or the operator has not looked. The operator speaks only TLS 1.3 to a server, so it cannot reach one without.",
        },
        "AuthenticationConfigured" => Meaning {
            name: "Authentication",
            asks: "Must callers show a credential?",
            when_false: "The Deployment is not created, so that nothing runs open to everybody. Set spec.server.token or a JWT key under spec.server.security.",
            when_unknown: "The operator has not looked.",
        },
        "OperatorCredentialConfigured" => Meaning {
            name: "Operator credential",
            asks: "Can the operator log in to the server?",
            when_false: "The server runs, but the operator cannot use it: no analysis comes from it. Give spec.server.token, operatorTokenRef, a JWT secret or a client certificate.",
            when_unknown: "The operator has not looked.",
        },
        "Available" => Meaning {
            name: "Pods",
            asks: "Are all replicas ready?",
            when_false: "Some pods are missing or not ready. Look at the Deployment's events and its pods' logs.",
            when_unknown: "There is no Deployment to count pods of; an earlier condition says why.",
        },
        "ServerReachable" => Meaning {
            name: "Answers",
            asks: "Does the server answer the operator?",
            when_false: "The last probe failed. Check the certificate, the credential and the provider's key; the message says which.",
            when_unknown: "It was not probed: it is only when all pods are ready.",
        },
        _ => Meaning {
            name: "",
            asks: "",
            when_false: "",
            when_unknown: "",
        },
    }
}

/// The name of a condition for people: `Operator credential`.
pub(crate) fn condition_name(kind: &str) -> String {
    match meaning(kind).name {
        "" => kind.to_owned(),
        name => name.to_owned(),
    }
}

/// Where to start: the first that is False. One that is merely unknown may be so because a later one is False.
pub(crate) fn start_at(item: &InstanceItem) -> Option<&Condition> {
    let failed = item.conditions.iter().find(|condition| condition.status == "False");
    failed.or_else(|| {
        let first = item.first_failed.as_deref()?;
        item.conditions.iter().find(|condition| condition.kind == first)
    })
}

/// The conditions in the order in which one depends on the other.
#[component]
pub(crate) fn Conditions(conditions: Vec<Condition>, start: Option<String>) -> impl IntoView {
    let rows = conditions.into_iter().map(|condition| {
        let words = meaning(&condition.kind);
        let advice = match condition.status.as_str() {
            "True" => "",
            "False" => words.when_false,
            _ => words.when_unknown,
        };
        let is_first = start.as_deref() == Some(condition.kind.as_str());
        let reason = condition.reason.filter(|reason| !reason.is_empty());
        let message = condition.message.filter(|message| !message.is_empty());
        view! {
            <li class:first=is_first>
                <div class="verdict">
                    <State known=Some(StateWord::condition(&condition.status)) word=condition.status.clone() />
                </div>
                <div>
                    <h3>
                        {condition_name(&condition.kind)} " " <span class="faint mono small">{condition.kind.clone()}</span>
                        {is_first.then(|| view! { " " <span class="tag">"start here"</span> })}
                    </h3>
                    <p class="dim">{words.asks}</p>
                    {(reason.is_some() || message.is_some())
                        .then(|| {
                            view! {
                                <p>
                                    {message}
                                    {reason.map(|reason| view! { " " <span class="faint mono small">{reason}</span> })}
                                </p>
                            }
                        })}
                    {(!advice.is_empty()).then(|| view! { <p class="advice">{advice}</p> })}
                    {condition.last_transition_time.map(|at| view! { <p class="faint small">"since " <Ago at=at /></p> })}
                </div>
            </li>
        }
    });
    view! { <ol class="conditions">{rows.collect_view()}</ol> }
}
