//! One incident that is going on: what it does next, and when.

use super::plot::{Pass, Plot, Step};
use crate::{
    catalog::{Held, Snapshot},
    resources::{ApprovalRequest, ApprovalState, Issue, IssueState, Kind, Typed},
    rules::approval_case::state,
    source::{
        Address, Change, Verb,
        sample::{
            clock::Clock,
            dice::Dice,
            draft::Draft,
            gate::person,
            incident::{Incident, Insight},
        },
    },
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// Where it stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stage {
    /// Anomalies are in; nobody has looked.
    Detected,
    Analysing,
    Analysed,
    /// The plan waits for people; so many of the plot's have voted.
    Waiting(usize),
    /// A gate cannot be read.
    Blocked,
    /// So many actions are done.
    Executing(usize),
    Verifying,
    /// It ends when another one does.
    Following,
    /// A plan was turned down, or nobody decided.
    Reanalysing,
    Escalated,
    Over,
}

#[derive(Debug)]
pub(super) struct Story {
    pub(super) incident: Incident,
    pub(super) plot: &'static Plot,
    pub(super) stage: Stage,
    /// When it goes on.
    pub(super) due: Timestamp,
    /// What the store was told last.
    pub(super) written: Vec<Draft>,
    /// One of the scenarios, which nobody decides for whoever watches.
    pub(super) scenario: bool,
    /// The incident that causes it.
    pub(super) cause: Option<String>,
}

/// How often somebody looks whether a request is decided.
const GLANCE: SignedDuration = SignedDuration::from_secs(2);

// === impl Story ===

impl Story {
    /// Begins now.
    pub(super) fn begin(plot: &'static Plot, number: &str, now: Timestamp) -> Self {
        let clock = Clock::WALL;
        let mut incident = Incident::watched(clock, clock.moment(now), plot.target(), plot.signals);
        incident.issue.relabel("inc-id", number);
        incident.set_time(now);
        incident.detected();
        Self {
            incident,
            plot,
            stage: Stage::Detected,
            due: now + SignedDuration::from_secs(3),
            written: vec![],
            scenario: false,
            cause: None,
        }
    }

    /// Goes on with one of the scenarios.
    pub(super) fn resume(incident: Incident, plot: &'static Plot, stage: Stage, due: Timestamp) -> Self {
        let written = incident.clone().into_objects();
        Self {
            incident,
            plot,
            stage,
            due,
            written,
            scenario: true,
            cause: None,
        }
    }

    pub(super) fn plays(&self, plot: &Plot) -> bool {
        self.plot.workload == plot.workload && self.plot.namespace == plot.namespace
    }

    /// Does the next thing, if it is time. What it does to objects that are not the incident's comes back.
    pub(super) fn advance(&mut self, now: Timestamp, world: &Snapshot, dice: &mut Dice) -> Vec<Change> {
        let mut beside = vec![];
        if now < self.due || self.stage == Stage::Over {
            return beside;
        }
        if self.closed_by_others(world) {
            self.stage = Stage::Over;
            return beside;
        }
        self.incident.set_time(now);
        let (stage, seconds) = match self.stage {
            Stage::Detected => {
                self.incident.analysing();
                (Stage::Analysing, (14, 35))
            }
            Stage::Analysing => {
                self.incident.analysed(self.plot.insight());
                (Stage::Analysed, (4, 9))
            }
            Stage::Analysed => self.plan(),
            Stage::Waiting(votes) => {
                let (stage, vote) = self.wait(votes, now, world);
                let pause = match stage {
                    Stage::Waiting(_) if vote.is_some() => (35, 80),
                    Stage::Waiting(_) => (0, 0),
                    _ => (6, 10),
                };
                beside.extend(vote);
                (stage, pause)
            }
            Stage::Blocked => {
                self.incident.executing((self.plot.before)());
                (Stage::Executing(0), (6, 12))
            }
            Stage::Executing(done) => self.act(done),
            Stage::Verifying => {
                self.finish();
                beside.extend(self.workload_after());
                (Stage::Over, (0, 0))
            }
            Stage::Following if self.cause_is_resolved(world) => {
                self.incident.resolved(self.plot.resolution);
                (Stage::Over, (0, 0))
            }
            Stage::Following => (Stage::Following, (0, 0)),
            Stage::Reanalysing => {
                let confidence = self.plot.confidence - 0.2;
                self.incident.analysed(Insight {
                    confidence,
                    runbook: "",
                    ..self.plot.insight()
                });
                self.incident.given_up();
                (Stage::Escalated, (150, 300))
            }
            Stage::Escalated => {
                let path = self.incident.target.path();
                self.incident
                    .recovered(&format!("Auto-resolved: {path} is healthy again"));
                (Stage::Over, (0, 0))
            }
            Stage::Over => return beside,
        };
        self.stage = stage;
        let pause = SignedDuration::from_secs(dice.between(seconds) as i64);
        self.due = now + if pause.is_zero() { GLANCE } else { pause };
        beside
    }

