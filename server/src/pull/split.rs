//! Pulling a split model: its parts, then the file that they make, then a manifest of our own for it.

use std::{
    fs,
    io::{Read as _, Write as _},
};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    Puller,
    error::{PullError, part as wrong_part},
    hub::{self, Part, Split},
    join,
    manifest::{Annotations, Descriptor, File, Manifest},
    progress::{Event, Progress},
    registry::Registry,
    store::{Store, blocking},
    transfer,
};
use crate::{
    catalog::{
        digest::{Digest, Scheme},
        gguf::{PeekError, peek},
        name::Name,
    },
    regular,
};

/// Bytes of a manifest that are read: one of our own has less than a thousand for each file.
const LARGEST_MANIFEST: u64 = 4 << 20;

/// Pulls the parts of a model and joins them.
pub(super) async fn pull(
    puller: &Puller,
    registry: &Registry,
    name: &Name,
    progress: Progress<'_>,
) -> Result<(), PullError> {
    let split = hub::find(registry, name).await?;
    let store = &puller.store;
    let (known, wanted) = (store.clone(), (name.clone(), label(&split)));
    if blocking(move || Ok(is_there(&known, &wanted.0, &wanted.1))).await? {
        progress(Event::Planned { files: 0, bytes: 0 });
        return Ok(());
    }

    let parts: Vec<&Part> = split.parts.iter().chain(&split.projector).collect();
    let files: Vec<File> = parts.iter().map(|part| part.file.clone()).collect();
    let whole = split.parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.file.size));
    // The parts and the whole are there at the same time: until it is, nothing could go on without the parts.
    let missing = puller.plan(files, whole, progress).await?;
    for part in parts.iter().filter(|part| missing.contains(&part.file)) {
        let url = split.url(registry, name, part)?;
        transfer::fetch(registry, url, &part.file, store, puller.retry, progress).await?;
    }

    progress(Event::Joining { parts: split.parts.len(), size: whole });
    let paths = split.parts.iter().map(|part| (part.path.clone(), store.blob(part.file.digest)));
    let (digest, size) = join::join(store, paths.collect()).await?;
    let (store, name) = (store.clone(), name.clone());
    blocking(move || finish(&store, &name, &split, digest, size)).await
}

/// What the joined file is made of.
fn label(split: &Split) -> String {
    let digests = split.parts.iter().map(|part| part.file.digest.to_string());
    digests.collect::<Vec<_>>().join(",")
}

/// Whether an earlier pull has joined the same parts.
fn is_there(store: &Store, name: &Name, label: &str) -> bool {
    let Ok((file, _)) = regular::open_linked(&store.manifest(name)) else { return false };
    let mut text = Vec::new();
    if file.take(LARGEST_MANIFEST).read_to_end(&mut text).is_err() {
        return false;
    }
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else { return false };
    manifest.annotations.is_some_and(|annotations| annotations.parts == label)
        && super::manifest::files(&text, "").is_ok_and(|files| files.iter().all(|file| store.has(file)))
}

/// Writes configuration and manifest, and deletes the parts.
fn finish(store: &Store, name: &Name, split: &Split, digest: Digest, size: u64) -> Result<(), PullError> {
    let model = File { digest, size, kind: "model".into() };
    let opened = regular::open_linked(&store.blob(digest)).map_err(PeekError::from);
    let peek = opened.and_then(|(file, _)| peek(file)).map_err(wrong_part(&split.parts[0].path))?;
    let mut config = json!({
        "model_format": "gguf",
        "model_family": peek.architecture,
        "model_families": [peek.architecture],
        "model_type": peek.size_label,
        "file_type": peek.quantization,
        "os": "linux",
        "architecture": "amd64",
        "rootfs": {"type": "layers", "diff_ids": [digest.to_string()]},
    });
    if peek.architecture == "gemma4" {
        // Ollama's own words for the chat format of these models.
        config["renderer"] = "gemma4".into();
        config["parser"] = "gemma4".into();
    }
    let config = write_config(store, config.to_string().as_bytes())?;
    let mut layers = vec![model];
    layers.extend(split.projector.iter().map(|part| part.file.clone()));
    let descriptor = |file: &File| Descriptor::new(&file.kind, file.digest, file.size);
    let manifest = Manifest {
        version: 2,
        media_type: Some("application/vnd.docker.distribution.manifest.v2+json".into()),
        config: Some(descriptor(&config)),
        layers: layers.iter().map(descriptor).collect(),
        annotations: Some(Annotations { parts: label(split) }),
    };
    let text = serde_json::to_vec(&manifest)
        .map_err(|error| PullError::Disk { path: store.manifest(name), error: error.into() })?;
    layers.push(config);
    store.write_manifest(name, &text, &layers)?;
    for part in &split.parts {
        // One that cannot be deleted is in nobody's way, and Ollama deletes it.
        fs::remove_file(store.blob(part.file.digest)).ok();
    }
    Ok(())
}

fn write_config(store: &Store, text: &[u8]) -> Result<File, PullError> {
    let digest = Digest::new(Scheme::Sha256, Sha256::digest(text).into());
    let path = store.blob(digest);
    let mut file = store.scratch()?;
    file.as_file_mut().write_all(text).map_err(PullError::disk(&path))?;
    file.persist(&path).map_err(|error| PullError::Disk { path, error: error.error })?;
    Ok(File { digest, size: text.len() as u64, kind: "config".into() })
}
