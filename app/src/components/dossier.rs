//! Everything known of one incident beside itself: insights, plans, requests, post-mortems, and the story they tell together.

use crate::{
    client::{Api, ApiError, read},
    components::{
        ask::Texts,
        link::segment,
        timeline::{Event, Hand, Story},
        words::{action, decimal, person, plural},
    },
};
use opsdeck_api::{
    List, Query, Single,
    approval::ApprovalItem,
    incident::{IncidentItem, TimelineItem},
    insight::InsightItem,
    postmortem::PostMortemItem,
    remediation::{RemediationDetail, RemediationItem},
};
use serde::de::IgnoredAny;

/// The query that finds what belongs to an incident.
pub(crate) fn of_issue(namespace: &str, name: &str) -> Query {
    Query::default()
        .with("issue", name)
        .with("namespace", namespace)
        .with("pageSize", "100")
}

/// The plans with what the list does not carry: evidence, constraints, the steps of an agentic run. One text for the list, one for each plan that
/// could be had alone.
pub(crate) async fn fetch_plans(api: Api, namespace: String, name: String) -> Result<Texts, ApiError> {
    let path = format!("/incidents/{}/remediation", segment(&name));
    let query = Query::default().with("namespace", &namespace).with("pageSize", "100");
    let list = api.text(&query.on(&path)).await?;
    let items = read::<List<RemediationItem>>(&list)?.items;
    let mut texts = vec![list];
    for item in items {
        let path = format!("/remediations/{}", segment(&item.name));
        let detail = api
            .text(&Query::default().with("namespace", &item.namespace).on(&path))
            .await;
        texts.extend(detail);
    }
    Ok(texts)
}

/// Newest attempt first. Without its details a plan still says what it does and how it went.
pub(crate) fn read_plans(texts: &[String]) -> Result<Vec<RemediationDetail>, ApiError> {
    let [list, details @ ..] = texts else {
        return Ok(Vec::new());
    };
    let mut plans: Vec<RemediationDetail> = Vec::new();
    let insert = |plans: &mut Vec<RemediationDetail>, plan: RemediationDetail| {
        let place = plans.partition_point(|other| other.item.attempt >= plan.item.attempt);
        plans.insert(place, plan);
    };
    for text in details {
        if let Ok(detail) = read::<Single<RemediationDetail, IgnoredAny>>(text) {
            insert(&mut plans, detail.spec);
        }
    }
    for item in read::<List<RemediationItem>>(list)?.items {
        if !plans.iter().any(|plan| plan.item.name == item.name) {
            let plan = RemediationDetail {
                item,
                ..RemediationDetail::default()
            };
            insert(&mut plans, plan);
        }
    }
    Ok(plans)
}

