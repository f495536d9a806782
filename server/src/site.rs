//! The page, rendered on the server, and the files that it consists of.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
    pin::Pin,
    sync::Arc,
};

use app::{Assets, Language};
use axum::{
    Router,
    body::Body,
    extract::Request,
    handler::Handler as _,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use fs4::FileExt;
use futures_util::{Stream, StreamExt as _, stream};
use leptos::prelude::{IntoView, Owner, provide_context};
use tower_http::services::ServeDir;

use crate::{
    connections::PIECE,
    headers::{self, Isolated},
    text::printable,
};

/// The built site: the folder that `cargo xtask serve` fills.
///
/// Its files never change: a new build has another folder. For as long as this lives, the folder is not deleted either.
#[derive(Clone, Debug)]
pub struct Site {
    /// The folder.
    pub root: PathBuf,
    /// Where in it the files are that the document names.
    pub assets: Assets,
    /// Locked, which tells `cargo xtask` that the folder is in use.
    _in_use: Arc<File>,
}

/// In a folder of several builds, the file with the name of the one to serve.
const LATEST: &str = "latest";

/// The folder of the build to serve: `root` itself, or the one in it that is the latest.
fn build(root: &Path) -> PathBuf {
    let name = fs::read_to_string(root.join(LATEST)).unwrap_or_default();
    let mut parts = Path::new(name.trim()).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => root.join(name),
        _ => root.into(),
    }
}

/// Why there is no site to serve.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// `assets.json` is not there.
    #[error("the page has not been built: {0} is missing. Run: cargo xtask serve")]
    NotBuilt(PathBuf),
    /// `assets.json` cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// `assets.json` is not what this server expects: it is of another version.
    #[error("{path} is not valid ({error}). Run: cargo xtask serve")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What the parser found.
        error: serde_json::Error,
    },
}

impl Site {
    /// Reads `assets.json` in the folder `root`, or in that of the latest build in it.
    ///
    /// # Errors
    /// When it is missing, cannot be read or is not valid.
    pub fn load(root: &Path) -> Result<Self, SiteError> {
        let root = build(root);
        let path = root.join("assets.json");
        let read = || {
            let mut file = File::open(&path)?;
            // Where there are no locks, nobody builds.
            FileExt::lock_shared(&file).ok();
            let mut text = Vec::new();
            file.read_to_end(&mut text)?;
            Ok::<_, io::Error>((file, text))
        };
        let (file, text) = match read() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(SiteError::NotBuilt(path)),
            Err(error) => return Err(SiteError::Unreadable { path, error }),
        };
        match serde_json::from_slice(&text) {
            Ok(assets) => Ok(Self { root, assets, _in_use: Arc::new(file) }),
            Err(error) => Err(SiteError::Invalid { path, error }),
        }
    }

    /// Routes of the page and, for all else, files; where there is no file, the page that says so.
    pub fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let page = page(self.assets.clone());
        let mut router = Router::new();
        for route in leptos_axum::generate_route_list(app::App) {
            router = router.route(route.path(), get(page.clone()));
        }
        let missing = {
            let page = page.clone();
            move |request: Request| async move {
                // A script that is missing is not asked for by a person.
                if request.uri().path().starts_with("/pkg/") {
                    return (StatusCode::NOT_FOUND, "There is no such file.").into_response();
                }
                page(request).await
            }
        };
        let files = ServeDir::new(&self.root)
            .append_index_html_on_directories(false)
            .precompressed_br()
            .precompressed_gzip()
            .with_buf_chunk_size(PIECE)
            .fallback(missing.clone().with_state(()));
        let files = move |request: Request| {
            let (mut files, missing) = (files.clone(), missing.clone());
            async move {
                let (address, headers) = (request.uri().clone(), request.headers().clone());
                match files.try_call(request).await {
                    Ok(response) => response.into_response(),
                    Err(error) if is_no_name(&error) => {
                        let mut again = Request::default();
                        *again.uri_mut() = address;
                        *again.headers_mut() = headers;
                        missing(again).await
                    }
                    Err(error) => {
                        tracing::error!("{} could not be read: {error}", printable(address.path()));
                        (StatusCode::INTERNAL_SERVER_ERROR, "The file could not be read.").into_response()
                    }
                }
            }
        };
        let files = Router::new().fallback(files).layer(middleware::from_fn(cache));
        router.fallback_service(files)
    }
}

/// Whether no file can have the name that was asked for: a part of it is too long, or has a zero in it.
fn is_no_name(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput)
}

/// Says how long files may be kept: for ever where the name changes with the content. Isolates the documents that run what a
/// model has coded.
async fn cache(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let (hashed, isolated) = (is_hashed(path), isolated(path));
    let mut response = next.run(request).await;
    let found = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    if hashed && found {
        let for_ever = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, for_ever);
        if let Some(isolated) = isolated {
            headers::isolate(response.headers_mut(), isolated);
        }
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Texts are UTF-8, which browsers must be told.
    if let Some(kind) = response.headers_mut().get_mut(header::CONTENT_TYPE)
        && kind == "text/plain"
    {
        *kind = HeaderValue::from_static("text/plain; charset=utf-8");
    }
    response
}

