//! An incident's attempts: a plan is made, runs, is verified, and ends one way or the other.

use super::{
    audit::Actor,
    draft::Draft,
    incident::{Incident, first_sentence},
};
use serde_json::{Value, json};

/// How the decision engine let a plan pass, or did not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision<'a> {
    pub(super) mode: &'static str,
    pub(super) confidence: f64,
    pub(super) risk: &'static str,
    pub(super) reason: &'a str,
}

const RUNBOOK_LIMITS: [&str; 3] = ["No delete operations", "No destructive changes", "Rollback on failure"];
const AGENTIC_LIMITS: [&str; 2] = [
    "No scaling to 0 replicas",
    "No delete operations without pod count check",
];

/// A step of a plan, request or post-mortem.
pub(super) fn action<const N: usize>(kind: &str, params: [(&str, &str); N]) -> Value {
    json!({"type": kind, "params": map(params)})
}

/// A step that the model proposes, or that a runbook holds.
pub(super) fn step<const N: usize>(name: &str, kind: &str, params: [(&str, &str); N], description: &str) -> Value {
    json!({"name": name, "action": kind, "params": map(params), "description": description})
}

fn map<const N: usize>(params: [(&str, &str); N]) -> Value {
    params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .collect()
}

// === impl Incident ===

impl Incident {
    /// The next attempt, by a runbook that allows so many.
    pub(super) fn planned(&mut self, runbook: &str, allowed: i32, actions: Vec<Value>) -> &mut Self {
        self.allow_attempts(allowed);
        let attempt = self.attempts() + 1;
        let analysis = self.analysis();
        let strategy = format!(
            "Attempt {attempt} via runbook '{runbook}'. AI analysis: {}",
            opening(&analysis)
        );
        let reason = if attempt == 1 {
            "RemediationPlanCreated"
        } else {
            "RetryingRemediation"
        };
        self.plan(
            reason,
            json!({"strategy": strategy, "actions": actions, "safetyConstraints": RUNBOOK_LIMITS}),
        )
    }

    /// The next attempt, step by step as the model sees fit.
    pub(super) fn planned_agentic(&mut self, steps: i32) -> &mut Self {
        self.plan(
            "AgenticRemediationStarted",
            json!({
                "strategy": "Agentic AI-driven remediation", "actions": [], "safetyConstraints": AGENTIC_LIMITS,
                "agenticMode": true,
                "agenticMaxSteps": steps,
            }),
        )
    }

    fn plan(&mut self, reason: &str, mut spec: Value) -> &mut Self {
        let (attempt, time) = (self.attempts() + 1, self.time());
        spec["issueRef"] = json!({"name": self.name()});
        spec["attempt"] = attempt.into();
        let name = format!("{}-plan-{attempt}", self.name());
        let message = format!("Plan {name} created");
        self.plans.push(
            Draft::new("RemediationPlan", &self.target.namespace, &name, time.clone())
                .spec(spec)
                .status(json!({"state": "Pending"}))
                .owned_by(&self.issue),
        );
        self.issue
            .report(json!({"state": "Remediating", "remediationAttempts": attempt}));
        self.issue.condition("Remediating", "True", reason, &message, &time);
        self
    }

    /// Writes down what the decision engine made of the plan.
    pub(super) fn weighed(&mut self, decision: Decision<'_>) -> &mut Self {
        let plan = self.current_plan();
        plan.annotate("decision-mode", decision.mode);
        plan.annotate("confidence", &format!("{:.2}", decision.confidence));
        plan.annotate("risk", decision.risk);
        plan.annotate("decision-reason", decision.reason);
        self
    }

    /// The first action starts; `before` is what the target was like, without its name.
    pub(super) fn executing(&mut self, before: Value) -> &mut Self {
        let time = self.time();
        let snapshot = self.snapshot(before);
        let plan = self.current_plan();
        let agentic = plan.get("/spec/agenticMode") == true;
        plan.report(json!({
            "state": "Executing", "startedAt": time, "preflightSnapshot": snapshot, "result": null,
            "agenticStartedAt": agentic.then_some(&time),
        }));
        let details = json!({
            "attempt": plan.get("/spec/attempt"),
            "strategy": first_sentence(plan.get("/spec/strategy").as_str().unwrap_or_default()),
            "agentic": agentic,
        });
        let text = format!("Captured {} before the first action", self.target.path());
        self.prove("preflight_snapshot", &text);
        self.record_plan("remediation_started", details)
    }

    /// The next action of the list succeeded.
    pub(super) fn acted(&mut self, outcome: &str) -> &mut Self {
        self.act(true, outcome)
    }

    /// The next action of the list failed.
    pub(super) fn action_failed(&mut self, outcome: &str) -> &mut Self {
        self.act(false, outcome)
    }

