//! What may be decided on a page, by whom, and when no more.

use super::*;

#[tokio::test]
async fn who_may_decide_gets_the_forms_and_who_may_not_is_told_who_may() {
    let about = |role: &str| {
        let who = WhoAmI {
            identity: "sre-mira".into(),
            role: role.into(),
            ..WhoAmI::default()
        };
        Api::default()
            .with("/whoami", &Single::<_>::report("WhoAmI", who))
            .with(
                "/incidents/web-oom-kill-1",
                &Single::new("Incident", incident(), Default::default()),
            )
            .with(
                "/approvals/approval-1",
                &Single::new("ApprovalRequest", approval(), Default::default()),
            )
    };
    let page = about("operator").page("/incidents/shop/web-oom-kill-1").await;
    for path in ["acknowledge", "snooze", "resolve"] {
        page.assert_shows(&format!(r#"value="/incidents/web-oom-kill-1/{path}?namespace=shop""#));
    }
    page.assert_shows(r##"action="/act#"##);
    page.assert_shows("Ends the incident on Deployment web in shop in your name.");
    assert!(!page.text().contains("End snooze"));
    let page = about("viewer").page("/incidents/shop/web-oom-kill-1").await;
    page.assert_shows("Operators and admins may acknowledge, snooze and resolve.");
    assert!(!page.text().contains(r##"action="/act#"##));

    let page = about("admin").page("/approvals/shop/approval-1").await;
    page.assert_shows("Approve as sre-mira");
    page.assert_shows("It is the last one needed: the plan runs at once.");
    page.assert_shows(r#"name="planHash" value="9f3c21""#);
    page.assert_shows(r#"name="approver" value="sre-mira""#);
    let page = about("viewer").page("/approvals/shop/approval-1").await;
    page.assert_shows("this role reads requests and does not decide on them");
    assert!(!page.text().contains(r##"action="/act#"##));
}

#[tokio::test]
async fn what_is_over_cannot_be_decided() {
    let mine = Vote {
        approver: "Mira (api-key: sre-mira)".into(),
        decision: "approved".into(),
        ..Vote::default()
    };
    let expired = ApprovalItem {
        expired: true,
        ..approval()
    };
    let decided = ApprovalItem {
        state: "Rejected".into(),
        rejected_by: "tomasz (api-key: sre-tomasz)".into(),
        ..approval()
    };
    let voted = ApprovalItem {
        votes: vec![mine],
        ..approval()
    };
    for (item, why) in [
        (expired, "Nobody can decide on it any more."),
        (decided, "The plan does not run."),
        (voted, "You have approved already. One key is one vote."),
    ] {
        let answer = Single::new("ApprovalRequest", item, Default::default());
        let page = Api::signed_in().with("/approvals/approval-1", &answer);
        let page = page.page("/approvals/shop/approval-1").await;
        page.assert_shows(why);
        assert!(!page.text().contains("/approve?"), "{why}");
    }
    let resolved = IncidentItem {
        state: "Resolved".into(),
        ..incident()
    };
    let answer = Single::new("Incident", resolved, Default::default());
    let page = Api::signed_in().with("/incidents/web-oom-kill-1", &answer);
    let page = page.page("/incidents/shop/web-oom-kill-1").await;
    assert!(!page.text().contains(r##"action="/act#"##));
}

#[tokio::test]
async fn each_state_offers_what_leads_out_of_it() {
    let seen = IncidentItem {
        acknowledged: Some(Acknowledged::default()),
        snoozed: Some(Snoozed::default()),
        ..incident()
    };
    let post_mortem = |state: &str, owes| PostMortemItem {
        name: format!("pm-{state}"),
        namespace: "shop".into(),
        state: state.into(),
        requires_human_action: owes,
        ..PostMortemItem::default()
    };
    let api = Api::signed_in()
        .with(
            "/incidents/web-oom-kill-1",
            &Single::new("Incident", seen, Default::default()),
        )
        .with(
            "/postmortems",
            &list(
                "PostMortemList",
                4,
                vec![
                    post_mortem("Open", true),
                    post_mortem("InReview", false),
                    post_mortem("Closed", false),
                ],
            ),
        );
    let page = api.page("/incidents/shop/web-oom-kill-1").await;
    let text = page.text();
    let offers = |path: &str| text.contains(&format!("value=\"{path}?namespace=shop\""));
    for (path, offered) in [
        ("/incidents/web-oom-kill-1/acknowledge", false),
        ("/incidents/web-oom-kill-1/unacknowledge", true),
        ("/incidents/web-oom-kill-1/snooze", true),
        ("/incidents/web-oom-kill-1/unsnooze", true),
        ("/postmortems/pm-Open/ack-human-action", true),
        ("/postmortems/pm-Open/review", true),
        ("/postmortems/pm-Open/close", false),
        ("/postmortems/pm-InReview/ack-human-action", false),
        ("/postmortems/pm-InReview/review", false),
        ("/postmortems/pm-InReview/close", true),
        ("/postmortems/pm-Closed/review", true),
        ("/postmortems/pm-Closed/close", false),
    ] {
        assert_eq!(offers(path), offered, "{path}");
    }
}
