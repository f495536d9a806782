//! Fine-tuning on pictures and sound, on a native device: files by their names, a run that goes on in another tab, and
//! what cannot be learned from.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use protocol::example::ExampleProblem;
use protocol::failure::{MediaFailure, ModelFailure};
use protocol::tune::{
    ExampleData, ExampleFile, PreviewPiece, TuneLength, TunePoint, TuneSettings, TuneTarget,
};
use protocol::{
    Cause, Code, Content, Control, Media, Message, Progress, RequestId, Role, Sense, ToPage, ToWorker,
    TokenBudget, TuneOutcome, TuneProgress, TuneRequest,
};

use crate::desk::{Desk, golden, load, tune, tuned};

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/models/samples").join(name);
    std::fs::read(path).expect("a sample")
}

fn picture(place: u32) -> Content {
    Content::Image { media: Media { key: u128::from(place), place }, budget: TokenBudget::T70 }
}

fn sound(place: u32) -> Content {
    Content::Audio { media: Media { key: u128::from(place), place } }
}

/// The handles of all tests, by their places.
fn give(desk: &Desk) {
    let cut = sample("shapes1.png")[..400].to_vec();
    let files = vec![sample("shapes1.png"), sample("shapes3.png"), sample("speech1.wav"), cut];
    desk.media.replace(files);
}

fn file(name: &str, content: Result<Content, MediaFailure>) -> ExampleFile {
    ExampleFile { name: name.to_owned(), content: content.map_err(Into::into) }
}

/// Rows about two pictures and a sound, and rows that cannot be used.
fn rows() -> ExampleData {
    let lines = [
        r#"{"messages": [{"role": "user", "content": [{"type": "image", "image": "shapes/one.png"}, {"type": "text", "text": "What?"}]}, {"role": "assistant", "content": "One."}]}"#,
        r#"{"images": ["three.png"], "prompt": "What?", "completion": "Three."}"#,
        r#"{"audios": ["speech.mp3"], "prompt": "What?", "completion": "Words."}"#,
        r#"{"images": ["gone.png"], "prompt": "What?", "completion": "Nothing."}"#,
        r#"{"images": ["cut.png"], "prompt": "What?", "completion": "Half."}"#,
        r#"{"audios": ["odd.ogg"], "prompt": "What?", "completion": "Noise."}"#,
        r#"{"audios": ["three.png"], "prompt": "What?", "completion": "Noise."}"#,
    ];
    let files = vec![
        file("one.png", Ok(picture(0))),
        file("three.png", Ok(picture(1))),
        file("speech.mp3", Ok(sound(2))),
        file("cut.png", Ok(picture(3))),
        file("odd.ogg", Err(unread())),
    ];
    ExampleData::Text { text: lines.join("\n"), columns: None, files }
}

fn unread() -> MediaFailure {
    MediaFailure::NotDecoded(Sense::Hearing)
}

fn settings(steps: u32) -> TuneSettings {
    TuneSettings {
        rank: 2,
        length: TuneLength::Steps(steps),
        targets: vec![TuneTarget::Q, TuneTarget::Down],
        learning_rate: 1e-2,
        warmup: 0.0,
        accumulation: 1,
        eval_share: 0.34,
        checkpoint_every: 2,
        ..TuneSettings::default()
    }
}

/// Names of the files in which soft tokens are kept.
fn kept_media(desk: &Desk) -> Vec<String> {
    use engine::store::Folder as _;
    use futures_util::FutureExt as _;
    let folders = desk.folders.borrow();
    let names =
        folders.get("training").map(|folder| folder.names().now_or_never().expect("memory does not wait"));
    let mut names = names.expect("a folder").expect("names");
    names.retain(|name| name.starts_with("soft."));
    names
}

