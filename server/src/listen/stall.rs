//! A connection on which nothing moves, in neither direction, is cut: whoever left without a word must not hold a place for ever.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// Wraps a stream whose reads fail once it has been still for too long.
#[derive(Debug)]
pub(super) struct Stalling<S> {
    stream: S,
    patience: Duration,
    moved: Instant,
    /// Set anew only when it goes off: a timer that is moved at every read costs each time.
    timer: Pin<Box<Sleep>>,
}

// === impl Stalling ===

impl<S> Stalling<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            moved: Instant::now(),
            timer: Box::pin(sleep(patience)),
        }
    }

    /// While an answer is being made the client is silent and waits to read, so both directions wait on one timer.
    fn out_of_patience(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let end = self.moved + self.patience;
            if end <= Instant::now() {
                return Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "nothing moved for too long"));
            }
            self.timer.as_mut().reset(end);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalling<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(read) => {
                self.moved = Instant::now();
                Poll::Ready(read)
            }
            Poll::Pending => self.out_of_patience(context).map(Err),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalling<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(written) => {
                self.moved = Instant::now();
                Poll::Ready(written)
            }
            Poll::Pending => self.out_of_patience(context).map(Err),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(context, bytes) {
            Poll::Ready(written) => {
                self.moved = Instant::now();
                Poll::Ready(written)
            }
            Poll::Pending => self.out_of_patience(context).map(Err),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::advance,
    };

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn silence_ends_a_connection() {
        let (_client, server) = duplex(64);
        let error = Stalling::new(server, PATIENCE).read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_ends_it_too() {
        let (_client, server) = duplex(1);
        let error = Stalling::new(server, PATIENCE).write_all(b"ab").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn whatever_moves_keeps_it_open() {
        let (mut client, server) = duplex(64);
        let mut server = Stalling::new(server, PATIENCE);
        for _ in 0..5 {
            let slow = async {
                advance(PATIENCE * 3 / 4).await;
                client.write_u8(1).await.unwrap();
            };
            let (byte, ()) = tokio::join!(server.read_u8(), slow);
            assert_eq!(byte.unwrap(), 1);
        }
    }
}
