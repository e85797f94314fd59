//! Objects for tests, told in the words of the domain: `incident().critical().resolved()`.

use crate::resources::{
    AIInsight, Action, ActionType, ApprovalMode, ApprovalPolicy, ApprovalRequest, ApprovalState, AuditEvent,
    ClusterRegistration, Condition, ConditionStatus, Deployment, Instance, Issue, IssueState, NamedStep, ObjectMeta,
    PlanState, PostMortem, PostMortemState, RemediationPlan, ResourceRef, Runbook, ServiceLevelObjective, Severity,
    TextMap, Typed,
    approval_policy::{ApprovalRule, ChangeWindow},
    approval_request::{ApprovalEvidence, Decision},
    service_level_objective::BurnRateAlert,
};
use jiff::Timestamp;
use k8s_openapi::{
    api::core::v1::{Container, PodSpec, ResourceRequirements},
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Time},
};
use std::{ops::Deref, sync::Arc};

/// An object in the making.
#[derive(Clone, Debug)]
pub(crate) struct Fixture<K>(K);

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// When everything was made, unless a test says otherwise.
pub(crate) fn noon() -> Timestamp {
    at("2026-09-23T12:00:00Z")
}

pub(crate) fn texts(pairs: &[(&str, &str)]) -> TextMap {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

pub(crate) fn action(action: ActionType, params: &[(&str, &str)]) -> Action {
    Action {
        action,
        params: texts(params),
    }
}

pub(crate) fn incident() -> Fixture<Issue> {
    let mut issue = Issue::new("checkout-oom", Default::default());
    issue.spec.severity = Severity::Low;
    issue.spec.resource = resource("Deployment", "checkout");
    Fixture::of(issue)
}

pub(crate) fn insight() -> Fixture<AIInsight> {
    let mut insight = AIInsight::new("checkout-oom-insight", Default::default());
    insight.spec.issue_ref.name = "checkout-oom".into();
    Fixture::of(insight)
}

pub(crate) fn plan() -> Fixture<RemediationPlan> {
    let mut plan = RemediationPlan::new("checkout-oom-plan-1", Default::default());
    plan.spec.issue_ref.name = "checkout-oom".into();
    plan.spec.attempt = 1;
    Fixture::of(plan)
}

pub(crate) fn request() -> Fixture<ApprovalRequest> {
    let mut request = ApprovalRequest::new("approval-checkout-oom-plan-1", Default::default());
    request.spec.issue_ref.name = "checkout-oom".into();
    request.spec.remediation_plan_ref = "checkout-oom-plan-1".into();
    request.spec.policy_ref = "shop-changes".into();
    request.spec.rule_name = "the-rule".into();
    request.spec.timeout_minutes = 30;
    request.spec.required_approvers = 1;
    Fixture::of(request)
}

/// A policy of one rule.
pub(crate) fn policy(mode: ApprovalMode) -> Fixture<ApprovalPolicy> {
    let mut policy = ApprovalPolicy::new("shop-changes", Default::default());
    policy.spec.rules = vec![ApprovalRule {
        name: "the-rule".into(),
        mode,
        ..ApprovalRule::default()
    }];
    Fixture::of(policy)
}

pub(crate) fn instance(name: &str) -> Fixture<Instance> {
    let mut instance = Instance::new(name, Default::default());
    instance.spec.replicas = 1;
    Fixture::of(instance)
}

pub(crate) fn postmortem() -> Fixture<PostMortem> {
    let mut postmortem = PostMortem::new("pm-checkout-oom", Default::default());
    postmortem.spec.issue_ref.name = "checkout-oom".into();
    postmortem.spec.severity = Severity::High;
    Fixture::of(postmortem)
}

pub(crate) fn runbook() -> Fixture<Runbook> {
    Fixture::of(Runbook::new("restart", Default::default()))
}

pub(crate) fn objective() -> Fixture<ServiceLevelObjective> {
    Fixture::of(ServiceLevelObjective::new("checkout-availability", Default::default()))
}

/// Written down at noon; it does not say when it happened.
pub(crate) fn event(event_type: &str) -> Fixture<AuditEvent> {
    let mut event = AuditEvent::new("audit-1", Default::default());
    event.spec.event_type = event_type.into();
    Fixture::of(event)
}

/// Registered, and not looked at yet.
pub(crate) fn cluster(name: &str) -> Fixture<ClusterRegistration> {
    Fixture::of(ClusterRegistration::new(name, Default::default()))
}

/// `checkout` with one container per name, each at 512Mi.
pub(crate) fn deployment(replicas: i32, containers: &[&str]) -> Fixture<Deployment> {
    let container = |name: &&str| Container {
        name: (*name).to_owned(),
        image: Some(format!("reg.example/{name}:41")),
        resources: Some(ResourceRequirements {
            limits: Some([("memory".to_owned(), Quantity("512Mi".into()))].into()),
            ..ResourceRequirements::default()
        }),
        ..Container::default()
    };
    let mut deployment = Deployment::default();
    deployment.metadata.name = Some("checkout".into());
    let spec = deployment.spec.get_or_insert_default();
    spec.replicas = Some(replicas);
    spec.template.spec = Some(PodSpec {
        containers: containers.iter().map(container).collect(),
        ..PodSpec::default()
    });
    Fixture::of(deployment)
}

fn resource(kind: &str, name: &str) -> ResourceRef {
    ResourceRef {
        kind: kind.into(),
        name: name.into(),
        namespace: "shop".into(),
    }
}

// === impl Fixture ===

/// The words that every kind understands.
macro_rules! common {
    ($($kind:ident)+) => {
        $(impl Meta for $kind {
            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        })+
    };
}

pub(crate) trait Meta: Typed {
    fn meta_mut(&mut self) -> &mut ObjectMeta;
}

common! { AIInsight ApprovalPolicy ApprovalRequest AuditEvent ClusterRegistration Deployment Instance Issue PostMortem RemediationPlan Runbook ServiceLevelObjective }

impl<K: Meta> Fixture<K> {
    fn of(mut object: K) -> Self {
        let meta = object.meta_mut();
        meta.namespace = Some("shop".into());
        meta.creation_timestamp = Some(Time(noon()));
        Self(object)
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut K)) -> Self {
        change(&mut self.0);
        self
    }

    pub(crate) fn named(self, name: &str) -> Self {
        self.with(|object| object.meta_mut().name = Some(name.into()))
    }

    pub(crate) fn within(self, namespace: &str) -> Self {
        self.with(|object| object.meta_mut().namespace = Some(namespace.into()))
    }

    pub(crate) fn created(self, at: &str) -> Self {
        self.with(|object| object.meta_mut().creation_timestamp = Some(Time(at.parse().unwrap())))
    }

    pub(crate) fn labelled(self, key: &str, value: &str) -> Self {
        self.with(|object| {
            object
                .meta_mut()
                .labels
                .get_or_insert_default()
                .insert(key.into(), value.into());
        })
    }

    pub(crate) fn annotated(self, key: &str, value: &str) -> Self {
        self.with(|object| {
            object
                .meta_mut()
                .annotations
                .get_or_insert_default()
                .insert(key.into(), value.into());
        })
    }

    pub(crate) fn object(self) -> crate::resources::Object {
        Arc::new(self.0).into_object()
    }
}

