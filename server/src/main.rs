//! The server's command line: `server --help`.

use std::{
    future,
    io::{self, IsTerminal as _},
    net::SocketAddr,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use clap::Parser as _;
use server::{
    bucket::{self, Bucket, Settings},
    config::{Command, Config},
    connections::{self, Endpoint, Limits},
    files,
    health::Health,
    library::Library,
    listen,
    metrics::Metrics,
    pull,
    site::Site,
    tls,
};
use tokio::{runtime::Runtime, sync::Notify};

/// Time for reads and writes of the disk that nobody waits for any more. One that never ends would keep the program for ever.
const LAST_READS: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let config = Config::parse();
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .with_max_level(config.log)
        .init();
    let runtime = match Runtime::new().context("the system gives this program no threads") {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let code = runtime.block_on(run(config));
    runtime.shutdown_timeout(LAST_READS);
    code.unwrap_or_else(|error| failed(&error))
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("gemtab: {error:#}");
    ExitCode::FAILURE
}

async fn run(config: Config) -> anyhow::Result<ExitCode> {
    match &config.command {
        Some(Command::Pull(options)) => return Ok(pull::command::run(options, options.store()?).await?),
        Some(Command::Publish(options)) => {
            bucket::command::run(options).await?;
            return Ok(ExitCode::SUCCESS);
        }
        None => {}
    }
    let site = Site::load(&config.site_root)?;
    let metrics = Metrics::default();
    let bucket = match &config.blobs {
        Some(address) => {
            let settings = Settings::of_environment();
            Some(Bucket::open(address, &settings, config.presign, metrics.store_failures()).await?)
        }
        None => None,
    };
    let library = Arc::new(Library::new(config.sources()).with_bucket(bucket));
    let tls = match (&config.tls_cert, &config.tls_key) {
        (Some(certificate), Some(key)) => Some(tls::acceptor(certificate, key)?),
        _ => None,
    };
    let listener = listen::bind(&config.host, config.port).await?;
    let address = listener.local_addr()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    println!("gemtab listens on {scheme}://{address}");
    if !address.ip().is_loopback() && tls.is_none() {
        tracing::warn!(
            "other machines can reach this server, but their browsers only offer WebGPU over HTTPS"
        );
    }
    let hosts = config.hosts(address.ip());
    // The first list takes longest: it is made before the first visitor asks.
    let first_list = Arc::clone(&library);
    tokio::spawn(async move { first_list.report().await });

    let health = Health::default();
    let mut router =
        server::router(&site, library, hosts, health.clone(), config.pulls(address.ip()), config.relay()?);
    let mut endpoint = Endpoint { tls, ..Endpoint::from(listener) };
    if let Some(address) = config.metrics {
        router = metrics.of(router);
        endpoint.open = metrics.connections();
        serve_metrics(&metrics, &config, address).await?;
    }
    let Config { connections, .. } = config;
    files::allow(connections);
    let shutdown = Duration::from_secs(config.shutdown_timeout.into());
    let ending = Notify::new();
    let stop = async {
        listen::interrupted().await;
        tracing::info!(
            "shutting down: open downloads have {shutdown:?} to finish; press Ctrl-C again to stop at once"
        );
        health.shut_down();
        ending.notify_one();
    };
    let again = async {
        ending.notified().await;
        listen::interrupted().await;
    };
    tokio::select! {
        () = connections::serve(endpoint, router, Limits { connections, shutdown, ..Limits::default() }, stop) => {}
        () = again => tracing::warn!("open downloads were cut off"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the metrics until the program ends.
async fn serve_metrics(metrics: &Metrics, config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    let taken = "the metrics have no port (see --metrics)";
    let listener = listen::bind(&address.ip().to_string(), address.port()).await.context(taken)?;
    let address = listener.local_addr()?;
    println!("metrics are at http://{address}/metrics");
    let router = metrics.router(config.hosts(address.ip()));
    let limits = Limits { connections: 8, ..Limits::default() };
    tokio::spawn(connections::serve(listener, router, limits, future::pending()));
    Ok(())
}
