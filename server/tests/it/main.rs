//! The API as its clients see it: real router, real store, sample objects. One binary, so that it is linked once.

mod approval_writes;
mod audit;
mod authorisation;
mod bulk_writes;
mod clusters;
mod console;
mod contract;
mod decision_forms;
mod events;
mod gate;
mod incident_writes;
mod instance_writes;
mod interference;
mod limits;
mod listener;
mod objectives;
mod pages;
mod policies;
mod postmortem_writes;
mod races;
mod runbook_writes;
mod search;
