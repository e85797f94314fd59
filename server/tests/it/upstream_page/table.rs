//! What the page asks for, view by view, what it reads of the answers, and what its buttons send.

use serde_json::Value;

/// Whether the page has words of its own for a member that is missing, null or empty.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Need {
    Must,
    May,
}

/// What the page does with a member, and so what that has to be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Use {
    /// Puts it on screen or into an address.
    Text,
    /// Puts each of them on screen.
    Texts,
    /// Gives it to `Date`.
    Time,
    /// Calculates with it.
    Number,
    /// Draws so many of five stars.
    Stars,
    /// Asks whether it holds.
    Flag,
    /// Goes through it.
    Rows,
    /// Reads members of it.
    Part,
}

/// Members that are treated alike: under which path, how, which.
pub(super) type Reads = (&'static str, Need, Use, &'static str);

/// One request, as it is sent: `{range}` stands for the time range that is chosen, `{incident}` for the name of one.
pub(super) struct Question {
    pub(super) view: &'static str,
    pub(super) paths: &'static [&'static str],
    pub(super) reads: &'static [Reads],
}

/// Something to press, on rows of a list.
pub(super) struct Button {
    pub(super) label: &'static str,
    pub(super) list: &'static str,
    pub(super) shown: fn(&Value) -> bool,
    pub(super) path: &'static str,
    pub(super) body: &'static str,
}

use Need::{May, Must};
use Use::{Flag, Number, Part, Rows, Stars, Text, Texts, Time};

