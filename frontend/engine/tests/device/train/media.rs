//! Training on pictures and sound against the reference: gradients of the first step, made by PyTorch in f32 on the same
//! weights (see `golden/README.md`), within the same tolerances; and what a model learns by heart of one picture.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::slice::from_ref;

use engine::adapter::Projection;
use engine::audio::Sound;
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::gpu::Gpu;
use engine::media::{ContentHash, Input, Media, Medium, SoftTokens};
use engine::session::{LoadOptions, Session};
use engine::template::Variant;
use engine::train::{Example, MASKED, Schedule, Settings, TrainError, Trainer, examples};
use engine::vision::Budget;
use pollster::block_on;

use super::tensors::{Tensors, compare_gradients};
use crate::common;

type Rows = HashMap<ContentHash, Vec<f32>>;

fn carried(path: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden").join(path)
}

/// The carried model that sees and hears, with the towers of its projector.
fn small(gpu: &Rc<Gpu>) -> Session {
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let mut session = common::load(gpu, &carried("models/tiny-e2b.q4_k_m.gguf"), &options);
    let path = carried("models/tiny-e2b.mmproj.q8_0.gguf");
    let source: Rc<dyn ByteSource> = Rc::new(FileSource::open(&path).expect("the projector opens"));
    let header = block_on(Header::read(&*source)).expect("a header");
    session.use_projector(&source, &header).expect("a projector");
    session
}

/// What the towers make of a file of the set.
fn encode(session: &mut Session, file: &str) -> SoftTokens {
    let bytes = std::fs::read(carried("media").join(file)).expect("a file");
    let cancel = CancelToken::new();
    if file.ends_with(".wav") {
        let sound = Sound::from_wav(&bytes).expect("a sound");
        let hearing = session.audio_mut().expect("ears");
        return block_on(hearing.soft_tokens(sound.clips()[0], &cancel, &mut |_| ())).expect("soft tokens");
    }
    let budget = Budget::new(70).expect("a budget");
    let vision = session.vision_mut().expect("eyes");
    block_on(vision.soft_tokens(&bytes, budget, &cancel, &mut |_| ())).expect("soft tokens")
}

/// A reference: an example, factors to begin with, and gradients.
struct Golden {
    json: serde_json::Value,
    tensors: Tensors,
    start: &'static str,
}

impl Golden {
    fn read(name: &str, init: Option<&str>, start: &'static str) -> Self {
        let path = |extension: &str| carried(&format!("outputs/{name}.{extension}"));
        let json = std::fs::read(path("json")).expect("golden JSON");
        let files: Vec<_> = init.map(|file| carried(&format!("outputs/{file}"))).into_iter().collect();
        let tensors = Tensors::read(&[files, vec![path("safetensors")]].concat());
        Self { json: serde_json::from_slice(&json).expect("golden JSON parses"), tensors, start }
    }

    fn ids(&self, key: &str) -> Vec<u32> {
        serde_json::from_value(self.json[key].clone()).expect("ids")
    }

    fn example(&self, session: &Session, media: &[Medium]) -> Example {
        let (prompt, targets) = (self.ids("prompt_ids"), self.ids("target_ids"));
        let labels = prompt.iter().map(|_| MASKED).chain(targets.iter().map(|&id| id as i32)).collect();
        let ids = [prompt, targets].concat();
        let input = Input::with_media(ids, session.tokenizer().special(), media).expect("an input");
        Example { input, labels }
    }

    /// Holds the loss and the gradients of the first step against the reference.
    fn check(&self, gpu: &Rc<Gpu>, session: &Session, media: &[Medium], rows: Rows) {
        let label = self.json["file"].as_str().unwrap_or("two pictures");
        let number = |key: &str| self.json[key].as_f64().expect("a number");
        let example = self.example(session, media);
        let start = self.tensors.adapter(self.start, number("scale") as f32);
        let learns = |projection: &Projection| start.iter().any(|(at, _)| at.projection == *projection);
        let settings = Settings {
            rank: number("rank") as u32,
            alpha: number("alpha") as f32,
            targets: Projection::ALL.into_iter().filter(learns).collect(),
            clip: 0.0,
            max_tokens: example.input.len() as u32,
            ..Settings::default()
        };
        let base = session.training_base();
        let made = Trainer::new(Rc::clone(gpu), base, settings, Some(&start));
        let mut trainer = block_on(made).expect("a trainer");
        trainer.set_soft_tokens(Rc::new(rows));
        let cancel = CancelToken::new();
        let (loss, _) = block_on(trainer.gradients_of(from_ref(&example), &cancel)).expect("gradients");
        let want = number("loss_at_init");
        assert!((loss - want).abs() <= 1e-3 * want, "{label}: a loss of {loss} for {want}");
        let gradients = block_on(trainer.gradients()).expect("gradients");
        let (compared, worst) = compare_gradients(label, &gradients, &self.tensors);
        assert!(compared >= 16, "{label}: only {compared} gradients to compare with");
        println!("{label}: a loss of {loss} for {want}; {compared} gradients differ by at most {worst:.1e}");
    }
}

