//! The building blocks that pages share.
