//! Pages as a browser without script gets them, over an API that answers from what a test gives it.

#![expect(clippy::unwrap_used, reason = "what fails to unwrap here fails the test")]

use axum::{body::Body, extract::Request, http::StatusCode};
use http_body_util::BodyExt as _;
use leptos::prelude::provide_context;
use leptos_axum::render_app_async_with_context;
use opsdeck_api::{
    API_VERSION, ErrorBody, List, ListMeta, ResourceRef, Single, StringMap,
    approval::{ApprovalItem, IssueName, RequestedAction, Vote},
    incident::{Acknowledged, IncidentItem, Snoozed},
    postmortem::PostMortemItem,
    whoami::{ServerInfo, WhoAmI},
};
use opsdeck_app::{Assets, PageContext, PageStatus, ServerApi, Theme, session, shell};
use serde::Serialize;
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

#[path = "pages/deciding.rs"]
mod deciding;

/// 2026-09-23T12:00:00Z
const NOW: i64 = 1_790_164_800;

/// Answers by path, with or without its query.
#[derive(Clone, Debug, Default)]
struct Api(BTreeMap<String, (u16, Vec<u8>)>);

#[derive(Debug)]
struct Page {
    status: StatusCode,
    html: String,
}

impl Api {
    fn signed_in() -> Self {
        Self::of_a_server(ServerInfo::default())
    }

    fn of_a_server(server: ServerInfo) -> Self {
        let who = WhoAmI {
            server,
            identity: "sre-mira".into(),
            role: "operator".into(),
            via: "session".into(),
            ..WhoAmI::default()
        };
        Self::default().with("/whoami", &Single::<_>::report("WhoAmI", who))
    }

    fn with(mut self, path: &str, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).unwrap();
        self.0.insert(format!("/api/v1{path}"), (200, body));
        self
    }

    fn failing(mut self, path: &str, status: u16, message: &str) -> Self {
        self.0
            .insert(format!("/api/v1{path}"), (status, error(status, message)));
        self
    }

    fn answer(&self, target: &str) -> (u16, Vec<u8>) {
        let path = target.split('?').next().unwrap_or(target);
        let known = self.0.get(target).or_else(|| self.0.get(path)).cloned();
        known.unwrap_or_else(|| (401, error(401, "no key")))
    }

    async fn page(self, path: &str) -> Page {
        let api = ServerApi(Arc::new(move |target| {
            let answer = self.answer(&target);
            Box::pin(async move { answer })
        }));
        let context = PageContext {
            base: String::new(),
            now: NOW,
            theme: Theme::Dark,
            session: session(&api).await,
            sign_in_error: None,
            sign_in_hint: None,
            acted: None,
        };
        // Another test of this process may have been first.
        let _ = any_spawner::Executor::init_tokio();
        let status = PageStatus::default();
        let provide = {
            let status = status.clone();
            move || {
                provide_context(api.clone());
                provide_context(context.clone());
                provide_context(status.clone());
                provide_context(Assets("pkg-0".into()));
            }
        };
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = render_app_async_with_context(provide, shell)(request).await;
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Page {
            status: StatusCode::from_u16(status.get()).unwrap(),
            html: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }
}

impl Page {
    /// Without the comments that hydration needs, so that texts can be found as they read.
    fn text(&self) -> String {
        self.html
            .replace("<!>", "")
            .replace("<!---->", "")
            .replace("<!-- -->", "")
    }

    fn assert_shows(&self, words: &str) {
        assert!(self.text().contains(words), "{words:?} is missing in {}", self.text());
    }
}

fn error(status: u16, message: &str) -> Vec<u8> {
    let body = ErrorBody {
        api_version: API_VERSION.into(),
        kind: "Error".into(),
        error: "Error".into(),
        code: status,
        message: message.into(),
        reason: None,
        by: None,
        at: None,
        plan_hash: None,
        fields: Vec::new(),
        request_id: Some("req-1".into()),
    };
    serde_json::to_vec(&body).unwrap()
}

