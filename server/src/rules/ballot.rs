//! What a person may do to an approval request: cast one vote. What becomes of the request then is the matter of `approval`.

use super::{
    approval::{Case, principal},
    approval_case::{case, expired, state},
    decision::{Decision, Hand},
    plan_hash::plan_hash,
};
use crate::{
    resources::{
        ApprovalPolicy, ApprovalRequest, ApprovalState, Issue, RemediationPlan, approval_request, moment,
        vocabulary::Verdict,
    },
    source::Verb,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// In characters; what is longer is cut.
const LONGEST_NAME: usize = 128;

/// A vote that somebody wants to cast.
#[derive(Clone, Debug)]
pub struct Ballot {
    pub verdict: Verdict,
    /// As [`signature`] writes it.
    pub approver: String,
    pub reason: String,
    /// The fingerprint of what the voter has read, where they say so.
    pub plan_hash: Option<String>,
}

/// What a request is about, as far as it is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Matter<'a> {
    pub policy: Option<&'a ApprovalPolicy>,
    pub issue: Option<&'a Issue>,
    pub plan: Option<&'a RemediationPlan>,
}

/// Why a vote does not count.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("approval is already {}{}", .state, by_whom(.by))]
    Decided {
        state: ApprovalState,
        by: Option<String>,
        at: Option<Timestamp>,
    },
    #[error("approval has expired: its time to be decided is over")]
    Expired { at: Option<Timestamp> },
    #[error("{} has voted on it already: one key is one vote", .0.by)]
    Voted(Hand),
    #[error("what would be done has changed since it was read; read it again (its hash is {hash})")]
    PlanChanged { hash: String },
}

/// Under which name a vote is stored: the name that was typed, and the key that stands for it. None where no name is left of it.
pub fn signature(typed: &str, identity: &str) -> Option<String> {
    let visible: String = typed.trim().chars().filter(|c| !c.is_control()).collect();
    let cut: String = visible.chars().take(LONGEST_NAME).collect();
    let name = cut.trim();
    (!name.is_empty()).then(|| format!("{name} (api-key: {identity})"))
}

/// The last vote.
pub fn last_hand(request: &ApprovalRequest) -> Option<Hand> {
    votes(request).next_back().map(hand)
}

// === impl Ballot ===

impl Ballot {
    /// Adds the vote. The state is moved by whoever settles; a request that nobody has written to before becomes Pending.
    pub fn cast(&self, request: &ApprovalRequest, matter: Matter<'_>, now: Timestamp) -> Result<Decision, Refusal> {
        let case = case(request, matter.policy, matter.issue);
        undecided(request, &case, now)?;
        let voter = principal(&self.approver);
        if let Some(earlier) = votes(request).find(|vote| principal(&vote.approver) == voter) {
            return Err(Refusal::Voted(hand(earlier)));
        }
        let hash = plan_hash(&request.spec.requested_actions, matter.plan.map(|plan| &plan.spec));
        if self.plan_hash.as_ref().is_some_and(|read| *read != hash) {
            return Err(Refusal::PlanChanged { hash });
        }
        let (before, after) = (tally(&case), tally(&self.counted(case)));
        let decisions: Vec<Value> = votes(request)
            .filter_map(|vote| serde_json::to_value(vote).ok())
            .chain([self.decision(now)])
            .collect();
        let automatic = request.status.as_ref().is_some_and(|status| status.auto_approved);
        let status = json!({
            "state": ApprovalState::Pending.as_str(),
            "decisions": decisions,
            // The schema demands it, of a first status too.
            "autoApproved": automatic,
        });
        Ok(Decision::new(Verb::PatchStatus(json!({ "status": status })))
            .telling("decision", self.verdict.as_str())
            .telling("approver", &*self.approver)
            .telling("reason", &*self.reason)
            .telling("issue", &*request.spec.issue_ref.name)
            .telling("plan", &*request.spec.remediation_plan_ref)
            .telling("planHash", hash)
            .telling("before", before)
            .telling("after", after))
    }

    fn decision(&self, now: Timestamp) -> Value {
        let mut decision = json!({
            "approver": self.approver,
            "decision": self.verdict.as_str(),
            "timestamp": moment::written(now),
        });
        if !self.reason.is_empty() {
            decision["reason"] = self.reason.as_str().into();
        }
        decision
    }

    /// The case with this vote in it.
    fn counted(&self, mut case: Case) -> Case {
        match self.verdict {
            Verdict::Approved => {
                case.approvals.insert(principal(&self.approver));
            }
            _ => case.rejected = true,
        }
        case
    }
}

/// A verdict is final, and so is the end of the time, whether or not anybody has noted it.
fn undecided(request: &ApprovalRequest, case: &Case, now: Timestamp) -> Result<(), Refusal> {
    let status = request.status.as_ref();
    let moment = |at: Option<&crate::resources::shared::TimeText>| at.and_then(|at| at.moment());
    let (vote, at) = match state(request) {
        ApprovalState::Pending if expired(request, case, now) => {
            return Err(Refusal::Expired { at: case.expires_at() });
        }
        ApprovalState::Pending => return Ok(()),
        ApprovalState::Expired => {
            let at = moment(status.and_then(|status| status.expired_at.as_ref()));
            return Err(Refusal::Expired { at });
        }
        ApprovalState::Approved => (Verdict::Approved, status.and_then(|status| status.approved_at.as_ref())),
        _ => (Verdict::Rejected, status.and_then(|status| status.rejected_at.as_ref())),
    };
    let by: Vec<_> = votes(request)
        .filter(|cast| cast.decision == vote.as_str())
        .map(|cast| cast.approver.as_str())
        .collect();
    Err(Refusal::Decided {
        state: state(request),
        by: (!by.is_empty()).then(|| by.join(", ")),
        at: moment(at),
    })
}

fn votes(request: &ApprovalRequest) -> impl DoubleEndedIterator<Item = &approval_request::Decision> {
    request.status.iter().flat_map(|status| &status.decisions)
}

fn hand(vote: &approval_request::Decision) -> Hand {
    Hand {
        by: vote.approver.clone(),
        at: vote.timestamp.as_ref().and_then(|at| at.moment()),
    }
}

fn tally(case: &Case) -> String {
    let approvals = format!("{} of {} approvals", case.approvals.len(), case.required);
    if case.rejected {
        format!("rejected, {approvals}")
    } else {
        approvals
    }
}

fn by_whom(by: &Option<String>) -> String {
    by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
