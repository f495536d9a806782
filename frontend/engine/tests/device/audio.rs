//! Sound against the reference outputs of Hugging Face transformers: mel features, soft tokens, logits with a sound in the
//! prompt. The projector with quantised weights is carried by the repository; where GEMTAB_GOLDEN names the
//! full set of reference outputs, the single-file layout and the raw-frame embedder are compared as well.
//!
//! Tolerances are those of the set: 2e-4 for mel features, 2e-3 for soft tokens and logits in f32.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::audio::{AudioError, Encoder, RATE, Sound, Tower, TowerPlan, medium, mel};
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::{Input, MediaError, Medium, SoftTokens};
use engine::session::{Control, EngineError, Options, Session};
use engine::template::{Conversation, Message, Part, Role};
use safetensors::SafeTensors;

use crate::common;

const MEL: f32 = 2e-4;
const EXACT: f32 = 2e-3;

fn carried(path: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden").join(path)
}

/// A file of reference outputs.
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
    let plan = TowerPlan::read(&header, width).expect("no fault").expect("a tower");
    let before = gpu.bytes_in_use();
    let planned = plan.bytes(gpu.plan_limits()).expect("a plan");
    let tower =
        pollster::block_on(Tower::load(Rc::clone(gpu), &source, plan, &CancelToken::new(), &mut |_| ()))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(gpu.bytes_in_use() - before, planned);
    Rc::new(tower)
}

fn encode(tower: &Rc<Tower>, samples: &[f32]) -> SoftTokens {
    let mut encoder = Encoder::new(Rc::clone(tower));
    assert_eq!(encoder.push(samples), samples.len());
    encoder.finish().expect("soft tokens")
}

