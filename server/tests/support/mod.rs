//! Hand-made stores and model files.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Writes the header of a GGUF file, and a few bytes as its tensors.
#[derive(Clone, Default)]
pub struct Gguf {
    entries: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
    data: Option<Vec<u8>>,
}

impl Gguf {
    pub fn new(architecture: &str) -> Self {
        Self::default().text("general.architecture", architecture)
    }

    /// A text model of Gemma 4 that a list takes for a good one.
    pub fn gemma4() -> Self {
        Self::new("gemma4").number("general.file_type", 15).number("gemma4.embedding_length", 256)
    }

    /// A metadata entry with the bytes of its value.
    pub fn entry(mut self, key: &str, kind: u32, value: &[u8]) -> Self {
        self.entries.push([&text(key), &kind.to_le_bytes()[..], value].concat());
        self
    }

    pub fn text(self, key: &str, value: &str) -> Self {
        self.entry(key, 8, &text(value))
    }

    pub fn number(self, key: &str, value: u32) -> Self {
        self.entry(key, 4, &value.to_le_bytes())
    }

    pub fn strings(self, key: &str, values: &[&str]) -> Self {
        let mut bytes = 8_u32.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|value| text(value)));
        self.entry(key, 9, &bytes)
    }

    /// A tensor of type F32; its data is at the beginning of the data, whatever its shape says.
    pub fn tensor(self, name: &str, shape: &[u64]) -> Self {
        self.tensor_at(name, shape, 0)
    }

    /// The same, with its data elsewhere.
    pub fn tensor_at(mut self, name: &str, shape: &[u64], offset: u64) -> Self {
        let mut bytes = text(name);
        bytes.extend((shape.len() as u32).to_le_bytes());
        bytes.extend(shape.iter().flat_map(|length| length.to_le_bytes()));
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        self.tensors.push(bytes);
        self
    }

    /// What follows the header.
    pub fn data(self, data: &[u8]) -> Self {
        Self { data: Some(data.into()), ..self }
    }

    /// The file: header, and 32 bytes of data after it unless there are others.
    pub fn build(&self) -> Vec<u8> {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend((self.tensors.len() as u64).to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.entries.concat());
        bytes.extend(self.tensors.concat());
        // Zeros up to the data, as the format asks for.
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        match &self.data {
            Some(data) => bytes.extend(data),
            None => bytes.extend([7; 32]),
        }
        bytes
    }
}

fn text(value: &str) -> Vec<u8> {
    [&(value.len() as u64).to_le_bytes(), value.as_bytes()].concat()
}

/// `sha256:` and the digest of the content.
pub fn digest(content: &[u8]) -> String {
    let hex: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Makes a pipe, which keeps whoever opens it waiting for its other end.
#[cfg(unix)]
pub fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
}

/// A store of Ollama's in a temporary folder.
pub struct Store {
    folder: TempDir,
}

impl Store {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("blobs")).expect("a folder");
        fs::create_dir(folder.path().join("manifests")).expect("a folder");
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn blob_path(&self, digest: &str) -> PathBuf {
        self.path().join("blobs").join(digest.replace(':', "-"))
    }

    /// Stores a blob and gives the layer that names it.
    pub fn layer(&self, kind: &str, content: &[u8]) -> Value {
        let digest = digest(content);
        fs::write(self.blob_path(&digest), content).expect("written");
        json!({
            "mediaType": format!("application/vnd.ollama.image.{kind}"),
            "digest": digest,
            "size": content.len(),
        })
    }

    /// Writes a manifest, whatever it is, at `host/namespace/model/tag`.
    pub fn manifest(&self, path: &str, content: &str) {
        let path = self.path().join("manifests").join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("written");
    }

    /// Writes the manifest of `library/<model>/<tag>` on Ollama's own host.
    pub fn model(&self, model: &str, tag: &str, config: Value, layers: &[Value]) {
        let config = self.layer("config", config.to_string().as_bytes());
        let manifest = json!({"schemaVersion": 2, "config": config, "layers": layers});
        self.manifest(&format!("registry.ollama.ai/library/{model}/{tag}"), &manifest.to_string());
    }

    /// Adds `gemma4:<tag>`, whole and good, and gives its content.
    pub fn gemma4(&self, tag: &str) -> Vec<u8> {
        let content =
            Gguf::gemma4().text("general.name", tag).tensor("token_embd.weight", &[256, 40]).build();
        let config = json!({
            "model_format": "gguf",
            "model_family": "gemma4",
            "model_families": ["gemma4"],
            "model_type": "5.1B",
            "file_type": "Q4_K_M",
            "renderer": "gemma4",
        });
        self.model("gemma4", tag, config, &[self.layer("model", &content)]);
        content
    }

    /// Adds a model of `size` bytes, of which hardly any are on the disk, and gives a request for them.
    pub fn large(&self, size: u64) -> String {
        let mut layer = self.layer("model", &Gguf::gemma4().build());
        layer["size"] = size.into();
        let digest = layer["digest"].as_str().expect("a digest").to_owned();
        let file = fs::File::options().write(true).open(self.blob_path(&digest)).expect("the blob");
        file.set_len(size).expect("a sparse file");
        self.model("gemma4", "large", json!({}), &[layer]);
        format!("GET /api/blobs/{} HTTP/1.1\r\nHost: localhost\r\n\r\n", digest.replace(':', "-"))
    }
}
