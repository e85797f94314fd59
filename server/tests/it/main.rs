//! The API as its clients see it: real router, real store, sample objects. One binary, so that it is linked once.

mod analytics;
mod approval_writes;
mod audit;
mod authorisation;
mod bulk_writes;
mod clusters;
mod console;
mod contract;
mod deployment;
mod described;
mod ending;
mod events;
mod gate;
mod incident_writes;
mod instance_writes;
mod interference;
mod limits;
mod listener;
mod objectives;
mod openapi;
mod pages;
mod policies;
mod postmortem_writes;
mod races;
mod runbook_writes;
mod search;
