//! What a client still sends when its answer is ready. A connection that is closed over unread bytes is reset, and the answer is lost with
//! it; a stream of HTTP/2 that is given up looks like a failure to many clients. So what nobody wants is read and thrown away, in bounds.

use crate::payload;
use axum::Error;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{runtime::Handle, time::timeout};

/// What is read for the sake of one answer, and of all on one connection: whoever sends more again and again does not mean to
/// read them.
const MOST: usize = 8 * 1024 * 1024;
const MOST_IN_ALL: usize = 4 * MOST;
/// How long it is read for.
const LONGEST: Duration = Duration::from_secs(5);

/// The body of a request. Whatever of it is unread when it is dropped is thrown away in the background.
#[derive(Debug)]
pub(super) struct Lingering<B: Body<Data = Bytes> + Send + Unpin + 'static> {
    body: Option<B>,
    /// The client sends nothing before it is told to go on.
    asks_first: bool,
    left: Left,
    budget: Budget,
}

/// Whether more of the body is left than a next request on the connection can wait for.
#[derive(Clone, Debug, Default)]
pub(super) struct Left(Arc<AtomicBool>);

/// What may still be thrown away on one connection. Its requests share it.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<AtomicUsize>);

// === impl Left ===

impl Left {
    pub(super) fn is_much(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

// === impl Budget ===

impl Budget {
    pub(super) fn of_a_connection() -> Self {
        Self(Arc::new(AtomicUsize::new(MOST_IN_ALL)))
    }

    /// Answers whether something is left.
    fn spend(&self, bytes: usize) -> bool {
        let rest = |left: usize| Some(left.saturating_sub(bytes));
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        before.is_ok_and(|before| before > bytes)
    }
}

// === impl Lingering ===

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Lingering<B> {
    pub(super) fn new(body: B, headers: &HeaderMap, budget: Budget) -> (Self, Left) {
        let left = Left::default();
        let lingering = Self {
            body: Some(body),
            asks_first: headers.contains_key(header::EXPECT),
            left: left.clone(),
            budget,
        };
        (lingering, left)
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Body for Lingering<B>
where
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        // Reading is what tells the client to go on.
        let polled = Pin::new(body).poll_frame(context).map_err(Error::new);
        self.asks_first = false;
        if !matches!(polled, Poll::Pending | Poll::Ready(Some(Ok(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drop for Lingering<B> {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        let small = body
            .size_hint()
            .upper()
            .is_some_and(|left| left <= payload::LARGEST as u64);
        let unread = self.asks_first || !self.budget.spend(0);
        self.left.0.store(!small || unread, Ordering::Relaxed);
        if let (false, Ok(runtime)) = (unread, Handle::try_current()) {
            runtime.spawn(timeout(LONGEST, thrown_away(body, self.budget.clone())));
        }
    }
}

async fn thrown_away<B: Body<Data = Bytes> + Unpin>(mut body: B, budget: Budget) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        read += bytes;
        if !budget.spend(bytes) || read > MOST {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{StreamExt as _, stream};
    use http_body_util::StreamBody;
    use std::convert::Infallible;

    const PIECE: usize = 64 * 1024;

    type Pieces = StreamBody<stream::BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

    /// So many pieces, and how many of them were read; it is told when nobody reads any more.
    fn pieces(count: usize) -> (Pieces, Arc<AtomicUsize>) {
        let read = Arc::new(AtomicUsize::new(0));
        let reads = read.clone();
        let pieces = stream::iter(0..count).map(move |_| {
            reads.fetch_add(1, Ordering::SeqCst);
            Ok(Frame::data(Bytes::from_static(&[b' '; PIECE])))
        });
        (StreamBody::new(Box::pin(pieces)), read)
    }

    async fn over(read: &Arc<AtomicUsize>) -> usize {
        // The body holds the other one.
        let let_go = async {
            while Arc::strong_count(read) > 1 {
                tokio::task::yield_now().await;
            }
        };
        timeout(2 * LONGEST, let_go).await.expect("a body that is let go");
        read.load(Ordering::SeqCst)
    }

    fn lingering(body: Pieces) -> (Lingering<Pieces>, Left) {
        Lingering::new(body, &HeaderMap::new(), Budget::of_a_connection())
    }

    #[tokio::test]
    async fn what_is_left_is_thrown_away_to_its_end() {
        let (body, read) = pieces(9);
        let (mut body, left) = lingering(body);
        assert!(body.frame().await.is_some());
        drop(body);
        assert!(left.is_much(), "how much it is nobody has said");
        assert_eq!(over(&read).await, 9);
    }

    #[tokio::test]
    async fn what_has_no_end_is_given_up() {
        let (body, read) = pieces(usize::MAX);
        drop(lingering(body));
        assert_eq!(over(&read).await, MOST / PIECE + 1);
    }

    #[tokio::test]
    async fn who_sends_without_end_again_and_again_is_read_within_what_the_connection_has() {
        let budget = Budget::of_a_connection();
        let mut reads = Vec::new();
        // At a time, as the streams of HTTP/2 are, and once more when those are given up.
        for _ in 0..2 {
            let (bodies, counts): (Vec<_>, Vec<_>) = (0..10).map(|_| pieces(usize::MAX)).unzip();
            for body in bodies {
                drop(Lingering::new(body, &HeaderMap::new(), budget.clone()));
            }
            let mut read = 0;
            for count in &counts {
                read += over(count).await;
            }
            reads.push(read);
        }
        assert!(
            (MOST_IN_ALL / PIECE..MOST_IN_ALL / PIECE + 10).contains(&reads[0]),
            "{reads:?}"
        );
        assert_eq!(reads[1], 0);
        let (body, left) = Lingering::new(pieces(1).0, &HeaderMap::new(), budget);
        drop(body);
        assert!(left.is_much(), "it stays unread, and ends a connection of HTTP/1");
    }

    #[tokio::test]
    async fn who_asks_first_is_not_told_to_go_on() {
        let (body, read) = pieces(9);
        let headers = HeaderMap::from_iter([(header::EXPECT, "100-continue".parse().unwrap())]);
        let (body, left) = Lingering::new(body, &headers, Budget::of_a_connection());
        drop(body);
        assert!(left.is_much());
        assert_eq!(over(&read).await, 0);
    }

    #[tokio::test]
    async fn what_was_read_or_is_small_lets_the_connection_live() {
        let (body, _) = pieces(2);
        let (body, left) = lingering(body);
        body.collect().await.unwrap();
        assert!(!left.is_much());
        let (body, left) = Lingering::new(
            http_body_util::Full::new(Bytes::from_static(b"{}")),
            &HeaderMap::new(),
            Budget::of_a_connection(),
        );
        drop(body);
        assert!(!left.is_much());
    }
}
