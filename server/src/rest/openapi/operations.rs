//! What each operation is for, what it takes and what it answers, by the name of its handler.

use super::{
    book::{Book, Operation},
    schemas::{Has, Schemas},
};
use crate::{
    resources::{
        AIInsight, ApprovalPolicy, ApprovalRequest, AuditEvent, ClusterRegistration, Instance, Issue, Kind, PostMortem,
        RemediationPlan, Runbook, ServiceLevelObjective, ai_insight::AIInsightStatus,
        remediation_plan::RemediationPlanStatus,
    },
    rest::{
        approvals::{APPROVAL, APPROVALS},
        audit::EVENTS,
        clusters::{CLUSTER, CLUSTERS},
        events::told,
        incidents::{INCIDENT, INCIDENTS},
        insights::{INSIGHT, INSIGHTS},
        instances::{INSTANCE, INSTANCES},
        postmortems::{POSTMORTEM, POSTMORTEMS},
        remediations::{REMEDIATION, REMEDIATIONS},
        runbooks::{RUNBOOK, RUNBOOKS},
        slos::{SLO, SLOS},
    },
};
use opsdeck_api::{
    Status,
    analytics::{
        AnalyticsSummary, CapacityForecast, ComplianceReport, CostSummary, MeanPoint, RemediationStat, TopResource,
        TrendPoint,
    },
    approval::ApprovalItem,
    audit::AuditEventItem,
    bulk::BulkResult,
    cluster::{ClusterItem, CorrelationItem, FederationStatus, GlobalClusterStatus},
    incident::{IncidentItem, TimelineItem},
    insight::InsightItem,
    instance::{InstanceDetail, InstanceItem},
    policy::PolicyItem,
    postmortem::PostMortemItem,
    remediation::{RemediationDetail, RemediationItem},
    request::{
        BulkBody, FeedbackBody, HumanActionBody, NewRunbookBody, ResolveBody, ReviewBody, RunbookBody, SessionBody,
        SnoozeBody, VoteBody,
    },
    runbook::RunbookItem,
    search::SearchResult,
    slo::{SloBudget, SloItem},
    whoami::WhoAmI,
};
use serde_json::{Map, Value, json};

/// Of a policy, as it is stored.
type Stored = Option<Map<String, Value>>;

/// The chapters, and the operations in them.
pub(super) fn all(schemas: &mut Schemas) -> (Vec<Value>, Vec<Operation>) {
    let mut book = Book::new(schemas);
    incidents(&mut book);
    approvals(&mut book);
    instances(&mut book);
    remedies(&mut book);
    postmortems(&mut book);
    objectives(&mut book);
    analytics(&mut book);
    clusters(&mut book);
    records(&mut book);
    access(&mut book);
    book.finish()
}

fn incidents(book: &mut Book<'_>) {
    book.chapter("incidents", "What is wrong, or was: the Issues of the cluster.");
    book.list::<Issue, IncidentItem>("list_incidents", "List incidents", &INCIDENTS);
    book.object::<IncidentItem>("get_incident", "Read one incident", &INCIDENT);
    book.whole::<TimelineItem>(
        "get_incident_timeline",
        "What happened when, as the post-mortem tells it",
        "IncidentTimeline",
    )
    .query("namespace", json!({ "type": "string" }), "Of the incident.")
    .refused_with(409);
    let plans = book.schemas().list::<RemediationItem>(REMEDIATIONS.kind);
    book.read(
        "list_incident_remediations",
        "List the plans that were made for an incident",
        plans,
    )
    .query("namespace", json!({ "type": "string" }), "Of the incident.")
    .paged()
    .table()
    .refused_with(409);
    book.deed::<IncidentItem>("acknowledge_incident", "Say that somebody has seen it", &INCIDENT);
    book.deed::<IncidentItem>("unacknowledge_incident", "Take the acknowledgement back", &INCIDENT);
    book.deed::<IncidentItem>("snooze_incident", "Keep quiet about it for a while", &INCIDENT)
        .body::<SnoozeBody>();
    book.deed::<IncidentItem>("unsnooze_incident", "Stop keeping quiet about it", &INCIDENT);
    book.deed::<IncidentItem>("resolve_incident", "Say that it is over", &INCIDENT)
        .optional_body::<ResolveBody>();
    let result = book.schemas().answer::<BulkResult>();
    book.add(
        "change_incidents",
        "Do one thing to many incidents",
        "application/json",
        result,
    )
    .body::<BulkBody>()
    .answered(200, "What became of each.");
}

