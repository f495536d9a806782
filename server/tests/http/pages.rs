//! The page and its files.

use axum::{body::Body, http::Request};
use tokio::runtime::Handle;

use crate::Server;

/// A path of each kind of page.
const PAGES: [&str; 7] =
    ["/", "/models", "/settings", "/diagnostics", "/tune", "/c/some-chat", "/no/such/page"];

fn server() -> Server {
    Server::new(Vec::new())
}

#[tokio::test]
async fn the_page_is_rendered() {
    let answer = server().get("/").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-cache");
    let html = answer.text();
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
    for asset in [
        "/pkg/main.00112233.css",
        "/pkg/boot.00112233.js",
        "/pkg/worker.00112233.js",
        "/pkg/recorder.00112233.js",
    ] {
        assert!(html.contains(asset), "{asset} in {html}");
    }
    // The site of a release has none to play.
    assert!(!html.contains("gemtab-fake"), "{html}");
}

/// Contents and attributes of each `<script>` of the document.
fn scripts(html: &str) -> Vec<(&str, &str)> {
    html.split("<script")
        .skip(1)
        .map(|rest| {
            let (attributes, rest) = rest.split_once('>').expect("the tag ends");
            (attributes, rest.split_once("</script>").expect("the script ends").0)
        })
        .collect()
}

/// The policy forbids inline scripts, styles and handlers: a browser would leave them out, and the page would differ
/// from what was rendered.
#[tokio::test]
async fn no_page_has_anything_inline() {
    let server = server();
    for path in PAGES {
        let answer = server.get(path).await;
        let html = answer.text();
        let scripts = scripts(html);
        assert!(!scripts.is_empty(), "{path} has no script at all");
        for (attributes, content) in scripts {
            assert!(attributes.contains("src="), "{path}: <script{attributes}>{content}");
            assert_eq!(content, "", "{path}");
        }
        for forbidden in ["<style", " style=\"", "javascript:", " onclick=", " onload=", " onsubmit="] {
            assert!(!html.contains(forbidden), "{path} has {forbidden}: {html}");
        }
    }
}

/// The task of a connection moves between threads, and what a page holds is dropped with its body.
#[tokio::test]
async fn a_page_may_end_on_another_thread_than_it_began_on() {
    let server = server();
    for path in PAGES {
        let request =
            Request::get(path).header("host", "localhost:3000").body(Body::empty()).expect("a request");
        let body = server.send(request).await.into_body();
        let runtime = Handle::current();
        let read = || runtime.block_on(axum::body::to_bytes(body, usize::MAX));
        let read = std::thread::scope(|scope| scope.spawn(read).join());
        assert!(read.is_ok_and(|read| read.is_ok()), "{path}");
    }
}

#[tokio::test]
async fn an_unknown_page_is_a_page_that_says_so() {
    let answer = server().get("/no/such/page").await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert!(answer.text().contains("<html"));
    // A route may match what names no page.
    assert_eq!(server().get("/c/not-an-id").await.status, 404);
    assert_eq!(server().get("/c/0123456789abcdef0123456789abcdef").await.status, 200);
    // The body that a HEAD request is not sent is cut off by the HTTP layer, which is not under test here.
    assert_eq!(server().ask("HEAD", "/no/such/page", &[]).await.status, 404);
}

#[tokio::test]
async fn files_have_their_types_and_are_kept() {
    let server = server();
    for (path, kind, cache) in [
        ("/pkg/page.00112233.js", "text/javascript", "public, max-age=31536000, immutable"),
        ("/pkg/page.00112233.wasm", "application/wasm", "public, max-age=31536000, immutable"),
        ("/pkg/main.00112233.css", "text/css", "public, max-age=31536000, immutable"),
        ("/pkg/plain.js", "text/javascript", "no-cache"),
        ("/favicon.svg", "image/svg+xml", "no-cache"),
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), kind, "{path}");
        assert_eq!(answer.header("cache-control"), cache, "{path}");
        assert_eq!(answer.header("vary"), "accept-encoding", "{path}");
    }
}

#[tokio::test]
async fn pages_are_in_the_language_of_the_request() {
    let server = server();
    let german = [("accept-language", "de-AT,de;q=0.9,en;q=0.8")];
    for (path, english, words) in [
        ("/", "Chat with Gemma 4 in this tab", "Mit Gemma 4 in diesem Tab chatten"),
        ("/settings", "<title>Settings · gemtab</title>", "<title>Einstellungen · gemtab</title>"),
        ("/no/such/page", "nothing at this address", "Unter dieser Adresse gibt es nichts"),
    ] {
        let answer = server.ask("GET", path, &german).await;
        assert!(answer.text().contains(words), "{path}: {}", answer.text());
        assert!(answer.text().contains("<html lang=\"de\""), "{path}");
        assert_eq!(answer.header("content-language"), "de", "{path}");
        let vary = answer.header("vary").to_ascii_lowercase();
        assert!(vary.contains("accept-language") && vary.contains("cookie"), "{path}: {vary}");
        let answer = server.get(path).await;
        assert!(answer.text().contains(english) && answer.text().contains("<html lang=\"en\""), "{path}");
    }
    // What was chosen comes before what the browser asks for.
    let chosen = server.ask("GET", "/", &[("cookie", "language=en"), german[0]]).await;
    assert!(chosen.text().contains("<html lang=\"en\""));
}