fn list<T>(kind: &str, total: u64, items: Vec<T>) -> List<T> {
    List {
        metadata: ListMeta {
            total_count: total,
            page: 1,
            page_size: 50,
        },
        ..List::whole(kind, items)
    }
}

fn incident() -> IncidentItem {
    IncidentItem {
        name: "web-oom-kill-1".into(),
        namespace: "shop".into(),
        severity: "critical".into(),
        signal_type: "oom_kill".into(),
        resource: ResourceRef {
            kind: "Deployment".into(),
            name: "web".into(),
            namespace: "shop".into(),
        },
        description: "killed <b>four</b> times".into(),
        state: "Detected".into(),
        creation_timestamp: "2026-09-23T11:48:00Z".into(),
        ..IncidentItem::default()
    }
}

fn approval() -> ApprovalItem {
    ApprovalItem {
        name: "approval-1".into(),
        namespace: "shop".into(),
        state: "Pending".into(),
        required: 2,
        plan_hash: Some("9f3c21".into()),
        expires_at: Some("2026-09-23T12:04:12Z".into()),
        issue: Some(IssueName {
            namespace: "shop".into(),
            name: "web-oom-kill-1".into(),
        }),
        actions: vec![RequestedAction {
            order: 1,
            kind: "AdjustResources".into(),
            target: Some(incident().resource),
            params: StringMap::from([("memory_limit".into(), "1Gi".into()), ("cpu_limit".into(), "2".into())]),
            before: Some(StringMap::from([("memory_limit".into(), "512Mi".into())])),
        }],
        votes: vec![Vote {
            approver: "tomasz (api-key: sre-tomasz)".into(),
            decision: "approved".into(),
            ..Vote::default()
        }],
        creation_timestamp: "2026-09-23T11:50:00Z".into(),
        ..ApprovalItem::default()
    }
}

