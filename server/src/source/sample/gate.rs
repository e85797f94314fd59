//! An incident's approvals: a plan parks at a gate, people vote, a rule decides, the time runs out.

use super::{audit::Actor, draft::Draft, incident::Incident, plan::opening};
use serde_json::{Value, json};

/// Why a plan may not just run, and what the people who decide are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate<'a> {
    pub(super) policy: &'a str,
    pub(super) rule: &'a str,
    pub(super) mode: &'static str,
    pub(super) required: i32,
    pub(super) minutes: i32,
    pub(super) pods: i32,
    pub(super) services: i32,
    pub(super) reach: &'a str,
    /// Share of such plans that worked, and how many there were.
    pub(super) history: (f64, i32),
}

/// As votes are recorded: a given name with the identity of the key.
pub(super) fn person(name: &str) -> String {
    let key = match name {
        "mira" => "sre-mira",
        "tomasz" => "sre-tomasz",
        "oksana" => "sre-oksana",
        "noor" => "oncall-noor",
        "ines" => "pay-ines",
        "tariq" => "edge-tariq",
        other => other,
    };
    format!("{name} (api-key: {key})")
}

/// How far a plan reaches, in one word.
pub(super) fn reach_level(pods: i32, actions: &[Value]) -> &'static str {
    let rollback = actions.iter().any(|action| action["type"] == "RollbackDeployment");
    match pods {
        11.. => "critical",
        6.. => "high",
        3.. => "medium",
        _ if rollback => "medium",
        _ => "low",
    }
}

// === impl Incident ===

impl Incident {
    /// The plan waits for a decision.
    pub(super) fn parked(&mut self, gate: Gate<'_>) -> &mut Self {
        let time = self.time();
        let plan = self.current_plan();
        let name = format!("approval-{}", plan.name());
        let actions = plan.get("/spec/actions").as_array().cloned().unwrap_or_default();
        plan.annotate("approval-pending", &name);
        let waiting = format!(
            "Waiting for {} approval (policy: {}, rule: {})",
            gate.mode, gate.policy, gate.rule
        );
        plan.report(json!({"state": "WaitingApproval", "result": waiting}));
        let plan = plan.clone();
        let risk = reach_level(gate.pods, &actions);
        let confidence = self
            .insight
            .as_ref()
            .and_then(|insight| insight.get("/status/confidence").as_f64())
            .unwrap_or_default();
        let request = Draft::new("ApprovalRequest", &self.target.namespace, &name, time)
            .label("issue", self.name())
            .label("remediation-plan", plan.name())
            .label("policy", gate.policy)
            .annotation("blast-radius", gate.reach)
            .annotation("blast-risk-level", risk)
            .owned_by(&plan)
            .spec(json!({
                "issueRef": {"name": self.name()}, "remediationPlanRef": plan.name(), "policyRef": gate.policy,
                "ruleName": gate.rule,
                "requestedActions": actions, "requester": "chatcli-operator",
                "blastRadius": {
                    "affectedPods": gate.pods, "affectedServices": gate.services,
                    "affectedNamespaces": [self.target.namespace],
                    "riskLevel": risk, "description": gate.reach,
                },
                "evidence": {
                    "aiConfidence": confidence, "aiAnalysis": opening(&self.analysis()),
                    "historicalSuccessRate": gate.history.0,
                    "previousAttempts": gate.history.1,
                },
                "timeoutMinutes": gate.minutes, "requiredApprovers": gate.required,
            }))
            .status(json!({"state": "Pending", "autoApproved": false}));
        self.approvals.push(request);
        self.record_about(
            &plan,
            "approval_requested",
            Actor::Plans,
            json!({"issue": self.name(), "plan": plan.name(), "rule": gate.rule}),
        )
    }

    pub(super) fn approves(&mut self, name: &str, reason: &str) -> &mut Self {
        self.vote(&person(name), "approved", reason)
    }

    pub(super) fn rejects(&mut self, name: &str, reason: &str) -> &mut Self {
        self.vote(&person(name), "rejected", reason)
    }

    fn vote(&mut self, approver: &str, decision: &str, reason: &str) -> &mut Self {
        let time = self.time();
        self.request().append(
            "decisions",
            json!({"approver": approver, "decision": decision, "reason": reason, "timestamp": time}),
        );
        self
    }

    /// The rule's own conditions hold.
    pub(super) fn approved_by_rule(&mut self) -> &mut Self {
        self.vote("auto-policy", "approved", "All conditions of the rule hold");
        self.request().report(json!({"autoApproved": true}));
        self.approved()
    }

    /// Enough people agree, and nothing stands in the way.
    pub(super) fn approved(&mut self) -> &mut Self {
        self.decide("Approved", "approvedAt")
    }

    pub(super) fn rejected(&mut self) -> &mut Self {
        let reason = self
            .votes("rejected")
            .map(|vote| format!("{}: {}", text(vote, "approver"), text(vote, "reason")))
            .next();
        self.current_plan()
            .annotate("rejection-reason", &reason.unwrap_or_default());
        self.decide("Rejected", "rejectedAt")
    }

    /// Nobody decided in time.
    pub(super) fn expired(&mut self) -> &mut Self {
        self.decide("Expired", "expiredAt")
    }

    /// Says how the request stands to its change window.
    pub(super) fn in_window(&mut self, open: bool, message: &str) -> &mut Self {
        let time = self.time();
        let (status, reason) = if open {
            ("True", "WithinChangeWindow")
        } else {
            ("False", "OutsideChangeWindow")
        };
        self.request().condition("ChangeWindow", status, reason, message, &time);
        self
    }

    fn decide(&mut self, state: &str, moment: &str) -> &mut Self {
        let (time, verdict) = (self.time(), state.to_lowercase());
        self.current_plan().unannotate("approval-pending");
        let approvers: Vec<_> = self
            .votes(&verdict)
            .map(|vote| text(vote, "approver").to_owned())
            .collect();
        let approvers = approvers.join(", ");
        let request = self.request();
        request.report(json!({"state": state, moment: time}));
        request.annotate("policy-counted", &verdict);
        let automatic = request.get("/status/autoApproved") == true;
        let request = request.clone();
        let actor = if automatic || approvers.is_empty() {
            Actor::Approvals
        } else {
            Actor::People(approvers.clone())
        };
        self.record_about(
            &request,
            &format!("approval_{verdict}"),
            actor,
            json!({"issue": self.name(), "decision": verdict, "auto": automatic, "approvers": approvers}),
        )
    }

    fn request(&mut self) -> &mut Draft {
        let last = self.approvals.len().saturating_sub(1);
        &mut self.approvals[last]
    }

    fn votes(&mut self, verdict: &str) -> impl Iterator<Item = &Value> {
        let decisions = self.request().get("/status/decisions").as_array();
        decisions
            .into_iter()
            .flatten()
            .filter(move |vote| vote["decision"] == verdict)
    }
}

fn text<'a>(vote: &'a Value, member: &str) -> &'a str {
    vote[member].as_str().unwrap_or_default()
}
