//! The models that the user can choose from, and what is known of each.

use protocol::said::{ListNote, Said};
use protocol::{
    Capabilities, CatalogEntry, Diffusion, Failure, FitVerdict, LoadPhase, LoadProgress, LoadTimes,
    ModelDetails, ModelSource, RequestId, Sampling, Searched, Stored,
};

use crate::{format, language::t};

/// Names a model for the settings and within the page: a digest, or a file's name and size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(pub String);

/// A model in the list, from the server or from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What the page calls it by.
    pub id: ModelId,
    /// What the list says of it.
    pub entry: CatalogEntry,
    /// Where it is.
    pub source: ModelSource,
}

impl Choice {
    /// A model of the server.
    #[must_use]
    pub fn server(entry: CatalogEntry) -> Self {
        // Two names may share one digest, and a broken model has none: the name makes the id whole.
        let id = ModelId(format!("{}@{}", entry.name, entry.digest));
        let source = ModelSource::Server { name: entry.name.clone(), layers: entry.layers.clone() };
        Self { id, entry, source }
    }

    /// The model that another tab has loaded from there.
    #[must_use]
    pub fn of(source: &ModelSource) -> Self {
        match source {
            ModelSource::Server { name, layers } => Self::server(CatalogEntry {
                name: name.clone(),
                size: layers.iter().map(|layer| layer.size).sum(),
                layers: layers.clone(),
                ..CatalogEntry::default()
            }),
            ModelSource::Local { names, sizes } => {
                let files: Vec<_> = names.iter().cloned().zip(sizes.iter().copied()).collect();
                let unnamed = || Self {
                    id: ModelId::default(),
                    entry: CatalogEntry::default(),
                    source: source.clone(),
                };
                Self::local(&files).unwrap_or_else(unnamed)
            }
        }
    }

    /// Files of the user's: the model first, then its projector if there is one. Empty if there is no file.
    #[must_use]
    pub fn local(files: &[(String, u64)]) -> Option<Self> {
        let (first, _) = files.first()?;
        let size = files.iter().map(|(_, size)| size).sum();
        let entry = CatalogEntry {
            name: first.clone(),
            size,
            capabilities: Capabilities { text: true, ..Capabilities::default() },
            ..CatalogEntry::default()
        };
        let (names, sizes) = files.iter().cloned().unzip();
        Some(Self {
            id: ModelId(format!("file:{first}:{size}")),
            entry,
            source: ModelSource::Local { names, sizes },
        })
    }

    /// Whether it is a file of the user's.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.source, ModelSource::Local { .. })
    }

    /// One line about it: `Q4_K_M · 7.2 GB`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for part in [format::parameters(&self.entry.parameters), self.entry.quantization.clone()] {
            if !part.is_empty() {
                parts.push(part);
            }
        }
        parts.push(format::bytes(self.entry.size));
        parts.join(" · ")
    }

    /// Returns the context length to ask for: what the user has chosen, else what comes with the model, else 0 for the default.
    #[must_use]
    pub fn context(&self, chosen: u32) -> u32 {
        if chosen > 0 { chosen } else { self.entry.params.get("num_ctx").map_or(0, |&tokens| tokens as u32) }
    }

    /// Returns the sampling it recommends: its own parameters from the list before those of its file's header. The demo
    /// model is small and is kept at a low temperature.
    #[must_use]
    pub fn recommended(&self, details: Option<&ModelDetails>) -> Sampling {
        let mut sampling = Sampling::default();
        if let Some((temperature, top_k, top_p)) = details.and_then(|details| details.recommended) {
            (sampling.temperature, sampling.top_k, sampling.top_p) = (temperature, top_k, top_p);
        }
        if self.entry.demo {
            sampling.temperature = DEMO_TEMPERATURE;
        }
        for (name, &value) in &self.entry.params {
            let number = value as f32;
            match name.as_str() {
                "temperature" => sampling.temperature = number,
                "top_k" => sampling.top_k = value.max(0.0) as u32,
                "top_p" => sampling.top_p = number,
                "min_p" => sampling.min_p = number,
                "repeat_penalty" => sampling.repeat_penalty = number,
                "presence_penalty" => sampling.presence_penalty = number,
                "frequency_penalty" => sampling.frequency_penalty = number,
                _ => {}
            }
        }
        sampling
    }
}

