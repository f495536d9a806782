//! How many tokens a picture has in a model that sees pictures whole: as many as the device has room for, and else it is
//! said. The model is random and of the 12B kind, which cuts pictures into patches and has no tower.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::bytes::FileSource;
use engine::gguf::Header;
use engine::session::{LoadOptions, ModelSpec};
use futures_util::FutureExt as _;
use probe::synth::{self, Quant};
use protocol::{
    Content, GenerateOptions, Media, MediaNotice, MediaReport, Outcome, Request, RequestId, Sampling,
    ToWorker, TokenBudget,
};
use worker::Host;

use crate::desk::{Desk, asks, load, needed, pebble, small, synthetic};

/// The context when nobody asks for another.
const CONTEXT: u32 = 8192;

fn model(name: &str) -> PathBuf {
    let options =
        synth::Options { vocabulary: 1024, towers: true, ..synth::Options::new(small("12b"), Quant::Q4KM) };
    synthetic(name, &options)
}

/// Bytes that the model takes with room for a picture of so many tokens.
fn bytes(model: &Path, largest_picture: u32) -> u64 {
    let source = FileSource::open(model).expect("the model opens");
    let header = Header::read(&source).now_or_never().expect("a file").expect("a header");
    let options = LoadOptions { largest_picture, ..LoadOptions::default() };
    needed(&ModelSpec::with_options(&header, &options).expect("a plan"), CONTEXT)
}

/// A worker with the model on a device with so many bytes, and a picture.
fn loaded(model: &Path, memory: u64) -> (Rc<Desk>, Rc<Host>) {
    let (desk, host) = Desk::new();
    host.state_memory(memory).now_or_never().expect("nobody opens a device meanwhile");
    desk.model.replace(model.to_path_buf());
    let picture = pebble().with_file_name("samples").join("shapes1.png");
    desk.media.replace(vec![std::fs::read(picture).expect("a sample")]);
    host.receive(load(1), Vec::new());
    let end = desk.end_of(1);
    assert!(matches!(end, Ok(Outcome::Loaded(ref it)) if it.context == CONTEXT), "{end:?}");
    (desk, host)
}

fn picture(budget: TokenBudget) -> Content {
    Content::Image { media: Media { key: 1, place: 0 }, budget }
}

fn examined(desk: &Desk, host: &Rc<Host>, id: u64, budget: TokenBudget) -> MediaReport {
    host.receive(ToWorker::request(RequestId(id), Request::Examine(picture(budget))), Vec::new());
    match desk.end_of(id) {
        Ok(Outcome::Examined(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// An answer, whatever it says; how many tokens its prompt had.
fn answered(desk: &Desk, host: &Rc<Host>, id: u64, budget: TokenBudget) -> u32 {
    let mut messages = asks("What is this?");
    messages[0].content.insert(0, picture(budget));
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens: 2, ..GenerateOptions::default() };
    host.receive(ToWorker::request(RequestId(id), Request::Generate { messages, options }), Vec::new());
    match desk.end_of(id) {
        Ok(Outcome::Done { timings, .. }) => timings.prompt_tokens,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_picture_has_as_many_tokens_as_there_is_room_for() {
    let model = model("large_pictures.gguf");
    // Room for the largest, a byte too little for it, and a byte too little for the next.
    let enough = [bytes(&model, 1120), bytes(&model, 560), bytes(&model, 280)];
    assert!(enough.is_sorted_by(|more, less| more > less), "{enough:?}");
    for (memory, most) in [(enough[0], 1120), (enough[0] - 1, 560), (enough[1] - 1, 280)] {
        let (desk, host) = loaded(&model, memory);
        let report = examined(&desk, &host, 2, TokenBudget::T1120);
        // The marks around it are counted, too; what is left over is less than a row of patches.
        let tokens = report.tokens.expect("the model sees");
        assert!((most * 9 / 10..=most + 2).contains(&tokens), "{tokens} of {most}");
        let cut = (most < 1120).then_some(MediaNotice::FewerTokens(most));
        assert_eq!(report.notices, Vec::from_iter(cut), "{most}");
        // That a picture of 1120 is read as planned is the engine's test.
        if most == 280 {
            assert!(answered(&desk, &host, 3, TokenBudget::T1120) >= tokens);
        }

        // What fits is not cut, and nothing is said of what nobody asked for.
        assert_eq!(examined(&desk, &host, 4, TokenBudget::T280).notices, []);
        assert_eq!(examined(&desk, &host, 5, TokenBudget::Auto).notices, []);
    }
}
