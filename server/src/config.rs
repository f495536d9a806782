//! Options of the command line and the environment.

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::{Parser, Subcommand};

use crate::{
    bucket::command::PublishOptions,
    catalog::Source,
    connections::Limits,
    host::{Host, Hosts},
    pull::{Puller, api::Pulls, command::PullOptions},
    relay::{self, Allowed, Relay},
};

/// Gemma 4 in a browser tab: serves the page and the models on this machine.
#[derive(Clone, Debug, Parser)]
#[command(name = "gemtab", version, args_conflicts_with_subcommands = true)]
pub struct Config {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Address to listen on. Use 0.0.0.0 to accept other machines; their browsers need HTTPS for WebGPU.
    #[arg(long, env = "GEMTAB_HOST", default_value = "127.0.0.1")]
    pub host: String,

    /// Port to listen on; 0 picks a free one.
    #[arg(long, env = "GEMTAB_PORT", default_value_t = 3000)]
    pub port: u16,

    /// Host name that browsers may use for this server besides localhost: the one a proxy forwards, or this machine's own.
    /// Can be given more than once.
    #[arg(long, env = "GEMTAB_ALLOW_HOST", value_name = "NAME", value_delimiter = ',')]
    pub allow_host: Vec<Host>,

    /// PEM file with the HTTPS certificate, followed by its chain. Browsers then use HTTP/2.
    #[arg(long, env = "GEMTAB_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// PEM file with the certificate's private key, without a password.
    #[arg(long, env = "GEMTAB_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Folder with the built page.
    #[arg(long, env = "GEMTAB_SITE_ROOT", value_name = "DIR", default_value = "target/site")]
    pub site_root: PathBuf,

    /// Ollama's model folder, if it isn't in the usual place.
    #[arg(long, env = "OLLAMA_MODELS", value_name = "DIR")]
    pub ollama_models: Option<PathBuf>,

    /// Don't list Ollama's models.
    #[arg(long)]
    pub no_ollama: bool,

    /// Folder with .gguf files. Can be given more than once.
    #[arg(long, env = "GEMTAB_MODELS", value_name = "DIR")]
    pub models: Vec<PathBuf>,

    /// Object store with models that `server publish` put there: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX,
    /// az://CONTAINER/PREFIX or file:///FOLDER. Credentials come from the environment, such as AWS_ACCESS_KEY_ID and
    /// AWS_SECRET_ACCESS_KEY, or GOOGLE_APPLICATION_CREDENTIALS.
    #[arg(long, env = "GEMTAB_BLOBS", value_name = "URL")]
    pub blobs: Option<String>,

    /// Send browsers to signed addresses of the object store instead of passing its files on. The store must allow it (CORS).
    #[arg(long, env = "GEMTAB_PRESIGN", requires = "blobs")]
    pub presign: bool,

    /// Folder with the built-in demo model.
    #[arg(long, env = "GEMTAB_BUILTIN", value_name = "DIR")]
    pub builtin: Option<PathBuf>,

    /// Serve metrics for Prometheus at /metrics on this address and port, such as 127.0.0.1:9464. Anyone who can reach it
    /// can read them. Off by default.
    #[arg(long, env = "GEMTAB_METRICS", value_name = "ADDRESS:PORT")]
    pub metrics: Option<SocketAddr>,

    /// Let visitors from other machines download models to this one. Without it, only browsers on this machine may: not if
    /// --allow-host is given, and not through a proxy that sets X-Forwarded-For.
    #[arg(long, env = "GEMTAB_ALLOW_PULL", conflicts_with = "no_ollama")]
    pub allow_pull: bool,

    /// Another registry that the page may download from, besides Ollama's and Hugging Face. Can be given more than once.
    #[arg(long, env = "GEMTAB_PULL_FROM", value_name = "HOST[:PORT]", value_delimiter = ',')]
    pub pull_from: Vec<String>,

    /// Host whose tools the page may use through this server, which passes its requests on (Model Context Protocol). Whoever
    /// reaches this server can send requests to it. Over HTTPS, unless it is on this machine. A name that leads to a private
    /// address needs `private:` before it. Can be given more than once. Off by default.
    #[arg(long, env = "GEMTAB_ALLOW_MCP", value_name = "HOST[:PORT]", value_delimiter = ',')]
    pub allow_mcp: Vec<Allowed>,