    fn act(&mut self, success: bool, outcome: &str) -> &mut Self {
        let time = self.time();
        let plan = self.current_plan();
        let index = plan.get("/status/actionCheckpoints").as_array().map_or(0, Vec::len);
        let action = plan.get(&format!("/spec/actions/{index}")).clone();
        let checkpoint = json!({
            "actionIndex": index, "actionType": action["type"], "success": success,
            "snapshotBefore": plan.get("/status/preflightSnapshot"), "timestamp": time,
        });
        plan.append("actionCheckpoints", checkpoint);
        let kind = action["type"].as_str().unwrap_or_default().to_owned();
        self.executed.push(json!({
            "action": kind, "params": action["params"], "result": if success { "success" } else { "failed" },
            "detail": outcome,
            "timestamp": time,
        }));
        let event = if success {
            ("action_completed", "action_executed")
        } else {
            ("action_failed", "action_failed")
        };
        self.prove(event.0, &format!("{kind}: {outcome}"));
        self.tell(event.1, &format!("{kind}: {outcome}"));
        self
    }

    /// One turn of the agentic loop: what the model says, the action it takes (if any), what came of it.
    pub(super) fn stepped(&mut self, message: &str, action: Option<Value>, observation: &str) -> &mut Self {
        let time = self.time();
        let plan = self.current_plan();
        let number = plan.get("/spec/agenticHistory").as_array().map_or(0, Vec::len) + 1;
        plan.extend_spec(
            "agenticHistory",
            json!({"stepNumber": number, "aiMessage": message, "action": action, "observation": observation,
                    "timestamp": time}),
        );
        plan.report(json!({"agenticStepCount": number}));
        if let Some(action) = action {
            let success = observation.starts_with("SUCCESS");
            let detail = observation.split_once(": ").map_or(observation, |(_, text)| text);
            self.executed.push(json!({
                "action": action["type"], "params": action["params"],
                "result": if success { "success" } else { "failed" },
                "detail": detail, "timestamp": time,
            }));
            let line = format!("{}: {detail}", action["type"].as_str().unwrap_or_default());
            self.prove(if success { "action_completed" } else { "action_failed" }, &line);
            self.tell(if success { "action_executed" } else { "action_failed" }, &line);
        }
        self
    }

    pub(super) fn verifying(&mut self) -> &mut Self {
        let time = self.time();
        self.current_plan()
            .report(json!({"state": "Verifying", "actionsCompletedAt": time}));
        self
    }

    pub(super) fn completed(&mut self, observed: &str) -> &mut Self {
        let (time, result) = (
            self.time(),
            format!("Remediation verified: {} is healthy", self.target.path()),
        );
        self.current_plan()
            .report(json!({"state": "Completed", "completedAt": time, "result": result}));
        self.prove("verification_passed", observed);
        self.tell("verified", observed);
        self.record_plan("remediation_completed", json!({"result": result}))
    }

    /// It ran and did not help.
    pub(super) fn failed(&mut self, result: &str) -> &mut Self {
        let time = self.time();
        self.current_plan()
            .report(json!({"state": "Failed", "completedAt": time, "result": result}));
        let attempt = self.attempts();
        self.record_plan("remediation_failed", json!({"result": result, "attempt": attempt}))
    }

    /// The target did not get well in time, and was put back.
    pub(super) fn rolled_back(&mut self, observed: &str, undone: &str) -> &mut Self {
        self.prove("verification_failed", observed);
        self.prove("verification_timeout_rollback", undone);
        let (time, attempt) = (self.time(), self.attempts());
        let result = format!("{observed}; rolled back");
        self.current_plan().report(json!({
            "state": "RolledBack", "completedAt": time, "result": result, "rollbackPerformed": true,
            "rollbackResult": undone,
            "postFailureHealthy": true,
        }));
        self.record_plan("remediation_failed", json!({"result": result, "attempt": attempt}))
    }

    /// An action failed, and what had been done before it was undone; the target is still ill.
    pub(super) fn undone(&mut self, result: &str, undone: &str) -> &mut Self {
        self.prove("rollback", undone);
        self.failed(result);
        self.current_plan()
            .report(json!({"rollbackPerformed": true, "rollbackResult": undone, "postFailureHealthy": false}));
        self
    }

    /// Adds to the plan's trail.
    pub(super) fn prove(&mut self, kind: &str, data: &str) -> &mut Self {
        let time = self.time();
        self.current_plan()
            .append("evidence", json!({"type": kind, "data": data, "timestamp": time}));
        self
    }

    /// The target as it is now, in the members that a snapshot has.
    fn snapshot(&self, mut members: Value) -> Value {
        members["resourceKind"] = self.target.kind.into();
        members["resourceName"] = self.target.name.clone().into();
        members["namespace"] = self.target.namespace.clone().into();
        members["capturedAt"] = self.time().into();
        members
    }

    pub(super) fn current_plan(&mut self) -> &mut Draft {
        let last = self.plans.len().saturating_sub(1);
        &mut self.plans[last]
    }

    /// What the model said last, as people read it.
    pub(super) fn analysis(&self) -> String {
        let text = self
            .insight
            .as_ref()
            .and_then(|insight| insight.get("/status/analysis").as_str())
            .unwrap_or_default();
        text.split("\n\nRUNBOOK_").next().unwrap_or_default().to_owned()
    }

    fn record_plan(&mut self, event: &str, mut details: Value) -> &mut Self {
        details["issue"] = self.name().into();
        let plan = self.current_plan().clone();
        self.record_about(&plan, event, Actor::Plans, details)
    }
}

/// The first paragraph: as much as a headline can take.
pub(super) fn opening(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default()
}
