//! The command line.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};

/// Compare engines on one model: they take turns, for several rounds after a warm-up.
#[derive(Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench --", max_term_width = 100)]
pub struct Options {
    /// The folder that `cargo xtask bench --prepare` has filled; without it, the one this program is in
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The engines, in the order of their turns
    #[arg(long, value_delimiter = ',', default_value = "native,page,wllama")]
    pub engines: Vec<Kind>,
    /// Another engine: a program that speaks as `probe bench --on-request` does. {model}, {prompt} and {answer} in the
    /// command are filled in. Can be repeated
    #[arg(long, value_name = "NAME=COMMAND")]
    pub peer: Vec<String>,
    /// Where `npm install node-llama-cpp` was run, for the engine llama-cpp
    #[arg(long, value_name = "DIR")]
    pub llama_cpp: Option<PathBuf>,
    /// Node, which llama-cpp needs
    #[arg(long, value_name = "FILE", default_value = "node")]
    pub node: PathBuf,
    /// The program that xtask/bench/peers/rullama builds, for the engine rullama
    #[arg(long, value_name = "FILE")]
    pub rullama: Option<PathBuf>,
    /// A model file to use instead of one with random weights
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Shapes of the models with random weights, as `probe synth` names them; `all` for every published one
    #[arg(long, value_delimiter = ',', default_value = "e2b")]
    pub shape: Vec<String>,
    /// Its quantization; rullama reads q4_k_m_ple, not q4_k_m
    #[arg(long, default_value = "q4_k_m")]
    pub quant: String,
    /// Its vocabulary size
    #[arg(long, default_value_t = 32_768)]
    pub vocab: u32,
    /// Where models with random weights are kept
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Delete each model with random weights once it is measured: all of them take 50 GB
    #[arg(long)]
    pub delete_models: bool,
    /// Tokens in the prompt
    #[arg(long, default_value_t = 512)]
    pub prompt: u32,
    /// Tokens in the answer
    #[arg(long, default_value_t = 128)]
    pub answer: u32,
    /// Rounds to count
    #[arg(long, default_value_t = 5)]
    pub rounds: u32,
    /// Time each kernel of the token behind the prompt, too, or of this many tokens of a prompt, for each engine that is ours. In
    /// a browser it needs --flags=--enable-webgpu-developer-features: other timestamps are rounded to 0.1 ms
    #[arg(long, value_name = "ROWS", num_args = 0..=1, default_missing_value = "1")]
    pub profile: Option<u32>,
    /// Time what a conversation of the prompt's length costs that is opened again, for each engine that is ours in a browser
    #[arg(long)]
    pub reopen: bool,
    /// Warm-up rounds before those
    #[arg(long, default_value_t = 1)]
    pub warm_up: u32,
    /// Fewer rounds for a slow engine, such as rullama=2: only the first ones that count, without a warm-up. Can be
    /// repeated
    #[arg(long, value_name = "NAME=COUNT", value_parser = name_and_count)]
    pub rounds_of: Vec<(String, u32)>,
    /// Part of the graphics adapter's name, for the native engine. A browser chooses its own; see --flags
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Chromium, or its headless shell
    #[arg(long, value_name = "FILE", env = "CHROMIUM")]
    pub chromium: Option<PathBuf>,
    /// More flags for Chromium, such as --use-webgpu-adapter=swiftshader
    #[arg(
        long,
        value_name = "FLAGS",
        env = "CHROMIUM_GPU_FLAGS",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub flags: String,
    /// Flags that turn on `shader-f16` where Chromium withholds it, for page-f16 and wllama-f16
    #[arg(
        long,
        value_name = "FLAGS",
        env = "CHROMIUM_F16_FLAG",
        default_value = "--enable-dawn-features=vulkan_enable_f16_on_nvidia",
        allow_hyphen_values = true
    )]
    pub f16_flags: String,
    /// More parameters for wllama's loadModel, as a JSON object, such as {"flash_attn": true}
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub wllama: String,
    /// The most seconds for a load or a round
    #[arg(long, default_value_t = 300)]
    pub patience: u64,
    /// Show what browsers and peers print
    #[arg(long)]
    pub verbose: bool,
    /// Skip engines that can't be started, and go on with the next model after a failure
    #[arg(long)]
    pub keep_going: bool,
    /// Write all figures to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// The published shapes, smallest first.
