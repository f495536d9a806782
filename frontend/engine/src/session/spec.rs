//! What a model is and what it costs, before a weight is read.

use std::ops::Range;

use crate::audio;
use crate::gguf::Header;
use crate::gpu::Memory;
use crate::model::{Config, Extent, KvType, Parts, Products, large_products};
use crate::plan::Limits;
use crate::train::Base;
use crate::vision::{Budget, TowerPlan};
use crate::weights::{self, MatrixSpec, TensorError, TensorList, Weights};

use super::{DeviceMemory, EngineError, LoadOptions};

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
pub struct ModelSpec {
    /// The decoder's configuration.
    pub config: Config,
    /// Its tensors.
    pub tensors: TensorList,
    /// How keys and values are stored.
    pub kv_type: KvType,
    /// Which products of decode are packed.
    pub products: Products,
    /// Whether that table is to stay outside even of a device that has room for it.
    pub ple_on_host: bool,
    /// The vision tower in the same file, which is loaded when a picture needs it.
    pub vision: Option<TowerPlan>,
    /// The tower for sound in the same file.
    pub audio: Option<audio::TowerPlan>,
    /// Why a tower in the file cannot be used although its text can, for people; none where all can.
    pub unusable: Option<String>,
    /// The largest pictures that memory is kept free for.
    pub budget: Budget,
    /// Bytes that are kept free for towers in other files.
    pub projector_bytes: u64,
}

impl ModelSpec {
    /// Reads it from a header.
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
        weights::check_layouts(&tensors)?;
        let mut unusable = None;
        let read = TowerPlan::read(header, config.width).map_err(EngineError::from);
        let vision = usable(read, &mut unusable)?;
        let largest = Budget::ALL.into_iter().find(|budget| budget.tokens() >= options.largest_picture);
        let budget = largest.unwrap_or(Budget::MOST).max(Budget::default());
        let read = audio::TowerPlan::read(header, config.width).map_err(EngineError::from);
        let audio = usable(read, &mut unusable)?;
        let LoadOptions { kv_type, products, ple_on_host, projector_bytes, .. } = *options;
        Ok(Self {
            config,
            tensors,
            kv_type,
            products,
            ple_on_host,
            vision,
            audio,
            unusable,
            budget,
            projector_bytes,
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
            let fit = |spec: &Self| {
                let fit = spec.needs(memory).ok()?.fit(options.context).ok()?;
                Some((fit.context, fit.table_on_host))
            };
            for budget in Budget::ALL.into_iter().rev().take_while(|budget| *budget > Budget::default()) {
                let larger = LoadOptions { largest_picture: budget.tokens(), ..*options };
                let spec = Self::with_options(header, &larger)?;
                if fit(&spec).is_some() && fit(&spec) == fit(&usual) {
                    return Ok(larger);
                }
            }
        }
        Ok(*options)
    }

    /// What a load with these options takes on this device: the model, with the largest pictures that cost nothing else,
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

    /// The products of decode whose packed form is timed at load ([`large_products`]).
    #[must_use]
    pub fn large_products(&self) -> Vec<String> {
        large_products(&self.tensors, self.config.layers.len())
    }

    /// The decoder with a context of this length, as values. Nothing is read or allocated yet.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn describe(&self, context: u32, ple_on_host: bool, limits: Limits) -> Result<Parts, EngineError> {
        let skip: &[&str] = if ple_on_host { &[PLE_TABLE] } else { &[] };
        let weights = Weights::describe(&self.tensors, skip, limits)?;
        let extent = Extent { context, kv_type: self.kv_type, ple_on_host };
        Ok(Parts::describe(self.config.clone(), self.tensors.vocabulary(), weights, extent, limits))
    }

    /// What a training of the model is described with. Its weights are nowhere.
    ///
    /// # Errors
    /// As [`Self::describe`].
    pub fn training_base(&self, limits: Limits) -> Result<Base, EngineError> {
        let Parts { config, vocabulary, weights, .. } = self.describe(LEAST_CONTEXT, false, limits)?;
        Ok(Base { config, vocabulary, weights, memory: Memory::default(), pad: 0, limits, table: None })
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