pub(super) const QUESTIONS: &[Question] = &[
    // Of a sign-in it wants no more than a status other than 401.
    Question {
        view: "sign-in",
        paths: &["/incidents?pageSize=1"],
        reads: &[],
    },
    Question {
        view: "badge of the approvals",
        paths: &["/approvals?state=Pending&pageSize=1"],
        reads: &[("", May, Rows, "items"), ("metadata", May, Number, "totalCount")],
    },
    Question {
        view: "overview, figures and resources",
        paths: &["/analytics/summary?{range}"],
        reads: &[
            ("", Must, Part, "spec"),
            (
                "spec",
                May,
                Number,
                "openIssues containedIssues resolvedIssues totalIssues chaosInducedIssues",
            ),
            (
                "spec",
                May,
                Number,
                "remediatedIssues resolvedByRemediation totalRemediations avgRiskScore",
            ),
            (
                "spec",
                May,
                Number,
                "totalPostMortems postMortemsRequiringHumanAction pendingApprovals",
            ),
            ("spec", May, Number, "totalRunbooks totalSLOs slosAtRisk"),
        ],
    },
    Question {
        view: "overview, resources",
        paths: &["/incidents?pageSize=1"],
        reads: &[("metadata", May, Number, "totalCount")],
    },
    Question {
        view: "overview, severities, recent incidents, activity",
        paths: &[
            "/incidents?pageSize=100{range}",
            "/incidents?pageSize=20{range}",
            "/incidents?pageSize=10{range}",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace severity state signalType"),
            ("items[]", May, Time, "creationTimestamp"),
            ("items[]", May, Flag, "chaosInduced"),
            ("items[]", May, Number, "remediationAttempts"),
            ("items[]", May, Part, "resource"),
            ("items[].resource", May, Text, "kind name"),
        ],
    },
    Question {
        view: "overview, strategies",
        paths: &["/analytics/remediation-stats?{range}"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "action"),
            ("items[]", May, Number, "total successRate"),
        ],
    },
    Question {
        view: "overview, compliance",
        paths: &["/analytics/compliance?{range}"],
        reads: &[
            ("", Must, Part, "spec"),
            ("spec", May, Part, "IncidentMetrics SLAMetrics ApprovalMetrics"),
            // Nanoseconds, which it divides.
            ("spec.IncidentMetrics", May, Number, "MTTD MTTR"),
            (
                "spec.SLAMetrics",
                May,
                Number,
                "CompliancePercentage ResponseSLAViolations ResolutionSLAViolations",
            ),
            ("spec.ApprovalMetrics", May, Number, "AutoApproved ManualApproved"),
        ],
    },
    // The newest entry is the last one; nothing here is guarded.
    Question {
        view: "overview, means",
        paths: &["/analytics/mttd?{range}", "/analytics/mttr?{range}"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", Must, Text, "date"),
            ("items[]", Must, Number, "value count"),
        ],
    },
    Question {
        view: "overview, capacity",
        paths: &["/analytics/capacity?{range}"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "Urgency Recommendation"),
            ("items[]", May, Part, "Resource"),
            ("items[].Resource", May, Text, "Kind Name"),
        ],
    },
    Question {
        view: "incidents",
        paths: &[
            "/incidents?pageSize=100{range}",
            "/incidents?pageSize=100&severity=critical&state=Escalated&namespace=shop{range}",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", Must, Text, "name namespace"),
            (
                "items[]",
                May,
                Text,
                "severity state source signalType description resolution chaosExperiment",
            ),
            ("items[]", May, Time, "creationTimestamp detectedAt resolvedAt"),
            (
                "items[]",
                May,
                Number,
                "riskScore remediationAttempts maxRemediationAttempts",
            ),
            ("items[]", May, Flag, "chaosInduced requiresHumanAction"),
            ("items[]", May, Part, "resource"),
            ("items[].resource", May, Text, "kind name namespace"),
        ],
    },
    Question {
        view: "incidents, analysis of one",
        paths: &["/aiinsights?issue={incident}&pageSize=1"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "provider model analysis"),
            ("items[]", May, Number, "confidence"),
            ("items[]", May, Texts, "recommendations"),
        ],
    },
    Question {
        view: "SLOs",
        paths: &["/slos?pageSize=100{range}"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name service sli window state"),
            (
                "items[]",
                May,
                Number,
                "currentValue target errorBudgetTotal errorBudgetUsed errorBudgetRemaining",
            ),
        ],
    },
    Question {
        view: "approvals",
        paths: &[
            "/approvals?pageSize=100&state=Pending{range}",
            "/approvals?pageSize=100&state=Approved{range}",
            "/approvals?pageSize=100&state=Rejected{range}",
            "/approvals?pageSize=100{range}",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", Must, Text, "name namespace"),
            (
                "items[]",
                May,
                Text,
                "state requestedBy action resource reason approvedBy rejectedBy decisionReason",
            ),
            ("items[]", May, Time, "creationTimestamp decidedAt"),
            ("items[]", May, Number, "requiredApprovers"),
            ("items[]", May, Rows, "decisions"),
            ("items[].decisions[]", May, Text, "decision"),
            ("items[]", May, Part, "annotations"),
            ("items[].annotations", May, Text, "platform.chatcli.io/blast-risk-level"),
        ],
    },
    Question {
        view: "AI insights",
        paths: &["/aiinsights?pageSize=100", "/aiinsights?pageSize=100&issue={incident}"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace issueRef provider model analysis"),
            (
                "items[]",
                May,
                Text,
                "logAnalysis cascadeAnalysis gitOpsContext blastRadiusPrediction",
            ),
            ("items[]", May, Number, "confidence"),
            ("items[]", May, Time, "generatedAt creationTimestamp"),
            ("items[]", May, Texts, "recommendations"),
            ("items[]", May, Rows, "suggestedActions"),
            ("items[].suggestedActions[]", May, Text, "action name description"),
            ("items[].suggestedActions[]", May, Part, "params"),
        ],
    },
    Question {
        view: "remediations",
        paths: &[
            "/remediations?pageSize=100",
            "/remediations?pageSize=100&state=RolledBack",
            "/remediations?pageSize=100&state=Completed&issue={incident}",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace issueRef state strategy result"),
            ("items[]", May, Number, "attempt agenticStepCount"),
            ("items[]", May, Flag, "agenticMode"),
            ("items[]", May, Time, "startedAt completedAt creationTimestamp"),
            ("items[]", May, Rows, "actions"),
            ("items[].actions[]", May, Text, "type"),
            ("items[].actions[]", May, Part, "params"),
        ],
    },
    Question {
        view: "runbooks",
        paths: &["/runbooks?pageSize=100"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace description"),
            ("items[]", May, Number, "maxAttempts"),
            ("items[]", May, Time, "creationTimestamp"),
            ("items[]", May, Part, "trigger"),
            ("items[].trigger", May, Text, "signalType severity resourceKind"),
            ("items[]", May, Rows, "steps"),
            ("items[].steps[]", May, Text, "name action description"),
            ("items[].steps[]", May, Part, "params"),
        ],
    },
    Question {
        view: "post-mortems",
        paths: &["/postmortems?pageSize=100"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", Must, Text, "name namespace"),
            (
                "items[]",
                May,
                Text,
                "severity state duration issueRef summary rootCause impact",
            ),
            ("items[]", May, Text, "requiredAction chaosExperiment"),
            ("items[]", May, Flag, "requiresHumanAction chaosInduced"),
            ("items[]", May, Time, "creationTimestamp"),
            ("items[]", May, Part, "resource feedback"),
            ("items[].resource", May, Text, "kind name"),
            ("items[]", May, Texts, "lessonsLearned preventionActions"),
            ("items[]", May, Rows, "timeline actionsExecuted"),
            ("items[].timeline[]", May, Text, "type detail"),
            ("items[].timeline[]", May, Time, "timestamp"),
            ("items[].actionsExecuted[]", May, Text, "action result detail"),
            ("items[].actionsExecuted[]", May, Time, "timestamp"),
            ("items[].feedback", May, Text, "providedBy overrideRootCause comments"),
            ("items[].feedback", May, Time, "providedAt"),
            ("items[].feedback", May, Stars, "remediationAccuracy"),
        ],
    },
    Question {
        view: "clusters",
        paths: &["/clusters/global-status"],
        reads: &[
            ("", Must, Part, "spec"),
            (
                "spec",
                May,
                Number,
                "totalClusters healthyClusters degradedClusters offlineClusters",
            ),
            ("spec", May, Rows, "clusters"),
            (
                "spec.clusters[]",
                May,
                Text,
                "name displayName region environment tier version",
            ),
            (
                "spec.clusters[]",
                May,
                Number,
                "nodeCount namespaceCount activeIssues activeRemediations",
            ),
            ("spec.clusters[]", May, Flag, "connected"),
            ("spec.clusters[]", May, Time, "lastHealthCheck"),
        ],
    },
    Question {
        view: "clusters, federation",
        paths: &["/federation/status"],
        reads: &[
            ("", Must, Part, "spec"),
            (
                "spec",
                May,
                Number,
                "connectedClusters disconnectedClusters totalActiveIssues",
            ),
        ],
    },
    Question {
        view: "clusters, correlations",
        paths: &["/federation/correlations"],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "severity issue signalType correlatedClusters"),
            ("items[]", May, Flag, "cascade elevated"),
        ],
    },
    Question {
        view: "policies, approval",
        paths: &[
            "/policies/approval?pageSize=100",
            "/policies/approval?pageSize=100&namespace=shop",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace"),
            ("items[]", May, Part, "spec status"),
            ("items[].spec", May, Flag, "enabled"),
            ("items[].spec", May, Rows, "rules"),
            ("items[].status", May, Number, "totalApproved totalRejected"),
        ],
    },
    Question {
        view: "policies, notification",
        paths: &[
            "/policies/notification?pageSize=100",
            "/policies/notification?pageSize=100&namespace=shop",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace"),
            ("items[]", May, Time, "creationTimestamp"),
            ("items[]", May, Part, "spec"),
            ("items[].spec", May, Rows, "channels rules"),
        ],
    },
    Question {
        view: "policies, escalation",
        paths: &[
            "/policies/escalation?pageSize=100",
            "/policies/escalation?pageSize=100&namespace=shop",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace"),
            ("items[]", May, Part, "spec"),
            ("items[].spec", May, Flag, "enabled defaultPolicy"),
            ("items[].spec", May, Rows, "levels"),
            ("items[].spec", May, Texts, "severities"),
        ],
    },
    Question {
        view: "policies, SLA",
        paths: &[
            "/policies/sla?pageSize=100",
            "/policies/sla?pageSize=100&namespace=shop",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("items[]", May, Text, "name namespace"),
            ("items[]", May, Part, "spec status"),
            ("items[].spec", May, Text, "severity responseTime resolutionTime"),
            ("items[].status", May, Number, "totalViolations compliancePercentage"),
        ],
    },
    Question {
        view: "audit",
        paths: &[
            "/audit?pageSize=100{range}",
            "/audit?pageSize=100&type=remediation_failed&severity=warning{range}",
        ],
        reads: &[
            ("", Must, Rows, "items"),
            ("metadata", May, Number, "totalCount"),
            (
                "items[]",
                May,
                Text,
                "name eventType severity actorName actorType correlationId detail",
            ),
            ("items[]", May, Text, "resourceKind resourceName resourceNamespace"),
            ("items[]", May, Time, "timestamp creationTimestamp"),
        ],
    },
];

