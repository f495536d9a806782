//! The description of a model, before its weights are read.

use std::ops::Range;

use shaders::DType;
use shaders::experts::Mixture;
use shaders::matmul::Tile;

use crate::audio;
use crate::gguf::Header;
use crate::gpu::Memory;
use crate::model::{BATCH_ROWS, Config, ConfigError, Extent, KvType, Parts, Tuning, large_products};
use crate::plan::Limits;
use crate::train::Base;
use crate::vision::{Budget, TowerPlan};
use crate::weights::{self, MatrixSpec, Savings, TensorError, TensorList, Weights};

use super::{DeviceMemory, EngineError, LoadOptions, Storage, TablePlace};

/// Default context length in tokens.
pub const DEFAULT_CONTEXT: u32 = 8192;
/// Minimum useful context length.
pub const MIN_CONTEXT: u32 = 512;

/// Maximum number of tokens per image.
const MAX_PICTURE: u32 = Budget::MAX.tokens();

/// The table that may stay on the host.
pub const PLE_TABLE: &str = "per_layer_token_embd";

/// The description of a model.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// The decoder's configuration.
    pub config: Config,
    /// Its tensors.
    pub tensors: TensorList,
    /// How table and cache are stored where memory allows it.
    pub storage: Storage,
    /// How decode computes its products; `None` to measure what is the fastest.
    pub tuning: Option<Tuning>,
    /// Experts per layer that have a place on the device, if not all.
    pub expert_slots: Option<u32>,
    /// The vision tower in the same file, loaded on demand.
    pub vision: Option<TowerPlan>,
    /// The audio tower in the same file, loaded on demand.
    pub audio: Option<audio::TowerPlan>,
    /// Why a tower in the file cannot be used, for display; `None` if all can.
    pub unusable: Option<String>,
    /// The largest images to reserve memory for.
    pub budget: Budget,
    /// Bytes to reserve for towers in other files.
    pub projector_bytes: u64,
    /// Bytes to reserve for a drafter.
    pub drafter_bytes: u64,
    /// Blocks in the file that draft tokens. They are not used.
    pub drafting_blocks: u32,
}

impl ModelSpec {
    /// Reads the description from a header.
    ///
    /// # Errors
    /// When the file is of another kind or inconsistent.
    pub fn read(header: &Header) -> Result<Self, EngineError> {
        Self::with_options(header, &LoadOptions::default())
    }