/// The post-mortem's own timeline; an incident without one has none.
pub(crate) async fn fetch_timeline(api: Api, namespace: String, name: String) -> Result<Texts, ApiError> {
    // Without a post-mortem the answer is 404, which browsers show as a fault of the page.
    let written = of_issue(&namespace, &name).with("pageSize", "1").on("/postmortems");
    if read::<List<PostMortemItem>>(&api.text(&written).await?)?
        .items
        .is_empty()
    {
        return Ok(Vec::new());
    }
    let path = format!("/incidents/{}/timeline", segment(&name));
    match api
        .text(&Query::default().with("namespace", &namespace).on(&path))
        .await
    {
        Ok(text) => Ok(vec![text]),
        Err(error) if error.status == 404 => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

pub(crate) fn read_timeline(texts: &[String]) -> Result<Vec<TimelineItem>, ApiError> {
    match texts.first() {
        Some(text) => Ok(read::<List<TimelineItem>>(text)?.items),
        None => Ok(Vec::new()),
    }
}

/// One story out of all objects. What the post-mortem repeats of them is told once.
pub(crate) fn story(
    incident: &IncidentItem,
    insights: &[InsightItem],
    plans: &[RemediationDetail],
    approvals: &[ApprovalItem],
    post_mortems: &[PostMortemItem],
    told: &[TimelineItem],
) -> Vec<Event> {
    let mut story = Story::default();
    of_incident(&mut story, incident);
    for insight in insights {
        let what = format!("Analysis by {} finished", insight.model);
        story.tell(
            insight.generated_at.as_deref(),
            Hand::Automation,
            what,
            format!("Confidence {}", decimal(insight.confidence.0)),
        );
    }
    for plan in plans {
        of_plan(&mut story, plan);
    }
    for approval in approvals {
        of_approval(&mut story, approval);
    }
    for post_mortem in post_mortems {
        story.tell(
            post_mortem.generated_at.as_deref(),
            Hand::Automation,
            "Post-mortem written",
            "",
        );
        story.tell(
            post_mortem.reviewed_at.as_deref(),
            Hand::Person,
            "Post-mortem taken up for review",
            "",
        );
        if let Some(feedback) = &post_mortem.feedback {
            let what = format!("Feedback by {}", feedback.provided_by);
            story.tell(
                feedback.provided_at.as_deref(),
                Hand::Person,
                what,
                feedback.comments.clone(),
            );
        }
    }
    for item in told {
        // The objects themselves have told of these, with their own times.
        let hand = match item.kind.as_str() {
            "detected" | "analyzed" | "resolved" => continue,
            "action_failed" => Hand::Bad,
            "verified" => Hand::Good,
            _ => Hand::Automation,
        };
        let what = match item.kind.as_str() {
            "action_executed" => "Action done",
            "action_failed" => "Action failed",
            "verified" => "Verified",
            other => other,
        };
        story.tell(Some(&item.timestamp), hand, what, item.detail.clone());
    }
    story.in_order()
}

fn of_incident(story: &mut Story, incident: &IncidentItem) {
    let detected = incident.detected_at.as_deref().unwrap_or(&incident.creation_timestamp);
    story.tell(
        Some(detected),
        Hand::Bad,
        format!("Detected by {}", incident.source),
        "",
    );
    if let Some(seen) = &incident.acknowledged {
        story.tell(
            Some(&seen.at),
            Hand::Person,
            format!("Acknowledged by {}", person(&seen.by)),
            "",
        );
    }
    if incident.state == "Resolved" {
        story.tell(incident.resolved_at.as_deref(), Hand::Good, "Resolved", "");
    } else if incident.resolved_at.is_some() {
        story.tell(incident.resolved_at.as_deref(), Hand::Bad, incident.state.clone(), "");
    }
}

pub(crate) fn of_plan(story: &mut Story, plan: &RemediationDetail) {
    let attempt = plan.item.attempt;
    let actions: Vec<_> = plan.item.actions.iter().map(|step| action(&step.kind)).collect();
    story.tell(
        Some(&plan.item.creation_timestamp),
        Hand::Automation,
        format!("Plan {attempt} made"),
        actions.join(", "),
    );
    story.tell(
        plan.item.started_at.as_deref(),
        Hand::Automation,
        format!("Plan {attempt} started"),
        "",
    );
    let (hand, word) = match plan.item.state.as_str() {
        "Completed" => (Hand::Good, "worked"),
        "RolledBack" => (Hand::Bad, "rolled back"),
        _ => (Hand::Bad, "failed"),
    };
    story.tell(
        plan.item.completed_at.as_deref(),
        hand,
        format!("Plan {attempt} {word}"),
        "",
    );
}

pub(crate) fn of_approval(story: &mut Story, approval: &ApprovalItem) {
    story.tell(
        Some(&approval.creation_timestamp),
        Hand::Automation,
        "Approval asked for",
        plural(approval.required.max(1) as u64, "approval needed", "approvals needed"),
    );
    for vote in &approval.votes {
        let (hand, word) = match vote.decision.as_str() {
            "rejected" => (Hand::Bad, "rejected"),
            _ => (Hand::Person, "approved"),
        };
        let hand = if vote.approver == "auto-policy" {
            Hand::Automation
        } else {
            hand
        };
        let who = if vote.approver == "auto-policy" {
            "The policy's rule"
        } else {
            person(&vote.approver)
        };
        story.tell(
            vote.at.as_deref(),
            hand,
            format!("{who} {word}"),
            vote.reason.clone().unwrap_or_default(),
        );
    }
    if approval.state == "Expired" {
        story.tell(
            approval.decided_at.as_deref(),
            Hand::Bad,
            "Approval expired",
            "Nobody decided in time",
        );
    }
}
