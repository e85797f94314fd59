//! What is shown of an Instance, and which one drives the pipeline as objects come and time passes.

use super::{instance_detail, instance_item};
use crate::{
    catalog::Catalog,
    fixtures::{at, incident, insight, instance, noon},
    resources::{
        ConditionStatus::{False, True},
        Instance, SecretKeyRef, SecretRef,
        instance_pipeline::{Mcp, McpServer, Watcher},
        instance_pod::{Image, InstanceServer, Scheduling, Security, Tls},
    },
    rules::drives_aiops::Driver,
};
use jiff::{Timestamp, ToSpan};
use k8s_openapi::{
    api::core::v1::{EnvVar, EnvVarSource, ResourceRequirements, SecretKeySelector},
    apimachinery::pkg::api::resource::Quantity,
};
use opsdeck_api::instance::{DrivesAiops, InstanceDetail, InstanceItem};
use proptest::prelude::*;
use serde_json::json;

fn item(instance: &Instance) -> InstanceItem {
    instance_item(instance, &Driver::NoneReady)
}

fn detail(instance: &Instance) -> InstanceDetail {
    instance_detail(instance, item(instance))
}

fn encrypted(instance: &mut Instance) {
    instance.spec.server.get_or_insert_default().tls = Some(Tls {
        enabled: true,
        secret_name: "main-tls".into(),
        ..Tls::default()
    });
}

#[test]
fn five_conditions_in_fixed_order_whatever_the_object_has() {
    let main = instance("main")
        .with(encrypted)
        .condition("ServerReachable", True, "")
        .condition("Available", False, "1/2")
        .condition("Odd", True, "");
    let item = item(&main);
    let said: Vec<_> = item
        .conditions
        .iter()
        .map(|condition| (&*condition.kind, &*condition.status))
        .collect();
    assert_eq!(
        said,
        [
            ("TLSConfigured", "Unknown"),
            ("AuthenticationConfigured", "Unknown"),
            ("OperatorCredentialConfigured", "Unknown"),
            ("Available", "False"),
            ("ServerReachable", "True"),
        ]
    );
    assert_eq!(item.conditions[3].message.as_deref(), Some("1/2"));
    assert_eq!(
        (item.first_failed.as_deref(), item.server_reachable),
        (Some("TLSConfigured"), Some(true))
    );
}

#[test]
fn tls_that_is_off_is_unknown_with_a_reason() {
    let plain = item(&instance("main"));
    assert_eq!(plain.conditions[0].reason.as_deref(), Some("TLSDisabled"));
    assert_eq!(item(&instance("main").with(encrypted)).conditions[0].reason, None);
}

#[test]
fn all_true_has_nothing_failed() {
    let aspects = [
        "TLSConfigured",
        "AuthenticationConfigured",
        "OperatorCredentialConfigured",
        "Available",
        "ServerReachable",
    ];
    let healthy = aspects.iter().fold(instance("main"), |instance, aspect| {
        instance.condition(aspect, True, "")
    });
    assert_eq!(item(&healthy).first_failed, None);
    let broken = healthy.with(|instance| instance.status.as_mut().unwrap().conditions[2].status = False);
    assert_eq!(
        item(&broken).first_failed.as_deref(),
        Some("OperatorCredentialConfigured")
    );
}

#[test]
fn members_without_a_value_are_null() {
    let shown = serde_json::to_value(detail(&instance("main"))).unwrap();
    for member in [
        "model",
        "version",
        "serverReachable",
        "image",
        "probedAt",
        "observedGeneration",
    ] {
        assert_eq!(shown.get(member), Some(&json!(null)), "{member}");
    }
    assert_eq!(
        (&shown["replicas"], &shown["readyReplicas"], &shown["ready"]),
        (&json!(1), &json!(0), &json!(false))
    );
    assert_eq!(shown["endpoint"], "main.shop.svc.cluster.local:50051");
    assert_eq!(
        shown["tls"],
        json!({"enabled": false, "secretName": null, "clientCASecretName": null})
    );
}

