//! The server's command line: `server --help`.

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::Parser as _;
use server::{catalog::Library, config::Config, listen, site::Site};

/// How long running transfers may go on after the program was asked to end. Nobody waits for seven gigabytes.
const LAST_WORDS: Duration = Duration::from_secs(2);

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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gemtab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(config: Config) -> anyhow::Result<()> {
    let site = Site::load(&config.site_root)?;
    let library = Arc::new(Library::new(config.sources()));
    let listener = listen::bind(&config.host, config.port).await?;
    let address = listener.local_addr()?;
    println!("gemtab listens on http://{address}");
    if !address.ip().is_loopback() {
        tracing::warn!("other machines can reach this server; their browsers offer WebGPU over https only");
    }
    // The first list takes longest: it is made before the first visitor asks.
    let first_list = Arc::clone(&library);
    tokio::task::spawn_blocking(move || first_list.report());

    let serve =
        axum::serve(listener, server::router(&site, library)).with_graceful_shutdown(listen::interrupted());
    let deadline = async {
        listen::interrupted().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        served = serve => Ok(served?),
        () = deadline => Ok(()),
    }
}
