//! The kinds that have a list: where the API lists each and where the dashboard shows it, and which of them each read of the API is made
//! from. The event stream tells of these kinds and of no other. What their items are stands in the modules of the resources.

/// A kind with a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Listed {
    /// As the cluster calls it, and the event stream.
    pub kind: &'static str,
    /// As the envelope around one of them calls it; the one around a list of them has `List` behind it.
    pub envelope: &'static str,
    /// Where its list is, below `/api/v1`.
    pub list: &'static str,
    /// Address of its pages below the base path, and what has to follow a name in it.
    pub page: (&'static str, &'static str),
}

/// A new kind is one line here. Tests hold the routes, the search and the pages against this table.
pub static LISTED: [Listed; 14] = [
    Listed {
        envelope: "Incident",
        ..Listed::new("Issue", "/incidents", ("/incidents", ""))
    },
    Listed::new("ApprovalRequest", "/approvals", ("/approvals", "")),
    Listed::new("Instance", "/instances", ("/instances", "")),
    Listed::new("AIInsight", "/aiinsights", ("/insights", "")),
    Listed::new("RemediationPlan", "/remediations", ("/remediations", "")),
    Listed::new("PostMortem", "/postmortems", ("/postmortems", "")),
    Listed::new("Runbook", "/runbooks", ("/runbooks", "")),
    Listed::new("ServiceLevelObjective", "/slos", ("/slos", "")),
    Listed::new("ClusterRegistration", "/clusters", ("/clusters", "")),
    Listed::new("AuditEvent", "/audit", ("/audit", "")),
    Listed::new("ApprovalPolicy", "/policies/approval", ("/policies", "?kind=approval")),
    Listed::new(
        "NotificationPolicy",
        "/policies/notification",
        ("/policies", "?kind=notification"),
    ),
    Listed::new(
        "EscalationPolicy",
        "/policies/escalation",
        ("/policies", "?kind=escalation"),
    ),
    Listed::new("IncidentSLA", "/policies/sla", ("/policies", "?kind=sla")),
];

/// What the answers of other routes are made from: those that are not a kind's list, nor below it, or are made from something else there.
/// Answers that are also made from a kind without a list are in neither table.
pub static READS: [(&str, &[&str]); 13] = [
    ("/incidents/{name}/timeline", &["PostMortem"]),
    ("/incidents/{name}/remediation", &["RemediationPlan"]),
    (
        "/analytics/summary",
        &[
            "Issue",
            "RemediationPlan",
            "PostMortem",
            "Runbook",
            "ServiceLevelObjective",
            "ApprovalRequest",
        ],
    ),
    ("/analytics/mttd", &["Issue"]),
    ("/analytics/mttr", &["Issue"]),
    ("/analytics/trends", &["Issue"]),
    ("/analytics/top-resources", &["Issue"]),
    ("/analytics/remediation-stats", &["RemediationPlan", "Issue"]),
    (
        "/analytics/compliance",
        &[
            "Issue",
            "RemediationPlan",
            "ApprovalRequest",
            "AuditEvent",
            "IncidentSLA",
        ],
    ),
    ("/federation", &["ClusterRegistration", "Issue"]),
    ("/federation/status", &["ClusterRegistration", "Issue"]),
    ("/federation/clusters", &["ClusterRegistration"]),
    ("/federation/correlations", &["Issue"]),
];

// === impl Listed ===

impl Listed {
    const fn new(kind: &'static str, list: &'static str, page: (&'static str, &'static str)) -> Self {
        Self {
            kind,
            envelope: kind,
            list,
            page,
        }
    }

    /// The row of the kind that is called so.
    pub fn of(kind: &str) -> Option<&'static Self> {
        LISTED.iter().find(|listed| listed.kind == kind)
    }

    /// Whether an answer at this path, with or without its query, may be old when an object of the kind has changed. What is made from nobody
    /// knows what may be old whenever anything has.
    pub fn feeds(&self, path: &str) -> bool {
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        if let Some((_, kinds)) = READS.iter().find(|(route, _)| leads_to(route, path)) {
            return kinds.contains(&self.kind);
        }
        let owner = LISTED.iter().find(|listed| listed.has(path));
        owner.is_none_or(|owner| owner == self)
    }

    /// The list, and what lies below it.
    fn has(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.list);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Whether a route, such as `/policies/{kind}`, is the one of a path.
pub fn leads_to(route: &str, path: &str) -> bool {
    let mut path = path.split('/');
    let mut is_same = |segment: &str| {
        path.next()
            .is_some_and(|given| segment == given || segment.starts_with('{'))
    };
    route.split('/').all(&mut is_same) && path.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::{LISTED, Listed, READS, leads_to};

    fn kinds(path: &str) -> Vec<&'static str> {
        let feeding = LISTED.iter().filter(|listed| listed.feeds(path));
        feeding.map(|listed| listed.kind).collect()
    }

    #[test]
    fn a_path_below_a_list_is_made_from_its_kind_unless_a_row_says_otherwise() {
        assert_eq!(kinds("/incidents?state=Failed&q=/slos"), ["Issue"]);
        assert_eq!(kinds("/incidents/a?namespace=b"), ["Issue"]);
        assert_eq!(kinds("/incidents/a/timeline?namespace=b"), ["PostMortem"]);
        assert_eq!(kinds("/incidents/timeline"), ["Issue"], "a name");
        assert_eq!(kinds("/policies/sla/gold"), ["IncidentSLA"]);
        assert_eq!(kinds("/federation/correlations"), ["Issue"]);
    }

    #[test]
    fn what_nobody_knows_may_be_made_from_anything() {
        for path in ["/incidentsx", "/policies", "/analytics/cost", "/search?q=a", ""] {
            assert_eq!(kinds(path).len(), LISTED.len(), "{path}");
        }
    }

    #[test]
    fn the_rows_name_kinds_that_are_listed_and_each_is_listed_once() {
        for (route, kinds) in &READS {
            assert!(kinds.iter().all(|kind| Listed::of(kind).is_some()), "{route}");
        }
        for listed in &LISTED {
            assert_eq!(Listed::of(listed.kind), Some(listed));
            assert_eq!(kinds(listed.list), [listed.kind]);
        }
    }

    #[test]
    fn a_route_leads_to_paths_of_its_length() {
        assert!(leads_to("/policies/{kind}", "/policies/sla") && leads_to("/audit", "/audit"));
        for path in ["/policies", "/policies/sla/gold", "/police/sla", "/"] {
            assert!(!leads_to("/policies/{kind}", path), "{path}");
        }
    }
}