#[test]
fn the_detail_tells_image_address_and_resources() {
    let main = instance("main").with(encrypted).with(|instance| {
        instance.spec.image = Some(Image {
            repository: "ghcr.io/diillson/chatcli".into(),
            tag: "1.214.0".into(),
            ..Image::default()
        });
        instance.spec.server.as_mut().unwrap().port = 6000;
        instance.spec.resources = Some(Box::new(ResourceRequirements {
            limits: Some([("memory".to_owned(), Quantity("1Gi".into()))].into()),
            requests: Some([("cpu".to_owned(), Quantity("100m".into()))].into()),
            ..ResourceRequirements::default()
        }));
        instance.status.get_or_insert_default().server_probe_time = Some(noon());
    });
    let shown = detail(&main);
    assert_eq!(shown.image.as_deref(), Some("ghcr.io/diillson/chatcli:1.214.0"));
    assert_eq!(shown.endpoint, "main.shop.svc.cluster.local:6000");
    assert_eq!(shown.tls.secret_name.as_deref(), Some("main-tls"));
    assert_eq!(
        serde_json::to_value(&shown.resources).unwrap(),
        json!({"limits.memory": "1Gi", "requests.cpu": "100m"})
    );
    assert_eq!(shown.probed_at.as_deref(), Some("2026-09-23T12:00:00Z"));
}

#[test]
fn environment_shows_names_and_where_values_come_from() {
    let variable = |name: &str, value: &str| EnvVar {
        name: name.into(),
        value: Some(value.into()),
        value_from: None,
    };
    let main = instance("main").with(|instance| {
        let selector = SecretKeySelector {
            name: "main-env".into(),
            key: "token".into(),
            optional: None,
        };
        let source = EnvVarSource {
            secret_key_ref: Some(selector),
            ..EnvVarSource::default()
        };
        instance.spec.extra_env = vec![
            variable("LOG_LEVEL", "debug"),
            variable("EMPTY", ""),
            EnvVar {
                name: "TOKEN".into(),
                value: None,
                value_from: Some(source),
            },
        ];
    });
    assert_eq!(
        serde_json::to_value(detail(&main).env).unwrap(),
        json!({"LOG_LEVEL": "***", "EMPTY": "", "TOKEN": "Secret main-env, key token"})
    );
}

#[test]
fn settings_are_the_rest_by_path_without_what_may_be_secret() {
    let main = instance("main").with(|instance| {
        instance.spec.api_keys = Some(SecretRef {
            name: "chatcli-api-keys".into(),
        });
        instance.spec.watcher = Some(Box::new(Watcher {
            enabled: true,
            interval: "30s".into(),
            window: "2h".into(),
            ..Watcher::default()
        }));
        instance.spec.server = Some(Box::new(InstanceServer {
            port: 50051,
            metrics_port: 9090,
            token: Some(SecretKeyRef {
                name: "main-auth".into(),
                key: "token".into(),
            }),
            security: Some(Box::new(Security {
                jwt_issuer: "me".into(),
                ..Security::default()
            })),
            ..InstanceServer::default()
        }));
        instance.spec.scheduling = Some(Box::new(Scheduling {
            pod_annotations: [
                ("vault.token".to_owned(), "s3cr3t".to_owned()),
                ("team".to_owned(), "sre".to_owned()),
            ]
            .into(),
            ..Scheduling::default()
        }));
    });
    let settings = detail(&main).settings;
    let said = |path: &str| settings.get(path).map(String::as_str);
    assert_eq!(said("apiKeys.name"), Some("chatcli-api-keys"));
    assert_eq!(said("watcher.interval"), Some("30s"));
    assert_eq!(said("server.token"), Some("Secret main-auth, key token"));
    assert_eq!(said("server.security.jwtIssuer"), Some("me"));
    assert_eq!(said("server.port"), None, "part of the address");
    assert_eq!(said("scheduling.podAnnotations.vault.token"), Some("***"));
    assert_eq!(said("scheduling.podAnnotations.team"), Some("sre"));
}