/// With the soft tokens that this engine's towers make.
fn with_towers(name: &str) {
    let gpu = common::gpu();
    let mut session = small(&gpu);
    let golden = Golden::read(
        &format!("tiny-e2b/q4_k_m.{name}"),
        Some("tiny-e2b/lora.init.safetensors"),
        "init.lora.",
    );
    let soft = encode(&mut session, golden.json["file"].as_str().expect("a file name"));
    let rows = Rows::from([(soft.medium().content, block_on(soft.read(&gpu)).expect("values"))]);
    golden.check(&gpu, &session, &[soft.medium()], rows);
}

#[test]
fn a_picture_is_learned_from_as_the_reference_does() {
    with_towers("image.lora");
}

#[test]
fn a_sound_is_learned_from_as_the_reference_does() {
    with_towers("audio.lora");
}

/// A model whose sliding layers see a picture in both directions, with two pictures of made-up soft tokens, the first
/// longer than the window. Seen in order alone, they would give gradients that differ by half and more.
#[test]
fn pictures_that_are_seen_whole_are_learned_from_as_the_reference_does() {
    let gpu = common::gpu();
    let options = LoadOptions { context: 512, ..LoadOptions::default() };
    let session = common::load(&gpu, &carried("models/tiny-31b.q4_0.gguf"), &options);
    let golden = Golden::read("tiny-31b/q4_0.images.lora", None, "init.lora.");
    let counts: Vec<u32> = serde_json::from_value(golden.json["num_soft_tokens"].clone()).expect("counts");
    let mut values = golden.tensors.get("soft_tokens").expect("soft tokens").as_slice();
    let width = session.decoder().config().width as usize;
    let (mut media, mut rows) = (Vec::new(), Rows::new());
    for tokens in counts {
        let content = ContentHash::of(&[tokens as u8], &[]);
        media.push(Medium { media: Media::Image, content, tokens });
        let (own, rest) = values.split_at(tokens as usize * width);
        rows.insert(content, own.to_vec());
        values = rest;
    }
    golden.check(&gpu, &session, &media, rows);
}

/// A chat about a picture of the set, as a data set has it.
fn about_a_picture(session: &Session, medium: Medium) -> Example {
    let row = r#"{"images": ["landscape.png"], "prompt": "What is this?", "completion": "A ship at sea."}"#;
    let parsed = examples::read(row, None);
    let content = &parsed.rows[0].content;
    examples::encode(content, &[vec![medium]], session.tokenizer(), Variant::Small, 512).expect("an example")
}

#[test]
#[ignore = "thorough: the gradients of a picture are those of the reference, and one text is learned by heart"]
fn one_picture_is_learned_by_heart() {
    let gpu = common::gpu();
    let mut session = small(&gpu);
    let soft = encode(&mut session, "strip.png");
    let rows = Rows::from([(soft.medium().content, block_on(soft.read(&gpu)).expect("values"))]);
    let example = about_a_picture(&session, soft.medium());
    let settings = Settings {
        rank: 4,
        steps: 60,
        learning_rate: 1e-2,
        warmup: 2,
        schedule: Schedule::Constant,
        max_tokens: example.input.len() as u32,
        ..Settings::default()
    };
    let made = Trainer::new(Rc::clone(&gpu), session.training_base(), settings.clone(), None);
    let mut trainer = block_on(made).expect("a trainer");
    let (batch, cancel) = ([example], CancelToken::new());

    // Without its soft tokens nothing is learned, and nothing of another number.
    let missing = block_on(trainer.step(&batch, &cancel));
    assert!(matches!(missing, Err(TrainError::NotEncoded { tokens: 36 })), "{missing:?}");
    trainer.set_soft_tokens(Rc::new(Rows::from([(soft.medium().content, vec![0.0; 8])])));
    let short = block_on(trainer.step(&batch, &cancel));
    assert!(matches!(short, Err(TrainError::SoftTokens { found: 8, tokens: 36, width: 256 })), "{short:?}");
    let mut learned = batch[0].clone();
    let slot = learned.blocks()[0].range().start;
    learned.labels[slot as usize] = 5;
    let refused = block_on(trainer.step(&[learned], &cancel));
    assert!(matches!(refused, Err(TrainError::LearnedSlot { index: 0, at }) if at == slot), "{refused:?}");
    assert_eq!(trainer.steps_done(), 0);

    trainer.set_soft_tokens(Rc::new(rows));
    for _ in 0..settings.steps {
        if block_on(trainer.step(&batch, &cancel)).expect("a step").loss < 0.01 {
            return;
        }
    }
    panic!("a loss of {}", block_on(trainer.evaluate(&batch, &cancel)).expect("a loss"));
}
