//! `server pull NAME`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{HUB, NotAnAddress, Puller, parse, report::Report};
use crate::{catalog::name::Name, listen};

/// Said when a pull ends before its end.
const KEPT: &str = "What has been downloaded is kept: run the same command again to continue.";
/// Exit code of a program that was interrupted, as shells have it: 128 and the number of SIGINT.
const INTERRUPTED: u8 = 130;

/// Download a model into Ollama's folder: from Ollama's registry (gemma4:e2b), Hugging Face (hf.co/OWNER/REPOSITORY:Q4_K_M)
/// or another registry (HOST/NAMESPACE/MODEL:TAG).
///
/// Ollama itself isn't needed, but can use what is downloaded. An interrupted download continues when the command is run
/// again. Files are checked against their digests.
#[derive(Args, Clone, Debug)]
pub struct PullOptions {
    /// The model: [HOST/][NAMESPACE/]MODEL[:TAG]
    #[arg(value_parser = parse_name)]
    pub name: Name,

    /// Ollama's model folder, if it isn't in the usual place
    #[arg(long, env = "OLLAMA_MODELS", value_name = "DIR")]
    pub ollama_models: Option<PathBuf>,

    /// A server that takes the place of Hugging Face
    #[arg(long, env = "HF_ENDPOINT", value_name = "URL", default_value = HUB, hide = true)]
    pub hub: String,

    /// Use plain HTTP, for a registry in a network that you trust. Registries on this machine need no option.
    #[arg(long)]
    pub insecure: bool,
}

fn parse_name(text: &str) -> Result<Name, NotAnAddress> {
    parse(text)
}

/// Pulls, tells how it goes on, and stops when the person says so.
///
/// # Errors
/// When the model could not be pulled: the message says why and what to do.
pub async fn run(options: &PullOptions, folder: PathBuf) -> Result<ExitCode, super::PullError> {
    let report = Report::new();
    let puller = Puller::new(folder).hub(&options.hub).insecure(options.insecure);
    let tell = |event| report.tell(event);
    let pulled = tokio::select! {
        pulled = puller.pull(&options.name, &tell) => Some(pulled),
        () = listen::interrupted() => None,
    };
    let kept = if report.end() { KEPT } else { "" };
    let say = |text: String| eprintln!("{}", text.trim_end());
    match pulled {
        Some(Ok(())) => {
            eprintln!("{} is complete.", options.name);
            Ok(ExitCode::SUCCESS)
        }
        Some(Err(error)) if error.is_passing() => {
            say(format!("gemtab: {error} {kept}"));
            Ok(ExitCode::FAILURE)
        }
        Some(Err(error)) => Err(error),
        None => {
            say(format!("Stopped. {kept}"));
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}
