//! What a plot consists of.

use crate::source::sample::{
    gate::Gate,
    incident::Insight,
    plan::{Decision, action},
    post_mortem::Narrative,
    signal::{Signal, Target},
};
use serde_json::Value;

/// One incident from beginning to end.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) kind: &'static str,
    pub(super) namespace: &'static str,
    pub(super) workload: &'static str,
    pub(super) signals: &'static [Signal<'static>],
    pub(super) confidence: f64,
    pub(super) analysis: &'static str,
    pub(super) advice: &'static [&'static str],
    pub(super) logs: &'static str,
    pub(super) metrics: &'static str,
    pub(super) reach: &'static str,
    /// The runbook and how often it may be tried; none where the model goes step by step.
    pub(super) runbook: Option<(&'static str, i32)>,
    pub(super) actions: &'static [Step],
    pub(super) pass: Pass,
    pub(super) before: fn() -> Value,
    pub(super) observed: &'static str,
    pub(super) resolution: &'static str,
    pub(super) cause: &'static str,
    pub(super) impact: &'static str,
    pub(super) lesson: &'static str,
    pub(super) prevention: &'static str,
    /// What the Deployment is like afterwards, where it is among the stored ones.
    pub(super) after: Option<fn() -> Value>,
}

/// An action with its parameters, what the model says before it, and what comes of it.
#[derive(Debug)]
pub(super) struct Step(
    pub(super) &'static str,
    pub(super) &'static [(&'static str, &'static str)],
    pub(super) &'static str,
    pub(super) &'static str,
);

/// What lets a plan run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass {
    Engine(Decision<'static>),
    /// People vote, each with a reason; where nobody is named the rule decides.
    Gate(Gate<'static>, &'static [(&'static str, &'static str)]),
    /// Nothing is done: it ends with the incident that causes it.
    Follow,
}

// === impl Plot ===

impl Plot {
    pub(super) fn target(&self) -> Target {
        Target::new(self.kind, self.namespace, self.workload)
    }

    pub(super) fn steps(&self) -> Vec<Value> {
        self.actions
            .iter()
            .map(|Step(kind, params, ..)| written(kind, params))
            .collect()
    }

    pub(super) fn insight(&self) -> Insight<'static> {
        Insight {
            confidence: self.confidence,
            analysis: self.analysis,
            runbook: self.runbook.map_or("", |(name, _)| name),
            recommendations: self.advice,
            suggestions: self.actions.iter().map(Step::suggestion).collect(),
            logs: self.logs,
            metrics: self.metrics,
            blast_radius: self.reach,
            ..Insight::default()
        }
    }

    pub(super) fn narrative<'a>(&'a self, duration: &'a str) -> Narrative<'a> {
        Narrative {
            summary: self.resolution,
            root_cause: self.cause,
            impact: self.impact,
            lessons: std::slice::from_ref(&self.lesson),
            prevention: std::slice::from_ref(&self.prevention),
            duration,
            logs: self.logs,
            ..Narrative::default()
        }
    }
}

// === impl Step ===

impl Step {
    fn suggestion(&self) -> Value {
        let Self(kind, params, message, _) = self;
        let mut suggestion = written(kind, params);
        suggestion["action"] = suggestion["type"].take();
        suggestion["name"] = (*message).into();
        suggestion.as_object_mut().map(|members| members.remove("type"));
        suggestion
    }

    pub(super) fn action(&self) -> Value {
        written(self.0, self.1)
    }
}

fn written(kind: &str, params: &[(&str, &str)]) -> Value {
    let mut step = action(kind, []);
    for (name, value) in params {
        step["params"][*name] = (*value).into();
    }
    step
}

pub(super) const fn engine(mode: &'static str, confidence: f64, risk: &'static str, reason: &'static str) -> Pass {
    Pass::Engine(Decision {
        mode,
        confidence,
        risk,
        reason,
    })
}
