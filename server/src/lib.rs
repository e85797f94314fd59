//! The Opsdeck server: catalog, sources, rules, REST API and the pages' host.

pub mod resources;
pub mod rules;
pub mod source;
