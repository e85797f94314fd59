//! The building blocks that pages share. None of them asks the API; pages hand them what they show.

pub(crate) mod act;
pub(crate) mod action;
pub(crate) mod approval;
pub(crate) mod ask;
pub(crate) mod chart;
pub(crate) mod condition;
pub(crate) mod copy;
pub(crate) mod decisions;
pub(crate) mod dossier;
pub(crate) mod field;
pub(crate) mod filter;
pub(crate) mod frame;
pub(crate) mod icon;
pub(crate) mod incident;
pub(crate) mod insight;
pub(crate) mod link;
pub(crate) mod mark;
pub(crate) mod notice;
pub(crate) mod pager;
pub(crate) mod search;
pub(crate) mod situation;
pub(crate) mod sort;
pub(crate) mod time;
pub(crate) mod timeline;
pub(crate) mod tree;
pub(crate) mod words;
