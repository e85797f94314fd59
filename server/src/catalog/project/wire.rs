//! Metadata and times as the API writes them.

use crate::{
    resources::{moment, shared},
    rules::masking,
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use opsdeck_api::{ResourceMeta, ResourceRef, StringMap};

/// No time where one is always written: Go's zero time.
pub(super) fn time_or_zero(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "0001-01-01T00:00:00Z".into(), moment::written)
}

/// What a single object says of itself beside its `spec`.
pub fn resource_meta(meta: &ObjectMeta) -> ResourceMeta {
    ResourceMeta {
        name: name(meta),
        namespace: namespace(meta),
        uid: meta.uid.clone().unwrap_or_default(),
        creation_timestamp: created(meta),
        labels: labels(meta),
        annotations: annotations(meta),
    }
}

/// Empty where the object has none. Kinds that upstream reads into types show [`created_or_zero`] instead.
pub(super) fn created(meta: &ObjectMeta) -> String {
    meta.creation_timestamp
        .as_ref()
        .map(|at| moment::written(at.0))
        .unwrap_or_default()
}

pub(super) fn created_or_zero(meta: &ObjectMeta) -> String {
    time_or_zero(meta.creation_timestamp.as_ref().map(|at| at.0))
}

pub(super) fn name(meta: &ObjectMeta) -> String {
    meta.name.clone().unwrap_or_default()
}

pub(super) fn namespace(meta: &ObjectMeta) -> String {
    meta.namespace.clone().unwrap_or_default()
}

pub(super) fn labels(meta: &ObjectMeta) -> StringMap {
    meta.labels.as_ref().map(masking::entries).unwrap_or_default()
}

/// Masked, and without the copy of the whole object that `kubectl apply` leaves in one, secrets and all.
pub(super) fn annotations(meta: &ObjectMeta) -> StringMap {
    let mut annotations = meta.annotations.clone().unwrap_or_default();
    annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    masking::entries(&annotations)
}

pub(super) fn resource(resource: &shared::ResourceRef) -> ResourceRef {
    ResourceRef {
        kind: resource.kind.clone(),
        name: resource.name.clone(),
        namespace: resource.namespace.clone(),
    }
}

/// Null on the wire where the object says nothing.
pub(super) fn text(text: &str) -> Option<String> {
    Some(text).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{moment, time_or_zero};

    #[test]
    fn times_are_cut_to_whole_seconds() {
        assert_eq!(
            moment::written("2026-11-28T12:00:00.999+02:00".parse().unwrap()),
            "2026-11-28T10:00:00Z"
        );
        assert_eq!(time_or_zero(None), "0001-01-01T00:00:00Z");
    }
}
