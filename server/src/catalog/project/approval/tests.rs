//! What an approver reads, member by member.

use super::{Related, approval_item};
use crate::{
    catalog::{Catalog, Selection},
    fixtures::{action, at, deployment, incident, insight, noon, plan, policy, request},
    resources::{
        ActionType as A, ApprovalMode, ApprovalRequest, ApprovalState, ChaosExperiment, PlanState, ResourceRef,
        approval_request::BlastRadius,
        remediation_plan::{ContainerResources, ResourceSnapshot},
    },
};
use opsdeck_api::{Number, approval::ApprovalItem};
use serde_json::{Value, json};

fn alone(request: &ApprovalRequest) -> ApprovalItem {
    approval_item(request, Related::default(), noon())
}

#[test]
fn members_without_a_value_are_null_or_empty_and_never_absent() {
    let bare = request().with(|request| {
        request.spec.issue_ref.name.clear();
        request.spec.remediation_plan_ref.clear();
        request.spec.policy_ref.clear();
        request.spec.rule_name.clear();
        request.spec.required_approvers = 0;
    });
    let item = serde_json::to_value(alone(&bare)).unwrap();
    for member in [
        "issue",
        "plan",
        "policy",
        "rule",
        "blastRadius",
        "evidence",
        "confidence",
        "rollback",
        "changeWindow",
    ] {
        assert_eq!(item.get(member), Some(&Value::Null), "{member}");
    }
    for member in ["actions", "votes"] {
        assert_eq!(item[member], json!([]), "{member}");
    }
    for member in [
        "resource",
        "action",
        "reason",
        "decisions",
        "requiredApprovers",
        "decidedAt",
    ] {
        assert_eq!(item.get(member), None, "upstream leaves out {member}");
    }
    assert_eq!(
        (&item["state"], &item["required"], &item["expired"]),
        (&json!("Pending"), &json!(1), &json!(false))
    );
    assert_eq!(item["expiresAt"], "2026-09-23T12:30:00Z");
}

#[test]
fn upstreams_members_keep_their_odd_meanings() {
    let item = alone(
        &request()
            .asks(action(A::DrainNode, &[]))
            .asks(action(A::DeletePod, &[])),
    );
    assert_eq!(
        (&*item.resource, &*item.action, &*item.reason),
        ("checkout-oom", "DrainNode", "shop-changes")
    );
    let issue = item.issue.unwrap();
    assert_eq!((&*issue.namespace, &*issue.name), ("shop", "checkout-oom"));
    assert_eq!(
        (item.plan.as_deref(), item.policy.as_deref(), item.rule.as_deref()),
        (Some("checkout-oom-plan-1"), Some("shop-changes"), Some("the-rule"))
    );
}

#[test]
fn the_first_rejection_speaks_for_all_and_else_the_last_approval() {
    let when = "2026-09-23T14:10:00.5+02:00";
    let approved = request()
        .vote("Ana", "approved", "go", when)
        .vote("Bo", "approved", "", when);
    let item = alone(&approved);
    assert_eq!(
        (&*item.approved_by, &*item.rejected_by, &*item.decision_reason),
        ("Ana, Bo", "", "go")
    );
    assert_eq!(
        item.decisions[0].timestamp, when,
        "the text is passed on as it was stored"
    );
    assert_eq!(
        (item.votes[0].at.as_deref(), item.votes[1].reason.as_deref()),
        (Some(when), None)
    );
    let item = alone(
        &approved
            .vote("Cy", "rejected", "", when)
            .vote("Di", "rejected", "no", when)
            .vote("Ed", "rejected", "never", when),
    );
    assert_eq!((&*item.rejected_by, &*item.decision_reason), ("Cy, Di, Ed", "no"));
}

#[test]
fn decided_at_is_the_first_of_three() {
    let decided = request().state(ApprovalState::Expired).with(|request| {
        let status = request.status.get_or_insert_default();
        status.expired_at = Some("2026-09-23T12:30:10Z".into());
    });
    assert_eq!(alone(&decided).decided_at.as_deref(), Some("2026-09-23T12:30:10Z"));
    let both = decided
        .with(|request| request.status.get_or_insert_default().rejected_at = Some("2026-09-23T12:20:00Z".into()));
    assert_eq!(alone(&both).decided_at.as_deref(), Some("2026-09-23T12:20:00Z"));
}