    fn plan(&mut self) -> (Stage, (u64, u64)) {
        match self.plot.runbook {
            _ if matches!(self.plot.pass, Pass::Follow) => return (Stage::Following, (0, 0)),
            Some((runbook, attempts)) => self.incident.planned(runbook, attempts, self.plot.steps()),
            None => self.incident.planned_agentic(10),
        };
        match self.plot.pass {
            Pass::Engine(decision) => {
                self.incident.weighed(decision).executing((self.plot.before)());
                (Stage::Executing(0), (7, 14))
            }
            Pass::Gate(gate, voters) => {
                self.incident.parked(gate);
                (Stage::Waiting(0), if voters.is_empty() { (8, 12) } else { (35, 80) })
            }
            Pass::Follow => (Stage::Following, (0, 0)),
        }
    }

    /// Looks at the request as stored: it belongs to whoever decides it.
    fn wait(&mut self, votes: usize, now: Timestamp, world: &Snapshot) -> (Stage, Option<Change>) {
        let request = self
            .incident
            .approvals
            .last()
            .and_then(|draft| stored::<ApprovalRequest>(world, draft));
        let Some(request) = request else {
            return (Stage::Waiting(votes), None);
        };
        match state(request) {
            ApprovalState::Approved => {
                self.incident.current_plan().unannotate("approval-pending");
                self.incident.executing((self.plot.before)());
                (Stage::Executing(0), None)
            }
            ApprovalState::Rejected | ApprovalState::Expired => {
                let reason = refusal(request);
                self.incident.failed(&reason);
                self.incident
                    .reanalysing(&format!("Plan {} did not run. {reason}", self.incident.attempts()));
                (Stage::Reanalysing, None)
            }
            _ if self.scenario => (Stage::Waiting(votes), None),
            _ => {
                let Pass::Gate(_, voters) = self.plot.pass else {
                    return (Stage::Waiting(votes), None);
                };
                let cast = voters.get(votes).map(|(name, reason)| vote(request, name, reason, now));
                (Stage::Waiting(votes + usize::from(cast.is_some())), cast)
            }
        }
    }

    fn act(&mut self, done: usize) -> (Stage, (u64, u64)) {
        let Some(step) = self.plot.actions.get(done) else {
            self.incident.verifying();
            return (Stage::Verifying, (25, 50));
        };
        let Step(.., message, outcome) = step;
        if self.plot.runbook.is_some() {
            self.incident.acted(outcome);
        } else {
            self.incident
                .stepped(message, Some(step.action()), &format!("SUCCESS: {outcome}"));
        }
        if done + 1 < self.plot.actions.len() {
            return (Stage::Executing(done + 1), (10, 25));
        }
        self.incident.verifying();
        (Stage::Verifying, (25, 50))
    }

    fn finish(&mut self) {
        self.incident.completed(self.plot.observed);
        self.incident.resolved(self.plot.resolution);
        let duration = self.incident.age();
        self.incident.post_mortem(self.plot.narrative(&duration));
    }

    /// The Deployment as the plan left it.
    fn workload_after(&self) -> Vec<Change> {
        let Some(after) = self.plot.after else { return vec![] };
        let after = after();
        let address = || Address {
            kind: Kind::Deployment,
            namespace: self.plot.namespace.to_owned(),
            name: self.plot.workload.to_owned(),
        };
        let change = |verb| Change {
            address: address(),
            precondition: None,
            verb,
        };
        vec![change(Verb::Patch(after.clone())), change(Verb::PatchStatus(after))]
    }

    fn cause_is_resolved(&self, world: &Snapshot) -> bool {
        let cause = self
            .cause
            .as_ref()
            .and_then(|name| world.table::<Issue>().get(self.plot.namespace, name));
        cause.is_none_or(|row| resolved(&row.object))
    }

    /// A person resolved it, or deleted it: then it is theirs.
    fn closed_by_others(&self, world: &Snapshot) -> bool {
        if self.written.is_empty() {
            return false;
        }
        stored::<Issue>(world, &self.incident.issue).is_none_or(resolved)
    }
}

/// One more vote on a request as it was read.
fn vote(request: &ApprovalRequest, name: &str, reason: &str, now: Timestamp) -> Change {
    let cast = request.status.iter().flat_map(|status| &status.decisions);
    let mut decisions: Vec<_> = cast
        .filter_map(|decision| serde_json::to_value(decision).ok())
        .collect();
    let time = Clock::WALL.text(Clock::WALL.moment(now));
    decisions.push(json!({"approver": person(name), "decision": "approved", "reason": reason, "timestamp": time}));
    Change {
        address: request.address(),
        precondition: request.meta().resource_version.clone(),
        verb: Verb::PatchStatus(json!({"status": {"state": "Pending", "autoApproved": false, "decisions": decisions}})),
    }
}

fn resolved(issue: &Issue) -> bool {
    issue
        .status
        .as_ref()
        .is_some_and(|status| status.state == IssueState::Resolved)
}

fn stored<'a, K: Held>(world: &'a Snapshot, draft: &Draft) -> Option<&'a K> {
    Some(&*world.table::<K>().get(draft.namespace(), draft.name())?.object)
}

fn refusal(request: &ApprovalRequest) -> String {
    let decisions = request.status.iter().flat_map(|status| &status.decisions);
    match decisions.into_iter().find(|decision| decision.decision == "rejected") {
        Some(vote) => format!("Approval rejected by {}: {}", vote.approver, vote.reason),
        None => format!(
            "Approval expired: nobody decided within {} minutes",
            request.spec.timeout_minutes
        ),
    }
}
