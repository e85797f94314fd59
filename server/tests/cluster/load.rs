//! What is put into a bed: definitions and objects, as an administrator would.

use crate::bed::{ADMIN, Bed, until};
use k8s_openapi::{
    api::core::v1::Namespace, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams},
};
use opsdeck::{
    resources::{self, Kind},
    source::Address,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

// === impl Bed ===

impl Bed {
    /// Installs the definitions of these kinds and waits until they are served.
    pub(crate) async fn define(&self, wanted: impl Fn(Kind) -> bool) {
        let client = self.client(ADMIN).await;
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let known = |name: &str| Kind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let mut kinds = Vec::new();
        for definition in resources::crds() {
            let kind = known(&definition.spec.names.kind).expect("a kind of ours");
            if wanted(kind) {
                definitions
                    .create(&PostParams::default(), &definition)
                    .await
                    .expect("a sound definition");
                kinds.push(kind);
            }
        }
        for kind in kinds {
            let objects = objects(&client, kind, None);
            until("the kind is served", async || {
                objects.list(&ListParams::default()).await.is_ok()
            })
            .await;
        }
    }

    pub(crate) async fn namespace(&self, name: &str) {
        let namespaces: Api<Namespace> = Api::all(self.client(ADMIN).await);
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.into());
        match namespaces.create(&PostParams::default(), &namespace).await {
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
            created => drop(created.expect("a namespace")),
        }
    }

    /// Stores objects with their status, as their controllers would leave them.
    pub(crate) async fn load(&self, objects: Vec<Value>) {
        let text = |object: &Value, member: &str| object["metadata"][member].as_str().unwrap_or_default().to_owned();
        let namespaces: BTreeSet<_> = objects.iter().map(|object| text(object, "namespace")).collect();
        for namespace in namespaces {
            if namespace != "default" {
                self.namespace(&namespace).await;
            }
        }
        let client = self.client(ADMIN).await;
        for object in objects {
            let part = |member: &str| object[member].as_str().unwrap_or_default();
            let kind = Kind::from_api(part("apiVersion"), part("kind")).expect("a kind of ours");
            let address = Address {
                kind,
                namespace: text(&object, "namespace"),
                name: text(&object, "name"),
            };
            put(&client, &address, object).await;
        }
    }

    /// What a fresh list of the kind says: versions by address.
    pub(crate) async fn versions(&self, kind: Kind) -> BTreeMap<Address, String> {
        let list = objects(&self.client(ADMIN).await, kind, None)
            .list(&ListParams::default())
            .await;
        let list = list.unwrap_or_else(|error| panic!("{kind}: {error}"));
        let ours = list
            .items
            .into_iter()
            .filter(|object| kind.keeps(object.metadata.name.as_deref().unwrap_or_default()));
        ours.map(|object| {
            let meta = object.metadata;
            let address = Address {
                kind,
                namespace: meta.namespace.unwrap_or_default(),
                name: meta.name.unwrap_or_default(),
            };
            (address, meta.resource_version.unwrap_or_default())
        })
        .collect()
    }
}

/// The objects of a kind, in one namespace or in all.
pub(crate) fn objects(client: &Client, kind: Kind, namespace: Option<&str>) -> Api<DynamicObject> {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let resource =
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind.as_str()), kind.plural());
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

/// Creates an object, then gives it its status.
pub(crate) async fn put(client: &Client, address: &Address, mut object: Value) {
    let api = objects(client, address.kind, Some(&address.namespace));
    object["apiVersion"] = address.kind.api_version().into();
    object["kind"] = address.kind.as_str().into();
    object["metadata"]["name"] = address.name.as_str().into();
    object["metadata"]["namespace"] = address.namespace.as_str().into();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
    }
    let status = object["status"].take();
    let typed: DynamicObject = serde_json::from_value(object).expect("an object");
    let created = api.create(&PostParams::default(), &typed).await;
    created.unwrap_or_else(|error| panic!("{address:?}: {error}"));
    if address.kind.has_status() && !status.is_null() {
        let patch = Patch::Merge(json!({ "status": status }));
        let patched = api.patch_status(&address.name, &PatchParams::default(), &patch).await;
        patched.unwrap_or_else(|error| panic!("{address:?}: {error}"));
    }
}
