//! The Kubernetes source on a real API server. Each test brings up a bed of its own and takes it down.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bed;
mod deciding;
mod deployment;
mod faults;
mod load;
mod measure;
mod outage;
mod pod;
mod proxy;
mod reading;
mod replicas;
mod rights;
mod routes;
mod served;
mod shown;
mod stay;
mod writing;
