//! Pictures against the reference outputs of Hugging Face transformers (f32, eager): resized pixels are identical, soft
//! tokens and logits agree within the tolerances of the set (2e-3 in f32). On the models that the repository carries, and
//! on all where the full set lies beside it.

use std::path::{Path, PathBuf};

use engine::bytes::CancelToken;
use engine::gpu::Gpu;
use engine::media::{ContentHash, Input, Media, MediaError, Medium, SoftTokens};
use engine::session::{Control, EngineError, Options, Session};
use engine::template::{Conversation, Message, Part, Role};
use engine::vision::{Budget, Encoding, Picture, PictureError, VisionError, medium};
use safetensors::SafeTensors;

use crate::common;

pub const EXACT: f32 = 2e-3;

pub fn carried(path: &str) -> PathBuf {
    common::repository("frontend/engine/tests/golden").join(path)
}

/// The full set, where it lies beside the repository.
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&read(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn tensor(path: &Path, name: &str) -> Vec<f32> {
    let bytes = read(path);
    let tensors = SafeTensors::deserialize(&bytes).expect("golden tensors");
    bytemuck::pod_collect_to_vec(tensors.tensor(name).unwrap_or_else(|_| panic!("tensor {name}")).data())
}

pub fn budget(tokens: u32) -> Budget {
    Budget::new(tokens).expect("a budget")
}

pub fn see(session: &mut Session, file: &[u8], budget: Budget) -> SoftTokens {
    let vision = session.vision_mut().expect("a tower");
    pollster::block_on(vision.soft_tokens(file, budget, &CancelToken::new(), &mut |_| ()))
        .expect("soft tokens")
}

#[track_caller]
pub fn assert_near(label: &str, got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len(), "{label}");
    let worst = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst <= tolerance, "{label}: differs by {worst}");
    println!("{label}: differs by at most {worst:.1e}");
}

/// Compares the soft tokens of a golden picture, and the logits of its prompt where there is one.
fn check(gpu: &Gpu, session: &mut Session, media: &Path, outputs: &Path, prompt: bool) {
    let label = outputs.display().to_string();
    let path = |extension: &str| PathBuf::from(format!("{label}.{extension}"));
    let says = json(&path("json"));
    let file = read(&media.join(says["file"].as_str().expect("a file name")));
    let budget = budget(says["max_soft_tokens"].as_u64().expect("a budget") as u32);
    let soft = see(session, &file, budget);
    assert_eq!(
        u64::from(soft.medium().tokens),
        says["num_soft_tokens"].as_u64().expect("a count"),
        "{label}"
    );
    let got = pollster::block_on(soft.read(gpu)).expect("values");
    assert_near(&label, &got, &tensor(&path("safetensors"), "soft_tokens"), EXACT);
    if !prompt {
        return;
    }
    let ids: Vec<u32> = serde_json::from_value(says["prompt_ids"].clone()).expect("ids");
    let input = with(session, ids, &[soft]);
    let want = tensor(&path("safetensors"), "prompt.logits_last");
    let rows = want.len() / session.decoder().vocabulary() as usize;
    let got = pollster::block_on(session.logits(&input, rows)).expect("logits");
    assert_near(&format!("{label} logits"), &got, &want, EXACT);
}

pub fn with(session: &Session, ids: Vec<u32>, soft: &[SoftTokens]) -> Input {
    let media: Vec<Medium> = soft.iter().map(SoftTokens::medium).collect();
    let mut input = Input::with_media(ids, session.tokenizer().special(), &media).expect("an input");
    for (index, rows) in soft.iter().enumerate() {
        input.attach(index, rows.clone()).expect("its own rows");
    }
    input
}