#[test]
fn it_expires_in_sight_before_anybody_has_noted_it() {
    let pending = request();
    let item = |now: &str| approval_item(&pending, Related::default(), at(now));
    assert!(!item("2026-09-23T12:29:59Z").expired);
    let late = item("2026-09-23T12:30:00Z");
    assert_eq!((late.expired, &*late.state), (true, "Pending"));
    let decided = approval_item(
        &request().state(ApprovalState::Approved),
        Related::default(),
        at("2026-10-01T00:00:00Z"),
    );
    assert!(!decided.expired);
}

#[test]
fn the_window_says_when_it_opens() {
    let nightly = policy(ApprovalMode::Manual).window(6, 18);
    let raised = request().created("2026-09-23T03:30:00Z");
    let related = Related {
        policy: Some(&nightly),
        ..Related::default()
    };
    let closed = approval_item(&raised, related, at("2026-09-23T03:31:00Z"));
    let window = closed.change_window.unwrap();
    assert_eq!(
        (window.open, window.opens_at.as_deref()),
        (false, Some("2026-09-23T04:00:00Z"))
    );
    assert_eq!(
        closed.expires_at.as_deref(),
        Some("2026-09-23T04:30:00Z"),
        "its clock stands still while the window is closed"
    );
    let open = serde_json::to_value(approval_item(&raised, related, at("2026-09-23T04:00:00Z"))).unwrap();
    assert_eq!(open["changeWindow"], json!({"open": true}));
}

#[test]
fn a_rule_decides_how_many_are_needed() {
    let required = |mode| {
        approval_item(
            &request().needs(3),
            Related {
                policy: Some(&policy(mode)),
                ..Related::default()
            },
            noon(),
        )
        .required
    };
    assert_eq!(required(ApprovalMode::Quorum), 3);
    assert_eq!(required(ApprovalMode::Manual), 1);
    assert_eq!(
        alone(&request().needs(3)).required,
        3,
        "without its rule, the request's own number holds"
    );
}

#[test]
fn targets_are_named_by_parameters_or_by_the_incident() {
    let stateful = incident().on("StatefulSet", "ledger");
    let target = |kind, params: &[(&str, &str)]| {
        let asked = request().asks(action(kind, params));
        let item = approval_item(
            &asked,
            Related {
                issue: Some(&stateful),
                ..Related::default()
            },
            noon(),
        );
        item.actions[0]
            .target
            .as_ref()
            .map(|target| format!("{} {}/{}", target.kind, target.namespace, target.name))
    };
    for (kind, params, expected) in [
        (
            A::ScaleStatefulSet,
            &[("replicas", "3")][..],
            Some("StatefulSet shop/ledger"),
        ),
        (A::DrainNode, &[("node", "worker-7")], Some("Node /worker-7")),
        (
            A::ResizePvc,
            &[("pvc", "data-0"), ("size", "80Gi")],
            Some("PersistentVolumeClaim shop/data-0"),
        ),
        (A::RotateSecret, &[("secret", "tls")], Some("Secret shop/tls")),
        (A::PatchConfig, &[("configmap", "app")], Some("ConfigMap shop/app")),
        (
            A::DeleteStatefulSetPod,
            &[("pod", "ledger-0")],
            Some("Pod shop/ledger-0"),
        ),
        (A::DeletePod, &[], Some("StatefulSet shop/ledger")),
        (A::AdjustHpa, &[("maxReplicas", "9")], Some("StatefulSet shop/ledger")),
        (
            A::AdjustHpa,
            &[("hpa", "search")],
            Some("HorizontalPodAutoscaler shop/search"),
        ),
        (A::UpdateIngress, &[], Some("Ingress shop/ledger")),
        (
            A::PatchNetworkPolicy,
            &[("networkPolicy", "deny")],
            Some("NetworkPolicy shop/deny"),
        ),
        (A::ApplyManifest, &[("configmap", "manifests")], None),
    ] {
        assert_eq!(target(kind.clone(), params).as_deref(), expected, "{kind}");
    }
    assert_eq!(
        alone(&request().asks(action(A::DeletePod, &[]))).actions[0].target,
        None,
        "nothing is known of an incident that is gone"
    );
}

#[test]
fn an_experiment_is_about_its_victim() {
    let mut experiment = ChaosExperiment::new("ledger-failure", Default::default());
    experiment.spec.target = ResourceRef {
        kind: "StatefulSet".into(),
        name: "ledger".into(),
        namespace: "staging".into(),
    };
    let asked = request().asks(action(A::Custom, &[]));
    let item = approval_item(
        &asked,
        Related {
            experiment: Some(&experiment),
            ..Related::default()
        },
        noon(),
    );
    assert_eq!(item.actions[0].target.as_ref().unwrap().name, "ledger");
}

