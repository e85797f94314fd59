//! One file per view.
