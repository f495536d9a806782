//! `cargo xtask pull`: compile the server, then become its command that downloads a model.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::serve;

/// Download a model into Ollama's folder: from Ollama's registry (gemma4:e2b), Hugging Face (hf.co/OWNER/REPOSITORY:Q4_K_M)
/// or another registry (HOST/NAMESPACE/MODEL:TAG).
///
/// Ollama itself isn't needed, but can use what is downloaded. An interrupted download continues when the command is run
/// again. Files are checked against their digests.
#[derive(Args)]
pub struct Options {
    /// The model: [HOST/][NAMESPACE/]MODEL[:TAG]
    name: String,
    /// Ollama's model folder, if it isn't the usual one or the one in OLLAMA_MODELS
    #[arg(long, value_name = "DIR")]
    ollama_models: Option<PathBuf>,
    /// Use plain HTTP, for a registry in a network that you trust. Registries on this machine need no option
    #[arg(long)]
    insecure: bool,
}

/// Compiles and pulls. Returns only when something failed.
pub fn run(options: &Options) -> Result<()> {
    let mut command = Command::new(serve::build_server(false)?);
    serve::become_process(command.args(arguments(options)))
}

fn arguments(options: &Options) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["pull".into()];
    if let Some(folder) = &options.ollama_models {
        arguments.extend(["--ollama-models".into(), folder.into()]);
    }
    if options.insecure {
        arguments.push("--insecure".into());
    }
    // After the options, and never taken for one.
    arguments.extend(["--".into(), options.name.clone().into()]);
    arguments
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
        let line = Line::try_parse_from(["pull", "gemma4:e2b", "--insecure", "--ollama-models=a"]);
        let arguments = arguments(&line.expect("these are its options").options);
        assert_eq!(arguments, ["pull", "--ollama-models", "a", "--insecure", "--", "gemma4:e2b"]);
    }
}
