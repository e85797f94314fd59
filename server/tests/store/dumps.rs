//! What `kubectl get` prints goes in, the same comes out, and nothing is lost on the way.

use opsdeck::source::{
    embedded::Store,
    export::{ExportError, Format, export},
    import::{ImportError, Options, Report, import},
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const ALL: &str = include_str!("dump.yaml");

fn take(store: &mut Store, dump: impl AsRef<[u8]>) -> Report {
    import(store, dump.as_ref(), Options::default()).unwrap()
}

fn fresh(dump: impl AsRef<[u8]>) -> Store {
    let mut store = Store::in_memory().unwrap();
    take(&mut store, dump);
    store
}

fn exported(store: &Store, format: Format) -> String {
    let mut output = Vec::new();
    export(store, format, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Everything in the store but the store's own versions.
fn objects(store: &Store) -> Vec<Value> {
    let mut objects = Vec::new();
    store
        .each(|mut object| {
            object["metadata"]["resourceVersion"] = Value::Null;
            objects.push(object);
            Ok::<_, ExportError>(())
        })
        .unwrap();
    objects
}

fn issue(name: &str) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1",
        "kind": "Issue",
        "metadata": {"name": name, "namespace": "shop", "uid": format!("uid-{name}"), "creationTimestamp": "2026-11-28T10:00:00Z"},
        "spec": {
            "severity": "high",
            "source": "watcher",
            "resource": {"kind": "Deployment", "name": "cart", "namespace": "shop"},
            "description": "cart is slow",
        },
    })
}

#[test]
fn a_dump_of_every_kind_goes_in_and_comes_out() {
    let mut store = Store::in_memory().unwrap();
    let report = take(&mut store, ALL);
    assert_eq!(report.updated + report.unchanged, 0);
    assert_eq!(report.skipped_invalid.count, 0);
    let before = objects(&store);
    assert_eq!(before.len(), report.created);
    assert!(
        before
            .iter()
            .all(|object| object["metadata"].get("managedFields").is_none())
    );
    let again = take(&mut store, ALL);
    assert_eq!((again.created, again.updated, again.unchanged), (0, 0, report.created));
    for format in [Format::Yaml, Format::Json] {
        let text = exported(&store, format);
        assert!(!text.contains("resourceVersion"));
        assert_eq!(objects(&fresh(&text)), before);
        assert_eq!(exported(&fresh(&text), format), text);
    }
}

