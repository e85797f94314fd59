//! The API as its clients see it: real router, real store, sample objects. One binary, so that it is linked once.

mod authorisation;
mod console;
mod contract;
mod deployment;
mod gate;
mod incident_writes;
mod interference;
mod limits;
mod listener;
mod pages;
mod races;
mod runbook_writes;
