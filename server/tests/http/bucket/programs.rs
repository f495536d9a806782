//! Programs of others that tests run: `moto_server`, which is S3 in Python, and `nginx`.
//!
//! `cargo xtask test` fetches both into the cache where it can. Where one is missing, its tests say so and test nothing.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A program that runs until it is dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The program of this name: one that is installed, or the one in the cache at `cached`.
pub fn find(name: &str, cached: &str) -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let cache =
        set("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(Path::new(&set("HOME")?).join(".cache")));
    let installed = env::split_paths(&set("PATH").unwrap_or_default()).collect::<Vec<_>>();
    let mut folders = installed.into_iter().chain(["/usr/sbin".into()]).map(|folder| folder.join(name));
    let found = folders.find(|path| path.is_file());
    found.or_else(|| Some(cache?.join("gemtab").join(cached))).filter(|path| path.is_file())
}

/// Says that a test was not run: past the runner, which keeps what passing tests print to itself.
pub fn skipped(program: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    writeln!(std::io::stderr(), "SKIPPED {test}: {program} is missing; `cargo xtask test` fetches it").ok();
}

/// S3, empty at first.
pub struct Moto {
    _process: Running,
    /// `http://127.0.0.1:port`
    pub endpoint: String,
}

impl Moto {
    /// Starts it, and waits until it listens. With `checks`, it knows no credentials.
    pub fn start(checks: bool) -> Option<Self> {
        let Some(program) = find("moto_server", "moto-5.2.5/bin/moto_server") else {
            skipped("moto_server");
            return None;
        };
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--port", "0"]).stdout(Stdio::null()).stderr(Stdio::piped());
        if checks {
            command.env("INITIAL_NO_AUTH_ACTION_COUNT", "0");
        }
        let mut process = command.spawn().expect("moto_server");
        let log = BufReader::new(process.stderr.take().expect("its log"));
        let mut lines = log.lines().map_while(Result::ok);
        let endpoint = lines
            .find_map(|line| Some(line.split_once("Running on ")?.1.trim().to_owned()))
            .expect("a line that says where it listens");
        // Who does not read its log stops it at some point.
        std::thread::spawn(move || lines.count());
        Some(Self { _process: Running(process), endpoint })
    }

    /// Makes a bucket.
    pub async fn bucket(&self, name: &str) {
        let made = client().put(format!("{}/{name}", self.endpoint)).send().await.expect("an answer");
        assert_eq!(made.status(), 200);
    }

    pub fn settings(&self) -> [(&str, &str); 5] {
        [
            ("AWS_ENDPOINT_URL", &self.endpoint),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ]
    }
}

/// A client of programs on this machine.
pub fn client() -> reqwest::Client {
    rustls::crypto::ring::default_provider().install_default().ok();
    let none = reqwest::redirect::Policy::none();
    reqwest::Client::builder().no_proxy().redirect(none).build().expect("a client")
}
