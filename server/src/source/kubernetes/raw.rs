//! Objects as the API server sends them, less what nobody reads. They become typed by `resources`, which takes what a
//! strict decoder would refuse: one odd object must not end a watch.

use crate::resources::{Invalid, Kind, Object};
use kube::{
    Resource,
    api::{ApiResource, GroupVersionKind, ObjectMeta},
    core::DynamicResourceScope,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::borrow::Cow;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// One object of any kind, pruned.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    meta: ObjectMeta,
    value: Value,
}

/// A kind in the words of the client library.
pub(super) fn resource(kind: Kind) -> ApiResource {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind.as_str()), kind.plural())
}

// === impl Raw ===

impl Raw {
    /// An object that is to be created.
    pub(super) fn new(value: Value) -> Self {
        Self {
            meta: ObjectMeta::default(),
            value,
        }
    }

    /// Lists leave out what their items are.
    pub(super) fn into_value(mut self, kind: Kind) -> Value {
        if let Value::Object(members) = &mut self.value {
            members.insert("apiVersion".into(), kind.api_version().into());
            members.insert("kind".into(), kind.as_str().into());
        }
        self.value
    }

    pub(super) fn read(self, kind: Kind) -> Result<Object, Invalid> {
        Object::parse(kind, self.into_value(kind))
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        prune(&mut value);
        let meta = ObjectMeta::deserialize(&value["metadata"]).map_err(de::Error::custom)?;
        Ok(Self { meta, value })
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl Resource for Raw {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        resource.kind.as_str().into()
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        resource.group.as_str().into()
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        resource.version.as_str().into()
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        resource.plural.as_str().into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

/// Drops the bookkeeping of other writers, which is often larger than the object.
fn prune(object: &mut Value) {
    let Some(Value::Object(metadata)) = object.get_mut("metadata") else {
        return;
    };
    metadata.remove("managedFields");
    if let Some(Value::Object(annotations)) = metadata.get_mut("annotations")
        && annotations.remove(LAST_APPLIED).is_some()
        && annotations.is_empty()
    {
        metadata.remove("annotations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_nobody_reads_is_dropped_and_the_rest_kept() {
        let raw: Raw = serde_json::from_value(json!({"metadata": {
            "name": "one", "resourceVersion": "7", "managedFields": [{"manager": "kubectl"}],
            "annotations": {LAST_APPLIED: "{}", "kept": "yes"},
        }, "data": {"a": "b"}}))
        .unwrap();
        assert_eq!(raw.meta().resource_version.as_deref(), Some("7"));
        assert_eq!(
            raw.into_value(Kind::ConfigMap),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"},
                   "metadata": {"name": "one", "resourceVersion": "7", "annotations": {"kept": "yes"}}})
        );
    }

    #[test]
    fn kinds_are_addressed_by_group_version_and_plural() {
        let parts = |kind| {
            let resource = resource(kind);
            (resource.group, resource.version, resource.plural)
        };
        let texts = |group: &str, version: &str, plural: &str| (group.into(), version.into(), plural.into());
        assert_eq!(
            parts(Kind::Anomaly),
            texts("platform.chatcli.io", "v1alpha1", "anomalies")
        );
        assert_eq!(parts(Kind::ConfigMap), texts("", "v1", "configmaps"));
        assert_eq!(parts(Kind::Deployment), texts("apps", "v1", "deployments"));
    }
}
