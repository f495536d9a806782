//! Every format that is read from a file of somebody else's, broken in every way.

use std::fs;
use std::ops::Range;

use engine::adapter::{flat, gguf, peft};
use engine::bytes::{ByteSource, Bytes, LocalBoxFuture, MemorySource, SourceError};
use engine::gguf::Header;
use engine::session::ModelSpec;
use engine::store::RangeSet;
use engine::store::journal::Record;
use engine::train::examples;
use pollster::block_on;

use super::common::repository;
use super::fuzz::{fuzz, fuzz_within};

fn golden(path: &str) -> Vec<u8> {
    fs::read(repository("frontend/engine/tests/golden").join(path)).expect("a file of the golden set")
}

/// A header, and as many zeros behind it as the whole file has bytes.
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
        let mut bytes = self.header[start..until].to_vec();
        bytes.resize((range.end - range.start) as usize, 0);
        let source = MemorySource::new(bytes);
        Box::pin(async move { source.read(0..source.len()).await })
    }
}

#[test]
fn headers_of_models() {
    let mut len = 0;
    let corpus = ["models/tiny-31b.q4_0.gguf", "models/tiny-moe.q4_k_m.gguf"].map(|path| {
        let mut file = golden(path);
        len = len.max(file.len() as u64);
        let header = block_on(Header::read(&MemorySource::new(file.clone()))).expect("a header");
        file.truncate(header.data_start as usize);
        file
    });
    // The header of a file is read a window at a time.
    fuzz_within("model", &corpus, 4 * len as usize, |bytes| {
        let source = Headed { header: bytes, len };
        if let Ok(header) = block_on(Header::read(&source)) {
            ModelSpec::read(&header).ok();
        }
    });
}

/// The text of a safetensors header, and data.
fn safetensors(header: &str, data: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.resize(file.len() + data, 0);
    file
}

#[test]
fn adapters() {
    let flat_file = safetensors(
        r#"{"__metadata__":{"alpha":"4"},"lora.blk.0.attn_q.A":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},"lora.blk.0.attn_q.B":{"dtype":"F16","shape":[4,2],"data_offsets":[32,48]}}"#,
        48,
    );
    fuzz("flat safetensors", &[flat_file], |bytes| {
        block_on(flat::read(&MemorySource::new(bytes.to_vec()), None)).ok();
    });
    let module = "base_model.model.model.layers.0.self_attn.q_proj";
    let header = format!(
        r#"{{"{module}.lora_A.weight":{{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]}},"{module}.lora_B.weight":{{"dtype":"BF16","shape":[4,2],"data_offsets":[32,48]}}}}"#
    );
    let config = r#"{"peft_type":"LORA","r":2,"lora_alpha":4,"target_modules":["q_proj"],"rank_pattern":{"layers.0":2},"alpha_pattern":{},"use_rslora":false,"bias":"none"}"#;
    fuzz("PEFT weights", &[safetensors(&header, 48)], |bytes| {
        block_on(peft::read(&MemorySource::new(bytes.to_vec()), config.as_bytes())).ok();
    });
    fuzz("PEFT configuration", &[config.into()], |bytes| {
        peft::AdapterConfig::parse(bytes).ok();
    });
    let mut of_llama_cpp = golden("models/tiny-31b.q4_0.gguf");
    of_llama_cpp.truncate(4096);
    fuzz("GGUF adapter", &[of_llama_cpp], |bytes| {
        block_on(gguf::read(&MemorySource::new(bytes.to_vec()))).ok();
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
        if let Ok(text) = std::str::from_utf8(bytes) {
            let parsed = examples::read(text, None);
            assert!(parsed.rows.len() <= text.len());
        }
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
    fuzz("journal", &[format!("{first}{second}").into_bytes(), second.into_bytes()], |bytes| {
        if let Ok(text) = std::str::from_utf8(bytes)
            && let Some(record) = Record::last_of(text)
        {
            assert!(record.present.end() <= record.size);
        }
    });
}
