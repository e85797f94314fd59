//! AIInsight → insight.

use super::{Context, Project, Projection, wire};
use crate::{
    catalog::{Row, SortKey},
    resources::{
        ai_insight::{AIInsight, AIInsightStatus},
        moment,
    },
    rules::masking,
};
use opsdeck_api::insight::{InsightItem, SuggestedAction};

pub fn insight_item(insight: &AIInsight) -> InsightItem {
    let (meta, spec) = (&insight.metadata, &insight.spec);
    let status = insight_status(insight);
    InsightItem {
        name: wire::name(meta),
        namespace: wire::namespace(meta),
        issue_ref: spec.issue_ref.name.clone(),
        provider: spec.provider.clone(),
        model: spec.model.clone(),
        analysis: status.analysis,
        confidence: status.confidence.into(),
        recommendations: status.recommendations,
        suggested_actions: status
            .suggested_actions
            .into_iter()
            .map(|step| SuggestedAction {
                name: step.name,
                action: step.action,
                description: step.description,
                params: step.params,
            })
            .collect(),
        log_analysis: status.log_analysis,
        metrics_context: status.metrics_context,
        source_code_context: status.source_code_context,
        git_ops_context: status.git_ops_context,
        cascade_analysis: status.cascade_analysis,
        blast_radius_prediction: status.blast_radius_prediction,
        generated_at: status.generated_at.map(moment::written),
        creation_timestamp: wire::created_or_zero(meta),
    }
}

/// The status as a single object shows it: what the schema knows, masked; `{}` where there is none.
pub fn insight_status(insight: &AIInsight) -> AIInsightStatus {
    let mut status = insight.status.clone().unwrap_or_default();
    for step in &mut status.suggested_actions {
        step.params = masking::params(&step.action, &step.params);
    }
    status
}

impl Project for AIInsight {
    const FACETS: &'static [&'static str] = &["issue"];

    const SORTABLE: &'static [&'static str] = &["issueRef", "provider", "model", "confidence", "generatedAt"];

    fn project(&self, _context: &Context<'_>) -> Projection {
        let item = insight_item(self);
        Projection::of(&item)
            .text([&*item.issue_ref, &item.provider, &item.model])
            .facet("issue", item.issue_ref)
    }

    fn sort_key<'a>(row: &'a Row<Self>, member: &str) -> SortKey<'a> {
        let (spec, status) = (&row.object.spec, row.object.status.as_ref());
        match member {
            "issueRef" => spec.issue_ref.name.as_str().into(),
            "provider" => spec.provider.as_str().into(),
            "model" => spec.model.as_str().into(),
            "confidence" => status.map_or(0.0, |status| status.confidence).into(),
            "generatedAt" => status.and_then(|status| status.generated_at).into(),
            _ => SortKey::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{insight_item, insight_status};
    use crate::fixtures::insight;
    use serde_json::json;

    #[test]
    fn an_analysis_that_is_awaited_has_confidence_zero_and_an_empty_status() {
        let item = serde_json::to_value(insight_item(&insight())).unwrap();
        assert_eq!(
            item,
            json!({
                "name": "checkout-oom-insight", "namespace": "shop", "issueRef": "checkout-oom", "provider": "", "model": "",
                "confidence": 0, "creationTimestamp": "2026-09-23T12:00:00Z",
            })
        );
        assert_eq!(serde_json::to_value(insight_status(&insight())).unwrap(), json!({}));
    }

    #[test]
    fn what_it_suggests_is_masked_in_item_and_status() {
        let insight = insight()
            .confident(0.9)
            .suggests("PatchConfig", &[("configmap", "app"), ("db_password", "hunter2")]);
        for shown in [
            serde_json::to_value(insight_item(&insight)).unwrap(),
            serde_json::to_value(insight_status(&insight)).unwrap(),
        ] {
            assert_eq!(
                shown["suggestedActions"][0]["params"],
                json!({"configmap": "app", "db_password": "***"})
            );
            assert_eq!(shown["confidence"], 0.9);
        }
    }
}