#[test]
fn pictures_are_resized_bit_for_bit() {
    let mut compared = 0;
    for folder in
        [Some(carried("media")), common::full_set().map(|set| set.join("media"))].into_iter().flatten()
    {
        for entry in std::fs::read_dir(folder).expect("media").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((stem, rest)) = name.split_once(".resized") else { continue };
            let tokens = rest.strip_suffix(".png").expect("a PNG").parse().expect("a budget");
            let picture =
                Picture::decode(&read(&path.with_file_name(format!("{stem}.png")))).expect("a picture");
            let pixels = picture.resized(budget(tokens)).expect("pixels");
            let want = image::load_from_memory(&read(&path)).expect("the reference").to_rgb8();
            assert_eq!((pixels.size.width, pixels.size.height), want.dimensions(), "{name}");
            let differing = pixels.rgb.iter().zip(want.as_raw()).filter(|(a, b)| a != b).count();
            assert_eq!(differing, 0, "{name}: of {} bytes", want.len());
            compared += 1;
        }
    }
    assert!(compared >= 1, "there are no reference pixels");
}

#[test]
fn a_quantised_projector_sees_as_the_reference_does() {
    let gpu = common::gpu();
    let model = carried("models/tiny-e2b.q4_0.lcpp.gguf");
    let mut session =
        common::with_projector(&gpu, &model, Some(&carried("models/tiny-e2b.mmproj.q8_0.gguf")));
    assert!(!session.vision().expect("a tower").is_loaded());
    let outputs = carried("outputs/tiny-e2b/mmproj.image.landscape");
    check(&gpu, &mut session, &carried("media"), &outputs, false);
}

/// Logits behind two pictures in one prompt, of quantised weights with a separate projector, and of one F16 file where the
/// full set is named. The reference (transformers 5.17, f32, the resized pixels of `media`) was made for this test; the
/// other way round, the same two pictures move its logits by more than 7.
#[test]
fn two_pictures_are_read_as_the_reference_does() {
    let gpu = common::gpu();
    let model = carried("models/tiny-e2b.q4_k_m.gguf");
    let mut sets = vec![("q4_k_m", model, Some(carried("models/tiny-e2b.mmproj.q8_0.gguf")))];
    sets.extend(common::full_set().map(|set| ("f16", set.join("models/tiny-e2b.f16.gguf"), None)));
    for (name, model, projector) in sets {
        let path = |extension: &str| carried(&format!("outputs/tiny-e2b/{name}.two_images.{extension}"));
        let says = json(&path("json"));
        let mut session = common::with_projector(&gpu, &model, projector.as_deref());
        let files = says["files"].as_array().expect("files");
        let mut soft = Vec::new();
        for (file, count) in files.iter().zip(says["num_soft_tokens"].as_array().expect("counts")) {
            let file = read(&carried("media").join(file.as_str().expect("a file name")));
            soft.push(see(&mut session, &file, budget(70)));
            assert_eq!(soft.last().map(|rows| u64::from(rows.medium().tokens)), count.as_u64());
        }
        let ids: Vec<u32> = serde_json::from_value(says["prompt_ids"].clone()).expect("ids");
        let input = with(&session, ids, &soft);
        let want = tensor(&path("safetensors"), "logits_last");
        let rows = want.len() / session.decoder().vocabulary() as usize;
        let got = pollster::block_on(session.logits(&input, rows)).expect("logits");
        assert_near(&format!("{name} logits behind two pictures"), &got, &want, EXACT);
    }
}

/// A model whose sliding layers see a picture in both directions, with the soft tokens that the reference made: what the
/// decoder does with them, apart from the tower. The logits are those of the reference with the masks that its
/// `create_masks_for_vision_model` makes (specification, vision §6). By itself its forward pass takes others, which let a
/// picture's tokens see each other on all layers and beyond the window, and move the logits by up to 3.3.
#[test]
fn the_decoder_reads_reference_soft_tokens_as_the_reference_does() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &carried("models/tiny-unified.f16.lcpp.gguf"), None);
    let outputs = |name: &str| carried("outputs/tiny-unified").join(name);
    let says = json(&outputs("f16.image.landscape.json"));
    let values = tensor(&outputs("f16.image.landscape.safetensors"), "soft_tokens");
    let tokens = says["num_soft_tokens"].as_u64().expect("a count") as u32;
    let medium = Medium { media: Media::Image, content: ContentHash::of(b"landscape", &[70]), tokens };
    let width = session.decoder().config().width;
    let soft = SoftTokens::upload(&gpu, medium, width, &values).expect("a buffer");
    let ids: Vec<u32> = serde_json::from_value(says["prompt_ids"].clone()).expect("ids");
    let input = with(&session, ids, &[soft]);
    let want = tensor(&outputs("f16.image.masked.safetensors"), "logits");
    let rows = want.len() / session.decoder().vocabulary() as usize;
    let got = pollster::block_on(session.logits(&input, rows)).expect("logits");
    assert_near("tiny-unified logits", &got, &want, EXACT);
}

