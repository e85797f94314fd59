//! The seams of the house, held: who may name which library, and what no file may contain.
//! Reads the sources as text and asks cargo for the graphs; links nothing of ours.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// One thing that some files must not name.
struct Seam {
    rule: &'static str,
    /// Paths from the top of the repository; a folder ends with a slash.
    within: &'static [&'static str],
    except: &'static [&'static str],
    /// Matched as whole words, outside comments.
    words: &'static [&'static str],
    part: Part,
    /// A line that the seam must catch, or it holds nothing.
    example: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Whole,
    /// Files under `tests/` or `benches/`, and what follows `#[cfg(test)]` in the others.
    Tests,
}

const SEAMS: &[Seam] = &[
    Seam {
        rule: "kube is named by the resources and the Kubernetes source alone",
        within: &["api/src/", "app/src/", "server/src/"],
        except: &[
            "server/src/resources.rs",
            "server/src/resources/",
            "server/src/source/kubernetes.rs",
            "server/src/source/kubernetes/",
        ],
        words: &["kube"],
        part: Part::Whole,
        example: "use kube::CustomResource;",
    },
    Seam {
        rule: "HTTP is spoken by rest, access, pages, listen and headers, by the link to the API server and by the healthcheck; run puts them together",
        within: &["api/src/", "app/src/", "server/src/"],
        except: &[
            "server/src/access.rs",
            "server/src/access/",
            "server/src/headers.rs",
            "server/src/healthcheck.rs",
            "server/src/listen.rs",
            "server/src/listen/",
            "server/src/payload.rs",
            "server/src/pages.rs",
            "server/src/pages/",
            "server/src/rest.rs",
            "server/src/rest/",
            "server/src/run.rs",
            "server/src/source/kubernetes/link.rs",
        ],
        words: &[
            "axum::",
            "http::",
            "http_body_util::",
            "hyper::",
            "hyper_util::",
            "leptos_axum::",
            "tower::",
        ],
        part: Part::Whole,
        example: "fn status() -> http::StatusCode {",
    },
    Seam {
        rule: "the browser asks the server in client and live alone",
        within: &["app/src/"],
        except: &["app/src/client.rs", "app/src/client/", "app/src/live.rs"],
        words: &[
            "gloo_net",
            "EventSource",
            "XmlHttpRequest",
            "WebSocket",
            "fetch",
            "fetch_with_request",
            "fetch_with_str",
        ],
        part: Part::Whole,
        example: "let answer = gloo_net::http::Request::get(path).send().await;",
    },
    Seam {
        rule: "what is true now does not depend on who asks or on where it came from",
        within: &[
            "server/src/catalog.rs",
            "server/src/catalog/",
            "server/src/rules.rs",
            "server/src/rules/",
        ],
        except: &[],
        words: &[
            "crate::rest",
            "crate::access",
            "crate::pages",
            "crate::listen",
            "crate::config",
            "rusqlite",
        ],
        part: Part::Whole,
        example: "use crate::rest::paging::Page;",
    },
    Seam {
        rule: "rules decide from what they are given: no clock, no files, no network, no waiting",
        within: &["server/src/rules.rs", "server/src/rules/"],
        except: &[],
        words: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::io",
            "tokio",
            "async",
        ],
        part: Part::Whole,
        example: "let policy = std::fs::read_to_string(path)?;",
    },
    Seam {
        rule: "rules and catalog are told the time",
        within: &[
            "server/src/catalog.rs",
            "server/src/catalog/",
            "server/src/rules.rs",
            "server/src/rules/",
        ],
        except: &[],
        words: &["SystemTime", "Instant::now", "Timestamp::now", "Zoned::now"],
        part: Part::Whole,
        example: "let expired = request.expires_at <= Timestamp::now();",
    },
    Seam {
        rule: "the contract depends on nothing of ours",
        within: &["api/src/", "api/Cargo.toml"],
        except: &[],
        words: &["opsdeck_app", "opsdeck-app", "opsdeck::"],
        part: Part::Whole,
        example: "use opsdeck_app::Theme;",
    },
    Seam {
        rule: "text is never put into a page as markup, and styles live in style/, where the content security policy allows them",
        within: &["app/src/"],
        except: &[],
        words: &["inner_html", "style=", "style:"],
        part: Part::Whole,
        example: r#"view! { <p style="color: red">{reason}</p> }"#,
    },
    Seam {
        rule: "an exception to a lint is #[expect(…, reason = …)]",
        within: &["api/", "app/", "server/"],
        except: &[],
        words: &["#[allow", "#![allow", "cfg_attr(test, allow"],
        part: Part::Whole,
        example: "#[allow(dead_code)]",
    },
    Seam {
        rule: "tests wait for what happens, not for time to pass",
        within: &["api/", "app/", "server/", "end2end/"],
        except: &[],
        words: &["thread::sleep", "time::sleep", "sleep(", "waitForTimeout", "setTimeout"],
        part: Part::Tests,
        example: "tokio::time::sleep(Duration::from_millis(50)).await;",
    },
];