    /// Connections at once; further ones wait. Each may take 448 KiB of memory and two open files.
    #[arg(long, env = "GEMTAB_CONNECTIONS", value_name = "NUMBER", default_value_t = Limits::default().connections)]
    pub connections: usize,

    /// How long open downloads may take to finish when the server is stopped, in seconds.
    #[arg(long, env = "GEMTAB_SHUTDOWN_TIMEOUT", value_name = "SECONDS", default_value_t = 30)]
    pub shutdown_timeout: u32,

    /// What to log to stderr: error, warn, info, debug (includes every request) or trace.
    #[arg(long, env = "GEMTAB_LOG", value_name = "LEVEL", default_value = "info")]
    pub log: tracing::Level,
}

/// What the program does instead of serving.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    #[expect(missing_docs, reason = "its options have the text that `--help` shows")]
    Pull(PullOptions),
    #[expect(missing_docs, reason = "its options have the text that `--help` shows")]
    Publish(PublishOptions),
}

impl Config {
    /// The hosts that requests may name, for a server that listens on `address`.
    #[must_use]
    pub fn hosts(&self, address: IpAddr) -> Hosts {
        Hosts::new(address, self.allow_host.iter().cloned().chain(self.host.parse()))
    }

    /// Downloads on visitors' requests, for a server that listens on `address`.
    #[must_use]
    pub fn pulls(&self, address: IpAddr) -> Pulls {
        let is_local = address.is_loopback() && self.allow_host.is_empty();
        let may = !self.no_ollama && (is_local || self.allow_pull);
        match store(self.ollama_models.as_ref()).filter(|_| may) {
            Some(folder) => {
                Pulls::into(Puller::new(&folder), folder, self.pull_from.clone()).forwarded(self.allow_pull)
            }
            None => Pulls::default(),
        }
    }

    /// Passing requests on to the hosts that are named.
    ///
    /// # Errors
    /// When this machine has no certificates to check others by.
    pub fn relay(&self) -> anyhow::Result<Relay> {
        let relay = Relay::to(&self.allow_mcp, relay::Limits::default());
        relay.context("requests can't be passed on (see --allow-mcp)")
    }

    /// Where models are looked for, in this order.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let ollama = match not_empty(self.ollama_models.as_ref()) {
            _ if self.no_ollama => Vec::new(),
            Some(folder) => vec![folder],
            None => ollama_folders(std::env::home_dir().as_deref()),
        };
        let builtin = self.builtin.clone().or_else(builtin_folder);
        ollama
            .into_iter()
            .map(Source::Ollama)
            .chain(self.models.iter().cloned().map(Source::Folder))
            .chain(builtin.map(Source::Builtin))
            .collect()
    }
}

impl PullOptions {
    /// The store that models are pulled into: the one that is named, else that of this account.
    ///
    /// # Errors
    /// When none is named and this account has no home.
    pub fn store(&self) -> anyhow::Result<PathBuf> {
        store(self.ollama_models.as_ref())
            .context("this account has no home folder. Name Ollama's model folder with --ollama-models DIR")
    }
}

/// The store that models are pulled into: the one that is named, else that of this account.
fn store(named: Option<&PathBuf>) -> Option<PathBuf> {
    not_empty(named).or_else(|| std::env::home_dir().as_deref().map(own_store))
}

/// The folder that is named. An empty variable is as good as none.
fn not_empty(named: Option<&PathBuf>) -> Option<PathBuf> {
    named.filter(|folder| !folder.as_os_str().is_empty()).cloned()
}

fn own_store(home: &Path) -> PathBuf {
    home.join(".ollama").join("models")
}

/// Where Ollama keeps models unless told otherwise: in the account's home and, on Linux, in that of its own service.
fn ollama_folders(home: Option<&Path>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = home.map(own_store).into_iter().collect();
    if cfg!(target_os = "linux") {
        let service = PathBuf::from("/usr/share/ollama/.ollama/models");
        if !folders.contains(&service) {
            folders.push(service);
        }
    }
    folders
}