#[test]
fn rows_find_their_files_and_broken_ones_are_told_by_line_and_name() {
    let (desk, host) = Desk::loaded();
    give(&desk);
    host.receive(tune(2, TuneRequest::Prepare { data: rows(), settings: settings(4) }), Vec::new());
    let TuneOutcome::Prepared { preview, plan } = tuned(desk.end_of(2)) else { panic!("not prepared") };
    assert_eq!((preview.usable, preview.problem_count), (3, 4), "{:?}", preview.problems);
    let problems: Vec<_> = preview.problems.iter().map(|it| (it.line, it.reason.clone())).collect();
    let bad = |name: &str, why: MediaFailure| ExampleProblem::BadFile {
        name: name.to_owned(),
        why: Box::new(why.into()),
    };
    assert_eq!(problems[0], (4, ExampleProblem::MissingFile { name: "gone.png".into() }));
    assert_eq!(problems[1], (5, bad("cut.png", MediaFailure::ImageDamaged { format: "PNG".into() })));
    assert_eq!(problems[2], (6, bad("odd.ogg", unread())));
    assert_eq!(problems[3], (7, bad("three.png", MediaFailure::Not(Sense::Hearing))));
    let media = |row: usize| {
        let pieces = preview.rows[row].pieces.iter();
        let media = pieces.filter_map(|piece| match piece {
            PreviewPiece::Medium { sense, tokens } => Some((*sense, *tokens)),
            PreviewPiece::Token { .. } => None,
        });
        media.collect::<Vec<_>>()
    };
    let [(Sense::Sight, one)] = media(0)[..] else { panic!("{:?}", media(0)) };
    let [(Sense::Hearing, heard)] = media(2)[..] else { panic!("{:?}", media(2)) };
    assert!(one > 0 && heard > 0 && preview.rows[0].tokens > one, "{one} {heard}");
    let plan = plan.expect("a plan");
    assert_eq!(plan.obstacle, None);
    assert!(plan.media_bytes > u64::from(one + heard) * 4, "{}", plan.media_bytes);

    // A conversation of the page's, with its picture.
    let mut ask = Message::text(Role::User, "What?");
    ask.content.insert(0, picture(0));
    let chat = ExampleData::Chat(vec![ask, Message::text(Role::Assistant, "One.")]);
    host.receive(tune(3, TuneRequest::Prepare { data: chat, settings: settings(4) }), Vec::new());
    let TuneOutcome::Prepared { preview: chat, .. } = tuned(desk.end_of(3)) else { panic!("not prepared") };
    assert_eq!(chat.rows[0].pieces, preview.rows[0].pieces);

    // Given up before the first step, it leaves nothing behind.
    let with = Rc::clone(&host);
    desk.react(move |event| {
        if matches!(event.as_progress(), Some((RequestId(4), Progress::Encoding { index: 1, .. }))) {
            with.receive(ToWorker::control(RequestId(4), Control::Cancel), Vec::new());
        }
    });
    host.receive(tune(4, TuneRequest::Start { data: rows(), settings: settings(3) }), Vec::new());
    match desk.end_of(4) {
        Err(failure) => assert_eq!(failure.cause(), Cause::Cancelled),
        other => panic!("{other:?}"),
    }
    assert_eq!(kept_media(&desk), Vec::<String>::new());
}

#[test]
fn a_run_on_pictures_and_sound_goes_on_without_the_files() {
    let (desk, host) = Desk::loaded();
    give(&desk);
    let start = |id| tune(id, TuneRequest::Start { data: rows(), settings: settings(2) });
    host.receive(start(2), Vec::new());
    let TuneOutcome::Finished(whole) = tuned(desk.end_of(2)) else { panic!("not finished") };
    let encoded = |sense: Sense| {
        let is = |event: &ToPage| matches!(event.as_progress(), Some((_, Progress::Encoding { sense: its, .. })) if *its == sense);
        desk.posted().iter().any(is)
    };
    assert!(encoded(Sense::Sight) && encoded(Sense::Hearing));
    assert_eq!(kept_media(&desk).len(), 3);

    let (with, asked) = (Rc::clone(&host), Cell::new(false));
    desk.react(move |event| {
        if let Some((RequestId(3), Progress::Tune(progress))) = event.as_progress()
            && matches!(&**progress, TuneProgress::Step(point) if point.step == 1)
            && !asked.replace(true)
        {
            with.receive(ToWorker::control(RequestId(3), Control::PauseTraining), Vec::new());
        }
    });
    host.receive(start(3), Vec::new());
    let TuneOutcome::Paused(paused) = tuned(desk.end_of(3)) else { panic!("not paused") };
    assert_eq!(paused.step, 1);

    // Another worker, as after a reload: the person's files are out of reach.
    let (later, host) = desk.successor();
    host.receive(load(1), Vec::new());
    later.end_of(1).ok();
    host.receive(tune(2, TuneRequest::Resume), Vec::new());
    let TuneOutcome::Finished(resumed) = tuned(later.end_of(2)) else { panic!("not finished") };
    let losses = |points: &[TunePoint]| points.iter().map(|it| (it.step, it.loss)).collect::<Vec<_>>();
    assert_eq!(losses(&resumed.points), losses(&whole.points));
    assert!(resumed.points.last().is_some_and(|point| point.eval_loss.is_some()));

    // What is deleted takes its files along.
    host.receive(tune(4, TuneRequest::Discard), Vec::new());
    later.end_of(4).ok();
    assert_eq!(kept_media(&later), Vec::<String>::new());
}

#[test]
fn a_model_without_a_tower_says_so_before_the_start() {
    let (desk, host) = Desk::new();
    desk.model.replace(golden("models/tiny-31b.q4_0.gguf"));
    host.receive(load(1), Vec::new());
    desk.end_of(1).ok();
    give(&desk);
    for (id, request) in [
        (2, TuneRequest::Prepare { data: rows(), settings: settings(2) }),
        (3, TuneRequest::Start { data: rows(), settings: settings(2) }),
    ] {
        host.receive(tune(id, request), Vec::new());
        match desk.end_of(id) {
            Err(failure) => {
                assert_eq!(failure.cause(), Cause::Unsupported);
                assert!(matches!(failure.code, Code::Model(ModelFailure::Lacks(_))), "{failure:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
