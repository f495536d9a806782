//! `bench`: engines side by side on one model, in turns, and a table.
//!
//! `cargo xtask bench` puts everything that a run needs into one folder and starts this program there. The folder may be
//! carried to a machine that has a graphics card and no tools; the program itself needs nothing but a Chromium.

mod browser;
mod engine;
mod options;
mod process;
mod report;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use serde_json::{Value, json};

use browser::{Browser, InBrowser};
use engine::{Engine, Profiled, Sample, Work};
use options::{Kind, Options};
use process::LineEngine;
use report::Results;
use server::Server;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let folder = fs::canonicalize(&folder).with_context(|| format!("there is no {}", folder.display()))?;
    let probe = probe(&folder);
    let mut figures = Vec::new();
    if let Some(model) = &options.model {
        let model = fs::canonicalize(model).with_context(|| format!("there is no {}", model.display()))?;
        figures.push(compare(options, &folder, &probe, model)?);
    } else {
        for shape in options.shapes() {
            let model = synthetic(&folder, &probe, options, shape)?;
            let compared = compare(options, &folder, &probe, model.clone());
            if options.delete_models {
                fs::remove_file(&model).with_context(|| format!("cannot delete {}", model.display()))?;
            }
            match compared {
                Ok(results) => figures.push(results),
                Err(error) if options.keep_going => eprintln!("    {shape} failed: {error:#}"),
                Err(error) => return Err(error),
            }
        }
    }
    let machine = machine();
    let mut figures: Vec<_> = figures.iter().map(|results| results.json(&machine)).collect();
    let value = match figures.len() {
        0 => bail!("nothing was measured"),
        1 => figures.remove(0),
        _ => Value::Array(figures),
    };
    match &options.json {
        Some(file) => fs::write(file, format!("{value:#}\n"))
            .with_context(|| format!("{} cannot be written", file.display())),
        None => Ok(()),
    }
}

/// Has the engines take turns on this model, and prints the table.
fn compare(options: &Options, folder: &Path, probe: &Path, model: PathBuf) -> Result<Results> {
    let vocabulary = vocabulary(probe, &model)?;
    let work = Work { model, vocabulary, prompt: options.prompt, answer: options.answer };

    let server = Rc::new(Server::start(&folder.join("site"), &work.model)?);
    let mut engines = Vec::new();
    let mut browsers: Vec<(bool, Rc<Browser>)> = Vec::new();
    for kind in &options.engines {
        eprintln!("==> Starting {kind}");
        match start(*kind, options, folder, &work, &server, &mut browsers) {
            Ok(engine) => engines.push(engine),
            Err(error) if options.keep_going => eprintln!("    left out: {error:#}"),
            Err(error) => return Err(error.context(format!("{kind} could not be started"))),
        }
    }
    for peer in &options.peer {
        let (name, command) = peer.split_once('=').context("--peer is NAME=COMMAND")?;
        eprintln!("==> Starting {name}");
        engines.push(Box::new(LineEngine::peer(name, command, &work)?));
    }
    if engines.is_empty() {
        bail!("no engine could be started");
    }

    let mut results = Results::new(&work, engines.iter().map(|engine| (engine.name(), engine.about())));
    // In turns, so that whatever slows the machine down for a while slows all of them down.
    for round in 0..options.warm_up + options.rounds {
        let counts = round >= options.warm_up;
        for (index, engine) in engines.iter_mut().enumerate() {
            if !options.takes_part(engine.name(), round) {
                continue;
            }
            let sample = engine.round(round).with_context(|| format!("{} failed", engine.name()))?;
            eprintln!("    {}", told(engine.name(), round, counts, &sample));
            if counts {
                results.push(index, sample);
            }
        }
    }
    if let Some(rows) = options.profile {
        let tokens = Profiled { position: if rows == 1 { work.prompt } else { 0 }, rows };
        for (index, engine) in engines.iter_mut().enumerate() {
            let timed =
                engine.profile(tokens).with_context(|| format!("{} could not be profiled", engine.name()))?;
            results.set_kernels(index, timed);
        }
    }
    if options.reopen {
        for (index, engine) in engines.iter_mut().enumerate() {
            let told = engine.reopen();
            let told = told.with_context(|| format!("{} can't reopen a conversation", engine.name()))?;
            results.set_reopened(index, told);
        }
    }
    drop(engines);
    println!("{}", results.table());
    Ok(results)
}