impl Choice {
    /// Whether it is too large for a device that computes in software, if that is what this one does.
    #[must_use]
    pub fn is_too_slow(&self, software: bool) -> bool {
        software && self.entry.size > SOFTWARE_BYTES
    }
}

/// Temperature of the built-in demo model.
const DEMO_TEMPERATURE: f32 = 0.2;

/// Returns the words of what a model can do, in the order of the list.
#[must_use]
pub fn capability_words(capabilities: Capabilities) -> Vec<&'static str> {
    [
        // A model may also call tools; the page offers none yet, so it promises none.
        (capabilities.text, t().able_text()),
        (capabilities.vision, t().able_images()),
        (capabilities.audio, t().able_audio()),
        (capabilities.thinking, t().able_thinking()),
    ]
    .into_iter()
    .filter_map(|(has, word)| has.then_some(word))
    .collect()
}

/// The server's list.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CatalogState {
    /// Not here yet.
    #[default]
    Loading,
    /// Here, with the folders that were searched.
    Known {
        /// The folders.
        searched: Vec<Searched>,
        /// What the list lacks.
        notes: Vec<Said<ListNote>>,
        /// Whether it is that of an earlier visit, because the server cannot be reached.
        kept: bool,
    },
    /// It could not be had, and why.
    Failed(String),
}

/// What the engine found out about a model without loading it.
#[derive(Clone, Debug, PartialEq)]
pub enum Inspection {
    /// It is looking.
    Running,
    /// It looked.
    Known {
        /// What the header says.
        details: Box<ModelDetails>,
        /// Whether it fits.
        verdict: FitVerdict,
    },
    /// The file is no use, and why.
    Failed(Failure),
}

/// What the user is asked before a model takes ordinary memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryQuestion {
    /// The model.
    pub choice: Choice,
    /// The context length it was to be loaded with; 0 for the default.
    pub context: u32,
    /// Bytes of ordinary memory.
    pub bytes: u64,
}

/// How a verdict is to be read at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Fine.
    Good,
    /// With a limit.
    Fair,
    /// Not possible.
    Bad,
}

/// Returns a verdict in words, with what is stored in 8 bits although nobody asked for it.
#[must_use]
pub fn verdict_words(verdict: &FitVerdict, details: &ModelDetails) -> (Severity, String) {
    let (mood, mut words) = fit_words(verdict, details);
    if mood == Severity::Bad {
        return (mood, words);
    }
    let Stored { asked, eight_bits } = details.stored;
    let table = (eight_bits.table && !asked.table).then(|| t().fits_table_in_eight_bits());
    let cache = (eight_bits.kv_cache && !asked.kv_cache).then(|| t().fits_cache_in_eight_bits());
    for saving in table.into_iter().chain(cache) {
        words.push_str(" · ");
        words.push_str(saving);
    }
    (mood, words)
}

/// A verdict in words, without what is stored in 8 bits.
fn fit_words(verdict: &FitVerdict, details: &ModelDetails) -> (Severity, String) {
    let read = details.experts.and_then(|experts| {
        let speed = speed_words(experts.rate?, details.diffusion);
        Some((experts, speed))
    });
    match verdict {
        FitVerdict::Fits { outside: 0, .. } => (Severity::Good, t().fits().into()),
        FitVerdict::Fits { outside, .. } => {
            let words = match read {
                Some((experts, speed)) => {
                    format!("{} · {speed}", t().fits_experts(&format::bytes(experts.held)))
                }
                None => t().fits_outside(&format::bytes(*outside)),
            };
            (Severity::Fair, words)
        }
        FitVerdict::FitsWith { context, .. } => {
            let fits = t().fits_context((*context).into());
            (Severity::Fair, read.map_or(fits.clone(), |(_, speed)| format!("{fits} · {speed}")))
        }
        FitVerdict::TooLarge { needed, available } => {
            (Severity::Bad, t().fits_not(&format::bytes(needed.saturating_sub(*available))))
        }
        FitVerdict::TensorTooLarge { needed, available, .. } => {
            (Severity::Bad, t().fits_part(&format::bytes(*needed), &format::bytes(*available)))
        }
    }
}

