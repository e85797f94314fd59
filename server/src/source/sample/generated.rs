//! Made-up incidents by the thousand, for load: each with its insight and its plans, the same for the same seed.

use super::{
    dice::Dice,
    draft::{Draft, condition},
    patterns::{PATTERNS, Pattern, TEAMS, WORKLOADS},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// How far back they reach.
const SPAN: i64 = 30 * 86_400;

/// `count` incidents of the thirty days before `now`, oldest first, each followed by its insight and plans.
pub fn generated(count: u32, seed: u64, now: Timestamp) -> impl Iterator<Item = Value> {
    let mut writer = Writer {
        now: now.as_second(),
        dice: Dice(seed),
        day: String::new(),
        numbers: [0; TEAMS.len()],
    };
    let mut ready = VecDeque::new();
    let mut next = 0;
    std::iter::from_fn(move || {
        if ready.is_empty() && next < count {
            // One slot each: no two begin in the same second until there are more of them than seconds.
            let slot = |index: u32| SPAN * i64::from(index) / i64::from(count);
            writer.incident(slot(next), slot(next + 1), &mut ready);
            next += 1;
        }
        ready.pop_front()
    })
}

struct Writer {
    now: i64,
    dice: Dice,
    /// The day that `numbers` count.
    day: String,
    numbers: [u32; TEAMS.len()],
}

/// What an incident has come to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    Detected,
    Analyzing,
    Executing,
    Verifying,
    Resolved,
    Escalated,
    Contained,
    Failed,
}

/// What the parts of one incident have in common.
struct Facts<'a> {
    pattern: &'a Pattern,
    team: &'static str,
    workload: String,
    container: &'static str,
    amount: u64,
    severity: &'static str,
    state: State,
    begun: i64,
    confidence: f64,
}

// === impl Writer ===

impl Writer {
    fn incident(&mut self, from: i64, to: i64, out: &mut VecDeque<Value>) {
        let begun = self.now - SPAN + from + self.dice.below((to - from).max(1) as u64) as i64;
        let pattern = &PATTERNS[self.dice.weighted(PATTERNS.iter().map(|pattern| pattern.share))];
        let (owner, (name, container)) = (
            self.dice.index(TEAMS.len()),
            WORKLOADS[self.dice.index(WORKLOADS.len())],
        );
        let (amount, extra) = (self.dice.between(pattern.amounts), self.dice.below(4) as i32);
        let risk = (pattern.weight + [0, 15, 25, 45][extra as usize]).min(100);
        let severity = match risk {
            _ if pattern.signal == "oom_kill" => "critical",
            80.. => "critical",
            60.. => "high",
            30.. => "medium",
            _ => "low",
        };
        let team = TEAMS[owner];
        let facts = Facts {
            pattern,
            team,
            workload: if pattern.kind == "Node" {
                format!("worker-{team}-{:02}", amount % 40)
            } else {
                name.to_owned()
            },
            container,
            amount,
            severity,
            state: self.state(self.now - begun),
            begun,
            confidence: self.dice.between((62, 97)) as f64 / 100.0,
        };
        let number = self.number(owner, begun);
        let attempts = match facts.state {
            State::Detected | State::Analyzing | State::Failed => 0,
            State::Escalated => 3,
            _ => 1 + self.dice.weighted([80, 15, 5].into_iter()),
        };
        let issue = facts.issue(risk, attempts, &number);
        let insight = facts.insight(&issue);
        let plans: Vec<_> = (1..=attempts)
            .map(|attempt| facts.plan(&issue, attempt, attempts))
            .collect();
        out.push_back(issue.into_value());
        out.extend(insight.map(Draft::into_value));
        out.extend(plans.into_iter().map(Draft::into_value));
    }

    /// The young ones are still being worked on.
    fn state(&mut self, age: i64) -> State {
        let shares: [(State, u32); 8] = [
            (State::Detected, if age < 30 { 60 } else { 0 }),
            (State::Analyzing, if age < 180 { 60 } else { 0 }),
            (State::Executing, if age < 600 { 30 } else { 0 }),
            (State::Verifying, if age < 900 { 20 } else { 0 }),
            (State::Resolved, if age < 240 { 5 } else { 88 }),
            (
                State::Escalated,
                if age < 900 {
                    0
                } else if age < 86_400 {
                    9
                } else {
                    4
                },
            ),
            (State::Contained, if age < 900 { 0 } else { 1 }),
            (State::Failed, if age < 900 { 0 } else { 1 }),
        ];
        shares[self.dice.weighted(shares.iter().map(|(_, share)| *share))].0
    }

    fn number(&mut self, owner: usize, begun: i64) -> String {
        let day: String = text(begun).chars().take(10).filter(char::is_ascii_digit).collect();
        if day != self.day {
            (self.day, self.numbers) = (day, [0; TEAMS.len()]);
        }
        self.numbers[owner] += 1;
        format!("INC-{}-{:03}", self.day, self.numbers[owner])
    }
}

// === impl Facts ===