fn approvals(book: &mut Book<'_>) {
    book.chapter(
        "approvals",
        "What the operator asks to be allowed to do. One key, one vote.",
    );
    book.list::<ApprovalRequest, ApprovalItem>("list_approvals", "List approval requests", &APPROVALS);
    book.object::<ApprovalItem>(
        "get_approval",
        "Read one approval request with all that it takes to decide",
        &APPROVAL,
    );
    book.deed::<ApprovalItem>("approve_approval", "Vote for it", &APPROVAL)
        .body::<VoteBody>();
    book.deed::<ApprovalItem>("reject_approval", "Vote against it", &APPROVAL)
        .body::<VoteBody>();
}

fn instances(book: &mut Book<'_>) {
    book.chapter("instances", "The managed ChatCLI servers.");
    book.list::<Instance, InstanceItem>("list_instances", "List instances", &INSTANCES);
    book.object::<InstanceDetail>("get_instance", "Read one instance", &INSTANCE);
    book.deed::<InstanceDetail>("reprobe_instance", "Have its server looked at again at once", &INSTANCE);
}

fn remedies(book: &mut Book<'_>) {
    book.chapter(
        "remediation",
        "How incidents are understood and ended: insights, plans, runbooks.",
    );
    book.list::<AIInsight, InsightItem>("list_insights", "List AI insights", &INSIGHTS);
    book.object_with::<InsightItem, AIInsightStatus>(
        "get_insight",
        "Read one AI insight",
        &INSIGHT,
        Has::StatusAndMeta,
    );
    book.list::<RemediationPlan, RemediationItem>("list_remediations", "List remediation plans", &REMEDIATIONS);
    book.object_with::<RemediationDetail, RemediationPlanStatus>(
        "get_remediation",
        "Read one remediation plan with its evidence and history",
        &REMEDIATION,
        Has::StatusAndMeta,
    );
    book.list::<Runbook, RunbookItem>("list_runbooks", "List runbooks", &RUNBOOKS);
    book.object_with::<RunbookItem, RunbookItem>("get_runbook", "Read one runbook", &RUNBOOK, Has::Meta);
    let runbook = book
        .schemas()
        .object::<RunbookItem, RunbookItem>(RUNBOOK.kind, RUNBOOK.kind, Has::Meta);
    book.add("create_runbook", "Write a new runbook", "application/json", runbook)
        .body::<NewRunbookBody>()
        .answered(201, "As it is stored.")
        .refused_with(404)
        .refused_with(409);
    book.deed_with::<RunbookItem>(
        "update_runbook",
        "Replace what a runbook says",
        &RUNBOOK,
        RUNBOOK.kind,
        Has::Meta,
    )
    .body::<RunbookBody>();
    let status = book.schemas().answer::<Status>();
    book.add("delete_runbook", "Delete a runbook", "application/json", status)
        .query(
            "namespace",
            json!({ "type": "string" }),
            "Of the object. `default` without.",
        )
        .refused_with(409);
}

