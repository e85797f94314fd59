//! Pure decisions over what is stored: what follows from it at a given moment. Nothing here reads a clock, a store or the network.
//!
//! What a person may do to an incident stands in `triage`, to an approval request in `ballot`, to an Instance in `reprobe`, to a post-mortem and
//! to a runbook in the modules of these names.

pub mod analytics;
pub mod approval;
pub mod approval_case;
pub mod audit;
pub mod ballot;
pub mod change_window;
pub mod decision;
pub mod drives_aiops;
pub mod duration;
pub mod federation;
pub mod masking;
pub mod plan_hash;
pub mod postmortem;
pub mod quantity;
pub mod reprobe;
pub mod runbook;
pub mod search;
pub mod slo;
pub mod triage;