/// What the page looks for in vain, at the operator too: it says `Unknown` and `-` in their place.
pub(super) const IN_VAIN: &[&str] = &[
    "overview, capacity: items[]: Recommendation",
    "overview, capacity: items[].Resource: Kind",
    "overview, capacity: items[].Resource: Name",
];

/// Shown to every role.
pub(super) const BUTTONS: &[Button] = &[
    Button {
        label: "acknowledge",
        list: "/incidents",
        shown: |incident| !ended(incident),
        path: "/incidents/{name}/acknowledge?namespace={namespace}",
        body: "{}",
    },
    Button {
        label: "snooze",
        list: "/incidents",
        shown: |incident| !ended(incident),
        path: "/incidents/{name}/snooze?namespace={namespace}",
        body: r#"{"duration":"1h"}"#,
    },
    Button {
        label: "resolve",
        list: "/incidents",
        shown: |incident| incident["state"] == "Escalated" || incident["state"] == "Contained",
        path: "/incidents/{name}/resolve?namespace={namespace}",
        body: r#"{"resolution":""}"#,
    },
    Button {
        label: "approve",
        list: "/approvals",
        shown: |request| request["state"] == "Pending",
        path: "/approvals/{name}/approve?namespace={namespace}",
        body: r#"{"approver":"Mira","reason":""}"#,
    },
    Button {
        label: "reject",
        list: "/approvals",
        shown: |request| request["state"] == "Pending",
        path: "/approvals/{name}/reject?namespace={namespace}",
        body: r#"{"approver":"Mira","reason":"not now"}"#,
    },
    Button {
        label: "review",
        list: "/postmortems",
        shown: |postmortem| postmortem["state"] != "Closed" && !left_to_people(postmortem),
        path: "/postmortems/{name}/review?namespace={namespace}",
        body: r#"{"reviewer":"web-ui"}"#,
    },
    Button {
        label: "close",
        list: "/postmortems",
        shown: |postmortem| postmortem["state"] != "Closed" && !left_to_people(postmortem),
        path: "/postmortems/{name}/close?namespace={namespace}",
        body: r#"{"reviewer":"web-ui","notes":"done"}"#,
    },
    Button {
        label: "acknowledge what is left to people",
        list: "/postmortems",
        shown: left_to_people,
        path: "/postmortems/{name}/ack-human-action?namespace={namespace}",
        body: r#"{"acknowledgedBy":"web-ui","note":""}"#,
    },
    Button {
        label: "feedback",
        list: "/postmortems",
        shown: |postmortem| postmortem["feedback"].is_null(),
        path: "/postmortems/{name}/feedback?namespace={namespace}",
        body: r#"{"overrideRootCause":"","remediationAccuracy":4,"comments":"","providedBy":"Mira"}"#,
    },
];

fn ended(incident: &Value) -> bool {
    incident["state"] == "Resolved" || incident["state"] == "Contained"
}

fn left_to_people(postmortem: &Value) -> bool {
    postmortem["requiresHumanAction"] == true
}
