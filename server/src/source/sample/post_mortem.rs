//! An incident's post-mortem: written from its timeline when it ends, then reviewed and closed by people.

use super::{draft::Draft, incident::Incident};
use serde_json::{Value, json};

/// What the timeline cannot tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrative<'a> {
    pub(super) summary: &'a str,
    pub(super) root_cause: &'a str,
    pub(super) impact: &'a str,
    pub(super) lessons: &'a [&'a str],
    pub(super) prevention: &'a [&'a str],
    /// From the first sign to the end.
    pub(super) duration: &'a str,
    /// Name, value, phase, offset.
    pub(super) metrics: &'a [(&'a str, &'a str, &'a str, &'a str)],
    /// Kind and name of a neighbour, what it suffered, how badly.
    pub(super) neighbours: &'a [(&'a str, &'a str, &'a str, &'a str)],
    pub(super) commit: Option<Value>,
    pub(super) sli_impact: &'a str,
    pub(super) budget_burned: Option<f64>,
    /// How often in thirty days, and what they have in common.
    pub(super) trending: Option<(i32, &'a str)>,
    pub(super) gitops: &'a str,
    pub(super) logs: &'a str,
    pub(super) cascade: &'a [&'a str],
}

// === impl Incident ===

impl Incident {
    pub(super) fn post_mortem(&mut self, narrative: Narrative<'_>) -> &mut Self {
        let time = self.time();
        let name: String = format!("pm-{}", self.name()).chars().take(63).collect();
        let mut draft = Draft::new("PostMortem", &self.target.namespace, &name, time.clone())
            .label("issue", self.name())
            .label("severity", self.severity)
            .owned_by(&self.issue);
        for label in ["source", "chaos-experiment"] {
            if let Some(value) = self
                .issue
                .get(&format!("/metadata/labels/platform.chatcli.io~1{label}"))
                .as_str()
            {
                draft = draft.label(label, value);
            }
        }
        let metrics: Vec<_> = narrative
            .metrics
            .iter()
            .map(|(name, value, phase, offset)| {
                json!({"name": name, "value": value, "phase": phase, "timestamp": self.clone().at(offset).time()})
            })
            .collect();
        let neighbours: Vec<_> = narrative
            .neighbours
            .iter()
            .map(|(kind, name, impact, severity)| {
                json!({"resource": {"kind": kind, "name": name, "namespace": self.target.namespace}, "impact": impact,
                        "severity": severity})
            })
            .collect();
        let trending = narrative
            .trending
            .map(|(count, pattern)| json!({"occurrenceCount": count, "windowDays": 30, "pattern": pattern}));
        let issue = &self.issue;
        let draft = draft
            .spec(json!({
                "issueRef": {"name": self.name()}, "resource": self.target.reference(), "severity": self.severity,
            }))
            .status(json!({
                "state": "Open", "summary": narrative.summary, "rootCause": narrative.root_cause,
                "impact": narrative.impact,
                "timeline": self.timeline, "actionsExecuted": self.executed, "lessonsLearned": narrative.lessons,
                "preventionActions": narrative.prevention, "duration": narrative.duration, "generatedAt": time,
                "metricSnapshots": metrics,
                "blastRadius": neighbours, "gitCorrelation": narrative.commit, "sliImpact": narrative.sli_impact,
                "errorBudgetBurned": narrative.budget_burned, "trending": trending, "gitOpsContext": narrative.gitops,
                "logAnalysisSummary": narrative.logs, "cascadeChain": narrative.cascade,
                "requiresHumanAction": (issue.get("/status/requiresHumanAction") == true).then_some(true),
                "requiredAction": issue.get("/status/requiredAction"),
            }));
        self.post_mortem = Some(draft);
        self
    }

    /// A person takes it up.
    pub(super) fn reviewed(&mut self, by: &str, notes: &str) -> &mut Self {
        let time = self.time();
        if let Some(draft) = &mut self.post_mortem {
            draft.report(json!({"state": "InReview", "reviewedAt": time}));
            draft.annotate("aiops.chatcli.io/reviewed-by", by);
            if !notes.is_empty() {
                draft.annotate("aiops.chatcli.io/review-notes", notes);
            }
        }
        self
    }

    pub(super) fn closed(&mut self) -> &mut Self {
        if let Some(draft) = &mut self.post_mortem {
            draft.report(json!({"state": "Closed"}));
        }
        self
    }

    /// A person closed it although an action is still owed, and the controller put it back.
    pub(super) fn put_back(&mut self, by: &str, notes: &str) -> &mut Self {
        if let Some(draft) = &mut self.post_mortem {
            draft.annotate("aiops.chatcli.io/reviewed-by", by);
            draft.annotate("aiops.chatcli.io/review-notes", notes);
        }
        self
    }

    /// A person says whether the machine was right.
    pub(super) fn judged(&mut self, by: &str, accuracy: i32, comments: &str) -> &mut Self {
        let time = self.time();
        if let Some(draft) = &mut self.post_mortem {
            draft.report(json!({
                "feedback": {"providedBy": by, "providedAt": time, "remediationAccuracy": accuracy,
                    "comments": comments},
            }));
        }
        self
    }
}
