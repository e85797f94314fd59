//! AI insights: what the model makes of an incident.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified},
};
use crate::{catalog::project::insight_status, json::shown, resources::AIInsight};
use axum::{extract::Path, response::Response};

pub(super) const INSIGHTS: Listing = Listing {
    kind: "AIInsightList",
    timed: false,
    table: (
        "aiinsights",
        &[
            "name",
            "namespace",
            "issueRef",
            "provider",
            "model",
            "confidence",
            "analysis",
            "recommendations",
            "suggestedActions",
            "logAnalysis",
            "metricsContext",
            "sourceCodeContext",
            "gitOpsContext",
            "cascadeAnalysis",
            "blastRadiusPrediction",
            "generatedAt",
            "creationTimestamp",
        ],
    ),
};

pub(super) const INSIGHT: Single = Single {
    kind: "AIInsight",
    noun: "AI insight",
    unqualified: Unqualified::Default,
};

pub(super) async fn list_insights(ask: Ask) -> Result<Response, Error> {
    ask.list::<AIInsight>(&INSIGHTS)
}

/// `status` is the stored one, not the item.
pub(super) async fn get_insight(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one_with::<AIInsight, _>(&INSIGHT, &name, |row| {
        Ok((row.item.to_vec(), shown(&insight_status(&row.object))))
    })
}
