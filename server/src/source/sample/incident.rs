//! Tells one incident from its first signal to its end, and writes down what this leaves behind: here Issue, Anomalies
//! and insight. Plans, approvals, the post-mortem and the audit trail are told by the files beside this one.

use super::{
    audit::Actor,
    clock::{Clock, Moment},
    draft::Draft,
    signal::{Signal, Target},
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// What an Issue says about itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report<'a> {
    pub(super) source: &'static str,
    pub(super) signal: &'a str,
    pub(super) severity: &'static str,
    pub(super) risk: i32,
    pub(super) headline: &'a str,
}

/// What the model made of it. Texts that are empty are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Insight<'a> {
    pub(super) confidence: f64,
    pub(super) analysis: &'a str,
    /// The runbook that the model accepted.
    pub(super) runbook: &'a str,
    pub(super) recommendations: &'a [&'a str],
    pub(super) suggestions: Vec<Value>,
    pub(super) logs: &'a str,
    pub(super) metrics: &'a str,
    pub(super) source_code: &'a str,
    pub(super) gitops: &'a str,
    pub(super) cascade: &'a str,
    pub(super) blast_radius: &'a str,
}

/// One incident while it is told. The calls come in the order of events; `at` moves its clock.
#[derive(Clone, Debug)]
pub(super) struct Incident {
    pub(super) clock: Clock,
    begun: Moment,
    pub(super) now: Moment,
    pub(super) target: Target,
    pub(super) severity: &'static str,
    attempts_allowed: i32,
    pub(super) issue: Draft,
    anomalies: Vec<Draft>,
    pub(super) insight: Option<Draft>,
    pub(super) plans: Vec<Draft>,
    pub(super) approvals: Vec<Draft>,
    pub(super) post_mortem: Option<Draft>,
    pub(super) audit: Vec<Draft>,
    pub(super) timeline: Vec<Value>,
    pub(super) executed: Vec<Value>,
}

/// Attempts that the Instance `chatcli` allows where no runbook says otherwise.
const CEILING: i32 = 5;

// === impl Incident ===