#[tokio::test]
async fn the_settings_lead_to_the_licences_of_third_parties() {
    let server = server();
    let settings = server.get("/settings").await;
    let link = "<a href=\"/third-party-licenses.txt\" rel=\"external\">Third-party licenses";
    assert!(settings.text().contains(link), "{}", settings.text());
    let notices = server.get("/third-party-licenses.txt").await;
    assert_eq!((notices.status.as_u16(), notices.text()), (200, "© all of them"));
    assert_eq!(notices.header("content-type"), "text/plain; charset=utf-8");
}

#[tokio::test]
async fn files_are_sent_compressed_to_who_takes_it() {
    let server = server();
    for (accepted, encoding, body) in
        [("br, gzip", "br", "br"), ("gzip", "gzip", "gzip"), ("identity", "", "plain script")]
    {
        let answer = server.ask("GET", "/pkg/page.00112233.js", &[("accept-encoding", accepted)]).await;
        assert_eq!((answer.header("content-encoding"), answer.text()), (encoding, body));
        assert_eq!(answer.header("content-type"), "text/javascript");
    }
}

#[tokio::test]
async fn what_is_not_there() {
    let server = server();
    let answer = server.get("/pkg/page.deadbeef.js").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (404, "There is no such file."));
    assert_eq!(answer.header("cache-control"), "no-cache");
    for path in
        ["/pkg/", "/pkg", "/robots.txt", "/..%2fCargo.toml", "/pkg/..%2f..%2fetc%2fpasswd", "/%5c..%5cx"]
    {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

/// File systems take names of 255 bytes and paths of 4,096.
#[tokio::test]
async fn names_that_no_file_can_have_are_not_there() {
    let server = server();
    let long = "a".repeat(4096);
    let deep = "a/".repeat(4000);
    let wide = "%c3%a9".repeat(200);
    for name in [&long, &deep, &wide, "a%00b"] {
        let page = server.get(&format!("/{name}")).await;
        assert_eq!(page.status, 404, "{name}");
        assert!(page.text().contains("<html"), "{name}");
        let script = server.get(&format!("/pkg/{name}")).await;
        assert_eq!((script.status.as_u16(), script.text()), (404, "There is no such file."), "{name}");
    }
}

#[tokio::test]
async fn every_answer_is_guarded() {
    let server = server();
    let paths = [
        "/",
        "/no/such/page",
        "/c/0123456789abcdef0123456789abcdef",
        "/favicon.svg",
        "/pkg/page.00112233.js",
        "/pkg/none.js",
        "/healthz",
        "/api/models",
        "/api/pull",
        "/api/blobs/x",
        "/api/x",
    ];
    for path in paths {
        let answer = server.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"), "{path}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains(" 'unsafe-eval'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("  ") && !policy.contains('\n'), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-dns-prefetch-control", "off"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        assert!(answer.header("permissions-policy").starts_with("camera=(self), microphone=(self)"));
        assert_ne!(answer.header("cache-control"), "", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn what_a_model_has_coded_runs_in_an_origin_of_its_own_without_a_network() {
    let server = server();
    for (document, workers) in [("preview", false), ("sandbox", true)] {
        let answer = server.get(&format!("/pkg/{document}.00112233.html")).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "text/html"));
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("sandbox allow-scripts; default-src 'none'; "), "{policy}");
        for open in ["allow-same-origin", "http", "'self'; ", "connect-src", "frame-src", "*"] {
            assert!(!policy.contains(open), "{policy}");
        }
        assert_eq!(policy.contains("worker-src"), workers, "{policy}");
        assert_eq!(policy.contains("worker-src blob:; "), workers, "{policy}");
        assert!(policy.ends_with("frame-ancestors 'self'"), "{policy}");
        assert_eq!(answer.header("connection-allowlist"), "()");
        assert_eq!(answer.header("x-dns-prefetch-control"), "off");
    }
    // Nothing else may run what is inline, and the page may frame this server's documents alone.
    let page = server.get("/").await;
    assert!(page.header("content-security-policy").contains("frame-src 'self';"));
    assert_eq!(page.header("connection-allowlist"), "");
    let missing = server.get("/pkg/preview.44556677.html").await;
    assert!(missing.header("content-security-policy").starts_with("default-src 'none'"));
}
