//! Engines in a page of headless Chromium.

use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::engine::{Engine, KernelTime, Profiled, Sample, Work};
use crate::options::{Kind, Options};
use crate::server::{Line, Server};

/// How long a browser may take to open the page.
const START: Duration = Duration::from_secs(60);

/// A browser with the page open.
pub struct Browser {
    state: RefCell<State>,
    about: Value,
    profile: PathBuf,
    patience: Duration,
    verbose: bool,
}

struct State {
    child: Child,
    line: Line,
    next: u64,
}

impl Browser {
    /// Opens the page in a browser of its own; with `half`, told to let `shader-f16` through.
    ///
    /// # Errors
    /// When there is no Chromium, or the page does not report.
    pub fn start(options: &Options, half: bool, server: &Rc<Server>) -> Result<Self> {
        let name = if half { "f16" } else { "plain" };
        let (address, line) = server.page(name);
        let profile = env::temp_dir().join(format!("gemtab-bench-{}-{name}", std::process::id()));
        let program = find(options.chromium.as_deref())?;
        let mut command = Command::new(&program);
        command.args([
            "--headless",
            "--no-sandbox",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-quic",
            "--disable-sync",
            "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.args(options.flags.split_whitespace());
        // What visitors have is without these.
        if half {
            command.arg("--enable-unsafe-webgpu").args(options.f16_flags.split_whitespace());
        }
        // Headless Chromium without a port to be driven by prints the page and ends.
        command.arg("--remote-debugging-port=0").arg(address).stdin(Stdio::null()).stdout(Stdio::null());
        if !options.verbose {
            command.stderr(Stdio::null());
        }
        let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let mut browser = Self {
            state: RefCell::new(State { child, line, next: 0 }),
            about: Value::Null,
            profile,
            patience: Duration::from_secs(options.patience),
            verbose: options.verbose,
        };
        browser.about = browser.wait(START, |words| words.get("ready").cloned())?;
        Ok(browser)
    }

    /// Has the page do something and waits for the outcome.
    fn call(&self, mut order: Value) -> Result<Value> {
        let id = {
            let mut state = self.state.borrow_mut();
            state.next += 1;
            order["id"] = state.next.into();
            state.line.orders.send(order).context("the server has ended")?;
            state.next
        };
        let words = self.wait(self.patience, |words| (words["id"] == id).then(|| words.clone()))?;
        match words["error"].as_str() {
            Some(error) => bail!("{error}"),
            None => Ok(words["value"].clone()),
        }
    }

    /// Waits for words that `wanted` takes.
    fn wait(&self, limit: Duration, wanted: impl Fn(&Value) -> Option<Value>) -> Result<Value> {
        let end = Instant::now() + limit;
        loop {
            let mut state = self.state.borrow_mut();
            let words = match state.line.words.recv_timeout(Duration::from_secs(1)) {
                Ok(words) => words,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = state.child.try_wait()? {
                        bail!("the browser has ended ({status})");
                    }
                    if Instant::now() > end {
                        bail!("the page said nothing for {} s", limit.as_secs());
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the server has ended"),
            };
            if let Some(value) = wanted(&words) {
                return Ok(value);
            }
            if let Some(error) = words["trouble"].as_str() {
                bail!("the page failed: {error}");
            }
            if self.verbose {
                eprintln!("    page: {words}");
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let child = &mut self.state.get_mut().child;
        child.kill().ok();
        child.wait().ok();
        std::fs::remove_dir_all(&self.profile).ok();
    }
}

/// The Chromium to use.
fn find(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-headless-shell",
        "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    ];
    known.iter().map(PathBuf::from).find(|path| path.exists()).context(
        "there is no Chromium in the usual places: name it with --chromium, or in the variable CHROMIUM",
    )
}

/// An engine of the page.
pub struct InBrowser {
    kind: Kind,
    name: String,
    browser: Rc<Browser>,
    about: Value,
    work: Value,
}

impl InBrowser {
    /// Loads the model into an engine of the page.
    ///
    /// # Errors
    /// When it fails or takes too long.
    pub fn load(kind: Kind, browser: Rc<Browser>, options: &Options, work: &Work) -> Result<Self> {
        let wllama: Value = serde_json::from_str(&options.wllama).context("--wllama isn't valid JSON")?;
        let work = json!({
            "prompt": work.prompt,
            "answer": work.answer,
            "context": work.context(),
            "vocabulary": work.vocabulary,
            "size": std::fs::metadata(&work.model)?.len(),
        });
        let engine = match kind {
            Kind::Wllama | Kind::WllamaF16 => "wllama",
            Kind::WllamaCpu => "wllama-cpu",
            Kind::Page | Kind::PageF16 => "gemtab",
            Kind::PagePlain => "gemtab-plain",
            Kind::PageSchema => "gemtab-schema",
            Kind::PageHost => "gemtab-host",
            Kind::PageLate => "gemtab-late",
            Kind::PageEightBits => "gemtab-eight-bits",
            Kind::Native | Kind::NativeSchema | Kind::LlamaCpp | Kind::Rullama => {
                bail!("{kind} runs without a browser")
            }
        };
        let loaded = browser.call(json!({
            "action": "load", "name": kind.to_string(), "engine": engine, "work": work, "wllama": wllama,
        }))?;
        let about = json!({ "browser": browser.about, "engine": loaded });
        Ok(Self { kind, name: kind.to_string(), browser, about, work })
    }

    fn is_ours(&self) -> bool {
        !matches!(self.kind, Kind::Wllama | Kind::WllamaF16 | Kind::WllamaCpu)
    }
}

impl Engine for InBrowser {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> Value {
        self.about.clone()
    }

    fn round(&mut self, round: u32) -> Result<Sample> {
        let order =
            json!({ "action": "round", "name": self.kind.to_string(), "work": self.work, "round": round });
        Sample::read(&self.browser.call(order)?)
    }

    fn reopen(&mut self) -> Result<Value> {
        if !self.is_ours() {
            return Ok(Value::Null);
        }
        self.browser.call(json!({ "action": "reopen", "name": self.kind.to_string(), "work": self.work }))
    }

    fn profile(&mut self, tokens: Profiled) -> Result<Vec<KernelTime>> {
        if !self.is_ours() {
            return Ok(Vec::new());
        }
        let order = json!({ "action": "profile", "name": self.kind.to_string(), "tokens": tokens });
        KernelTime::read_all(&self.browser.call(order)?)
    }
}
