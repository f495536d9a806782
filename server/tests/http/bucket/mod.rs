//! Models in an object store: a folder, a real S3 server, and nginx in front.

mod folder;
mod hostile;
mod nginx;
pub mod programs;
mod s3;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use server::{
    bucket::{Bucket, BucketError, Published, Settings},
    catalog::Source,
    library::Library,
    metrics::Metrics,
    pull::api::Pulls,
};

use crate::{Answer, Server};

/// A store, and how to ask it.
struct Place {
    address: String,
    settings: Settings,
    presign: bool,
}

impl Place {
    fn folder(folder: &Path) -> Self {
        let address = format!("file://{}", folder.display());
        Self { address, settings: Settings::default(), presign: false }
    }

    /// Publishes a folder, and gives what was told.
    async fn publish(&self, folder: &Path) -> Result<Vec<Published>, BucketError> {
        let told = Mutex::<Vec<Published>>::default();
        let tell = |event| told.lock().expect("no panic").push(event);
        Bucket::new(&self.address, &self.settings)?.publish(folder, &tell).await?;
        Ok(told.into_inner().expect("no panic"))
    }

    /// A server over it and nothing else, and its metrics.
    async fn serve(&self) -> Result<(Server, Metrics), BucketError> {
        let metrics = Metrics::default();
        let failures = metrics.store_failures();
        let bucket = Bucket::open(&self.address, &self.settings, self.presign, failures).await?;
        let library = Library::with_recent(Vec::<Source>::new(), Duration::ZERO).with_bucket(Some(bucket));
        let server = Server::over(Arc::new(library), [127, 0, 0, 1], &[], Pulls::default());
        Ok((server, metrics))
    }

    async fn served(&self) -> (Server, Metrics) {
        self.serve().await.expect("a server")
    }

    async fn error(&self) -> String {
        self.serve().await.err().expect("an error").to_string()
    }
}

/// The models that a server lists.
async fn listed(server: &Server) -> Vec<protocol::CatalogEntry> {
    let answer = server.get("/api/models").await;
    assert_eq!(answer.status, 200);
    serde_json::from_slice::<protocol::Catalog>(&answer.body).expect("a catalog").models
}

/// Checks that a server sends this file whole, in ranges and under conditions.
async fn assert_serves(server: &Server, url: &str, content: &[u8]) {
    let size = content.len();
    let whole = server.get(url).await;
    assert_eq!(whole.status, 200, "{}", String::from_utf8_lossy(&whole.body));
    assert!(whole.body == content);
    let tag = whole.header("etag").to_owned();
    assert!(url.ends_with(&tag.trim_matches('"').replace(':', "-")), "{tag}");
    assert!(whole.header("cache-control").contains("immutable"));
    for (range, first, last) in [
        ("bytes=0-0", 0, 0),
        ("bytes=5-99", 5, 99),
        ("bytes=-7", size - 7, size - 1),
        ("bytes=100-", 100, size - 1),
    ] {
        let part = ask(server, url, range, &tag).await;
        assert_eq!(part.status, 206, "{range}");
        assert!(part.body == content[first..=last], "{range}");
        assert_eq!(part.header("content-range"), format!("bytes {first}-{last}/{size}"));
        assert_eq!(part.header("etag"), tag);
    }
    assert_eq!(ask(server, url, "bytes=0-1", "\"other\"").await.status, 200);
    assert_eq!(ask(server, url, &format!("bytes={size}-"), &tag).await.status, 416);
    assert_eq!(server.ask("GET", url, &[("if-none-match", &tag)]).await.status, 304);
    let head = server.ask("HEAD", url, &[]).await;
    assert_eq!((head.status.as_u16(), head.header("content-length")), (200, size.to_string().as_str()));
}

async fn ask(server: &Server, url: &str, range: &str, if_range: &str) -> Answer {
    server.ask("GET", url, &[("range", range), ("if-range", if_range)]).await
}

/// How often the store failed to send what was asked for.
async fn failures(metrics: &Metrics, class: &str) -> u64 {
    let (_, text) = crate::metrics::read(metrics, "localhost").await;
    let name = format!("gemtab_store_failures_total{{class=\"{class}\"}}");
    crate::metrics::value(&text, &name).map_or(0, |value| value.parse().expect("a number"))
}
