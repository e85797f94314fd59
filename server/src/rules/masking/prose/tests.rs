//! Where a credential begins and ends in prose, behind a scheme, in an outline and in a command. What else is hidden is tested beside masking.

use crate::rules::masking::text;

#[test]
fn a_scheme_that_nobody_knows_hides_what_follows_it() {
    for (held, shown) in [
        ("Authorization: Hawk 3f9a8b7c6d", "Authorization: Hawk ***"),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIA1/x, Signature=fe5f",
            "Authorization: ***",
        ),
        (
            "sent authorization: Acme zzz999yyy888 to api",
            "sent authorization: Acme *** to api",
        ),
        (
            "authorization: Unable to reach the server",
            "authorization: Unable to reach the server",
        ),
        (
            "authorization: denied by policy p1",
            "authorization: denied by policy p1",
        ),
    ] {
        assert_eq!(text(held), shown);
    }
}

#[test]
fn behind_a_scheme_nothing_of_the_credential_stays() {
    for (held, shown) in [
        ("Authorization: Custom abcdefghijkl", "Authorization: Custom ***"),
        (
            "Authorization: Custom aBcDeFgHiJkL was sent",
            "Authorization: Custom *** was sent",
        ),
        ("Authorization: Custom abc123 def456", "Authorization: Custom ***"),
        (
            "curl -H 'Authorization: Custom abc def' x",
            "curl -H 'Authorization: Custom ***' x",
        ),
        (
            "Authorization: Hawk id=\"x\", mac=\"y\" sent",
            "Authorization: Hawk *** sent",
        ),
        ("Authorization: SCRAM-SHA-256 data=abcdef", "Authorization: ***"),
        ("Authorization: abc123def host=web", "Authorization: *** host=web"),
        (
            "Authorization: Bearer abcdefgh retry2",
            "Authorization: Bearer *** retry2",
        ),
        ("authorization=abcdef123 user=bob", "authorization=*** user=bob"),
        ("authorization=swordfish user=bob", "authorization=***"),
        ("Authorization=Custom abcdef", "Authorization=***"),
    ] {
        assert_eq!(text(held), shown);
    }
    for held in [
        "authorization: server unreachable",
        "authorization: failed (403)",
        "Authorization: denied, user=bob",
    ] {
        assert_eq!(text(held), held);
    }
}

#[test]
fn a_sentence_behind_a_name_in_an_outline_stays() {
    let held =
        "Deployment: web\nToken: expired at 10:05, ask the owner\nPassword: hunter2\nSecret: not found, see below\n";
    let shown =
        "Deployment: web\nToken: expired at 10:05, ask the owner\nPassword: ***\nSecret: not found, see below\n";
    assert_eq!(text(held), shown);
}

#[test]
fn a_value_in_an_outline_is_no_sentence_because_it_begins_like_one() {
    for (held, shown) in [
        ("a: b\ntoken: a.bC9xyzK\n", "a: b\ntoken: ***\n"),
        ("a: b\ntoken: no,Xk2pQ\n", "a: b\ntoken: ***\n"),
        ("a: b\npassword: the horse battery\n", "a: b\npassword: ***\n"),
        ("a: b\npassword: is hunter2\n", "a: b\npassword: ***\n"),
        (
            "a: b\ntoken: expired, now Bearer abc.def\n",
            "a: b\ntoken: expired, now Bearer ***\n",
        ),
    ] {
        assert_eq!(text(held), shown);
    }
}

#[test]
fn curl_is_told_who_signs_in_in_other_ways_too() {
    for (held, shown) in [
        ("curl -sSfu user:pw x", "curl -sSfu *** x"),
        ("CURL -u user:pw x", "CURL -u *** x"),
        ("curl \\\n  -u user:pw \\\n  x\n", "curl \\\n  -u *** \\\n  x\n"),
    ] {
        assert_eq!(text(held), shown);
    }
    let other = "curl x\ndocker run -u 1000:1000 web\n";
    assert_eq!(text(other), other);
}
