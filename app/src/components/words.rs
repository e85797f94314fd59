//! Plain words for the vocabulary of the resources. Unknown words of a newer operator are split into words and shown.

use opsdeck_api::{ResourceRef, StringMap};

/// `1 vote`, `3 votes`.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    let thousands = thousands(count);
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{thousands} {many}")
    }
}

/// `12 345`, with a space that does not break.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `critical` as it stands in a table. The vocabulary is ASCII, and Unicode's tables of letters would be a twentieth of the bundle.
pub(crate) fn capitalised(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// A title inside a sentence.
pub(crate) fn uncapitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

/// What a signal means: `oom_kill` is `OOM kill`.
pub(crate) fn signal(text: &str) -> String {
    let words: Vec<_> = text
        .split('_')
        .map(|word| match word {
            "oom" => "OOM",
            "hpa" => "HPA",
            "pvc" => "PVC",
            "cpu" => "CPU",
            "pid" => "PID",
            "slo" => "SLO",
            "argocd" => "Argo CD",
            "cronjob" => "CronJob",
            "crashloop" => "crash loop",
            "backoff" => "back-off",
            "deploy" => "deployment",
            other => other,
        })
        .collect();
    capitalised(&words.join(" "))
}

/// The name of a member as it stands before its value: `timeoutMinutes` is `Timeout minutes`.
pub(crate) fn member_name(name: &str) -> String {
    let words: Vec<_> = camel_words(name)
        .into_iter()
        .map(|word| {
            if is_name(word) {
                word.to_owned()
            } else {
                uncapitalised(word)
            }
        })
        .collect();
    capitalised(&words.join(" ").replace('_', " "))
}

/// What an action does, as a verb with its object: `RollbackDeployment` is `Roll back Deployment`.
pub(crate) fn action(kind: &str) -> String {
    match kind {
        "ExecDiagnostic" => return "Run a diagnostic command".into(),
        "PatchConfig" => return "Patch ConfigMap".into(),
        "ArgoSyncApp" => return "Sync Argo CD application".into(),
        "HelmRollback" => return "Roll back Helm release".into(),
        "ApplyManifest" => return "Apply manifest".into(),
        "Custom" => return "Custom action".into(),
        _ => {}
    }
    let words: Vec<_> = camel_words(kind)
        .into_iter()
        .enumerate()
        .map(|(index, word)| match (index, word) {
            (0, "Rollback") => "Roll back".to_owned(),
            (0, _) => word.to_owned(),
            _ if is_name(word) => word.to_owned(),
            _ => word.to_ascii_lowercase(),
        })
        .collect();
    words.join(" ")
}

/// What the whole request would do, in one line: `Stop payout-worker`, `Rotate secret edge-wildcard-tls, then restart edge-proxy`.
/// `subject` is what the incident is about, for steps that name nothing themselves.
pub(crate) fn request_title<'a>(
    steps: impl Iterator<Item = (&'a str, &'a StringMap, Option<&'a str>)>,
    subject: &str,
) -> String {
    let mut phrases: Vec<String> = Vec::new();
    for (kind, params, target) in steps {
        let phrase = phrase(kind, params, target.unwrap_or(subject));
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    match phrases.as_slice() {
        [] => "Let the model act step by step".to_owned(),
        [one] => one.clone(),
        [one, two] => format!("{one}, then {}", uncapitalised(two)),
        [one, rest @ ..] => format!("{one}, then {} more steps", rest.len()),
    }
}

/// `Deployment checkout in shop`.
pub(crate) fn resource(resource: &ResourceRef) -> String {
    if resource.namespace.is_empty() {
        format!("{} {}", resource.kind, resource.name)
    } else {
        format!("{} {} in {}", resource.kind, resource.name, resource.namespace)
    }
}

/// `0.93` as people say it: `93 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{}\u{202f}%", hundredths(share))
}

/// `0.93`, with both digits.
pub(crate) fn decimal(share: f64) -> String {
    let hundredths = hundredths(share);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A figure with up to three digits behind the point: promises are as close as 99.999.
pub(crate) fn figure(number: f64) -> String {
    let sign = if number < 0.0 { "\u{2212}" } else { "" };
    let thousandths = (number.abs() * 1000.0).round_ties_even() as u64;
    let whole = thousands(thousandths / 1000);
    match format!("{:03}", thousandths % 1000).trim_end_matches('0') {
        "" if whole == "0" => whole,
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

/// Whole numbers print with a fraction of the code that floats need.
fn hundredths(share: f64) -> u64 {
    (share * 100.0).round_ties_even() as u64
}

/// The person behind `mira (api-key: sre-mira)`.
pub(crate) fn person(recorded: &str) -> &str {
    recorded.split(" (api-key:").next().unwrap_or(recorded)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// One step with the thing that it touches.
fn phrase(kind: &str, params: &StringMap, target: &str) -> String {
    let param = |name: &str| params.get(name).map(String::as_str);
    match kind {
        "ScaleDeployment" | "ScaleStatefulSet" if param("containment") == Some("true") => format!("Stop {target}"),
        "ScaleDeployment" | "ScaleStatefulSet" => match param("replicas") {
            Some(replicas) => format!("Scale {target} to {replicas}"),
            None => format!("Scale {target}"),
        },
        "AdjustResources"
        | "AdjustStatefulSetResources"
        | "AdjustDaemonSetResources"
        | "AdjustJobResources"
        | "AdjustCronJobResources" => format!("Change resources of {target}"),
        "AdjustHPA" => format!("Change autoscaling of {target}"),
        "RotateSecret" => format!("Rotate secret {}", param("secret").unwrap_or(target)),
        "ResizePVC" => format!("Grow volume {}", param("pvc").unwrap_or(target)),
        "DeletePod" | "DeleteStatefulSetPod" | "DeleteDaemonSetPod" => match param("pod") {
            Some(pod) => format!("Delete pod {pod}"),
            None => format!("Delete a pod of {target}"),
        },
        "RestartStatefulSetPod" => format!("Restart a pod of {target}"),
        "PatchConfig" => format!("Patch configuration {}", param("configmap").unwrap_or(target)),
        "ExecDiagnostic" => format!("Run a diagnostic in {target}"),
        "Custom" => match param("experimentType") {
            Some(experiment) => format!("Run the experiment {} on {target}", experiment.replace('_', " ")),
            None => format!("Run a custom action on {target}"),
        },
        _ => match camel_words(kind).first() {
            Some(&"Rollback") => format!("Roll back {target}"),
            Some(
                verb @ (&"Restart" | &"Cordon" | &"Uncordon" | &"Drain" | &"Suspend" | &"Resume" | &"Trigger"
                | &"Retry"),
            ) => format!("{verb} {}", param("node").unwrap_or(target)),
            _ => format!("{} on {target}", action(kind)),
        },
    }
}

/// A description without what the row says anyway: `Auto-detected oom_kill anomaly: …`.
pub(crate) fn told(description: &str) -> &str {
    description
        .strip_prefix("Auto-detected ")
        .and_then(|rest| rest.split_once(" anomaly: "))
        .map_or(description, |(_, told)| told)
}

fn is_name(word: &str) -> bool {
    matches!(word, "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob" | "Job")
        || word.chars().all(|c| c.is_ascii_uppercase())
}

/// Splits before a capital that follows a small letter, and before the last capital of a run; keeps the names of kinds whole.
fn camel_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let kind = ["StatefulSet", "DaemonSet", "CronJob"]
            .into_iter()
            .find(|kind| rest.starts_with(kind));
        let end = kind.map_or_else(|| word_end(rest), str::len);
        let (word, tail) = rest.split_at(end);
        words.push(word);
        rest = tail;
    }
    words
}

fn word_end(text: &str) -> usize {
    let letters: Vec<_> = text.char_indices().collect();
    for window in letters.windows(2) {
        let [(_, before), (at, letter)] = window else { continue };
        let next_is_small = text[at + letter.len_utf8()..]
            .chars()
            .next()
            .is_some_and(char::is_lowercase);
        if letter.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small)) {
            return *at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{action, figure, listed, member_name, person, plural, request_title, signal, thousands, told};
    use opsdeck_api::StringMap;

    #[test]
    fn actions_read_as_verb_and_object() {
        assert_eq!(action("RollbackDeployment"), "Roll back Deployment");
        assert_eq!(action("RestartStatefulSetPod"), "Restart StatefulSet pod");
        assert_eq!(action("ResizePVC"), "Resize PVC");
        assert_eq!(action("AdjustHPA"), "Adjust HPA");
        assert_eq!(action("CordonAndDeleteDaemonSetPod"), "Cordon and delete DaemonSet pod");
        assert_eq!(action("SomethingNew"), "Something new");
    }

    #[test]
    fn a_request_says_what_it_would_do() {
        let params = |pairs: &[(&str, &str)]| -> StringMap {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        let title = |steps: &[(&str, StringMap)]| {
            request_title(steps.iter().map(|(kind, params)| (*kind, params, None)), "api")
        };
        assert_eq!(title(&[("RollbackDeployment", params(&[]))]), "Roll back api");
        assert_eq!(
            title(&[("ScaleDeployment", params(&[("containment", "true"), ("replicas", "0")]))]),
            "Stop api"
        );
        assert_eq!(
            title(&[
                ("RotateSecret", params(&[("secret", "tls")])),
                ("RestartDeployment", params(&[]))
            ]),
            "Rotate secret tls, then restart api"
        );
        assert_eq!(title(&[]), "Let the model act step by step");
    }

    #[test]
    fn members_are_named_in_words() {
        assert_eq!(member_name("timeoutMinutes"), "Timeout minutes");
        assert_eq!(member_name("totalIssuesTracked"), "Total issues tracked");
        assert_eq!(member_name("webhook_url"), "Webhook url");
        assert_eq!(member_name(""), "");
    }

    #[test]
    fn figures_are_as_close_as_promises() {
        assert_eq!(figure(99.999), "99.999");
        assert_eq!(figure(31.900_000_000_000_002), "31.9");
        assert_eq!(figure(1_200.0), "1\u{202f}200");
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(-0.000_1), "0");
        assert_eq!(figure(-2.05), "\u{2212}2.05");
    }

    #[test]
    fn a_row_does_not_repeat_what_it_says_anyway() {
        assert_eq!(
            told("Auto-detected oom_kill anomaly: killed (value=9)"),
            "killed (value=9)"
        );
        assert_eq!(told("Certificate expires"), "Certificate expires");
    }

    #[test]
    fn signals_are_words() {
        assert_eq!(signal("oom_kill"), "OOM kill");
        assert_eq!(signal("crashloop_backoff"), "Crash loop back-off");
        assert_eq!(signal("node_not_ready"), "Node not ready");
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(plural(1, "vote", "votes"), "1 vote");
        assert_eq!(plural(0, "vote", "votes"), "0 votes");
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
    }

    #[test]
    fn people_and_lists() {
        assert_eq!(person("mira (api-key: sre-mira)"), "mira");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}