/// Tokens a second above which reading experts is not what an answer waits for most.
const UNHINDERED: f64 = 20.0;

/// How fast answers come that wait for experts, in words: tokens a second, or seconds a token; for a diffusion model seconds
/// a step, and what a block takes with all of its steps.
fn speed_words(rate: f64, diffusion: Option<Diffusion>) -> String {
    if rate >= UNHINDERED {
        t().experts_fast().into()
    } else if let Some(Diffusion { canvas, steps }) = diffusion {
        let block = f64::from(canvas) / rate;
        let step = format::seconds(block / f64::from(steps.max(1)));
        let unit = if block < 60.0 { 1.0 } else { 60.0 };
        t().experts_steps(&step, &format::seconds((block / unit).ceil() * unit), canvas.into())
    } else if rate >= 0.75 {
        t().experts_rate(rate.round() as u64)
    } else {
        // At most a day.
        t().experts_pace((1.0 / rate).min(86_400.0).round() as u64)
    }
}

/// The model in the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ModelState {
    /// None.
    #[default]
    None,
    /// One is on its way.
    Loading {
        /// Which.
        choice: Box<Choice>,
        /// Context length in tokens; 0 for the default.
        context: u32,
        /// The request, to cancel it by.
        request: RequestId,
    },
    /// One is ready to answer.
    Ready {
        /// The request that has loaded it, perhaps another tab's.
        loaded_by: RequestId,
        /// Which.
        choice: Box<Choice>,
        /// What its header says.
        details: Box<ModelDetails>,
        /// Context length in tokens.
        context: u32,
        /// Graphics memory in use, in bytes.
        gpu_bytes: u64,
        /// How long the load took.
        times: LoadTimes,
    },
    /// The last load failed.
    Failed {
        /// Which.
        choice: Box<Choice>,
        /// Why.
        failure: Failure,
    },
}

impl ModelState {
    /// Returns the model it is about.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        match self {
            Self::None => None,
            Self::Loading { choice, .. } | Self::Ready { choice, .. } | Self::Failed { choice, .. } => {
                Some(choice)
            }
        }
    }

    /// Returns the model it is about, to be changed.
    pub(super) fn choice_mut(&mut self) -> Option<&mut Choice> {
        match self {
            Self::None => None,
            Self::Loading { choice, .. } | Self::Ready { choice, .. } | Self::Failed { choice, .. } => {
                Some(choice)
            }
        }
    }

    /// Whether a model is loaded that adapters can be used with.
    #[must_use]
    pub fn takes_adapters(&self) -> bool {
        matches!(self, Self::Ready { details, .. } if details.diffusion.is_none())
    }

    /// Whether a mixture of experts is loaded that adapters can be used with.
    #[must_use]
    pub fn is_mixture(&self) -> bool {
        matches!(self, Self::Ready { details, .. } if details.experts.is_some())
    }

    /// Returns the request that has loaded the model; `None` if none is ready.
    #[must_use]
    pub fn loaded_by(&self) -> Option<RequestId> {
        match self {
            Self::Ready { loaded_by, .. } => Some(*loaded_by),
            _ => None,
        }
    }

    /// Whether it can answer.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }

    /// Whether it is on its way.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        matches!(self, Self::Loading { .. })
    }
}