fn postmortems(book: &mut Book<'_>) {
    book.chapter("postmortems", "What happened, why, and what to change.");
    book.list::<PostMortem, PostMortemItem>("list_postmortems", "List post-mortems", &POSTMORTEMS);
    book.object::<PostMortemItem>("get_postmortem", "Read one post-mortem", &POSTMORTEM);
    book.deed::<PostMortemItem>("review_postmortem", "Put it under review", &POSTMORTEM)
        .optional_body::<ReviewBody>();
    book.deed::<PostMortemItem>("close_postmortem", "Close it", &POSTMORTEM)
        .optional_body::<ReviewBody>();
    book.deed::<PostMortemItem>("rate_postmortem", "Say how well the machine did", &POSTMORTEM)
        .body::<FeedbackBody>();
    book.deed_with::<PostMortemItem>(
        "acknowledge_human_action",
        "Say that what was left to people is done",
        &POSTMORTEM,
        "PostMortemAcknowledged",
        Has::Status,
    )
    .optional_body::<HumanActionBody>();
}

fn objectives(book: &mut Book<'_>) {
    book.chapter("objectives", "What services promise, and what they may still spend.");
    book.list::<ServiceLevelObjective, SloItem>("list_slos", "List service level objectives", &SLOS);
    book.object::<SloItem>("get_slo", "Read one objective", &SLO);
    book.report::<SloBudget>("get_slo_budget", "Read the error budget of an objective", "SLOBudget")
        .query(
            "namespace",
            json!({ "type": "string" }),
            "Of the object. Needed where the name is in several.",
        )
        .refused_with(409);
}

fn analytics(book: &mut Book<'_>) {
    book.chapter("analytics", "Figures over whole kinds.");
    let whole = |book: &mut Book<'_>| {
        book.namespaces().period();
    };
    book.report::<AnalyticsSummary>("get_summary", "Count everything", "AnalyticsSummary");
    whole(book);
    book.whole::<MeanPoint>("get_mttd", "Mean time to detect, day by day, in seconds", "MTTDMetrics");
    whole(book);
    book.whole::<MeanPoint>("get_mttr", "Mean time to repair, day by day, in seconds", "MTTRMetrics");
    whole(book);
    book.whole::<TrendPoint>("get_trends", "Incidents by day or week", "IssueTrends");
    let buckets = json!({ "type": "string", "enum": ["day", "week"], "default": "day" });
    book.query("groupBy", buckets, "How long a bucket is.");
    whole(book);
    book.whole::<TopResource>("get_top_resources", "What most incidents are about", "TopResources");
    let limit = json!({ "type": "integer", "minimum": 1, "default": 10 });
    book.query("limit", limit, "How many.");
    whole(book);
    book.whole::<RemediationStat>(
        "get_remediation_stats",
        "How strategies have worked",
        "RemediationStats",
    );
    whole(book);
    book.report::<ComplianceReport>(
        "get_compliance",
        "How well promises were kept; the last 7 days without a period",
        "ComplianceReport",
    );
    whole(book);
    book.whole::<CapacityForecast>(
        "get_capacity",
        "How close workloads with incidents are to their limits",
        "CapacityForecastList",
    );
    whole(book);
    book.report::<CostSummary>(
        "get_cost",
        "What the models have cost; the last 30 days without a period",
        "CostSummary",
    );
    whole(book);
}

fn clusters(book: &mut Book<'_>) {
    book.chapter("clusters", "The registered clusters, and what they have in common.");
    book.list::<ClusterRegistration, ClusterItem>("list_clusters", "List clusters", &CLUSTERS);
    book.last().parameters.retain(|parameter| parameter["name"] != "tier");
    book.report::<GlobalClusterStatus>("get_global_status", "All clusters at a glance", "GlobalClusterStatus");
    book.object::<ClusterItem>("get_cluster", "Read one cluster", &CLUSTER);
    book.report::<FederationStatus>(
        "get_federation_status",
        "Count clusters and active incidents",
        "FederationStatus",
    );
    book.report::<FederationStatus>(
        "get_federation",
        "Count clusters and active incidents",
        "FederationStatus",
    );
    let all = book.schemas().list::<ClusterItem>(CLUSTERS.kind);
    book.read("list_federation_clusters", "List all clusters on one page", all)
        .facets::<ClusterRegistration>(&["namespace"])
        .words::<ClusterRegistration>()
        .table();
    book.whole::<CorrelationItem>(
        "list_correlations",
        "List signals that appear in several clusters",
        "FederationCorrelations",
    );
}