impl Facts<'_> {
    fn issue(&self, risk: i32, attempts: usize, number: &str) -> Draft {
        let Pattern {
            signal,
            headline,
            value,
            ..
        } = self.pattern;
        let measured = self.filled(value);
        let description = format!("Auto-detected {signal} anomaly: {headline} (value={measured}, threshold=normal)");
        let created = self.begun + 2;
        let state = match self.state {
            State::Detected => "Detected",
            State::Analyzing => "Analyzing",
            State::Executing | State::Verifying => "Remediating",
            State::Resolved => "Resolved",
            State::Escalated => "Escalated",
            State::Contained => "Contained",
            State::Failed => "Failed",
        };
        let ended = matches!(self.state, State::Resolved | State::Contained).then(|| self.ended(attempts));
        let resolution = match self.state {
            State::Resolved => self.pattern.outcome.to_owned(),
            State::Contained => "CONTAINED: scaled to zero until a fixed build is deployed".to_owned(),
            _ => String::new(),
        };
        let mut conditions = vec![];
        if self.state != State::Detected && self.state != State::Failed {
            conditions.push(condition(
                "Analyzing",
                "True",
                "AIInsightCreated",
                "Waiting for the AI analysis",
                &text(created),
            ));
        }
        if attempts > 0 {
            let since = text(self.started(attempts) - 6);
            conditions.push(condition(
                "Remediating",
                "True",
                "RemediationPlanCreated",
                "A plan was made",
                &since,
            ));
        }
        match (self.state, &ended) {
            (State::Resolved, Some(at)) => conditions.push(condition(
                "Resolved",
                "True",
                "RemediationSucceeded",
                &resolution,
                &text(*at),
            )),
            (State::Contained, Some(at)) => conditions.push(condition(
                "Contained",
                "True",
                "ContainmentApplied",
                &resolution,
                &text(*at),
            )),
            (State::Escalated, _) => {
                let at = text(self.ended(attempts));
                conditions.push(condition(
                    "Escalated",
                    "True",
                    "MaxAttemptsReached",
                    "All remediation attempts were used up",
                    &at,
                ));
            }
            _ => {}
        }
        let contained = self.state == State::Contained;
        Draft::new("Issue", self.team, &self.name(), text(created))
            .label("inc-id", number)
            .label("resource", &self.workload)
            .label("signal", signal)
            .label("instance", "chatcli")
            .label("instance-namespace", "chatcli")
            .finalizer("issue-finalizer")
            .spec(json!({
                "severity": self.severity, "source": "watcher", "signalType": signal, "resource": self.resource(),
                "description": description,
                "riskScore": risk,
            }))
            .status(json!({
                "state": state, "detectedAt": (self.state != State::Detected).then(|| text(created)),
                "resolution": resolution, "resolvedAt": ended.map(text), "remediationAttempts": attempts,
                "maxRemediationAttempts": 3,
                "requiresHumanAction": contained.then_some(true),
                "requiredAction": contained.then_some("Deploy a fixed build, then set the replicas back"),
                "conditions": conditions,
            }))
    }

    fn insight(&self, issue: &Draft) -> Option<Draft> {
        if matches!(self.state, State::Detected | State::Failed) {
            return None;
        }
        let draft = Draft::new(
            "AIInsight",
            self.team,
            &format!("{}-insight", self.name()),
            text(self.begun + 2),
        )
        .spec(json!({"issueRef": {"name": issue.name()}, "provider": "CLAUDEAI", "model": "claude-sonnet-5"}))
        .owned_by(issue);
        if self.state == State::Analyzing {
            return Some(draft);
        }
        Some(draft.status(json!({
            "analysis": self.filled(self.pattern.analysis),
            "confidence": self.confidence,
            "recommendations": [self.pattern.advice],
            "suggestedActions": [{
                "name": self.pattern.headline, "action": self.pattern.action, "description": self.pattern.outcome,
                "params": self.params(),
            }],
            "generatedAt": text(self.begun + 40),
        })))
    }

    fn plan(&self, issue: &Draft, attempt: usize, attempts: usize) -> Draft {
        let last = attempt == attempts;
        let started = self.started(attempt);
        let state = match self.state {
            State::Executing if last => "Executing",
            State::Verifying if last => "Verifying",
            State::Resolved | State::Contained if last => "Completed",
            _ => "Failed",
        };
        let (finished, result) = match state {
            "Completed" => (Some(started + 75), "Remediation verified: the target is healthy"),
            "Failed" => (Some(started + 110), "Not healthy within 90s"),
            _ => (None, ""),
        };
        let strategy = format!(
            "Attempt {attempt} via runbook '{}'. AI analysis: {}",
            self.runbook(),
            self.filled(self.pattern.analysis)
        );
        Draft::new(
            "RemediationPlan",
            self.team,
            &format!("{}-plan-{attempt}", self.name()),
            text(started - 6),
        )
        .spec(json!({
            "issueRef": {"name": issue.name()}, "attempt": attempt, "strategy": strategy,
            "actions": [{"type": self.pattern.action, "params": self.params()}],
            "safetyConstraints": ["No delete operations", "No destructive changes", "Rollback on failure"],
        }))
        .status(json!({
            "state": state, "startedAt": text(started), "completedAt": finished.map(text), "result": result,
            "actionsCompletedAt": (state != "Executing").then(|| text(started + 20)),
        }))
        .owned_by(issue)
    }

    fn name(&self) -> String {
        format!(
            "{}-{}-{}",
            self.workload,
            self.pattern.signal.replace('_', "-"),
            self.begun
        )
    }

    fn resource(&self) -> Value {
        json!({"kind": self.pattern.kind, "name": self.workload, "namespace": self.team})
    }

    fn params(&self) -> Value {
        let mut params: serde_json::Map<_, _> = self
            .pattern
            .params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
            .collect();
        if self.pattern.action.ends_with("Resources") {
            params.insert("container".into(), self.container.into());
        }
        if self.pattern.kind == "Node" {
            params.insert("node".into(), self.workload.as_str().into());
        }
        Value::Object(params)
    }

    fn runbook(&self) -> String {
        format!(
            "{}-{}",
            self.pattern.signal.replace('_', "-"),
            self.pattern.kind.to_lowercase()
        )
    }

    fn filled(&self, template: &str) -> String {
        template.replace("{}", &self.amount.to_string())
    }

    /// When an attempt began to run: each takes about two minutes.
    fn started(&self, attempt: usize) -> i64 {
        self.begun + 48 + 150 * (attempt as i64 - 1)
    }

    fn ended(&self, attempts: usize) -> i64 {
        self.started(attempts) + 78
    }
}

