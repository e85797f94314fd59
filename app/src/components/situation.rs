//! What is true, what is being tried, what now: the first lines of an incident's page, from what is known of it.

use crate::components::{
    approval::{approvals_given, is_open, title},
    time::{fine_span, parse},
    words::{plural, request_title, resource, signal, uncapitalised},
};
use opsdeck_api::{approval::ApprovalItem, incident::IncidentItem, remediation::RemediationItem};

/// The three answers. `decide` names the request to decide on, if that is what has to be done.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Situation {
    pub(crate) truth: String,
    pub(crate) attempt: String,
    pub(crate) next: Next,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Next {
    /// Somebody has to decide on this request.
    Decide {
        namespace: String,
        name: String,
        words: String,
    },
    /// Somebody has to do this.
    Act(String),
    /// Nobody has to do anything.
    Nothing(String),
}

impl Default for Next {
    fn default() -> Self {
        Self::Nothing(String::new())
    }
}

/// The headline of an incident: `OOM kill on checkout-api`.
pub(crate) fn headline(incident: &IncidentItem) -> String {
    if incident.signal_type.is_empty() {
        format!("Incident on {}", incident.resource.name)
    } else {
        format!("{} on {}", signal(&incident.signal_type), incident.resource.name)
    }
}

pub(crate) fn situation(incident: &IncidentItem, plans: &[RemediationItem], approvals: &[ApprovalItem]) -> Situation {
    let newest = plans.iter().max_by_key(|plan| plan.attempt);
    let waiting = approvals.iter().find(|approval| is_open(approval));
    Situation {
        truth: truth(incident),
        attempt: attempt(incident, newest, plans.len()),
        next: next(incident, newest, waiting),
    }
}

fn truth(incident: &IncidentItem) -> String {
    let what = resource(&incident.resource);
    match incident.state.as_str() {
        "Resolved" => match lasted(incident) {
            Some(time) => format!("{what} is well again. It took {time}."),
            None => format!("{what} is well again."),
        },
        "Contained" => format!("{what} is silenced, not fixed. It does no harm and does no work."),
        "Escalated" => format!("{what} is still affected. Automation has given up."),
        "Failed" => format!("{what} is affected and no automation is on it."),
        _ => format!("{what} is affected."),
    }
}

fn attempt(incident: &IncidentItem, newest: Option<&RemediationItem>, plans: usize) -> String {
    let Some(plan) = newest else {
        return match incident.state.as_str() {
            "" | "Detected" => "Nothing yet. An analysis is asked for first.".into(),
            "Analyzing" => "The model analyzes the signals; a plan follows.".into(),
            "Resolved" => "No plan was needed.".into(),
            _ => "No plan was made.".into(),
        };
    };
    let what = if plan.agentic_mode {
        format!(
            "step by step, as the model decides ({})",
            plural(plan.agentic_step_count.max(0) as u64, "step", "steps")
        )
    } else {
        uncapitalised(&request_title(
            plan.actions
                .iter()
                .map(|action| (action.kind.as_str(), &action.params, None)),
            &incident.resource.name,
        ))
    };
    let number = if plans > 1 {
        format!("Plan {} of {plans}", plan.attempt)
    } else {
        format!("Plan {}", plan.attempt)
    };
    match plan.state.as_str() {
        "" | "Pending" => format!("{number}: {what}. Not started."),
        "WaitingApproval" => format!("{number}: {what}. It waits for approval."),
        "Executing" => format!("{number} runs: {what}."),
        "Verifying" => format!("{number} has run: {what}. Whether it helped is being watched."),
        "Completed" => format!("{number} worked: {what}."),
        "RolledBack" => format!("{number} did not help and was rolled back: {what}."),
        "Failed" => format!("{number} failed: {what}."),
        other => format!("{number}: {what} ({other})."),
    }
}

