//! The server's command line: `server --help`.

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::Parser as _;
use server::{
    catalog::Library,
    config::{Command, Config},
    connections::{self, Limits},
    listen, pull,
    site::Site,
};
use tokio::sync::Notify;

#[tokio::main]
async fn main() -> ExitCode {
    let config = Config::parse();
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .with_max_level(config.log)
        .init();
    match run(config).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("gemtab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> anyhow::Result<ExitCode> {
    if let Some(Command::Pull(options)) = &config.command {
        return Ok(pull::command::run(options, options.store()?).await?);
    }
    let site = Site::load(&config.site_root)?;
    let library = Arc::new(Library::new(config.sources()));
    let listener = listen::bind(&config.host, config.port).await?;
    let address = listener.local_addr()?;
    println!("gemtab listens on http://{address}");
    if !address.ip().is_loopback() {
        tracing::warn!(
            "other machines can reach this server, but their browsers only offer WebGPU over HTTPS"
        );
    }
    let hosts = config.hosts(address.ip());
    // The first list takes longest: it is made before the first visitor asks.
    let first_list = Arc::clone(&library);
    tokio::spawn(async move { first_list.report().await });

    let router = server::router(&site, library, hosts);
    let farewell = Duration::from_secs(config.shutdown_timeout.into());
    let ending = Notify::new();
    let stop = async {
        listen::interrupted().await;
        tracing::info!("no new connections; open downloads have {farewell:?}. Ask again to end at once");
        ending.notify_one();
    };
    let again = async {
        ending.notified().await;
        listen::interrupted().await;
    };
    tokio::select! {
        () = connections::serve(listener, router, Limits { farewell, ..Limits::default() }, stop) => {}
        () = again => tracing::warn!("open downloads were cut off"),
    }
    Ok(ExitCode::SUCCESS)
}
