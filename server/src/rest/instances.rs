//! Instances: the managed ChatCLI servers.

use super::{
    Error,
    answer::json_bytes,
    ask::Ask,
    listing::{Listing, Single, Unqualified, envelope},
    write::Subject,
};
use crate::{
    catalog::project::{instance_detail, resource_meta},
    json::shown,
    resources::{Instance, Typed as _},
    rules::{audit::Deed, reprobe},
};
use axum::{extract::Path, response::Response};

pub(super) const INSTANCES: Listing = Listing {
    kind: "InstanceList",
    timed: false,
    table: (
        "instances",
        &[
            "name",
            "namespace",
            "ready",
            "replicas",
            "readyReplicas",
            "provider",
            "model",
            "version",
            "serverReachable",
            "firstFailed",
            "drivesAIOps",
            "drivesAIOpsReason",
            "conditions",
            "creationTimestamp",
            "labels",
            "annotations",
        ],
    ),
};

pub(super) const INSTANCE: Single = Single {
    kind: "Instance",
    noun: "instance",
    unqualified: Unqualified::Anywhere,
};

pub(super) async fn list_instances(ask: Ask) -> Result<Response, Error> {
    ask.list::<Instance>(&INSTANCES)
}

pub(super) async fn get_instance(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one_with::<Instance, _>(&INSTANCE, &name, |row| {
        let detail = detail(&row.object, &row.item)?;
        Ok((detail.clone(), detail))
    })
}

/// Looks at the server again at once, rather than when its turn comes.
pub(super) async fn reprobe_instance(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    let rule = |instance: &Instance, now| Ok(reprobe::reprobe(instance, now));
    let instance = ask.change(&INSTANCE, &name, Deed::InstanceReprobed, rule).await?;
    let detail = detail(&instance, &ask.item(&*instance))?;
    let meta = resource_meta(instance.meta());
    Ok(json_bytes(envelope(INSTANCE.kind, &detail, Some(&detail), Some(&meta))))
}

fn detail(instance: &Instance, item: &[u8]) -> Result<Vec<u8>, Error> {
    let item = serde_json::from_slice(item).map_err(Error::internal)?;
    Ok(shown(&instance_detail(instance, item)))
}

impl Subject for Instance {}
