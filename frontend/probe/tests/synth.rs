//! Made-up models against what is known of published ones, and against our own reader.

use std::collections::BTreeMap;

use engine::audio;
use engine::bytes::MemorySource;
use engine::gguf::{Header, summary};
use engine::gpu::GpuError;
use engine::model::KvType;
use engine::plan::Limits;
use engine::session::{DeviceMemory, EngineError, Fit, ModelSpec, Storage, TablePlace};
use engine::tokenizer::Tokenizer;
use probe::synth::{MIN_VOCABULARY, Options, PUBLISHED_VOCABULARY, Quant, Shape, SynthError, header, write};
use shaders::{DType, quant::dequantize};

fn shape(name: &str) -> Shape {
    name.parse().expect("a known name")
}

/// The header of a model of a published shape.
fn published(name: &str, quant: Quant) -> Header {
    header(&Options::new(shape(name), quant)).expect("a header")
}

fn counts(name: &str, quant: Quant) -> BTreeMap<DType, usize> {
    let mut counts = BTreeMap::new();
    for tensor in &published(name, quant).tensors {
        *counts.entry(tensor.dtype.known().expect("our own types")).or_default() += 1;
    }
    counts
}

/// A model of the E2B kind that fits a test.
fn small() -> Shape {
    Shape {
        width: 512,
        heads: 2,
        feed_forward: 256,
        period: 2,
        layers: 6,
        shared: 3,
        window: 16,
        ..shape("e2b")
    }
}

fn write_small(quant: Quant, seed: u64) -> Vec<u8> {
    let options = Options { vocabulary: MIN_VOCABULARY, seed, ..Options::new(small(), quant) };
    let mut out = Vec::new();
    write(&mut out, &options).expect("memory takes everything");
    out
}

fn read(bytes: Vec<u8>) -> Header {
    pollster::block_on(Header::read(&MemorySource::new(bytes))).expect("a good file")
}

/// Counts that loaders of published Q4_K_M files print.
#[test]
fn tensors_are_those_of_published_files() {
    let e2b = counts("e2b", Quant::Q4KM);
    assert_eq!(e2b.values().sum::<usize>(), 601);
    assert_eq!((e2b[&DType::F32], e2b[&DType::BF16]), (283, 1));
    let of_ollama = counts("e2b", Quant::Q4KMPle);
    assert_eq!((of_ollama[&DType::Q4_K], of_ollama.get(&DType::BF16)), (e2b[&DType::Q4_K] + 1, None));
    // Rows of 640 are no whole blocks of 256: most fall back.
    let small = counts("gemma3-270m", Quant::Q4KM);
    let expected =
        [(DType::F32, 109), (DType::Q5_0, 81), (DType::Q4_K, 27), (DType::Q8_0, 10), (DType::Q6_K, 9)];
    assert_eq!(small, expected.into_iter().collect());
    let moe = counts("26b", Quant::Q4KM);
    // Four layers of 11, the table, the last norm, the divisors of RoPE frequencies, and two projections.
    assert_eq!(counts("12b-drafter", Quant::Q80).values().sum::<usize>(), 49);
    let expected =
        [(DType::F32, 392), (DType::Q4_K, 192), (DType::Q6_K, 14), (DType::Q5_0, 32), (DType::Q8_0, 28)];
    assert_eq!(moe, expected.into_iter().collect());
}

#[test]
fn parameters_are_those_of_published_models() {
    let gemma4 = [("e2b", 4.65), ("e4b", 7.52), ("12b", 11.9), ("26b", 25.2), ("31b", 30.7)];
    let gemma3 = [("gemma3-270m", 0.268), ("gemma3-1b", 1.0), ("gemma3-4b", 3.88), ("gemma3-27b", 27.0)];
    for (name, billions) in gemma4.into_iter().chain(gemma3) {
        let header = published(name, Quant::F16);
        let parameters: u64 = header.tensors.iter().map(|tensor| tensor.elements()).sum();
        let found = parameters as f64 / 1e9;
        assert!((found - billions).abs() < 0.006 * billions, "{name}: {found}");
    }
    // Those of the 31B's drafter are published: 470 million.
    for (name, millions) in [("31b-drafter", 469.6), ("26b-drafter", 419.7)] {
        let parameters: u64 =
            published(name, Quant::Q80).tensors.iter().map(|tensor| tensor.elements()).sum();
        assert!((parameters as f64 / 1e6 - millions).abs() < 0.1, "{name}: {parameters}");
    }
    let bytes: u64 = published("e2b", Quant::Q4KM).tensors.iter().map(|tensor| tensor.bytes).sum();
    assert!((3.2e9..3.6e9).contains(&(bytes as f64)), "{bytes}");
}

