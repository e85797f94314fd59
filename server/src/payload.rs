//! The body of a request, bounded in size and in time, whatever the client claims about it.

use axum::{body::Body, extract::Request};
use bytes::Bytes;
use http::{StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::time::Duration;
use tokio::time::timeout;

/// A bulk of five hundred incidents with long names fits; anything beyond is no request of ours.
pub const LARGEST: usize = 256 * 1024;
const SLOWEST: Duration = Duration::from_secs(15);

/// Why there is no body.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unreadable {
    #[error("the body is larger than {} KiB", .0 / 1024)]
    TooLarge(usize),
    #[error("the body did not arrive within {} s", SLOWEST.as_secs())]
    TooSlow,
    #[error("the body broke off")]
    BrokenOff,
}

// === impl Unreadable ===

impl Unreadable {
    pub fn status(self) -> StatusCode {
        match self {
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BrokenOff => StatusCode::BAD_REQUEST,
        }
    }
}

/// The same request with its whole body in memory. What announces too much is refused before a byte of it is read.
pub async fn collect(request: Request, largest: usize) -> Result<Request, Unreadable> {
    let (parts, body) = request.into_parts();
    let announced = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > largest as u64) {
        return Err(Unreadable::TooLarge(largest));
    }
    let bytes = timeout(SLOWEST, read(body, largest))
        .await
        .map_err(|_| Unreadable::TooSlow)??;
    Ok(Request::from_parts(parts, bytes.into()))
}

async fn read(body: Body, largest: usize) -> Result<Bytes, Unreadable> {
    match Limited::new(body, largest).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Unreadable::TooLarge(largest)),
        Err(_) => Err(Unreadable::BrokenOff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{convert::Infallible, io};
    use tokio::time::{Instant, advance};

    async fn collected(request: Request) -> Result<usize, Unreadable> {
        let whole = collect(request, LARGEST).await?;
        Ok(whole.into_body().collect().await.unwrap().to_bytes().len())
    }

    fn announcing(length: &str, body: Body) -> Request {
        Request::builder()
            .header(header::CONTENT_LENGTH, length)
            .body(body)
            .unwrap()
    }

    #[tokio::test]
    async fn what_fits_arrives_whole() {
        assert_eq!(collected(Request::new(vec![b' '; LARGEST].into())).await, Ok(LARGEST));
    }

    #[tokio::test]
    async fn what_is_announced_too_large_is_not_read() {
        let unread = Body::from_stream(futures_util::stream::poll_fn(
            |_| -> std::task::Poll<Option<Result<Bytes, Infallible>>> { panic!("a byte was asked for") },
        ));
        assert_eq!(
            collected(announcing("262145", unread)).await,
            Err(Unreadable::TooLarge(LARGEST))
        );
    }

    #[tokio::test]
    async fn what_lies_about_its_length_is_cut() {
        let endless = futures_util::stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(&[b' '; 4096])));
        assert_eq!(
            collected(announcing("10", Body::from_stream(endless))).await,
            Err(Unreadable::TooLarge(LARGEST))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_drips_is_given_up() {
        let start = Instant::now();
        let dripping = futures_util::stream::unfold((), |()| async {
            advance(Duration::from_secs(1)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
        });
        assert_eq!(
            collected(Request::new(Body::from_stream(dripping))).await,
            Err(Unreadable::TooSlow)
        );
        // The clock goes by whole seconds here.
        assert!(
            start.elapsed() <= SLOWEST + Duration::from_secs(2),
            "{:?}",
            start.elapsed()
        );
    }

    #[tokio::test]
    async fn what_breaks_off_is_no_body() {
        let broken = futures_util::stream::iter([Ok(Bytes::from_static(b"{")), Err(io::Error::other("gone"))]);
        assert_eq!(
            collected(Request::new(Body::from_stream(broken))).await,
            Err(Unreadable::BrokenOff)
        );
    }
}
