//! The five Instances: two that serve, and one for each way of not serving.

use super::{
    clock::{Clock, Moment, NOW},
    draft::{Draft, condition},
};
use serde_json::{Value, json};

/// Type, status, reason, message, how long ago it became so.
type Condition<'a> = (&'a str, &'a str, &'a str, &'a str, Moment);

fn conditions(clock: Clock, conditions: &[Condition<'_>]) -> Value {
    conditions
        .iter()
        .map(|(kind, status, reason, message, since)| condition(kind, status, reason, message, &clock.text(*since)))
        .collect()
}

pub(super) fn all(clock: Clock) -> Vec<Draft> {
    vec![pipeline(clock), europe(clock), batch(clock), dev(clock), qa(clock)]
}

/// Feeds the incident pipeline.
fn pipeline(clock: Clock) -> Draft {
    let rolled_out = Moment::days_ago(6, "9:12");
    Draft::new(
        "Instance",
        "chatcli",
        "chatcli",
        clock.text(Moment::days_ago(172, "10:04")),
    )
    .label("app.kubernetes.io/name", "chatcli")
    .label("app.kubernetes.io/part-of", "aiops")
    .finalizer("finalizer")
    .spec(json!({
        "replicas": 2,
        "provider": "CLAUDEAI",
        "model": "claude-sonnet-5",
        "image": {"repository": "ghcr.io/diillson/chatcli", "tag": "v1.214.0", "pullPolicy": "IfNotPresent"},
        "server": {
            "port": 50051,
            "metricsPort": 9090,
            "tls": {"enabled": true, "secretName": "chatcli-tls", "clientCASecretName": "chatcli-clients-ca"},
            "security": {
                "jwtPublicKeyRef": {"name": "chatcli-jwt", "key": "public.pem"},
                "jwtIssuer": "https://login.example",
                "jwtAudience": "chatcli", "operatorTokenRef": {"name": "chatcli-operator", "key": "token"},
                "mtlsRole": "operator",
                "rateLimitRps": 20, "rateLimitBurst": 40,
            },
        },
        "watcher": {
            "enabled": true, "interval": "30s", "window": "2h", "maxLogLines": 200, "maxContextChars": 48000,
            "targets": [
                {"name": "checkout-api", "kind": "Deployment", "namespace": "shop", "metricsPort": 9102,
                    "metricsPath": "/metrics"},
                {"name": "storefront-web", "kind": "Deployment", "namespace": "shop"},
                {"name": "search-api", "kind": "Deployment", "namespace": "shop", "metricsPort": 9102,
                    "metricsFilter": ["http_*", "queue_*"]},
                {"name": "ledger-db", "kind": "StatefulSet", "namespace": "payments"},
                {"name": "payout-worker", "kind": "Deployment", "namespace": "payments", "metricsPort": 9102},
                {"name": "edge-proxy", "kind": "Deployment", "namespace": "edge"},
                {"name": "node-local-dns", "kind": "DaemonSet", "namespace": "platform", "metricsPort": 9253},
                {"name": "transcoder", "kind": "StatefulSet", "namespace": "media"},
                {"name": "nightly-export", "kind": "CronJob", "namespace": "batch"},
            ],
        },
        "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
        "persistence": {"enabled": true, "size": "5Gi", "storageClassName": "ssd-retain"},
        "fallback": {
            "enabled": true, "maxRetries": 2, "cooldownBase": "30s", "cooldownMax": "5m",
            "providers": [{"name": "BEDROCK", "model": "claude-sonnet-5"}, {"name": "OPENAI", "model": "gpt-5"}],
        },
        "aiops": {
            "maxRemediationAttempts": 5, "resolutionCooldownMinutes": 10, "dedupTTLMinutes": 30,
            "enableAutoResolve": true,
            "agenticMaxSteps": 10,
        },
        "apiKeys": {"name": "chatcli-provider-keys"},
        "mcp": {
            "enabled": true,
            "servers": [{"name": "runbooks", "transport": "sse", "url": "http://runbook-mcp.platform.svc:8080/sse",
                    "enabled": true}],
        },
        "extraEnv": [
            {"name": "CHATCLI_LOG_LEVEL", "value": "info"},
            {"name": "HTTPS_PROXY", "value": "http://egress.platform.svc:3128"},
            {"name": "SLACK_SIGNING_SECRET",
                "valueFrom": {"secretKeyRef": {"name": "chatcli-slack", "key": "signing-secret"}}},
        ],
        "features": {
            "memory": {"enabled": true, "mode": "index"}, "knowledge": true, "hub": true,
            "budget": {"sessionUSD": "2.00", "dailyUSD": "25.00", "hardStop": false},
        },
        "pipeline": {"enabled": true},
    }))
    .status(json!({
        "ready": true, "replicas": 2, "readyReplicas": 2, "observedGeneration": 1, "serverVersion": "v1.214.0",
        "serverProbeTime": clock.text(NOW.plus("-2:41")),
        "conditions": conditions(clock, &[
            ("TLSConfigured", "True", "SecretConfigured",
                "Certificate from Secret chatcli-tls, client CA from chatcli-clients-ca", rolled_out),
            ("AuthenticationConfigured", "True", "CredentialConfigured",
                "Callers present a JWT or a client certificate", rolled_out),
            ("OperatorCredentialConfigured", "True", "CredentialAvailable",
                "The operator presents its token from Secret chatcli-operator", rolled_out),
            ("Available", "True", "DeploymentReady", "All replicas are ready", rolled_out.plus("1:37")),
            ("ServerReachable", "True", "Serving", "server v1.214.0 serving (CLAUDEAI/claude-sonnet-5)",
                rolled_out.plus("2:05")),
        ]),
    }))
}

/// Serves, but the operator cannot log in.
fn europe(clock: Clock) -> Draft {
    let since = Moment::days_ago(3, "14:20");
    Draft::new(
        "Instance",
        "chatcli-eu",
        "chatcli-eu",
        clock.text(Moment::days_ago(58, "13:45")),
    )
    .label("app.kubernetes.io/name", "chatcli")
    .label("region", "eu")
    .finalizer("finalizer")
    .spec(json!({
        "replicas": 1,
        "provider": "OLLAMA",
        "model": "qwen3:32b",
        "image": {"repository": "ghcr.io/diillson/chatcli", "tag": "v1.213.0", "pullPolicy": "IfNotPresent"},
        "server": {
            "port": 50051, "metricsPort": 9090,
            "tls": {"enabled": true, "secretName": "chatcli-eu-tls"},
            "security": {"jwtPublicKeyRef": {"name": "chatcli-eu-jwt", "key": "public.pem"},
                "jwtIssuer": "https://login.example"},
        },
        "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
        "persistence": {"enabled": true, "size": "2Gi"},
        "extraEnv": [{"name": "OLLAMA_HOST", "value": "http://ollama.models.svc:11434"}],
        "features": {"allowHTTPProviders": true},
    }))
    .status(json!({
        "ready": true, "replicas": 1, "readyReplicas": 1, "observedGeneration": 1, "serverVersion": "v1.213.0",
        "serverProbeTime": clock.text(NOW.plus("-0:22")),
        "conditions": conditions(clock, &[
            ("TLSConfigured", "True", "SecretConfigured", "Certificate from Secret chatcli-eu-tls", since),
            ("AuthenticationConfigured", "True", "CredentialConfigured", "Callers present a JWT", since),
            ("OperatorCredentialConfigured", "False", "CredentialMissing",
                "No token, signing secret or client certificate: the server runs, the operator cannot log in", since),
            ("Available", "True", "DeploymentReady", "All replicas are ready", since.plus("0:48")),
            ("ServerReachable", "False", "ProbeFailed",
                "rpc error: code = Unauthenticated desc = missing bearer token", since.plus("1:20")),
        ]),
    }))
}

/// Rolling out, one of two replicas ready.
fn batch(clock: Clock) -> Draft {
    let since = Moment::today("11:52");
    Draft::new(
        "Instance",
        "batch",
        "chatcli-batch",
        clock.text(Moment::days_ago(33, "8:15")),
    )
    .label("app.kubernetes.io/name", "chatcli")
    .finalizer("finalizer")
    .spec(json!({
        "replicas": 2,
        "provider": "OPENAI",
        "model": "gpt-5",
        "image": {"repository": "ghcr.io/diillson/chatcli", "tag": "v1.214.0", "pullPolicy": "IfNotPresent"},
        "server": {
            "port": 50051, "metricsPort": 9090,
            "tls": {"enabled": true, "secretName": "chatcli-batch-tls"},
            "token": {"name": "chatcli-batch-token", "key": "token"},
        },
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
        "apiKeys": {"name": "chatcli-batch-keys"},
        "scheduling": {"nodeSelector": {"pool": "batch"}, "priorityClassName": "batch-low"},
    }))
    .status(json!({
        "ready": false, "replicas": 2, "readyReplicas": 1, "observedGeneration": 1, "serverVersion": "v1.214.0",
        "serverProbeTime": clock.text(since.plus("-1:10")),
        "conditions": conditions(clock, &[
            ("TLSConfigured", "True", "SecretConfigured", "Certificate from Secret chatcli-batch-tls",
                Moment::days_ago(33, "8:16")),
            ("AuthenticationConfigured", "True", "CredentialConfigured", "Callers present the server token",
                Moment::days_ago(33, "8:16")),
            ("OperatorCredentialConfigured", "True", "CredentialAvailable",
                "The operator presents the server token", Moment::days_ago(33, "8:16")),
            ("Available", "False", "DeploymentNotReady", "1/2 replicas ready", since),
            ("ServerReachable", "Unknown", "DeploymentNotReady", "Not probed while the Deployment is not ready",
                since),
        ]),
    }))
}

/// Nobody could log in, so nothing is deployed.
fn dev(clock: Clock) -> Draft {
    let since = Moment::days_ago(2, "16:31");
    Draft::new("Instance", "dev-tools", "assistant-dev", clock.text(since))
        .finalizer("finalizer")
        .spec(json!({
            "replicas": 1,
            "provider": "GOOGLEAI",
            "model": "gemini-2.5-pro",
            "image": {"repository": "ghcr.io/diillson/chatcli", "pullPolicy": "IfNotPresent"},
            "server": {"port": 50051, "metricsPort": 9090, "tls": {"enabled": false}},
            "apiKeys": {"name": "assistant-dev-keys"},
        }))
        .status(json!({
            "ready": false, "replicas": 1, "readyReplicas": 0, "observedGeneration": 1,
            "conditions": conditions(clock, &[
                ("AuthenticationConfigured", "False", "CredentialMissing",
                    "Neither server.token nor a JWT key nor a client CA is set, on all interfaces", since.plus("0:03")),
                ("OperatorCredentialConfigured", "False", "CredentialMissing",
                    "There is no credential that the operator could present", since.plus("0:03")),
                ("Available", "False", "DeploymentNotReady", "0/1 replicas ready: the Deployment is not created",
                    since.plus("0:03")),
                ("ServerReachable", "Unknown", "DeploymentNotReady", "Not probed while the Deployment is not ready",
                    since.plus("0:03")),
            ]),
        }))
}

/// TLS is asked for, and its Secret is not named.
fn qa(clock: Clock) -> Draft {
    let since = Moment::days_ago(1, "10:07");
    Draft::new("Instance", "qa", "assistant-qa", clock.text(since))
        .finalizer("finalizer")
        .spec(json!({
            "replicas": 1,
            "provider": "BEDROCK",
            "image": {"repository": "ghcr.io/diillson/chatcli", "pullPolicy": "IfNotPresent"},
            "server": {
                "port": 50051, "metricsPort": 9090, "tls": {"enabled": true},
                "token": {"name": "assistant-qa-token", "key": "token"},
            },
            "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::000000000000:role/qa"}},
        }))
        .status(json!({
            "ready": false, "replicas": 1, "readyReplicas": 0, "observedGeneration": 1,
            "conditions": conditions(clock, &[
                ("TLSConfigured", "False", "SecretNameMissing",
                    "server.tls.enabled is true and server.tls.secretName is empty", since.plus("0:02")),
                ("AuthenticationConfigured", "True", "CredentialConfigured", "Callers present the server token",
                    since.plus("0:02")),
                ("OperatorCredentialConfigured", "True", "CredentialAvailable",
                    "The operator presents the server token", since.plus("0:02")),
                ("Available", "False", "DeploymentNotReady", "0/1 replicas ready: the Deployment is not created",
                    since.plus("0:02")),
                ("ServerReachable", "Unknown", "DeploymentNotReady", "Not probed while the Deployment is not ready",
                    since.plus("0:02")),
            ]),
        }))
}
