//! `/docs/api`: the OpenAPI document as a page to read. Plain HTML that needs no script and no key.

use super::{Pages, theme};
use crate::{
    headers::{CachePolicy, PagePolicy},
    rest,
};
use axum::{
    extract::{Request, State},
    response::{Html, IntoResponse as _, Response},
};
use opsdeck_app::Theme;
use serde_json::Value;
use std::fmt::Write as _;

/// In the order in which they are told.
const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

pub(super) async fn reference(State(pages): State<Pages>, request: Request) -> Response {
    let base = escaped(&pages.console.base_path);
    let theme = match theme(&request) {
        Theme::System => String::new(),
        chosen => format!(" data-theme=\"{}\"", chosen.as_str()),
    };
    let main = pages
        .reference
        .get_or_init(|| Reference::of(&rest::document(&pages.console.base_path)).text);
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"{theme}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>REST API · Opsdeck</title>\n\
         <link rel=\"icon\" href=\"{base}/favicon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"{base}/{bundle}/main.css\">\n<link rel=\"stylesheet\" href=\"{base}/reference.css\">\n\
         </head>\n<body class=\"reference\">\n<header><a href=\"{base}/\">Opsdeck</a></header>\n{main}</body>\n</html>\n",
        bundle = pages.bundle.directory(),
    );
    let mut response = Html(page).into_response();
    CachePolicy::NoStore.apply(response.headers_mut());
    PagePolicy { nonce: None }.apply(response.headers_mut());
    response
}

/// The page in the making.
struct Reference<'a> {
    document: &'a Value,
    text: String,
}

// === impl Reference ===

impl<'a> Reference<'a> {
    fn of(document: &'a Value) -> Self {
        let mut page = Self {
            document,
            text: String::new(),
        };
        page.contents();
        page.add("<main>\n<h1>REST API</h1>\n");
        page.paragraph("", text(&document["info"]["description"]));
        page.add(
            "<p>Every request but the few marked so carries a key in <code>X-API-Key</code>; browsers that are signed in send a cookie. \
             The examples expect the address of the console in <code>$OPSDECK</code> and the key in <code>$KEY</code>. ",
        );
        let server = escaped(server(document));
        let _ = writeln!(
            page.text,
            "The same for programs: <a class=\"go\" href=\"{server}/openapi.json\">openapi.json</a>.</p>"
        );
        for chapter in list(&document["tags"]) {
            let name = text(&chapter["name"]);
            let _ = writeln!(page.text, "<section>\n<h2 id=\"{0}\">{0}</h2>", escaped(name));
            page.paragraph("dim", text(&chapter["description"]));
            for (path, method, operation) in operations(document, name) {
                page.operation(path, method, operation);
            }
            page.add("</section>\n");
        }
        page.schemas();
        page.add("</main>\n");
        page
    }

    fn contents(&mut self) {
        self.add("<nav aria-label=\"Contents\">\n<ul>\n");
        for chapter in list(&self.document["tags"]) {
            let name = text(&chapter["name"]);
            let _ = writeln!(self.text, "<li><a href=\"#{0}\"><b>{0}</b></a>\n<ul>", escaped(name));
            for (_, _, operation) in operations(self.document, name) {
                let (id, summary) = (
                    escaped(text(&operation["operationId"])),
                    escaped(text(&operation["summary"])),
                );
                let _ = writeln!(self.text, "<li><a href=\"#{id}\">{summary}</a></li>");
            }
            self.add("</ul></li>\n");
        }
        self.add("<li><a href=\"#schemas\"><b>schemas</b></a></li>\n</ul>\n</nav>\n");
    }

    fn operation(&mut self, path: &str, method: &str, operation: &Value) {
        let id = escaped(text(&operation["operationId"]));
        let method = method.to_uppercase();
        let _ = writeln!(
            self.text,
            "<article id=\"{id}\">\n<h3><a href=\"#{id}\"><code>{method} {}</code></a></h3>",
            escaped(path)
        );
        self.paragraph("", text(&operation["summary"]));
        let who = match (
            operation["x-required-role"].as_str(),
            list(&operation["security"]).is_empty(),
        ) {
            (Some(role), _) => format!("Role: <b>{}</b>", escaped(role)),
            (None, true) => "No key is needed.".into(),
            (None, false) => "Any key that is known.".into(),
        };
        let _ = writeln!(self.text, "<p class=\"dim\">{who}</p>");
        let parameters = list(&operation["parameters"]);
        if !parameters.is_empty() {
            self.add("<table>\n<thead><tr><th>Parameter</th><th>Where</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>\n");
            for parameter in parameters {
                let _ = writeln!(
                    self.text,
                    "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    escaped(text(&parameter["name"])),
                    escaped(text(&parameter["in"])),
                    shape(&parameter["schema"]),
                    prose(text(&parameter["description"])),
                );
            }
            self.add("</tbody>\n</table>\n");
        }
        let body = &operation["requestBody"];
        if body.is_object() {
            let required = if body["required"] == true {
                ""
            } else {
                " (may be left out)"
            };
            let shape = shape(&body["content"]["application/json"]["schema"]);
            let _ = writeln!(self.text, "<p>Body: {shape}{required}</p>");
        }
        self.answers(&operation["responses"]);
        let example = self.example(path, &method, operation);
        let _ = writeln!(self.text, "<pre><code>{}</code></pre>\n</article>", escaped(&example));
    }

