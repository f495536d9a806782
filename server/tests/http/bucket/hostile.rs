//! Stores in which something is wrong.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    response::IntoResponse as _,
};
use protocol::CatalogEntry;

use super::{Place, failures, listed};
use crate::support::{Gguf, digest};

/// A folder with one published model, and the path of its file.
async fn published(store: &Path) -> (Place, std::path::PathBuf) {
    let models = tempfile::tempdir().expect("a folder");
    let content = Gguf::gemma4().build();
    fs::write(models.path().join("a.gguf"), &content).expect("written");
    let place = Place::folder(store);
    place.publish(models.path()).await.expect("published");
    (place, store.join("blobs").join(digest(&content).replace(':', "-")))
}

#[tokio::test]
async fn a_server_does_not_start_without_a_list_that_can_be_used() {
    let store = tempfile::tempdir().expect("a folder");
    let place = Place::folder(store.path());
    let error = place.error().await;
    assert!(error.contains("has no catalog.json") && error.contains("server publish DIR file://"), "{error}");
    fs::write(store.path().join("catalog.json"), "{").expect("written");
    let error = place.error().await;
    assert!(error.contains("catalog.json in file://") && error.contains("can't be used"), "{error}");
    let large = fs::File::create(store.path().join("catalog.json")).expect("a file");
    large.set_len(1 << 30).expect("a sparse file");
    let error = place.error().await;
    assert!(error.contains("longer than"), "{error}");
    let place = Place { presign: true, ..place };
    assert!(place.error().await.contains("--presign needs"));
}

#[tokio::test]
async fn a_list_that_is_damaged_later_leaves_the_last_good_one() {
    let store = tempfile::tempdir().expect("a folder");
    let (place, _) = published(store.path()).await;
    let (server, metrics) = place.served().await;
    let path = store.path().join("catalog.json");
    let good = fs::read(&path).expect("a list");
    for text in ["", "[]", r#"{"models":[{"name":"../../etc/passwd"}],"searched":[]}"#] {
        fs::write(&path, text).expect("written");
        let before = failures(&metrics, "manifest").await;
        let models = listed(&server).await;
        assert_eq!(models.len(), 1);
        assert_eq!(server.get(&models[0].layers[0].url).await.status, 200);
        assert!(failures(&metrics, "manifest").await > before);
    }
    fs::write(&path, good).expect("written");
    let before = failures(&metrics, "manifest").await;
    assert_eq!(listed(&server).await.len(), 1);
    assert_eq!(failures(&metrics, "manifest").await, before);
}

#[tokio::test]
async fn a_file_that_is_gone_or_another_one_is_502_and_counted() {
    let store = tempfile::tempdir().expect("a folder");
    let (place, file) = published(store.path()).await;
    let (server, metrics) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();
    fs::write(&file, b"of another size").expect("written");
    let answer = server.get(&url).await;
    assert_eq!((answer.status.as_u16(), failures(&metrics, "blob").await), (502, 1));
    assert_eq!(answer.text(), "The store of the models doesn't send this file.");
    assert_eq!(answer.header("cache-control"), "no-cache");
    fs::remove_file(&file).expect("removed");
    assert_eq!(server.ask("GET", &url, &[("range", "bytes=0-9")]).await.status, 502);
    assert_eq!(failures(&metrics, "blob").await, 2);
}

#[tokio::test]
async fn nothing_but_listed_files_is_sent() {
    let store = tempfile::tempdir().expect("a folder");
    let (place, file) = published(store.path()).await;
    let other = format!("sha256-{}", "a".repeat(64));
    fs::copy(&file, file.with_file_name(&other)).expect("copied");
    let (server, _) = place.served().await;
    for name in [other.as_str(), "catalog.json", "..%2fcatalog.json"] {
        assert_eq!(server.get(&format!("/api/blobs/{name}")).await.status, 404, "{name}");
    }
}