/// What a model of a published shape is, from its header alone.
fn plan(name: &str, quant: Quant) -> ModelSpec {
    ModelSpec::read(&published(name, quant)).expect("a plan")
}

/// A device with so many bytes, of which it binds `largest_binding` at once.
fn memory(available: u64, largest_binding: u64) -> DeviceMemory {
    DeviceMemory { available, limits: Limits { largest_binding, ..Limits::default() } }
}

#[test]
fn the_per_layer_table_goes_to_the_device_where_there_is_room() {
    for name in ["e2b", "e4b"] {
        let plan = plan(name, Quant::Q4KM);
        let (inside, outside) =
            (Storage::default(), Storage { table: TablePlace::Host, ..Storage::default() });
        let bytes = |limit, context, storage| {
            let needs = plan.needs(memory(16 << 30, limit)).expect("its needs");
            needs.memory(context, storage).total()
        };
        // A card that reports buffers of 2 GiB, and one that binds 128 MiB: the table is cut for it.
        for limit in [(1 << 31) - 4, 128 << 20] {
            let fit = plan.fit(0, memory(16 << 30, limit)).expect("it fits");
            assert_eq!((fit.context, fit.storage), (8192, inside), "{name}");
            assert_eq!(fit.bytes, bytes(limit, 8192, inside));
            // A sixteenth of its 1.9 GB or more is cached there.
            assert!(fit.bytes - bytes(limit, 8192, outside) > 1_780_000_000, "{name}");
        }
        // Without room for the table no context is made shorter for it; that of the rest may be.
        let limit = 1 << 30;
        for asked in [0, 32_768] {
            let context = plan.context(asked);
            let fit = plan.fit(asked, memory(bytes(limit, context, inside) - 1, limit)).expect("it fits");
            assert_eq!((fit.context, fit.storage), (context, outside), "{name}");
        }
        // Then the cache takes half; only after that the context is shorter.
        let smallest = Storage { kv_type: KvType::Q8_0, ..outside };
        let fit = plan.fit(0, memory(bytes(limit, 8192, outside) - 1, limit)).expect("it fits");
        assert_eq!(fit, Fit { context: 8192, bytes: bytes(limit, 8192, smallest), storage: smallest });
        let fit = plan.fit(0, memory(bytes(limit, 8192, smallest) - 1, limit)).expect("it fits");
        assert_eq!(fit, Fit { context: 7680, bytes: bytes(limit, 7680, smallest), storage: smallest });
        let misfit = plan.fit(0, memory(1 << 30, limit)).expect_err("it is larger");
        let shortest = bytes(limit, 512, smallest);
        assert!(matches!(misfit, EngineError::TooLarge { needed, .. } if needed == shortest), "{misfit}");
    }
}

#[test]
fn a_table_in_floats_is_requantised_before_it_leaves_the_device() {
    for name in ["e2b", "e4b"] {
        let plan = plan(name, Quant::Q4KMBf16Table);
        let table = plan.table().expect("a table").range.clone();
        let limit = 1 << 30;
        let stored = |table| Storage { table, ..Storage::default() };
        let bytes = |table| {
            let needs = plan.needs(memory(u64::MAX, limit)).expect("its needs");
            needs.memory(8192, stored(table)).total()
        };
        let [whole, requantised, outside] =
            [TablePlace::Device, TablePlace::Requantized, TablePlace::Host].map(bytes);
        // 34 bytes for 32 elements instead of 64.
        let saved = (table.end - table.start) * 30 / 64;
        assert!((whole - requantised).abs_diff(saved) < 1 << 20, "{name}: {}", whole - requantised);
        for (available, place) in [
            (whole, TablePlace::Device),
            (whole - 1, TablePlace::Requantized),
            (requantised, TablePlace::Requantized),
            (requantised - 1, TablePlace::Host),
            (outside, TablePlace::Host),
        ] {
            let fit = plan.fit(8192, memory(available, limit)).expect("it fits");
            assert_eq!((fit.context, fit.storage), (8192, stored(place)), "{name}");
            assert!(fit.bytes <= available);
        }
        // A person may want it even where there is room.
        let asked = ModelSpec { storage: stored(TablePlace::Requantized), ..plan.clone() };
        let fit = asked.fit(8192, memory(u64::MAX, limit)).expect("it fits");
        assert_eq!((fit.bytes, fit.storage.table), (requantised, TablePlace::Requantized));
    }
}

#[test]
fn a_table_that_is_quantised_already_stays_as_it_is() {
    let usual = plan("e2b", Quant::Q4KM);
    let table = TablePlace::Requantized;
    let asked = ModelSpec { storage: Storage { table, ..Storage::default() }, ..usual.clone() };
    let device = memory(64 << 30, 1 << 30);
    let fit = asked.fit(8192, device).expect("it fits");
    assert_eq!(fit, usual.fit(8192, device).expect("it fits"));
    assert_eq!(fit.storage.table, TablePlace::Device);
}

