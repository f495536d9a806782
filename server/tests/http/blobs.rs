//! `GET` and `HEAD /api/blobs/{digest}`.

use std::fs;

use axum::{body::Body, http::Request};
use futures_util::StreamExt as _;
use proptest::prelude::*;
use server::catalog::Source;

use crate::{
    Answer, Server,
    support::{Gguf, Store, digest},
};

/// A server over a store with one model, its content and the address of its blob.
fn one_model() -> (Server, Store, Vec<u8>, String) {
    let store = Store::new();
    let content = store.gemma4("e2b");
    let url = format!("/api/blobs/{}", digest(&content).replace(':', "-"));
    (Server::new(vec![Source::Ollama(store.path().into())]), store, content, url)
}

async fn range(server: &Server, url: &str, range: &str) -> Answer {
    server.ask("GET", url, &[("range", range)]).await
}

#[tokio::test]
async fn the_whole_file() {
    let (server, _store, content, url) = one_model();
    let answer = server.get(&url).await;
    assert_eq!((answer.status.as_u16(), &answer.body), (200, &content));
    assert_eq!(answer.header("content-length"), content.len().to_string());
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("accept-ranges"), "bytes");
    assert_eq!(answer.header("etag"), format!("\"{}\"", digest(&content)));
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");

    let head = server.ask("HEAD", &url, &[("range", "bytes=0-1")]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    for name in ["content-length", "etag", "accept-ranges", "cache-control"] {
        assert_eq!(head.header(name), answer.header(name), "{name}");
    }
    assert_eq!(server.ask("PUT", &url, &[]).await.status, 405);
}

#[tokio::test]
async fn ranges() {
    let (server, _store, content, url) = one_model();
    let size = content.len();
    for (header, first, last) in [
        ("bytes=0-0", 0, 0),
        ("bytes=3-9", 3, 9),
        ("bytes=10-", 10, size - 1),
        ("bytes=-4", size - 4, size - 1),
        ("bytes=-999999", 0, size - 1),
        ("bytes=5-999999", 5, size - 1),
    ] {
        let answer = range(&server, &url, header).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (206, &content[first..=last]), "{header}");
        assert_eq!(answer.header("content-range"), format!("bytes {first}-{last}/{size}"));
        assert_eq!(answer.header("content-length"), (last - first + 1).to_string());
        assert_eq!(answer.header("etag"), format!("\"{}\"", digest(&content)));
    }
    for header in [format!("bytes={size}-"), "bytes=-0".into()] {
        let answer = range(&server, &url, &header).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (416, 0), "{header}");
        assert_eq!(answer.header("content-range"), format!("bytes */{size}"));
    }
    for header in ["bytes=0-1,4-5", "bytes=9-1", "lines=0-1", "bytes"] {
        let answer = range(&server, &url, header).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (200, size), "{header}");
    }
}

#[tokio::test]
async fn conditions() {
    let (server, _store, content, url) = one_model();
    let tag = format!("\"{}\"", digest(&content));
    let weak = format!("W/{tag}");
    let list = format!("\"a\", {weak}");
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    let part = ("range", "bytes=0-1");
    for (headers, expected) in [
        (&[("if-range", tag.as_str()), part][..], 206),
        (&[("if-range", "\"other\""), part], 200),
        (&[("if-range", &weak), part], 200),
        (&[("if-range", date), part], 200),
        (&[("if-none-match", &tag)], 304),
        (&[("if-none-match", &list), part], 304),
        (&[("if-none-match", "*")], 304),
        (&[("if-none-match", "\"other\"")], 200),
        (&[("if-none-match", "\"x, *, y\"")], 200),
        (&[("if-none-match", "*, \"other\"")], 200),
        (&[("if-none-match", "\"other\""), ("if-none-match", &tag)], 304),
        (&[("if-range", &tag), ("if-range", "\"other\""), part], 200),
        (&[("if-range", &tag), ("if-range", &tag), part], 200),
        (&[("if-match", "\"x, *, y\"")], 412),
        (&[("if-match", &tag)], 200),
        (&[("if-match", "*"), part], 206),
        (&[("if-match", "\"other\"")], 412),
        (&[("if-match", &weak)], 412),
    ] {
        let answer = server.ask("GET", &url, headers).await;
        assert_eq!(answer.status.as_u16(), expected, "{headers:?}");
        assert_eq!(answer.body.is_empty(), [304, 412].contains(&expected));
        if expected == 304 {
            assert_eq!(answer.header("etag"), tag);
            assert!(answer.header("cache-control").contains("immutable"));
        }
    }
}