    /// Same as [`Self::read`], with these load options. Their context length is ignored. Towers of Gemma 3 and of models that
    /// decode by diffusion are left alone.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub fn with_options(header: &Header, options: &LoadOptions) -> Result<Self, EngineError> {
        if let Some(part) = header.part() {
            return Err(ConfigError::Part { part }.into());
        }
        let (mut config, drafting_blocks) = Config::of_file(header)?;
        if config.sees_pictures_whole() {
            config.whole_picture = config.whole_picture.max(options.largest_picture.min(MAX_PICTURE));
        }
        let tensors = TensorList::find(header, &config)?;
        weights::check_layouts(&tensors)?;
        if tensors.vocabulary() > Tile::MOST_COLUMNS {
            let (key, value) = ("rows of token_embd.weight".to_owned(), tensors.vocabulary().to_string());
            let expected = "the kernels have no room for so many tokens";
            return Err(ConfigError::Value { key, value, expected }.into());
        }
        let mut unusable = None;
        let has_towers = config.takes_media();
        let read = || TowerPlan::read(header, config.width).map_err(EngineError::from);
        let vision = if has_towers { usable(read(), &mut unusable)? } else { None };
        let largest = Budget::ALL.into_iter().find(|budget| budget.tokens() >= options.largest_picture);
        let budget = largest.unwrap_or(Budget::MAX).max(Budget::default());
        let read = || audio::TowerPlan::read(header, config.width).map_err(EngineError::from);
        let audio = if has_towers { usable(read(), &mut unusable)? } else { None };
        let LoadOptions { tuning, table, projector_bytes, drafter_bytes, .. } = *options;
        // Rows of an encoder keep keys and values for the layer that runs alone, in full precision.
        let kv_type = if config.encoder.is_some() { KvType::F32 } else { options.kv_type };
        // Layers that share keys and values run for the last token of a prompt alone, where the host has no part; no
        // published mixture has any.
        let owns_all = (0..config.layers.len()).all(|layer| config.owns_kv(layer));
        let mixture = config.experts.map(|experts| experts.mixture);
        let mixture = mixture.filter(|_| owns_all);
        let some = |mixture: &Mixture| (1..mixture.experts).contains(&options.expert_slots);
        let expert_slots = mixture.filter(some).map(|mixture| options.expert_slots.max(mixture.used));
        Ok(Self {
            config,
            tensors,
            storage: Storage { table, kv_type },
            tuning,
            expert_slots,
            vision,
            audio,
            unusable,
            budget,
            projector_bytes,
            drafter_bytes,
            drafting_blocks,
        })
    }

    /// Byte ranges of the tower weights in the file.
    pub fn tower_ranges(&self) -> Vec<Range<u64>> {
        let seeing = self.vision.as_ref().map(TowerPlan::ranges);
        let hearing = self.audio.as_ref().map(audio::TowerPlan::ranges);
        [seeing, hearing].into_iter().flatten().flatten().collect()
    }

    /// Returns these options, with the largest image size that does not shorten the context, move the per-layer table or
    /// exceed the largest binding. Only relevant for models with bidirectional attention in images.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub fn with_pictures(
        header: &Header,
        options: &LoadOptions,
        memory: DeviceMemory,
    ) -> Result<LoadOptions, EngineError> {
        let usual = Self::with_options(header, options)?;
        if usual.config.sees_pictures_whole() {
            let fit = |spec: &Self| {
                let fit = spec.needs(memory).ok()?.fit(options.context).ok()?;
                Some((fit.context, fit.storage))
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

    /// Returns the description for a device: with the largest image size that costs nothing else, and the options for it.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub fn for_device(
        header: &Header,
        options: &LoadOptions,
        memory: DeviceMemory,
    ) -> Result<(Self, LoadOptions), EngineError> {
        let options = Self::with_pictures(header, options, memory)?;
        Ok((Self::with_options(header, &options)?, options))
    }

    /// Returns the per-layer table, if the model has one.
    pub fn table(&self) -> Option<&MatrixSpec> {
        self.tensors.matrix(PLE_TABLE)
    }

    /// Returns the matrices of experts.
    pub fn experts(&self) -> impl Iterator<Item = &MatrixSpec> {
        self.tensors.matrices.iter().filter(|matrix| matrix.rows_per_expert().is_some())
    }

    /// Returns the storage types of the matrices that prompts are multiplied by.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> {
        let of_layers = |matrix: &&MatrixSpec| matrix.name.starts_with("blk.");
        self.tensors.matrices.iter().filter(of_layers).map(|matrix| matrix.dtype)
    }

    /// Returns the decode products whose packed form is timed at load ([`large_products`]).
    pub fn large_products(&self) -> Vec<String> {
        large_products(&self.tensors, self.config.layers.len())
    }

    /// Returns the per-layer table, if it is stored on the host.
    pub fn table_on_host(&self, storage: Storage) -> Option<&MatrixSpec> {
        self.table().filter(|_| storage.table == TablePlace::Host)
    }

    /// Describes the decoder with a context of this length, as values. Nothing is allocated.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn describe(&self, context: u32, storage: Storage, limits: Limits) -> Result<Parts, EngineError> {
        let host_table = self.table_on_host(storage);
        let requantized = self.table().filter(|_| storage.table == TablePlace::Requantized);
        let savings = Savings {
            on_host: host_table.map(|_| PLE_TABLE),
            requantized: requantized.map(|_| PLE_TABLE),
            expert_slots: self.expert_slots,
        };
        let weights = Weights::with_savings(&self.tensors, savings, limits)?;
        let vocabulary = self.tensors.vocabulary();
        if self.config.encoder.is_some() {
            return Ok(Parts::of_encoder(self.config.clone(), vocabulary, weights, context, limits));
        }
        let extent = Extent { context, kv_type: storage.kv_type, host_table };
        let described = Parts::describe(self.config.clone(), vocabulary, weights, extent, limits);
        Ok(described.map_err(|source| TensorError::Layout { name: PLE_TABLE.into(), source })?)
    }

    /// Returns the inputs of training, without weights.
    ///
    /// # Errors
    /// Same as [`Self::describe`].
    pub fn training_base(&self, limits: Limits) -> Result<Base, EngineError> {
        let Parts { config, vocabulary, weights, .. } =
            self.describe(MIN_CONTEXT, Storage::default(), limits)?;
        Ok(Base { config, vocabulary, weights, memory: Memory::default(), pad: 0, limits, table: None })
    }

    /// Returns the context length to try: the requested one (0: the default), limited by the model's. Of a model that makes
    /// embeddings, the tokens of a batch.
    pub fn context(&self, asked: u32) -> u32 {
        if self.config.encoder.is_some() {
            return if asked == 0 { BATCH_ROWS } else { asked.clamp(MIN_CONTEXT, BATCH_ROWS) };
        }
        let wanted = if asked == 0 { DEFAULT_CONTEXT } else { asked };
        wanted.clamp(MIN_CONTEXT.min(self.config.max_context), self.config.max_context)
    }
}

/// Returns a tower; `None` if no kernel supports its row lengths. The text decoder can still be used then.
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
