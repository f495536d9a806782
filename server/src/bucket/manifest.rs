//! `catalog.json`: the list of models in a store. Whoever may write to the store wrote it, so nothing in it is trusted.

use protocol::{Catalog, CatalogEntry, LayerKind};

use crate::{
    catalog::{Blob, BlobObject, Found, digest::Digest},
    text::shorten,
};

/// The name of the list.
pub const MANIFEST: &str = "catalog.json";

/// Bytes of the list.
pub(super) const LARGEST: u64 = 8 << 20;

/// Files of a model.
const MAX_LAYERS: usize = 32;

/// Bytes of a file: the most that S3 stores.
const LARGEST_FILE: u64 = 5 << 40;

/// The models of a list.
///
/// # Errors
/// With what is wrong: a list is used as a whole or not at all.
pub(super) fn read(text: &[u8]) -> Result<Vec<Found>, String> {
    let catalog: Catalog = serde_json::from_slice(text).map_err(|error| shorten(&error.to_string()))?;
    catalog.models.into_iter().map(model).collect()
}

fn model(entry: CatalogEntry) -> Result<Found, String> {
    let wrong = |reason: &str| format!("“{}” {reason}", shorten(&entry.name));
    if entry.name.is_empty() {
        return Err("a model has no name".into());
    }
    if entry.broken.is_some() {
        return Err(wrong("can't be used"));
    }
    if entry.layers.len() > MAX_LAYERS {
        return Err(wrong("has too many files"));
    }
    if entry.layers.iter().filter(|layer| layer.kind == LayerKind::Model).count() != 1 {
        return Err(wrong("must have one model file"));
    }
    let files = entry.layers.iter().map(|layer| {
        let digest: Digest = layer.digest.parse().map_err(|_| wrong("has a file without a digest"))?;
        if !digest.is_sha256() {
            return Err(wrong("has a file whose digest isn't a SHA-256"));
        }
        if !(1..=LARGEST_FILE).contains(&layer.size) {
            return Err(wrong("has a file of an impossible size"));
        }
        Ok((layer.kind, Blob::Object(BlobObject { digest, size: layer.size })))
    });
    let files: Vec<_> = files.collect::<Result<_, _>>()?;
    // Addresses and sums are made anew.
    Ok(Found::usable(entry, files))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn list() -> Value {
        let digest = format!("sha256:{}", "a".repeat(64));
        let layer = json!({"kind": "model", "digest": digest, "size": 10, "url": "https://evil.example/"});
        let entry = CatalogEntry { name: "m".into(), size: 1 << 60, ..CatalogEntry::default() };
        let mut model = serde_json::to_value(entry).expect("JSON");
        model["layers"] = json!([layer]);
        json!({"models": [model], "searched": [{"folder": "/etc", "problem": null}]})
    }

    fn read(list: &Value) -> Result<Vec<Found>, String> {
        super::read(list.to_string().as_bytes())
    }

    #[test]
    fn addresses_and_sums_are_made_anew() {
        let models = read(&list()).expect("a list");
        let [Found { entry, blobs }] = &models[..] else { panic!("one model: {models:?}") };
        assert_eq!(entry.layers[0].url, format!("/api/blobs/sha256-{}", "a".repeat(64)));
        assert_eq!((entry.size, entry.digest.as_str()), (10, entry.layers[0].digest.as_str()));
        assert_eq!(blobs.len(), 1);
    }

    #[test]
    fn a_wrong_list_is_refused_with_the_reason() {
        for (place, value, reason) in [
            ("/models/0/name", json!(""), "no name"),
            ("/models/0/layers", json!([]), "one model file"),
            ("/models/0/layers/0/digest", json!("../../etc/passwd"), "without a digest"),
            ("/models/0/layers/0/digest", json!(format!("gguf:{}", "a".repeat(64))), "SHA-256"),
            ("/models/0/layers/0/size", json!(0), "size"),
            ("/models/0/layers/0/size", json!(u64::MAX), "size"),
            ("/models/0/layers/0/size", json!(-1), "invalid"),
            ("/models/0/layers/0/kind", json!("projector"), "one model file"),
            ("/models/0/layers/0/kind", json!("virus"), "unknown variant"),
            ("/models/0/broken", json!({"code": null, "english": "no"}), "can't be used"),
            ("/models", json!({}), "invalid"),
        ] {
            let mut list = list();
            *list.pointer_mut(place).expect(place) = value;
            let error = read(&list).expect_err(place);
            assert!(error.contains(reason), "{place}: {error}");
        }
        let mut long = list();
        long["models"][0]["name"] = "x".repeat(100_000).into();
        long["models"][0]["layers"] = json!([]);
        assert!(read(&long).expect_err("no file").len() < 400, "what is said of a name is short");
        let mut many = list();
        let layer = many["models"][0]["layers"][0].clone();
        many["models"][0]["layers"] = vec![layer; MAX_LAYERS + 1].into();
        assert!(read(&many).expect_err("too many").contains("too many"));
    }

    #[test]
    fn no_list_does_harm() {
        let corpus = [list().to_string().into_bytes(), br#"{"models":[],"searched":[]}"#.to_vec()];
        crate::fuzz::fuzz("store-manifest", &corpus, |bytes| {
            let Ok(models) = super::read(bytes) else { return false };
            for Found { entry, blobs } in &models {
                assert!(entry.broken.is_none() && blobs.iter().all(|blob| blob.digest().is_sha256()));
            }
            true
        });
    }
}
