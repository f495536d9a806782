//! A folder of `.gguf` files, and the folders in it.
//!
//! A file is served only when it lies in the folder after all links are followed: a link that leads out is listed with
//! the reason.

use std::{
    collections::HashSet,
    fs,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use protocol::said::ModelPart;
use protocol::{CatalogEntry, LayerKind};
use sha2::{Digest as _, Sha256};

use super::{
    BlobFile, DIFFUSION, DRAFTER, Found, Listing, Trouble, capabilities, continues,
    digest::{Digest, Scheme},
    embeds,
    facts::{self, Facts, Stamp},
    gguf::Peek,
    is_drafter,
    pairing::{self, Half, Words},
    refuse,
};
use crate::{regular, text::shown};

/// Folders below the given one that are searched. Publisher, model and revision are three.
const DEPTH: usize = 5;
/// Files that are listed.
pub(super) const MAX_FILES: usize = 4096;

/// The models in the folder `root` and below.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn scan(root: &Path, facts: &mut Facts) -> io::Result<Listing> {
    scan_up_to(MAX_FILES, root, facts, identity_of)
}

/// The same, with the SHA-256 of each file, which is read whole for it.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn scan_content(root: &Path, facts: &mut Facts) -> io::Result<Listing> {
    scan_up_to(MAX_FILES, root, facts, Facts::sha256)
}

/// How a file is named.
type Naming = fn(&mut Facts, &Path, Stamp) -> io::Result<Digest>;

fn identity_of(facts: &mut Facts, path: &Path, stamp: Stamp) -> io::Result<Digest> {
    facts.digest(path, stamp, |path| identity(path, stamp))
}

fn scan_up_to(most: usize, root: &Path, facts: &mut Facts, naming: Naming) -> io::Result<Listing> {
    let root = fs::canonicalize(root)?;
    let mut paths = Vec::new();
    let is_whole = walk(&root, DEPTH, most, &mut paths)?;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        match examine(&root, &path, facts) {
            Ok((path, stamp, peek)) if seen.insert(path.clone()) => {
                files.push(GgufFile { name, path, stamp, peek });
            }
            Ok(_) => {}
            Err(trouble) => {
                found.push(Found::broken(CatalogEntry { name, ..CatalogEntry::default() }, &trouble));
            }
        }
    }
    found.extend(assemble(files, |path, stamp| naming(facts, path, stamp)));
    Ok(Listing { found, is_whole })
}

/// Collects up to `most` `.gguf` files, in the order of their names, and tells whether those are all. Linked folders are
/// not entered: links may form circles.
pub(super) fn walk(folder: &Path, depth: usize, most: usize, found: &mut Vec<PathBuf>) -> io::Result<bool> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth > 0 {
                match walk(&path, depth - 1, most, found) {
                    Ok(true) => {}
                    Ok(false) => return Ok(false),
                    Err(error) => tracing::debug!("{} cannot be read: {error}", shown(&path)),
                }
            }
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf")) {
            if found.len() >= most {
                return Ok(false);
            }
            found.push(path);
        }
    }
    Ok(true)
}

/// A file that was found, and its header.
pub(super) struct GgufFile {
    /// File name without extension.
    pub name: String,
    /// With no link left in it.
    pub path: PathBuf,
    pub stamp: Stamp,
    pub peek: Arc<Peek>,
}

impl GgufFile {
    fn words(&self) -> Words {
        Words::new(&self.name)
    }

    fn entry(&self) -> CatalogEntry {
        let peek = &self.peek;
        let parameters = if peek.size_label.is_empty() {
            super::trouble::parameters(peek.parameters)
        } else {
            peek.size_label.clone()
        };
        CatalogEntry {
            name: self.name.clone(),
            family: peek.architecture.clone(),
            parameters,
            quantization: peek.quantization.into(),
            diffusion: peek.architecture == DIFFUSION,
            continues: continues(peek),
            embeds: embeds(peek),
            size: self.stamp.size,
            ..CatalogEntry::default()
        }
    }

    /// Why the file is no model that the engine runs.
    fn trouble(&self) -> Option<Trouble> {
        let peek = &self.peek;
        if peek.kind == "adapter" {
            return Some(Trouble::Adapter);
        }
        refuse(&peek.architecture).err().or(self.split())
    }

    /// That it is one of several files, if it is.
    fn split(&self) -> Option<Trouble> {
        (self.peek.parts > 1).then_some(Trouble::Split { parts: self.peek.parts })
    }

    /// Whether it is a later part of a model that is cut into several files. The first part stands for all.
    fn is_later_part(&self) -> bool {
        self.peek.parts > 1 && self.name.contains("-of-") && !self.name.contains("-00001-of-")
    }

    fn is_drafter(&self) -> bool {
        is_drafter(&self.peek.architecture)
    }

    fn is_projector(&self) -> bool {
        self.peek.architecture == "clip" || self.peek.kind == "mmproj"
    }
}

/// Follows links and reads the header.
pub(super) fn examine(
    root: &Path,
    path: &Path,
    facts: &mut Facts,
) -> Result<(PathBuf, Stamp, Arc<Peek>), Trouble> {
    let unreadable = |error| Trouble::Unreadable { part: ModelPart::File, error };
    let path = regular::resolve(root, path).map_err(unreadable)?.ok_or(Trouble::Escape)?;
    let metadata = fs::symlink_metadata(&path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(regular::not_a_file()));
    }
    let stamp = Stamp::from(&metadata);
    let peek = facts.peek(&path, stamp)?;
    Ok((path, stamp, peek))
}

/// Files that belong to models beside them.
struct Companions {
    kind: LayerKind,
    files: Vec<GgufFile>,
    /// Whether some model fits, by file.
    fitting: Vec<bool>,
}