fn next(incident: &IncidentItem, newest: Option<&RemediationItem>, waiting: Option<&ApprovalItem>) -> Next {
    if let Some(approval) = waiting {
        let (given, required) = approvals_given(approval);
        let missing = plural(required.saturating_sub(given) as u64, "approval", "approvals");
        return Next::Decide {
            namespace: approval.namespace.clone(),
            name: approval.name.clone(),
            words: format!("{} needs {missing} more.", title(approval)),
        };
    }
    if incident.requires_human_action || incident.state == "Contained" {
        return Next::Act(if incident.required_action.is_empty() {
            "A person has to bring the service back; what exactly is not recorded.".into()
        } else {
            incident.required_action.clone()
        });
    }
    match incident.state.as_str() {
        "Resolved" => Next::Nothing("Nothing.".into()),
        "Escalated" | "Failed" => Next::Act("A person has to look: no plan will be tried again.".into()),
        "" | "Detected" | "Analyzing" => Next::Nothing("Nothing yet. Automation is at work.".into()),
        _ => match newest.map(|plan| plan.state.as_str()) {
            Some("Pending" | "") => Next::Nothing("Nothing. The plan starts when its gates are checked.".into()),
            Some("Executing" | "Verifying") => Next::Nothing("Nothing. Watch whether the plan helps.".into()),
            _ => Next::Nothing("Nothing. Automation is at work.".into()),
        },
    }
}

/// From detection, or creation where that is not known, to resolution.
pub(crate) fn lasted(incident: &IncidentItem) -> Option<String> {
    let from = incident
        .detected_at
        .as_deref()
        .and_then(parse)
        .or_else(|| parse(&incident.creation_timestamp))?;
    let to = incident.resolved_at.as_deref().and_then(parse)?;
    Some(fine_span(to - from))
}

#[cfg(test)]
mod tests {
    use super::{Next, situation};
    use opsdeck_api::{
        Action, ResourceRef,
        approval::{ApprovalItem, Vote},
        incident::IncidentItem,
        remediation::RemediationItem,
    };

    fn incident(state: &str) -> IncidentItem {
        IncidentItem {
            state: state.into(),
            resource: ResourceRef {
                kind: "Deployment".into(),
                name: "web".into(),
                namespace: "shop".into(),
            },
            ..IncidentItem::default()
        }
    }

    fn plan(attempt: i32, state: &str) -> RemediationItem {
        RemediationItem {
            attempt,
            state: state.into(),
            actions: vec![Action {
                kind: "RollbackDeployment".into(),
                ..Action::default()
            }],
            ..RemediationItem::default()
        }
    }

    #[test]
    fn an_open_request_is_what_has_to_be_done() {
        let approval = ApprovalItem {
            name: "approval-1".into(),
            namespace: "shop".into(),
            state: "Pending".into(),
            required: 2,
            votes: vec![Vote {
                decision: "approved".into(),
                ..Vote::default()
            }],
            plan: Some("plan-1".into()),
            ..ApprovalItem::default()
        };
        let now = situation(&incident("Remediating"), &[plan(1, "WaitingApproval")], &[approval]);
        assert_eq!(now.attempt, "Plan 1: roll back web. It waits for approval.");
        assert!(matches!(now.next, Next::Decide { words, .. } if words.ends_with("needs 1 approval more.")));
    }

    #[test]
    fn a_contained_incident_says_what_a_person_must_do() {
        let mut contained = incident("Contained");
        contained.required_action = "Deploy a fixed build.".into();
        let now = situation(&contained, &[plan(1, "Failed"), plan(2, "Completed")], &[]);
        assert_eq!(now.attempt, "Plan 2 of 2 worked: roll back web.");
        assert_eq!(now.next, Next::Act("Deploy a fixed build.".into()));
    }

    #[test]
    fn an_expired_request_is_not_waited_for() {
        let approval = ApprovalItem {
            state: "Pending".into(),
            expired: true,
            ..ApprovalItem::default()
        };
        let now = situation(&incident("Escalated"), &[], &[approval]);
        assert!(matches!(now.next, Next::Act(_)));
    }
}