/// Longer than this, and a file holds more than one thing.
const MOST_LINES: usize = 600;

/// Names that a dependency graph must not hold, with the graph's `cargo tree` arguments.
const GRAPHS: &[(&[&str], &[&str])] = &[
    (
        &[
            "--package",
            "opsdeck-app",
            "--features",
            "hydrate",
            "--target",
            "wasm32-unknown-unknown",
        ],
        &[
            "opsdeck",
            "tokio",
            "hyper",
            "axum",
            "kube",
            "k8s-openapi",
            "rusqlite",
            "schemars",
        ],
    ),
    (
        &["--package", "opsdeck-api"],
        &["opsdeck", "opsdeck-app", "leptos", "axum", "kube", "tokio", "schemars"],
    ),
];

#[test]
fn seams_hold() {
    let offences: Vec<String> = sources()
        .iter()
        .flat_map(|(path, text)| SEAMS.iter().flat_map(|seam| seam.offences(path, text)))
        .collect();
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

#[test]
fn every_file_says_what_lives_in_it_and_stays_short() {
    let offences: Vec<String> = sources()
        .iter()
        .filter_map(|(path, text)| misshapen(path, text))
        .collect();
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

#[test]
fn graphs_stay_clean() {
    for (arguments, banned) in GRAPHS {
        let found = banned_in(&graph(arguments), banned);
        assert!(
            found.is_empty(),
            "cargo tree {}: {}",
            arguments.join(" "),
            found.join(", ")
        );
    }
}

#[test]
fn every_seam_catches_its_example() {
    for seam in SEAMS {
        let path = match (seam.part, seam.within) {
            (Part::Tests, _) => "server/tests/example.rs".to_owned(),
            (Part::Whole, [first, ..]) if first.ends_with('/') => format!("{first}example.rs"),
            (Part::Whole, [first, ..]) => (*first).to_owned(),
            (Part::Whole, []) => panic!("{}: looks at no file", seam.rule),
        };
        assert_eq!(seam.offences(&path, seam.example).len(), 1, "{}", seam.rule);
        assert!(
            seam.offences(&path, &format!("// {}", seam.example)).is_empty(),
            "{}: in a comment",
            seam.rule
        );
        for spared in seam.except {
            assert!(
                seam.offences(spared, seam.example).is_empty(),
                "{}: {spared} may",
                seam.rule
            );
        }
    }
}

#[test]
fn words_are_whole_and_tests_are_told_from_code() {
    assert!(names("use kube::Api;", "kube") && names("kube", "kube") && names("(http::Uri)", "http::"));
    assert!(!names("kubelet", "kube") && !names("minikube", "kube") && !names("data-style=x", "style="));
    assert!(
        !names("crate::http::Answer", "http::"),
        "a module of ours may have a library's name"
    );
    assert_eq!(
        test_part("server/src/a.rs", "sleep(1);\n#[cfg(test)]\nmod tests {\n}"),
        2
    );
    assert_eq!(
        test_part("server/src/a.rs", "#[cfg(test)]\nmod tests;\nsleep(1);"),
        usize::MAX
    );
    assert_eq!(test_part("server/tests/a.rs", "sleep(1);"), 1);
    assert!(misshapen("a.rs", "use std::fs;").is_some() && misshapen("a.rs", &"//! Long.\n".repeat(601)).is_some());
    assert!(misshapen("a.rs", "//! Short.\n").is_none());
    assert_eq!(
        banned_in(
            "opsdeck-app v0.1.0 (/x)\nkube v5.0.0\nkube v5.0.0 (*)\n",
            &["kube", "tokio"]
        ),
        ["kube"]
    );
    assert!(
        graph(&["--package", "opsdeck"]).contains("\nkube v"),
        "the graph of the server is seen whole"
    );
}

// === impl Seam ===

impl Seam {
    fn offences(&self, path: &str, text: &str) -> Vec<String> {
        let lies_in = |places: &[&str]| {
            places.iter().any(|place| {
                if place.ends_with('/') {
                    path.starts_with(place)
                } else {
                    path == *place
                }
            })
        };
        if !lies_in(self.within) || lies_in(self.except) {
            return Vec::new();
        }
        let first = if self.part == Part::Tests {
            test_part(path, text)
        } else {
            1
        };
        let offence = |(number, line): (usize, &str)| {
            let code = line.split("//").next().unwrap_or_default();
            let word = self.words.iter().find(|word| names(code, word))?;
            Some(format!("{path}:{number}: `{word}`: {}", self.rule))
        };
        (1..)
            .zip(text.lines())
            .filter(|(number, _)| *number >= first)
            .filter_map(offence)
            .collect()
    }
}

/// Whether the word stands in the line on its own: not within a longer one, and not as a module of another path.
fn names(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts = !before.is_some_and(|c| part_of_name(c) || c == '-' || (c == ':' && word.ends_with("::")));
        let ends = !word.ends_with(part_of_name) || !after.is_some_and(part_of_name);
        starts && ends
    })
}

