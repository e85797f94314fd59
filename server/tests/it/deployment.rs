//! What is deployed fits the binary: manifests, alert rules and image name only what there is. Whether a cluster takes the
//! manifests is asked in `tests/cluster`.

use clap::CommandFactory as _;
use opsdeck::{cli::Cli, listen::Manners, run, telemetry::metrics::Metrics};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn documents(path: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The objects that a kustomization names.
fn resources(directory: &str) -> Vec<Value> {
    let [kustomization] = &documents(&format!("{directory}/kustomization.yaml"))[..] else {
        panic!("{directory}: one document");
    };
    let files = kustomization["resources"].as_array().expect("resources");
    let paths = files
        .iter()
        .map(|file| format!("{directory}/{}", file.as_str().expect("a file")));
    paths.flat_map(|path| documents(&path)).collect()
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    let found: Vec<_> = objects.iter().filter(|object| object["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "one {kind}");
    found[0]
}

fn deployment() -> Value {
    of_kind(&resources("deploy"), "Deployment").clone()
}

/// The environment variables that `serve` reads.
fn variables() -> BTreeSet<String> {
    let line = Cli::command();
    let serve = line.find_subcommand("serve").expect("a command");
    (serve.get_arguments().chain(line.get_arguments()))
        .filter_map(|flag| flag.get_env()?.to_str().map(str::to_owned))
        .collect()
}

fn named(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .map(|entry| entry["name"].as_str().expect("a name"))
}

#[test]
fn everything_selects_the_pods_of_the_deployment_and_ports_that_they_have() {
    let objects = resources("deploy");
    let deployment = of_kind(&objects, "Deployment");
    let template = &deployment["spec"]["template"];
    let labels = &template["metadata"]["labels"];
    for selected in [
        &deployment["spec"]["selector"]["matchLabels"],
        &of_kind(&objects, "Service")["spec"]["selector"],
        &of_kind(&objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        &of_kind(&objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        &of_kind(&resources("deploy/alerts"), "PodMonitor")["spec"]["selector"]["matchLabels"],
    ] {
        assert_eq!(selected, labels);
    }
    let container = &template["spec"]["containers"][0];
    let ports: BTreeSet<_> = named(&container["ports"]).collect();
    let mut used: BTreeSet<_> = ["startupProbe", "livenessProbe", "readinessProbe"]
        .into_iter()
        .map(|probe| container[probe]["httpGet"]["port"].as_str().expect(probe))
        .collect();
    used.extend(of_kind(&objects, "Service")["spec"]["ports"][0]["targetPort"].as_str());
    used.extend(
        (of_kind(&objects, "NetworkPolicy")["spec"]["ingress"]
            .as_array()
            .unwrap()
            .iter())
        .flat_map(|rule| rule["ports"].as_array().unwrap())
        .map(|port| port["port"].as_str().unwrap()),
    );
    assert_eq!(used, ports);
    let account = &of_kind(&objects, "ServiceAccount")["metadata"]["name"];
    assert_eq!(&template["spec"]["serviceAccountName"], account);
    assert_eq!(
        of_kind(&objects, "Service")["spec"]["ports"][0]["port"],
        8090,
        "upstream's port"
    );
}

#[test]
fn manifests_leave_the_namespace_to_the_kustomization() {
    // The rights can be applied by themselves, and so name one, which the kustomization replaces.
    let rights =
        |object: &&Value| object["kind"] == "ServiceAccount" || object["apiVersion"] == "rbac.authorization.k8s.io/v1";
    let (manifests, alerts) = (resources("deploy"), resources("deploy/alerts"));
    for object in manifests.iter().chain(&alerts).filter(|object| !rights(object)) {
        assert!(
            object["metadata"]["namespace"].is_null(),
            "{}",
            object["metadata"]["name"]
        );
    }
}

#[test]
fn the_pods_are_told_what_the_server_reads() {
    let known = variables();
    let mut told: Vec<Value> = vec![deployment()];
    for component in ["deploy/session-secret", "deploy/tls"] {
        let [kustomization] = &documents(&format!("{component}/kustomization.yaml"))[..] else {
            panic!("{component}: one document");
        };
        let patch = kustomization["patches"][0]["patch"].as_str().unwrap();
        told.push(serde_saphyr::from_str(patch).unwrap());
    }
    for deployment in told {
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        let names: Vec<_> = named(&container["env"]).collect();
        assert!(!names.is_empty());
        for name in names {
            assert!(known.contains(name), "{name} is no variable of `opsdeck serve`");
        }
    }
}

#[test]
fn a_pod_has_the_time_that_its_end_takes() {
    let needed = Manners::default().drain + run::LAST_WRITES;
    let granted = deployment()["spec"]["template"]["spec"]["terminationGracePeriodSeconds"].as_u64();
    assert!(granted > Some(needed.as_secs()), "{granted:?}");
}

#[test]
fn alerts_ask_for_figures_that_there_are() {
    let metrics = Metrics::default();
    metrics.data_aged("Issue", Some(0));
    metrics.requests.answered("GET", 200, std::time::Duration::ZERO);
    let shown = metrics.text();
    let shows = |name: &str| {
        shown
            .lines()
            .any(|line| line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} ")))
    };
    let rules = resources("deploy/alerts");
    let rules = of_kind(&rules, "PrometheusRule");
    let rules: Vec<_> = (rules["spec"]["groups"].as_array().unwrap().iter())
        .flat_map(|group| group["rules"].as_array().unwrap())
        .collect();
    let recorded: BTreeSet<_> = rules.iter().filter_map(|rule| rule["record"].as_str()).collect();
    let mut asked = BTreeSet::new();
    for rule in &rules {
        let expression = rule["expr"].as_str().unwrap();
        let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        asked.extend(words.filter(|word| word.starts_with("opsdeck")));
        for (_, bucket) in expression
            .match_indices("{le=")
            .map(|(at, _)| expression[at..].split_at(1))
        {
            let bucket = bucket.split('}').next().unwrap();
            assert!(shown.contains(bucket), "{bucket} in {shown}");
        }
    }
    assert!(asked.len() > 10, "{asked:?}");
    for name in asked {
        assert!(recorded.contains(name) || shows(name), "{name} in {shown}");
    }
}

/// What stands after `word` in the instructions of the Dockerfile, up to the end of the line.
fn instructed<'a>(dockerfile: &'a str, word: &str) -> Vec<&'a str> {
    let instructions = dockerfile.lines().filter(|line| !line.starts_with('#'));
    let rests: Vec<_> = instructions
        .filter_map(|line| {
            line.split_once(word)
                .map(|(_, rest)| rest.trim_end_matches('\\').trim())
        })
        .collect();
    assert!(!rests.is_empty(), "{word}");
    rests
}

#[test]
fn the_image_is_built_by_words_that_there_are() {
    let (dockerfile, makefile, ignored) = (text("Dockerfile"), text("Makefile"), text(".dockerignore"));
    for word in instructed(&dockerfile, "make ") {
        assert!(makefile.contains(&format!("\n{word}:")), "make {word}");
    }
    for script in instructed(&dockerfile, "RUN scripts/") {
        let (script, argument) = script.split_once(' ').unwrap();
        assert!(
            text(&format!("scripts/{script}")).contains(&format!("{argument} | ")),
            "{script} {argument}"
        );
    }
    for copied in instructed(&dockerfile, "COPY ") {
        let mut sources: Vec<_> = copied.split_whitespace().collect();
        sources.pop();
        if sources[0].starts_with("--from") {
            continue;
        }
        for source in sources {
            assert!(root().join(source).exists(), "{source}");
            assert!(
                !ignored.lines().any(|line| line == source),
                "{source} is not sent to the engine"
            );
        }
    }
    let line = Cli::command();
    for command in instructed(&dockerfile, "CMD ") {
        let words: Vec<String> = serde_json::from_str(command).unwrap();
        let command = words.last().unwrap();
        assert!(line.find_subcommand(command).is_some(), "opsdeck {command}");
    }
}

#[test]
fn image_and_deployment_agree_on_version_and_user() {
    let deployment = deployment();
    let pod = &deployment["spec"]["template"]["spec"];
    let image = format!("opsdeck:{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(pod["containers"][0]["image"], image.as_str());
    let dockerfile = text("Dockerfile");
    assert!(dockerfile.contains(&image));
    let user = dockerfile
        .lines()
        .find_map(|line| line.strip_prefix("USER "))
        .expect("a user");
    let context = &pod["securityContext"];
    assert_eq!(user, format!("{}:{}", context["runAsUser"], context["runAsGroup"]));
}