    fn answers(&mut self, responses: &Value) {
        self.add("<dl>\n");
        for (status, answer) in responses.as_object().into_iter().flatten() {
            let answer = self.referred(answer);
            let shapes = answer["content"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(media_type, content)| {
                    format!(
                        " {} <span class=\"faint\">{}</span>",
                        shape(&content["schema"]),
                        escaped(media_type)
                    )
                });
            let shapes: String = shapes.collect();
            let (status, description) = (escaped(status), prose(text(&answer["description"])));
            let _ = writeln!(
                self.text,
                "<dt><code>{status}</code></dt><dd>{description}{shapes}</dd>"
            );
        }
        self.add("</dl>\n");
    }

    fn example(&self, path: &str, method: &str, operation: &Value) -> String {
        let mut line = "curl".to_owned();
        if method != "GET" {
            let _ = write!(line, " -X {method}");
        }
        if !list(&operation["security"]).is_empty() {
            line.push_str(" -H \"X-API-Key: $KEY\"");
        }
        let path = path.replace("{name}", "NAME").replace("{kind}", "approval");
        let named = path.contains("NAME")
            && list(&operation["parameters"])
                .iter()
                .any(|one| one["name"] == "namespace");
        let query = if named { "?namespace=NAMESPACE" } else { "" };
        let _ = write!(line, " \"$OPSDECK{}{path}{query}\"", server(self.document));
        let body = &operation["requestBody"];
        if body["required"] == true {
            let body = self.sample(&body["content"]["application/json"]["schema"]);
            let _ = write!(line, " \\\n  -d '{body}'");
        }
        line
    }

    /// The least that fits a schema, for people to see.
    fn sample(&self, schema: &Value) -> Value {
        let schema = &self.referred(schema);
        if let Some(all) = schema["allOf"].as_array() {
            let parts = all.iter().filter_map(|part| match self.sample(part) {
                Value::Object(members) => Some(members),
                _ => None,
            });
            return Value::Object(parts.flatten().collect());
        }
        if let Some(first) = schema["oneOf"].get(0) {
            return self.sample(first);
        }
        if let Some(word) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return word.clone();
        }
        match schema["type"].as_str() {
            Some("object") => {
                let required = list(&schema["required"]).iter().filter_map(Value::as_str);
                let member = |name: &str| (name.to_owned(), self.example_of(name, &schema["properties"][name]));
                Value::Object(required.map(member).collect())
            }
            Some("array") => Value::Array(vec![self.sample(&schema["items"])]),
            Some("integer") => schema["maximum"].as_i64().unwrap_or(1).min(5).into(),
            Some("boolean") => true.into(),
            _ => "…".into(),
        }
    }

    fn example_of(&self, member: &str, schema: &Value) -> Value {
        match member {
            "duration" => "1h30m".into(),
            "approver" | "providedBy" => "Ana".into(),
            "name" if schema["pattern"].is_string() => "restart-checkout".into(),
            _ => self.sample(schema),
        }
    }

    fn schemas(&mut self) {
        self.add("<section>\n<h2 id=\"schemas\">schemas</h2>\n");
        for (name, schema) in self.document["components"]["schemas"].as_object().into_iter().flatten() {
            let name = escaped(name);
            let _ = writeln!(
                self.text,
                "<article id=\"schema-{name}\">\n<h3><a href=\"#schema-{name}\"><code>{name}</code></a></h3>"
            );
            self.paragraph("dim", text(&schema["description"]));
            let Some(members) = schema["properties"].as_object() else {
                let _ = writeln!(self.text, "<p>{}</p>\n</article>", shape(schema));
                continue;
            };
            self.add("<table>\n<thead><tr><th>Member</th><th>Type</th><th>There</th><th>Meaning</th></tr></thead>\n<tbody>\n");
            for (member, schema_of) in members {
                let always = list(&schema["required"]).iter().any(|one| one == member);
                let _ = writeln!(
                    self.text,
                    "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    escaped(member),
                    shape(schema_of),
                    if always { "always" } else { "" },
                    prose(text(&schema_of["description"])),
                );
            }
            self.add("</tbody>\n</table>\n</article>\n");
        }
        self.add("</section>\n");
    }

    fn referred(&self, value: &Value) -> Value {
        let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let mut target = match pointer.and_then(|pointer| self.document.pointer(pointer)) {
            Some(target) => target.clone(),
            None => return value.clone(),
        };
        // What stands beside a reference holds as well.
        if let Some(here) = value["properties"].as_object() {
            for (name, schema) in here {
                target["properties"][name] = schema.clone();
            }
        }
        target
    }

    fn paragraph(&mut self, class: &str, words: &str) {
        if !words.is_empty() {
            let class = if class.is_empty() {
                String::new()
            } else {
                format!(" class=\"{class}\"")
            };
            let _ = writeln!(self.text, "<p{class}>{}</p>", prose(words));
        }
    }

    fn add(&mut self, html: &str) {
        self.text.push_str(html);
    }
}