fn rows(tower: &Tower, soft: &SoftTokens) -> Vec<f32> {
    pollster::block_on(soft.read(tower.gpu())).expect("rows")
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
fn the_whole_set_agrees_where_it_is_named() {
    let Some(set) = common::full_set() else { return };
    let gpu = common::gpu();
    let cases = [
        ("tiny-e2b.f16.gguf", "speech", "tiny-e2b/f16.audio.speech"),
        ("tiny-e2b.f16.gguf", "chirp", "tiny-e2b/f16.audio.chirp"),
        ("tiny-unified.mmproj.f16.gguf", "chirp", "tiny-unified/f16.audio.chirp"),
    ];
    for (model, clip, outputs) in cases {
        let path = |path: String| set.join(path);
        let model = path(format!("models/{model}"));
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
    assert_eq!(encoded.medium(), medium(tower.config(), &sound.samples), "named before it is encoded");

    // Two clips at once: each begins anew when the other has come between.
    let (mut a, mut b) = (Encoder::new(Rc::clone(&tower)), Encoder::new(Rc::clone(&tower)));
    let half = sound.samples.len() / 2;
    a.push(&sound.samples[..half]);
    b.push(&sound.samples[half..]);
    a.push(&sound.samples[half..]);
    let (a, b) = (a.finish().expect("soft tokens"), b.finish().expect("soft tokens"));
    check("interrupted", &rows(&tower, &a), &whole, 1e-5);
    assert_eq!(b.medium().tokens, tower.config().tokens(sound.samples.len() - half));
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
    assert_eq!(short(161).expect("a token").medium().tokens, 1);

    // Three steps of the tower, and no more samples than a clip holds. What looks back across steps is a frame of the
    // past: a clip of silence has the same token everywhere but at its beginning.
    let mut encoder = Encoder::new(Rc::clone(&tower));
    assert_eq!(encoder.push(&vec![0.0; 500_000]), 480_000);
    assert_eq!(encoder.room(), 0);
    let encoded = encoder.finish().expect("soft tokens");
    assert_eq!(encoded.medium().tokens, 750);
    let rows = rows(&tower, &encoded);
    let row = |t: usize| &rows[t * 256..(t + 1) * 256];
    for t in [255, 256, 257, 511, 512, 700] {
        check(&format!("token {t} of silence"), row(t), row(200), 1e-4);
    }
}

fn hear(session: &mut Session, clip: &[f32]) -> Result<SoftTokens, AudioError> {
    let hearing = session.audio_mut().expect("a tower");
    pollster::block_on(hearing.soft_tokens(clip, &CancelToken::new(), &mut |_| ()))
}

fn attach(mut input: Input, soft: Vec<SoftTokens>) -> Input {
    for (index, rows) in soft.into_iter().enumerate() {
        input.attach(index, rows).expect("its own rows");
    }
    input
}

#[test]
fn logits_with_sound_in_the_prompt_agree_where_the_set_is_named() {
    let Some(set) = common::full_set() else { return };
    let gpu = common::gpu();
    let cases = [
        ("tiny-e2b.f16.gguf", None, "speech", "tiny-e2b/f16.audio.speech"),
        ("tiny-e2b.f16.gguf", None, "chirp", "tiny-e2b/f16.audio.chirp"),
        (
            "tiny-unified.f16.lcpp.gguf",
            Some("tiny-unified.mmproj.f16.gguf"),
            "chirp",
            "tiny-unified/f16.audio.chirp",
        ),
    ];
    for (model, projector, clip, outputs) in cases {
        let path = |path: String| set.join(path);
        let model = path(format!("models/{model}"));
        let projector = projector.map(|name| path(format!("models/{name}")));
        let golden = Golden::read(&path(format!("golden/{outputs}.safetensors")));
        let says = std::fs::read(path(format!("golden/{outputs}.json"))).expect("golden JSON");
        let says: serde_json::Value = serde_json::from_slice(&says).expect("golden JSON parses");
        let ids: Vec<u32> = serde_json::from_value(says["prompt_ids"].clone()).expect("ids");

        let mut session = common::with_projector(&gpu, &model, projector.as_deref());
        let samples = sound(&path(format!("media/{clip}.wav"))).samples;
        let soft = hear(&mut session, &samples).expect("soft tokens");
        let input = Input::with_media(ids, session.tokenizer().special(), &[soft.medium()]);
        let input = attach(input.expect("an input"), vec![soft]);
        let want = golden.f32s("prompt.logits_last");
        let last = want.len() / session.decoder().vocabulary() as usize;
        let got = pollster::block_on(session.logits(&input, last)).expect("logits");
        check(&format!("{outputs} logits"), &got, &want, EXACT);
    }
}

/// What the built-in model answers to a question about sounds.
fn answer(session: &mut Session, question: &str, sound: &Sound) -> String {
    let soft: Vec<SoftTokens> =
        sound.clips().into_iter().map(|clip| hear(session, clip).expect("soft tokens")).collect();
    let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
    let mut parts = vec![Part::Audio; soft.len()];
    parts.push(Part::text(question));
    let messages = vec![Message::new(Role::User, parts)];
    let prompt = session.render(&Conversation { messages, tools: Vec::new() }, false);
    let input = prompt.expand(session.tokenizer(), &media).expect("an input");
    let options = Options { max_tokens: 32, ..Options::default() };
    let input = attach(input, soft);
    let outcome = pollster::block_on(session.generate(&input, &options, &Control::default(), &mut |_| ()));
    session.tokenizer().decode(&outcome.expect("an answer").ids).trim().to_owned()
}

#[test]
fn the_built_in_model_understands_its_samples() {
    let gpu = common::gpu();
    let folder = common::repository("server/models/samples");
    let mut session = common::with_projector(&gpu, &common::repository("server/models/pebble.gguf"), None);
    let text = std::fs::read(folder.join("samples.json")).expect("the samples");
    let samples: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let spoken = samples.as_object().expect("an object").iter().filter(|(name, _)| name.ends_with(".wav"));
    let mut asked = 0;
    for (name, sample) in spoken {
        let question = sample["question"].as_str().expect("a question");
        let got = answer(&mut session, question, &sound(&folder.join(name)));
        assert_eq!(got, sample["answer"].as_str().expect("an answer"), "{name}: {question}");
        asked += 1;
    }
    assert_eq!(asked, 3);

    // Another sound in the same place is another prompt, and the tower comes back after it was given up.
    let hearing = session.audio_mut().expect("a tower");
    assert!(hearing.is_loaded());
    hearing.unload();
    let six = sound(&folder.join("speech3.wav"));
    assert_eq!(answer(&mut session, "Transcribe the recording.", &six), "six");
}

/// A WAV file of so many channels and bits.
fn wav(rate: u32, channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = channels * bits / 8;
    let mut file = b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0".to_vec();
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * u32::from(block)).to_le_bytes());
    file.extend(block.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// The word of a sample in other formats: all of them are understood.
#[test]
fn other_formats_are_understood_as_well() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository("server/models/pebble.gguf"), None);
    let six = sound(&common::repository("server/models/samples/speech3.wav")).samples;
    let i16s = |v: f32| ((v * 32_767.0) as i16).to_le_bytes();
    // Every sample six times over: the tones above half the rate that this adds are filtered away again.
    let fast: Vec<u8> = six.iter().flat_map(|&v| [i16s(v); 6]).flatten().collect();
    // The other channel is silent, so the mix is half as loud.
    let stereo: Vec<u8> = six.iter().flat_map(|&v| [i16s(v), [0, 0]]).flatten().collect();
    let coarse: Vec<u8> = six.iter().map(|&v| (v * 127.0 + 128.0) as u8).collect();
    for (label, file) in [
        ("96 kHz", wav(6 * RATE, 1, 16, &fast)),
        ("stereo", wav(RATE, 2, 16, &stereo)),
        ("8 bits", wav(RATE, 1, 8, &coarse)),
    ] {
        let sound = Sound::from_wav(&file).expect(label);
        assert_eq!(sound.samples.len(), six.len(), "{label}");
        assert_eq!(answer(&mut session, "Transcribe the recording.", &sound), "six", "{label}");
    }
}