const PUBLISHED: [&str; 5] = ["e2b", "e4b", "12b", "26b", "31b"];

impl Options {
    /// The shapes to measure, in order.
    pub fn shapes(&self) -> Vec<&str> {
        match self.shape.as_slice() {
            [all] if all == "all" => PUBLISHED.to_vec(),
            named => named.iter().map(String::as_str).collect(),
        }
    }

    /// Whether an engine takes part in this round, counted from the first one of the warm-up.
    pub fn takes_part(&self, engine: &str, round: u32) -> bool {
        let Some((_, few)) = self.rounds_of.iter().find(|(name, _)| name == engine) else { return true };
        round.checked_sub(self.warm_up).is_some_and(|round| round < *few)
    }
}

fn name_and_count(text: &str) -> Result<(String, u32)> {
    let (name, count) = text.split_once('=').context("it isn't NAME=COUNT")?;
    Ok((name.to_owned(), count.parse()?))
}

/// An engine that this program knows how to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// gemtab's engine without a browser: Vulkan, Metal or DirectX 12
    Native,
    /// The same with answers in JSON of the schema in the folder
    NativeSchema,
    /// llama.cpp without a browser, on Vulkan: see --llama-cpp
    LlamaCpp,
    /// rullama without a browser: see --rullama
    Rullama,
    /// gemtab's worker in Chromium as visitors have it, unless there are --flags
    #[value(alias = "page-stock")]
    Page,
    /// The same with `shader-f16` turned on
    PageF16,
    /// gemtab's worker without `shader-f16`, subgroups and matrix units
    PagePlain,
    /// gemtab's worker with answers in JSON of the schema in the folder
    PageSchema,
    /// gemtab's worker on a device without room for the per-layer table of E2B, which lies in the tab's memory
    PageHost,
    /// gemtab's worker on a device that reports every readback 100 ms late
    PageLate,
    /// gemtab's worker with the KV cache, and the per-layer table if it is in floats, in Q8_0
    PageEightBits,
    /// wllama in Chromium
    Wllama,
    /// The same with `shader-f16` turned on
    WllamaF16,
    /// wllama in Chromium on the CPU
    WllamaCpu,
}

impl Kind {
    /// Whether its browser is told to let `shader-f16` through.
    pub fn with_half(self) -> bool {
        matches!(self, Self::PageF16 | Self::WllamaF16)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.to_possible_value();
        f.write_str(name.as_ref().map_or("", |value| value.get_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Options {
        Options::parse_from(["bench"].iter().chain(words))
    }

    #[test]
    fn engines_are_named_as_they_are_shown() {
        let parsed = options(&["--engines", "native,llama-cpp,rullama,page-f16"]);
        assert_eq!(parsed.engines, [Kind::Native, Kind::LlamaCpp, Kind::Rullama, Kind::PageF16]);
        let shown: Vec<_> = parsed.engines.iter().map(Kind::to_string).collect();
        assert_eq!(shown, ["native", "llama-cpp", "rullama", "page-f16"]);
    }

    #[test]
    fn all_shapes_are_the_published_ones() {
        assert_eq!(options(&[]).shapes(), ["e2b"]);
        assert_eq!(options(&["--shape", "31b,pebble"]).shapes(), ["31b", "pebble"]);
        assert_eq!(options(&["--shape", "all"]).shapes(), PUBLISHED);
    }

    #[test]
    fn an_engine_with_few_rounds_takes_part_in_the_first_that_count() {
        let parsed = options(&["--warm-up", "1", "--rounds-of", "rullama=2"]);
        let of = |engine: &str| (0..5).map(|round| parsed.takes_part(engine, round)).collect::<Vec<_>>();
        assert_eq!(of("rullama"), [false, true, true, false, false]);
        assert_eq!(of("native"), [true; 5]);
        for bad in ["rullama", "rullama=", "rullama=x", "rullama=-1"] {
            assert!(Options::try_parse_from(["bench", "--rounds-of", bad]).is_err(), "{bad}");
        }
    }
}
