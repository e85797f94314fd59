//! ApprovalRequest → approval, with what its incident, plan, policy, analysis and target tell an approver.

mod actions;
mod rollback;
#[cfg(test)]
mod tests;

use super::{Context, Held, Project, Projection, incident::need, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{
        AIInsight, ApprovalPolicy, ApprovalRequest, ApprovalState, ChaosExperiment, Deployment, Issue, RemediationPlan,
        Typed,
        approval_request::ApprovalRequestStatus,
        moment,
        shared::{ResourceRef, TimeText},
    },
    rules::{
        approval_case::{case, expired, state},
        plan_hash::plan_hash,
    },
};
use jiff::Timestamp;
use opsdeck_api::{
    Number,
    approval::{ApprovalItem, BlastRadius, ChangeWindow, Decision, Evidence, IssueName, Vote},
};
use std::sync::Arc;

const CHAOS_EXPERIMENT: &str = "platform.chatcli.io/chaos-experiment";

/// The objects that a request is about, as far as they are there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Related<'a> {
    pub issue: Option<&'a Issue>,
    pub plan: Option<&'a RemediationPlan>,
    pub policy: Option<&'a ApprovalPolicy>,
    pub insight: Option<&'a AIInsight>,
    pub experiment: Option<&'a ChaosExperiment>,
    /// The workload that is acted upon, where it is a Deployment.
    pub deployment: Option<&'a Deployment>,
}

/// The item as it is at that moment: expiry and change window pass by themselves.
pub fn approval_item(request: &ApprovalRequest, related: Related<'_>, now: Timestamp) -> ApprovalItem {
    let (meta, spec) = (&request.metadata, &request.spec);
    let status = request.status.clone().unwrap_or_default();
    let case = case(request, related.policy, related.issue);
    let state = state(request);
    ApprovalItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        resource: spec.issue_ref.name.clone(),
        action: spec
            .requested_actions
            .first()
            .map(|action| action.action.to_string())
            .unwrap_or_default(),
        reason: spec.policy_ref.clone(),
        requested_by: spec.requester.clone(),
        approved_by: approvers(&status, "approved"),
        rejected_by: approvers(&status, "rejected"),
        decision_reason: decision_reason(&status),
        decided_at: [&status.approved_at, &status.rejected_at, &status.expired_at]
            .into_iter()
            .flatten()
            .next()
            .map(|at| at.as_str().to_owned()),
        required_approvers: Some(spec.required_approvers).filter(|&required| required >= 1),
        decisions: status
            .decisions
            .iter()
            .map(|decision| Decision {
                approver: decision.approver.clone(),
                decision: decision.decision.clone(),
                reason: decision.reason.clone(),
                timestamp: decision
                    .timestamp
                    .as_ref()
                    .map(|at| at.as_str().to_owned())
                    .unwrap_or_default(),
            })
            .collect(),
        creation_timestamp: wire::created(meta),
        labels: wire::labels(meta),
        annotations: wire::annotations(meta),
        issue: wire::text(&spec.issue_ref.name).map(|name| IssueName {
            namespace: wire::namespace(meta),
            name,
        }),
        plan: wire::text(&spec.remediation_plan_ref),
        policy: wire::text(&spec.policy_ref),
        rule: wire::text(&spec.rule_name),
        actions: actions::requested(spec, target(related), related.deployment),
        blast_radius: spec.blast_radius.as_deref().map(|radius| BlastRadius {
            affected_pods: radius.affected_pods,
            affected_services: radius.affected_services,
            affected_namespaces: radius.affected_namespaces.clone(),
            risk_level: radius.risk_level.clone(),
            description: radius.description.clone(),
        }),
        evidence: spec.evidence.as_deref().map(|evidence| Evidence {
            ai_confidence: evidence.ai_confidence.into(),
            ai_analysis: evidence.ai_analysis.clone(),
            historical_success_rate: evidence.historical_success_rate.into(),
            previous_attempts: evidence.previous_attempts,
        }),
        confidence: confidence(request, related.insight),
        rollback: rollback::sentence(spec, related.plan),
        expires_at: case.expires_at().map(moment::written),
        expired: expired(request, &case, now),
        votes: status
            .decisions
            .iter()
            .map(|decision| Vote {
                approver: decision.approver.clone(),
                decision: decision.decision.clone(),
                reason: wire::text(&decision.reason),
                at: decision.timestamp.as_ref().map(|at| at.as_str().to_owned()),
            })
            .collect(),
        required: i32::try_from(case.required).unwrap_or(i32::MAX),
        change_window: case.window.as_ref().map(|_| ChangeWindow {
            open: case.window_open(now),
            opens_at: case.opens_at(now).map(moment::written),
        }),
        plan_hash: Some(plan_hash(&spec.requested_actions, related.plan.map(|plan| &plan.spec))),
        state: state.to_string(),
    }
}