#[test]
fn a_mangled_export_is_the_same_export() {
    let store = fresh(ALL);
    let text = exported(&store, Format::Yaml);
    let managed = "    managedFields:\n    - fieldsV1:\n        f:spec: {}\n      manager: kubectl\n";
    let mut commented = String::new();
    for line in text.lines() {
        let comment = if line.starts_with("- ") {
            "# a comment: with [brackets]\n"
        } else {
            ""
        };
        let managed = if line == "  metadata:" { managed } else { "" };
        commented += &format!("{comment}{line}\n{managed}");
    }
    assert_ne!(commented, text);
    let windows = commented.replace('\n', "\r\n");
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(windows.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for mangled in [
        commented.clone().into_bytes(),
        windows.clone().into_bytes(),
        format!("\u{feff}{windows}").into_bytes(),
        format!("---\n# nothing\n---\n\n{commented}...\n---\n").into_bytes(),
        wide,
    ] {
        assert_eq!(objects(&fresh(mangled)), objects(&store));
    }
}

#[test]
fn documents_lists_and_single_objects_are_the_same_to_an_import() {
    let [one, two] = ["one", "two"].map(issue);
    let list = json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": [one, two]});
    let bare = |mut object: Value| {
        object
            .as_object_mut()
            .unwrap()
            .retain(|member, _| member != "kind" && member != "apiVersion");
        object
    };
    let items = [bare(one.clone()), bare(two.clone())];
    let typed = json!({"apiVersion": "platform.chatcli.io/v1alpha1", "items": items, "kind": "IssueList"});
    let yaml = |value: &Value| serde_saphyr::to_string(value).unwrap();
    let expected = objects(&fresh(list.to_string()));
    assert_eq!(expected.len(), 2);
    for dump in [
        yaml(&list),
        yaml(&typed),
        typed.to_string(),
        json!([one, two]).to_string(),
        format!("{}---\n{}", yaml(&one), yaml(&two)),
        format!("{one}\n{two}\n"),
        format!("{one:#}\n---\n{two:#}\n"),
        format!("{one}{two}"),
        yaml(&json!([one, two])),
    ] {
        assert_eq!(objects(&fresh(&dump)), expected, "{dump}");
    }
    for nothing in [
        "",
        "\n",
        "---\n",
        "# only a comment\n",
        "---\n---\n# a\n---\nnull\n",
        "[]",
        "items: []\nkind: List\n",
    ] {
        assert_eq!(objects(&fresh(nothing)), [] as [Value; 0], "{nothing}");
    }
}

#[test]
fn identity_is_kept_where_given_and_made_where_not() {
    let mut bare = issue("bare");
    bare["metadata"] = json!({"name": "bare", "creationTimestamp": null});
    let mut store = fresh(bare.to_string());
    let stored = objects(&store).remove(0);
    assert_eq!(stored["metadata"]["namespace"], "default");
    assert_eq!(stored["metadata"]["generation"], 1);
    assert!(stored["metadata"]["uid"].is_string() && stored["metadata"]["creationTimestamp"].is_string());

    let report = take(&mut store, bare.to_string());
    assert_eq!(report.unchanged, 1, "an import without identity takes the stored one");
    bare["spec"]["riskScore"] = 7.into();
    bare["status"] = json!({"state": "Analyzing", "remediationAttempts": 0, "maxRemediationAttempts": 3});
    assert_eq!(take(&mut store, bare.to_string()).updated, 1);
    let updated = objects(&store).remove(0);
    assert_eq!(updated["metadata"]["uid"], stored["metadata"]["uid"]);
    assert_eq!(updated["metadata"]["generation"], 2);
    bare.as_object_mut().unwrap().remove("status");
    assert_eq!(
        take(&mut store, bare.to_string()).unchanged,
        1,
        "a manifest without status says nothing about it"
    );

    let given = issue("given");
    take(&mut store, given.to_string());
    let stored = objects(&store)
        .into_iter()
        .find(|object| object["metadata"]["name"] == "given")
        .unwrap();
    assert_eq!(stored["metadata"]["uid"], "uid-given");
    assert_eq!(stored["metadata"]["creationTimestamp"], "2026-11-28T10:00:00Z");
}

#[test]
fn what_is_stored_damaged_is_told_of_and_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let mut store = Store::open(&path).unwrap();
    take(&mut store, issue("whole").to_string());
    take(&mut store, issue("damaged").to_string());
    let before = objects(&store);
    let others = rusqlite::Connection::open(&path).unwrap();
    let damage = "UPDATE objects SET object = '{' WHERE name = 'damaged'";
    assert_eq!(others.execute(damage, []).unwrap(), 1);
    let refused = export(&store, Format::Yaml, &mut Vec::new()).unwrap_err();
    assert!(
        refused.to_string().contains("Issue damaged in namespace shop"),
        "{refused}"
    );
    let report = take(&mut store, issue("damaged").to_string());
    assert_eq!((report.created, report.updated), (0, 1));
    assert_eq!(objects(&store), before);
}

#[test]
fn other_kinds_are_counted_and_skipped() {
    let dump = json!([
        issue("one"),
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "shop"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "chatcli-cost-ledger", "namespace": "shop"}},
        {"apiVersion": "other.io/v1", "kind": "Issue", "metadata": {"name": "theirs"}},
    ]);
    let mut store = Store::in_memory().unwrap();
    let report = take(&mut store, dump.to_string());
    assert_eq!(report.created, 2);
    let skipped =
        [("ConfigMap", 1), ("Issue (other.io/v1)", 1), ("Pod", 2)].map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(report.skipped_kinds, BTreeMap::from(skipped));
    assert!(
        report
            .to_string()
            .starts_with("2 created, 0 updated, 0 unchanged, 4 skipped\n")
    );
}

