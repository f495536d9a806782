//! `GET` and `HEAD /api/blobs/{digest}`: the files of listed models, whole or in ranges.
//!
//! The content of an address never changes, so answers may be kept for ever, and the digest is the entity tag.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    sync::Arc,
};

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::{Stream, stream};
use tokio::task::spawn_blocking;

use crate::{
    catalog::{Library, OpenBlob, digest::Digest},
    range::{self, Selection},
};

/// Bytes that are read at once, and the most that one answer holds in memory besides the socket's own buffers.
const CHUNK: u64 = 1 << 18;

/// Handles a request for a blob.
pub async fn serve(
    State(library): State<Arc<Library>>,
    Path(digest): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    // No path is made of what the client sent: the text is a digest or nothing.
    let Ok(digest) = digest.parse::<Digest>() else { return not_found() };
    match spawn_blocking(move || library.open(digest)).await {
        Ok(Ok(Some(blob))) => answer(blob, &method, &headers),
        Ok(Ok(None)) => not_found(),
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error),
    }
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "No listed model has this file.").into_response()
}

fn failed(error: &dyn std::error::Error) -> Response {
    tracing::error!("a blob could not be opened: {error}");
    (StatusCode::INTERNAL_SERVER_ERROR, "The file could not be opened.").into_response()
}

/// Conditions in the order of RFC 9110, section 13.2.2.
fn answer(blob: OpenBlob, method: &Method, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", blob.digest);
    let size = blob.size;
    let all = |name: HeaderName| -> Vec<&str> {
        headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    };

    let mut response = Response::default();
    let if_match = all(header::IF_MATCH);
    if !if_match.is_empty() && !names(&if_match, &tag) {
        *response.status_mut() = StatusCode::PRECONDITION_FAILED;
        return response;
    }
    let about = response.headers_mut();
    about.insert(header::CACHE_CONTROL, CACHE_FOR_EVER);
    about.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    insert(about, header::ETAG, &tag);
    // A weak comparison: `W/"…"` counts as the same.
    let none_match = all(header::IF_NONE_MATCH);
    if none_match.iter().any(|list| names(&[&list.replace("W/", "")], &tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    about.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));

    let ranges = all(header::RANGE);
    let unchanged = all(header::IF_RANGE).first().is_none_or(|validator| *validator == tag);
    let selection = match ranges[..] {
        // Ranges are defined for GET only.
        [range] if unchanged && method == Method::GET => range::select(range, size),
        _ => Selection::Whole,
    };
    let (first, length) = match selection {
        Selection::Whole => (0, size),
        Selection::Part { first, last } => {
            insert(about, header::CONTENT_RANGE, &format!("bytes {first}-{last}/{size}"));
            (first, last - first + 1)
        }
        Selection::Unsatisfiable => {
            insert(about, header::CONTENT_RANGE, &format!("bytes */{size}"));
            about.remove(header::CACHE_CONTROL);
            about.remove(header::CONTENT_TYPE);
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            return response;
        }
    };
    insert(about, header::CONTENT_LENGTH, &length.to_string());
    if matches!(selection, Selection::Part { .. }) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    if method != Method::HEAD {
        *response.body_mut() = Body::from_stream(read(blob.file, first, length));
    }
    response
}

/// What never changes may be kept for ever; by the browser only, because models may be somebody's own.
const CACHE_FOR_EVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// Whether one of the lists of entity tags names this one, or any (`*`).
fn names(lists: &[&str], tag: &str) -> bool {
    lists.iter().flat_map(|list| list.split(',')).map(str::trim).any(|item| item == "*" || item == tag)
}

/// For values made of digits, hexadecimal digits and punctuation, which are always valid.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// The `length` bytes from `first` on, read piece by piece as the client takes them.
///
/// When the file turns out to be shorter, the stream ends with an error: the connection is cut, so that the client
/// does not take what it has for the whole.
fn read(file: File, first: u64, length: u64) -> impl Stream<Item = io::Result<Bytes>> {
    // The place to seek to before the first piece, and what is left to read.
    let start = (file, Some(first), length);
    stream::try_unfold(start, |(mut file, place, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let step = move || {
            if let Some(place) = place {
                file.seek(SeekFrom::Start(place))?;
            }
            let wanted = left.min(CHUNK);
            let mut piece = Vec::with_capacity(wanted as usize);
            if file.by_ref().take(wanted).read_to_end(&mut piece)? as u64 != wanted {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"));
            }
            Ok((Bytes::from(piece), (file, None, left - wanted)))
        };
        spawn_blocking(step).await.map_err(io::Error::other)?.map(Some)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use futures_util::{StreamExt as _, TryStreamExt as _};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    #[tokio::test]
    async fn reads_in_pieces_of_bounded_size() {
        let content: Vec<u8> = (0..CHUNK * 2 + 100).map(|at| at as u8).collect();
        let pieces: Vec<Bytes> = read(file(&content), 7, CHUNK * 2).try_collect().await.expect("no error");
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [CHUNK as usize; 2]);
        assert_eq!(pieces.concat(), &content[7..7 + CHUNK as usize * 2]);
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error() {
        let pieces: Vec<_> = read(file(&[1; 10]), 5, 6).collect().await;
        let error = pieces.last().expect("an item").as_ref().expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