#[tokio::test]
async fn a_digest_may_be_spelt_as_ollama_spells_it() {
    let (server, _store, content, _) = one_model();
    let digest = digest(&content);
    let capitals = digest.to_uppercase().replace("SHA256:", "sha256-");
    for spelling in [digest.as_str(), &capitals, &digest.replace(':', "%3A")] {
        assert_eq!(server.get(&format!("/api/blobs/{spelling}")).await.status, 200, "{spelling}");
    }
}

#[tokio::test]
async fn only_what_a_listed_model_names() {
    let (server, store, content, url) = one_model();
    let unlisted = store.layer("model", b"a blob that no manifest names");
    let system = store.layer("system", b"a blob that is no file of weights");
    let unlisted = unlisted["digest"].as_str().expect("a digest").replace(':', "-");
    let system = system["digest"].as_str().expect("a digest").replace(':', "-");
    let hex = digest(&content).replace("sha256:", "");
    let passwd = "..%2f".repeat(12) + "etc%2fpasswd";
    let inside = format!("..%2fblobs%2fsha256-{hex}");
    let zero = format!("sha256-{}", "0".repeat(64));
    let null = format!("sha256-{hex}%00");
    let gguf = format!("gguf-{hex}");
    for name in [
        &unlisted, &system, &hex, &passwd, &inside, &zero, &null, &gguf, "..", ".", "%2e%2e", "%ff",
        "sha256-",
    ] {
        let answer = server.get(&format!("/api/blobs/{name}")).await;
        assert!([400, 404].contains(&answer.status.as_u16()), "{name}: {}", answer.status);
        assert!(!answer.body.windows(4).any(|bytes| bytes == b"root" || bytes == b"GGUF"), "{name}");
    }
    for path in ["/api/blobs/../../assets.json", "/api/blobs/", "/api/blobs", "/api/blobs/a/b"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    assert_eq!(server.get(&url).await.status, 200);
}

#[tokio::test]
async fn a_blob_of_a_broken_model_is_not_served() {
    let store = Store::new();
    let content = Gguf::new("llama").build();
    store.model("llama3.2", "latest", serde_json::json!({}), &[store.layer("model", &content)]);
    let server = Server::new(vec![Source::Ollama(store.path().into())]);
    let url = format!("/api/blobs/{}", digest(&content).replace(':', "-"));
    assert_eq!(server.get(&url).await.status, 404);
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_listed_is_not_served() {
    let (server, store, content, url) = one_model();
    let path = store.blob_path(&digest(&content));
    assert_eq!(server.get(&url).await.status, 200);
    fs::write(&path, b"shorter").expect("written");
    assert_eq!(server.get(&url).await.status, 404);
    fs::remove_file(&path).expect("removed");
    assert_eq!(server.get(&url).await.status, 404);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_takes_the_place_of_a_file_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = Gguf::gemma4().build();
    let path = folder.path().join("m.gguf");
    fs::write(&path, &model).expect("written");
    let server = Server::new(vec![Source::Folder(folder.path().into())]);
    let models = server.get("/api/models").await;
    let models: protocol::Catalog = serde_json::from_slice(&models.body).expect("a catalog");
    let url = &models.models[0].layers[0].url;
    assert_eq!(server.get(url).await.body, model);

    let outside = tempfile::tempdir().expect("a folder");
    fs::rename(&path, outside.path().join("secret")).expect("moved");
    std::os::unix::fs::symlink(outside.path().join("secret"), &path).expect("a link");
    assert_eq!(server.get(url).await.status, 404);
}

#[tokio::test]
async fn a_file_cut_while_it_is_sent_ends_the_transfer() {
    let store = Store::new();
    let mut content = Gguf::gemma4().build();
    content.resize(3 << 20, 1);
    let layer = store.layer("model", &content);
    let path = store.blob_path(layer["digest"].as_str().expect("a digest"));
    store.model("gemma4", "big", serde_json::json!({}), &[layer]);
    let server = Server::new(vec![Source::Ollama(store.path().into())]);
    let url = format!("/api/blobs/{}", digest(&content).replace(':', "-"));
    let request = Request::get(&url).header("host", "localhost").body(Body::empty()).expect("a request");
    let mut body = server.send(request).await.into_body().into_data_stream();
    let first = body.next().await.expect("a piece").expect("no error");
    assert!(first.len() <= 1 << 18, "{} bytes at once", first.len());
    fs::File::options().write(true).open(path).and_then(|file| file.set_len(1 << 20)).expect("cut");
    let mut received = first.len();
    let error = loop {
        match body.next().await.expect("an error before the end") {
            Ok(piece) => received += piece.len(),
            Err(error) => break error,
        }
    };
    assert!(received <= 1 << 20);
    assert!(error.to_string().contains("the file"), "{error}");
}

/// Between the first piece and the last, the file is overwritten in place with as many bytes.
#[tokio::test]
async fn a_file_overwritten_while_it_is_sent_ends_the_transfer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.gguf");
    let mut content = Gguf::gemma4().build();
    content.resize(1 << 20, 1);
    fs::write(&path, &content).expect("written");
    let server = Server::new(vec![Source::Folder(folder.path().into())]);
    let url = url_of_only_model(&server).await;
    let request = Request::get(&url).header("host", "localhost").body(Body::empty()).expect("a request");
    let mut body = server.send(request).await.into_body().into_data_stream();
    let mut received = body.next().await.expect("a piece").expect("no error").len();

    let before = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    // The clock of the file system is coarse: once more until it has moved on.
    while fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time") == before {
        let mut file = fs::File::options().write(true).open(&path).expect("a file");
        std::io::Write::write_all(&mut file, &vec![2; content.len()]).expect("written");
    }
    let error = loop {
        match body.next().await.expect("an error before the end") {
            Ok(piece) => received += piece.len(),
            Err(error) => break error,
        }
    };
    assert!(received < content.len());
    assert!(error.to_string().contains("changed"), "{error}");
}