impl Companions {
    /// Of files that fit a model equally well the smallest is taken: they differ in the type of their weights.
    fn new(kind: LayerKind, mut files: Vec<GgufFile>) -> Self {
        files.sort_by_key(|file| file.stamp.size);
        let fitting = vec![false; files.len()];
        Self { kind, files, fitting }
    }

    fn half(&self, file: &GgufFile) -> Half {
        let width = if self.kind == LayerKind::Draft { file.peek.target } else { file.peek.projection };
        Half { words: file.words(), width }
    }

    /// The one that belongs to a model. One in another folder belongs to another model.
    fn of(&mut self, model: &GgufFile) -> Option<(LayerKind, &GgufFile)> {
        let own = Half { words: model.words(), width: model.peek.width };
        let halves: Vec<Half> = self.files.iter().map(|file| self.half(file)).collect();
        for (fits, half) in self.fitting.iter_mut().zip(&halves) {
            *fits |= pairing::fits(&own, half);
        }
        let beside: Vec<usize> = (0..self.files.len())
            .filter(|&index| self.files[index].path.parent() == model.path.parent())
            .collect();
        let halves: Vec<Half> = beside.iter().map(|&index| halves[index].clone()).collect();
        pairing::best(&own, &halves).map(|index| (self.kind, &self.files[beside[index]]))
    }

    /// Those that fit no model.
    fn left_over(&self) -> impl Iterator<Item = &GgufFile> {
        self.files.iter().zip(&self.fitting).filter(|(_, fits)| !**fits).map(|(file, _)| file)
    }
}

/// Makes models of files: each with the projector and the drafter that belong to it. `digest` names a file.
pub(super) fn assemble(
    files: Vec<GgufFile>,
    mut digest: impl FnMut(&Path, Stamp) -> io::Result<Digest>,
) -> Vec<Found> {
    let (projectors, files): (Vec<_>, Vec<_>) =
        files.into_iter().filter(|file| !file.is_later_part()).partition(GgufFile::is_projector);
    let (drafters, models): (Vec<_>, Vec<_>) = files.into_iter().partition(GgufFile::is_drafter);
    let mut found = Vec::new();
    let mut whole = |files: Vec<GgufFile>| {
        let (split, whole): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.split().is_some());
        let broken = |file: &GgufFile| Some(Found::broken(file.entry(), &file.split()?));
        found.extend(split.iter().filter_map(broken));
        whole
    };
    let (projectors, drafters) = (whole(projectors), whole(drafters));
    let mut projectors = Companions::new(LayerKind::Projector, projectors);
    let (drafters, dialects): (Vec<_>, Vec<_>) =
        drafters.into_iter().partition(|file| file.peek.architecture == DRAFTER);
    let mut drafters = Companions::new(LayerKind::Draft, drafters);
    let mut dialects = Companions::new(LayerKind::Draft, dialects);

    for model in models {
        let entry = model.entry();
        if let Some(trouble) = model.trouble() {
            found.push(Found::broken(entry, &trouble));
            continue;
        }
        let projector = projectors.of(&model);
        // Diffusion models draft nothing.
        let drafter = if entry.diffusion {
            None
        } else {
            // Where there is no other, one that the engine can't read goes along: the engine says what is wrong with it.
            let (drafter, dialect) = (drafters.of(&model), dialects.of(&model));
            drafter.or(dialect)
        };
        let parts = [Some((LayerKind::Model, &model)), projector, drafter];
        let blobs: Result<Vec<_>, _> = parts
            .into_iter()
            .flatten()
            .map(|(kind, file)| {
                let digest = digest(&file.path, file.stamp)?;
                Ok((kind, BlobFile { digest, path: file.path.clone(), stamp: file.stamp }.into()))
            })
            .collect();
        found.push(match blobs {
            Ok(blobs) => {
                let peeks = [Some(&model.peek), projector.map(|(_, file)| &file.peek)];
                let capabilities = capabilities(peeks.into_iter().flatten().map(AsRef::as_ref));
                Found::usable(CatalogEntry { capabilities, ..entry }, blobs)
            }
            Err(error) => Found::broken(entry, &Trouble::Unreadable { part: ModelPart::File, error }),
        });
    }
    let alone =
        [(&projectors, Trouble::Projector), (&drafters, Trouble::Drafter), (&dialects, Trouble::Drafter)];
    for (companions, trouble) in &alone {
        found.extend(companions.left_over().map(|file| Found::broken(file.entry(), trouble)));
    }
    found
}

/// An identity for a file that need not be read whole: SHA-256 over its [`Stamp`] and its first and last MiB.
///
/// # Errors
/// When the file cannot be read.
fn identity(path: &Path, stamp: Stamp) -> io::Result<Digest> {
    const MIB: u64 = 1 << 20;
    let since_1970 = stamp.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let mut hasher = Sha256::new();
    hasher.update(stamp.size.to_le_bytes());
    hasher.update(since_1970.map_or(0, |time| time.as_nanos()).to_le_bytes());
    let (number, seconds, nanoseconds) = stamp.record;
    hasher.update(number.to_le_bytes());
    hasher.update(seconds.to_le_bytes());
    hasher.update(nanoseconds.to_le_bytes());
    let mut file = facts::open(path, stamp)?;
    for start in [0, stamp.size.saturating_sub(MIB)] {
        file.seek(SeekFrom::Start(start))?;
        let mut piece = Vec::new();
        file.by_ref().take(MIB).read_to_end(&mut piece)?;
        hasher.update(&piece);
    }
    Ok(Digest::new(Scheme::Gguf, hasher.finalize().into()))
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
