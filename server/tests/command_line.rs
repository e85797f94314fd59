//! What the command says before it does anything: exit codes and the one line that tells what to mend.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStderr, Command, Output, Stdio},
};
use tempfile::{NamedTempFile, TempDir};

fn opsdeck(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_opsdeck"));
    command.args(args).env_clear().env("HOME", "/nowhere");
    command
}

fn check(args: &[&str]) -> Output {
    opsdeck(&[&["config", "check"], args].concat())
        .output()
        .expect("a command that runs")
}

/// One line on standard error, exit code 64.
fn refused(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).expect("text");
    assert_eq!(output.status.code(), Some(64), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
    said
}

fn file(content: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(content.as_bytes()).expect("a request that is taken");
    file
}

/// A running server that goes with its owner.
struct Running {
    process: Child,
    address: String,
    _log: BufReader<ChildStderr>,
}

impl Running {
    /// On a port of its own, which its log names.
    fn start(args: &[&str]) -> Self {
        let mut process = opsdeck(args)
            .args(["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a command that runs");
        let mut log = BufReader::new(process.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains(" serving ") {
            line.clear();
            assert_ne!(log.read_line(&mut line).expect("text"), 0, "the server has ended");
        }
        let address = line
            .split("address=")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next());
        Self {
            process,
            address: address.expect("where it listens").to_owned(),
            _log: log,
        }
    }

    /// Standard output where it is well, else standard error: one line either way.
    fn health(&self, args: &[&str]) -> Result<String, String> {
        let output = opsdeck(&[&["healthcheck", "--listen", &self.address], args].concat())
            .output()
            .expect("a command that runs");
        let said = |bytes: &[u8]| {
            let said = String::from_utf8(bytes.to_owned()).expect("text");
            assert_eq!(said.lines().count(), 1, "{said}");
            said.replace(&self.address, "ADDRESS").trim_end().to_owned()
        };
        match output.status.code() {
            Some(0) => Ok(said(&output.stdout)),
            Some(1) => Err(said(&output.stderr)),
            other => panic!("{other:?}: {output:?}"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_good_configuration_is_called_good() {
    let output = check(&[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"the configuration is good\n");
}

#[test]
fn what_cannot_serve_is_one_line_that_names_the_flag() {
    for (args, names) in [
        (&["--tls-cert", "some.pem"][..], "--tls-cert is given without --tls-key"),
        (
            &["--api-keys-file", "/nowhere/keys"],
            "--api-keys-file /nowhere/keys cannot be read",
        ),
        (
            &["--session-secret-file", "/nowhere/s"],
            "--session-secret-file /nowhere/s cannot be read",
        ),
        (&["--base-path", "ops"], "--base-path must be a path"),
        (&["--public-url", "ops.example"], "--public-url must be an address"),
        (
            &["--trusted-proxies", "proxy.example"],
            "--trusted-proxies must be networks",
        ),
    ] {
        let said = refused(&check(args));
        assert!(said.contains(names), "{said}");
    }
}

#[test]
fn a_malformed_list_of_keys_is_refused_without_showing_a_key() {
    let keys = file("- {key: planted-secret, role: viewer}\n- {key: [planted-secret\n");
    let said = refused(&check(&["--api-keys-file", keys.path().to_str().unwrap()]));
    assert!(said.contains("line 2") || said.contains("line 3"), "{said}");
    assert!(!said.contains("planted"), "{said}");
}

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let mut command = opsdeck(&["config", "check"]);
    for name in [
        "OPSDECK_LISTEN",
        "OPSDECK_SOURCE",
        "OPSDECK_DATA_DIR",
        "OPSDECK_NO_SETTLER",
        "OPSDECK_API_KEYS_FILE",
        "OPSDECK_SESSION_SECRET_FILE",
        "OPSDECK_METRICS_LISTEN",
        "OPSDECK_DRAIN_DELAY",
        "OPSDECK_PUBLIC_URL",
        "OPSDECK_BASE_PATH",
        "OPSDECK_TRUSTED_PROXIES",
        "OPSDECK_RATE_LIMIT_HOST",
        "OPSDECK_RATE_LIMIT_KEY",
        "OPSDECK_LOG",
        "CHATCLI_AIOPS_PORT",
        "CHATCLI_AIOPS_TLS_CERT",
        "CHATCLI_AIOPS_TLS_KEY",
        "CHATCLI_CORS_ALLOWED_ORIGINS",
        "CHATCLI_CORS_ORIGIN",
        "CHATCLI_CORS_ALLOWED_METHODS",
        "CHATCLI_CORS_ALLOW_CREDENTIALS",
    ] {
        command.env(name, "");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_generated_key_can_be_piped_and_its_entry_pasted() {
    let output = opsdeck(&["keys", "generate", "--role", "operator", "--name", "sre-mira"])
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let (key, entry) = out.split_once('\n').unwrap();
    assert!(key.starts_with("opsdeck_"), "{out}");
    let list = file(entry);
    assert!(
        check(&["--api-keys-file", list.path().to_str().unwrap()])
            .status
            .success(),
        "{entry}"
    );
    let unknown = opsdeck(&["keys", "generate", "--role", "root", "--name", "x"])
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(64));
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("viewer, operator or admin")
    );
}

#[test]
fn rights_are_printed_for_the_namespaces_that_are_named() {
    let printed = opsdeck(&["rbac", "--namespace", "ops", "--watch-namespaces", "shop,edge"])
        .output()
        .unwrap();
    let rights = String::from_utf8(printed.stdout).unwrap();
    for namespace in ["ops", "shop", "edge"] {
        assert!(rights.contains(&format!("\n  namespace: {namespace}\n")), "{rights}");
    }
    assert!(!rights.contains("ClusterRoleBinding"), "{rights}");
    let wrong = opsdeck(&["rbac", "--watch-namespaces", "a/b"]).output().unwrap();
    assert!(refused(&wrong).contains("--watch-namespaces takes names"));
}

#[test]
fn a_drain_delay_is_a_duration() {
    assert!(check(&["--drain-delay", "500ms"]).status.success());
    for wrong in ["soon", "5", "-1s"] {
        let output = check(&[&format!("--drain-delay={wrong}")]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(said.contains("a duration such as 3s is expected"), "{said}");
    }
}

#[test]
fn a_server_under_a_base_path_is_well_until_it_is_gone() {
    let mut running = Running::start(&["preview", "--calm", "--base-path", "/ops"]);
    assert_eq!(
        running.health(&["--base-path", "/ops"]).unwrap(),
        "http://ADDRESS/ops/livez: ok"
    );
    assert_eq!(
        running.health(&["--base-path", "/ops", "--ready"]).unwrap(),
        "http://ADDRESS/ops/readyz: ready"
    );
    let url = format!("http://{}/ops", running.address);
    assert!(running.health(&["--url", &url]).is_ok());
    let elsewhere = running.health(&[]).unwrap_err();
    assert!(elsewhere.starts_with("opsdeck: http://ADDRESS/livez: "), "{elsewhere}");

    running.process.kill().unwrap();
    running.process.wait().unwrap();
    let gone = running.health(&["--base-path", "/ops"]).unwrap_err();
    assert!(
        gone.starts_with("opsdeck: http://ADDRESS/ops/livez cannot be reached: "),
        "{gone}"
    );
}

#[test]
fn a_server_is_asked_over_tls_whoever_signed_its_certificate() {
    let directory = TempDir::new().unwrap();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["ops.example".to_owned()]).unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, key) = (path("tls.crt"), path("tls.key"));
    fs::write(&certificate, cert.pem()).unwrap();
    fs::write(&key, signing_key.serialize_pem()).unwrap();
    let running = Running::start(&["preview", "--calm", "--tls-cert", &certificate, "--tls-key", &key]);
    assert_eq!(
        running.health(&["--tls-cert", &certificate]).unwrap(),
        "https://ADDRESS/livez: ok (over TLS 1.3; whose certificate it is was not asked)"
    );
    let plain = running.health(&[]).unwrap_err();
    assert!(plain.contains("no HTTP is spoken there"), "{plain}");

    let plain = Running::start(&["preview", "--calm"]);
    let tls = plain.health(&["--tls-cert", &certificate]).unwrap_err();
    assert!(tls.contains("no TLS 1.3 is spoken there"), "{tls}");
}

#[test]
fn who_has_not_read_the_cluster_yet_lives_and_is_not_ready() {
    let nowhere = file(
        "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}],
          clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}], users: [{name: a, user: {}}]}",
    );
    let running = Running::start(&["serve", "--kubeconfig", nowhere.path().to_str().unwrap()]);
    assert_eq!(running.health(&[]).unwrap(), "http://ADDRESS/livez: ok");
    assert_eq!(
        running.health(&["--ready"]).unwrap_err(),
        "opsdeck: http://ADDRESS/readyz: 503 Service Unavailable not ready: the cluster has not been read yet"
    );
}

#[test]
fn an_address_that_is_none_is_refused() {
    let output = opsdeck(&["healthcheck", "--url", "ops.example"]).output().unwrap();
    assert!(refused(&output).contains("--url must be an address such as"));
}

#[test]
fn the_description_of_the_api_is_printed() {
    let output = opsdeck(&["openapi"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document, opsdeck::rest::document(""));
    assert_eq!(document["paths"]["/incidents"]["get"]["operationId"], "list_incidents");
}
