//! Every format that is read from a file of somebody else's, broken in every way.

use std::fs;
use std::ops::Range;

use engine::adapter::{Adapter, Factors, Projection, Target, flat, gguf, peft};
use engine::audio;
use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, MemorySource, SourceError};
use engine::gguf::Header;
use engine::model::DrafterSpec;
use engine::plan::Limits;
use engine::session::{DeviceMemory, ModelSpec};
use engine::store::RangeSet;
use engine::store::journal::Record;
use engine::tokenizer::Tokenizer;
use engine::train::examples;
use engine::vision;
use pollster::block_on;
use safetensors::tensor::{Dtype, TensorView};

use super::common::repository;
use super::fuzz::{fuzz, fuzz_within};

fn golden(path: &str) -> Vec<u8> {
    fs::read(repository("frontend/engine/tests/golden").join(path)).expect("a file of the golden set")
}

/// The header of a file, and as many zeros behind it as the file has data.
struct Headed<'a> {
    header: &'a [u8],
    len: u64,
}

impl ByteSource for Headed<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> LocalBoxFuture<'_, Result<Bytes, SourceError>> {
        let end = self.header.len() as u64;
        let [start, until] = [range.start.min(end), range.end.min(end)].map(|at| at as usize);
        // Not `resize`, which without optimizations writes a byte at a time.
        let mut bytes = vec![0; (range.end - range.start) as usize];
        bytes[..until - start].copy_from_slice(&self.header[start..until]);
        Box::pin(async move { Ok(Bytes::from(bytes)) })
    }
}

/// Fuzzes the headers of files of the golden set, which end where `end_of` says.
fn fuzz_headers(
    name: &str,
    paths: &[&str],
    end_of: impl Fn(&[u8]) -> usize,
    mut parse: impl FnMut(&Headed<'_>) -> bool,
) {
    let files: Vec<_> = paths.iter().map(|path| golden(path)).collect();
    let len = files.iter().map(Vec::len).max().unwrap_or_default();
    let corpus: Vec<_> = files.iter().map(|file| file[..end_of(file)].to_vec()).collect();
    // The input is the whole file, which bounds counts and windows: of it, half of what is allowed at once.
    fuzz_within(name, &corpus, 8 * len, |header| parse(&Headed { header, len: len as u64 }));
}

fn end_of_gguf(file: &[u8]) -> usize {
    let source = MemorySource::new(file.to_vec());
    block_on(Header::read(&source)).expect("a header").data_start as usize
}

fn end_of_safetensors(file: &[u8]) -> usize {
    8 + u64::from_le_bytes(file[..8].try_into().expect("eight bytes")) as usize
}

#[test]
fn headers_of_models() {
    let paths = [
        "models/tiny-31b.q4_0.gguf",
        "models/tiny-diffusion.q4_k_m.gguf",
        "models/tiny-e2b.fp4_mix.lcpp.gguf",
        "models/tiny-e2b.iq_mix.lcpp.gguf",
        "models/tiny-embed.q8_0.ollama.gguf",
        "models/tiny-embed2.q8_0.gguf",
        "models/tiny-gemma3.q4_k_m.gguf",
        "models/tiny-moe.q4_k_m.gguf",
    ];
    let memory = DeviceMemory { available: 16 << 30, limits: Limits::default() };
    fuzz_headers("model", &paths, end_of_gguf, |source| {
        let Ok(header) = block_on(Header::read(source)) else { return false };
        // A file with a bad tokenizer may still be described.
        let tokenizer = Tokenizer::from_metadata(&header.metadata);
        ModelSpec::read(&header).is_ok_and(|spec| spec.fit(0, memory).is_ok()) && tokenizer.is_ok()
    });
}

#[test]
fn headers_of_projectors() {
    let paths = [
        "models/tiny-e2b.mmproj.q8_0.gguf",
        "models/tiny-embed2.mmproj.bf16.gguf",
        "models/tiny-unified.mmproj.f16.gguf",
    ];
    let read = |header: &Header, width| {
        vision::TowerPlan::read(header, width).is_ok_and(|tower| tower.is_some())
            & audio::TowerPlan::read(header, width).is_ok()
    };
    fuzz_headers("projector", &paths, end_of_gguf, |source| {
        // The width of the model that each is for.
        block_on(Header::read(source))
            .is_ok_and(|header| [128, 256].iter().any(|&width| read(&header, width)))
    });
}

#[test]
fn headers_of_drafters() {
    let target = "models/tiny-e2b.q4_k_m.gguf";
    let target = block_on(Header::read(&MemorySource::new(golden(target)))).expect("a header");
    let target = ModelSpec::read(&target).expect("a model").config;
    fuzz_headers("drafter", &["models/tiny-e2b-assistant.f16.gguf"], end_of_gguf, |source| {
        block_on(Header::read(source)).is_ok_and(|header| DrafterSpec::read(&header, &target, 1024).is_ok())
    });
}

#[test]
fn adapters() {
    fuzz_headers("GGUF adapter", &["adapters/exported/adapter.gguf"], end_of_gguf, |source| {
        block_on(gguf::read(source)).is_ok()
    });
    fuzz_headers("flat adapter", &["adapters/flat.safetensors"], end_of_safetensors, |source| {
        block_on(flat::read(source, Some(8.0))).is_ok()
    });
    let config = golden("adapters/peft/adapter_config.json");
    fuzz_headers(
        "PEFT weights",
        &["adapters/peft/adapter_model.safetensors"],
        end_of_safetensors,
        |source| block_on(peft::read(source, &config)).is_ok(),
    );
    fuzz("PEFT configuration", std::slice::from_ref(&config), |bytes| {
        peft::AdapterConfig::parse(bytes).is_ok()
    });
}

/// Both projections of three experts in one layer, one of them in another, and queries beside them.
fn of_experts() -> Adapter {
    let mut adapter = Adapter::default();
    let of = |layer, projection, experts: u32, [input, output]: [u32; 2]| {
        let rank = 2;
        let numbers = |count: u32| (0..count).map(|i| (i % 7) as f32).collect();
        let (a, b) = (numbers(experts * rank * input), numbers(experts * output * rank));
        (Target { layer, projection }, Factors { rank, input, output, a, b, scale: 1.0 })
    };
    let all = [
        of(0, Projection::ExpertGateUp, 3, [8, 10]),
        of(0, Projection::ExpertDown, 3, [5, 8]),
        of(1, Projection::ExpertDown, 3, [5, 8]),
        of(1, Projection::Q, 1, [8, 6]),
    ];
    for (target, factors) in all {
        adapter.insert(target, factors).expect("factors");
    }
    adapter
}

#[test]
fn adapters_of_experts() {
    let adapter = of_experts();
    let within = |name: &str, file: Vec<u8>, end: usize, parse: &mut dyn FnMut(&Headed<'_>) -> bool| {
        let len = file.len();
        fuzz_within(name, &[file[..end].to_vec()], (8 * len).max(64 << 10), |header| {
            parse(&Headed { header, len: len as u64 })
        });
    };
    // Gate and up apart are joined.
    let joined = gguf::write(&adapter, "experts", Vec::new()).expect("a file");
    let end = end_of_gguf(&joined);
    within("GGUF adapter of experts", joined, end, &mut |source| block_on(gguf::read(source)).is_ok());
    let mut tensors = Vec::new();
    for (part, ranks) in [("gate", 2_usize), ("up", 3)] {
        for (side, shape) in [("A", [3, ranks, 8]), ("B", [3, 5, ranks])] {
            let bytes = vec![0u8; 4 * shape.iter().product::<usize>()];
            tensors.push((format!("lora.blk.0.ffn_{part}_exps.{side}"), shape.to_vec(), bytes));
        }
    }
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
        (name.clone(), view.expect("a view"))
    });
    let apart = safetensors::serialize(views, None).expect("tensors serialise");
    let end = end_of_safetensors(&apart);
    within("flat adapter of experts", apart, end, &mut |source| {
        block_on(flat::read(source, Some(8.0))).is_ok()
    });
    let files = peft::write(&adapter, "tiny-moe").expect("files");
    let end = end_of_safetensors(&files.weights);
    within("PEFT weights of experts", files.weights.clone(), end, &mut |source| {
        block_on(peft::read(source, files.config.as_bytes())).is_ok()
    });
    let weights = MemorySource::new(files.weights);
    fuzz("PEFT configuration of experts", &[files.config.into_bytes()], |bytes| {
        block_on(peft::read(&weights, bytes)).is_ok()
    });
}