fn text(second: i64) -> String {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Dice, State, TEAMS, Writer, generated};
    use crate::resources::{self, Kind, Object};
    use jiff::Timestamp;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn objects(count: u32, seed: u64) -> Vec<Value> {
        generated(count, seed, "2026-09-23T12:00:00Z".parse().unwrap()).collect()
    }

    fn count(objects: &[Value], kind: &str) -> usize {
        objects.iter().filter(|object| object["kind"] == kind).count()
    }

    #[test]
    fn the_same_for_the_same_seed() {
        assert_eq!(objects(50, 7), objects(50, 7));
        assert_ne!(objects(50, 7), objects(50, 8));
    }

    #[test]
    fn as_many_incidents_as_asked_for_with_all_that_belongs_to_them() {
        let all = objects(2000, 1);
        assert_eq!(count(&all, "Issue"), 2000);
        assert!(count(&all, "AIInsight") > 1900);
        assert!(count(&all, "RemediationPlan") > 1900);
        assert_eq!(generated(0, 1, Timestamp::UNIX_EPOCH).count(), 0);
        let now: Timestamp = "2026-09-23T12:00:00Z".parse().unwrap();
        let (mut names, mut last) = (BTreeSet::new(), Timestamp::MIN);
        for object in &all {
            let kind =
                Kind::from_api(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap()).unwrap();
            let parsed = Object::parse(kind, object.clone()).unwrap();
            assert_eq!(resources::warnings(kind, object), Vec::<String>::new());
            assert!(names.insert(parsed.address()));
            let created = parsed.meta().creation_timestamp.as_ref().unwrap().0;
            assert!(created <= now);
            if kind == Kind::Issue {
                assert!(created >= last, "oldest first");
                last = created;
            }
            for reference in object.pointer("/spec/issueRef/name").into_iter() {
                assert!(
                    names
                        .iter()
                        .any(|address| address.kind == Kind::Issue && reference == &Value::from(address.name.as_str()))
                );
            }
        }
    }

    #[test]
    fn believable_variety() {
        let all = objects(5000, 1);
        let issues: Vec<_> = all.iter().filter(|object| object["kind"] == "Issue").collect();
        let distinct = |pointer: &str| {
            issues
                .iter()
                .filter_map(|issue| issue.pointer(pointer)?.as_str())
                .collect::<BTreeSet<_>>()
                .len()
        };
        assert_eq!(distinct("/metadata/namespace"), 40);
        assert_eq!(distinct("/spec/severity"), 4);
        assert_eq!(distinct("/spec/signalType"), 14);
        assert_eq!(distinct("/spec/resource/kind"), 5);
        assert!(distinct("/status/state") >= 4);
        let bytes: usize = issues.iter().map(|issue| issue.to_string().len()).sum();
        let average = bytes / issues.len();
        assert!((900..=1600).contains(&average), "an Issue takes {average} bytes");
    }

    #[test]
    fn the_youngest_are_still_being_worked_on() {
        let mut writer = Writer {
            now: 0,
            dice: Dice(1),
            day: String::new(),
            numbers: [0; TEAMS.len()],
        };
        let mut at = |age| (0..500).map(|_| writer.state(age)).collect::<Vec<_>>();
        let (young, old) = (at(20), at(5000));
        assert!(
            [State::Detected, State::Analyzing, State::Executing, State::Verifying]
                .iter()
                .all(|state| young.contains(state))
        );
        assert!(
            [State::Resolved, State::Escalated, State::Contained, State::Failed]
                .iter()
                .all(|state| old.contains(state))
        );
        assert!(!old.contains(&State::Executing));
    }
}
