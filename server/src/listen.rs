//! The listener: accepts connections, speaks TLS where there is a certificate, bounds what a client may hold, and drains at the end.

mod linger;
mod stall;
pub mod tls;

use crate::telemetry::metrics::Connections;
use axum::{Router, body::Body, extract::Request, response::Response};
use http::{HeaderValue, Version, header};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto,
        graceful::{GracefulShutdown, Watcher},
    },
};
use linger::{Budget, Lingering};
use prometheus_client::metrics::gauge::Gauge;
use rustls::ServerConfig;
use stall::Stalling;
use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

/// How long a client may take and how much it may hold. Together they bound what strangers can cost.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// From the connection's start to the end of its first request's headers, TLS handshake included.
    pub greeting: Duration,
    /// A connection on which nothing moves for so long is cut; the headers of a later request may take no longer either.
    pub idle: Duration,
    /// How long open requests may take to end once the process is asked to stop.
    pub drain: Duration,
    /// Beyond, a new connection is closed at once: a queue would only hide that there is no room.
    pub connections: usize,
}

/// The peer's address, for handlers.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A listener and what it needs to know about its connections.
#[derive(Debug)]
pub struct Listener {
    pub socket: TcpListener,
    pub tls: Option<Arc<ServerConfig>>,
    pub manners: Manners,
    pub connections: Connections,
}

/// Everything that one connection needs.
#[derive(Clone)]
struct Reception {
    router: Router,
    tls: Option<TlsAcceptor>,
    manners: Manners,
}

/// One of the places there are, given back however the connection ends.
struct Place {
    open: Gauge,
    _permit: OwnedSemaphorePermit,
}

/// Pause after a failed accept (out of file descriptors, say), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Request line and headers together. hyper answers 431 beyond.
const HEADER_BYTES: u16 = 32 * 1024;
const HEADERS: usize = 100;
/// Requests at a time on one HTTP/2 connection.
const STREAMS: u32 = 100;

type Ended = Result<(), Box<dyn std::error::Error + Send + Sync>>;

// === impl Manners ===

impl Default for Manners {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            drain: Duration::from_secs(10),
            connections: 2048,
        }
    }
}

// === impl Listener ===

impl Listener {
    /// Serves until `stop` resolves, then lets open requests end.
    pub async fn serve(self, router: Router, stop: impl Future<Output = ()>) {
        let reception = Reception {
            router,
            tls: self.tls.map(TlsAcceptor::from),
            manners: self.manners,
        };
        let room = Arc::new(Semaphore::new(self.manners.connections));
        let graceful = GracefulShutdown::new();
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = &mut stop => break,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "connection not accepted");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Ok(place) = room.clone().try_acquire_owned() else {
                self.connections.refused.inc();
                tracing::debug!(%peer, "no room for another connection");
                continue;
            };
            let place = Place::taken(place, self.connections.open.clone());
            let (reception, watcher) = (reception.clone(), graceful.watcher());
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = reception.receive(stream, peer, watcher).await {
                    tracing::debug!(%peer, %error, "connection ended early");
                }
            });
        }
        drop(self.socket);
        if timeout(self.manners.drain, graceful.shutdown()).await.is_err() {
            tracing::warn!("some requests did not end in time and were cut");
        }
    }
}

// === impl Place ===

impl Place {
    fn taken(permit: OwnedSemaphorePermit, open: Gauge) -> Self {
        open.inc();
        Self { open, _permit: permit }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.dec();
    }
}

// === impl Reception ===

impl Reception {
    async fn receive(self, stream: TcpStream, peer: SocketAddr, watcher: Watcher) -> Ended {
        // Small answers must not wait for the next one to fill a packet.
        let _ = stream.set_nodelay(true);
        let stream = Stalling::new(stream, self.manners.idle);
        let greeted = Arc::new(AtomicBool::new(false));
        let conversation = {
            let greeted = greeted.clone();
            async {
                match self.tls.clone() {
                    None => self.converse(stream, peer, greeted, watcher).await,
                    Some(acceptor) => {
                        self.converse(acceptor.accept(stream).await?, peer, greeted, watcher)
                            .await
                    }
                }
            }
        };
        let mut conversation = pin!(conversation);
        tokio::select! {
            ended = &mut conversation => return ended,
            () = sleep(self.manners.greeting) => {}
        }
        if greeted.load(Ordering::Relaxed) {
            conversation.await
        } else {
            Err("no request within the time for it".into())
        }
    }

    async fn converse(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
        greeted: Arc<AtomicBool>,
        watcher: Watcher,
    ) -> Ended {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.manners.idle)
            .max_buf_size(HEADER_BYTES.into())
            .max_headers(HEADERS);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADER_BYTES.into());
        let (router, budget) = (self.router.clone(), Budget::of_a_connection());
        let service = service_fn(move |request: Request<Incoming>| {
            greeted.store(true, Ordering::Relaxed);
            answer(router.clone(), peer, request, budget.clone())
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        watcher.watch(connection).await
    }
}

/// One request and its answer. A client that still has much to send when it is answered is told that the connection ends with that.
async fn answer(
    router: Router,
    peer: SocketAddr,
    request: Request<Incoming>,
    budget: Budget,
) -> Result<Response, Infallible> {
    let version = request.version();
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Peer(peer));
    let (body, left) = Lingering::new(body, &parts.headers, budget);
    let mut response = router.oneshot(Request::from_parts(parts, Body::new(body))).await?;
    // HTTP/2 ends the stream alone, and knows no such header.
    if left.is_much() && version <= Version::HTTP_11 {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
