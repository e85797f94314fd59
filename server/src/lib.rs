//! The Opsdeck server: catalog, sources, rules, REST API and the pages' host.

pub mod access;
pub mod catalog;
pub mod cli;
pub mod config;
#[cfg(test)]
mod fixtures;
pub mod headers;
pub mod json;
pub mod resources;
pub mod rules;
pub mod source;
pub mod telemetry;
