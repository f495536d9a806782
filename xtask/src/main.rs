//! `cargo xtask`: set-up, build, serve and test, one command each.
//!
//! This crate is the first thing a newcomer waits for, so it stays small: what is slow to compile lives in `glue`, and
//! compression is left to Node, which `wasm-opt` and Playwright need anyway.

mod adopt;
mod bench;
mod load;
mod process;
mod project;
mod pull;
mod serve;
mod setup;
mod site;
mod size;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Build, serve, test and benchmark gemtab. Each command installs what it needs and skips what is up to date.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Options),
    Pull(pull::Options),
    Build(site::Options),
    Test(test::Options),
    Size(size::Options),
    Bench(bench::Options),
    Load(load::Options),
    #[command(hide = true)]
    Adopt(adopt::Options),
    #[command(hide = true)]
    OpenWhenReady(serve::OpenWhenReady),
}

fn main() -> ExitCode {
    if let Some(code) = site::as_compiler() {
        return code;
    }
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reasons, without a backtrace: what fails here is a program that has said why.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Serve(options) => serve::run(&options),
        Command::Pull(options) => pull::run(&options),
        Command::Build(options) => site::build(&options).map(drop),
        Command::Test(options) => test::run(&options),
        Command::Size(options) => size::run(&options),
        Command::Bench(options) => bench::run_or_prepare(&options),
        Command::Load(options) => load::run_it(&options),
        Command::Adopt(options) => adopt::run(&options),
        Command::OpenWhenReady(options) => serve::open_when_ready(&options),
    }
}
