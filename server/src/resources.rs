//! The custom resources of `platform.chatcli.io/v1alpha1` as Rust types.

/// What can be stored and watched.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    Issue,
}
