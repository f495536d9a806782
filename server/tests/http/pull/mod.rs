//! Pulling models: from a real registry, and from a server that misbehaves as it is told.

mod command;
mod disk;
mod docker;
mod fake;
mod hub;
mod proxy;
mod registry;
mod transfer;
mod visitors;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use serde_json::{Value, json};
use server::{
    catalog::{Source, name::Name},
    library::Library,
    pull::{Event, PullError, Puller, Retry, parse},
};
use tempfile::TempDir;

use crate::support::{Gguf, digest};

/// A model as a registry has it.
struct Model {
    config: Vec<u8>,
    /// Kinds and contents.
    layers: Vec<(&'static str, Vec<u8>)>,
}

impl Model {
    /// A small text model, larger than what is written at once.
    fn tiny() -> Self {
        let mut content = Gguf::gemma4().tensor("token_embd.weight", &[256, 40]).build();
        let noise = (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8);
        content.extend(noise);
        Self::of(content)
    }

    fn of(content: Vec<u8>) -> Self {
        let config = json!({"model_format": "gguf", "model_family": "gemma4", "file_type": "Q4_K_M"});
        let layers = vec![
            ("model", content),
            ("template", b"{{ .Prompt }}".to_vec()),
            ("params", br#"{"stop":["<turn|>"]}"#.to_vec()),
            ("license", b"Free for all".to_vec()),
        ];
        Self { config: config.to_string().into_bytes(), layers }
    }

    fn content(&self) -> &[u8] {
        &self.layers[0].1
    }

    fn manifest(&self) -> Value {
        let layer = |media_type: String, content: &[u8]| json!({"mediaType": media_type, "digest": digest(content), "size": content.len()});
        let layers = self.layers.iter();
        let layers =
            layers.map(|(kind, content)| layer(format!("application/vnd.ollama.image.{kind}"), content));
        json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
            "config": layer("application/vnd.docker.container.image.v1+json".into(), &self.config),
            "layers": layers.collect::<Vec<_>>(),
        })
    }

    fn blobs(&self) -> impl Iterator<Item = &[u8]> {
        self.layers.iter().map(|(_, content)| content.as_slice()).chain([self.config.as_slice()])
    }
}

/// A store that is empty at first.
struct Target {
    folder: TempDir,
    events: Mutex<Vec<Event>>,
}

impl Target {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), events: Mutex::default() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Does not wait between attempts.
    fn puller(&self) -> Puller {
        Puller::new(self.path()).retry(Retry { tries: 3, first_wait: Duration::ZERO })
    }

    async fn pull(&self, name: &str) -> Result<(), PullError> {
        self.pull_with(&self.puller(), name).await
    }

    async fn pull_with(&self, puller: &Puller, name: &str) -> Result<(), PullError> {
        puller.pull(&named(name), &|event| self.events.lock().expect("no panic").push(event)).await
    }

    /// Pulls until something happens, then gives up.
    async fn pull_until(&self, happened: impl Future<Output = ()>, name: &str) {
        tokio::select! {
            ended = self.pull(name) => panic!("it should have been stuck: {ended:?}"),
            () = happened => {}
        }
    }

    /// Waits until so many bytes of a file that isn't whole are on the disk.
    async fn written(&self, bytes: u64, content: &[u8]) {
        while fs::metadata(self.partial(content)).map_or(0, |file| file.len()) < bytes {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// What has been told since the last time.
    fn told(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().expect("no panic"))
    }

    fn blob(&self, content: &[u8]) -> PathBuf {
        self.path().join("blobs").join(digest(content).replace(':', "-"))
    }

    fn partial(&self, content: &[u8]) -> PathBuf {
        let mut path = self.blob(content).into_os_string();
        path.push("-partial");
        path.into()
    }

    /// All files, by their paths in the store.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let path = path.strip_prefix(self.path()).expect("inside");
                    files.push(path.to_string_lossy().into_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// Names of the models that the server lists, of which all must be usable.
    async fn listed(&self) -> Vec<String> {
        let sources = vec![Source::Ollama(self.path().into())];
        let library = std::sync::Arc::new(Library::with_recent(sources, Duration::ZERO));
        let catalog: protocol::Catalog =
            serde_json::from_slice(&library.json().await.expect("a list")).expect("a catalog");
        let models = catalog.models.into_iter();
        models.inspect(|model| assert_eq!(model.broken, None)).map(|model| model.name).collect()
    }

    /// Checks that the model is there as the registry has it, and nothing else is.
    fn assert_has(&self, name: &str, model: &Model) {
        for content in model.blobs() {
            assert!(fs::read(self.blob(content)).expect("a blob") == content);
        }
        let name = named(name);
        let path: PathBuf =
            ["manifests", name.host(), name.namespace(), name.model(), name.tag()].iter().collect();
        let manifest = fs::read(self.path().join(&path)).expect("a manifest");
        assert_eq!(serde_json::from_slice::<Value>(&manifest).expect("JSON"), model.manifest());
        assert_eq!(self.files().len(), model.blobs().count() + 1, "{:?}", self.files());
    }
}

fn named(name: &str) -> Name {
    parse(name).expect("a name")
}