#[test]
fn every_tower_of_the_full_set_agrees_where_it_is_named() {
    let Some(set) = common::full_set() else { return };
    let gpu = common::gpu();
    let media = set.join("media");
    // Model, file, projector; outputs, and whether logits are among them.
    type Towers = (&'static str, &'static str, Option<&'static str>, &'static [(&'static str, bool)]);
    let cases: [Towers; 4] = [
        (
            "tiny-e2b",
            "tiny-e2b.f16.gguf",
            None,
            &[
                ("f16.image.landscape", true),
                ("f16.image.tall", false),
                ("f16.image.strip", false),
                ("f16.image.small", false),
            ],
        ),
        (
            "tiny-e2b",
            "tiny-e2b.f16.gguf",
            Some("tiny-e2b.mmproj.q8_0.gguf"),
            &[("mmproj.image.landscape", false)],
        ),
        ("tiny-31b", "tiny-31b.f16.gguf", None, &[("f16.image.landscape", true), ("f16.image.tall", false)]),
        // Soft tokens alone: see below for the logits.
        (
            "tiny-unified",
            "tiny-unified.f16.lcpp.gguf",
            Some("tiny-unified.mmproj.f16.gguf"),
            &[("f16.image.landscape", false)],
        ),
    ];
    for (name, model, projector, outputs) in cases {
        let models = set.join("models");
        let projector = projector.map(|file| models.join(file));
        let mut session = common::with_projector(&gpu, &models.join(model), projector.as_deref());
        for (output, prompt) in outputs {
            check(&gpu, &mut session, &media, &set.join("golden").join(name).join(output), *prompt);
        }
    }
}

/// A prompt of `filler` tokens, a picture, text, another picture, text. Both pictures take 60 tokens.
fn around(session: &Session, filler: u32, soft: &[SoftTokens; 2]) -> Input {
    let special = session.tokenizer().special();
    let [begin, slot, end] =
        [special.image_begin, special.image_slot, special.image_end].map(|id| id.expect("an id"));
    let mut ids: Vec<u32> = (0..filler).map(|i| 200 + i * 7919 % 700).collect();
    for soft in soft {
        ids.push(begin);
        ids.extend(std::iter::repeat_n(slot, soft.medium().tokens as usize));
        ids.extend([end, 422, 994, 453]);
    }
    with(session, ids, soft)
}

/// A picture of 320 by 200 pixels.
pub fn colours(red: u8) -> Vec<u8> {
    let image = image::RgbImage::from_fn(320, 200, |x, y| image::Rgb([red, x as u8, (y * 2) as u8]));
    let mut file = std::io::Cursor::new(Vec::new());
    image.write_to(&mut file, image::ImageFormat::Png).expect("a PNG");
    file.into_inner()
}

fn greedy(session: &mut Session, input: &Input) -> (Vec<u32>, u32) {
    let options = Options { max_tokens: 12, ignore_eos: true, ..Options::default() };
    let answer = pollster::block_on(session.generate(input, &options, &Control::default(), &mut |_| ()));
    let outcome = answer.expect("an answer");
    (outcome.ids, outcome.timings.cached_tokens)
}

/// A model that carries towers of its own and reads pictures in order.
const PEBBLE: &str = "server/models/pebble.gguf";

#[test]
fn the_cache_knows_pictures_by_their_content() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository(PEBBLE), None);
    // 500 tokens in front: the first picture lies across the end of the first chunk.
    let soft = [20, 220].map(|red| see(&mut session, &colours(red), budget(70)));
    let first = around(&session, 500, &soft);
    assert_eq!(session.unread_blocks(&first), [0, 1]);
    let (answer, cached) = greedy(&mut session, &first);
    assert_eq!(cached, 0);
    assert_eq!(session.unread_blocks(&first), Vec::<usize>::new());

    // The same conversation goes on: neither picture is read again, so none has to be attached.
    let mut second: Vec<u32> = first.ids().to_vec();
    second.extend([300, 301]);
    let media: Vec<Medium> = first.blocks().iter().map(|block| block.medium()).collect();
    let second = Input::with_media(second, session.tokenizer().special(), &media).expect("an input");
    let (_, cached) = greedy(&mut session, &second);
    assert_eq!(cached as usize, first.len());

    // The pictures in the other order, with the same ids: read anew from the first one on, and missing.
    let swapped = [media[1], media[0]];
    let other =
        Input::with_media(first.ids().to_vec(), session.tokenizer().special(), &swapped).expect("an input");
    assert_eq!(session.unread_blocks(&other), [0, 1]);
    let missing =
        pollster::block_on(session.generate(&other, &Options::default(), &Control::default(), &mut |_| ()));
    assert!(matches!(missing, Err(EngineError::Media(MediaError::NotEncoded { at: 501 }))), "{missing:?}");

    session.forget();
    assert_eq!(greedy(&mut session, &first).0, answer, "the same pictures give the same answer");
}

#[test]
fn how_a_prompt_is_cut_changes_nothing_where_pictures_are_seen_whole() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &carried("models/tiny-unified.f16.lcpp.gguf"), None);
    let width = session.decoder().config().width;
    let made_up = |seed: u32| {
        let content = ContentHash::of(&seed.to_le_bytes(), &[]);
        let medium = Medium { media: Media::Image, content, tokens: 60 };
        let values: Vec<f32> =
            (0..60 * width).map(|i| ((i * 7919 + seed * 104_729) % 2000) as f32 / 1000.0 - 1.0).collect();
        SoftTokens::upload(&gpu, medium, width, &values).expect("a buffer")
    };
    let soft = [made_up(1), made_up(2)];
    // The first picture lies across the end of the first chunk of 512, which therefore ends before it.
    let prompt = around(&session, 490, &soft);
    let whole = pollster::block_on(session.logits(&prompt, 1)).expect("logits");
    // With 300 tokens in the cache, both pictures are in one chunk.
    let part = pollster::block_on(session.generate(
        &prompt.ids()[..300],
        &Options { max_tokens: 1, ignore_eos: true, ..Options::default() },
        &Control::default(),
        &mut |_| (),
    ));
    assert_eq!(part.expect("an answer").ids.len(), 1);
    let (drawn, cached) = greedy(&mut session, &prompt);
    assert_eq!(cached, 300);
    let likeliest = (0..whole.len()).max_by(|&a, &b| whole[a].total_cmp(&whole[b])).expect("a row");
    let gap = whole[likeliest] - whole[drawn[0] as usize];
    assert!(gap <= EXACT, "{} was drawn, {likeliest} is likelier by {gap}", drawn[0]);
}