#[test]
fn a_context_is_no_longer_than_its_cache_can_be_bound() {
    let plan = plan("e4b", Quant::Q4KM);
    // Two pairs of keys and values of 512 elements: 2 KiB for each position in halves, 1 088 bytes in Q8_0.
    let fit = plan.fit(65_536, memory(64 << 30, 128 << 20)).expect("it fits");
    assert_eq!((fit.context, fit.storage), (65_536, Storage::default()));
    let fit = plan.fit(131_072, memory(64 << 30, 128 << 20)).expect("it fits");
    let storage = Storage { kv_type: KvType::Q8_0, ..Storage::default() };
    assert_eq!((fit.context, fit.storage), ((128 << 20) / 1088 / 512 * 512, storage));
    assert_eq!(plan.fit(131_072, memory(64 << 30, 256 << 20)).expect("it fits").context, 131_072);
    // No context makes a matrix smaller.
    let misfit = plan.fit(0, memory(64 << 30, 16 << 20)).expect_err("it cannot be cut");
    let EngineError::Gpu(GpuError::TooLarge { label, bytes, limit }) = misfit else { panic!("{misfit}") };
    assert_eq!((label.as_str(), bytes, limit), ("per_layer_model_proj", 55_050_240, 16 << 20));
}

#[test]
fn large_products_are_those_of_many_quantised_rows() {
    let large = |name: &str, quant| plan(name, quant).large_products();
    let e2b = large("e2b", Quant::Q40);
    assert_eq!(e2b, ["Q4_0+Q4_0 1536x12288", "Q4_0+Q4_0 1536x24576", "Q6_K 1536x262144"]);
    // Sliding layers have 16 heads of 256 and 8 pairs of keys and values; global ones 16 of 512, and 2 of keys.
    let moe = large("26b", Quant::Q80);
    assert_eq!(moe, ["Q8_0 2816x262144", "Q8_0+Q8_0 2816x9216", "Q8_0+Q8_0+Q8_0 2816x8192"]);
    assert!(large("e2b", Quant::F16).is_empty());
}

#[test]
fn every_mix_is_a_file_that_is_read_back() {
    for name in Quant::names() {
        let quant: Quant = name.parse().expect("a known name");
        let header = read(write_small(quant, 1));
        let summary = summary(&header);
        assert!(header.metadata.u32("general.file_type").is_some(), "{name}");
        assert_eq!(summary.architecture, "gemma4");
        let end = header.tensors.iter().map(|tensor| tensor.range().end).max().expect("tensors");
        assert_eq!(end.next_multiple_of(32), header.file_size);
        let pattern = header.metadata.integers("gemma4.attention.sliding_window_pattern");
        assert_eq!(pattern, Some(vec![1, 0, 1, 0, 1, 0]));
        let wide = header.metadata.integers("gemma4.feed_forward_length");
        assert_eq!(wide, Some(vec![256, 256, 256, 512, 512, 512]));
    }
}

#[test]
fn values_have_the_deviation_that_keeps_activations_near_one() {
    for name in Quant::names() {
        let file = write_small(name.parse().expect("a known name"), 1);
        let header = read(file.clone());
        let mut matrices = 0;
        for tensor in header.tensors.iter().filter(|tensor| tensor.elements() > 20_000) {
            let dtype = tensor.dtype.known().expect("our own types");
            let mut values = vec![0.0; tensor.elements() as usize];
            let bytes = &file[tensor.range().start as usize..tensor.range().end as usize];
            dequantize(dtype, bytes, &mut values).expect("whole blocks");
            let count = values.len() as f64;
            let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
            let deviation =
                (values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / count).sqrt();
            let expected = match tensor.name.as_str() {
                "per_layer_token_embd.weight" => 256_f64.powf(-0.5),
                _ => (tensor.columns() as f64).powf(-0.5),
            };
            assert!((deviation / expected - 1.0).abs() < 0.06, "{}: {deviation} {expected}", tensor.name);
            assert!(mean.abs() < 0.15 * deviation, "{}: {mean} {deviation}", tensor.name);
            assert!(values.iter().all(|value| value.is_finite()));
            matrices += 1;
        }
        assert!(matrices > 30, "{matrices}");
    }
}

/// The tower for sound of a published shape.
fn ears(name: &str) -> Option<audio::TowerPlan> {
    let options = Options { towers: true, ..Options::new(shape(name), Quant::Q4KM) };
    let header = header(&options).expect("a header");
    audio::TowerPlan::read(&header, options.shape.width).expect("no fault")
}

