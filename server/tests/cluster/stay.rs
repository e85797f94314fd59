//! `make cluster`: a bed with the sample objects in it, for as long as one likes.

use crate::bed::{ADMIN, Bed};
use jiff::Timestamp;
use opsdeck::source::sample;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::test]
#[ignore = "make cluster runs it: it ends when it is told to"]
async fn stay() {
    let Some(bed) = Bed::start().await else { return };
    let mut terminate = signal(SignalKind::terminate()).unwrap();
    bed.define(|_| true).await;
    bed.load(sample::objects(Timestamp::now())).await;
    println!(
        "\nA real API server with the sample objects; it goes when you press Ctrl-C.\n\n  \
         export KUBECONFIG={}\n  kubectl get issues -A\n  cargo run -p opsdeck -- serve --listen 127.0.0.1:8090\n",
        bed.kubeconfig(ADMIN).display()
    );
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted.unwrap(),
        _ = terminate.recv() => {}
    }
}