/// Whether the path is `/pkg/…/name.hash.extension` with at least eight hexadecimal digits as the hash.
fn is_hashed(path: &str) -> bool {
    let is_hash = |part: &str| {
        part.len() >= 8 && part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
    };
    let Some((_, file)) = path.strip_prefix("/pkg/").map(|path| path.rsplit_once('/').unwrap_or(("", path)))
    else {
        return false;
    };
    let parts: Vec<&str> = file.split('.').collect();
    parts.len() >= 3 && parts[1..parts.len() - 1].iter().copied().any(is_hash)
}

/// Which of the documents the path is that run what a model has coded (`xtask/src/site/preview.html`, `sandbox.html`); `None` if
/// it is another file.
fn isolated(path: &str) -> Option<Isolated> {
    match path.strip_prefix("/pkg/")?.strip_suffix(".html")?.split_once('.')?.0 {
        "preview" => Some(Isolated::Preview),
        "sandbox" => Some(Isolated::Sandbox),
        _ => None,
    }
}

type BoxStream = Pin<Box<dyn Stream<Item = String> + Send>>;
type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The handler that renders the page at the request's address.
fn page(assets: Assets) -> impl Fn(Request) -> BoxFuture<Response<Body>> + Clone + Send + Sync + 'static {
    move |request| {
        let assets = assets.clone();
        // Also a route may match what is no page: `/c/` without the name of a conversation.
        let found = app::has_page(request.uri().path());
        let language = language(request.headers());
        let rendered = leptos_axum::handle_response_inner(
            move || provide_context(language),
            move || app::shell(assets),
            request,
            document,
        );
        Box::pin(async move {
            let mut response = rendered.await;
            let headers = response.headers_mut();
            headers.append(header::VARY, HeaderValue::from_static("accept-language, cookie"));
            headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.tag()));
            if !found && response.status() == StatusCode::OK {
                *response.status_mut() = StatusCode::NOT_FOUND;
            }
            response
        })
    }
}

/// The language to answer in.
fn language(headers: &HeaderMap) -> Language {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    Language::of_request(text(header::COOKIE), text(header::ACCEPT_LANGUAGE))
}

/// Renders a view to one piece of HTML.
///
/// Leptos' own renderers append inline scripts that carry the server's resources to the page. This page has none: all
/// that differs between visitors is on their side. Leaving the scripts out allows a policy without inline script; the
/// boot module sets the (empty) tables that hydration looks for.
fn document<V: IntoView + 'static>(
    view: V,
    _scripts: Box<dyn FnOnce() -> BoxStream + Send>,
    _out_of_order: bool,
) -> BoxFuture<BoxStream> {
    // The language is in the context.
    let owner = Owner::current();
    Box::pin(async move {
        let stream = match owner {
            Some(owner) => owner.with(|| view.to_html_stream_in_order()),
            None => view.to_html_stream_in_order(),
        };
        let html: String = stream.collect().await;
        Box::pin(stream::once(async move { html })) as BoxStream
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_names_are_recognised() {
        for path in ["/pkg/page.3f2a9c01.js", "/pkg/page_bg.3f2a9c01deadbeef.wasm", "/pkg/a/b.00000000.css"] {
            assert!(is_hashed(path), "{path}");
        }
        for path in [
            "/pkg/page.js",
            "/page.3f2a9c01.js",
            "/pkg/3f2a9c01.js",
            "/pkg/page.3f2a.js",
            "/pkg/page.license.js",
        ] {
            assert!(!is_hashed(path), "{path}");
        }
    }

    #[test]
    fn without_a_build_it_says_how_to_make_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Site::load(folder.path()).expect_err("there is nothing");
        assert!(matches!(error, SiteError::NotBuilt(_)));
        assert!(error.to_string().ends_with("Run: cargo xtask serve"), "{error}");
        fs::write(folder.path().join("assets.json"), "{}").expect("written");
        assert!(matches!(Site::load(folder.path()), Err(SiteError::Invalid { .. })));
    }

    #[test]
    fn a_server_keeps_the_build_that_it_started_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        let build = |name: &str| {
            fs::create_dir(folder.path().join(name)).expect("a folder");
            let assets = [
                "stylesheet",
                "boot",
                "page_js",
                "page_wasm",
                "worker",
                "recorder",
                "documents",
                "preview",
                "sandbox",
            ];
            let assets = assets.map(|field| format!("\"{field}\": \"/{name}\"")).join(",");
            write(&format!("{name}/assets.json"), &format!("{{{assets}}}"));
            write("latest", &format!("{name}\n"));
        };
        build("one");
        let one = Site::load(folder.path()).expect("a site");
        build("two");
        let two = Site::load(folder.path()).expect("a site");
        assert_eq!([&one.assets.boot, &two.assets.boot], ["/one", "/two"]);
        assert_eq!(one.root, folder.path().join("one"));
        // Whoever wants to delete it sees that it is in use.
        let is_free = || {
            let file = File::open(folder.path().join("one/assets.json")).expect("a file");
            FileExt::try_lock(&file).is_ok()
        };
        assert!(!is_free());
        drop(one);
        assert!(is_free());
        // A folder of one build needs no name, and a name leads nowhere else.
        assert_eq!(Site::load(&two.root).expect("a site").assets.boot, "/two");
        for name in ["..", "../one", "/one", "one/../two"] {
            write("latest", name);
            assert!(matches!(Site::load(folder.path()), Err(SiteError::NotBuilt(_))), "{name}");
        }
    }
}