#[test]
fn training_examples() {
    let corpus = [
        "{\"prompt\": \"My cat?\", \"completion\": \"Ada.\"}\n{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": [{\"type\": \"text\", \"text\": \"Ho\"}]}]}\n",
        "[{\"instruction\": \"a\", \"input\": \"b\", \"output\": \"c\"}, {\"text\": \"d\"}]",
        "prompt,completion\n\"My \"\"cat\"\"?\",Ada.\nDog,\"two\nlines\"\n",
        "prompt;completion\r\na;b\r\n",
    ];
    fuzz("examples", &corpus.map(|text| text.as_bytes().to_vec()), |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        !examples::read(text, None).rows.is_empty()
    });
}

#[test]
fn journals() {
    let mut record = Record::new("gemma4:e2b", 7_200_000_000);
    let first = record.line();
    record.present = RangeSet::default();
    record.present.insert(0..64 << 20);
    record.present.insert(100 << 20..7_200_000_000);
    let second = record.line();
    let digests: Vec<String> = (0..4).map(|byte| format!("\"sha256:{byte:064x}\"")).collect();
    let chunks = format!("{{\"version\":1,\"chunk_size\":2000000000,\"chunks\":[{}]}}\n", digests.join(","));
    record.damaged.insert(0..64 << 20);
    record.checked = 1_763_720_000_000.0;
    let third = record.line();
    let corpus = [format!("{first}{second}"), second, format!("{first}{chunks}{third}")];
    let read = Record::last_of(&corpus[2]).and_then(|record| record.chunks).expect("digests");
    assert_eq!(read.line(), chunks);
    fuzz("journal", &corpus.map(String::into_bytes), |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let record = Record::last_of(text);
        record.inspect(|it| assert!(it.present.end() <= it.size && it.damaged.end() <= it.size)).is_some()
    });
}
