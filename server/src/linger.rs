//! Closing a connection of HTTP/2 without losing the end of an answer.
//!
//! A client of HTTP/2 says all the time what it took. If some of that has arrived and nobody read it when the socket is
//! closed, the system resets the connection, and the client loses what it hasn't read yet. So this side says that it is
//! done, and then reads until the other one is, too. How long that may take is for others to say.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that reads to its end when it is shut down.
pub struct Lingering<S> {
    stream: S,
    is_shut: bool,
}

impl<S> Lingering<S> {
    /// Wraps `stream`.
    pub fn new(stream: S) -> Self {
        Self { stream, is_shut: false }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_shut = true;
        }
        let mut bytes = [0; 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            // That the other side didn't take leave is of no interest here.
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn shutting_down_ends_once_the_other_side_has_ended() {
        let (near, mut far) = duplex(64);
        let mut near = Lingering::new(near);
        near.write_all(b"the end").await.expect("sent");
        far.write_all(&[1; 64]).await.expect("sent");
        let closing = tokio::spawn(async move { near.shutdown().await });
        // More than both buffers hold: somebody reads it.
        far.write_all(&[2; 4096]).await.expect("read by the other side");
        assert!(!closing.is_finished());
        let mut end = Vec::new();
        far.read_to_end(&mut end).await.expect("all of it");
        assert_eq!(end, b"the end");
        drop(far);
        closing.await.expect("no panic").expect("it is closed");
    }
}