impl<K> Deref for Fixture<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.0
    }
}

impl Fixture<Issue> {
    pub(crate) fn severity(self, severity: Severity) -> Self {
        self.with(|issue| issue.spec.severity = severity)
    }

    pub(crate) fn critical(self) -> Self {
        self.severity(Severity::Critical)
    }

    pub(crate) fn on(self, kind: &str, name: &str) -> Self {
        self.with(|issue| issue.spec.resource = resource(kind, name))
    }

    pub(crate) fn state(self, state: IssueState) -> Self {
        self.with(|issue| issue.status.get_or_insert_default().state = state)
    }

    pub(crate) fn resolved(self) -> Self {
        self.state(IssueState::Resolved)
    }

    pub(crate) fn condition(self, aspect: &str, status: ConditionStatus, message: &str) -> Self {
        self.with(|issue| {
            issue
                .status
                .get_or_insert_default()
                .conditions
                .push(condition(aspect, status, message))
        })
    }

    pub(crate) fn raised_by_experiment(self, name: &str) -> Self {
        self.labelled("platform.chatcli.io/source", "chaos-experiment")
            .labelled("platform.chatcli.io/chaos-experiment", name)
    }

    pub(crate) fn through(self, instance: &str) -> Self {
        self.labelled("platform.chatcli.io/instance", instance)
            .labelled("platform.chatcli.io/instance-namespace", "shop")
    }
}