#[tokio::test]
async fn without_a_key_every_address_shows_the_form_and_where_it_leads_back_to() {
    let page = Api::default().page("/incidents?state=Failed").await;
    assert_eq!(page.status, StatusCode::UNAUTHORIZED);
    page.assert_shows("API key");
    page.assert_shows(r#"name="next" value="/incidents?state=Failed""#);
    let home = Api::default().page("/").await;
    assert_eq!(home.status, StatusCode::OK);
    let unknown = Api::default().page("/nowhere").await;
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn rows_are_in_the_first_answer_with_totals_of_the_server() {
    let api = Api::signed_in().with("/incidents", &list("IncidentList", 1234, vec![incident()]));
    let page = api.page("/incidents").await;
    assert_eq!(page.status, StatusCode::OK);
    page.assert_shows("web-oom-kill-1");
    page.assert_shows("1\u{202f}234 match");
    page.assert_shows("12 m</time>");
    page.assert_shows(r#"data-theme="dark""#);
}

#[tokio::test]
async fn what_objects_say_is_text() {
    let api = Api::signed_in().with("/incidents", &list("IncidentList", 1, vec![incident()]));
    let page = api.page("/incidents").await;
    page.assert_shows("killed &lt;b&gt;four&lt;/b&gt; times");
    assert!(!page.text().contains("<b>four"));
}

#[tokio::test]
async fn a_filter_that_matches_nothing_offers_the_way_out() {
    let api = Api::signed_in().with("/incidents", &list::<IncidentItem>("IncidentList", 0, Vec::new()));
    api.clone()
        .page("/incidents?severity=low")
        .await
        .assert_shows("No incident matches these filters.");
    api.page("/incidents").await.assert_shows("There are no incidents.");
}

#[tokio::test]
async fn one_figure_that_cannot_be_had_leaves_the_others_of_the_report() {
    let cost = json!({"apiVersion": API_VERSION, "kind": "CostSummary", "spec": {"totalLLMCost": 1.5, "incidentCount": 3, "costPerIncident": 0.5}});
    let api = Api::signed_in().with("/analytics/cost", &cost).failing(
        "/analytics/capacity",
        503,
        "Deployment objects are still being read",
    );
    let page = api.page("/analytics").await;
    assert!(
        page.html.contains("1.50 $") && page.html.contains("0.50 $"),
        "{}",
        page.html
    );
    assert!(page.html.contains("Could not show the capacity"));
    assert!(page.html.contains("Deployment objects are still being read"));
    assert!(
        page.html.contains("report.css") && !page.html.contains("app.js"),
        "it needs no script"
    );
}

#[tokio::test]
async fn a_failure_is_named_in_the_shell() {
    let api = Api::signed_in().failing("/incidents", 503, "the catalog is not ready");
    let page = api.page("/incidents").await;
    assert_eq!(page.status, StatusCode::BAD_GATEWAY);
    page.assert_shows("Could not show the incidents: ");
    page.assert_shows("the catalog is not ready");
    page.assert_shows("req-1");
    page.assert_shows("Overview");
}

#[tokio::test]
async fn an_unknown_page_and_an_unknown_object_are_404_in_the_shell() {
    let nowhere = Api::signed_in().page("/nowhere").await;
    assert_eq!(nowhere.status, StatusCode::NOT_FOUND);
    nowhere.assert_shows("There is no page at this address");
    let gone = Api::signed_in()
        .failing("/incidents/gone", 404, "issue not found: gone")
        .page("/incidents/shop/gone")
        .await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    gone.assert_shows("Could not show this incident");
}

#[tokio::test]
async fn a_request_shows_every_value_before_and_after_and_who_may_decide() {
    let item = approval();
    let api = Api::signed_in().with(
        "/approvals/approval-1",
        &Single::new("ApprovalRequest", item, Default::default()),
    );
    let page = api.page("/approvals/shop/approval-1").await;
    page.assert_shows("Change resources of web");
    page.assert_shows("512Mi");
    page.assert_shows("1Gi");
    assert!(
        !page.text().contains("unknown</span> <span class=\"arrow\""),
        "nothing is compared with what is not known"
    );
    page.assert_shows("4:12 left");
    page.assert_shows("1 of 2 approved");
    page.assert_shows("You are sre-mira, operator: you may approve or reject.");
}

/// A quorum is drawn while it can be counted by eye.
#[tokio::test]
async fn a_quorum_of_billions_is_a_number() {
    let item = ApprovalItem {
        required: i32::MAX,
        ..approval()
    };
    let single = Single::new("ApprovalRequest", item, Default::default());
    let page = Api::signed_in().with("/approvals/approval-1", &single);
    let page = page.page("/approvals/shop/approval-1").await;
    page.assert_shows("1 of 2147483647 approved");
    assert!(page.text().len() < 100_000, "{}", page.text().len());
}

const HOSTILE: &str = "<b>bold</b> \u{202e}0001";

/// Every kind that is described, as the API answers it: where its list is, its pages are, and one item.
fn described() -> Vec<(&'static str, &'static str, Value)> {
    let named = |name: &str, mut item: Value| {
        item["name"] = name.into();
        item["namespace"] = "shop".into();
        item["creationTimestamp"] = "2026-09-23T11:48:00Z".into();
        item
    };
    let step = json!({"name": HOSTILE, "action": "DeletePod", "description": HOSTILE, "params": {"pod": HOSTILE}});
    vec![
        (
            "/slos",
            "/slos",
            named(
                "slo-1",
                json!({"service": HOSTILE, "sli": "availability", "target": 99.9, "window": "30d", "state": "Breached",
                    "currentValue": 99.5, "errorBudgetRemaining": 0, "burnRate1h": 14.4, "activeAlerts": 1}),
            ),
        ),
        (
            "/aiinsights",
            "/insights",
            named(
                "insight-1",
                json!({"issueRef": "web-oom", "provider": "OPENAI", "model": HOSTILE, "analysis": HOSTILE, "confidence": 0.5,
                    "generatedAt": "2026-09-23T11:48:00Z", "recommendations": [HOSTILE], "suggestedActions": [step]}),
            ),
        ),
        (
            "/remediations",
            "/remediations",
            named(
                "plan-1",
                json!({"issueRef": "web-oom", "attempt": 1, "strategy": HOSTILE, "state": "Failed", "result": HOSTILE}),
            ),
        ),
        (
            "/runbooks",
            "/runbooks",
            named(
                "runbook-1",
                json!({"description": HOSTILE, "steps": [step], "maxAttempts": 3,
                    "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"}}),
            ),
        ),
        (
            "/postmortems",
            "/postmortems",
            named(
                "pm-1",
                json!({"issueRef": "web-oom", "severity": "high", "state": "Open", "summary": HOSTILE, "rootCause": HOSTILE,
                    "resource": {"kind": "Deployment", "name": "web", "namespace": "shop"},
                    "actionsExecuted": [{"action": "DeletePod", "detail": HOSTILE}]}),
            ),
        ),
        (
            "/clusters",
            "/clusters",
            named(
                "cluster-1",
                json!({"displayName": HOSTILE, "connected": true, "degraded": true}),
            ),
        ),
        (
            "/policies/approval",
            "/policies",
            named(
                "policy-1",
                json!({"spec": {"enabled": true, "rules": [{"name": HOSTILE, "match": {}, "timeoutMinutes": 30}]}}),
            ),
        ),
        (
            "/audit",
            "/audit",
            named(
                "audit-1",
                json!({"eventType": "issue_created", "severity": "info", "detail": format!("note={HOSTILE}"),
                    "resourceKind": "Issue", "resourceName": "web-oom", "resourceNamespace": "shop",
                    "timestamp": "2026-09-23T11:48:00Z"}),
            ),
        ),
    ]
}

/// As the API answers an object: policies as they are stored, the others as in their list.
fn single(api: &str, item: &Value) -> Value {
    let meta = json!({"name": item["name"], "namespace": item["namespace"]});
    let spec = if api.starts_with("/policies") {
        &item["spec"]
    } else {
        item
    };
    json!({"apiVersion": API_VERSION, "kind": "Any", "spec": spec, "resourceMeta": meta})
}

#[tokio::test]
async fn every_described_kind_has_a_list_with_the_total_of_the_server() {
    for (path, list_page, item) in described() {
        let name = item["name"].as_str().unwrap().to_owned();
        let page = Api::signed_in()
            .with(path, &list("AnyList", 1234, vec![item]))
            .page(list_page)
            .await;
        assert_eq!(page.status, StatusCode::OK, "{list_page}");
        page.assert_shows(&name);
        page.assert_shows("1\u{202f}234");
        // Of a policy's rules the list has only the number.
        if list_page != "/policies" {
            page.assert_shows("&lt;b&gt;bold&lt;/b&gt;");
        }
        page.assert_shows("format=csv");
        page.assert_shows("<caption");
        assert!(!page.text().contains("<b>bold"), "{list_page}");
        let shown = page.text();
        let shown = shown.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
        assert!(!shown.contains('\u{202e}'), "{list_page}");
    }
}

#[tokio::test]
async fn every_described_kind_has_an_object_page_and_says_when_it_is_gone() {
    for (path, list_page, item) in described() {
        let name = item["name"].as_str().unwrap().to_owned();
        let (api_path, address) = (format!("{path}/{name}"), format!("{list_page}/shop/{name}"));
        // The API answers about events in lists alone.
        let (api, without) = if path == "/audit" {
            let none = Api::signed_in().with(path, &list::<Value>("AnyList", 0, Vec::new()));
            (Api::signed_in().with(path, &list("AnyList", 1, vec![item])), none)
        } else {
            let none = Api::signed_in().failing(&api_path, 404, "not found");
            (Api::signed_in().with(&api_path, &single(path, &item)), none)
        };
        let page = api.page(&address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}");
        page.assert_shows(&format!("{name}</h1>"));
        page.assert_shows("&lt;b&gt;bold&lt;/b&gt; \u{fffd}0001");
        assert!(!page.text().contains("<b>bold"), "{address}");
        let gone = without.page(&address).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND, "{address}");
        gone.assert_shows("Could not show this ");
    }
}

#[tokio::test]
async fn a_described_list_without_rows_says_why_and_one_that_fails_what() {
    for (path, list_page, _) in described() {
        let api = Api::signed_in().with(path, &list::<Value>("AnyList", 0, Vec::new()));
        api.clone()
            .page(&format!("{list_page}?namespace=none"))
            .await
            .assert_shows("Nothing matches these filters.");
        let empty = api.page(list_page).await;
        empty.assert_shows("class=\"empty\"");
        assert!(!empty.text().contains("Nothing matches"), "{list_page}");
        let page = Api::signed_in().failing(path, 503, "not yet").page(list_page).await;
        assert_eq!(page.status, StatusCode::BAD_GATEWAY, "{list_page}");
        page.assert_shows("Could not show the ");
    }
}

#[tokio::test]
async fn an_objective_that_was_never_calculated_is_unknown_and_a_spent_budget_is_zero() {
    let slo = |state: &str| {
        json!({"name": "slo-1", "namespace": "shop", "target": 99.9, "window": "30d", "state": state, "currentValue": 0,
            "errorBudgetRemaining": 0, "burnRate1h": 0, "activeAlerts": 0})
    };
    let page = |state| {
        let api = Api::signed_in().with("/slos", &list("AnyList", 1, vec![slo(state)]));
        async move { api.page("/slos").await }
    };
    page("").await.assert_shows("<span class=\"faint\">unknown</span>");
    let spent = page("Breached").await;
    spent.assert_shows("<span class=\"faint\">0\u{202f}%</span>");
    assert!(!spent.text().contains(">unknown<"));
}

#[tokio::test]
async fn policies_of_four_kinds_share_an_address_and_no_other_kind_does() {
    let api = ["approval", "notification", "escalation", "sla"]
        .into_iter()
        .fold(Api::signed_in(), |api, kind| {
            let item = json!({"name": format!("{kind}-policy"), "namespace": "shop", "spec": {}});
            api.with(&format!("/policies/{kind}"), &list("AnyList", 7, vec![item]))
        });
    api.clone().page("/policies").await.assert_shows("approval-policy");
    let slas = api.clone().page("/policies?kind=sla").await;
    slas.assert_shows("sla-policy");
    slas.assert_shows("/policies/shop/sla-policy?kind=sla");
    assert_eq!(api.page("/policies?kind=none").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn nothing_in_a_page_needs_what_the_policy_forbids() {
    let api = Api::signed_in()
        .with("/incidents", &list("IncidentList", 1, vec![incident()]))
        .with("/approvals", &list("ApprovalRequestList", 1, vec![approval()]));
    let page = api.page("/").await;
    assert!(!page.html.contains(" style="), "a style attribute");
    assert!(!page.html.contains("http://"), "another host");
    for script in page.html.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap_or_default();
        assert!(tag.contains("nonce="), "a script without nonce: {tag}");
    }
}

#[tokio::test]
async fn a_page_of_a_cluster_that_is_away_says_since_when() {
    let away = ServerInfo {
        data_as_of: Some("2026-09-23T11:48:00Z".into()),
        ..ServerInfo::default()
    };
    let page = Api::of_a_server(away).page("/").await;
    page.assert_shows("The cluster does not answer. What is shown was true ");
    page.assert_shows("12 m ago");
    let page = Api::signed_in().page("/").await;
    assert!(!page.text().contains("The cluster does not answer"));
}