impl Incident {
    /// Found by the watcher: the signals arrive in one poll; the first gives the incident its name, their sum its risk.
    pub(super) fn watched(clock: Clock, begun: Moment, target: Target, signals: &[Signal<'_>]) -> Self {
        let risk = signals.iter().map(|signal| signal.meaning().1).sum::<i32>().min(100);
        let (first, headline) = signals.first().map_or(("", String::new()), |signal| {
            let (kind, Signal(_, text, value)) = (signal.meaning().0, signal);
            (
                kind,
                format!("Auto-detected {kind} anomaly: {text} (value={value}, threshold=normal)"),
            )
        });
        let severity = match risk {
            _ if first == "oom_kill" => "critical",
            80.. => "critical",
            60.. => "high",
            30.. => "medium",
            _ => "low",
        };
        let name = format!("{}-{}-{}", target.name, first.replace('_', "-"), clock.unix(begun));
        let report = Report {
            source: "watcher",
            signal: first,
            severity,
            risk,
            headline: &headline,
        };
        let mut incident = Self::begin(clock, begun, target, &name, begun.plus("0:02"), report);
        incident.issue = incident.issue.label("inc-id", "");
        incident.anomalies = signals
            .iter()
            .map(|signal| {
                let correlated = json!({"correlated": true, "issueRef": {"name": name}});
                signal.anomaly(clock, begun, &incident.target).status(correlated)
            })
            .collect();
        incident
    }

    /// Put in by somebody else, under the name that the watcher would have given it.
    pub(super) fn reported(clock: Clock, begun: Moment, target: Target, report: Report<'_>) -> Self {
        let name = format!(
            "{}-{}-{}",
            target.name,
            report.signal.replace('_', "-"),
            clock.unix(begun)
        );
        Self::begin(clock, begun, target, &name, begun, report)
    }

    /// Raised by an objective that is missed; `window` is two spans, or `budget-exhausted`.
    pub(super) fn missed(
        clock: Clock,
        begun: Moment,
        target: Target,
        objective: &Draft,
        window: &str,
        report: Report<'_>,
    ) -> Self {
        let slo = objective.name();
        let name = format!("slo-{slo}-{}-{}", window.replace('/', "-"), clock.unix(begun));
        let service = target.name.clone();
        let mut incident = Self::begin(clock, begun, target, &name, begun, report);
        incident.issue = incident
            .issue
            .label("service", &service)
            .annotation("signal-type", "slo_violation")
            .annotation("slo-name", slo)
            .annotation("slo-window", window)
            .owned_by(objective);
        incident
    }

    fn begin(clock: Clock, begun: Moment, target: Target, name: &str, created: Moment, report: Report<'_>) -> Self {
        let Report {
            source,
            signal,
            severity,
            risk,
            headline,
        } = report;
        let issue = Draft::new("Issue", &target.namespace, name, clock.text(created))
            .label("resource", &target.name)
            .label("signal", signal)
            .label("instance", "chatcli")
            .label("instance-namespace", "chatcli")
            .finalizer("issue-finalizer")
            .spec(json!({
                "severity": severity, "source": source, "signalType": signal, "resource": target.reference(),
                "description": headline, "riskScore": risk,
            }));
        Self {
            clock,
            begun,
            now: created,
            target,
            severity,
            attempts_allowed: CEILING,
            issue,
            anomalies: vec![],
            insight: None,
            plans: vec![],
            approvals: vec![],
            post_mortem: None,
            audit: vec![],
            timeline: vec![],
            executed: vec![],
        }
    }

    /// Moves the incident's clock to that offset from its first signal.
    pub(super) fn at(&mut self, offset: &str) -> &mut Self {
        self.now = self.begun.plus(offset);
        self
    }

    /// Moves it to that time.
    pub(super) fn set_time(&mut self, now: Timestamp) {
        self.now = self.clock.moment(now);
    }

    /// How long ago it began, as people write it.
    pub(super) fn age(&self) -> String {
        let seconds = self.clock.unix(self.now) - self.clock.unix(self.begun);
        match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
            (0, 0, seconds) => format!("{seconds}s"),
            (0, minutes, seconds) => format!("{minutes}m{seconds}s"),
            (hours, minutes, seconds) => format!("{hours}h{minutes}m{seconds}s"),
        }
    }

    /// Seen, and not taken up yet.
    pub(super) fn detected(&mut self) -> &mut Self {
        self.issue
            .report(json!({"state": "Detected", "remediationAttempts": 0, "maxRemediationAttempts": 3}));
        self.record_creation()
    }

    /// Taken up: the model is asked.
    pub(super) fn analysing(&mut self) -> &mut Self {
        let time = self.time();
        self.issue.report(json!({
            "state": "Analyzing", "detectedAt": time, "remediationAttempts": 0,
            "maxRemediationAttempts": self.attempts_allowed,
        }));
        self.issue.condition(
            "Analyzing",
            "True",
            "AIInsightCreated",
            "Waiting for the AI analysis",
            &time,
        );
        self.issue.annotate("sla-response-checked", "true");
        self.issue
            .annotate("sla-name", &format!("chatcli-system/sla-{}", self.severity));
        let insight = Draft::new(
            "AIInsight",
            &self.target.namespace,
            &format!("{}-insight", self.name()),
            time,
        )
        .spec(json!({"issueRef": {"name": self.name()}, "provider": "CLAUDEAI", "model": "claude-sonnet-5"}))
        .owned_by(&self.issue);
        self.insight = Some(insight);
        let headline = self
            .issue
            .get("/spec/description")
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.tell("detected", &headline);
        self.record_creation()
    }

