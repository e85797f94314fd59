//! The embedded store from outside: what writes mean, what a kill leaves behind, what goes in and out of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batches;
mod crash;
mod deeds;
mod dumps;
mod notebook;
mod processes;
mod semantics;