/// `server/models` of the checkout that this program was built from, else `models` beside the program.
fn builtin_folder() -> Option<PathBuf> {
    let in_checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    if in_checkout.is_dir() {
        return Some(in_checkout);
    }
    let beside = std::env::current_exe().ok()?.parent()?.join("models");
    beside.is_dir().then_some(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Config {
        Config::try_parse_from([&["gemtab"], arguments].concat()).expect("valid arguments")
    }

    #[test]
    fn the_definition_is_consistent() {
        <Config as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn folders_that_are_named_take_the_place_of_the_usual_ones() {
        let config =
            parse(&["--ollama-models", "/store", "--models", "/a", "--models", "/b", "--builtin", "/demo"]);
        let expected = [
            Source::Ollama("/store".into()),
            Source::Folder("/a".into()),
            Source::Folder("/b".into()),
            Source::Builtin("/demo".into()),
        ];
        assert_eq!(config.sources(), expected);
        let config = Config { no_ollama: true, ..config };
        assert_eq!(config.sources(), expected[1..]);
    }

    #[test]
    fn only_hosts_are_allowed_as_hosts() {
        let config = parse(&["--allow-host", "Chat.example.org", "--allow-host", "a,b"]);
        let names = ["chat.example.org", "a", "b"].map(|name| Host::Name(name.into()));
        assert_eq!(config.allow_host, names);
        for wrong in ["http://chat.example.org", "chat.example.org:443", "*", ""] {
            assert!(Config::try_parse_from(["gemtab", "--allow-host", wrong]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn certificate_and_key_come_together() {
        let config = parse(&["--tls-cert", "/c.pem", "--tls-key", "/k.pem"]);
        assert_eq!((config.tls_cert, config.tls_key), (Some("/c.pem".into()), Some("/k.pem".into())));
        for alone in ["--tls-cert", "--tls-key"] {
            assert!(Config::try_parse_from(["gemtab", alone, "/x.pem"]).is_err(), "{alone}");
        }
    }

    #[test]
    fn an_empty_variable_is_as_good_as_none() {
        let config = Config { ollama_models: Some(PathBuf::new()), ..parse(&[]) };
        assert!(!config.sources().contains(&Source::Ollama(PathBuf::new())));
    }

    #[test]
    fn pulling_takes_its_own_options() {
        let config = parse(&["pull", "gemma4:e2b", "--ollama-models", "/store", "--insecure"]);
        let Some(Command::Pull(options)) = config.command else { panic!("a command: {config:?}") };
        assert_eq!((options.name.to_string().as_str(), options.insecure), ("gemma4:e2b", true));
        assert_eq!(options.store().expect("the named one"), Path::new("/store"));
        let options = PullOptions { ollama_models: Some(PathBuf::new()), ..options };
        assert!(options.store().is_ok_and(|folder| folder.ends_with(".ollama/models")));
        assert!(Config::try_parse_from(["gemtab", "--port", "1", "pull", "gemma4"]).is_err());
    }

    #[test]
    fn only_this_machine_may_have_models_downloaded_unless_it_is_allowed() {
        let may = |arguments: &[&str], address: [u8; 4]| {
            let config = parse(&[&["--ollama-models", "/store"], arguments].concat());
            config.pulls(address.into()).is_offered()
        };
        assert!(may(&[], [127, 0, 0, 1]));
        assert!(!may(&[], [0, 0, 0, 0]));
        assert!(!may(&["--allow-host", "chat.example.org"], [127, 0, 0, 1]), "a proxy is in front");
        assert!(!may(&["--no-ollama"], [127, 0, 0, 1]));
        assert!(may(&["--allow-pull"], [0, 0, 0, 0]));
        assert!(may(&["--allow-pull", "--allow-host", "chat.example.org"], [127, 0, 0, 1]));
    }

    #[test]
    fn the_usual_folders() {
        let home = ollama_folders(Some(Path::new("/home/ada")));
        assert_eq!(home.first(), Some(&PathBuf::from("/home/ada/.ollama/models")));
        assert_eq!(cfg!(target_os = "linux"), home.len() == 2);
        let service = ollama_folders(Some(Path::new("/usr/share/ollama")));
        assert_eq!(service.len(), 1);
    }

    #[test]
    fn the_demonstration_model_is_found_in_a_checkout() {
        assert!(builtin_folder().is_some_and(|folder| folder.ends_with("server/models")));
    }
}
