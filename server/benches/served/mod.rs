//! The server as it serves, in this process: what the benchmarks ask.

use axum::Router;
use opsdeck::{
    access::{
        caller::Door,
        keys::KeySet,
        limits::{Limits, PerMinute},
    },
    catalog::Catalog,
    console::{About, Console},
    listen::{Listener, Manners},
    run,
    source::embedded::Embedded,
    telemetry::metrics::{Connections, Metrics},
};
use serde_json::Value;
use std::{future::pending, net::SocketAddr, num::NonZeroU32, sync::Arc};
use tokio::net::TcpListener;

/// Of the console that is served; each may read without limits, and hold as many streams as any.
pub(crate) const KEYS: [&str; 5] = ["k", "l", "m", "n", "o"];

/// A console over these objects.
pub(crate) async fn serve(objects: Vec<Value>) -> (SocketAddr, Arc<Catalog>) {
    let catalog = Arc::new(Catalog::new(1));
    let source = Embedded::in_memory(catalog.clone()).expect("a store in memory");
    source.load(objects).await.expect("objects that are valid");
    let plenty = PerMinute(NonZeroU32::MAX);
    let keys = KEYS.map(|key| format!("- {{key: {key}, role: viewer}}\n")).concat();
    let keys = KeySet::parse(&keys, None).expect("a list of keys");
    let door = Door {
        limits: Limits::new(plenty, plenty),
        ..Door::over(keys)
    };
    let about = About {
        source: "embedded",
        context: None,
    };
    let console = Console::new(catalog.clone(), Arc::new(source), door, Metrics::default(), about);
    (listen(run::router(Arc::new(console))).await, catalog)
}

/// Serves any router as the console's is served.
pub(crate) async fn listen(router: Router) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = socket.local_addr().expect("an address");
    let listener = Listener {
        socket,
        tls: None,
        manners: Manners::default(),
        connections: Connections::default(),
    };
    tokio::spawn(listener.serve(router, pending()));
    address
}

/// From `/proc`; 0 where there is none.
pub(crate) fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
