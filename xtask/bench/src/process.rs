//! Engines that are programs: they print a line of JSON once the model is loaded, and one for each round that a line of
//! their standard input asks for.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::engine::{Engine, KernelTime, Profiled, Sample, Work};
use crate::options::{Kind, Options};

/// Such a program.
pub struct LineEngine {
    name: String,
    about: Value,
    child: Child,
    requests: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
    /// Times kernels, but for which tokens.
    profile: Option<Command>,
}

impl LineEngine {
    /// gemtab's own engine.
    ///
    /// # Errors
    /// When it cannot be started or cannot load the model.
    pub fn probe(kind: Kind, folder: &Path, adapter: Option<&str>, work: &Work) -> Result<Self> {
        let probe = || {
            let mut command = Command::new(crate::probe(folder));
            command.args(adapter.iter().flat_map(|adapter| ["--gpu", adapter]));
            // As the page does at a load.
            command.arg("--tune");
            command
        };
        let (mut bench, mut profile) = (probe(), probe());
        let prompt = work.prompt.to_string();
        bench.arg("bench").arg(&work.model).arg("--on-request");
        bench.args(["--prefill", &prompt, "--decode", &work.answer.to_string()]);
        if kind == Kind::NativeSchema {
            bench.arg("--schema").arg(folder.join("site/schema.json"));
        }
        profile.arg("profile").arg(&work.model);
        let mut engine = Self::start(&kind.to_string(), bench)?;
        engine.profile = Some(profile);
        Ok(engine)
    }

    /// llama.cpp, by a script of this folder.
    ///
    /// # Errors
    /// When no one has said where it is, and as [`Self::probe`].
    pub fn llama_cpp(folder: &Path, options: &Options, work: &Work) -> Result<Self> {
        Self::start("llama-cpp", llama_cpp(folder, options, work)?)
    }

    /// rullama, by a program that its builder has brought.
    ///
    /// # Errors
    /// As [`Self::llama_cpp`].
    pub fn rullama(options: &Options, work: &Work) -> Result<Self> {
        Self::start("rullama", rullama(options, work)?)
    }

    /// Another one, by a command line with places to fill in.
    ///
    /// # Errors
    /// As [`Self::probe`].
    pub fn peer(name: &str, line: &str, work: &Work) -> Result<Self> {
        let (model, prompt, answer) =
            (work.model.display().to_string(), work.prompt.to_string(), work.answer.to_string());
        let fill = |word: &str| {
            word.replace("{model}", &model).replace("{prompt}", &prompt).replace("{answer}", &answer)
        };
        let mut words = line.split_whitespace().map(fill);
        let mut command = Command::new(words.next().with_context(|| format!("{name} has no command"))?);
        command.args(words);
        Self::start(name, command)
    }

    fn start(name: &str, mut command: Command) -> Result<Self> {
        let program = command.get_program().display().to_string();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let requests = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().context("it has no standard output")?);
        let mut engine =
            Self { name: name.to_owned(), about: Value::Null, child, requests, lines, profile: None };
        engine.about = engine.next()?;
        Ok(engine)
    }

    fn next(&mut self) -> Result<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.lines.read_line(&mut line)? == 0 {
                bail!("it ended ({})", self.child.wait()?);
            }
            // Libraries of others print what they like.
            if line.starts_with('{') {
                return serde_json::from_str(&line).with_context(|| format!("it printed {line:?}"));
            }
        }
    }
}

fn llama_cpp(folder: &Path, options: &Options, work: &Work) -> Result<Command> {
    let installed = options.llama_cpp.as_ref();
    let installed = installed.context("use --llama-cpp to say where node-llama-cpp is installed")?;
    let mut command = Command::new(&options.node);
    command.arg(folder.join("llama-cpp.mjs")).arg(installed).arg(&work.model);
    command.args([work.prompt.to_string(), work.answer.to_string()]);
    Ok(command)
}

fn rullama(options: &Options, work: &Work) -> Result<Command> {
    let program = options.rullama.as_ref();
    let mut command = Command::new(program.context("use --rullama to name its program")?);
    command.arg("bench").arg(&work.model);
    command.args(["--prompt", &work.prompt.to_string(), "--answer", &work.answer.to_string()]);
    Ok(command)
}

impl Engine for LineEngine {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> Value {
        self.about.clone()
    }

    fn round(&mut self, round: u32) -> Result<Sample> {
        let requests = self.requests.as_mut().context("it takes no requests")?;
        writeln!(requests, "{round}")?;
        requests.flush()?;
        Sample::read(&self.next()?)
    }

    fn profile(&mut self, tokens: Profiled) -> Result<Vec<KernelTime>> {
        let Some(command) = &mut self.profile else { return Ok(Vec::new()) };
        let Profiled { position, rows } = tokens;
        command.args(["--position", &position.to_string(), "--rows", &rows.to_string()]);
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            bail!("the profile failed ({})", output.status);
        }
        KernelTime::read_all(&serde_json::from_slice(&output.stdout)?)
    }
}

impl Drop for LineEngine {
    fn drop(&mut self) {
        // The end of its input ends it; one that hangs is not waited for.
        self.requests = None;
        for _ in 0..50 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn words(command: &Command) -> Vec<String> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.display().to_string()).collect()
    }

    #[test]
    fn peers_are_started_where_they_are_said_to_be() {
        let work = Work { model: "m.gguf".into(), vocabulary: 9, prompt: 100, answer: 11 };
        let folder = Path::new("folder");
        let none = Options::parse_from(["bench"]);
        let refused = llama_cpp(folder, &none, &work).expect_err("no folder").to_string();
        assert!(refused.contains("--llama-cpp"), "{refused}");
        let refused = rullama(&none, &work).expect_err("no program").to_string();
        assert!(refused.contains("--rullama"), "{refused}");

        let both = Options::parse_from(["bench", "--llama-cpp", "there", "--rullama", "./peer"]);
        let script = folder.join("llama-cpp.mjs").display().to_string();
        let command = llama_cpp(folder, &both, &work).expect("a command");
        assert_eq!(words(&command), ["node", &script, "there", "m.gguf", "100", "11"]);
        let command = rullama(&both, &work).expect("a command");
        assert_eq!(words(&command), ["./peer", "bench", "m.gguf", "--prompt", "100", "--answer", "11"]);
    }
}
