//! `cargo xtask serve`: build what is out of date, then become the server.

use std::ffi::OsString;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::process::{self, cargo, step};
use crate::{project, site};

/// Build what is out of date, print the address, and serve the page until Ctrl+C.
///
/// The page lists the models in Ollama's folder, those in every --models folder, and the built-in demo. They are never
/// changed; the page can download others into Ollama's folder. Only this machine can reach the server unless you set
/// --host. Browsers offer WebGPU only on localhost and over HTTPS, so to serve others, put an HTTPS proxy in front.
#[derive(Args)]
pub struct Options {
    /// Open the page in the default browser once the server is up
    #[arg(long)]
    open: bool,
    /// The address to listen on; 0.0.0.0 accepts other machines
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// A host name that browsers may use besides localhost: the one a proxy forwards, or this machine's own; can be given
    /// more than once
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// The port to listen on
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Ollama's model folder, if it isn't the usual one or the one in OLLAMA_MODELS
    #[arg(long, value_name = "DIR")]
    ollama_models: Option<PathBuf>,
    /// Another folder with .gguf files; can be given more than once
    #[arg(long, value_name = "DIR")]
    models: Vec<PathBuf>,
    /// Let visitors from other machines download models to this one, too
    #[arg(long)]
    allow_pull: bool,
    /// Another registry that the page may download from, besides Ollama's and Hugging Face; can be given more than once
    #[arg(long, value_name = "HOST[:PORT]")]
    pull_from: Vec<String>,
    /// Host whose tools the page may use through the server (MCP); `private:` before a name that leads to a private address; can
    /// be given more than once
    #[arg(long, value_name = "HOST[:PORT]")]
    allow_mcp: Vec<String>,
    /// Compile the server with optimizations: slower to build, for a server that stays up
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    site: site::Options,
}

/// Waits until the server answers, then opens the page: a process of its own, because `serve` becomes the server.
#[derive(Args)]
pub struct OpenWhenReady {
    /// `HOST:PORT`.
    address: String,
}

/// Builds and serves. Returns only when something failed, or when the server has ended.
pub fn run(options: &Options) -> Result<()> {
    let site = site::build(&options.site)?;
    let server = build_server(options.release)?;
    if options.open {
        let address = format!("{}:{}", reachable(&options.host), options.port);
        let helper = std::env::current_exe().context("cannot find this program")?;
        Command::new(helper).args(["open-when-ready", &address]).spawn().context("cannot open a browser")?;
    }
    let mut command = Command::new(server);
    command.args(server_arguments(options, &site));
    become_process(&mut command)
}

/// Compiles the server and returns the path of its executable.
pub fn build_server(release: bool) -> Result<PathBuf> {
    step("Compiling the server", || {
        let mut build = cargo(&project::root());
        build.args(["build", "--locked", "--package", "server"]);
        if release {
            build.arg("--release");
        }
        process::run(&mut build)?;
        Ok(project::executable(if release { "release" } else { "debug" }, "server"))
    })
}

/// Opens the page in the default browser.
pub fn open_when_ready(options: &OpenWhenReady) -> Result<()> {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        if TcpStream::connect(&options.address).is_ok() {
            let url = format!("http://{}/", options.address);
            let mut opener = match std::env::consts::OS {
                "macos" => Command::new("open"),
                "windows" => Command::new("explorer"),
                _ => Command::new("xdg-open"),
            };
            return process::run(opener.arg(url));
        }
        sleep(Duration::from_millis(100));
    }
    bail!("the server does not answer at {}", options.address)
}

fn server_arguments(options: &Options, site: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["--host".into(), options.host.clone().into()];
    arguments.extend(["--port".into(), options.port.to_string().into()]);
    arguments.extend(["--site-root".into(), site.into()]);
    for name in &options.allow_host {
        arguments.extend(["--allow-host".into(), name.into()]);
    }
    if let Some(folder) = &options.ollama_models {
        arguments.extend(["--ollama-models".into(), folder.into()]);
    }
    if options.allow_pull {
        arguments.push("--allow-pull".into());
    }
    for registry in &options.pull_from {
        arguments.extend(["--pull-from".into(), registry.into()]);
    }
    for host in &options.allow_mcp {
        arguments.extend(["--allow-mcp".into(), host.into()]);
    }
    for folder in &options.models {
        arguments.extend(["--models".into(), folder.into()]);
    }
    arguments
}

/// Where a browser on this machine reaches a server that listens on `host`.
fn reachable(host: &str) -> String {
    match host {
        "0.0.0.0" | "::" => "localhost".to_owned(),
        host if host.contains(':') => format!("[{host}]"),
        host => host.to_owned(),
    }
}

/// Replaces this process, so that a signal sent to it reaches the server.
#[cfg(unix)]
pub fn become_process(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;

    Err(command.exec()).with_context(|| format!("cannot start {}", process::line(command)))
}

/// Runs to the end of the program: this system cannot replace a process.
#[cfg(not(unix))]
pub fn become_process(command: &mut Command) -> Result<()> {
    process::run(command)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn options_reach_the_server() {
        let line = Line::try_parse_from([
            "serve",
            "--host=0.0.0.0",
            "--port=80",
            "--models=a",
            "--models=b",
            "--ollama-models=c",
            "--allow-host=chat.example.org",
            "--allow-host=chat",
        ])
        .expect("these are its options");
        let arguments = server_arguments(&line.options, Path::new("site"));
        let text: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        assert_eq!(text[..4], ["--host", "0.0.0.0", "--port", "80"]);
        assert_eq!(text[4..6], ["--site-root", "site"]);
        assert_eq!(text[6..10], ["--allow-host", "chat.example.org", "--allow-host", "chat"]);
        assert_eq!(text[10..], ["--ollama-models", "c", "--models", "a", "--models", "b"]);
    }

    #[test]
    fn an_open_address_is_reached_at_this_machine() {
        assert_eq!(reachable("0.0.0.0"), "localhost");
        assert_eq!(reachable("::1"), "[::1]");
        assert_eq!(reachable("10.0.0.7"), "10.0.0.7");
    }
}
