//! All sources together: the list, and the files that it allows to be read.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use protocol::{Catalog, CatalogEntry};

use super::{
    Blob, Found, Source, builtin,
    digest::Digest,
    facts::{Facts, Stamp},
    folder, ollama,
};

/// How old a scan may be that decides whether a file may be read. A load asks for hundreds of ranges; a model that was
/// deleted disappears after this time.
const RECENT: Duration = Duration::from_secs(2);

/// The models of this machine.
///
/// Its methods read the disk: call them where blocking is allowed.
#[derive(Debug)]
pub struct Library {
    sources: Vec<Source>,
    home: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    facts: Facts,
    scan: Option<(Instant, Arc<Scan>)>,
}

#[derive(Debug)]
struct Scan {
    catalog: Catalog,
    blobs: HashMap<Digest, Blob>,
}

/// A file that may be served, open for reading.
#[derive(Debug)]
pub struct OpenBlob {
    /// Its name in addresses.
    pub digest: Digest,
    /// At its beginning.
    pub file: File,
    /// Bytes.
    pub size: u64,
}

impl Library {
    /// A library of these sources. Where two have a model of one name, the first keeps it.
    #[must_use]
    pub fn new(sources: Vec<Source>) -> Self {
        // A service has no home, or the root of the disk.
        let home = std::env::home_dir().filter(|home| home.parent().is_some());
        Self { sources, home, state: Mutex::default() }
    }

    /// The list, made anew.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        self.scan(Duration::ZERO).catalog.clone()
    }

    /// Makes the list and logs what is in it.
    pub fn report(&self) {
        let Catalog { models, searched } = self.catalog();
        let (usable, broken): (Vec<_>, Vec<_>) = models.iter().partition(|model| model.broken.is_none());
        let names: Vec<_> = usable.iter().map(|model| model.name.as_str()).collect();
        tracing::info!("models: {}; searched: {}", names.join(", "), searched.join(", "));
        for CatalogEntry { name, broken, .. } in broken {
            tracing::info!("{name} cannot be used. {}", broken.as_deref().unwrap_or_default());
        }
    }

    /// Opens the file of this digest if a listed model names it and it has not changed since it was listed.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub fn open(&self, digest: Digest) -> io::Result<Option<OpenBlob>> {
        let scan = self.scan(RECENT);
        let Some(blob) = scan.blobs.get(&digest) else { return Ok(None) };
        match open_unchanged(blob) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened,
        }
    }

    /// A scan that is at most `age` old. Callers that come while one runs wait for it.
    fn scan(&self, age: Duration) -> Arc<Scan> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, scan)) = &state.scan
            && made.elapsed() < age
        {
            return Arc::clone(scan);
        }
        let scan = Arc::new(self.scan_sources(&mut state.facts));
        state.facts.forget_unused();
        state.scan = Some((Instant::now(), Arc::clone(&scan)));
        scan
    }

    fn scan_sources(&self, facts: &mut Facts) -> Scan {
        let mut searched = Vec::new();
        let mut models = Vec::new();
        for source in &self.sources {
            let (folder, found) = match source {
                Source::Ollama(folder) => (folder, ollama::scan(folder, facts)),
                Source::Folder(folder) => (folder, folder::scan(folder, facts)),
                Source::Builtin(folder) => (folder, builtin::scan(folder, facts)),
            };
            let note = match found {
                Ok(found) => {
                    models.extend(found);
                    if folder.is_dir() { "" } else { " (not there)" }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => " (not there)",
                Err(error) => {
                    tracing::debug!("{} cannot be read: {error}", folder.display());
                    " (cannot be read)"
                }
            };
            if !matches!(source, Source::Builtin(_)) {
                searched.push(self.shown(folder) + note);
            }
        }
        let blobs = models.iter().flat_map(|found| &found.blobs).map(|blob| (blob.digest, blob.clone()));
        let blobs = blobs.collect();
        Scan { catalog: Catalog { models: arrange(models), searched }, blobs }
    }

    /// A folder as it is shown. Whoever sees the page need not know the name of the account.
    fn shown(&self, folder: &Path) -> String {
        match self.home.as_deref().and_then(|home| folder.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => folder.display().to_string(),
        }
    }
}

/// Orders the models, the default first, and makes their names unique.
///
/// The smallest comes first, as the likeliest to fit the visitor's device; a demonstration after all others that can be
/// used; at the end what cannot be used.
fn arrange(found: Vec<Found>) -> Vec<CatalogEntry> {
    let mut models: Vec<CatalogEntry> = Vec::new();
    let mut names = HashSet::new();
    for Found { mut entry, .. } in found {
        let is_copy = |other: &CatalogEntry| other.name == entry.name && other.layers == entry.layers;
        if entry.broken.is_none() && models.iter().any(is_copy) {
            continue;
        }
        let name = entry.name.clone();
        let mut number = 2;
        while !names.insert(entry.name.clone()) {
            entry.name = format!("{name} ({number})");
            number += 1;
        }
        models.push(entry);
    }
    models.sort_by_cached_key(|entry| {
        let rank = match (&entry.broken, entry.demo) {
            (None, false) => 0,
            (None, true) => 1,
            (Some(_), _) => 2,
        };
        (rank, entry.size, entry.name.clone())
    });
    models
}

/// Opens a file unless it is another one by now.
fn open_unchanged(blob: &Blob) -> io::Result<Option<OpenBlob>> {
    // The path had no link in it when it was listed. If one has come in, it may lead anywhere.
    let metadata = fs::symlink_metadata(&blob.path)?;
    if !metadata.is_file() || fs::canonicalize(&blob.path)? != blob.path {
        return Ok(None);
    }
    let file = File::open(&blob.path)?;
    if Stamp::from(&file.metadata()?) != blob.stamp {
        return Ok(None);
    }
    Ok(Some(OpenBlob { digest: blob.digest, file, size: blob.stamp.size }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, size: u64) -> CatalogEntry {
        CatalogEntry { name: name.into(), size, ..CatalogEntry::default() }
    }

    fn names(entries: Vec<CatalogEntry>) -> Vec<String> {
        let found = entries.into_iter().map(|entry| Found { entry, blobs: Vec::new() }).collect();
        arrange(found).into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn the_smallest_model_is_the_default_and_a_demo_the_last_resort() {
        let broken = CatalogEntry { broken: Some("It is broken.".into()), ..entry("broken", 1) };
        let demo = CatalogEntry { demo: true, ..entry("demo", 2) };
        let all = vec![broken.clone(), demo.clone(), entry("large", 9), entry("small", 5)];
        assert_eq!(names(all), ["small", "large", "demo", "broken"]);
        assert_eq!(names(vec![broken, demo]), ["demo", "broken"]);
    }

    #[test]
    fn names_are_unique_and_copies_are_left_out() {
        let layer = |url: &str| protocol::Layer {
            kind: protocol::LayerKind::Model,
            digest: String::new(),
            size: 1,
            url: url.into(),
        };
        let with = |url, size| CatalogEntry { layers: vec![layer(url)], ..entry("m", size) };
        assert_eq!(
            names(vec![with("a", 1), with("a", 1), with("b", 2), with("c", 3)]),
            ["m", "m (2)", "m (3)"]
        );
    }

    #[test]
    fn the_name_of_the_account_is_not_shown() {
        let home = PathBuf::from("/home/ada");
        let library = Library { home: Some(home), ..Library::new(Vec::new()) };
        assert_eq!(library.shown(Path::new("/home/ada/models")), "~/models");
        assert_eq!(library.shown(Path::new("/srv/models")), "/srv/models");
    }
}
