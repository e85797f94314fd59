//! What a person may do to a runbook, and what of it changes.

use super::decision::Decision;
use crate::{resources::Runbook, source::Verb};

/// It is gone for good: the trail keeps what it was for.
pub fn delete(runbook: &Runbook) -> Decision {
    let spec = &runbook.spec;
    Decision::new(Verb::Delete)
        .telling("signalType", spec.trigger.signal_type.as_str())
        .telling("severity", spec.trigger.severity.as_str())
        .telling("resourceKind", &*spec.trigger.resource_kind)
        .telling("steps", spec.steps.len().to_string())
}

#[cfg(test)]
mod tests {
    use super::delete;
    use crate::{
        fixtures::{runbook, texts},
        resources::{Severity, Signal},
        source::Verb,
    };

    #[test]
    fn what_is_deleted_is_told_of() {
        let restart = runbook().with(|runbook| {
            runbook.spec.trigger.signal_type = Signal::OomKill;
            runbook.spec.trigger.severity = Severity::High;
            runbook.spec.steps = vec![Default::default(); 2];
        });
        let decision = delete(&restart);
        assert!(matches!(decision.verb, Verb::Delete) && decision.then.is_none());
        assert_eq!(
            decision.details,
            texts(&[("signalType", "oom_kill"), ("severity", "high"), ("steps", "2")])
        );
    }
}