/// The objects that an approval is made from, wherever the catalog has them.
fn related<'a>(request: &ApprovalRequest, context: &Context<'a>) -> Related<'a> {
    fn found<'a, K: Held>(context: &Context<'a>, namespace: &str, name: &str) -> Option<&'a K> {
        if name.is_empty() {
            None
        } else {
            context.get(namespace, name).map(Arc::as_ref)
        }
    }
    let (namespace, spec) = (request.namespace(), &request.spec);
    let issue_name = &spec.issue_ref.name;
    let mut related = Related {
        issue: found(context, namespace, issue_name),
        plan: found(context, namespace, &spec.remediation_plan_ref),
        policy: found(context, namespace, &spec.policy_ref),
        insight: found(context, namespace, &format!("{issue_name}-insight")),
        experiment: found(context, namespace, request.label(CHAOS_EXPERIMENT).unwrap_or_default()),
        deployment: None,
    };
    if let Some(target) = target(related).filter(|target| target.kind == "Deployment") {
        related.deployment = found(context, &target.namespace, &target.name);
    }
    related
}

/// What the plan is about: the victim of an experiment, else the resource of the incident.
fn target<'a>(related: Related<'a>) -> Option<&'a ResourceRef> {
    let victim = related.experiment.map(|experiment| &experiment.spec.target);
    victim
        .or(related.issue.map(|issue| &issue.spec.resource))
        .filter(|resource| !resource.name.is_empty())
}

fn approvers(status: &ApprovalRequestStatus, verdict: &str) -> String {
    let votes = status.decisions.iter().filter(|decision| decision.decision == verdict);
    votes
        .map(|decision| decision.approver.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Of several reasons the first one to reject counts, else the last one to approve.
fn decision_reason(status: &ApprovalRequestStatus) -> String {
    let reasons = |verdict: &'static str| {
        let votes = status
            .decisions
            .iter()
            .filter(move |decision| decision.decision == verdict);
        votes
            .map(|decision| &decision.reason)
            .filter(|reason| !reason.is_empty())
    };
    let rejected = status.decisions.iter().any(|decision| decision.decision == "rejected");
    let reason = if rejected {
        reasons("rejected").next()
    } else {
        reasons("approved").next_back()
    };
    reason.cloned().unwrap_or_default()
}

/// What the request was raised on; else what the analysis says now.
fn confidence(request: &ApprovalRequest, insight: Option<&AIInsight>) -> Option<Number> {
    let recorded = request.spec.evidence.as_deref().map(|evidence| evidence.ai_confidence);
    let analysed = insight
        .and_then(|insight| insight.status.as_ref())
        .map(|status| status.confidence);
    [recorded, analysed]
        .into_iter()
        .flatten()
        .find(|&confidence| confidence > 0.0)
        .map(Number)
}

impl Project for ApprovalRequest {
    const FACETS: &'static [&'static str] = &["state", "expired", "issue"];

    const SORTABLE: &'static [&'static str] = &[
        "resource",
        "action",
        "reason",
        "requestedBy",
        "state",
        "decidedAt",
        "requiredApprovers",
        "plan",
        "rule",
        "confidence",
        "expiresAt",
    ];

    fn project(&self, context: &Context<'_>) -> Projection {
        let related = related(self, context);
        let item = approval_item(self, related, context.now);
        let case = case(self, related.policy, related.issue);
        let decidable = item.state == ApprovalState::Pending.as_str() && !item.expired;
        let severity = related
            .issue
            .map(|issue| issue.spec.severity.clone())
            .unwrap_or_default();
        let target = target(related)
            .map(|target| format!("{}/{}", target.kind, target.name))
            .unwrap_or_default();
        let actions = item.actions.iter().map(|action| action.kind.as_str());
        let text = [
            &*item.resource,
            &target,
            &item.reason,
            item.rule.as_deref().unwrap_or_default(),
        ];
        Projection::of(&item)
            .text(text.into_iter().chain(actions))
            .need(need(!decidable, &severity))
            .until(case.next_change(context.now))
            .flag("expired", item.expired)
            .facet("state", item.state)
            .facet("issue", item.resource)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        // What other objects have a part in is read off the item that was made from them.
        let item = || serde_json::from_slice::<ApprovalItem>(&row.item).ok();
        match member {
            "resource" => spec.issue_ref.name.as_str().into(),
            "action" => spec
                .requested_actions
                .first()
                .map_or("", |action| action.action.as_str())
                .into(),
            "reason" => spec.policy_ref.as_str().into(),
            "requestedBy" => spec.requester.as_str().into(),
            "state" => SortKey::Text(state(&row.object).to_string().into()),
            "requiredApprovers" => spec.required_approvers.into(),
            "plan" => spec.remediation_plan_ref.as_str().into(),
            "rule" => spec.rule_name.as_str().into(),
            "confidence" => item()
                .and_then(|item| item.confidence)
                .map(|confidence| confidence.0)
                .into(),
            "expiresAt" => item().and_then(|item| moment::read(&item.expires_at?)).into(),
            "decidedAt" => status
                .and_then(|status| {
                    [&status.approved_at, &status.rejected_at, &status.expired_at]
                        .into_iter()
                        .flatten()
                        .next()
                })
                .and_then(TimeText::moment)
                .into(),
            _ => SortKey::Absent,
        }
    }
}