fn start(
    kind: Kind,
    options: &Options,
    folder: &Path,
    work: &Work,
    server: &Rc<Server>,
    browsers: &mut Vec<(bool, Rc<Browser>)>,
) -> Result<Box<dyn Engine>> {
    match kind {
        Kind::Native | Kind::NativeSchema => {
            let adapter = options.adapter.as_deref();
            return Ok(Box::new(LineEngine::probe(kind, folder, adapter, work)?));
        }
        Kind::LlamaCpp => return Ok(Box::new(LineEngine::llama_cpp(folder, options, work)?)),
        Kind::Rullama => return Ok(Box::new(LineEngine::rullama(options, work)?)),
        Kind::Page
        | Kind::PageF16
        | Kind::PagePlain
        | Kind::PageSchema
        | Kind::PageHost
        | Kind::PageLate
        | Kind::PageEightBits
        | Kind::Wllama
        | Kind::WllamaF16
        | Kind::WllamaCpu => {}
    }
    let half = kind.with_half();
    let browser = match browsers.iter().find(|(other, _)| *other == half) {
        Some((_, browser)) => Rc::clone(browser),
        None => {
            let browser = Rc::new(Browser::start(options, half, server)?);
            browsers.push((half, Rc::clone(&browser)));
            browser
        }
    };
    Ok(Box::new(InBrowser::load(kind, browser, options, work)?))
}

/// The model with random weights, made at the first run.
fn synthetic(folder: &Path, probe: &Path, options: &Options, shape: &str) -> Result<PathBuf> {
    let models = options.models.clone().unwrap_or_else(|| folder.join("models"));
    fs::create_dir_all(&models).with_context(|| format!("cannot create {}", models.display()))?;
    let name = format!("{shape}-{}-{}.gguf", options.vocab, options.quant);
    let (model, part) = (models.join(&name), models.join(format!("{name}.part")));
    if !model.exists() {
        eprintln!("==> Writing a model of shape {shape} with random weights");
        let mut synth = Command::new(probe);
        synth.arg("synth").arg(&part).args(["--shape", shape, "--quant", &options.quant]);
        let status = synth.args(["--vocab", &options.vocab.to_string()]).stdout(std::io::stderr()).status();
        let status = status.with_context(|| format!("cannot start {}", probe.display()))?;
        if !status.success() {
            bail!("the model could not be written ({status})");
        }
        fs::rename(&part, &model).with_context(|| format!("cannot write {}", model.display()))?;
    }
    Ok(model)
}

fn vocabulary(probe: &Path, model: &Path) -> Result<u32> {
    let output = Command::new(probe).arg("info").arg(model).output();
    let output = output.with_context(|| format!("cannot start {}", probe.display()))?;
    if !output.status.success() {
        bail!("{} isn't a model: {}", model.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    let info: Value = serde_json::from_slice(&output.stdout)?;
    let vocabulary = info["vocabulary"].as_u64().and_then(|n| u32::try_from(n).ok());
    vocabulary.with_context(|| format!("{} cannot be run: {}", model.display(), info["cannot_run"]))
}

fn told(name: &str, round: u32, counts: bool, sample: &Sample) -> String {
    let warm_up = if counts { "" } else { "  (warm-up)" };
    let (prefill, decode) = (sample.prefill(), sample.decode());
    format!("round {round}  {name:<14} prefill {prefill:>9.1} tok/s  decode {decode:>8.1} tok/s{warm_up}")
}

/// The program in the folder.
pub fn probe(folder: &Path) -> PathBuf {
    folder.join(format!("probe{}", env::consts::EXE_SUFFIX))
}

fn own_folder() -> Result<PathBuf> {
    let own = env::current_exe().context("cannot find this program")?;
    Ok(own.parent().map_or_else(|| PathBuf::from("."), PathBuf::from))
}

fn machine() -> Value {
    json!({
        "os": env::consts::OS,
        "architecture": env::consts::ARCH,
        "cores": std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        "command": env::args().collect::<Vec<_>>().join(" "),
    })
}
