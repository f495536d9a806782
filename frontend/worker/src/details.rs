//! What a model's header says, and whether the model fits.

use std::rc::Rc;

use engine::audio::{self, AudioError};
use engine::bytes::ByteSource;
use engine::gguf::{Header, summary};
use engine::gpu::GpuError;
use engine::model::ConfigError;
use engine::plan::Limits;
use engine::session::{DeviceMemory, EngineError, LoadOptions, ModelSpec};
use engine::tokenizer::{calls_functions, is_base, special};
use engine::vision::{self, Budget};
use protocol::{Capabilities, ContextCost, Diffusion, FitVerdict, ModelDetails, Stored, TypeShare};

use crate::experts::{self, Allowance};
use crate::failure::{self, Stopped};

/// Shortest context whose cost is listed; the others are its doubles.
const FIRST_LISTED: u32 = 2048;

/// What a model takes besides text, and with what.
#[derive(Default)]
pub struct Modalities {
    /// Whether it sees.
    pub vision: bool,
    /// What it hears with, if it hears.
    pub audio_tower: Option<audio::TowerConfig>,
    /// Bytes of graphics memory of the towers that the model's own plan does not count.
    pub bytes: u64,
}

impl Modalities {
    /// Reads them from the plan of a model's own file, and from the header of a projector, which comes before it.
    ///
    /// # Errors
    /// When a projector cannot be read, or a tower contradicts itself.
    pub async fn read(
        projector: Option<&Rc<dyn ByteSource>>,
        plan: &ModelSpec,
        limits: Limits,
    ) -> Result<Self, Stopped> {
        let failed = |error: EngineError| failure::of(&error, None);
        let width = plan.config.width;
        let audio_tower = plan.audio.as_ref().map(|tower| tower.config().clone());
        let mut modalities = Self { vision: plan.vision.is_some(), audio_tower, bytes: 0 };
        // A diffusion model uses no towers yet, and nor does Gemma 3.
        if let Some(source) = projector.filter(|_| plan.config.takes_media()) {
            let header = Header::read(&**source).await.map_err(|error| failed(error.into()))?;
            if let Some(part) = header.part() {
                return Err(failed(ConfigError::Part { part }.into()).into());
            }
            if let Some(tower) =
                vision::TowerPlan::read(&header, width).map_err(|error| failed(error.into()))?
            {
                modalities.vision = true;
                modalities.bytes +=
                    tower.bytes(Budget::default(), limits).map_err(|error| failed(error.into()))?;
            }
            let heard = |error: AudioError| failure::of_audio(&error, None);
            if let Some(tower) = audio::TowerPlan::read(&header, width).map_err(heard)? {
                modalities.bytes += tower.bytes(limits).map_err(heard)?;
                modalities.audio_tower = Some(tower.config().clone());
            }
        }
        Ok(modalities)
    }
}

/// What a header says of the model called `name`, and what it costs on this device, loaded with these options. Experts are
/// read at `speed`, in bytes a second.
pub fn details(
    header: &Header,
    (plan, options): (&ModelSpec, &LoadOptions),
    modalities: &Modalities,
    name: &str,
    (allowance, memory): (Allowance, DeviceMemory),
    speed: f64,
) -> Result<ModelDetails, EngineError> {
    let bytes = |context| {
        // Room for the largest pictures depends on the context.
        let options = LoadOptions { context, ..*options };
        let (plan, _) = needs(header, &options, modalities, (allowance, memory), true)?;
        Ok::<_, EngineError>(plan.needs(memory)?.with_context(context).bytes)
    };
    let summary = summary(header);
    let config = &plan.config;
    let costs = listed_contexts(config.max_context)
        .map(|context| bytes(context).map(|bytes| ContextCost { context, bytes }))
        .collect::<Result<_, EngineError>>()?;
    Ok(ModelDetails {
        name: name.to_owned(),
        architecture: summary.architecture,
        parameters: summary.parameters,
        file_size: summary.file_size,
        layers: config.layers.len() as u32,
        width: config.width,
        vocabulary: plan.tensors.vocabulary(),
        max_context: config.max_context,
        window: config.window,
        capabilities: Capabilities { text: config.encoder.is_none(), ..capabilities(header, modalities) },
        types: summary
            .types
            .into_iter()
            .map(|share| TypeShare { name: share.name, tensors: share.tensors, bytes: share.bytes })
            .collect(),
        memory: costs,
        recommended: config.recommended,
        drafter: options.drafter_bytes > 0,
        diffusion: config.diffusion.map(|it| Diffusion { canvas: it.canvas, steps: it.steps }),
        continues: config.encoder.is_none() && is_base(&header.metadata),
        embeds: config.encoder.is_some(),
        stored: Stored::default(),
        allowed: None,
        packed_prompts: false,
        experts: experts::memory(plan, allowance.chosen, speed)?,
    })
}