/// What may be in the place of a file, or lead there, without being one of the store's own.
#[cfg(unix)]
#[tokio::test]
async fn nothing_is_sent_that_is_no_file_of_the_store() {
    use std::os::unix::{fs::symlink, net::UnixListener};

    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store");
    let (place, file) = published(&store).await;
    let (server, metrics) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();
    // Of the size that the list says.
    let secret = folder.path().join("secret");
    let size = fs::metadata(&file).expect("the file").len();
    fs::write(&secret, vec![b's'; size as usize]).expect("written");
    let link = |to: &Path| symlink(to, &file).expect("a link");
    let kinds: [(&str, &dyn Fn()); 9] = [
        ("a link", &|| link(&secret)),
        ("a relative link", &|| link(Path::new("../../secret"))),
        ("a chain of links", &|| {
            symlink(&secret, store.join("next")).expect("a link");
            link(Path::new("../next"));
        }),
        ("a link to nothing", &|| link(Path::new("nowhere"))),
        ("a link to a device", &|| link(Path::new("/dev/zero"))),
        ("a link to a pipe", &|| {
            crate::support::pipe(&store.join("pipe"));
            link(Path::new("../pipe"));
        }),
        ("a pipe", &|| crate::support::pipe(&file)),
        ("a socket", &|| drop(UnixListener::bind(&file).expect("a socket"))),
        ("a folder", &|| fs::create_dir(&file).expect("a folder")),
    ];
    let content = fs::read(&file).expect("the file");
    for (index, (kind, make)) in kinds.iter().enumerate() {
        fs::remove_file(&file).expect("removed");
        make();
        let answer = server.get(&url).await;
        assert_eq!(answer.status, 502, "{kind}");
        assert_eq!(answer.text(), "The store of the models doesn't send this file.", "{kind}");
        assert_eq!(failures(&metrics, "blob").await, index as u64 + 1, "{kind}");
    }
    // A folder on the way.
    fs::remove_dir(&file).expect("removed");
    let blobs = store.join("blobs");
    fs::rename(&blobs, folder.path().join("elsewhere")).expect("moved");
    fs::write(folder.path().join("elsewhere").join(file.file_name().expect("a name")), &content)
        .expect("written");
    symlink("../elsewhere", &blobs).expect("a link");
    assert_eq!(server.get(&url).await.status, 502);
    // What stays inside is the store's own.
    fs::remove_file(&blobs).expect("removed");
    fs::rename(folder.path().join("elsewhere"), store.join("inner")).expect("moved");
    symlink("inner", &blobs).expect("a link");
    assert!(server.get(&url).await.body == content);

    // The list is read in the same way.
    let list = store.join("catalog.json");
    fs::rename(&list, folder.path().join("catalog.json")).expect("moved");
    symlink(folder.path().join("catalog.json"), &list).expect("a link");
    assert!(place.error().await.contains("leads out of the folder"));
    fs::remove_file(&list).expect("removed");
    crate::support::pipe(&list);
    assert!(place.error().await.contains("is not a file"));
}

#[cfg(unix)]
#[tokio::test]
async fn publishing_replaces_what_is_no_file_of_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store");
    let (place, file) = published(&store).await;
    let models = tempfile::tempdir().expect("a folder");
    let content = fs::read(&file).expect("the file");
    fs::write(models.path().join("a.gguf"), &content).expect("written");
    let outside = folder.path().join("outside");
    fs::rename(&file, &outside).expect("moved");
    std::os::unix::fs::symlink(&outside, &file).expect("a link");
    place.publish(models.path()).await.expect("published");
    assert!(fs::symlink_metadata(&file).expect("a file").is_file());
    let (server, _) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();
    assert!(server.get(&url).await.body == content);
}

/// S3 with one model, whose file is where the test says.
async fn astray(model: &[u8], location: String) -> (Place, Arc<AtomicUsize>) {
    let digest = digest(model);
    let layer = serde_json::json!({"kind": "model", "digest": digest, "size": model.len(), "url": ""});
    let entry = CatalogEntry { name: "m".into(), ..CatalogEntry::default() };
    let mut entry = serde_json::to_value(entry).expect("JSON");
    entry["layers"] = serde_json::json!([layer]);
    let list = serde_json::json!({"models": [entry], "searched": []}).to_string();
    let (asked, model) = (Arc::new(AtomicUsize::new(0)), model.to_owned());
    let count = Arc::clone(&asked);
    let answer = move |request: Request| async move {
        match request.uri().path() {
            "/models/catalog.json" => list.into_response(),
            path if path.starts_with("/models/blobs/") => {
                (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
            }
            _ => {
                count.fetch_add(1, Ordering::Relaxed);
                let last = model.len() - 1;
                let range = format!("bytes 0-{last}/{}", model.len());
                (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, range)], model).into_response()
            }
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    let settings = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
    ];
    (Place { address: "s3://models".into(), settings: settings.into(), presign: false }, asked)
}

#[tokio::test]
async fn a_store_cannot_lead_to_another_server() {
    let model = Gguf::gemma4().build();
    let inside = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = inside.local_addr().expect("an address").port();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let answer = async move || {
        count.fetch_add(1, Ordering::Relaxed);
        "INTERNAL"
    };
    tokio::spawn(async move { axum::serve(inside, Router::new().fallback(answer)).await });
    for to in [format!("http://127.0.0.1:{port}/inside"), format!("//localhost:{port}/inside")] {
        let (place, _) = astray(&model, to.clone()).await;
        let (server, metrics) = place.served().await;
        let url = listed(&server).await[0].layers[0].url.clone();
        let last = format!("bytes=0-{}", model.len() - 1);
        let answer = server.ask("GET", &url, &[("range", &last)]).await;
        assert_eq!(answer.status, 502, "{to}: {}", answer.text());
        assert_eq!(failures(&metrics, "blob").await, 1);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0, "nobody else is asked");

    let (place, asked) = astray(&model, "/elsewhere/here".into()).await;
    let (server, _) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();
    let last = format!("bytes=0-{}", model.len() - 1);
    let answer = server.ask("GET", &url, &[("range", &last)]).await;
    assert_eq!((answer.status.as_u16(), answer.body == model), (206, true), "the host itself may move files");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
