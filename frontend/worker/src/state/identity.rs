//! What the files of a model are, so that nothing that was computed with them is taken for another's.

use std::cell::Cell;
use std::rc::Rc;

use engine::bytes::ByteSource;
use engine::media::ContentHash;
use protocol::{LayerKind, ModelSource};

/// Places of a file of the user's that are compared: a digest of all of it would take as long as a load.
const SAMPLES: u64 = 64;
/// Bytes at each.
const SAMPLE: u64 = 4096;

/// What the files of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A digest of them.
    Known(ContentHash),
    /// Files of the user's, which were not compared yet.
    Local,
    /// Nothing identifies them.
    None,
}

impl Identity {
    /// By the digests of the server's files, as far as they say what the model computes.
    pub fn new(source: &ModelSource) -> Self {
        let ModelSource::Server { layers, .. } = source else { return Self::Local };
        let mut all = Vec::new();
        let mut has_model = false;
        for layer in layers {
            let kind = match layer.kind {
                LayerKind::Model => b'm',
                LayerKind::Projector => b'p',
                _ => continue,
            };
            // Of a file outside Ollama's store it is no checksum, but it changes when the file does.
            if layer.digest.is_empty() {
                return Self::None;
            }
            has_model |= layer.kind == LayerKind::Model;
            all.push(kind);
            all.extend(layer.digest.as_bytes());
        }
        if has_model { Self::Known(ContentHash::of(&all, &[])) } else { Self::None }
    }
}

/// Returns the identity of a model with these files, once they were compared; `None` if nothing identifies it.
pub async fn of(identity: &Cell<Identity>, files: [Option<&Rc<dyn ByteSource>>; 2]) -> Option<ContentHash> {
    if identity.get() == Identity::Local {
        let found = sampled(files.into_iter().flatten().map(|file| &**file)).await;
        identity.set(found.map_or(Identity::None, Identity::Known));
    }
    match identity.get() {
        Identity::Known(identity) => Some(identity),
        Identity::Local | Identity::None => None,
    }
}

/// A digest of samples of files; `None` if they cannot be read.
async fn sampled<'f>(files: impl Iterator<Item = &'f dyn ByteSource>) -> Option<ContentHash> {
    let mut all = Vec::new();
    for file in files {
        let len = file.len();
        all.extend(len.to_le_bytes());
        let last = len.saturating_sub(SAMPLE);
        for sample in 0..SAMPLES {
            let start = (u128::from(last) * u128::from(sample) / u128::from(SAMPLES - 1)) as u64;
            let bytes = file.read(start..len.min(start + SAMPLE)).await.ok()?;
            all.extend(bytes.to_vec());
        }
    }
    Some(ContentHash::of(&all, &[]))
}

#[cfg(test)]
mod tests {
    use engine::bytes::MemorySource;
    use futures_util::FutureExt as _;
    use protocol::Layer;

    use super::*;

    #[test]
    fn files_of_a_server_are_what_their_digests_say() {
        let layer = |kind, digit: char| Layer {
            kind,
            digest: format!("sha256:{}", digit.to_string().repeat(64)),
            size: 1,
            url: String::new(),
        };
        let identity = |layers: &[Layer]| {
            Identity::new(&ModelSource::Server { name: "a".into(), layers: layers.to_vec() })
        };
        let model = layer(LayerKind::Model, '1');
        let plain = identity(std::slice::from_ref(&model));
        assert!(matches!(plain, Identity::Known(_)));
        assert_ne!(identity(&[layer(LayerKind::Model, '2')]), plain);
        assert_ne!(identity(&[model.clone(), layer(LayerKind::Projector, '2')]), plain);
        assert_eq!(
            identity(&[model.clone(), layer(LayerKind::Adapter, '2')]),
            plain,
            "those have keys of their own"
        );
        assert_eq!(identity(&[Layer { digest: String::new(), ..model }]), Identity::None);
        assert_eq!(identity(&[]), Identity::None);
    }

    #[test]
    fn files_of_the_user_differ_by_length_and_content() {
        let digest = |bytes: Vec<u8>| {
            let file = MemorySource::new(bytes);
            sampled([&file as &dyn ByteSource].into_iter()).now_or_never().expect("memory does not wait")
        };
        let bytes = vec![7; 1 << 20];
        let plain = digest(bytes.clone());
        assert!(plain.is_some());
        assert_ne!(digest(bytes[1..].to_vec()), plain);
        for at in [0, 1 << 19, bytes.len() - 1] {
            // A file that was trained further differs in many places.
            let mut other = bytes.clone();
            other[at..].iter_mut().take(1 << 15).for_each(|byte| *byte ^= 1);
            assert_ne!(digest(other), plain, "{at}");
        }
        assert!(digest(Vec::new()).is_some());
    }
}
