//! What the server may do in a cluster, and nothing else: the table from which `deploy/rbac.yaml` is made. A kind that is
//! stored is read; what is written stands here, and a test calls every route under these rights.

use super::keys;
use crate::resources::{COST_LEDGER, GROUP, Kind};
use std::fmt::{self, Display, Write as _};

const READ: &str = "get, list, watch";

/// What people may change of some kinds.
struct Right {
    why: &'static str,
    kinds: &'static [Kind],
    part: Part,
    verbs: &'static str,
}

#[derive(Clone, Copy)]
enum Part {
    Object,
    Status,
}

const WRITES: [Right; 4] = [
    Right {
        why: "What people mark.",
        kinds: &[Kind::Instance, Kind::Issue, Kind::PostMortem],
        part: Part::Object,
        verbs: "patch",
    },
    Right {
        why: "What people decide.",
        kinds: &[Kind::ApprovalRequest, Kind::Issue, Kind::PostMortem],
        part: Part::Status,
        verbs: "patch",
    },
    Right {
        why: "Procedures that people write.",
        kinds: &[Kind::Runbook],
        part: Part::Object,
        verbs: "create, delete, patch",
    },
    Right {
        why: "Who decided it.",
        kinds: &[Kind::AuditEvent],
        part: Part::Object,
        verbs: "create",
    },
];

/// The service account, its roles and their bindings, for a server that runs in this namespace. It sees the namespaces that are
/// named, or all where none is.
#[derive(Clone, Copy, Debug)]
pub struct Manifests<'a> {
    pub namespace: &'a str,
    pub watched: &'a [String],
}

// === impl Manifests ===

impl Display for Manifests<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, watched } = *self;
        writeln!(
            f,
            "# What the server needs in a cluster, and nothing else. Made by `opsdeck rbac`; --namespace and --watch-namespaces fit it in."
        )?;
        write!(
            f,
            "apiVersion: v1\nkind: ServiceAccount\n{}",
            metadata("opsdeck", Some(namespace))
        )?;
        role(f, "ClusterRole", &metadata("opsdeck", None), &objects())?;
        if watched.is_empty() {
            let name = metadata("opsdeck", None);
            binding(f, ("ClusterRoleBinding", &name), ("ClusterRole", "opsdeck"), namespace)?;
        }
        for watched in watched {
            let name = metadata("opsdeck", Some(watched));
            binding(f, ("RoleBinding", &name), ("ClusterRole", "opsdeck"), namespace)?;
        }
        let name = metadata("opsdeck-keys", Some(namespace));
        f.write_str("---\n# The API keys, in the namespace of the operator.\n")?;
        role_body(f, "Role", &name, &secrets())?;
        binding(f, ("RoleBinding", &name), ("Role", "opsdeck-keys"), namespace)
    }
}

fn metadata(name: &str, namespace: Option<&str>) -> String {
    let mut text = format!("metadata:\n  name: {name}\n");
    if let Some(namespace) = namespace {
        let _ = writeln!(text, "  namespace: {namespace}");
    }
    text.push_str("  labels: { app.kubernetes.io/name: opsdeck }\n");
    text
}

fn role(f: &mut fmt::Formatter<'_>, kind: &str, metadata: &str, rules: &str) -> fmt::Result {
    f.write_str("---\n")?;
    role_body(f, kind, metadata, rules)
}

fn role_body(f: &mut fmt::Formatter<'_>, kind: &str, metadata: &str, rules: &str) -> fmt::Result {
    write!(
        f,
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n{metadata}rules:\n{rules}"
    )
}

fn binding(
    f: &mut fmt::Formatter<'_>,
    (kind, metadata): (&str, &str),
    (role_kind, role): (&str, &str),
    namespace: &str,
) -> fmt::Result {
    write!(
        f,
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n{metadata}roleRef:\n  \
         apiGroup: rbac.authorization.k8s.io\n  kind: {role_kind}\n  name: {role}\nsubjects:\n  - kind: ServiceAccount\n    \
         name: opsdeck\n    namespace: {namespace}\n"
    )
}