async fn url_of_only_model(server: &Server) -> String {
    let list = server.get("/api/models").await;
    let list: protocol::Catalog = serde_json::from_slice(&list.body).expect("a catalog");
    let [model] = &list.models[..] else { panic!("one model: {list:?}") };
    model.layers[0].url.clone()
}

/// Its name is no checksum.
#[tokio::test]
async fn a_file_without_a_checksum_is_asked_for_each_time() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.gguf"), Gguf::gemma4().build()).expect("written");
    let server = Server::new(vec![Source::Folder(folder.path().into())]);
    let url = url_of_only_model(&server).await;
    let answer = server.get(&url).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "private, no-cache"));
    let tag = answer.header("etag").to_owned();
    assert!(tag.starts_with("\"gguf:"), "{tag}");
    let again = server.ask("GET", &url, &[("if-none-match", &tag)]).await;
    assert_eq!((again.status.as_u16(), again.header("cache-control")), (304, "private, no-cache"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a `Range` header says, the answer is consistent and its bytes are those of the file.
    #[test]
    fn any_range_gets_a_consistent_answer(
        header in prop_oneof![
            "[ -~]{0,30}",
            (0_u64..12_000, 0_u64..12_000).prop_map(|(a, b)| format!("bytes={a}-{b}")),
            (0_u64..12_000).prop_map(|a| format!("bytes={a}-")),
            (0_u64..12_000).prop_map(|a| format!("bytes=-{a}")),
        ],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (server, _store, content, url) = one_model();
        let answer = runtime.block_on(range(&server, &url, &header));
        match answer.status.as_u16() {
            200 => prop_assert_eq!(answer.body, content),
            206 => {
                let range = answer.header("content-range").strip_prefix("bytes ").expect("bytes");
                let (range, size) = range.split_once('/').expect("a size");
                let (first, last) = range.split_once('-').expect("two ends");
                let end = |text: &str| text.parse::<usize>().expect("a number");
                prop_assert_eq!(end(size), content.len());
                prop_assert_eq!(&answer.body[..], &content[end(first)..=end(last)]);
            }
            416 => prop_assert!(answer.body.is_empty()),
            status => prop_assert!(false, "status {status}"),
        }
    }
}