fn server(document: &Value) -> &str {
    text(&document["servers"][0]["url"])
}

/// The operations of a chapter: path, method, and what is said of it.
fn operations<'a>(document: &'a Value, chapter: &str) -> impl Iterator<Item = (&'a str, &'static str, &'a Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let all = paths.flat_map(|(path, methods)| {
        METHODS
            .iter()
            .filter_map(|method| Some((path.as_str(), *method, methods.get(method)?)))
    });
    all.filter(move |(_, _, operation)| operation["tags"][0] == chapter)
}

/// A schema in a few words, as HTML.
fn shape(schema: &Value) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.rsplit('/').next())
    {
        return format!("<a class=\"go\" href=\"#schema-{0}\">{0}</a>", escaped(name));
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(several) = schema[keyword].as_array() {
            let word = if keyword == "allOf" { " and " } else { " or " };
            return several.iter().map(shape).collect::<Vec<_>>().join(word);
        }
    }
    if let Some(word) = schema.get("const") {
        return format!("<code>{}</code>", escaped(&word.to_string()));
    }
    if let Some(words) = schema["enum"]
        .as_array()
        .or_else(|| schema["x-extensible-enum"].as_array())
    {
        let words = words.iter().map(|word| format!("<code>{}</code>", escaped(text(word))));
        return words.collect::<Vec<_>>().join(" | ");
    }
    let named: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let mut told = named.join(" or ");
    if named.contains(&"array") {
        told = format!("list of {}", shape(&schema["items"]));
    } else if let Some(members) = schema["properties"].as_object() {
        let members = members
            .iter()
            .map(|(name, schema)| format!("<code>{}</code>: {}", escaped(name), shape(schema)));
        told = format!("{{{}}}", members.collect::<Vec<_>>().join(", "));
    }
    if let Some(format) = schema["format"].as_str() {
        let _ = write!(told, " <span class=\"faint\">{}</span>", escaped(format));
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        let _ = write!(
            told,
            ", default <code>{}</code>",
            escaped(default.to_string().trim_matches('"'))
        );
    }
    told
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What stands between backticks is code.
fn prose(words: &str) -> String {
    let parts = words.split('`').map(escaped).enumerate();
    let told = parts.map(|(index, part)| match index % 2 {
        0 => part,
        _ => format!("<code>{part}</code>"),
    });
    told.collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_operation_and_every_schema_has_its_anchor_and_every_link_leads_somewhere() {
        let document = rest::document("");
        let page = Reference::of(&document).text;
        let operations = document["paths"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|path| path.as_object().unwrap().values());
        for operation in operations {
            let id = text(&operation["operationId"]);
            assert!(page.contains(&format!("<article id=\"{id}\">")), "{id}");
        }
        for target in page
            .split("href=\"#")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
        {
            assert!(page.contains(&format!(" id=\"{target}\"")), "#{target}");
        }
    }

    #[test]
    fn an_example_can_be_pasted() {
        let document = rest::document("/ops");
        let page = Reference::of(&document).text;
        for example in [
            "curl -H \"X-API-Key: $KEY\" \"$OPSDECK/ops/api/v1/incidents\"",
            "curl -X POST -H \"X-API-Key: $KEY\" \"$OPSDECK/ops/api/v1/incidents/NAME/snooze?namespace=NAMESPACE\" \\\n  -d '{\"duration\":\"1h30m\"}'",
            "curl \"$OPSDECK/ops/api/v1/openapi.json\"",
        ] {
            assert!(
                page.contains(&format!("<pre><code>{}</code></pre>", escaped(example))),
                "{example}"
            );
        }
    }

    #[test]
    fn what_the_document_says_is_text_and_no_markup() {
        let document = json!({ "info": { "description": "<b onclick=\"x\">" }, "tags": [], "paths": {} });
        assert!(
            Reference::of(&document)
                .text
                .contains("<p>&lt;b onclick=&quot;x&quot;&gt;</p>")
        );
    }
}
