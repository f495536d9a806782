//! Embeddings against the reference outputs of Hugging Face transformers (f32, eager): those that the repository carries, and all
//! of them where GEMTAB_GOLDEN names the full set.
//!
//! Tolerances are those of the set: a cosine of at least 0.99999 and differences of at most 2e-3; for media that a tower has
//! encoded a cosine of at least 0.999. Vectors have length 1.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::{ContentHash, Input, Media, Medium, SoftTokens};
use engine::model::ConfigError;
use engine::session::{
    DeviceMemory, EncoderSession, EngineError, LoadOptions, ModelFile, ModelSession, ModelSpec,
    SessionKind as _, shortened,
};
use engine::template::{Prompt, Segment};
use engine::vision::Budget;
use pollster::block_on;
use safetensors::SafeTensors;

use crate::common;

const COSINE: f64 = 0.99999;
const DIFFERENCE: f32 = 2e-3;
/// The cosine for a medium that a tower has encoded.
const MEDIUM_COSINE: f64 = 0.999;

fn golden() -> PathBuf {
    common::repository("frontend/engine/tests/golden")
}

fn file(path: &Path) -> ModelFile {
    ModelFile::local(Rc::new(FileSource::open(path).expect("the model opens")))
}

/// Loads a model for batches of so many tokens; 0 for the default.
fn load(gpu: &Rc<Gpu>, path: &Path, batch: u32) -> Result<EncoderSession, EngineError> {
    let options = LoadOptions { context: batch, ..LoadOptions::default() };
    block_on(EncoderSession::load(Rc::clone(gpu), file(path), &options, &CancelToken::new(), &mut |_| ()))
}

fn embed(session: &EncoderSession, inputs: &[Input]) -> Vec<Vec<f32>> {
    block_on(session.embed(inputs, &CancelToken::new(), &mut |_| ())).expect("embeddings")
}

/// Reference outputs.
struct Outputs {
    json: serde_json::Value,
    bytes: Vec<u8>,
}

impl Outputs {
    fn read(path: &Path) -> Self {
        let part = |extension: &str| std::fs::read(format!("{}.{extension}", path.display()));
        let json = serde_json::from_slice(&part("json").expect("JSON")).expect("it parses");
        Self { json, bytes: part("safetensors").expect("tensors") }
    }

    /// The rows of a tensor.
    fn rows(&self, name: &str) -> Vec<Vec<f32>> {
        let tensors = SafeTensors::deserialize(&self.bytes).expect("tensors parse");
        let tensor = tensors.tensor(name).unwrap_or_else(|_| panic!("tensor {name}"));
        let values: Vec<f32> = bytemuck::pod_collect_to_vec(tensor.data());
        values.chunks(tensor.shape()[1]).map(<[f32]>::to_vec).collect()
    }

    /// Compares vectors with the embeddings, and their beginnings with the shorter ones. The smallest cosine.
    fn check(&self, label: &str, vectors: &[Vec<f32>], cosine: f64) -> f64 {
        let shorter =
            self.json["dims"].as_array().expect("dims").iter().map(|dims| dims.as_u64().expect("a number"));
        let names = shorter.map(|dims| (format!("embeddings_{dims}"), dims as usize));
        let mut least = 1.0f64;
        for (name, dims) in names.chain([("embeddings".to_owned(), usize::MAX)]) {
            let want = self.rows(&name);
            assert_eq!(vectors.len(), want.len(), "{label}");
            for (index, (vector, want)) in vectors.iter().zip(&want).enumerate() {
                let got = shortened(vector, dims);
                assert_eq!(got.len(), want.len(), "{label} {name}");
                let dot: f64 = got.iter().zip(want).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
                let far = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(dot >= cosine, "{label} {name} {index}: the cosine is {dot}");
                assert!(cosine < COSINE || far <= DIFFERENCE, "{label} {name} {index}: {far} apart");
                least = least.min(dot);
            }
        }
        least
    }
}

