//! Writes that meet: nothing is lost, nothing is done twice, whoever loses learns to whom; and writes that fail half-way.

use crate::{
    console::{ADMIN, Answered, OPERATOR, TestConsole},
    interference::{Interference, Log, Mishap, Sort},
    objects::{issue, write_of_another},
};
use opsdeck::{
    resources::{Issue, IssueState, Kind, Typed as _},
    source::Verb,
};
use serde_json::{Value, json};
use std::{future::Future, pin::pin, task::Poll, time::Duration};
use tokio::sync::oneshot;

async fn console(plan: Vec<(Sort, Mishap)>) -> TestConsole {
    TestConsole::around(vec![issue("checkout-oom", "shop")], Interference::planned(plan)).await
}

/// With whatever any of the actions asks for.
async fn triage(console: &TestConsole, action: &str, key: &str) -> Answered {
    let target = format!("/incidents/checkout-oom/{action}");
    let body = r#"{"duration":"30m","resolution":"done"}"#;
    console.post(&target, key, body).await
}

fn rival(verb: Verb) -> Mishap {
    Mishap::Rival(Box::new(write_of_another(Kind::Issue, "shop", "checkout-oom", verb)))
}

fn annotate(annotations: Value) -> Mishap {
    rival(Verb::Patch(json!({"metadata": {"annotations": annotations}})))
}

fn stored(console: &TestConsole) -> std::sync::Arc<Issue> {
    console.object("shop", "checkout-oom").expect("the incident")
}

