//! What the headers of the listed models (`models.json`) would say.

use protocol::failure::NoGpu;
use protocol::{
    CacheEntry, Capabilities, ContextCost, DeviceReport, Diffusion, EightBits, FitVerdict, ModelDetails,
    ModelSource, Stored, TypeShare,
};

use super::Scenario;

/// Graphics memory that the fake device offers.
pub const DEVICE_BYTES: u64 = 8_000_000_000;

/// What a model can do in this scenario.
pub fn able(scenario: &Scenario, capabilities: Capabilities) -> Capabilities {
    let senses = !scenario.text_only;
    Capabilities {
        vision: capabilities.vision && senses,
        audio: capabilities.audio && senses,
        ..capabilities
    }
}

const SEES: Capabilities =
    Capabilities { text: true, vision: true, audio: false, tools: true, thinking: true };
const SEES_AND_HEARS: Capabilities = Capabilities { audio: true, ..SEES };

/// How a model decodes in this scenario, if that is by diffusion.
pub fn diffusion(scenario: &Scenario) -> Option<Diffusion> {
    scenario.diffusion.then_some(Diffusion { canvas: 256, steps: 48 })
}

/// What is stored in 8 bits: what was asked for, and where memory is short the cache too.
pub fn stored(scenario: &Scenario, asked: EightBits) -> Stored {
    Stored { asked, eight_bits: EightBits { kv_cache: asked.kv_cache || scenario.short, ..asked } }
}

/// Bytes of a model's files.
pub fn size(source: &ModelSource) -> u64 {
    match source {
        ModelSource::Server { layers, .. } => layers.iter().map(|layer| layer.size).sum(),
        ModelSource::Local { sizes, .. } => sizes.iter().sum(),
    }
}

/// Weights that go to the device: a large model's per-layer table stays outside.
fn resident(size: u64) -> u64 {
    if size > 1_000_000_000 { size / 2 } else { size }
}

/// Graphics memory for a context length.
fn cost(size: u64, context: u32) -> u64 {
    resident(size) + u64::from(context) * (if size > 1_000_000_000 { 131_072 } else { 8_192 }) + 40_000_000
}

/// What the header of this model would say.
pub fn details(source: &ModelSource) -> ModelDetails {
    let size = size(source);
    let small = size < 1_000_000_000;
    let max_context: u32 = if small { 2_048 } else { 131_072 };
    let lengths = [2_048, 8_192, 32_768, 131_072].into_iter().filter(|&context| context <= max_context);
    ModelDetails {
        name: source.name().into(),
        architecture: "gemma4".into(),
        parameters: if small { 12_600_000 } else { size * 7 / 10 },
        file_size: size,
        layers: if small { 10 } else { 35 },
        width: if small { 256 } else { 1_536 },
        vocabulary: if small { 3_072 } else { 262_144 },
        max_context,
        window: 512,
        // The largest one sees and does not hear.
        capabilities: if size > 15_000_000_000 { SEES } else { SEES_AND_HEARS },
        types: vec![
            TypeShare { name: "Q4_K".into(), tensors: 210, bytes: size / 2 },
            TypeShare { name: "Q6_K".into(), tensors: 71, bytes: size / 2 - size / 50 },
            TypeShare { name: "F32".into(), tensors: 425, bytes: size / 50 },
        ],
        memory: lengths.map(|context| ContextCost { context, bytes: cost(size, context) }).collect(),
        drafter: false,
        diffusion: None,
        continues: false,
        embeds: false,
        experts: None,
        stored: Stored::default(),
        allowed: None,
        packed_prompts: true,
        recommended: if small { Some((0.2, 64, 0.95)) } else { Some((1.0, 64, 0.95)) },
    }
}

/// Whether this model would fit into so many bytes.
pub fn verdict(source: &ModelSource, context: u32, available: u64) -> FitVerdict {
    let size = size(source);
    let wanted = allocated(source, context);
    let needed = cost(size, 2_048);
    if needed > available {
        return FitVerdict::TooLarge { needed, available };
    }
    let bytes = cost(size, wanted);
    if bytes <= available {
        return FitVerdict::Fits { context: wanted, bytes, outside: 0 };
    }
    FitVerdict::FitsWith { context: 2_048, bytes: needed, outside: 0 }
}

