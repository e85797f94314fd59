//! How operations are described: a book of chapters, to which one operation after the other is added.

use super::schemas::{Has, Schemas};
use crate::{
    catalog::{COMMON, Held},
    resources::{
        Kind,
        vocabulary::{ApprovalState, IssueState, PlanState, PostMortemState, Severity, Tier},
    },
    rest::listing::{FLAGS, Listing, REPEATABLE, Single, Unqualified},
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

const JSON: &str = "application/json";

/// What is said of one operation. Path, role and what follows from them stand in the table of routes.
#[derive(Debug)]
pub(super) struct Operation {
    /// Name of the handler.
    pub(super) id: &'static str,
    pub(super) chapter: &'static str,
    pub(super) summary: &'static str,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Body>,
    pub(super) answer: Answer,
    /// The answer has an entity tag.
    pub(super) conditional: bool,
    /// A session will not do.
    pub(super) key_only: bool,
    /// Statuses that do not follow from the route.
    pub(super) refusals: Vec<u16>,
}

#[derive(Debug)]
pub(super) struct Body {
    pub(super) required: bool,
    pub(super) schema: Value,
}

/// What is answered when all goes well.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) description: &'static str,
    pub(super) content: Map<String, Value>,
}

#[derive(Debug)]
pub(super) struct Book<'a> {
    schemas: &'a mut Schemas,
    chapters: Vec<Value>,
    chapter: &'static str,
    operations: Vec<Operation>,
}

// === impl Book ===

impl<'a> Book<'a> {
    pub(super) fn new(schemas: &'a mut Schemas) -> Self {
        Self {
            schemas,
            chapters: Vec::new(),
            chapter: "",
            operations: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> (Vec<Value>, Vec<Operation>) {
        (self.chapters, self.operations)
    }

    pub(super) fn chapter(&mut self, name: &'static str, about: &str) {
        self.chapter = name;
        self.chapters.push(json!({ "name": name, "description": about }));
    }

    /// A list of a kind, with all that lists hear.
    pub(super) fn list<K: Held, I: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        listing: &Listing,
    ) -> &mut Self {
        let schema = self.schemas.list::<I>(listing.kind);
        self.read(id, summary, schema).paged().facets::<K>(&[]).words::<K>();
        if listing.timed {
            self.period();
        }
        self.table()
    }

    /// One object whose status is its item.
    pub(super) fn object<S: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        single: &Single,
    ) -> &mut Self {
        self.object_with::<S, S>(id, summary, single, Has::StatusAndMeta)
    }

