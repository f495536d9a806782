//! `GET` and `HEAD /api/blobs/{digest}`: the files of listed models, whole or in ranges.
//!
//! The digest is the entity tag. Where it is that of the content, the content of an address never changes, so answers
//! may be kept for ever; else they are asked for again each time.
//!
//! Files of an object store are streamed in the range that was asked for, or the browser is sent to the store.

use std::{ops::Range, sync::Arc};

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    response::{IntoResponse as _, Response},
};

use crate::{
    bucket::{BucketError, Read},
    catalog::digest::Digest,
    conditions,
    connections::PIECE,
    disk::{CHUNK, Disk},
    library::{Content, Library, OpenBlob},
    pieces::pieces,
    range::{self, Selection},
};

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
            let (mut response, part) = head(&blob, &method, &headers);
            match part {
                Some(part) => match body(blob, part, library.disk(), chunk).await {
                    Ok(Whence::Here(body)) => {
                        *response.body_mut() = body;
                        response
                    }
                    Ok(Whence::There(address)) => redirect(&address),
                    Err(error) => bad_gateway(&error),
                },
                None => response,
            }
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

/// Where the content of an answer comes from.
enum Whence {
    Here(Body),
    /// The client is to fetch it there.
    There(String),
}

/// To an address that is only valid for a while.
fn redirect(address: &str) -> Response {
    let mut response = StatusCode::TEMPORARY_REDIRECT.into_response();
    let headers = response.headers_mut();
    insert(headers, header::LOCATION, address);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}

/// The store doesn't send a file: 503 when it can't be reached, else 502.
fn bad_gateway(error: &BucketError) -> Response {
    tracing::error!("a blob could not be sent: {error}");
    if error.is_passing() {
        let text = "The store of the models can't be reached. Try again later.";
        (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
    } else {
        (StatusCode::BAD_GATEWAY, "The store of the models doesn't send this file.").into_response()
    }
}

/// The answer without its content, and which bytes that is, if it has any.
///
/// Conditions in the order of RFC 9110, section 13.2.2.
fn head(blob: &OpenBlob, method: &Method, headers: &HeaderMap) -> (Response, Option<Range<u64>>) {
    let tag = format!("\"{}\"", blob.digest);
    let size = blob.size;

    let mut response = Response::default();
    if conditions::names(headers, &header::IF_MATCH, &tag) == Some(false) {
        *response.status_mut() = StatusCode::PRECONDITION_FAILED;
        return (response, None);
    }
    let about = response.headers_mut();
    let cached = if blob.digest.is_sha256() { CACHE_FOR_EVER } else { ASK_EACH_TIME };
    about.insert(header::CACHE_CONTROL, cached);
    about.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    insert(about, header::ETAG, &tag);
    if conditions::names(headers, &header::IF_NONE_MATCH, &tag) == Some(true) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return (response, None);
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
            return (response, None);
        }
    };
    insert(about, header::CONTENT_LENGTH, &length.to_string());
    if matches!(selection, Selection::Part { .. }) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    (response, (method != Method::HEAD).then_some(first..first + length))
}

/// The bytes of a part. Those of a store have begun to come.
async fn body(blob: OpenBlob, part: Range<u64>, disk: Disk, chunk: u64) -> Result<Whence, BucketError> {
    let (bucket, object) = match blob.content {
        Content::File(file, stamp) => {
            return Ok(Whence::Here(Body::from_stream(pieces(file, stamp, disk, chunk, part))));
        }
        Content::Object(bucket, object) => (bucket, object),
    };
    if let Some(address) = bucket.presigned(object.digest).await? {
        return Ok(Whence::There(address));
    }
    Ok(Whence::Here(match bucket.read(object, part.clone()).await? {
        Read::File(file, stamp) => Body::from_stream(pieces(file, stamp, disk, chunk, part)),
        Read::Stream(pieces) => Body::from_stream(pieces),
    }))
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
