//! The server itself, killed while people decide: what they did is stored with its marks and its event, or not at all.

use opsdeck::source::{
    embedded::{Store, StoreError},
    import::{Options, import},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Sender},
    thread,
    time::{Duration, Instant},
};

const OPERATOR: &str = "key-of-an-operator";
const ADMIN: &str = "key-of-an-admin";
const KEYS: &str = "
- {key: key-of-an-operator, role: operator, name: sre-mira}
- {key: key-of-an-admin, role: admin, name: sre-tomasz}
";

/// As many as one person finds to do in a round; the server is killed after at most so many answers.
const TURNS: usize = 60;
/// Incidents in one bulk.
const MANY: usize = 3;

/// Sort of event, name of the object that it is about, and how often.
type Deeds = BTreeMap<(String, String), usize>;

/// Five times over, or as often as `OPSDECK_ROUNDS` says.
#[test]
fn a_kill_leaves_no_deed_without_its_event_and_no_event_without_its_deed() {
    let rounds = std::env::var("OPSDECK_ROUNDS").map_or(5, |rounds| rounds.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opsdeck.db");
    let keys = directory.path().join("keys.yaml");
    fs::write(&keys, KEYS).unwrap();
    for round in 0..rounds {
        let mut store = Store::open(&path).unwrap();
        import(&mut store, work(round).to_string().as_bytes(), Options::default()).unwrap();
        drop(store);

        let mut chance = [0];
        getrandom::fill(&mut chance).unwrap();
        let last = 1 + usize::from(chance[0]) % TURNS;
        let heard = decide_until_killed(directory.path(), &keys, round, last);
        assert!(heard >= last, "the server ended by itself after {heard} answers");

        let objects = objects(&path);
        let told = told(&objects);
        let (done, mut faults) = done(&objects);
        let deeds: BTreeSet<_> = told.keys().chain(done.keys()).collect();
        let differ = deeds.into_iter().filter(|deed| told.get(deed) != done.get(deed));
        faults.extend(differ.map(|deed| format!("{deed:?}: done {:?}, told {:?}", done.get(deed), told.get(deed))));
        assert!(
            faults.is_empty(),
            "round {round}, killed after {last} answers: {faults:#?}"
        );
        assert!(told.values().sum::<usize>() >= last, "what was answered is there");

        let (mut server, _) = serve(directory.path(), &keys);
        let (approved, counted) = settled(&path);
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(
            counted, approved,
            "round {round}: the next server counts what this one owed"
        );
    }
}

// === The people ===

/// Somebody who does one sort of thing again and again, as long as there is a server.
struct Person {
    address: String,
    round: usize,
    answered: Sender<()>,
}

/// None once the server is gone.
type Turn = fn(&Person, usize) -> Option<()>;

const TURNS_OF: [Turn; 6] = [
    |mira, n| {
        mira.does(
            "POST",
            &mira.path("incidents/seen", n, "/acknowledge"),
            OPERATOR,
            Value::Null,
        )
    },
    |mira, n| {
        let how = json!({"resolution": "rolled back"});
        mira.does("POST", &mira.path("incidents/over", n, "/resolve"), OPERATOR, how)
    },
    |mira, n| {
        let items: Vec<_> = (0..MANY)
            .map(|part| json!({"namespace": "shop", "name": name("many", mira.round, n * MANY + part)}))
            .collect();
        let what = json!({"action": "acknowledge", "items": items});
        mira.does("POST", "/incidents/bulk", OPERATOR, what)
    },
    |both, n| {
        let path = both.path("approvals/asked", n, "/approve");
        both.does("POST", &path, OPERATOR, json!({"approver": "Mira"}))?;
        both.does("POST", &path, ADMIN, json!({"approver": "Tomasz"}))
    },
    |mira, n| {
        let remark = json!({"reviewer": "Mira", "notes": "well told"});
        mira.does("POST", &mira.path("postmortems/told", n, "/review"), OPERATOR, remark)
    },
    |tomasz, n| {
        let mut runbook = json!({
            "name": name("written", tomasz.round, n), "namespace": "shop", "description": "first",
            "trigger": {"signalType": "oom_kill", "severity": "high", "resourceKind": "Deployment"},
            "steps": [{"name": "restart", "action": "RestartDeployment"}],
        });
        let path = tomasz.path("runbooks/written", n, "");
        tomasz.does("POST", "/runbooks", ADMIN, runbook.clone())?;
        runbook["description"] = "second".into();
        tomasz.does("PUT", &path, ADMIN, runbook)?;
        if n % 2 == 0 {
            return Some(());
        }
        tomasz.does("DELETE", &path, ADMIN, Value::Null)
    },
];

// === impl Person ===

impl Person {
    fn path(&self, what: &str, n: usize, action: &str) -> String {
        format!("/{}{action}?namespace=shop", name(what, self.round, n))
    }

    fn does(&self, method: &str, path: &str, key: &str, body: Value) -> Option<()> {
        let status = self.ask(method, path, key, &body).ok()?;
        assert!(matches!(status, 200 | 201), "{method} {path}: {status}");
        self.answered.send(()).ok()
    }

    fn ask(&self, method: &str, path: &str, key: &str, body: &Value) -> io::Result<u16> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {}\r\nX-API-Key: {key}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Kills the server at the `last` answer, while everybody is at their next one. Answers how many there were by then.
fn decide_until_killed(data: &Path, keys: &Path, round: usize, last: usize) -> usize {
    let (mut server, address) = serve(data, keys);
    let (answered, answers) = mpsc::channel();
    let heard = thread::scope(|scope| {
        for turn in TURNS_OF {
            let person = Person {
                address: address.clone(),
                round,
                answered: answered.clone(),
            };
            scope.spawn(move || (0..TURNS).try_for_each(|n| turn(&person, n)));
        }
        drop(answered);
        let heard = answers.iter().take(last).count();
        server.kill().unwrap();
        heard
    });
    server.wait().unwrap();
    heard
}

/// How many are approved, and how many of those the policy has counted: in the end, or after as long as anybody waits for it.
fn settled(path: &Path) -> (u64, u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let objects = objects(path);
        let approved = of(&objects, "ApprovalRequest").filter(|(_, request)| request["status"]["state"] == "Approved");
        let approved = approved.count() as u64;
        let counts = of(&objects, "ApprovalPolicy").map(|(_, policy)| policy["status"]["totalApproved"].as_u64());
        let counted = counts.flatten().sum();
        if counted == approved || Instant::now() > deadline {
            return (approved, counted);
        }
    }
}

/// On a port of its own, which its log names.
fn serve(data: &Path, keys: &Path) -> (Child, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_opsdeck"))
        .args(["serve", "--source", "embedded", "--listen", "127.0.0.1:0"])
        .args(["--metrics-listen", "127.0.0.1:0", "--rate-limit-key", "1000000"])
        .arg("--data-dir")
        .arg(data)
        .arg("--api-keys-file")
        .arg(keys)
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let line = log
        .find(|line| line.contains(" serving "))
        .expect("a server that serves");
    let address = line.split("address=").nth(1).and_then(|rest| rest.split(' ').next());
    // A log that nobody reads would make it wait.
    thread::spawn(move || log.for_each(drop));
    (server, address.expect("where it listens").to_owned())
}

// === What there is to do ===

fn name(what: &str, round: usize, n: usize) -> String {
    format!("{what}-{round}-{n}")
}

fn work(round: usize) -> Value {
    let rule = json!({"name": "two", "mode": "quorum", "requiredApprovers": 2, "timeoutMinutes": 60, "match": {}});
    let policy = json!({"enabled": true, "rules": [rule]});
    let mut items = vec![];
    if round == 0 {
        items.push(object("ApprovalPolicy", "shop-changes", policy));
    }
    let cart = json!({"kind": "Deployment", "name": "cart", "namespace": "shop"});
    let issue = json!({"severity": "high", "source": "watcher", "resource": cart, "description": "cart is slow"});
    for n in 0..TURNS {
        items.push(object("Issue", &name("seen", round, n), issue.clone()));
        items.push(object("Issue", &name("over", round, n), issue.clone()));
        for part in 0..MANY {
            items.push(object("Issue", &name("many", round, n * MANY + part), issue.clone()));
        }
        let plan = json!({"issueRef": {"name": "i"}, "attempt": 1, "strategy": "restart", "actions": []});
        let mut plan = object("RemediationPlan", &name("asked", round, n), plan);
        plan["metadata"]["annotations"] = json!({WAITING: "asked"});
        let request = json!({
            "issueRef": {"name": "i"}, "remediationPlanRef": name("asked", round, n), "policyRef": "shop-changes",
            "ruleName": "two", "requestedActions": [], "requester": "chatcli-operator", "timeoutMinutes": 60,
            "requiredApprovers": 2,
        });
        let told = json!({"issueRef": {"name": "i"}, "severity": "high", "resource": cart});
        items.extend([
            plan,
            object("ApprovalRequest", &name("asked", round, n), request),
            object("PostMortem", &name("told", round, n), told),
        ]);
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "platform.chatcli.io/v1alpha1", "kind": kind,
        "metadata": {"name": name, "namespace": "shop"}, "spec": spec,
    })
}

