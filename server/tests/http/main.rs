//! The server as a client sees it: requests to the router, answers with their headers.

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/https.rs"]
mod https_support;

mod blobs;
mod bucket;
mod connections;
mod health;
mod hosts;
mod https;
mod logs;
mod metrics;
mod models;
mod pages;
mod pull;
mod relay;

use std::{fs, path::Path, sync::Arc, time::Duration};

use app::Assets;
use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode},
};
use server::{
    catalog::Source,
    health::Health,
    host::{Host, Hosts},
    library::Library,
    pull::api::Pulls,
    relay::Relay,
    site::Site,
};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A server over a small site and the given sources.
struct Server {
    router: Router,
    health: Health,
    site: TempDir,
}

/// An answer, read to its end.
struct Answer {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    body: Vec<u8>,
}

impl Server {
    /// On loopback, with a list that is made anew for each request.
    fn new(sources: Vec<Source>) -> Self {
        Self::at([127, 0, 0, 1], &[], sources)
    }

    fn at(address: [u8; 4], allowed: &[&str], sources: Vec<Source>) -> Self {
        Self::with_pulls(address, allowed, sources, Pulls::default())
    }

    fn with_pulls(address: [u8; 4], allowed: &[&str], sources: Vec<Source>, pulls: Pulls) -> Self {
        let library = Arc::new(Library::with_recent(sources, Duration::ZERO));
        Self::over(library, address, allowed, pulls)
    }

    /// That passes requests on.
    fn with_relay(relay: Relay) -> Self {
        let library = Arc::new(Library::with_recent(Vec::new(), Duration::ZERO));
        Self::made(library, [127, 0, 0, 1], &[], Pulls::default(), relay)
    }

    fn over(library: Arc<Library>, address: [u8; 4], allowed: &[&str], pulls: Pulls) -> Self {
        Self::made(library, address, allowed, pulls, Relay::default())
    }

    fn made(library: Arc<Library>, address: [u8; 4], allowed: &[&str], pulls: Pulls, relay: Relay) -> Self {
        let allowed = allowed.iter().map(|name| name.parse::<Host>().expect("a host"));
        let hosts = Hosts::new(address.into(), allowed);
        let root = tempfile::tempdir().expect("a folder");
        let assets = Assets {
            stylesheet: "/pkg/main.00112233.css".into(),
            font: None,
            boot: "/pkg/boot.00112233.js".into(),
            page_js: "/pkg/page.00112233.js".into(),
            page_wasm: "/pkg/page.00112233.wasm".into(),
            recorder: "/pkg/recorder.00112233.js".into(),
            fake: None,
            worker: "/pkg/worker.00112233.js".into(),
            documents: "/pkg/documents.00112233.js".into(),
            preview: "/pkg/preview.00112233.html".into(),
            sandbox: "/pkg/sandbox.00112233.html".into(),
        };
        let write = |name: &str, content: &[u8]| fs::write(root.path().join(name), content).expect("written");
        fs::create_dir(root.path().join("pkg")).expect("a folder");
        write("assets.json", &serde_json::to_vec(&assets).expect("JSON"));
        write("favicon.svg", b"<svg/>");
        write("third-party-licenses.txt", "© all of them".as_bytes());
        write("pkg/page.00112233.js", b"plain script");
        write("pkg/page.00112233.js.br", b"br");
        write("pkg/page.00112233.js.gz", b"gzip");
        write("pkg/page.00112233.wasm", b"\0asm");
        write("pkg/main.00112233.css", b"body{}");
        write("pkg/preview.00112233.html", b"<!doctype html>");
        write("pkg/sandbox.00112233.html", b"<!doctype html>");
        write("pkg/plain.js", b"a name without a hash");
        let site = Site::load(root.path()).expect("a site");
        let health = Health::default();
        Self {
            router: server::router(&site, library, hosts, health.clone(), pulls, relay),
            health,
            site: root,
        }
    }

    /// The folder of the site.
    fn site(&self) -> &Path {
        self.site.path()
    }

    /// Sends a request that has all its headers.
    async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.expect("an answer")
    }

    /// Asks as a browser on this machine does.
    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask_with(method, path, &[&[("host", "localhost:3000")], headers].concat()).await
    }

    /// Asks with these headers and no others.
    async fn ask_with(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.send(request.body(Body::empty()).expect("a request")).await;
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("a whole body");
        Answer { status: parts.status, headers: parts.headers, body: body.into() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[]).await
    }
}

impl Answer {
    /// A header's text; empty when it is absent.
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }
}
