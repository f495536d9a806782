//! Made-up models against what is known of published ones, and against our own reader.

use std::collections::BTreeMap;

use shaders::{DType, quant::dequantize};

use super::*;
use crate::bytes::{FileSource, MemorySource};
use crate::gguf::{Header, TensorSpec, summary};
use crate::session::{DeviceMemory, Fit, Misfit, Plan};
use crate::tokenizer::Tokenizer;

fn shape(name: &str) -> Shape {
    name.parse().expect("a known name")
}

fn counts(name: &str, quant: Quant) -> BTreeMap<DType, usize> {
    let mut counts = BTreeMap::new();
    for tensor in tensors::plan(&shape(name), quant, PUBLISHED_VOCABULARY) {
        *counts.entry(tensor.spec.dtype).or_default() += 1;
    }
    counts
}

fn bytes(name: &str, quant: Quant) -> u64 {
    let plan = tensors::plan(&shape(name), quant, PUBLISHED_VOCABULARY);
    plan.iter().map(|tensor| tensor.spec.bytes().expect("whole blocks")).sum()
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
    let options = Options { vocabulary: LEAST_VOCABULARY, seed, ..Options::new(small(), quant) };
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
    let moe = counts("26b", Quant::Q4KM);
    let expected =
        [(DType::F32, 392), (DType::Q4_K, 192), (DType::Q6_K, 14), (DType::Q5_0, 32), (DType::Q8_0, 28)];
    assert_eq!(moe, expected.into_iter().collect());
}

#[test]
fn parameters_are_those_of_published_models() {
    for (name, billions) in [("e2b", 4.65), ("e4b", 7.52), ("12b", 11.9), ("26b", 25.2), ("31b", 30.7)] {
        let plan = tensors::plan(&shape(name), Quant::F16, PUBLISHED_VOCABULARY);
        let parameters: u64 = plan.iter().map(|tensor| tensor.spec.shape.iter().product::<u64>()).sum();
        let found = parameters as f64 / 1e9;
        assert!((found - billions).abs() < 0.006 * billions, "{name}: {found}");
    }
    assert!((3.2e9..3.6e9).contains(&(bytes("e2b", Quant::Q4KM) as f64)), "{}", bytes("e2b", Quant::Q4KM));
}

/// What a model of a published shape is, from its header alone.
pub(crate) fn plan(name: &str, quant: Quant) -> Plan {
    let header = header(&Options::new(shape(name), quant)).expect("a header");
    Plan::read(&header).expect("a plan")
}

#[test]
fn the_per_layer_table_goes_to_the_device_where_there_is_room() {
    for name in ["e2b", "e4b"] {
        let plan = plan(name, Quant::Q4KM);
        assert!(plan.table_bytes > 1_900_000_000, "{name}: {}", plan.table_bytes);
        // A card that reports buffers of 2 GiB, and one that binds 128 MiB: the table is cut for it.
        for largest_binding in [(1 << 31) - 4, 128 << 20] {
            let memory = DeviceMemory { available: 16 << 30, largest_binding };
            let fit = plan.fit(0, memory).expect("it fits");
            assert_eq!((fit.context, fit.table_on_host), (8192, false), "{name}");
            assert_eq!(fit.bytes, plan.bytes(8192, false));
        }
        // Without room for the table no context is made shorter for it; that of the rest may be.
        let memory = |available| DeviceMemory { available, largest_binding: 1 << 30 };
        for asked in [0, 32_768] {
            let fit = plan.fit(asked, memory(plan.bytes(plan.context(asked), false) - 1)).expect("it fits");
            assert_eq!((fit.context, fit.table_on_host), (plan.context(asked), true), "{name}");
        }
        let fit = plan.fit(0, memory(plan.bytes(8192, true) - 1)).expect("it fits");
        assert_eq!(fit, Fit { context: 7680, bytes: plan.bytes(7680, true), table_on_host: true });
        let misfit = plan.fit(0, memory(1 << 30)).expect_err("it is larger");
        assert_eq!(misfit, Misfit::Memory { needed: plan.bytes(512, true), available: 1 << 30 });
    }
}