/// Returns where a load stands, in words: what it is doing, and the numbers.
#[must_use]
pub fn progress_words(progress: &LoadProgress) -> (&'static str, String) {
    let LoadProgress { phase, done, total, rate, lost } = *progress;
    if lost {
        let done = if total > 0 { format::bytes_of(done, total) } else { String::new() };
        return (t().load_lost(), done);
    }
    match phase {
        LoadPhase::Header => (t().load_header(), if done > 0 { format::bytes(done) } else { String::new() }),
        LoadPhase::Table | LoadPhase::Weights | LoadPhase::Towers => {
            let mut parts = vec![format::bytes_of(done, total)];
            if rate > 0.0 {
                parts.push(t().per_second(&format::bytes(rate as u64)));
            }
            if let Some(left) = format::time_left(done, total, rate).filter(|_| done < total) {
                parts.push(t().time_left(&format::whole_seconds(left)));
            }
            let what = match phase {
                LoadPhase::Table => t().load_table(),
                LoadPhase::Towers => t().load_towers(),
                _ => t().load_weights(),
            };
            (what, parts.join(" · "))
        }
        LoadPhase::Tuning => (t().load_tuning(), String::new()),
        LoadPhase::Kernels => (t().load_preparing(), t().load_kernels(done, total)),
    }
}

/// Above so many bytes a model is no use where the device computes in software.
const SOFTWARE_BYTES: u64 = 500_000_000;

#[cfg(test)]
pub(super) mod tests {
    use protocol::{EightBits, ExpertMemory};

    use super::*;

    /// Returns a model of this name on the server.
    pub fn choice(name: &str) -> Choice {
        Choice::server(CatalogEntry {
            name: name.into(),
            digest: format!("sha256:{name}"),
            ..CatalogEntry::default()
        })
    }

    #[test]
    fn a_models_own_parameters_win() {
        let mut model = choice("m");
        let details = ModelDetails { recommended: Some((0.7, 40, 0.9)), ..ModelDetails::default() };
        assert_eq!(model.recommended(None), Sampling::default());
        assert_eq!(model.recommended(Some(&details)).top_k, 40);
        model.entry.params.insert("top_k".into(), 20.0);
        assert_eq!(model.recommended(Some(&details)).top_k, 20);
        assert_eq!((model.context(0), model.context(2048)), (0, 2048));
        model.entry.params.insert("num_ctx".into(), 4096.0);
        assert_eq!((model.context(0), model.context(2048)), (4096, 2048));
        model.entry.demo = true;
        assert_eq!(model.recommended(Some(&details)).temperature, DEMO_TEMPERATURE);
    }

    #[test]
    fn progress_speaks_in_numbers() {
        let weights = LoadProgress {
            phase: LoadPhase::Weights,
            done: 1_200_000_000,
            total: 3_300_000_000,
            rate: 640e6,
            lost: false,
        };
        assert_eq!(progress_words(&weights).1, "1.2 of 3.3 GB · 640 MB/s · 3 s left");
        let lost = LoadProgress { lost: true, ..weights };
        assert_eq!(progress_words(&lost), (t().load_lost(), "1.2 of 3.3 GB".into()));
        let kernels = LoadProgress { phase: LoadPhase::Kernels, done: 34, total: 41, rate: 0.0, lost: false };
        assert_eq!(progress_words(&kernels).1, "34 of 41 kernels");
    }

    #[test]
    fn verdicts_say_how_much_is_missing() {
        let verdict = FitVerdict::TooLarge { needed: 9_300_000_000, available: 8_000_000_000 };
        let plain = ModelDetails::default();
        assert_eq!(verdict_words(&verdict, &plain), (Severity::Bad, "Too large by 1.3 GB".into()));
        let verdict = FitVerdict::Fits { context: 8192, bytes: 1, outside: 1_927_000_000 };
        let words = "Slow: 1.9 GB doesn’t fit in graphics memory";
        assert_eq!(verdict_words(&verdict, &plain), (Severity::Fair, words.into()));
    }

