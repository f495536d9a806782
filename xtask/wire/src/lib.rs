//! What the page of `cargo xtask bench` says to the real worker, and what the worker answers, for a script without the
//! app's code. It is no part of what visitors load.

use protocol::{
    AnswerFormat, BenchmarkOptions, Constraint, Diagnosis, EightBits, Forget, GenerateOptions, Layer,
    LayerKind, LoadOptions, Message, ModelSource, PageId, Request, RequestId, Role, ToPage, ToWorker,
    VERSION,
};
use wasm_bindgen::prelude::*;

/// Bytes of graphics memory that a benchmark may use.
const MEMORY: u64 = 64 << 30;

/// The greeting, which comes first.
///
/// # Errors
/// When it cannot be encoded.
#[wasm_bindgen]
pub fn hello() -> Result<Vec<u8>, JsError> {
    Ok(protocol::encode(&ToWorker::Hello { version: VERSION, page: PageId(0) })?)
}

/// Loads the model of `size` bytes at `url`; with `use_memory`, what the device has no room for may lie in the tab's memory;
/// with `eight_bits`, cache and per-layer table are stored in 8 bits.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn load(
    id: u32,
    url: String,
    size: f64,
    context: u32,
    use_memory: bool,
    eight_bits: bool,
) -> Result<Vec<u8>, JsError> {
    // The file of this run: caches are kept of files that something identifies.
    let layer = Layer { kind: LayerKind::Model, digest: "bench".into(), url, size: size as u64 };
    let source = ModelSource::Server { name: "bench".into(), layers: vec![layer] };
    let eight_bits = EightBits { table: eight_bits, kv_cache: eight_bits };
    // Benchmarks run on large devices, of which no browser says how large they are.
    let memory = Some(MEMORY);
    let options = LoadOptions { context, use_memory, eight_bits, memory, ..LoadOptions::default() };
    encode(id, Request::Load { source, options })
}

/// Has the model answer in a few tokens, and its KV cache kept.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn answer(id: u32, text: String) -> Result<Vec<u8>, JsError> {
    let messages = vec![Message::text(Role::User, text)];
    let options = GenerateOptions { max_tokens: 4, keep: Some("bench".into()), ..GenerateOptions::default() };
    encode(id, Request::Generate { messages, options })
}

/// Asks which KV caches are kept.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn kept_caches(id: u32) -> Result<Vec<u8>, JsError> {
    encode(id, Request::KeptCaches { forget: Forget::Nothing })
}

/// Has the worker prepare for answers of a JSON schema.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn prepare(id: u32, schema: String) -> Result<Vec<u8>, JsError> {
    let constraint = Constraint { format: AnswerFormat::Schema(schema), ..Constraint::default() };
    encode(id, Request::PrepareConstraint(constraint))
}

/// Times round number `round`; with a `schema`, of an answer in JSON.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn benchmark(
    id: u32,
    prompt: u32,
    answer: u32,
    round: u32,
    schema: Option<String>,
) -> Result<Vec<u8>, JsError> {
    let format = schema.map_or(AnswerFormat::Text, AnswerFormat::Schema);
    let options = BenchmarkOptions { prompt, answer, format, warm_up: 0, rounds: 1, first: round };
    let what = Diagnosis::Benchmark(options);
    encode(id, Request::Diagnose(what))
}

/// Times every kernel of the token after `position` others, or of a chunk of `rows`.
///
/// # Errors
/// As [`hello`].
#[wasm_bindgen]
pub fn profile(id: u32, position: u32, rows: u32) -> Result<Vec<u8>, JsError> {
    encode(id, Request::Diagnose(Diagnosis::Profile { position, rows }))
}

fn encode(id: u32, request: Request) -> Result<Vec<u8>, JsError> {
    Ok(protocol::encode(&ToWorker::request(RequestId(id.into()), request))?)
}

/// A message of the worker as JSON.
///
/// # Errors
/// When the bytes are no message.
#[wasm_bindgen]
pub fn decode(bytes: &[u8]) -> Result<String, JsError> {
    Ok(serde_json::to_string(&protocol::decode::<ToPage>(bytes)?)?)
}