#[test]
fn an_invalid_object_is_named_and_nothing_is_stored() {
    let mut wrong = issue("wrong");
    wrong["spec"]["resource"] = "cart".into();
    let mut missing = issue("missing");
    missing["spec"].as_object_mut().unwrap().remove("resource");
    let nameless = json!({"apiVersion": "platform.chatcli.io/v1alpha1", "kind": "Issue", "metadata": {}, "spec": {}});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [issue("two"), wrong, "text"]});
    let dump = [
        issue("one"),
        list,
        missing,
        nameless,
        json!({"metadata": {"name": "kindless"}}),
    ]
    .iter()
    .map(|document| serde_saphyr::to_string(document).unwrap())
    .collect::<Vec<_>>()
    .join("---\n");

    let mut store = Store::in_memory().unwrap();
    let Err(ImportError::Invalid(rejects)) = import(&mut store, dump.as_bytes(), Options::default()) else {
        panic!("the dump was taken")
    };
    assert_eq!(objects(&store), [] as [Value; 0]);
    let named: Vec<_> = rejects
        .named
        .iter()
        .map(|reject| {
            (
                reject.place.document,
                reject.place.item,
                reject.name.as_str(),
                reject.why.field.as_str(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [
            (2, Some(2), "wrong", "spec.resource"),
            (2, Some(3), "", ""),
            (3, None, "missing", "spec.resource"),
            (4, None, "", "metadata.name"),
            (5, None, "kindless", "kind"),
        ]
    );
    let text = rejects.to_string();
    assert!(
        text.contains("document 2, item 2 (line ") && text.contains("Issue shop/wrong: spec.resource: "),
        "{text}"
    );

    let report = import(&mut store, dump.as_bytes(), Options { skip_invalid: true }).unwrap();
    assert_eq!((report.created, report.skipped_invalid.count), (2, 5));
}

#[test]
fn what_a_newer_version_adds_is_kept_with_a_warning() {
    let mut newer = issue("newer");
    newer["spec"]["severity"] = "catastrophic".into();
    newer["spec"]["blame"] = json!({"nobody": [1, null, "x"]});
    let mut store = Store::in_memory().unwrap();
    let report = take(&mut store, newer.to_string());
    assert_eq!(report.warnings.len(), 2, "{:?}", report.warnings);
    let stored = objects(&store).remove(0);
    assert_eq!(stored["spec"], newer["spec"]);
    assert_eq!(
        objects(&fresh(exported(&store, Format::Yaml))).remove(0)["spec"],
        newer["spec"]
    );
}

#[test]
fn bad_input_is_refused_with_its_place() {
    for (dump, place) in [
        ("kind: Issue\n\tname: x\n", "document 1, line "),
        ("a: 1\n---\na: [\n", "document 2"),
        ("a: 1\nb: 2\na: 3\n", "document 1, line 3, column 1: a is given twice"),
        ("{\"a\": 1}\n{\"a\": \n!}\n", "document 2, line 3"),
        ("text\n", "document 1, line 1, column 1: an object is expected"),
        ("{\"kind\": \"List\", \"items\": 3}", "document 1, line 1"),
        ("a: *b\n", "document 1, line 1"),
        ("\u{fffe}", "document 1"),
    ] {
        let mut store = Store::in_memory().unwrap();
        let error = import(&mut store, dump.as_bytes(), Options::default())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(place), "{dump:?}: {error}");
    }
    let mut store = Store::in_memory().unwrap();
    assert!(
        import(&mut store, &b"\xff\xff"[..], Options::default())
            .unwrap_err()
            .to_string()
            .contains("UTF-8")
    );
    let deep = format!("a: {}1{}", "[".repeat(200), "]".repeat(200));
    assert!(
        import(&mut store, deep.as_bytes(), Options::default())
            .unwrap_err()
            .to_string()
            .contains("levels deep")
    );
}

#[test]
fn an_empty_store_exports_an_empty_list() {
    let store = Store::in_memory().unwrap();
    for format in [Format::Yaml, Format::Json] {
        let text = exported(&store, format);
        assert_eq!(objects(&fresh(&text)), [] as [Value; 0]);
        assert!(text.contains("List"));
    }
}

/// Text that YAML readers like to take for something else.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "", " ", "~", "null", "true", "yes", "No", "on", "y", "0", "007", "0o7", "0x1F", "1e3", "12e45678", "1_000",
    ".5", "-", "- a", "--- a", "---", "...", "12:30", "2026-11-28", "2026-11-28T10:00:00Z", ".inf", "<<", "=", "#",
    "a #b", "a: b", "a:", "[", "{}", "*a", "&a", "!a", "|", ">", "%", "@", "`", "'", "\"", "\\", "\n", "\n\n",
    " a\n b", "a\n", "\na", "a\n\n", "a \nb", "a\r\nb", "a\rb", "\t", "a\tb", "\ta\n\tb", "\u{0}", "\u{7f}",
    "\u{85}", "\u{a0}", "\u{2028}", "\u{feff}", "\u{1f600}", "line\n---\nline", "? a", ",", "a, b", "\u{e000}",
    "\u{10ffff}",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(ODD).prop_map(str::to_owned),
        ".{0,20}",
        "(?s).{0,60}",
        "[a-z0-9:# \n\t\\-]{0,30}",
        prop::collection::vec(proptest::sample::select(ODD), 1..4).prop_map(|parts| parts.concat()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON knows finite numbers alone", |number| number.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..5)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_an_object_holds_comes_back(strange in value(), description in text(), annotation in text()) {
        let mut object = issue("one");
        object["spec"]["strange"] = strange;
        object["spec"]["description"] = description.into();
        object["metadata"]["annotations"] = json!({"a": annotation});
        let store = fresh(object.to_string());
        for format in [Format::Yaml, Format::Json] {
            let text = exported(&store, format);
            prop_assert_eq!(objects(&fresh(&text)), objects(&store), "{}", text);
        }
    }
}