    #[test]
    fn a_verdict_says_what_is_in_eight_bits_without_having_been_asked_for() {
        let fits = FitVerdict::Fits { context: 8192, bytes: 1, outside: 0 };
        let [table, kv_cache, both] = [(true, false), (false, true), (true, true)]
            .map(|(table, kv_cache)| EightBits { table, kv_cache });
        let words = |asked, eight_bits| {
            let details = ModelDetails { stored: Stored { asked, eight_bits }, ..ModelDetails::default() };
            verdict_words(&fits, &details)
        };
        let none = EightBits::default();
        assert_eq!(words(none, none), (Severity::Good, "Fits".into()));
        assert_eq!(words(none, table), (Severity::Good, "Fits · 8-bit embeddings".into()));
        assert_eq!(words(none, both), (Severity::Good, "Fits · 8-bit embeddings · 8-bit KV cache".into()));
        assert_eq!(words(table, both), (Severity::Good, "Fits · 8-bit KV cache".into()));
        assert_eq!(words(kv_cache, kv_cache), (Severity::Good, "Fits".into()));
    }

    #[test]
    fn a_verdict_says_how_fast_experts_are_read() {
        let with = |verdict: &FitVerdict, rate| {
            let experts = ExpertMemory { held: 4_000_000_000, rate, ..ExpertMemory::default() };
            verdict_words(verdict, &ModelDetails { experts: Some(experts), ..ModelDetails::default() })
        };
        let outside = 9_000_000_000;
        let fits = FitVerdict::Fits { context: 8192, bytes: 1, outside };
        let words = |rate| with(&fits, Some(rate)).1;
        assert_eq!(
            words(4.8),
            "Fits with 4.0 GB of graphics memory for experts · at least about 5 tokens per second"
        );
        assert_eq!(
            words(0.8),
            "Fits with 4.0 GB of graphics memory for experts · at least about one token per second"
        );
        assert_eq!(
            words(0.3),
            "Fits with 4.0 GB of graphics memory for experts · at least one token every 3 seconds"
        );
        assert_eq!(words(61.0), "Fits with 4.0 GB of graphics memory for experts · slightly slower answers");
        let shorter = FitVerdict::FitsWith { context: 2048, bytes: 1, outside };
        let words =
            (Severity::Fair, "Fits with 2,048 tokens of context · at least about 2 tokens per second".into());
        assert_eq!(with(&shorter, Some(2.1)), words);
        let whole = FitVerdict::Fits { context: 8192, bytes: 1, outside: 0 };
        assert_eq!(with(&whole, None), (Severity::Good, "Fits".into()));
    }

    #[test]
    fn a_verdict_on_a_diffusion_model_says_how_long_a_step_takes() {
        let fits = FitVerdict::Fits { context: 8192, bytes: 1, outside: 9_000_000_000 };
        let words = |step: f64| {
            let rate = Some(256.0 / 48.0 / step);
            let experts = Some(ExpertMemory { held: 4_000_000_000, rate, ..ExpertMemory::default() });
            let diffusion = Some(Diffusion { canvas: 256, steps: 48 });
            verdict_words(&fits, &ModelDetails { experts, diffusion, ..ModelDetails::default() }).1
        };
        let with = |words: &str| format!("Fits with 4.0 GB of graphics memory for experts · {words}");
        assert_eq!(words(0.1), with("slightly slower answers"));
        assert_eq!(words(0.52), with("about 0.5 s per step, up to about 25 s for 256 tokens"));
        assert_eq!(words(5.1), with("about 5.1 s per step, up to about 5 min for 256 tokens"));
        assert_eq!(words(100.0), with("about 1 min 40 s per step, up to about 1 h 20 min for 256 tokens"));
    }

    #[test]
    fn files_make_a_model() {
        let local = Choice::local(&[("a.gguf".into(), 10), ("mmproj.gguf".into(), 5)]).expect("files");
        assert_eq!(local.entry.size, 15);
        assert!(local.is_local());
        assert_eq!(Choice::local(&[]), None);
    }
}
