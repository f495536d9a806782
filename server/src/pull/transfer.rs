//! Downloading one file, over as many connections as it takes.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use reqwest::{Response, StatusCode, Url, header::CONTENT_RANGE};

use super::{
    error::PullError,
    http,
    manifest::File,
    partial::{Partial, STEP},
    progress::{Event, Progress},
    registry::Registry,
    store::Store,
};

/// Bytes that count as getting on: what has to come in each window of [`Patience`](super::Patience), and from an attempt that isn't
/// counted as one in vain.
const LEAST: u64 = 64 << 10;

/// How often and how soon a server is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts after one another that bring nothing new.
    pub tries: u32,
    /// Before the second attempt. Doubled for each further one.
    pub first_wait: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { tries: 6, first_wait: Duration::from_secs(1) }
    }
}

impl Retry {
    /// Waits, unless this was the last attempt: then gives the error back.
    async fn wait(self, failed: u32, error: PullError, progress: Progress<'_>) -> Result<(), PullError> {
        if failed >= self.tries || !error.is_passing() {
            return Err(error);
        }
        let wait = self.first_wait.saturating_mul(1 << (failed - 1).min(5));
        progress(Event::Waiting { reason: error.said(), wait });
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// Downloads a file into the store, from where an earlier pull ended.
pub(super) async fn fetch(
    registry: &Registry,
    url: Url,
    file: &File,
    store: &Store,
    retry: Retry,
    progress: Progress<'_>,
) -> Result<(), PullError> {
    let File { digest, size, .. } = *file;
    let Some(mut partial) = Partial::open(store, file, progress).await? else { return Ok(()) };
    progress(Event::Begun { digest, kind: file.kind.clone(), at: partial.at(), size });
    // What was found here may not be what it seems: it gets a second chance.
    let mut was_found = partial.at() > 0;
    let (mut furthest, mut failed) = (partial.at(), 0);
    loop {
        let received = match partial.at() {
            at if at < size => receive(registry, url.clone(), file, &mut partial, progress).await,
            _ => Ok(()),
        };
        match received {
            Ok(()) if partial.is_right().await? => {
                partial.finish().await?;
                progress(Event::Verified { digest });
                return Ok(());
            }
            Ok(()) if was_found => {
                was_found = false;
                partial.restart().await?;
            }
            Ok(()) => {
                partial.remove().await?;
                return Err(PullError::WrongDigest { host: registry.host(), digest });
            }
            Err(error) => {
                if partial.at() >= furthest + LEAST {
                    (furthest, failed) = (partial.at(), 0);
                }
                failed += 1;
                retry.wait(failed, error, progress).await?;
            }
        }
    }
}

/// Receives what one connection brings, up to the end of the file.
async fn receive(
    registry: &Registry,
    url: Url,
    file: &File,
    partial: &mut Partial,
    progress: Progress<'_>,
) -> Result<(), PullError> {
    let response = registry.read(url, partial.at()).await?;
    begin(registry, &response, file, partial).await?;

    let host = registry.host();
    let mut stream = response.bytes_stream();
    let mut buffer = Vec::with_capacity(STEP);
    let (mut since, mut came) = (Instant::now(), 0);
    loop {
        let chunk = stream.next().await;
        if let Some(Ok(chunk)) = &chunk {
            buffer.extend_from_slice(chunk);
            came += chunk.len() as u64;
        }
        let is_slow = since.elapsed() >= registry.window() && came < LEAST;
        if came >= LEAST {
            (since, came) = (Instant::now(), 0);
        }
        let at = partial.at() + buffer.len() as u64;
        if at > file.size {
            let reason = format!("it goes on after {} bytes", file.size);
            return Err(PullError::WrongLength { host, digest: file.digest, reason });
        }
        if buffer.len() >= STEP || !matches!(chunk, Some(Ok(_))) {
            partial.write(std::mem::replace(&mut buffer, Vec::with_capacity(STEP))).await?;
        }
        progress(Event::Received { digest: file.digest, at, size: file.size });
        match chunk {
            Some(Ok(_)) if is_slow && at < file.size => {
                partial.write(std::mem::take(&mut buffer)).await?;
                return Err(PullError::Network { host, reason: "it sends too slowly".into() });
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(http::broken(&host)(error)),
            None if at == file.size => return Ok(()),
            None => return Err(PullError::Network { host, reason: "the connection was closed".into() }),
        }
    }
}

/// Looks at the head of an answer, and makes `partial` end where its bytes begin.
async fn begin(
    registry: &Registry,
    response: &Response,
    file: &File,
    partial: &mut Partial,
) -> Result<(), PullError> {
    let wrong = |reason| PullError::WrongLength { host: registry.host(), digest: file.digest, reason };
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
            if range.and_then(parse_range) != Some((partial.at(), file.size)) {
                let range = range.map_or_else(|| "no range".into(), crate::text::shorten);
                return Err(wrong(format!("asked for byte {} and on, it sends {range}", partial.at())));
            }
        }
        // The file is shorter there than what is here: the length below, or the digest, will tell.
        StatusCode::RANGE_NOT_SATISFIABLE => {
            partial.restart().await?;
            return Err(PullError::Network {
                host: registry.host(),
                reason: "it doesn't continue files".into(),
            });
        }
        // All of it. This is no error: whoever stores blobs need not know ranges.
        _ => partial.restart().await?,
    }
    let expected = file.size - partial.at();
    match response.content_length() {
        Some(length) if length != expected => {
            Err(wrong(format!("{length} bytes are announced, {expected} are expected")))
        }
        _ => Ok(()),
    }
}

/// First byte and length of the whole file in `bytes FIRST-LAST/LENGTH`, if its last byte is that of the file.
fn parse_range(text: &str) -> Option<(u64, u64)> {
    let (range, length) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last, length): (u64, u64, u64) =
        (first.parse().ok()?, last.parse().ok()?, length.parse().ok()?);
    (last.checked_add(1)? == length).then_some((first, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_range_to_the_end_goes_on() {
        assert_eq!(parse_range("bytes 5-9/10"), Some((5, 10)));
        for text in
            ["", "bytes */10", "bytes 5-8/10", "bytes 5-9/*", "5-9/10", "bytes 5-18446744073709551615/0"]
        {
            assert_eq!(parse_range(text), None, "{text}");
        }
    }
}