#[test]
fn silent_short_and_long_sound_each_have_an_answer() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository("server/models/pebble.gguf"), None);
    // Silent: encoded like any other, and said.
    let silent = Sound::from_wav(&wav(8_000, 1, 8, &[128; 8_000])).expect("a second of silence");
    assert!(silent.is_silent());
    assert_eq!(hear(&mut session, &silent.samples).expect("soft tokens").medium().tokens, 25);

    let blip = Sound::from_wav(&wav(RATE, 1, 8, &[200; 100])).expect("six milliseconds");
    assert!(matches!(hear(&mut session, blip.clips()[0]), Err(AudioError::TooShort { samples: 100, .. })));

    // Ten minutes: twenty clips, which do not fit the context of this model. That is said before anything is encoded.
    let long = Sound::from_wav(&wav(RATE, 1, 8, &vec![130; 600 * RATE as usize])).expect("ten minutes");
    let clips = long.clips();
    assert_eq!(clips.len(), 20);
    assert!(matches!(hear(&mut session, &long.samples), Err(AudioError::TooLong { .. })));
    let config = session.audio().expect("a tower").plan().config();
    let media: Vec<Medium> = clips.iter().map(|clip| medium(config, clip)).collect();
    assert!(media.iter().all(|medium| medium.tokens == 750));
    let messages = vec![Message::new(Role::User, vec![Part::Audio; media.len()])];
    let prompt = session.render(&Conversation { messages, tools: Vec::new() }, false);
    let input = prompt.expand(session.tokenizer(), &media).expect("an input");
    let full =
        pollster::block_on(session.generate(&input, &Options::default(), &Control::default(), &mut |_| ()));
    assert!(matches!(full, Err(EngineError::ContextFull { tokens, .. }) if tokens > 15_000));
}

#[test]
fn a_model_without_ears_says_so() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &carried("models/tiny-e2b.q4_0.lcpp.gguf"), None);
    let refused = session.audio_mut().map(|_| ()).expect_err("no tower");
    assert!(matches!(refused, EngineError::Media(MediaError::NoTower { .. })));
}