#[test]
fn towers_for_sound_are_those_of_published_models() {
    for (name, kind) in [("e2b", 12), ("e4b", 12), ("12b", 0)] {
        let plan = ears(name).expect("a tower");
        match &plan.config().kind {
            audio::Kind::Conformer(conformer) => {
                assert_eq!((conformer.blocks, conformer.width, conformer.out), (kind, 1024, 1536));
                let bytes = plan.bytes(Limits::default()).expect("a plan");
                assert!((600e6..760e6).contains(&(bytes as f64)), "{bytes}");
            }
            audio::Kind::Raw { frame } => assert_eq!((*frame, kind), (640, 0)),
        }
    }
    assert!(ears("26b").is_none());
}

#[test]
fn the_seed_decides() {
    assert!(write_small(Quant::Q4KM, 1) == write_small(Quant::Q4KM, 1));
    assert!(write_small(Quant::Q4KM, 1) != write_small(Quant::Q4KM, 2));
}

#[test]
fn the_tokenizer_takes_the_vocabulary() {
    for vocabulary in [MIN_VOCABULARY, PUBLISHED_VOCABULARY] {
        let options = Options { vocabulary, ..Options::new(small(), Quant::Q80) };
        let header = header(&options).expect("a header");
        let tokenizer = Tokenizer::from_metadata(&header.metadata).expect("a good vocabulary");
        assert_eq!(tokenizer.special().bos, 2);
        assert!(tokenizer.special().image_slot.is_some());
    }
}

#[test]
fn fewer_layers_still_have_donors() {
    for name in Shape::names() {
        let whole = shape(name);
        for layers in 1..=whole.layers {
            let cut = whole.clone().with_layers(layers).expect("it has as many");
            let owners = 0..layers - cut.shared;
            for i in owners.end..layers {
                let donor = owners.clone().any(|owner| cut.is_sliding(owner) == cut.is_sliding(i));
                assert!(donor, "{name} cut to {layers}: layer {i}");
            }
        }
        assert!(matches!(whole.clone().with_layers(0), Err(SynthError::Layers { .. })));
        assert!(matches!(whole.clone().with_layers(whole.layers + 1), Err(SynthError::Layers { .. })));
    }
}

#[test]
fn fewer_experts_are_still_a_mixture() {
    let moe = || shape("26b");
    let few = moe().with_experts(16).expect("it has as many");
    assert_eq!(few.experts.map(|e| (e.count, e.used, e.feed_forward)), Some((16, 8, 704)));
    assert!(matches!(moe().with_experts(7), Err(SynthError::Experts { least: 8, most: 128, .. })));
    assert!(matches!(shape("e2b").with_experts(8), Err(SynthError::Experts { most: 0, .. })));
}

#[test]
fn experts_of_the_published_size_are_counted_and_can_be_cut() {
    let options = Options { vocabulary: MIN_VOCABULARY, ..Options::new(shape("26b"), Quant::Q4KM) };
    let plan = ModelSpec::read(&header(&options).expect("a header")).expect("a plan");
    // All tensors but the vocabulary of the published file.
    let weights =
        plan.needs(memory(64 << 30, (1 << 31) - 4)).expect("its needs").memory(512, plan.storage).weights;
    assert!((15.0e9..16.5e9).contains(&(weights as f64)), "{weights}");
    // A layer's gate and up are 285 MB; a single expert has 2.2 MB.
    assert!(plan.needs(memory(64 << 30, 128 << 20)).is_ok());
    assert!(plan.needs(memory(64 << 30, 2 << 20)).is_err());
    let experts = plan.tensors.matrix("blk.7.ffn_gate_up_exps").expect("experts");
    let rows = experts.rows_within(128 << 20).expect("a layout").expect("it can be cut");
    assert!(rows.is_multiple_of(1408) && rows / 1408 >= 56, "{rows}");
    assert_eq!(experts.rows_within(1 << 30), Ok(Some(128 * 1408)));
}

#[test]
fn wrong_names_are_answered_with_the_right_ones() {
    let error = "e3b".parse::<Shape>().expect_err("no such shape");
    assert_eq!(
        error.to_string(),
        "There is no shape \u{ab}e3b\u{bb}. There are e2b, e4b, 12b, 26b, 26b-diffusion, 31b, \
         e2b-drafter, e4b-drafter, 12b-drafter, 26b-drafter, 31b-drafter, e2b-small, \
         gemma3-270m, gemma3-1b, gemma3-4b, gemma3-12b, gemma3-27b, \
         embeddinggemma, embeddinggemma-2."
    );
    assert!("q4_k".parse::<Quant>().is_err());
    let options = Options { vocabulary: 500, ..Options::new(small(), Quant::F16) };
    assert!(matches!(write(Vec::new(), &options), Err(SynthError::Vocabulary { found: 500 })));
}