#[test]
fn a_context_is_no_longer_than_its_cache_can_be_bound() {
    let plan = plan("e4b", Quant::Q4KM);
    let memory = |largest_binding| DeviceMemory { available: 64 << 30, largest_binding };
    // Two pairs of keys and values of 512 halves: 2 KiB for each position.
    let fit = plan.fit(131_072, memory(128 << 20)).expect("it fits");
    assert_eq!((fit.context, fit.table_on_host), (65_536, false));
    assert_eq!(plan.fit(131_072, memory(256 << 20)).expect("it fits").context, 131_072);
    // No context makes a matrix smaller.
    let (label, limit) = ("per_layer_model_proj".to_owned(), 16 << 20);
    let misfit = plan.fit(0, memory(limit)).expect_err("it cannot be cut");
    assert_eq!(misfit, Misfit::Buffer { label, bytes: 55_050_240, limit });
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
        // Files of Ollama call that mix what llama.cpp calls its own.
        let told = name.trim_end_matches("_ple");
        assert_eq!(summary.quantization.map(str::to_lowercase).as_deref(), Some(told));
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

#[test]
fn towers_for_sound_are_those_of_published_models() {
    for (name, kind) in [("e2b", 12), ("e4b", 12), ("12b", 0)] {
        let shape = shape(name);
        let tensors = audio::plan(&shape);
        let specs: Vec<_> = tensors.iter().map(|tensor| tensor.spec.clone()).collect();
        let options = Options { towers: true, ..Options::new(shape.clone(), Quant::Q4KM) };
        let header = hollow::hollow(&super::metadata(&shape, &options), &specs).expect("a header");
        let plan = crate::audio::TowerPlan::read(&header, shape.width).expect("no fault").expect("a tower");
        match &plan.config().kind {
            crate::audio::Kind::Conformer(conformer) => {
                assert_eq!((conformer.blocks, conformer.width, conformer.out), (kind, 1024, 1536));
                assert!((600e6..760e6).contains(&(plan.bytes() as f64)), "{}", plan.bytes());
            }
            crate::audio::Kind::Raw { frame } => assert_eq!((*frame, kind), (640, 0)),
        }
    }
    assert!(audio::plan(&shape("26b")).is_empty());
}

#[test]
fn the_seed_decides() {
    assert!(write_small(Quant::Q4KM, 1) == write_small(Quant::Q4KM, 1));
    assert!(write_small(Quant::Q4KM, 1) != write_small(Quant::Q4KM, 2));
}

#[test]
fn the_tokenizer_takes_the_vocabulary() {
    for vocabulary in [LEAST_VOCABULARY, PUBLISHED_VOCABULARY] {
        let mut metadata = crate::gguf::Metadata::default();
        let options = Options { vocabulary, ..Options::new(small(), Quant::Q80) };
        // Only the header is wanted: no tensors.
        let writer =
            Writer::new(Vec::new(), &super::metadata(&options.shape, &options), &[]).expect("a header");
        metadata.0.extend(read(writer.finish().expect("complete")).metadata.0);
        let tokenizer = Tokenizer::from_metadata(&metadata).expect("a good vocabulary");
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

/// The header of a whole model, in front of a hole as long as its weights.
fn with_hole(options: &Options) -> Header {
    let specs: Vec<_> = tensors::plan(&options.shape, options.quant, options.vocabulary)
        .into_iter()
        .map(|tensor| tensor.spec)
        .collect();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    Writer::new(file.as_file(), &super::metadata(&options.shape, options), &specs).expect("a header");
    let padded = |spec: &TensorSpec| spec.bytes().expect("whole blocks").next_multiple_of(32);
    let header = file.as_file().metadata().expect("its length").len();
    file.as_file().set_len(header + specs.iter().map(padded).sum::<u64>()).expect("a hole");
    pollster::block_on(Header::read(&FileSource::open(file.path()).expect("it opens"))).expect("a good file")
}

#[test]
fn experts_of_the_published_size_are_counted_and_can_be_cut() {
    let options = Options { vocabulary: LEAST_VOCABULARY, ..Options::new(shape("26b"), Quant::Q4KM) };
    let header = with_hole(&options);
    let plan = Plan::read(&header).expect("a plan");
    // All tensors but the vocabulary of the published file.
    assert!((15.0e9..16.5e9).contains(&(plan.weight_bytes as f64)), "{}", plan.weight_bytes);
    // A layer's gate and up are 285 MB; a single expert has 2.2 MB.
    assert_eq!(plan.unbindable(128 << 20), None);
    assert!(plan.unbindable(2 << 20).is_some());
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
        "There is no shape \u{ab}e3b\u{bb}. There are e2b, e4b, 12b, 26b, 31b, e2b-small."
    );
    assert!("q4_k".parse::<Quant>().is_err());
    let options = Options { vocabulary: 500, ..Options::new(small(), Quant::F16) };
    assert!(matches!(write(Vec::new(), &options), Err(SynthError::Vocabulary { found: 500 })));
}