fn objects() -> String {
    let mut rules = String::from("  # What is shown.\n");
    let mut ours = Vec::new();
    for kind in Kind::ALL {
        match group(kind) {
            GROUP => ours.push(kind.plural()),
            group => {
                let name = (kind == Kind::ConfigMap).then_some(COST_LEDGER);
                rules.push_str(&rule(group, &[kind.plural()], name, READ));
            }
        }
    }
    ours.sort_unstable();
    rules.push_str(&rule(GROUP, &ours, None, READ));
    for right in WRITES {
        let part = match right.part {
            Part::Object => "",
            Part::Status => "/status",
        };
        let resources: Vec<_> = (right.kinds.iter())
            .map(|kind| format!("{}{part}", kind.plural()))
            .collect();
        let resources: Vec<_> = resources.iter().map(String::as_str).collect();
        let _ = writeln!(rules, "  # {}", right.why);
        rules.push_str(&rule(GROUP, &resources, None, right.verbs));
    }
    rules
}

fn secrets() -> String {
    rule("", &["secrets"], Some(keys::SECRET), READ) + &rule("", &["configmaps"], Some(keys::CONFIG_MAP), READ)
}

fn rule(group: &str, resources: &[&str], name: Option<&str>, verbs: &str) -> String {
    let group = if group.is_empty() { "\"\"" } else { group };
    let mut text = format!("  - apiGroups: [{group}]\n");
    match resources {
        [] | [_] | [_, _] | [_, _, _] => {
            let _ = writeln!(text, "    resources: [{}]", resources.join(", "));
        }
        many => {
            let _ = writeln!(text, "    resources:\n      - {}", many.join("\n      - "));
        }
    }
    if let Some(name) = name {
        let _ = writeln!(text, "    resourceNames: [{name}]");
    }
    let _ = writeln!(text, "    verbs: [{verbs}]");
    text
}

fn group(kind: Kind) -> &'static str {
    kind.api_version().split_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn manifests(watched: &[&str]) -> String {
        let watched: Vec<_> = watched.iter().map(ToString::to_string).collect();
        let namespace = "chatcli-system";
        Manifests {
            namespace,
            watched: &watched,
        }
        .to_string()
    }

    #[test]
    fn what_is_deployed_is_what_the_table_says() {
        let deployed = include_str!("../../../../deploy/rbac.yaml");
        assert!(
            deployed == manifests(&[]),
            "deploy/rbac.yaml is another one: cargo run -p opsdeck -- rbac > deploy/rbac.yaml"
        );
    }

    #[test]
    fn what_is_written_has_that_part() {
        for right in WRITES {
            assert!(right.kinds.iter().all(|kind| group(*kind) == GROUP), "{}", right.why);
            let has_it = |kind: &Kind| matches!(right.part, Part::Object) || kind.has_status();
            assert!(right.kinds.iter().all(has_it), "{}", right.why);
        }
    }

    #[test]
    fn of_named_namespaces_nothing_is_bound_in_the_cluster() {
        let documents: Vec<Value> = serde_saphyr::from_multiple(&manifests(&["edge", "shop"])).unwrap();
        let bound: Vec<_> = (documents.iter())
            .filter(|document| document["kind"].as_str().is_some_and(|kind| kind.ends_with("Binding")))
            .map(|document| {
                (
                    document["kind"].as_str().unwrap(),
                    document["metadata"]["namespace"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            bound,
            [
                ("RoleBinding", "edge"),
                ("RoleBinding", "shop"),
                ("RoleBinding", "chatcli-system")
            ]
        );
        let subjects = documents
            .iter()
            .flat_map(|document| document["subjects"].as_array())
            .flatten();
        assert!(
            subjects
                .into_iter()
                .all(|subject| subject["namespace"] == "chatcli-system")
        );
    }
}