impl Fixture<RemediationPlan> {
    pub(crate) fn state(self, state: PlanState) -> Self {
        self.with(|plan| plan.status.get_or_insert_default().state = state)
    }

    pub(crate) fn fixes(self, issue: &str) -> Self {
        self.with(|plan| plan.spec.issue_ref.name = issue.into())
    }
}

impl Fixture<ApprovalRequest> {
    pub(crate) fn state(self, state: ApprovalState) -> Self {
        self.with(|request| request.status.get_or_insert_default().state = state)
    }

    pub(crate) fn asks(self, action: Action) -> Self {
        self.with(|request| request.spec.requested_actions.push(action))
    }

    pub(crate) fn needs(self, approvers: i32) -> Self {
        self.with(|request| request.spec.required_approvers = approvers)
    }

    pub(crate) fn vote(self, approver: &str, decision: &str, reason: &str, at: &str) -> Self {
        self.with(|request| {
            request.status.get_or_insert_default().decisions.push(Decision {
                approver: approver.into(),
                decision: decision.into(),
                reason: reason.into(),
                timestamp: Some(at.into()),
            });
        })
    }

    pub(crate) fn evidence(self, confidence: f64, success: f64) -> Self {
        self.with(|request| {
            request.spec.evidence = Some(Box::new(ApprovalEvidence {
                ai_confidence: confidence,
                historical_success_rate: success,
                ..ApprovalEvidence::default()
            }));
        })
    }
}

impl Fixture<ApprovalPolicy> {
    /// On workdays in Berlin.
    pub(crate) fn window(self, start: i32, end: i32) -> Self {
        self.with(|policy| {
            policy.spec.rules[0].change_window = Some(Box::new(ChangeWindow {
                timezone: "Europe/Berlin".into(),
                allowed_days: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
                    .map(str::to_owned)
                    .into(),
                start_hour: start,
                end_hour: end,
            }));
        })
    }
}

impl Fixture<AIInsight> {
    pub(crate) fn confident(self, confidence: f64) -> Self {
        self.with(|insight| insight.status.get_or_insert_default().confidence = confidence)
    }

    pub(crate) fn suggests(self, action: &str, params: &[(&str, &str)]) -> Self {
        self.with(|insight| {
            insight
                .status
                .get_or_insert_default()
                .suggested_actions
                .push(NamedStep {
                    name: "Step".into(),
                    action: action.into(),
                    description: String::new(),
                    params: texts(params),
                });
        })
    }
}

impl Fixture<Instance> {
    pub(crate) fn ready(self) -> Self {
        self.with(|instance| instance.status.get_or_insert_default().ready = true)
    }

    pub(crate) fn condition(self, aspect: &str, status: ConditionStatus, message: &str) -> Self {
        self.with(|instance| {
            instance
                .status
                .get_or_insert_default()
                .conditions
                .push(condition(aspect, status, message))
        })
    }
}

impl Fixture<PostMortem> {
    pub(crate) fn state(self, state: PostMortemState) -> Self {
        self.with(|postmortem| postmortem.status.get_or_insert_default().state = state)
    }

    pub(crate) fn owes_action(self) -> Self {
        self.with(|postmortem| postmortem.status.get_or_insert_default().requires_human_action = true)
    }
}

impl Fixture<ServiceLevelObjective> {
    /// Calculated, kept, with that share of its budget left.
    pub(crate) fn kept(self, remaining: f64) -> Self {
        self.with(|objective| {
            let status = objective.status.get_or_insert_default();
            status.last_calculated_at = Some(noon());
            status.target_met = true;
            status.error_budget_remaining = remaining;
        })
    }

    pub(crate) fn alerting(self) -> Self {
        self.with(|objective| {
            objective
                .status
                .get_or_insert_default()
                .active_alerts
                .push(BurnRateAlert::default())
        })
    }
}

impl Fixture<ClusterRegistration> {
    pub(crate) fn connected(self) -> Self {
        self.with(|cluster| cluster.status.get_or_insert_default().connected = true)
    }

    pub(crate) fn condition(self, aspect: &str, status: ConditionStatus, message: &str) -> Self {
        self.with(|cluster| {
            cluster
                .status
                .get_or_insert_default()
                .conditions
                .push(condition(aspect, status, message))
        })
    }
}

fn condition(aspect: &str, status: ConditionStatus, message: &str) -> Condition {
    Condition {
        aspect: aspect.into(),
        status,
        reason: "Because".into(),
        message: message.into(),
        ..Condition::default()
    }
}