/// The number of the first line that belongs to tests; past the end where there is none.
fn test_part(path: &str, text: &str) -> usize {
    if ["/tests/", "/benches/"].iter().any(|folder| path.contains(folder)) || path.ends_with("/tests.rs") {
        return 1;
    }
    let lines: Vec<_> = text.lines().collect();
    let opens_tests = |pair: &[&str]| pair[0].contains("#[cfg(test)]") && pair[1].ends_with('{');
    lines
        .windows(2)
        .position(opens_tests)
        .map_or(usize::MAX, |index| index + 1)
}

fn misshapen(path: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    if !path.ends_with(".rs") {
        None
    } else if !text.starts_with("//!") {
        Some(format!(
            "{path}:1: opens with `//!`: what lives here, and what does not"
        ))
    } else if lines > MOST_LINES {
        Some(format!("{path}: {lines} lines: at most {MOST_LINES}"))
    } else {
        None
    }
}

fn graph(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none"])
        .args(arguments)
        .current_dir(top())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

fn banned_in(graph: &str, banned: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = graph
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| banned.contains(name))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn what_the_page_about_the_contract_names_is_there() {
    let page = fs::read_to_string(top().join("docs/contract.md")).expect("the page");
    let sources = sources();
    let is_test =
        |name: &&str| name.matches('_').count() > 1 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let named: BTreeSet<_> = page.split('`').skip(1).step_by(2).filter(is_test).collect();
    assert!(named.len() > 30, "the page names tests");
    for name in named {
        let written = format!("fn {name}(");
        assert!(
            sources.iter().any(|(_, text)| text.contains(&written)),
            "there is no test {name}"
        );
    }
}

/// Every source of ours with its path from the top of the repository, this file left out: it names what it forbids.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = ["api", "app", "server", "end2end"]
        .iter()
        .map(|name| top().join(name))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be listed") {
            let path = entry.expect("the entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if name != "node_modules" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if [".rs", ".ts", ".toml"].iter().any(|end| name.ends_with(end)) && name != "seams.rs" {
                let text = fs::read_to_string(&path).expect("the source is UTF-8");
                let from_top = path.strip_prefix(top()).expect("it lies below the top");
                found.push((from_top.to_string_lossy().into_owned(), text));
            }
        }
    }
    assert!(found.len() > 20, "the sources are found");
    found
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("server/ lies in the repository")
}
