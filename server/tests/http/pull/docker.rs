//! The registry of the Docker project, as Debian packages it.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use super::Model;
use crate::support::digest;

/// A registry that runs until it is dropped.
pub struct Registry {
    process: Child,
    folder: TempDir,
    /// Host and port.
    pub address: String,
}

impl Registry {
    /// Starts it, and waits until it listens.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("config.yml");
        let root = folder.path().join("data");
        let text = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: 127.0.0.1:0\n  secret: none\n",
            root.display()
        );
        fs::write(&config, text).expect("written");
        let mut process = Command::new("docker-registry")
            .arg("serve")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("docker-registry must be installed: `cargo xtask test` does so, or `apt-get install docker-registry`");
        let log = BufReader::new(process.stderr.take().expect("its log"));
        let mut lines = log.lines().map_while(Result::ok);
        let address = lines
            .find_map(|line| Some(line.split_once("listening on ")?.1.split_once('"')?.0.to_owned()))
            .expect("a line that says where it listens");
        // Who does not read its log stops it at some point.
        std::thread::spawn(move || lines.count());
        Self { process, folder, address }
    }

    /// Uploads a model as `library/tiny:latest`.
    pub async fn push(&self, model: &Model) {
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let base = format!("http://{}/v2/library/tiny", self.address);
        for content in model.blobs() {
            let begun = client.post(format!("{base}/blobs/uploads/")).send().await.expect("an answer");
            assert_eq!(begun.status(), 202);
            let place = begun.headers()["location"].to_str().expect("an address");
            let mut url = reqwest::Url::parse(place).expect("an address");
            url.query_pairs_mut().append_pair("digest", &digest(content));
            let done = client.put(url).body(content.to_vec()).send().await.expect("an answer");
            assert_eq!(done.status(), 201);
        }
        let manifest = model.manifest();
        let kind = manifest["mediaType"].as_str().expect("a type").to_owned();
        let put = client.put(format!("{base}/manifests/latest")).header("content-type", kind);
        let done = put.body(manifest.to_string()).send().await.expect("an answer");
        assert_eq!(done.status(), 201, "{:?}", done.text().await);
    }

    /// Changes one byte of a blob where the registry keeps it.
    pub fn damage(&self, content: &[u8]) {
        let digest = digest(content);
        let digits = digest.trim_start_matches("sha256:");
        let path = format!("data/docker/registry/v2/blobs/sha256/{}/{digits}/data", &digits[..2]);
        let mut bytes = content.to_vec();
        bytes[content.len() / 2] ^= 1;
        fs::write(self.folder.path().join(path), bytes).expect("written");
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
