//! Small worlds for property tests: two namespaces in which the same names occur, and times around noon of 2026-09-23.

use super::Scope;
use crate::{
    fixtures::{Fixture, action, incident, noon, plan},
    resources::{ActionType, Issue, IssueState, PlanState, RemediationPlan, Severity},
};
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use proptest::prelude::*;

const NAMESPACES: [&str; 2] = ["shop", "edge"];

/// Two of each name, one in either namespace.
fn place<K: crate::fixtures::Meta>(object: Fixture<K>, index: usize, stem: &str) -> Fixture<K> {
    object
        .named(&format!("{stem}-{}", index / 2))
        .within(NAMESPACES[index % 2])
}

/// From 20 days before noon to a day after it.
fn moments() -> impl Strategy<Value = Timestamp> {
    (-480..24i64, prop::sample::select(vec![0, 0, 1, 1800]))
        .prop_map(|(hours, seconds)| noon() + hours.hours() + seconds.seconds())
}

fn lengths() -> impl Strategy<Value = Option<SignedDuration>> {
    prop::option::of((-60..7200i64).prop_map(SignedDuration::from_secs))
}

pub(super) fn incidents() -> impl Strategy<Value = Vec<Fixture<Issue>>> {
    let one = (
        moments(),
        prop::sample::select(vec!["critical", "high", "low", "odd"]),
        prop::sample::select(vec!["", "Detected", "Resolved", "Escalated", "Failed"]),
        (lengths(), lengths()),
        prop::sample::select(vec![
            ("Deployment", "checkout"),
            ("Deployment", "cart"),
            ("Service", "cart"),
        ]),
        prop::sample::select(vec!["", "response", "resolution", "response,resolution"]),
        (0..4i32, prop::bool::weighted(0.2)),
    );
    prop::collection::vec(one, 0..12).prop_map(|ones| {
        (ones.into_iter().enumerate())
            .map(
                |(index, (born, severity, state, (detected, resolved), (kind, name), violated, (attempts, chaos)))| {
                    let issue = place(incident(), index, "incident").created(&born.to_string());
                    let issue = issue
                        .severity(Severity::from(severity))
                        .state(IssueState::from(state))
                        .on(kind, name);
                    let issue = issue.with(|issue| {
                        issue.spec.resource.namespace = NAMESPACES[index % 2].into();
                        let status = issue.status.get_or_insert_default();
                        status.detected_at = detected.map(|length| born + length);
                        status.resolved_at = resolved.map(|length| born + length);
                        status.remediation_attempts = attempts;
                    });
                    let issue = if chaos {
                        issue.raised_by_experiment("kill")
                    } else {
                        issue
                    };
                    if violated.is_empty() {
                        issue
                    } else {
                        issue.annotated("platform.chatcli.io/sla-violated", violated)
                    }
                },
            )
            .collect()
    })
}

/// Of the incidents above, and of some that do not exist.
pub(super) fn plans() -> impl Strategy<Value = Vec<Fixture<RemediationPlan>>> {
    let one = (
        moments(),
        0..6usize,
        prop::sample::select(vec!["", "Executing", "Completed", "Failed", "RolledBack"]),
        lengths(),
        prop::sample::subsequence(vec![ActionType::ScaleDeployment, ActionType::DeletePod], 0..=2),
        any::<bool>(),
    );
    prop::collection::vec(one, 0..12).prop_map(|ones| {
        (ones.into_iter().enumerate())
            .map(|(index, (born, target, state, took, actions, agentic))| {
                let plan = place(plan(), index, "plan").created(&born.to_string());
                let plan = plan.fixes(&format!("incident-{target}")).state(PlanState::from(state));
                plan.with(|plan| {
                    plan.spec.actions = actions.into_iter().map(|what| action(what, &[])).collect();
                    plan.spec.agentic_mode = agentic;
                    let status = plan.status.get_or_insert_default();
                    status.started_at = took.map(|_| born);
                    status.completed_at = took.map(|length| born + length);
                })
            })
            .collect()
    })
}

pub(super) fn scopes() -> impl Strategy<Value = Scope> {
    let namespaces = prop::sample::subsequence(vec!["shop", "edge", "nowhere"], 0..=3);
    (namespaces, prop::option::of(moments()), prop::option::of(moments())).prop_map(|(namespaces, from, to)| Scope {
        namespaces: namespaces.into_iter().map(str::to_owned).collect(),
        from,
        to,
    })
}
