//! What a person may do to an Instance: have its server looked at again.

use super::decision::{Decision, annotations};
use crate::{
    resources::{Instance, Typed as _, moment},
    source::Verb,
};
use jiff::Timestamp;
use serde_json::json;

/// The controller looks again whenever this changes.
const REPROBE: &str = "chatcli.io/reprobe";

pub fn reprobe(instance: &Instance, now: Timestamp) -> Decision {
    let (before, now) = (instance.annotation(REPROBE).unwrap_or_default(), moment::written(now));
    let marks = annotations(json!({ REPROBE: now }));
    Decision::new(Verb::Patch(marks))
        .telling("before", before)
        .telling("after", now)
}

#[cfg(test)]
mod tests {
    use super::reprobe;
    use crate::{
        fixtures::{instance, noon, texts},
        source::Verb,
    };
    use serde_json::json;

    #[test]
    fn the_mark_says_when_somebody_asked() {
        let earlier = "2026-09-23T11:00:00Z";
        let decision = reprobe(&instance("main").annotated("chatcli.io/reprobe", earlier), noon());
        let now = "2026-09-23T12:00:00Z";
        let Verb::Patch(patch) = decision.verb else {
            panic!("an annotation")
        };
        assert_eq!(patch, json!({"metadata": {"annotations": {"chatcli.io/reprobe": now}}}));
        assert_eq!(decision.details, texts(&[("before", earlier), ("after", now)]));
    }
}