    /// The answer arrived.
    pub(super) fn analysed(&mut self, insight: Insight<'_>) -> &mut Self {
        let time = self.time();
        let analysis = match insight.runbook {
            "" => insight.analysis.to_owned(),
            runbook => format!("{}\n\nRUNBOOK_APPROVED: {runbook}", insight.analysis),
        };
        self.tell(
            "analyzed",
            &format!(
                "Confidence {:.2}: {}",
                insight.confidence,
                first_sentence(insight.analysis)
            ),
        );
        if let Some(draft) = &mut self.insight {
            draft.report(json!({
                "analysis": analysis, "confidence": insight.confidence, "recommendations": insight.recommendations,
                "suggestedActions": insight.suggestions, "generatedAt": time, "logAnalysis": insight.logs,
                "metricsContext": insight.metrics,
                "sourceCodeContext": insight.source_code, "gitOpsContext": insight.gitops,
                "cascadeAnalysis": insight.cascade,
                "blastRadiusPrediction": insight.blast_radius,
            }));
            if !insight.runbook.is_empty() {
                draft.annotate("candidate-runbooks", insight.runbook);
            }
        }
        self
    }

    /// The last attempt is over and did not help: the model is asked again, and told why.
    pub(super) fn reanalysing(&mut self, failure: &str) -> &mut Self {
        let time = self.time();
        self.issue.report(json!({"state": "Analyzing"}));
        self.issue
            .condition("Analyzing", "True", "ReanalysisRequested", failure, &time);
        if let Some(draft) = &mut self.insight {
            draft.annotate("failure-context", failure);
        }
        self
    }

    pub(super) fn resolved(&mut self, resolution: &str) -> &mut Self {
        self.end("Resolved", "RemediationSucceeded", resolution);
        self.issue.annotate("sla-resolution-checked", "true");
        self.record(
            "issue_resolved",
            Actor::Issues,
            json!({"resolution": resolution, "attempts": self.attempts()}),
        )
    }

    /// It recovered by itself after the attempts were used up.
    pub(super) fn recovered(&mut self, resolution: &str) -> &mut Self {
        let time = self.time();
        self.end("Resolved", "AutoResolved", resolution);
        self.issue.annotate("aiops.chatcli.io/resolved-by", "auto-resolve");
        self.issue.annotate("aiops.chatcli.io/resolved-at", &time);
        self.issue.annotate("aiops.chatcli.io/auto-resolution", "true");
        self.record(
            "issue_resolved",
            Actor::Issues,
            json!({"resolution": resolution, "attempts": self.attempts()}),
        )
    }

    /// A person closed it through the API.
    pub(super) fn resolved_by_hand(&mut self, resolution: &str) -> &mut Self {
        let time = self.time();
        self.issue
            .report(json!({"state": "Resolved", "resolution": resolution, "resolvedAt": time}));
        self.issue.annotate("aiops.chatcli.io/resolved-by", "operator");
        self.issue.annotate("aiops.chatcli.io/resolved-at", &time);
        self.issue.annotate("aiops.chatcli.io/manual-resolution", "true");
        self.issue.annotate("sla-resolution-checked", "true");
        self.record(
            "issue_resolved",
            Actor::Issues,
            json!({"resolution": resolution, "attempts": self.attempts()}),
        )
    }

    pub(super) fn snoozed(&mut self, until: &str) -> &mut Self {
        let until = self.clock.text(self.begun.plus(until));
        self.issue.annotate("aiops.chatcli.io/snoozed-until", &until);
        self.issue.annotate("aiops.chatcli.io/snoozed-by", "operator");
        self
    }

    pub(super) fn acknowledged(&mut self) -> &mut Self {
        let time = self.time();
        self.issue.annotate("aiops.chatcli.io/acknowledged", "true");
        self.issue.annotate("aiops.chatcli.io/acknowledged-at", &time);
        self.issue.annotate("aiops.chatcli.io/acknowledged-by", "operator");
        self
    }