/// The context that a load with this wish would get.
pub fn allocated(source: &ModelSource, context: u32) -> u32 {
    let most = details(source).max_context;
    if context == 0 { most.min(8_192) } else { context.min(most) }
}

/// Graphics memory that a load with this context would take.
pub fn gpu_bytes(source: &ModelSource, context: u32) -> u64 {
    cost(size(source), context)
}

/// What the browser has of models: a copy of one that the server no longer lists, if any.
pub fn saved(scenario: &Scenario) -> Vec<CacheEntry> {
    let entry = CacheEntry {
        digest: format!("sha256:{}", "9e".repeat(32)),
        name: "gemma4:saved".into(),
        size: 7_200_000_000,
        present: 7_200_000_000,
        last_used: 1_750_000_000_000.0,
        checked: 0.0,
    };
    if scenario.saved { vec![entry] } else { Vec::new() }
}

/// What the fake device is.
pub fn device(scenario: &Scenario) -> DeviceReport {
    if scenario.no_webgpu {
        return DeviceReport {
            problem: Some(NoGpu::NoWebGpu),
            detail: "navigator.gpu is undefined".into(),
            ..DeviceReport::default()
        };
    }
    let (vendor, architecture, description) = if scenario.software {
        ("google", "swiftshader", "SwiftShader")
    } else {
        ("example", "fake", "Fake graphics device")
    };
    DeviceReport {
        available: true,
        vendor: vendor.into(),
        architecture: architecture.into(),
        description: description.into(),
        software: scenario.software,
        subgroups: Some(if scenario.software { (4, 4) } else { (32, 32) }),
        timestamps: true,
        memory: DEVICE_BYTES,
        max_buffer_size: 4_294_967_296,
        max_binding_size: 2_147_483_644,
        limits: vec![
            ("maxBufferSize".into(), 4_294_967_296),
            ("maxComputeInvocationsPerWorkgroup".into(), 1_024),
            ("maxComputeWorkgroupSizeX".into(), 1_024),
            ("maxComputeWorkgroupStorageSize".into(), 32_768),
            ("maxStorageBufferBindingSize".into(), 2_147_483_644),
            ("maxStorageBuffersPerShaderStage".into(), 10),
        ],
        features: vec!["subgroups".into(), "timestamp-query".into()],
        ..DeviceReport::default()
    }
}

#[cfg(test)]
mod tests {
    use protocol::Catalog;

    use super::*;

    /// The list that tests give the page in place of the server's.
    fn catalog() -> Catalog {
        serde_json::from_str(include_str!("../models.json")).expect("a list as the server's")
    }

    fn source(name: &str) -> ModelSource {
        let entry = catalog().models.into_iter().find(|entry| entry.name == name).expect("known");
        ModelSource::Server { name: entry.name, layers: entry.layers }
    }

    #[test]
    fn every_verdict_has_a_model() {
        assert!(matches!(
            verdict(&source("pebble"), 0, DEVICE_BYTES),
            FitVerdict::Fits { context: 2_048, .. }
        ));
        assert!(matches!(
            verdict(&source("gemma4:e2b"), 0, DEVICE_BYTES),
            FitVerdict::Fits { context: 8_192, .. }
        ));
        assert!(matches!(verdict(&source("gemma4:e4b"), 32_768, DEVICE_BYTES), FitVerdict::FitsWith { .. }));
        assert!(matches!(verdict(&source("gemma4:31b"), 0, DEVICE_BYTES), FitVerdict::TooLarge { .. }));
    }

    #[test]
    fn one_model_is_broken_and_says_why() {
        let catalog = catalog();
        let broken: Vec<_> = catalog.models.iter().filter_map(|entry| entry.broken.as_ref()).collect();
        assert!(matches!(broken.as_slice(), [said] if said.code.is_some()), "{broken:?}");
    }
}