#[test]
fn before_is_what_the_deployment_says() {
    let issue = incident();
    let before = |deployment: &crate::resources::Deployment, kind, params: &[(&str, &str)]| {
        let asked = request().asks(action(kind, params));
        let related = Related {
            issue: Some(&issue),
            deployment: Some(deployment),
            ..Related::default()
        };
        serde_json::to_value(&approval_item(&asked, related, noon()).actions[0].before).unwrap()
    };
    let single = deployment(3, &["api"]).annotated("deployment.kubernetes.io/revision", "48");
    assert_eq!(
        before(&single, A::ScaleDeployment, &[("replicas", "5")]),
        json!({"replicas": "3"})
    );
    assert_eq!(
        before(
            &single,
            A::AdjustResources,
            &[("memory_limit", "1Gi"), ("cpu_request", "1")]
        ),
        json!({"memory_limit": "512Mi", "cpu_request": "none"})
    );
    assert_eq!(
        before(&single, A::RollbackDeployment, &[("toRevision", "previous")]),
        json!({"toRevision": "48", "image": "reg.example/api:41"})
    );
    assert_eq!(before(&single, A::RestartDeployment, &[]), Value::Null);
    let double = deployment(3, &["api", "side"]);
    assert_eq!(
        before(&double, A::AdjustResources, &[("memory_limit", "1Gi")]),
        Value::Null,
        "which container is not said"
    );
    assert_eq!(
        before(
            &double,
            A::AdjustResources,
            &[("container", "side"), ("memory_limit", "1Gi")]
        ),
        json!({"memory_limit": "512Mi"})
    );
    assert_eq!(
        before(
            &double,
            A::AdjustResources,
            &[("container", "gone"), ("memory_limit", "1Gi")]
        ),
        Value::Null
    );
    assert_eq!(
        before(&double, A::RollbackDeployment, &[]),
        json!({"image api": "reg.example/api:41", "image side": "reg.example/side:41"})
    );
}

#[test]
fn parameters_are_shown_in_full_but_for_credentials() {
    let item = alone(&request().asks(action(
        A::RotateSecret,
        &[("secret", "tls"), ("sourceSecret", "tls-new"), ("password", "p")],
    )));
    assert_eq!(
        serde_json::to_value(&item.actions[0].params).unwrap(),
        json!({"secret": "tls", "sourceSecret": "tls-new", "password": "***"})
    );
    assert_eq!((item.actions[0].order, &*item.actions[0].kind), (1, "RotateSecret"));
}

#[test]
fn confidence_is_that_of_the_request_and_else_of_the_analysis() {
    let analysed = insight().confident(0.7);
    let related = Related {
        insight: Some(&analysed),
        ..Related::default()
    };
    assert_eq!(
        approval_item(&request().evidence(0.9, 0.5), related, noon()).confidence,
        Some(Number(0.9))
    );
    assert_eq!(
        approval_item(&request().evidence(0.0, 0.5), related, noon()).confidence,
        Some(Number(0.7))
    );
    assert_eq!(approval_item(&request(), related, noon()).confidence, Some(Number(0.7)));
    assert_eq!(alone(&request()).confidence, None);
}

#[test]
fn evidence_and_reach_are_passed_on() {
    let asked = request().evidence(0.87, 0.9).with(|request| {
        request.spec.blast_radius = Some(Box::new(BlastRadius {
            affected_pods: 3,
            affected_services: 2,
            risk_level: "medium".into(),
            ..BlastRadius::default()
        }));
    });
    let item = serde_json::to_value(alone(&asked)).unwrap();
    assert_eq!(
        item["evidence"],
        json!({"aiConfidence": 0.87, "aiAnalysis": "", "historicalSuccessRate": 0.9, "previousAttempts": 0})
    );
    assert_eq!(
        item["blastRadius"],
        json!({"affectedPods": 3, "affectedServices": 2, "affectedNamespaces": [], "riskLevel": "medium", "description": ""})
    );
}

