//! The dashboard as a module for the browser. It starts nothing by itself: the page calls `hydrate` of the library.

use opsdeck_app as _;

fn main() {}
