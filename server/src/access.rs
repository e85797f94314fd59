//! Who may come in, as what and how often: keys, roles, browser sessions, limits, other origins. What a role may do stands beside each route in `rest.rs`.

pub mod caller;
pub mod client_host;
pub mod cors;
pub mod key_cluster;
pub mod key_file;
pub mod keys;
pub mod limits;
pub mod origin;
pub mod session;