#[test]
fn the_rollback_is_told_only_as_far_as_it_is_known() {
    let told = |plan: Option<&crate::resources::RemediationPlan>, asked: &ApprovalRequest| {
        approval_item(
            asked,
            Related {
                plan,
                ..Related::default()
            },
            noon(),
        )
        .rollback
    };
    let scale = request().asks(action(A::ScaleDeployment, &[]));
    assert_eq!(told(None, &scale), None);
    assert_eq!(told(Some(&plan()), &scale), None);
    let promised = plan().with(|plan| plan.spec.safety_constraints = vec!["Rollback on failure".into()]);
    assert_eq!(
        told(Some(&promised), &scale).as_deref(),
        Some("Is rolled back on failure, as the plan demands.")
    );
    let pictured = promised.clone().with(|plan| {
        plan.status.get_or_insert_default().preflight_snapshot = Some(Box::new(ResourceSnapshot {
            replicas: 3,
            container_resources: [(
                "app".to_owned(),
                ContainerResources {
                    memory_limit: "512Mi".into(),
                    ..ContainerResources::default()
                },
            )]
            .into(),
            ..ResourceSnapshot::default()
        }));
    });
    assert_eq!(
        told(Some(&pictured), &scale).as_deref(),
        Some("Goes back to the state before the first action: 3 replicas, app memory limit 512Mi.")
    );
    let undone = pictured.state(PlanState::RolledBack).with(|plan| {
        let status = plan.status.get_or_insert_default();
        status.rollback_performed = true;
        status.rollback_result = "replicas 5 -> 3".into();
    });
    assert_eq!(
        told(Some(&undone), &scale).as_deref(),
        Some("Was rolled back: replicas 5 -> 3.")
    );
    let grow = request().asks(action(A::ResizePvc, &[("pvc", "data")]));
    assert_eq!(
        told(None, &grow).as_deref(),
        Some("ResizePVC cannot be undone: a volume claim cannot be made smaller again.")
    );
}

#[test]
fn the_hash_changes_with_what_was_read() {
    let asked = request().asks(action(A::ScaleDeployment, &[("replicas", "5")]));
    let hash = |request: &ApprovalRequest, plan: Option<&crate::resources::RemediationPlan>| {
        approval_item(
            request,
            Related {
                plan,
                ..Related::default()
            },
            noon(),
        )
        .plan_hash
        .unwrap()
    };
    let plan = plan();
    assert_eq!(hash(&asked, Some(&plan)).len(), 16);
    assert_ne!(hash(&asked, Some(&plan)), hash(&asked, None));
    assert_eq!(
        hash(&asked, Some(&plan)),
        hash(&asked, Some(&plan.clone().state(PlanState::Executing))),
        "its status is not what was read"
    );
    let more = asked.clone().asks(action(A::RestartDeployment, &[]));
    assert_ne!(hash(&asked, Some(&plan)), hash(&more, Some(&plan)));
}

/// The one approval of a catalog.
fn shown(catalog: &Catalog) -> ApprovalItem {
    let snapshot = catalog.snapshot();
    serde_json::from_slice(&snapshot.table::<ApprovalRequest>().iter().next().unwrap().item).unwrap()
}

#[test]
fn the_item_follows_everything_it_was_made_from() {
    let catalog = Catalog::new(1);
    let scale = action(A::ScaleDeployment, &[("replicas", "5")]);
    catalog.apply(vec![request().asks(scale).object()], noon());
    let bare = shown(&catalog);
    assert_eq!((bare.actions[0].target.is_some(), bare.confidence), (false, None));

    catalog.apply(
        vec![
            incident().object(),
            insight().confident(0.7).object(),
            deployment(3, &["api"]).object(),
        ],
        noon(),
    );
    let known = shown(&catalog);
    assert_eq!(known.confidence, Some(Number(0.7)));
    assert_eq!(known.actions[0].before.as_ref().unwrap()["replicas"], "3");

    catalog.apply(vec![deployment(4, &["api"]).object(), plan().object()], noon());
    let moved = shown(&catalog);
    assert_eq!(moved.actions[0].before.as_ref().unwrap()["replicas"], "4");
    assert_ne!(moved.plan_hash, known.plan_hash);

    catalog.apply(vec![policy(ApprovalMode::Manual).window(22, 23).object()], noon());
    let waiting = shown(&catalog);
    assert_eq!(
        waiting.change_window.unwrap().opens_at.as_deref(),
        Some("2026-09-23T20:00:00Z")
    );
    catalog.tick(at("2026-09-23T20:00:00Z"));
    assert!(shown(&catalog).change_window.unwrap().open);
    catalog.tick(at("2026-09-23T20:30:00Z"));
    assert!(shown(&catalog).expired);
    let expired = Selection::default()
        .filter("expired", ["true"])
        .filter("issue", ["checkout-oom"]);
    assert_eq!(catalog.snapshot().table::<ApprovalRequest>().count(&expired), 1);
}