fn ids(value: &serde_json::Value) -> Vec<u32> {
    value.as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

/// Every `NAME/KIND.embed.json` of a golden set, with its model.
fn texts(models: &Path, outputs: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut all = Vec::new();
    for name in ["tiny-embed", "tiny-embed2"] {
        for file in std::fs::read_dir(outputs.join(name)).expect("outputs").flatten() {
            let file = file.file_name().to_string_lossy().into_owned();
            let Some(kind) = file.strip_suffix(".embed.json") else { continue };
            all.push((
                models.join(format!("{name}.{kind}.gguf")),
                outputs.join(name).join(format!("{kind}.embed")),
            ));
        }
    }
    assert!(all.len() >= 3);
    all
}

#[test]
fn texts_agree_with_the_reference() {
    let gpu = common::gpu();
    let mut all = texts(&golden().join("models"), &golden().join("outputs"));
    all.extend(common::full_set().iter().flat_map(|set| texts(&set.join("models"), &set.join("golden"))));
    for (model, outputs) in all {
        let (label, outputs) = (model.display().to_string(), Outputs::read(&outputs));
        let session = load(&gpu, &model, 0).unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_eq!(session.lacks_dense(), label.contains("nodense"), "{label}");
        let texts = outputs.json["texts"].as_array().expect("texts").iter();
        let inputs: Vec<Input> = texts
            .map(|text| {
                let input = session.text(text["text"].as_str().expect("a text")).expect("an input");
                assert_eq!(input.ids(), ids(&text["ids"]), "{label}");
                input
            })
            .collect();
        let vectors = embed(&session, &inputs);
        let least = outputs.check(&label, &vectors, COSINE);
        println!("{label}: cosines are at least {least}");

        // Each is the same in other batches.
        let many: Vec<Input> = (0..40).map(|i| inputs[i * 7 % inputs.len()].clone()).collect();
        assert_eq!(session.batch(&many), 40, "{label}");
        let session = load(&gpu, &model, 512).expect("a session");
        assert!((3..30).contains(&session.batch(&many)), "{label}");
        for (i, vector) in embed(&session, &many[..12]).iter().enumerate() {
            let same = vector.iter().zip(&vectors[i * 7 % inputs.len()]).all(|(a, b)| (a - b).abs() < 2e-5);
            assert!(same, "{label}: text {i} of many");
        }
        let alone = embed(&session, &inputs[..1]);
        assert!(alone[0].iter().zip(&vectors[0]).all(|(a, b)| (a - b).abs() < 2e-5), "{label}: alone");
    }
}

fn projector(path: &Path) -> (Rc<dyn ByteSource>, Header) {
    let source: Rc<dyn ByteSource> = Rc::new(FileSource::open(path).expect("the projector opens"));
    let header = block_on(Header::read(&*source)).expect("a header");
    (source, header)
}

#[test]
fn media_agree_with_the_reference() {
    let (gpu, cancel) = (common::gpu(), CancelToken::new());
    let (models, outputs) = (golden().join("models"), golden().join("outputs/tiny-embed2"));
    let mut session = load(&gpu, &models.join("tiny-embed2.q8_0.gguf"), 512).expect("a session");
    let (source, header) = projector(&models.join("tiny-embed2.mmproj.bf16.gguf"));
    session.use_projector(&source, &header).expect("a projector");
    let media = |name: &str| std::fs::read(golden().join("media").join(name)).expect("a file");

    let quantised = "the references have weights in BF16, the file in Q8_0";
    let (file, budget) = (media("landscape.png"), Budget::new(70).expect("a budget"));
    let mut quiet = |_| ();
    let seeing = session.vision_mut().expect("eyes");
    let picture = block_on(seeing.soft_tokens(&file, budget, &cancel, &mut quiet)).expect("soft tokens");
    let sound = engine::audio::Sound::from_wav(&media("chirp.wav")).expect("a sound");
    let mut quiet = |_| ();
    let hearing = session.audio_mut().expect("ears");
    let sound = block_on(hearing.soft_tokens(sound.clips()[0], &cancel, &mut quiet)).expect("soft tokens");
    for (name, soft) in [("embed-image.landscape", picture), ("embed-audio.chirp", sound)] {
        let reference = Outputs::read(&outputs.join(name));
        let medium = soft.medium();
        let prompt: Prompt = [Segment::Media(medium.media)].into_iter().collect();
        let mut input = session.input(&prompt, &[medium]).expect("an input");
        assert_eq!(input.ids(), ids(&reference.json["ids"]), "{name}");
        input.attach(0, soft).expect("its soft tokens");
        let least = reference.check(name, &embed(&session, &[input]), MEDIUM_COSINE);
        println!("{name}: the cosine is {least}; {quantised}");
    }

    // Beside texts in a batch, with the soft tokens of the reference.
    let reference = Outputs::read(&outputs.join("embed-mixed.tall"));
    let rows = reference.rows("soft_tokens");
    let medium =
        Medium { media: Media::Image, content: ContentHash::of(b"tall", &[]), tokens: rows.len() as u32 };
    let soft = SoftTokens::upload(&gpu, medium, 128, &rows.concat()).expect("a buffer");
    let text = |key: &str| Segment::Text(reference.json[key].as_str().expect("a text").to_owned());
    let prompt: Prompt = [text("before"), Segment::Media(Media::Image), text("after")].into_iter().collect();
    let mut mixed = session.input(&prompt, &[medium]).expect("an input");
    assert_eq!(mixed.ids(), ids(&reference.json["ids"]));
    let missing = block_on(session.embed(&[mixed.clone()], &cancel, &mut |_| ()));
    assert!(matches!(missing, Err(EngineError::Media(_))), "the soft tokens are not there");
    mixed.attach(0, soft).expect("its soft tokens");
    let other = session.text("another text").expect("an input");
    let vectors = embed(&session, &[other.clone(), mixed, other]);
    reference.check("embed-mixed.tall", &vectors[1..2], MEDIUM_COSINE);
    assert!(vectors[0].iter().zip(&vectors[2]).all(|(a, b)| (a - b).abs() < 2e-5));
}

#[test]
fn what_is_not_for_embeddings_is_refused() {
    let gpu = common::gpu();
    let models = golden().join("models");
    let refused = load(&gpu, &models.join("tiny-gemma3.q4_k_m.gguf"), 0).map(|_| ()).expect_err("no encoder");
    assert!(matches!(refused, EngineError::Config(ConfigError::NotEncoder { found }) if found == "gemma3"));
    let encoder = models.join("tiny-embed.q8_0.ollama.gguf");
    let (options, cancel) = (LoadOptions::default(), CancelToken::new());
    let mut quiet = |_| ();
    let loading = ModelSession::load(Rc::clone(&gpu), file(&encoder), &options, &cancel, &mut quiet);
    let refused = block_on(loading).map(|_| ()).expect_err("it does not chat");
    assert!(matches!(refused, EngineError::Config(ConfigError::IsEncoder)));

    let session = load(&gpu, &encoder, 512).expect("a session");
    let long = session.text(&"word ".repeat(3000)).expect("an input");
    assert_eq!(long.len(), 512, "the end is left out");
    assert_eq!(long.ids().last().copied(), session.tokenizer().special().eos);
    assert_eq!(embed(&session, std::slice::from_ref(&long)).len(), 1);
    let mut longer = long;
    longer.push(2);
    let error = |input: Input| {
        block_on(session.embed(&[input], &CancelToken::new(), &mut |_| ())).expect_err("refused")
    };
    assert!(matches!(error(longer), EngineError::ContextFull { tokens: 513, context: 512 }));
    assert!(matches!(error(Input::default()), EngineError::Empty));
    assert!(matches!(error(vec![2, 1 << 20].into()), EngineError::NoToken { .. }));
    let stopped = CancelToken::new();
    stopped.cancel();
    let inputs = [session.text("x").expect("an input")];
    let cancelled = block_on(session.embed(&inputs, &stopped, &mut |_| ())).expect_err("it was cancelled");
    assert!(cancelled.is_cancelled());
}

#[test]
fn a_load_takes_what_was_planned() {
    let gpu = common::gpu();
    for (model, batch) in [("tiny-embed.q8_0", 512), ("tiny-embed2.q8_0", 1024)] {
        let path = golden().join(format!("models/{model}.gguf"));
        let header = block_on(Header::read(&FileSource::open(&path).expect("it opens"))).expect("a header");
        let spec = ModelSpec::read(&header).expect("a description");
        let needs = spec.needs(DeviceMemory::assumed(&gpu)).expect("its needs");
        let fit = needs.fit(batch).expect("it fits");
        assert_eq!(fit.context, batch);
        let before = gpu.bytes_in_use();
        let session = load(&gpu, &path, batch).expect("a session");
        assert_eq!(gpu.bytes_in_use() - before, needs.memory(batch, fit.storage).loaded(), "{model}");
        assert_eq!(session.planned_bytes(), fit.bytes);
        assert!(!session.tested().is_empty());
        // One that has less memory takes smaller batches.
        let memory = DeviceMemory { available: fit.bytes, ..DeviceMemory::assumed(&gpu) };
        assert_eq!(spec.fit(0, memory).expect("it fits").context, batch, "{model}");
    }
}
