//! What the fake engine is told to do.

/// The words of `?fake=WORD,WORD…`; an unknown word changes nothing. The tests know some more, which say what the server
/// lists: `demo`, the built-in model alone; `empty`, no model; `offline`, the list cannot be had.
///
/// | word | what happens |
/// | --- | --- |
/// | `no-webgpu` | the browser has no WebGPU |
/// | `software` | the adapter computes in software |
/// | `slow` | loading and answering take ten times as long |
/// | `instant` | nothing waits |
/// | `short` | graphics memory is short, so keys and values are stored in 8 bits |
/// | `crowded` | a part of a large model needs ordinary memory |
/// | `oom` | a load fails for want of graphics memory |
/// | `unkept` | the browser has no room for a copy of a model |
/// | `saved` | the browser has a copy of a model |
/// | `promised` | it has one, and has promised to keep it |
/// | `cut` | the network is cut in the middle of a load |
/// | `reconnect` | the connection is lost for a while in the middle of a load |
/// | `context-full` | the prompt does not fit the context |
/// | `filled` | an answer fills the context half-way, and goes on when it is continued |
/// | `fail` | an answer fails half-way |
/// | `lost` | the graphics device is lost and restored in the middle of an answer |
/// | `miscomputes` | a kernel computes wrongly in the self-test |
/// | `miscomputes-packed` | one of packed products does |
/// | `crash` | the worker crashes in the middle of the first answer |
/// | `crash-loading` | the worker crashes in the middle of a load |
/// | `crash-looking` | the worker crashes whenever it looks at a picture |
/// | `silent` | the worker never reports ready |
/// | `version` | the worker is of a newer version than the page |
/// | `old-version` | it is of an older one |
/// | `text-only` | no model sees or hears |
/// | `diffusion` | every model decodes by diffusion |
/// | `mixture` | large models are mixtures of experts |
/// | `tune-kept` | the browser keeps a training that was paused |
/// | `tune-elsewhere` | another tab is training |
/// | `tune-unlisted` | what the browser keeps of fine-tuning can't be listed at first |
/// | `tune-nan` | the loss of a training becomes NaN |
/// | `tune-storage` | there is no room for a training's checkpoints |
/// | `tune-lost` | the graphics device is lost in the middle of a training |
/// | `tune-unbegun` | a training fails before its first step |
/// | `tune-masked` | nothing of the examples is learned |
/// | `tune-memory` | a training does not fit the graphics memory |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// The browser has no WebGPU.
    pub no_webgpu: bool,
    /// The adapter computes in software.
    pub software: bool,
    /// How long things take.
    pub pace: Pace,
    /// A load fails for want of memory.
    pub out_of_memory: bool,
    /// Whether keys and values are stored in 8 bits, for want of memory.
    pub short: bool,
    /// A part of a large model needs ordinary memory.
    pub crowded: bool,
    /// The browser has no room for a copy of a model.
    pub unkept: bool,
    /// The browser has a copy of a model.
    pub saved: bool,
    /// It has promised to keep what is saved.
    pub promised: bool,
    /// The network is cut in the middle of a load.
    pub cut: bool,
    /// The connection is lost for a while in the middle of a load.
    pub reconnect: bool,
    /// The prompt does not fit the context.
    pub context_full: bool,
    /// An answer fills the context half-way.
    pub filled: bool,
    /// An answer fails half-way.
    pub fail: bool,
    /// The device is lost in the middle of an answer.
    pub lost: bool,
    /// A kernel computes wrongly in the self-test.
    pub miscomputes: bool,
    /// One of packed products does.
    pub miscomputes_packed: bool,
    /// The worker crashes in the middle of an answer.
    pub crash: bool,
    /// The worker crashes in the middle of a load.
    pub crash_loading: bool,
    /// The worker crashes whenever it looks at a picture.
    pub crash_looking: bool,
    /// The worker never reports ready.
    pub silent: bool,
    /// By how much the worker's version is above the page's.
    pub version: i16,
    /// No model sees or hears.
    pub text_only: bool,
    /// Every model decodes by diffusion.
    pub diffusion: bool,
    /// Large models are mixtures of experts.
    pub mixture: bool,
    /// The browser keeps a training that was paused.
    pub paused_training: bool,
    /// Another tab is training.
    pub training_elsewhere: bool,
    /// What the browser keeps of fine-tuning can't be listed at first.
    pub unlisted: bool,
    /// What goes wrong with a training.
    pub tune: Option<TuneTrouble>,
}