    /// Silenced, not fixed.
    pub(super) fn contained(&mut self, resolution: &str, required: &str) -> &mut Self {
        let time = self.time();
        self.end("Contained", "ContainmentApplied", &format!("CONTAINED: {resolution}"));
        self.issue
            .report(json!({"requiresHumanAction": true, "requiredAction": required}));
        self.issue.condition(
            "RequiresHumanAction",
            "True",
            "ServiceSilencedNotFixed",
            required,
            &time,
        );
        self.record(
            "issue_contained",
            Actor::Issues,
            json!({"severity": self.severity, "attempts": self.attempts(), "required_action": required}),
        )
    }

    /// The attempts are used up; the on-call ladder takes over at its first level.
    pub(super) fn escalated(&mut self) -> &mut Self {
        let message = format!("All {} remediation attempts were used up", self.attempts_allowed);
        self.escalate("MaxAttemptsReached", &message)
    }

    /// There is nothing else to try.
    pub(super) fn given_up(&mut self) -> &mut Self {
        self.escalate("NoRunbookForRetry", "No runbook is left that fits")
    }

    fn escalate(&mut self, reason: &str, message: &str) -> &mut Self {
        let time = self.time();
        self.issue.report(json!({"state": "Escalated"}));
        self.issue.condition("Escalated", "True", reason, message, &time);
        self.issue.annotate("sla-resolution-checked", "true");
        let details = json!({"severity": self.severity, "attempts": self.attempts()});
        self.escalated_to(0).record("issue_escalated", Actor::Issues, details)
    }

    /// The next level of the ladder is told.
    pub(super) fn escalated_to(&mut self, level: usize) -> &mut Self {
        let time = self.time();
        self.issue.annotate("escalation-level", &level.to_string());
        self.issue.annotate("escalation-time", &time);
        self.issue.annotate("escalation-policy", "chatcli-system/oncall-ladder");
        self.issue.annotate("escalation-notified-at", &time);
        self.issue.annotate("last-notified-state", "Escalated");
        self
    }

    pub(super) fn name(&self) -> &str {
        self.issue.name()
    }

    pub(super) fn time(&self) -> String {
        self.clock.text(self.now)
    }

    /// The chosen runbook replaces the ceiling of the Instance.
    pub(super) fn allow_attempts(&mut self, attempts: i32) {
        self.attempts_allowed = attempts;
        self.issue.report(json!({"maxRemediationAttempts": attempts}));
    }

    pub(super) fn attempts(&self) -> usize {
        self.plans.len()
    }

    /// A line of the post-mortem's timeline.
    pub(super) fn tell(&mut self, kind: &str, detail: &str) {
        self.timeline
            .push(json!({"timestamp": self.time(), "type": kind, "detail": detail}));
    }

    /// Everything that it left behind.
    pub(super) fn into_objects(self) -> Vec<Draft> {
        let mut objects = self.anomalies;
        objects.push(self.issue);
        objects.extend(self.insight);
        objects.extend(self.plans);
        objects.extend(self.approvals);
        objects.extend(self.post_mortem);
        objects.extend(self.audit);
        objects
    }

    fn end(&mut self, state: &str, reason: &str, resolution: &str) {
        let time = self.time();
        self.issue
            .report(json!({"state": state, "resolution": resolution, "resolvedAt": time}));
        self.issue.condition(state, "True", reason, resolution, &time);
        for annotation in ["level", "time", "policy", "notified-at", "pending-notify"] {
            self.issue.unannotate(&format!("escalation-{annotation}"));
        }
        self.issue.unannotate("last-notified-state");
        self.tell("resolved", resolution);
    }

    /// Once, whether it was first seen or taken up at once.
    fn record_creation(&mut self) -> &mut Self {
        if self
            .audit
            .iter()
            .any(|event| event.get("/spec/eventType") == "issue_created")
        {
            return self;
        }
        let headline = self.issue.get("/spec/description").clone();
        self.record(
            "issue_created",
            Actor::Issues,
            json!({"severity": self.severity, "resource": self.target.path(), "description": headline}),
        )
    }
}

/// Up to the first full stop that ends a sentence.
pub(super) fn first_sentence(text: &str) -> &str {
    text.find(". ")
        .or_else(|| text.find(".\n"))
        .map_or(text, |end| &text[..=end])
}
