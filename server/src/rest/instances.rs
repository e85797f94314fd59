//! Instances: the managed ChatCLI servers.

use super::{
    Error,
    ask::Ask,
    listing::{Listing, Single, Unqualified, bytes},
};
use crate::{catalog::project::instance_detail, resources::Instance};
use axum::{extract::Path, response::Response};

const INSTANCES: Listing = Listing {
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

const INSTANCE: Single = Single {
    kind: "Instance",
    noun: "instance",
    unqualified: Unqualified::Anywhere,
};

pub(super) async fn list_instances(ask: Ask) -> Result<Response, Error> {
    ask.list::<Instance>(&INSTANCES)
}

pub(super) async fn get_instance(Path(name): Path<String>, ask: Ask) -> Result<Response, Error> {
    ask.one_with::<Instance, _>(&INSTANCE, &name, |row| {
        let item = serde_json::from_slice(&row.item).map_err(Error::internal)?;
        let detail = bytes(&instance_detail(&row.object, item));
        Ok((detail.clone(), detail))
    })
}