fn records(book: &mut Book<'_>) {
    book.chapter("records", "Policies, the audit trail, and search over everything.");
    let kinds = [
        Kind::ApprovalPolicy,
        Kind::NotificationPolicy,
        Kind::EscalationPolicy,
        Kind::IncidentSLA,
    ];
    let policies = book.schemas().list::<PolicyItem>("PolicyList");
    book.schemas()
        .of_kinds("PolicyList", &kinds.map(|kind| format!("{kind}List")));
    book.read("list_policies", "List the policies of one kind", policies)
        .paged()
        .facets::<ApprovalPolicy>(&[])
        .words::<ApprovalPolicy>()
        .table();
    let policy = book
        .schemas()
        .object::<Stored, Stored>("Policy", "Policy", Has::StatusAndMeta);
    book.schemas().of_kinds("Policy", &kinds.map(|kind| kind.to_string()));
    book.read("get_policy", "Read one policy as it is stored, secrets masked", policy)
        .query(
            "namespace",
            json!({ "type": "string" }),
            "Of the object. Needed where the name is in several.",
        )
        .refused_with(409);
    book.list::<AuditEvent, AuditEventItem>("list_audit_events", "List audit events", &EVENTS);
    let event = book.schemas().answer::<AuditEventItem>();
    let export = book.schemas().component(
        "AuditEventExport",
        json!({
            "type": "object",
            "properties": {
                "apiVersion": { "type": "string", "const": "v1" },
                "kind": { "type": "string", "const": "AuditEventExport" },
                "exportedAt": { "type": "string", "format": "date-time" },
                "totalCount": { "type": "integer", "minimum": 0 },
                "items": { "type": "array", "items": event },
            },
            "required": ["apiVersion", "exportedAt", "items", "kind", "totalCount"],
        }),
    );
    book.read("export_audit_events", "Save the whole filtered trail as a file", export)
        .facets::<AuditEvent>(&[])
        .words::<AuditEvent>()
        .period();
    let found = book.schemas().list::<SearchResult>("SearchResultList");
    let limit = json!({ "type": "integer", "minimum": 1, "default": 20 });
    book.read("search", "Find objects of any kind", found)
        .query(
            "q",
            json!({ "type": "string" }),
            "Words that must all occur, in any case. Nothing without.",
        )
        .query("limit", limit, "How many; more than 50 count as 50.");
    let kinds = json!({ "type": "string", "description": "Kinds, joined with commas." });
    let names: Vec<_> = told().map(Kind::as_str).collect();
    let names = names.join(", ");
    book.add(
        "watch_events",
        "Be told what changes, while it changes, as server-sent events",
        "text/event-stream",
        json!({ "type": "string" }),
    )
    .query("kinds", kinds, &format!("Only of these: {names}."))
    .namespaces()
    .query(
        "lastEventId",
        json!({ "type": "string" }),
        "The last event that was seen, where the header Last-Event-ID cannot be set.",
    )
    .answered(200, "A stream without end.")
    .refused_with(400);
}

fn access(book: &mut Book<'_>) {
    book.chapter("access", "Who asks, sessions of browsers, and this document.");
    book.report::<WhoAmI>("get_whoami", "Say as whom the caller is known", "WhoAmI")
        .unconditional();
    book.add(
        "create_session",
        "Exchange a key for a session cookie",
        "application/json",
        Value::Null,
    )
    .optional_body::<SessionBody>()
    .answered(204, "The cookie is in `Set-Cookie`.");
    book.last().key_only = true;
    book.add("delete_session", "End the session", "application/json", Value::Null)
        .answered(204, "There is no session any more.");
    book.read("get_openapi", "Read this document", json!({ "type": "object" }));
}
