//! Who may come in and as what: keys, roles, browser sessions. What a role may do stands beside each route in `rest.rs`.

pub mod caller;
pub mod key_cluster;
pub mod key_file;
pub mod keys;
pub mod origin;
pub mod session;