/// Waits until the catalog says so.
async fn until(console: &TestConsole, holds: impl Fn() -> bool) {
    let mut changes = console.catalog().subscribe();
    let wait = async {
        while !holds() {
            changes.changed().await.expect("a catalog");
        }
    };
    tokio::time::timeout(Duration::from_secs(10), wait)
        .await
        .expect("it comes true");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_resolve_one_wins_and_the_others_learn_who() {
    let console = TestConsole::over(vec![issue("checkout-oom", "shop")]).await;
    let (a, b, c, d, e, f) = tokio::join!(
        triage(&console, "resolve", OPERATOR),
        triage(&console, "resolve", ADMIN),
        triage(&console, "resolve", OPERATOR),
        triage(&console, "resolve", ADMIN),
        triage(&console, "resolve", OPERATOR),
        triage(&console, "resolve", ADMIN),
    );
    let (won, lost): (Vec<_>, Vec<_>) = [a, b, c, d, e, f].into_iter().partition(|answer| answer.status == 200);
    assert_eq!((won.len(), lost.len()), (1, 5));
    let issue = stored(&console);
    let by = issue.annotation("aiops.chatcli.io/resolved-by").unwrap();
    for loser in lost {
        loser.assert_error(409, "already_resolved");
        assert_eq!(
            (&loser.json()["by"], &loser.json()["at"]),
            (&json!(by), &won[0].json()["spec"]["resolvedAt"])
        );
    }
    let trail = console.trail();
    assert!(matches!(&*trail, [event] if event.spec.actor.name == by), "{trail:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_write_at_once_nothing_is_lost() {
    let console = TestConsole::over(vec![issue("checkout-oom", "shop")]).await;
    let (a, b, c, d, e, f) = tokio::join!(
        triage(&console, "acknowledge", OPERATOR),
        triage(&console, "acknowledge", ADMIN),
        triage(&console, "snooze", OPERATOR),
        triage(&console, "snooze", ADMIN),
        triage(&console, "resolve", OPERATOR),
        triage(&console, "acknowledge", OPERATOR),
    );
    for answered in [a, b, c, d, e, f] {
        assert_eq!(answered.status, 200, "{}", answered.text);
    }
    let issue = stored(&console);
    for mark in ["acknowledged-by", "snoozed-until", "resolved-by"] {
        assert!(
            issue.annotation(&format!("aiops.chatcli.io/{mark}")).is_some(),
            "{mark}"
        );
    }
    assert_eq!(issue.annotation("team"), Some("shop"));
    assert_eq!(console.trail().len(), 6, "one event for each write");
}

#[tokio::test]
async fn what_somebody_else_wrote_meanwhile_is_kept() {
    let console = console(vec![(Sort::Patches, annotate(json!({"team": "web", "sla": "kept"})))]).await;
    assert_eq!(triage(&console, "acknowledge", OPERATOR).await.status, 200);
    let issue = stored(&console);
    let kept = ["team", "sla", "aiops.chatcli.io/acknowledged-by"].map(|key| issue.annotation(key));
    assert_eq!(kept, [Some("web"), Some("kept"), Some("sre-mira")]);
    assert_eq!(console.trail().len(), 1);
}

#[tokio::test]
async fn what_was_resolved_meanwhile_is_decided_again() {
    let resolved = json!({"status": {
        "state": "Resolved", "resolution": "healthy", "resolvedAt": "2026-09-23T12:30:00Z", "remediationAttempts": 0,
    }});
    let console = console(vec![(Sort::StatusPatches, rival(Verb::PatchStatus(resolved)))]).await;
    let refused = triage(&console, "resolve", OPERATOR).await;
    refused.assert_error(409, "already_resolved");
    assert_eq!(refused.json()["at"], "2026-09-23T12:30:00Z");
    let issue = stored(&console);
    assert_eq!(
        issue.status.as_ref().unwrap().resolution,
        "healthy",
        "never overwritten"
    );
    assert_eq!(
        (issue.annotation("aiops.chatcli.io/resolved-by"), console.trail().len()),
        (None, 0)
    );
}

#[tokio::test]
async fn what_is_gone_meanwhile_is_not_found() {
    let console = console(vec![(Sort::Patches, rival(Verb::Delete))]).await;
    let refused = triage(&console, "snooze", OPERATOR).await;
    assert_eq!(
        refused.assert_error(404, "not_found"),
        "issue not found: there is no checkout-oom in namespace shop"
    );
    assert!(console.trail().is_empty());
}

#[tokio::test(start_paused = true)]
async fn whoever_is_always_too_late_gives_up_and_learns_who_was_quicker() {
    let zoe = |round: usize| {
        let at = format!("2026-09-23T12:00:{round:02}Z");
        match annotate(json!({"aiops.chatcli.io/acknowledged-by": "zoe", "aiops.chatcli.io/acknowledged-at": at})) {
            Mishap::Rival(rival) => Mishap::SlowRival(rival, Duration::from_millis(200)),
            other => other,
        }
    };
    let console = console((0..60).map(|round| (Sort::Patches, zoe(round))).collect()).await;
    let refused = triage(&console, "acknowledge", OPERATOR).await;
    let message = refused.assert_error(409, "conflict");
    assert!(
        message.starts_with("failed to acknowledge: zoe changed it"),
        "{message}"
    );
    assert_eq!(refused.json()["by"], "zoe");
    assert!(refused.json()["at"].as_str().unwrap().starts_with("2026-09-23T12:00:"));
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn whoever_resolved_it_this_moment_is_named_although_their_name_comes_second() {
    let (release, sign) = oneshot::channel();
    let console = console(vec![(Sort::Patches, Mishap::Hold(sign))]).await;
    let first = triage(&console, "resolve", OPERATOR);
    let second = async {
        until(&console, || stored(&console).status.is_some()).await;
        let mut asked = pin!(triage(&console, "resolve", ADMIN));
        let early = std::future::poll_fn(|context| Poll::Ready(asked.as_mut().poll(context).is_ready())).await;
        assert!(!early);
        release.send(()).expect("somebody waits");
        asked.await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.status, 200);
    second.assert_error(409, "already_resolved");
    assert_eq!(second.json()["by"], "sre-mira");
}

#[tokio::test]
async fn a_store_that_is_away_is_no_refusal_for_ever() {
    let log = Log::listen();
    let console = console(vec![(Sort::Patches, Mishap::Outage)]).await;
    let failed = triage(&console, "acknowledge", OPERATOR).await;
    let message = failed.assert_error(503, "unavailable");
    assert!(
        message.starts_with("failed to acknowledge: ") && !message.contains("disk"),
        "{message}"
    );
    assert_eq!(failed.header("retry-after"), Some("5"));
    assert!(!log.lines("disk full").is_empty(), "the cause is in the log");
    assert!(console.trail().is_empty());
    assert_eq!(triage(&console, "acknowledge", OPERATOR).await.status, 200);
}

#[tokio::test]
async fn a_name_that_cannot_be_written_at_first_is_written_at_the_second_try() {
    let log = Log::listen();
    let console = console(vec![(Sort::Patches, Mishap::Outage)]).await;
    let answered = triage(&console, "resolve", OPERATOR).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert_eq!(
        stored(&console).annotation("aiops.chatcli.io/resolved-by"),
        Some("sre-mira")
    );
    assert_eq!(
        (log.lines("marks could not be written").len(), console.trail().len()),
        (1, 1)
    );
}

#[tokio::test]
async fn what_is_done_is_done_without_its_name() {
    let log = Log::listen();
    let console = console(vec![(Sort::Patches, Mishap::Outage), (Sort::Patches, Mishap::Outage)]).await;
    let answered = triage(&console, "resolve", OPERATOR).await;
    assert_eq!(
        (answered.status.as_u16(), &answered.json()["spec"]["state"]),
        (200, &json!("Resolved"))
    );
    let issue = stored(&console);
    assert_eq!(issue.status.as_ref().unwrap().state, IssueState::Resolved);
    assert_eq!(issue.annotation("aiops.chatcli.io/resolved-by"), None);
    assert_eq!(log.lines("marks could not be written").len(), 2);
    assert!(
        matches!(&*console.trail(), [event] if event.spec.actor.name == "sre-mira"),
        "the trail has it"
    );
}

#[tokio::test]
async fn what_the_trail_cannot_keep_the_log_does() {
    let log = Log::listen();
    let console = console(vec![(Sort::Creates, Mishap::Outage)]).await;
    assert_eq!(triage(&console, "acknowledge", OPERATOR).await.status, 200);
    let lines = log.lines("audit event could not be written");
    assert!(
        matches!(&*lines, [line] if line.contains("sre-mira") && line.contains("issue_acknowledged") && line.contains("checkout-oom")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing_half_done() {
    let console = TestConsole::over(vec![issue("checkout-oom", "shop")]).await;
    {
        let mut asked = pin!(triage(&console, "resolve", OPERATOR));
        let answered = std::future::poll_fn(|context| Poll::Ready(asked.as_mut().poll(context).is_ready())).await;
        assert!(!answered, "it goes away before the answer");
    }
    until(&console, || !console.trail().is_empty()).await;
    assert_eq!(
        stored(&console).annotation("aiops.chatcli.io/resolved-by"),
        Some("sre-mira")
    );
    assert_eq!(console.trail().len(), 1);
}

#[tokio::test]
async fn a_namesake_made_meanwhile_is_left_alone() {
    let mut namesake = issue("checkout-oom", "shop");
    namesake["spec"]["description"] = json!("another one");
    let console = console(vec![(Sort::Patches, Mishap::Namesake(Box::new(namesake)))]).await;
    let refused = triage(&console, "acknowledge", OPERATOR).await;
    assert_eq!(
        refused.assert_error(409, "conflict"),
        "failed to acknowledge: it was deleted and made anew meanwhile; read it again"
    );
    let issue = stored(&console);
    assert_eq!(
        (
            &*issue.spec.description,
            issue.annotation("aiops.chatcli.io/acknowledged-by")
        ),
        ("another one", None)
    );
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn a_namesake_made_before_the_marks_is_not_signed() {
    let log = Log::listen();
    let namesake = Mishap::Namesake(Box::new(issue("checkout-oom", "shop")));
    let console = console(vec![(Sort::Patches, namesake)]).await;
    let before = stored(&console).meta().uid.clone().unwrap();
    assert_eq!(triage(&console, "resolve", OPERATOR).await.status, 200);
    let issue = stored(&console);
    assert_eq!(
        (issue.status.is_some(), issue.annotation("aiops.chatcli.io/resolved-by")),
        (false, None)
    );
    assert_eq!(log.lines("marks could not be written").len(), 1);
    assert!(
        matches!(&*console.trail(), [event] if event.spec.resource.uid == before),
        "{:?}",
        console.trail()
    );
}

#[tokio::test]
async fn marks_go_beside_what_somebody_else_wrote_meanwhile() {
    let log = Log::listen();
    let console = console(vec![
        (Sort::Patches, annotate(json!({"team": "web"}))),
        (Sort::Patches, annotate(json!({"sla": "kept"}))),
    ])
    .await;
    assert_eq!(triage(&console, "resolve", OPERATOR).await.status, 200);
    let issue = stored(&console);
    let kept = ["team", "sla", "aiops.chatcli.io/resolved-by"].map(|key| issue.annotation(key));
    assert_eq!(kept, [Some("web"), Some("kept"), Some("sre-mira")]);
    assert!(log.lines("could not be written").is_empty());
    assert_eq!(console.trail().len(), 1);
}

/// No reader of the embedded store sees a state without its name, or a deed without its event.
#[tokio::test]
async fn what_is_done_its_name_and_its_event_are_there_at_once() {
    let console = TestConsole::over(vec![issue("checkout-oom", "shop")]).await;
    let mut changes = console.catalog().subscribe();
    let seen = async {
        while stored(&console).status.is_none() {
            changes.changed().await.expect("a catalog");
        }
        (
            stored(&console)
                .annotation("aiops.chatcli.io/resolved-by")
                .map(str::to_owned),
            console.trail().len(),
        )
    };
    let (seen, answered) = tokio::join!(seen, triage(&console, "resolve", OPERATOR));
    assert_eq!((seen, answered.status.as_u16()), ((Some("sre-mira".into()), 1), 200));
}

#[tokio::test]
async fn what_was_done_although_the_answer_was_lost_is_answered_and_told_once() {
    for (sort, action) in [(Sort::Patches, "acknowledge"), (Sort::StatusPatches, "resolve")] {
        for mishap in [Mishap::LostAnswer, Mishap::LostRequest] {
            let console = console(vec![(sort, mishap)]).await;
            let answered = triage(&console, action, OPERATOR).await;
            assert_eq!(answered.status, 200, "{action}: {}", answered.text);
            assert!(
                matches!(&*console.trail(), [event] if event.spec.actor.name == "sre-mira"),
                "{action}: {:?}",
                console.trail()
            );
        }
    }
}

#[tokio::test]
async fn what_nobody_can_tell_is_not_told_as_done_or_undone() {
    let plan = vec![
        (Sort::Patches, Mishap::LostRequest),
        (Sort::Patches, Mishap::LostRequest),
    ];
    let console = console(plan).await;
    triage(&console, "acknowledge", OPERATOR)
        .await
        .assert_error(504, "timeout");
    assert!(console.trail().is_empty());
    assert_eq!(stored(&console).annotation("aiops.chatcli.io/acknowledged-by"), None);
}

#[tokio::test]
async fn what_another_did_while_an_answer_was_lost_is_not_taken_for_ours() {
    let resolved = json!({"status": {
        "state": "Resolved", "resolution": "healthy", "resolvedAt": "2026-09-23T12:30:00Z", "remediationAttempts": 0,
    }});
    let plan = vec![
        (Sort::StatusPatches, Mishap::LostRequest),
        (Sort::StatusPatches, rival(Verb::PatchStatus(resolved))),
    ];
    let console = console(plan).await;
    triage(&console, "resolve", OPERATOR)
        .await
        .assert_error(409, "already_resolved");
    assert!(console.trail().is_empty());
}

#[tokio::test]
async fn an_event_whose_answer_was_lost_is_written_once() {
    let log = Log::listen();
    for mishap in [Mishap::LostAnswer, Mishap::LostRequest] {
        let console = console(vec![(Sort::Creates, mishap)]).await;
        assert_eq!(triage(&console, "acknowledge", OPERATOR).await.status, 200);
        assert_eq!(console.trail().len(), 1);
    }
    assert!(log.lines("could not be written").is_empty());
}