#[test]
#[ignore = "thorough: the worker's tests have it say what it sees in one of these"]
fn the_built_in_model_says_what_it_sees() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository(PEBBLE), None);
    let samples = common::repository("server/models/samples");
    let says = json(&samples.join("samples.json"));
    for name in ["shapes1", "shapes3", "digit"] {
        let file = read(&samples.join(format!("{name}.png")));
        let budget = Budget::default();
        let medium = medium(&file, budget).expect("a picture");
        let question = says[name]["question"].as_str().expect("a question");
        let message = Message::new(Role::User, vec![Part::Image, Part::text(question)]);
        let conversation = Conversation { messages: vec![message], tools: Vec::new() };
        let prompt = session.render(&conversation, false);
        let mut input = prompt.expand(session.tokenizer(), &[medium]).expect("an input");
        let soft = see(&mut session, &file, budget);
        input.attach(0, soft).expect("its own rows");
        let options = Options { max_tokens: 40, ..Options::default() };
        let outcome =
            pollster::block_on(session.generate(&input, &options, &Control::default(), &mut |_| ()));
        let answer = session.tokenizer().decode(&outcome.expect("an answer").ids);
        assert_eq!(answer.trim(), says[name]["answer"].as_str().expect("an answer"), "{name}: {question}");
    }
}