/// What a load with these options needs: the only source of the memory figures before and after it.
/// `pictures` is whether to make room for the largest ones.
///
/// # Errors
/// When the file contradicts itself, or experts may not take enough.
pub fn needs(
    header: &Header,
    options: &LoadOptions,
    modalities: &Modalities,
    (allowance, memory): (Allowance, DeviceMemory),
    pictures: bool,
) -> Result<(ModelSpec, LoadOptions), EngineError> {
    let options = LoadOptions { projector_bytes: modalities.bytes, largest_picture: 0, ..*options };
    let options = match allowance.places(header, &options, memory) {
        // The verdict says so.
        Err(EngineError::TooLarge { .. } | EngineError::Gpu(GpuError::TooLarge { .. })) => options,
        some => some?,
    };
    if modalities.vision && pictures {
        return ModelSpec::for_device(header, &options, memory);
    }
    Ok((ModelSpec::with_options(header, &options)?, options))
}

/// What the engine can do with the model.
fn capabilities(header: &Header, modalities: &Modalities) -> Capabilities {
    let pieces = header.metadata.strings("tokenizer.ggml.tokens");
    let has = |token: &str| pieces.is_some_and(|pieces| pieces.iter().any(|piece| piece == token));
    Capabilities {
        text: true,
        vision: modalities.vision,
        audio: modalities.audio_tower.is_some(),
        tools: has(special::TOOL_CALL_OPEN) || calls_functions(&header.metadata),
        thinking: has(special::CHANNEL_OPEN),
    }
}

/// Some lengths to choose among, the longest the model was made for as the last one.
fn listed_contexts(max: u32) -> impl Iterator<Item = u32> {
    let doubles = std::iter::successors(Some(FIRST_LISTED), |context| context.checked_mul(2));
    doubles.take_while(move |&context| context < max).chain([max])
}

/// Whether the model fits a device.
///
/// # Errors
/// When the file contradicts itself.
pub fn verdict(plan: &ModelSpec, context: u32, memory: DeviceMemory) -> Result<FitVerdict, EngineError> {
    match plan.fit(context, memory) {
        Ok(fit) => {
            let outside = plan.on_host(&fit).map_or(0, |(bytes, _)| bytes);
            if fit.context == plan.context(context) {
                Ok(FitVerdict::Fits { context: fit.context, bytes: fit.bytes, outside })
            } else {
                Ok(FitVerdict::FitsWith { context: fit.context, bytes: fit.bytes, outside })
            }
        }
        Err(EngineError::TooLarge { needed, available }) => Ok(FitVerdict::TooLarge { needed, available }),
        Err(EngineError::Gpu(GpuError::TooLarge { label, bytes, limit })) => {
            Ok(FitVerdict::TensorTooLarge { tensor: label, needed: bytes, available: limit })
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use engine::session::{MIN_CONTEXT, Storage, TablePlace};
    use probe::synth;
    use protocol::{PUBLISHED, Published};

    use super::*;

    #[test]
    fn contexts_double_up_to_the_models_own() {
        assert_eq!(listed_contexts(2048).collect::<Vec<_>>(), [2048]);
        assert_eq!(listed_contexts(1000).collect::<Vec<_>>(), [1000]);
        assert_eq!(listed_contexts(10_000).collect::<Vec<_>>(), [2048, 4096, 8192, 10_000]);
        assert_eq!(listed_contexts(u32::MAX).count(), 22);
    }

    /// What the offers of models say, which is what is known before their files are here, follows from their shapes. The
    /// per-layer table of published files is in halves.
    #[test]
    fn published_models_take_about_what_their_offers_say() {
        let memory = DeviceMemory { available: u64::MAX, limits: Limits::default() };
        let mut wrong = Vec::new();
        for offer in PUBLISHED {
            let shape: synth::Shape = offer.name.trim_start_matches("gemma4:").parse().expect("a shape");
            let used = shape.experts.map_or(0, |experts| experts.used);
            let options = synth::Options { towers: true, ..synth::Options::new(shape, synth::Quant::Q4KM) };
            let header = synth::header(&options).expect("a header");
            let table = header.tensors.iter().find(|tensor| tensor.name == "per_layer_token_embd.weight");
            let (inside, in_file) = table.map_or((0, 0), |table| (table.bytes, 2 * table.elements()));
            let others = header.tensors.iter().map(|tensor| tensor.bytes).sum::<u64>() - inside;
            let bytes = |expert_slots, context, table| {
                let options = LoadOptions { expert_slots, ..LoadOptions::default() };
                let plan = ModelSpec::with_options(&header, &options).expect("a plan");
                let context = plan.context(context);
                plan.needs(memory)
                    .expect("its needs")
                    .memory(context, Storage { table, ..plan.storage })
                    .total()
            };
            let published = |bytes: u64| bytes + offer.size - in_file - others;
            let whole = published(bytes(0, 0, TablePlace::Device) - inside + in_file);
            let least = published(bytes(used, MIN_CONTEXT, TablePlace::Host));
            let is_about = |said: u64, found: u64| said.abs_diff(found) <= found / 50;
            if !is_about(offer.whole, whole) || !is_about(offer.least, least) {
                wrong.push(Published { whole, least, ..offer });
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