    pub(super) fn object_with<S: JsonSchema, T: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        single: &Single,
        has: Has,
    ) -> &mut Self {
        let schema = self.schemas.object::<S, T>(single.kind, single.kind, has);
        self.read(id, summary, schema).within(single)
    }

    /// A report: a `spec` and nothing else.
    pub(super) fn report<S: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        kind: &'static str,
    ) -> &mut Self {
        // The type of the spec has the kind's own name.
        let schema = self
            .schemas
            .object::<S, S>(&format!("{kind}Answer"), kind, Has::Nothing);
        self.read(id, summary, schema)
    }

    /// A list that is not paged.
    pub(super) fn whole<I: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        kind: &'static str,
    ) -> &mut Self {
        let schema = self.schemas.list::<I>(kind);
        self.read(id, summary, schema)
    }

    /// Something done to one object, which is answered as it is then.
    pub(super) fn deed<S: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        single: &Single,
    ) -> &mut Self {
        self.deed_with::<S>(id, summary, single, single.kind, Has::StatusAndMeta)
    }

    pub(super) fn deed_with<S: JsonSchema>(
        &mut self,
        id: &'static str,
        summary: &'static str,
        single: &Single,
        component: &'static str,
        has: Has,
    ) -> &mut Self {
        let schema = self.schemas.object::<S, S>(component, single.kind, has);
        self.add(id, summary, JSON, schema).within(single).refused_with(409)
    }

    pub(super) fn read(&mut self, id: &'static str, summary: &'static str, schema: Value) -> &mut Self {
        self.add(id, summary, JSON, schema);
        self.last().conditional = true;
        self
    }

    pub(super) fn add(
        &mut self,
        id: &'static str,
        summary: &'static str,
        media_type: &str,
        schema: Value,
    ) -> &mut Self {
        let content = [(media_type.to_owned(), json!({ "schema": schema }))];
        self.operations.push(Operation {
            id,
            chapter: self.chapter,
            summary,
            parameters: Vec::new(),
            body: None,
            answer: Answer {
                status: 200,
                description: "As asked.",
                content: content.into_iter().collect(),
            },
            conditional: false,
            key_only: false,
            refusals: Vec::new(),
        });
        self
    }

    pub(super) fn last(&mut self) -> &mut Operation {
        self.operations.last_mut().expect("an operation was added")
    }

    pub(super) fn schemas(&mut self) -> &mut Schemas {
        self.schemas
    }

    /// Without this body nothing is done.
    pub(super) fn body<B: JsonSchema>(&mut self) -> &mut Self {
        let schema = self.schemas.body::<B>();
        self.last().body = Some(Body { required: true, schema });
        self
    }

    pub(super) fn optional_body<B: JsonSchema>(&mut self) -> &mut Self {
        let schema = self.schemas.body::<B>();
        self.last().body = Some(Body {
            required: false,
            schema,
        });
        self
    }

    pub(super) fn answered(&mut self, status: u16, description: &'static str) -> &mut Self {
        let answer = &mut self.last().answer;
        (answer.status, answer.description) = (status, description);
        if status == 204 {
            answer.content.clear();
        }
        self
    }

    pub(super) fn refused_with(&mut self, status: u16) -> &mut Self {
        self.last().refusals.push(status);
        self
    }

    pub(super) fn query(&mut self, name: &str, schema: Value, description: &str) -> &mut Self {
        let mut parameter = json!({ "name": name, "in": "query", "description": description, "schema": schema });
        if parameter["schema"]["type"] == "array" {
            parameter["style"] = "form".into();
            parameter["explode"] = true.into();
        }
        self.last().parameters.push(parameter);
        self
    }

    pub(super) fn unconditional(&mut self) -> &mut Self {
        self.last().conditional = false;
        self
    }

    pub(super) fn paged(&mut self) -> &mut Self {
        self.query(
            "page",
            json!({ "type": "integer", "minimum": 1, "default": 1 }),
            "Which page, from 1.",
        )
        .query(
            "pageSize",
            json!({ "type": "integer", "minimum": 1, "default": 20 }),
            "Items on a page; more than 100 count as 100.",
        )
    }

    pub(super) fn period(&mut self) -> &mut Self {
        let moment = || json!({ "type": "string", "format": "date-time" });
        self.query("from", moment(), "Not earlier than this.")
            .query("to", moment(), "Not later than this.")
    }

    pub(super) fn namespaces(&mut self) -> &mut Self {
        let schema = json!({ "type": "array", "items": { "type": "string" } });
        self.query("namespace", schema, "Only of these namespaces. All without.")
    }

    pub(super) fn table(&mut self) -> &mut Self {
        let schema = json!({ "type": "string", "enum": ["json", "csv"], "default": "json" });
        self.query(
            "format",
            schema,
            "`csv`: the whole filtered list as a table, which `Accept: text/csv` asks for too.",
        );
        let text = json!({ "schema": { "type": "string" } });
        self.last().answer.content.insert("text/csv".into(), text);
        self
    }

    /// Filters of a kind.
    pub(super) fn facets<K: Held>(&mut self, but: &[&str]) -> &mut Self {
        if !but.contains(&"namespace") {
            self.namespaces();
        }
        for facet in K::FACETS.iter().filter(|facet| !but.contains(facet)) {
            let mut value = json!({ "type": "string" });
            if let Some(words) = words(K::KIND, facet) {
                value["enum"] = json!(words);
            }
            if REPEATABLE.contains(facet) {
                self.query(facet, json!({ "type": "array", "items": value }), "Any of these.");
            } else if FLAGS.contains(facet) {
                self.query(facet, json!({ "type": "boolean" }), "Only those of which it is so.");
            } else {
                self.query(facet, value, "Only with this value.");
            }
        }
        self
    }

    /// Search and order, as lists have them.
    pub(super) fn words<K: Held>(&mut self) -> &mut Self {
        let members: Vec<_> = COMMON.iter().chain(K::SORTABLE).copied().collect();
        let member = format!("-?({})", members.join("|"));
        let pattern = format!("^(need|{member}(,{member})*)$");
        self.query("q", json!({ "type": "string" }), "Words that must all occur, in any case.")
            .query(
                "sort",
                json!({ "type": "string", "pattern": pattern }),
                "Members, joined with commas, `-` before those that descend; or `need`: what needs a person first. Newest first without.",
            )
            .refused_with(400)
    }

    /// Where an object is looked for.
    fn within(&mut self, single: &Single) -> &mut Self {
        let schema = json!({ "type": "string" });
        match single.unqualified {
            Unqualified::Anywhere => self
                .query(
                    "namespace",
                    schema,
                    "Of the object. Needed where the name is in several.",
                )
                .refused_with(409),
            Unqualified::Default => self.query("namespace", schema, "Of the object. `default` without."),
        }
    }
}

fn words(kind: Kind, facet: &str) -> Option<&'static [&'static str]> {
    Some(match (kind, facet) {
        (Kind::AuditEvent, "severity") => super::schemas::AUDIT_SEVERITIES,
        (_, "severity") => Severity::KNOWN,
        (Kind::Issue, "state") => IssueState::KNOWN,
        (Kind::ApprovalRequest, "state") => ApprovalState::KNOWN,
        (Kind::RemediationPlan, "state") => PlanState::KNOWN,
        (Kind::PostMortem, "state") => PostMortemState::KNOWN,
        (_, "tier") => Tier::KNOWN,
        _ => return None,
    })
}
