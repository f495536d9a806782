//! `cargo xtask load`: compile the server and the readers, fetch nginx and an S3 server, and measure.

use std::process::Command;

use anyhow::{Result, bail};
use clap::Args;

use crate::process::{cargo, run, step};
use crate::{project, serve, setup};

/// Time nginx and the server with 1000 readers and 500 slow ones of a file of 3 GB, in turns on this machine, and print a
/// table.
///
/// Options of a run follow `--`; `cargo xtask load -- --help` lists them. Through an S3 server, which is slow Python: `cargo
/// xtask load -- --targets nginx,folder,bucket --readers 50 --slow 25 --size 67108864`. Linux only.
#[derive(Args)]
pub struct Options {
    /// Options of the run
    #[arg(last = true, value_name = "OPTIONS")]
    run: Vec<String>,
}

/// Prepares, then becomes the program that measures.
pub fn run_it(options: &Options) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("memory and open files are measured on Linux only");
    }
    let (nginx, moto) = (setup::nginx()?, setup::moto()?);
    let server = serve::build_server(true)?;
    step("Compiling the readers", || {
        run(cargo(&project::root()).args(["build", "--locked", "--release", "--package", "load"]))
    })?;
    let mut load = Command::new(project::executable("release", "load"));
    load.arg("--server").arg(server);
    load.arg("--demo").arg(project::root().join("server/models/pebble.gguf"));
    load.arg("--nginx").arg(nginx).arg("--moto").arg(moto);
    serve::become_process(load.args(&options.run))
}