// === What is there afterwards ===

const WAITING: &str = "platform.chatcli.io/approval-pending";
const COUNTED: &str = "platform.chatcli.io/policy-counted";

fn objects(path: &Path) -> Vec<Value> {
    let mut objects = Vec::new();
    let store = Store::open_existing(path).unwrap();
    store
        .each(|object| {
            objects.push(object);
            Ok::<_, StoreError>(())
        })
        .unwrap();
    objects
}

fn of<'a>(objects: &'a [Value], kind: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    objects
        .iter()
        .filter(move |object| object["kind"] == kind)
        .map(|object| (object["metadata"]["name"].as_str().unwrap(), object))
}

/// By the trail.
fn told(objects: &[Value]) -> Deeds {
    let mut deeds = Deeds::new();
    for (_, event) in of(objects, "AuditEvent") {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let deed = (
            text(&event["spec"]["eventType"]),
            text(&event["spec"]["resource"]["name"]),
        );
        *deeds.entry(deed).or_default() += 1;
    }
    deeds
}

/// By the objects, with what is half done: marks go with what was done, plans with the verdict, counters with what was counted.
fn done(objects: &[Value]) -> (Deeds, Vec<String>) {
    let (mut deeds, mut faults) = (Deeds::new(), Vec::new());
    let mut add = |deed: &str, name: &str, times: usize| {
        if times > 0 {
            deeds.insert((deed.to_owned(), name.to_owned()), times);
        }
    };
    let mut together = |name: &str, one: (&str, usize), other: (&str, usize)| {
        if one.1 != other.1 {
            faults.push(format!("{name}: {one:?}, but {other:?}"));
        }
    };
    let marked = |object: &Value, mark: &str| usize::from(object["metadata"]["annotations"][mark].is_string());
    let state = |object: &Value, state: &str| usize::from(object["status"]["state"] == state);
    for (name, issue) in of(objects, "Issue") {
        let (resolved, signed) = (state(issue, "Resolved"), marked(issue, "aiops.chatcli.io/resolved-by"));
        together(name, ("resolved", resolved), ("signed", signed));
        add("issue_resolved", name, resolved);
        add(
            "issue_acknowledged",
            name,
            marked(issue, "aiops.chatcli.io/acknowledged"),
        );
    }
    for (name, postmortem) in of(objects, "PostMortem") {
        let reviewed = state(postmortem, "InReview");
        let signed = marked(postmortem, "aiops.chatcli.io/reviewed-by");
        together(name, ("reviewed", reviewed), ("signed", signed));
        add("postmortem_reviewed", name, reviewed);
    }
    let plans: BTreeMap<_, _> = of(objects, "RemediationPlan").collect();
    let mut counted = 0;
    for (name, request) in of(objects, "ApprovalRequest") {
        let votes = request["status"]["decisions"].as_array().map_or(0, Vec::len);
        let approved = state(request, "Approved");
        together(
            name,
            ("approved", approved),
            ("decided by votes", usize::from(votes == 2)),
        );
        together(
            name,
            ("open", 1 - approved),
            ("plan waits", marked(plans[name], WAITING)),
        );
        add("approval_voted", name, votes);
        add("approval_approved", name, approved);
        together(name, ("approved", approved), ("noted", marked(request, COUNTED)));
        counted += usize::from(request["metadata"]["annotations"][COUNTED] == "approved");
    }
    for (name, policy) in of(objects, "ApprovalPolicy") {
        let total = policy["status"]["totalApproved"].as_u64().unwrap_or(0);
        together(
            name,
            ("counts", usize::try_from(total).unwrap()),
            ("noted as counted", counted),
        );
    }
    for (name, runbook) in of(objects, "Runbook") {
        let generation = runbook["metadata"]["generation"].as_u64().unwrap();
        add("runbook_created", name, 1);
        add("runbook_updated", name, usize::try_from(generation).unwrap() - 1);
    }
    // What is gone was made and changed before.
    let there: BTreeSet<_> = of(objects, "Runbook").map(|(name, _)| name).collect();
    for (deed, name) in told(objects).into_keys() {
        if deed == "runbook_deleted" {
            together(
                &name,
                ("told to be deleted", 0),
                ("there", usize::from(there.contains(&*name))),
            );
            for deed in ["runbook_created", "runbook_updated", "runbook_deleted"] {
                add(deed, &name, 1);
            }
        }
    }
    (deeds, faults)
}
