//! What a model is and what it costs, before a weight is read.

use std::ops::Range;

use crate::audio;
use crate::gguf::Header;
use crate::gpu::Memory;
use crate::model::{
    Config, Extent, KvType, LargestBuffer, MatrixSpec, Parts, TensorError, TensorList, large_products,
    largest_buffer, ring_bytes, working_bytes,
};
use crate::plan::Limits;
use crate::train::Base;
use crate::vision::{Budget, TowerPlan};
use crate::weights::{self, Weights};

use super::{DeviceMemory, EngineError, Fit, LoadOptions, checkpoints};

/// Tokens of context that are allocated when nobody asks for more or less.
pub const DEFAULT_CONTEXT: u32 = 8192;
/// Shortest context that is worth a conversation.
pub const LEAST_CONTEXT: u32 = 512;

/// Most tokens of a picture.
const MOST_PICTURE: u32 = Budget::MOST.tokens();

/// The table that may stay outside of the device.
pub const PLE_TABLE: &str = "per_layer_token_embd";

/// What a model is and what it costs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The decoder's configuration.
    pub config: Config,
    /// Its tensors.
    pub tensors: TensorList,
    /// How keys and values are stored.
    pub kv_type: KvType,
    /// Bytes of weights on the device, without the per-layer table.
    pub weight_bytes: u64,
    /// Bytes of the per-layer table on the device; 0 where the model has none.
    pub table_bytes: u64,
    /// Whether that table is to stay outside even of a device that has room for it.
    pub ple_on_host: bool,
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
        let table_bytes = tensors.matrix(PLE_TABLE).map_or(Ok(0), MatrixSpec::device_bytes)?;
        let weight_bytes = weights::device_bytes(&tensors, &[PLE_TABLE])?;
        let mut unusable = None;
        let vision = usable(TowerPlan::read(header, config.width), &mut unusable)?;
        let largest = Budget::ALL.into_iter().find(|budget| budget.tokens() >= options.largest_picture);
        let budget = largest.unwrap_or(Budget::MOST).max(Budget::default());
        let seeing = vision.as_ref().map_or(0, |tower| tower.bytes(budget));
        let read = audio::TowerPlan::read(header, config.width).map_err(EngineError::from);
        let audio = usable(read, &mut unusable)?;
        let hearing = audio.as_ref().map_or(0, audio::TowerPlan::bytes);
        let tower_bytes = options.projector_bytes + seeing + hearing;
        let (kv_type, ple_on_host) = (options.kv_type, options.ple_on_host);
        Ok(Self {
            config,
            tensors,
            kv_type,
            weight_bytes,
            table_bytes,
            ple_on_host,
            vision,
            audio,
            unusable,
            tower_bytes,
        })
    }

    /// Where in the file the weights of its towers lie.
    #[must_use]
    pub fn tower_ranges(&self) -> Vec<Range<u64>> {
        let seeing = self.vision.as_ref().map(TowerPlan::ranges);
        let hearing = self.audio.as_ref().map(audio::TowerPlan::ranges);
        [seeing, hearing].into_iter().flatten().flatten().collect()
    }

    /// These options with room for the largest pictures for which the context need not be shorter, the per-layer table
    /// need not be elsewhere and no buffer larger than the device binds. Only models that see pictures whole need any.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn with_pictures(
        header: &Header,
        options: &LoadOptions,
        memory: DeviceMemory,
    ) -> Result<LoadOptions, EngineError> {
        let usual = Self::with_options(header, options)?;
        if usual.config.sees_pictures_whole() {
            let fit = |plan: &Self| {
                let fit = plan.fit(options.context, memory).ok()?;
                Some((fit.context, fit.table_on_host))
            };
            for budget in Budget::ALL.into_iter().rev().take_while(|budget| *budget > Budget::default()) {
                let larger = LoadOptions { largest_picture: budget.tokens(), ..*options };
                let plan = Self::with_options(header, &larger)?;
                if fit(&plan).is_some() && fit(&plan) == fit(&usual) {
                    return Ok(larger);
                }
            }
        }
        Ok(*options)
    }

    /// What a load with these options takes on this device: the plan, with the largest pictures that cost nothing else,
    /// and the options that give it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn for_device(
        header: &Header,
        options: &LoadOptions,
        memory: DeviceMemory,
    ) -> Result<(Self, LoadOptions), EngineError> {
        let options = Self::with_pictures(header, options, memory)?;
        Ok((Self::with_options(header, &options)?, options))
    }

    /// The per-layer table, where the model has one.
    #[must_use]
    pub fn table(&self) -> Option<&MatrixSpec> {
        self.tensors.matrix(PLE_TABLE)
    }

    /// Bytes of graphics memory with a context of this length.
    #[must_use]
    pub fn bytes(&self, context: u32, table_on_host: bool) -> u64 {
        let vocabulary = self.tensors.vocabulary();
        let working = working_bytes(&self.config, vocabulary, context, self.kv_type, table_on_host);
        let rings = ring_bytes(&self.config, context, self.kv_type);
        let table = if table_on_host { 0 } else { self.table_bytes };
        self.weight_bytes + table + self.tower_bytes + working + checkpoints::planned_bytes(rings)
    }

    /// The largest buffer of cache and working memory with a context of this length. Unlike a table it cannot be cut.
    #[must_use]
    pub fn largest_buffer(&self, context: u32) -> LargestBuffer {
        largest_buffer(&self.config, self.tensors.vocabulary(), context, self.kv_type)
    }

    /// The products of decode whose packed form is timed at load ([`large_products`]).
    #[must_use]
    pub fn large_products(&self) -> Vec<String> {
        large_products(&self.tensors, self.config.layers.len())
    }

    /// The first matrix that a device with this largest binding could not hold, and its bytes. The per-layer table may
    /// stay outside.
    #[must_use]
    pub fn unbindable(&self, limit: u64) -> Option<(&str, u64)> {
        let loaded = self.tensors.matrices.iter().filter(|spec| spec.name != PLE_TABLE);
        loaded.filter(|spec| matches!(spec.rows_within(limit), Ok(None))).find_map(|spec| {
            let bytes = spec.device_bytes().ok()?;
            Some((spec.name.as_str(), bytes))
        })
    }

    /// The decoder with a context of this length, as values. Nothing is read or allocated yet.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn describe(&self, fit: Fit, limits: Limits) -> Result<Parts, EngineError> {
        let skip: &[&str] = if fit.table_on_host { &[PLE_TABLE] } else { &[] };
        let weights = Weights::describe(&self.tensors, skip, limits)?;
        let (kv_type, ple_on_host) = (self.kv_type, fit.table_on_host);
        let extent = Extent { context: fit.context, kv_type, ple_on_host };
        Ok(Parts::describe(self.config.clone(), self.tensors.vocabulary(), weights, extent, limits))
    }

    /// What a training of the model is described with. Its weights are nowhere.
    ///
    /// # Errors
    /// As [`Self::describe`].
    pub fn training_base(&self, fit: Fit, limits: Limits) -> Result<Base, EngineError> {
        let Parts { config, vocabulary, weights, .. } = self.describe(fit, limits)?;
        Ok(Base { config, vocabulary, weights, memory: Memory::default(), pad: 0, table: None })
    }

    /// The context to try for: what was asked for (0: the default), within what the model was made for.
    #[must_use]
    pub fn context(&self, asked: u32) -> u32 {
        let wanted = if asked == 0 { DEFAULT_CONTEXT } else { asked };
        wanted.clamp(LEAST_CONTEXT.min(self.config.max_context), self.config.max_context)
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
