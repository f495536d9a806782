//! `GET` and `HEAD /api/blobs/{digest}`: the files of listed models, whole or in ranges.
//!
//! The digest is the entity tag. Where it is that of the content, the content of an address never changes, so answers
//! may be kept for ever; else they are asked for again each time.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    sync::Arc,
};

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    response::{IntoResponse as _, Response},
};
use futures_util::{Stream, stream};

use crate::{
    catalog::{Library, OpenBlob, Stamp, digest::Digest},
    conditions,
    connections::PIECE,
    disk::Disk,
    range::{self, Selection},
};

/// Bytes that are read at once, and the most that one answer holds in memory besides the connection's own buffers.
pub const CHUNK: u64 = 1 << 18;

/// Handles a request for a blob.
pub async fn serve(
    State(library): State<Arc<Library>>,
    Path(digest): Path<String>,
    method: Method,
    version: Version,
    headers: HeaderMap,
) -> Response {
    // No path is made of what the client sent: the text is a digest or nothing.
    let Ok(digest) = digest.parse::<Digest>() else { return not_found() };
    match library.open(digest).await {
        Ok(Some(blob)) => {
            let chunk = if version == Version::HTTP_2 { PIECE as u64 } else { CHUNK };
            answer(blob, library.disk(), chunk, &method, &headers)
        }
        Ok(None) => not_found(),
        Err(error) => {
            tracing::error!("a blob could not be opened: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "The file could not be opened.").into_response()
        }
    }
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "No listed model has this file.").into_response()
}

/// Conditions in the order of RFC 9110, section 13.2.2.
fn answer(blob: OpenBlob, disk: Disk, chunk: u64, method: &Method, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", blob.digest);
    let size = blob.stamp.size;

    let mut response = Response::default();
    if conditions::names(headers, &header::IF_MATCH, &tag) == Some(false) {
        *response.status_mut() = StatusCode::PRECONDITION_FAILED;
        return response;
    }
    let about = response.headers_mut();
    let cached = if blob.digest.is_sha256() { CACHE_FOR_EVER } else { ASK_EACH_TIME };
    about.insert(header::CACHE_CONTROL, cached);
    about.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    insert(about, header::ETAG, &tag);
    if conditions::names(headers, &header::IF_NONE_MATCH, &tag) == Some(true) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    about.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));

    let mut ranges = headers.get_all(header::RANGE).iter().map(HeaderValue::to_str);
    let selection = match (ranges.next(), ranges.next()) {
        // Ranges are defined for GET only.
        (Some(Ok(range)), None) if method == Method::GET && conditions::range_holds(headers, &tag) => {
            range::select(range, size)
        }
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
        *response.body_mut() = Body::from_stream(read(blob, disk, chunk, first, length));
    }
    response
}

/// What never changes may be kept for ever; by the browser only, because models may be somebody's own.
const CACHE_FOR_EVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// A `gguf:` name is no checksum: should the content change under it, then only for as long as a file is not looked at.
const ASK_EACH_TIME: HeaderValue = HeaderValue::from_static("private, no-cache");

/// For values made of digits, hexadecimal digits and punctuation, which are always valid.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// The `length` bytes from `first` on, read by pieces of `chunk` as the client takes them.
///
/// When the file turns out to be shorter, or to have changed since it was opened, the stream ends with an error: the
/// connection is cut, so that the client takes neither a part nor a mixture for the whole.
fn read(
    blob: OpenBlob,
    disk: Disk,
    chunk: u64,
    first: u64,
    length: u64,
) -> impl Stream<Item = io::Result<Bytes>> {
    let OpenBlob { file, stamp, .. } = blob;
    // The place to seek to before the first piece, and what is left to read.
    let start = (file, Some(first), length);
    stream::try_unfold(start, move |(mut file, place, left)| {
        let disk = disk.clone();
        async move {
            if left == 0 {
                return Ok(None);
            }
            let step = move || {
                let wanted = left.min(chunk);
                let piece = read_piece(&mut file, place, wanted)?;
                // After every piece, the last one above all: what was read before may be of either content.
                if Stamp::from(&file.metadata()?) != stamp {
                    return Err(io::Error::other("the file has changed"));
                }
                Ok((piece, (file, None, left - wanted)))
            };
            disk.run(step).await.map(Some)
        }
    })
}

fn read_piece(file: &mut File, place: Option<u64>, wanted: u64) -> io::Result<Bytes> {
    if let Some(place) = place {
        file.seek(SeekFrom::Start(place))?;
    }
    let mut piece = Vec::with_capacity(wanted as usize);
    if file.take(wanted).read_to_end(&mut piece)? as u64 != wanted {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"));
    }
    Ok(piece.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use futures_util::{StreamExt as _, TryStreamExt as _};

    use super::*;
    use crate::catalog::digest;

    fn blob(bytes: &[u8]) -> OpenBlob {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let stamp = Stamp::from(&file.metadata().expect("metadata"));
        OpenBlob { digest: digest::sha256(bytes).expect("a digest"), file, stamp }
    }

    #[tokio::test]
    async fn reads_in_pieces_of_bounded_size() {
        let content: Vec<u8> = (0..CHUNK * 2 + 100).map(|at| at as u8).collect();
        let pieces = read(blob(&content), Disk::default(), CHUNK, 7, CHUNK * 2);
        let pieces: Vec<Bytes> = pieces.try_collect().await.expect("no error");
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [CHUNK as usize; 2]);
        assert_eq!(pieces.concat(), &content[7..7 + CHUNK as usize * 2]);
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error() {
        let pieces: Vec<_> = read(blob(&[1; 10]), Disk::default(), CHUNK, 5, 6).collect().await;
        let error = pieces.last().expect("an item").as_ref().expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
