//! The Opsdeck server: catalog, sources, rules, REST API and the pages' host.

// The type of a page is as deep as its tree; the compiler stops at 128 unless told.
#![recursion_limit = "512"]

pub mod access;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod console;
#[cfg(test)]
mod fixtures;
pub mod headers;
pub mod healthcheck;
mod hex;
pub mod json;
pub mod listen;
pub mod pages;
pub mod payload;
pub mod resources;
pub mod rest;
pub mod rules;
pub mod run;
pub mod source;
pub mod telemetry;
