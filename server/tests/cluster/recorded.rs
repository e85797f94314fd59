//! The recorded answers over a real API server. Creation times are part of them, and no client may choose those, so the custom resources are
//! put where the API server keeps them.

use crate::{
    bed::{ADMIN, Bed},
    served::Served,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use opsdeck::resources::Kind;
use serde_json::{Value, json};
use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

const ROLES: [&str; 4] = ["viewer", "operator", "admin", "odd"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_answered_from_as_upstream_answers() {
    let Some(bed) = Bed::start().await else { return };
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
    let dump = fs::read_to_string(recorded.join("dump.yaml")).unwrap();
    let dump: Vec<Value> = serde_saphyr::from_multiple(&dump).unwrap();
    let objects = dump.iter().flat_map(|document| match document["items"].as_array() {
        Some(items) => items.iter().collect(),
        None => vec![document],
    });
    let (mut custom, mut built_in) = (Vec::new(), Vec::new());
    for object in objects {
        let text = |member: &str| object[member].as_str().unwrap();
        match Kind::from_api(text("apiVersion"), text("kind")) {
            Some(kind) if text("apiVersion").starts_with("platform.chatcli.io/") => custom.push((kind, object)),
            _ => built_in.push(object.clone()),
        }
    }
    bed.define(|_| true).await;
    bed.load(built_in).await;
    for (kind, object) in &custom {
        put(bed.ports.etcd, *kind, object);
    }
    let keys = ROLES.map(|role| format!("- {{key: conformance-{role}, role: {role}, name: {role}}}\n"));
    let served = Served::start_with(&bed.kubeconfig(ADMIN), &keys.concat()).await;
    served
        .until_asked_by("conformance-viewer", "all are read", "/readyz", |answer| {
            answer.status == 200
        })
        .await;
    let compared = Command::new("python3")
        .arg(recorded.join("conformance.py"))
        .arg(served.url())
        .arg("--keys")
        .arg(ROLES.map(|role| format!("{role}=conformance-{role}")).join(","))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compared.stdout);
    assert!(
        compared.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&compared.stderr)
    );
    assert!(said.contains(" 0 breaking"), "{said}");
}

/// As the API server would: <https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/>.
fn put(etcd: u16, kind: Kind, object: &Value) {
    let mut object = object.clone();
    let meta = object["metadata"].as_object_mut().unwrap();
    meta.remove("resourceVersion");
    let part = |member: &str| meta[member].as_str().unwrap();
    let key = format!(
        "/registry/platform.chatcli.io/{}/{}/{}",
        kind.plural(),
        part("namespace"),
        part("name")
    );
    let value = STANDARD.encode(object.to_string());
    let request = json!({"key": STANDARD.encode(key), "value": value}).to_string();
    let mut curl = Command::new("curl")
        .args(["--silent", "--show-error", "--fail", "--data", "@-"])
        .arg(format!("http://127.0.0.1:{etcd}/v3/kv/put"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    curl.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
    assert!(curl.wait().unwrap().success(), "{object}");
}
