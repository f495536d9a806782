//! Whether a model fits, before a weight is read.

use crate::audio;
use crate::gguf::Header;
use crate::gpu::Gpu;
use crate::model::{
    Config, KvType, TensorError, TensorList, large_products, largest_buffer, ring_bytes, working_bytes,
};
use crate::vision::{Budget, TowerPlan};
use crate::weights;

use super::{EngineError, LoadOptions, checkpoints};

/// Tokens of context that are allocated when nobody asks for more or less.
pub const DEFAULT_CONTEXT: u32 = 8192;
/// Shortest context that is worth a conversation.
pub const LEAST_CONTEXT: u32 = 512;
/// Per-layer tables up to this size go to the device, where several tokens can then be drawn for each submit. Larger
/// ones stay in the file; a row is read for each token.
const PLE_ON_DEVICE: u64 = 640 << 20;

/// Most tokens of a picture.
const MOST_PICTURE: u32 = Budget::MOST.tokens();

/// The table that may stay in the file.
pub const PLE_TABLE: &str = "per_layer_token_embd";

/// What a model is and what it costs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The decoder's configuration.
    pub config: Config,
    /// Its tensors.
    pub tensors: TensorList,
    /// Whether the per-layer table stays in the file.
    pub ple_on_host: bool,
    /// Bytes of weights on the device.
    pub weight_bytes: u64,
    /// The vision tower in the same file, which is loaded when a picture needs it.
    pub vision: Option<TowerPlan>,
    /// The tower for sound in the same file.
    pub audio: Option<audio::TowerPlan>,
    /// Why a tower in the file cannot be used although its text can, for people; none where all can.
    pub unusable: Option<String>,
    /// Bytes that are kept free for towers.
    pub tower_bytes: u64,
}

impl Plan {
    /// Reads the plan from a header.
    ///
    /// # Errors
    /// When the file is of another kind or contradicts itself.
    pub fn read(header: &Header) -> Result<Self, EngineError> {
        Self::with_options(header, &LoadOptions::default())
    }

    /// As [`Self::read`], for these options of loading. Their context length does not matter here.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn with_options(header: &Header, options: &LoadOptions) -> Result<Self, EngineError> {
        let mut config = Config::read(&header.metadata)?;
        if config.sees_pictures_whole() {
            config.whole_picture = config.whole_picture.max(options.largest_picture.min(MOST_PICTURE));
        }
        let tensors = TensorList::find(header, &config)?;
        let ple = tensors.matrix(PLE_TABLE).map_or(Ok(0), |m| m.device_bytes())?;
        let ple_on_host = ple > PLE_ON_DEVICE || (options.ple_on_host && ple > 0);
        let skip: &[&str] = if ple_on_host { &[PLE_TABLE] } else { &[] };
        let weight_bytes = weights::device_bytes(&tensors, skip)?;
        let mut unusable = None;
        let vision = usable(TowerPlan::read(header, config.width), &mut unusable)?;
        let largest = Budget::ALL.into_iter().find(|budget| budget.tokens() >= options.largest_picture);
        let budget = largest.unwrap_or(Budget::MOST).max(Budget::default());
        let seeing = vision.as_ref().map_or(0, |tower| tower.bytes(budget));
        let read = audio::TowerPlan::read(header, config.width).map_err(EngineError::from);
        let audio = usable(read, &mut unusable)?;
        let hearing = audio.as_ref().map_or(0, audio::TowerPlan::bytes);
        let tower_bytes = options.projector_bytes + seeing + hearing;
        Ok(Self { config, tensors, ple_on_host, weight_bytes, vision, audio, unusable, tower_bytes })
    }

    /// These options with room for the largest pictures for which the context need not be shorter and no buffer larger
    /// than the device binds. Only models that see pictures whole need any.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn with_pictures(
        header: &Header,
        options: &LoadOptions,
        available: u64,
        binding: u64,
    ) -> Result<LoadOptions, EngineError> {
        let usual = Self::with_options(header, options)?;
        if usual.config.sees_pictures_whole() {
            let context = usual.longest(options.context, available);
            for budget in Budget::ALL.into_iter().rev().take_while(|budget| *budget > Budget::default()) {
                let larger = LoadOptions { largest_picture: budget.tokens(), ..*options };
                let plan = Self::with_options(header, &larger)?;
                if largest_buffer(&plan.config) <= binding
                    && plan.longest(options.context, available) == context
                {
                    return Ok(larger);
                }
            }
        }
        Ok(*options)
    }

    /// Bytes of graphics memory with a context of this length.
    #[must_use]
    pub fn bytes(&self, context: u32) -> u64 {
        let vocabulary = self.tensors.vocabulary();
        let working = working_bytes(&self.config, vocabulary, context, KvType::F16, self.ple_on_host);
        let rings = ring_bytes(&self.config, context, KvType::F16);
        self.weight_bytes + self.tower_bytes + working + checkpoints::planned_bytes(rings)
    }

    /// The products of decode whose packed form is timed at load ([`large_products`]).
    #[must_use]
    pub fn large_products(&self) -> Vec<String> {
        large_products(&self.tensors, self.config.layers.len())
    }

    /// The first matrix that a device with this largest binding could not hold, and its bytes.
    #[must_use]
    pub fn unbindable(&self, limit: u64) -> Option<(&str, u64)> {
        let skipped = |name: &str| self.ple_on_host && name == PLE_TABLE;
        let loaded = self.tensors.matrices.iter().filter(|spec| !skipped(&spec.name));
        loaded.filter(|spec| matches!(spec.rows_within(limit), Ok(None))).find_map(|spec| {
            let bytes = spec.device_bytes().ok()?;
            Some((spec.name.as_str(), bytes))
        })
    }

    /// The context to try for: what was asked for (0: the default), within what the model was made for.
    #[must_use]
    pub fn context(&self, asked: u32) -> u32 {
        let wanted = if asked == 0 { DEFAULT_CONTEXT } else { asked };
        wanted.clamp(LEAST_CONTEXT.min(self.config.max_context), self.config.max_context)
    }

    /// The longest context up to `asked` that fits `available` bytes, in steps of 512; none when not even the
    /// shortest does.
    #[must_use]
    pub fn longest(&self, asked: u32, available: u64) -> Option<u32> {
        let wanted = self.context(asked);
        if self.bytes(wanted) <= available {
            return Some(wanted);
        }
        let steps = wanted / LEAST_CONTEXT;
        (1..steps).rev().map(|n| n * LEAST_CONTEXT).find(|&context| self.bytes(context) <= available)
    }
}

/// A tower; none where its rows are of a length that no kernel reads, which says nothing against the text part.
fn usable<T>(
    read: Result<Option<T>, EngineError>,
    unusable: &mut Option<String>,
) -> Result<Option<T>, EngineError> {
    match read {
        Err(EngineError::Tensor(error @ TensorError::Layout { .. })) => {
            unusable.get_or_insert(error.to_string());
            Ok(None)
        }
        other => other,
    }
}

/// Bytes that a device is taken to have. WebGPU does not say; the largest buffer is the only hint, and devices with
/// large buffers have several times as much memory. A device that has less says so when it is asked to allocate.
#[must_use]
pub fn assumed_memory(gpu: &Gpu) -> u64 {
    gpu.max_buffer().min(8 << 30) * 8
}