#[test]
fn a_tower_is_loaded_once_and_can_be_dropped() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository(PEBBLE), None);
    let file = read(&common::repository("server/models/samples/digit.png"));
    let before = gpu.bytes_in_use();
    let vision = session.vision_mut().expect("a tower");
    let planned = vision.plan().bytes(budget(70), gpu.plan_limits()).expect("a plan");
    let mut said = Vec::new();
    let cancel = CancelToken::new();
    let mut hear = |step| said.push(step);
    let encode = vision.soft_tokens(&file, budget(70), &cancel, &mut hear);
    let first = pollster::block_on(encode).expect("soft tokens");
    assert!(said.iter().any(|step| matches!(step, Encoding::Weights(done, total) if done == total)));
    assert_eq!(said.last(), Some(&Encoding::Layers(4, 4)));
    assert_eq!(vision.bytes_in_use(), planned);
    assert_eq!(gpu.bytes_in_use() - before, planned + first.rows().size());

    said.clear();
    let mut hear = |step| said.push(step);
    let encode = vision.soft_tokens(&file, budget(70), &cancel, &mut hear);
    let second = pollster::block_on(encode).expect("soft tokens");
    assert!(said.iter().all(|step| matches!(step, Encoding::Layers(..))));
    let values = |soft: &SoftTokens| pollster::block_on(soft.read(&gpu)).expect("values");
    assert_eq!(values(&first), values(&second));
    vision.unload();
    drop((first, second));
    assert_eq!(gpu.bytes_in_use(), before);

    cancel.cancel();
    let mut quiet = |_| ();
    let stopped = vision.soft_tokens(&file, budget(70), &cancel, &mut quiet);
    let stopped = EngineError::from(pollster::block_on(stopped).expect_err("it was cancelled"));
    assert!(stopped.is_cancelled());
}

#[test]
fn media_that_do_not_fit_are_refused() {
    let gpu = common::gpu();
    let mut session = common::with_projector(&gpu, &common::repository(PEBBLE), None);
    // 512 places for patches, and a strip of 280 tokens has 840.
    let strip = image::RgbImage::new(3, 4000);
    let mut file = std::io::Cursor::new(Vec::new());
    strip.write_to(&mut file, image::ImageFormat::Png).expect("a PNG");
    let vision = session.vision_mut().expect("a tower");
    let (cancel, mut quiet) = (CancelToken::new(), |_| ());
    let encode = vision.soft_tokens(file.get_ref(), Budget::default(), &cancel, &mut quiet);
    let error = pollster::block_on(encode).expect_err("too long");
    assert!(
        matches!(error, VisionError::Picture(PictureError::Positions { patches: 840, most: 512 })),
        "{error:?}"
    );
    // A text model has no eyes.
    let mut blind = common::with_projector(&gpu, &carried("models/tiny-e2b.q4_k_m.gguf"), None);
    assert!(matches!(blind.vision_mut(), Err(EngineError::Media(MediaError::NoTower { .. }))));
    // Soft tokens of a model of another width.
    let slot = blind.tokenizer().special().image_slot.expect("a slot");
    let content = ContentHash::of(b"a picture", &[]);
    let medium = Medium { media: Media::Image, content, tokens: 2 };
    let soft = SoftTokens::upload(&gpu, medium, 128, &[0.5; 256]).expect("a buffer");
    let input = with(&blind, vec![2, slot, slot, 107], &[soft]);
    let error = pollster::block_on(blind.logits(&input, 1)).expect_err("too narrow");
    let width = MediaError::Width { found: 128, expected: 256 };
    assert!(matches!(&error, EngineError::Media(found) if *found == width), "{error:?}");
}
