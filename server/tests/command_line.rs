//! What the command says before it does anything: exit codes and the one line that tells what to mend.

use std::{
    io::Write as _,
    process::{Command, Output},
};
use tempfile::NamedTempFile;

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