/// All Instances of a catalog with their verdicts, by name.
fn drivers(catalog: &Catalog) -> Vec<(String, DrivesAiops)> {
    let snapshot = catalog.snapshot();
    let mut drivers: Vec<_> = (snapshot.table::<Instance>().iter())
        .map(|row| serde_json::from_slice::<InstanceItem>(&row.item).unwrap())
        .map(|item| (item.name, item.drives_aiops))
        .collect();
    drivers.sort_by(|a, b| a.0.cmp(&b.0));
    drivers
}

fn verdicts(verdicts: &[(&str, DrivesAiops)]) -> Vec<(String, DrivesAiops)> {
    verdicts
        .iter()
        .map(|(name, verdict)| ((*name).to_owned(), *verdict))
        .collect()
}

#[test]
fn the_verdict_follows_what_comes_and_what_grows_old() {
    use DrivesAiops::{No, Unknown, Yes};
    let catalog = Catalog::new(1);
    catalog.apply(
        vec![
            instance("a").ready().object(),
            instance("b").ready().object(),
            instance("c").object(),
        ],
        noon(),
    );
    assert_eq!(
        drivers(&catalog),
        verdicts(&[("a", Unknown), ("b", Unknown), ("c", No)])
    );

    catalog.apply(
        vec![
            incident().through("b").object(),
            incident().named("later").created("2026-09-23T12:30:00Z").object(),
        ],
        noon(),
    );
    assert_eq!(
        drivers(&catalog),
        verdicts(&[("a", No), ("b", Yes), ("c", No)]),
        "one without the label does not count"
    );

    let traced = insight()
        .created("2026-09-23T13:00:00Z")
        .labelled("platform.chatcli.io/instance", "a");
    catalog.apply(
        vec![
            traced
                .labelled("platform.chatcli.io/instance-namespace", "shop")
                .object(),
        ],
        noon() + 1.hour(),
    );
    assert_eq!(drivers(&catalog), verdicts(&[("a", Yes), ("b", No), ("c", No)]));

    catalog.tick(at("2026-09-24T12:59:59Z"));
    assert_eq!(drivers(&catalog)[0].1, Yes);
    catalog.tick(at("2026-09-24T13:01:00Z"));
    assert_eq!(
        drivers(&catalog),
        verdicts(&[("a", Unknown), ("b", Unknown), ("c", No)])
    );

    catalog.apply(vec![instance("a").object()], at("2026-09-24T13:02:00Z"));
    assert_eq!(
        drivers(&catalog),
        verdicts(&[("a", No), ("b", Yes), ("c", No)]),
        "the only ready one"
    );
}

#[test]
fn it_is_asked_again_each_minute() {
    let catalog = Catalog::new(1);
    let now: Timestamp = at("2026-09-23T12:00:30.5Z");
    catalog.apply(vec![instance("a").ready().object()], now);
    assert_eq!(catalog.snapshot().next_change(), Some(at("2026-09-23T12:01:00Z")));
}

proptest! {
    #[test]
    fn no_planted_secret_shows(name in "[A-Z_]{1,12}", plain in "[a-z ]{0,6}") {
        let planted = format!("{plain}S3CR3T");
        let main = instance("main").with(|instance| {
            instance.spec.extra_env = vec![EnvVar { name: name.clone(), value: Some(planted.clone()), value_from: None }];
            instance.spec.mcp = Some(Box::new(Mcp {
                enabled: true,
                servers: vec![McpServer {
                    name: "tools".into(),
                    args: vec!["--header".into(), planted.clone()],
                    env: [(name.clone(), planted.clone())].into(),
                    url: format!("https://tools.example/{planted}").replace(' ', "+"),
                    ..McpServer::default()
                }],
                ..Mcp::default()
            }));
        });
        let copy = serde_json::to_string(&main.spec).unwrap();
        let main = main.annotated("kubectl.kubernetes.io/last-applied-configuration", &copy);
        let shown = serde_json::to_string(&detail(&main)).unwrap();
        prop_assert!(!shown.contains("S3CR3T"), "{}", shown);
        prop_assert!(shown.contains("mcp.servers.1.name"));
    }
}