/// What goes wrong with a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuneTrouble {
    /// The loss becomes NaN.
    NotANumber,
    /// There is no room for checkpoints.
    Storage,
    /// The device is lost in the middle.
    Lost,
    /// It fails before its first step.
    Unbegun,
    /// Nothing of the examples is learned.
    AllMasked,
    /// It does not fit the graphics memory.
    Memory,
}

/// How long things take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As on a good laptop.
    #[default]
    Usual,
    /// Ten times as long.
    Slow,
    /// No time.
    Instant,
}

impl Pace {
    /// A wait of the usual pace, at this pace; milliseconds.
    #[must_use]
    pub fn ms(self, usual: u32) -> u32 {
        match self {
            Self::Usual => usual,
            Self::Slow => usual.saturating_mul(10),
            Self::Instant => 0,
        }
    }
}

impl Scenario {
    /// Reads the value of `fake` in the page's address.
    #[must_use]
    pub fn read(words: &str) -> Self {
        let mut scenario = Self::default();
        for word in words.split(',') {
            match word.trim() {
                "no-webgpu" => scenario.no_webgpu = true,
                "software" => scenario.software = true,
                "slow" => scenario.pace = Pace::Slow,
                "instant" => scenario.pace = Pace::Instant,
                "oom" => scenario.out_of_memory = true,
                "short" => scenario.short = true,
                "crowded" => scenario.crowded = true,
                "unkept" => scenario.unkept = true,
                "saved" => scenario.saved = true,
                "promised" => (scenario.saved, scenario.promised) = (true, true),
                "cut" => scenario.cut = true,
                "reconnect" => scenario.reconnect = true,
                "context-full" => scenario.context_full = true,
                "filled" => scenario.filled = true,
                "fail" => scenario.fail = true,
                "lost" => scenario.lost = true,
                "miscomputes" => scenario.miscomputes = true,
                "miscomputes-packed" => scenario.miscomputes_packed = true,
                "crash" => scenario.crash = true,
                "crash-loading" => scenario.crash_loading = true,
                "crash-looking" => scenario.crash_looking = true,
                "silent" => scenario.silent = true,
                "version" => scenario.version = 1,
                "old-version" => scenario.version = -1,
                "text-only" => scenario.text_only = true,
                "diffusion" => scenario.diffusion = true,
                "mixture" => scenario.mixture = true,
                "tune-kept" => scenario.paused_training = true,
                "tune-elsewhere" => scenario.training_elsewhere = true,
                "tune-unlisted" => scenario.unlisted = true,
                "tune-nan" => scenario.tune = Some(TuneTrouble::NotANumber),
                "tune-storage" => scenario.tune = Some(TuneTrouble::Storage),
                "tune-lost" => scenario.tune = Some(TuneTrouble::Lost),
                "tune-unbegun" => scenario.tune = Some(TuneTrouble::Unbegun),
                "tune-masked" => scenario.tune = Some(TuneTrouble::AllMasked),
                "tune-memory" => scenario.tune = Some(TuneTrouble::Memory),
                _ => {}
            }
        }
        scenario
    }

    /// What goes wrong with an engine as a whole goes wrong once: the one that comes after it is well.
    pub fn mend(&mut self) {
        (self.crash, self.crash_loading, self.silent, self.version) = (false, false, false, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_add_up() {
        assert_eq!(Scenario::read(""), Scenario::default());
        let scenario = Scenario::read("software, slow,crash,nonsense");
        let mut expected = Scenario { software: true, pace: Pace::Slow, crash: true, ..Scenario::default() };
        assert_eq!(scenario, expected);
        assert_eq!(scenario.pace.ms(30), 300);
        expected.mend();
        assert_eq!(expected, Scenario { crash: false, ..scenario });
    }
}
