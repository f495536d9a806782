//! Sound against the reference outputs of Hugging Face transformers: mel features, soft tokens, logits with a sound in the
//! prompt. The projector with quantised weights is carried by the repository; where the full set of reference outputs
//! lies beside it, the single-file layout and the raw-frame embedder are compared as well.
//!
//! Tolerances are those of the set: 2e-4 for mel features, 2e-3 for soft tokens and logits in f32.

mod common;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::audio::{AudioError, Encoded, Encoder, Sound, Tower, TowerPlan, mel};
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use safetensors::SafeTensors;

const MEL: f32 = 2e-4;
const EXACT: f32 = 2e-3;

fn carried(path: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden").join(path)
}

/// The full set, where it lies beside the repository.
fn beside(path: &str) -> Option<PathBuf> {
    Some(common::repository("../shared/golden").join(path)).filter(|path| path.exists())
}

struct Golden(Vec<u8>);

impl Golden {
    fn read(path: &Path) -> Self {
        Self(std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    fn f32s(&self, name: &str) -> Vec<f32> {
        let tensors = SafeTensors::deserialize(&self.0).expect("golden tensors parse");
        let tensor = tensors.tensor(name).unwrap_or_else(|_| panic!("golden tensor {name}"));
        bytemuck::pod_collect_to_vec(tensor.data())
    }
}

fn sound(path: &Path) -> Sound {
    Sound::from_wav(&std::fs::read(path).expect("a WAV file")).expect("sound")
}

fn tower(gpu: &Rc<Gpu>, path: &Path, width: u32) -> Rc<Tower> {
    let source: Rc<dyn ByteSource> = Rc::new(FileSource::open(path).expect("the file opens"));
    let header = pollster::block_on(Header::read(&*source)).expect("a header");
    let plan = TowerPlan::read(&header, width).expect("a tower");
    let before = gpu.bytes_in_use();
    let planned = plan.bytes();
    let tower =
        pollster::block_on(Tower::load(Rc::clone(gpu), &source, plan, &CancelToken::new(), &mut |_| ()))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    // Uniforms and rounding up are not planned, and the projections of distances are dropped.
    let taken = gpu.bytes_in_use() - before;
    assert!(taken < planned + planned / 8 + (1 << 20), "planned {planned} bytes, took {taken}");
    Rc::new(tower)
}

fn encode(tower: &Rc<Tower>, samples: &[f32]) -> Encoded {
    let mut encoder = Encoder::new(Rc::clone(tower));
    assert_eq!(encoder.push(samples), samples.len());
    encoder.finish().expect("soft tokens")
}

fn rows(tower: &Tower, encoded: &Encoded) -> Vec<f32> {
    let bytes = 4 * u64::from(encoded.tokens) * u64::from(tower.config().width);
    let bytes = pollster::block_on(tower.gpu().read_once(&encoded.rows, 0, bytes)).expect("rows");
    bytemuck::pod_collect_to_vec(&bytes)
}

#[track_caller]
fn check(label: &str, got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len(), "{label}: sizes");
    let worst = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("{label}: differs by at most {worst:.1e}");
    assert!(worst <= tolerance, "{label}: differs by {worst}");
}

/// Tower, clip and reference outputs: soft tokens, and mel features where there are any.
fn agree(gpu: &Rc<Gpu>, model: &Path, wav: &Path, outputs: &Path) {
    let label = outputs.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let golden = Golden::read(outputs);
    let sound = sound(wav);
    let tower = tower(gpu, model, 256);
    let got = rows(&tower, &encode(&tower, &sound.samples));
    check(&label, &got, &golden.f32s("soft_tokens"), EXACT);
}

#[test]
fn mel_features_agree() {
    for clip in ["speech", "chirp"] {
        let golden = carried(&format!("outputs/tiny-e2b/f16.audio.{clip}.safetensors"));
        let mut stream = mel::MelStream::new();
        stream.push(&sound(&carried(&format!("media/{clip}.wav"))).samples);
        check(clip, &stream.padded_rows(), &Golden::read(&golden).f32s("mel"), MEL);
    }
}

#[test]
fn a_quantised_projector_agrees() {
    let gpu = common::gpu();
    let model = carried("models/tiny-e2b.mmproj.q8_0.gguf");
    let outputs = carried("outputs/tiny-e2b/mmproj.audio.speech.safetensors");
    agree(&gpu, &model, &carried("media/speech.wav"), &outputs);
}

#[test]
fn the_whole_set_agrees_where_it_is_at_hand() {
    let gpu = common::gpu();
    let cases = [
        ("tiny-e2b.f16.gguf", "speech", "tiny-e2b/f16.audio.speech"),
        ("tiny-e2b.f16.gguf", "chirp", "tiny-e2b/f16.audio.chirp"),
        ("tiny-unified.mmproj.f16.gguf", "chirp", "tiny-unified/f16.audio.chirp"),
    ];
    for (model, clip, outputs) in cases {
        let Some(model) = beside(&format!("models/{model}")) else { continue };
        let path = |path: String| beside(&path).unwrap_or_else(|| panic!("no {path}"));
        let outputs = path(format!("golden/{outputs}.safetensors"));
        agree(&gpu, &model, &path(format!("media/{clip}.wav")), &outputs);
    }
}

#[test]
fn a_clip_encoded_while_it_is_spoken_is_the_same() {
    let gpu = common::gpu();
    let tower = tower(&gpu, &carried("models/tiny-e2b.mmproj.q8_0.gguf"), 256);
    let sound = sound(&carried("media/speech.wav"));
    let whole = rows(&tower, &encode(&tower, &sound.samples));

    let mut encoder = Encoder::new(Rc::clone(&tower));
    let mut ahead = 0;
    for piece in sound.samples.chunks(1000) {
        encoder.push(piece);
        ahead = ahead.max(encoder.encoded());
    }
    assert!(ahead >= 60, "only {ahead} of 73 tokens were encoded before the end");
    let encoded = encoder.finish().expect("soft tokens");
    check("in pieces", &rows(&tower, &encoded), &whole, 1e-5);

    // Two clips at once: each begins anew when the other has come between.
    let (mut a, mut b) = (Encoder::new(Rc::clone(&tower)), Encoder::new(Rc::clone(&tower)));
    let half = sound.samples.len() / 2;
    a.push(&sound.samples[..half]);
    b.push(&sound.samples[half..]);
    a.push(&sound.samples[half..]);
    let (a, b) = (a.finish().expect("soft tokens"), b.finish().expect("soft tokens"));
    check("interrupted", &rows(&tower, &a), &whole, 1e-5);
    assert_eq!(b.tokens, tower.config().tokens(sound.samples.len() - half));
}

#[test]
fn a_clip_is_at_most_thirty_seconds_and_at_least_a_frame() {
    let gpu = common::gpu();
    let tower = tower(&gpu, &carried("models/tiny-e2b.mmproj.q8_0.gguf"), 256);
    let short = |samples: usize| {
        let mut encoder = Encoder::new(Rc::clone(&tower));
        encoder.push(&vec![0.1; samples]);
        encoder.finish()
    };
    assert!(matches!(short(0), Err(AudioError::TooShort { samples: 0, .. })));
    assert!(matches!(short(160), Err(AudioError::TooShort { samples: 160, .. })));
    assert_eq!(short(161).expect("a token").tokens, 1);

    // Three steps of the tower, and no more samples than a clip holds. What looks back across steps is a frame of the
    // past: a clip of silence has the same token everywhere but at its beginning.
    let mut encoder = Encoder::new(Rc::clone(&tower));
    assert_eq!(encoder.push(&vec![0.0; 500_000]), 480_000);
    assert_eq!(encoder.room(), 0);
    let encoded = encoder.finish().expect("soft tokens");
    assert_eq!(encoded.tokens, 750);
    let rows = rows(&tower, &encoded);
    let row = |t: usize| &rows[t * 256..(t + 1) * 256];
    for t in [255, 256, 257, 511, 512, 700] {
        check(&format!("token {t} of silence"), row(t), row(200), 1e-4);
    }
}
