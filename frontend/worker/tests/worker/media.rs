//! Pictures and sound on the native device, with the built-in model.

use std::path::Path;

use protocol::failure::MediaFailure;
use protocol::{
    Cause, Code, Content, Control, GenerateOptions, Media, MediaNotice, MediaSize, Message, Outcome,
    Progress, Request, RequestId, Sampling, Sense, ToWorker, TokenBudget,
};

use crate::desk::{Desk, asks};

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/models/samples").join(name);
    std::fs::read(path).expect("a sample")
}

/// A picture at this place among the desk's media, under a key of its own.
fn picture(place: u32, budget: TokenBudget) -> Content {
    Content::Image { media: Media { key: u128::from(place), place }, budget }
}

fn sound(place: u32) -> Content {
    Content::Audio { media: Media { key: u128::from(place), place } }
}

/// Asks about media, greedily.
fn ask(id: u64, mut messages: Vec<Message>, media: Vec<Content>, max_tokens: u32) -> ToWorker {
    let last = messages.last_mut().expect("a question");
    last.content.splice(0..0, media);
    let sampling = Sampling { temperature: 0.0, ..Sampling::default() };
    let options = GenerateOptions { sampling, max_tokens, ..GenerateOptions::default() };
    ToWorker::request(RequestId(id), Request::Generate { messages, options })
}

fn examine(id: u64, content: Content) -> ToWorker {
    ToWorker::request(RequestId(id), Request::Examine(content))
}

/// A PNG file that claims a size, and has no pixels.
fn png_of(width: u32, height: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let body = [kind.as_slice(), data].concat();
        [&(data.len() as u32).to_be_bytes(), body.as_slice(), &crc(&body).to_be_bytes()].concat()
    };
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &head), chunk(b"IDAT", &[0])].concat()
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        (0..8).fold(
            sum ^ u32::from(byte),
            |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 },
        )
    };
    !bytes.iter().fold(u32::MAX, step)
}

#[test]
fn media_are_looked_at_before_they_are_sent() {
    let (desk, host) = Desk::loaded();
    let speech = sample("speech1.wav");
    let mut still = speech.clone();
    still[44..].fill(0);
    let cut = sample("shapes1.png")[..400].to_vec();
    desk.media.replace(vec![
        sample("shapes1.png"),
        cut,
        b"not a picture".to_vec(),
        png_of(20_000, 20_000),
        png_of(0, 7),
        speech,
        still,
        b"RIFF".to_vec(),
    ]);
    let auto = TokenBudget::Auto;
    let report = |id, content| {
        host.receive(examine(id, content), Vec::new());
        match desk.end_of(id) {
            Ok(Outcome::Examined(report)) => report,
            other => panic!("{other:?}"),
        }
    };
    let seen = report(10, picture(0, auto));
    assert!(matches!(seen.size, MediaSize::Pixels { width: 1.., height: 1.. }), "{seen:?}");
    let most = report(11, picture(0, TokenBudget::T70));
    assert!(most.tokens < seen.tokens, "{most:?} {seen:?}");
    let heard = report(12, sound(5));
    assert!(matches!(heard.size, MediaSize::Seconds(seconds) if seconds > 1.0), "{heard:?}");
    assert!(heard.tokens.is_some_and(|tokens| tokens > 2));
    assert_eq!(report(13, sound(6)).notices, [MediaNotice::Silent]);
    fn damaged(it: &MediaFailure) -> bool {
        matches!(it, MediaFailure::ImageDamaged { .. })
    }
    for (id, content, is) in [
        (20, picture(1, auto), damaged as fn(&_) -> bool),
        (21, picture(2, auto), |it| *it == MediaFailure::NotAnImage),
        (22, picture(3, auto), |it| matches!(it, MediaFailure::ImageTooLarge { .. })),
        (23, picture(4, auto), damaged),
        (24, sound(7), |it| *it == MediaFailure::SoundUnreadable),
        (25, picture(99, auto), |it| *it == MediaFailure::Gone),
    ] {
        host.receive(examine(id, content), Vec::new());
        match desk.end_of(id) {
            Err(failure) => {
                assert_eq!(failure.cause(), Cause::BadMedia, "{failure:?}");
                let code = &failure.code;
                assert!(matches!(code, Code::Media(found) if is(found)), "{failure:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn pictures_and_sound_are_answered_and_encoded_once() {
    let (desk, host) = Desk::loaded();
    let speech = sample("speech3.wav");
    // Of two clips, and of a length that only its end tells.
    let mut long = speech[..44].to_vec();
    long[40..].fill(0xff);
    long.extend(speech[44..].iter().cycle().take(31 * 32_000));
    desk.media.replace(vec![sample("shapes1.png"), speech, long]);
    let auto = TokenBudget::Auto;
    let encodings = |of: u64, sense: Sense| {
        let is =
            |progress: &&Progress| matches!(progress, Progress::Encoding { sense: its, .. } if *its == sense);
        desk.progress_of(of).iter().filter(is).count()
    };
    let first = asks("What can you see in this image?");
    host.receive(ask(10, first.clone(), vec![picture(0, auto)], 16), Vec::new());
    assert!(matches!(desk.end_of(10), Ok(Outcome::Done { .. })), "{:?}", desk.posted().last());
    assert_eq!(desk.text_of(10), "A purple triangle.");
    assert!(encodings(10, Sense::Sight) > 0);

    host.receive(ask(11, first, vec![picture(0, auto)], 16), Vec::new());
    assert!(matches!(desk.end_of(11), Ok(Outcome::Done { .. })));
    assert_eq!(desk.text_of(11), "A purple triangle.");
    assert_eq!(encodings(11, Sense::Sight), 0, "seen once");

    host.receive(ask(13, asks("Transcribe the recording."), vec![sound(1)], 16), Vec::new());
    assert!(matches!(desk.end_of(13), Ok(Outcome::Done { .. })), "{:?}", desk.posted().last());
    assert_eq!(desk.text_of(13), "six");
    assert!(encodings(13, Sense::Hearing) > 0);

    host.receive(ask(14, asks("Transcribe the recording."), vec![sound(2)], 1), Vec::new());
    assert!(matches!(desk.end_of(14), Ok(Outcome::Done { .. })), "{:?}", desk.posted().last());
    let reads = desk.read.borrow().iter().filter(|place| **place == 2).count();
    assert_eq!(reads, 2, "to be looked at, and for all its clips");

    let held = |id: u64, free: bool| {
        host.receive(ToWorker::request(RequestId(id), Request::Towers { free }), Vec::new());
        match desk.end_of(id) {
            Ok(Outcome::Towers { bytes: Some(bytes), gpu_bytes, .. }) => (bytes, gpu_bytes),
            other => panic!("{other:?}"),
        }
    };
    let (before, used) = held(20, false);
    assert!(before > 0);
    let (after, left) = held(21, true);
    assert_eq!(after, 0);
    assert!(left < used, "{left} of {used} bytes");
}

#[test]
fn an_answer_that_is_stopped_while_a_picture_is_encoded_ends() {
    let (desk, host) = Desk::loaded();
    desk.media.replace(vec![sample("shapes1.png")]);
    let again = std::rc::Rc::downgrade(&host);
    desk.react(move |event| {
        if let (Some((id, Progress::Encoding { .. })), Some(host)) = (event.as_progress(), again.upgrade()) {
            host.receive(ToWorker::control(id, Control::Cancel), Vec::new());
        }
    });
    let media = vec![picture(0, TokenBudget::T280)];
    host.receive(ask(10, asks("What can you see in this image?"), media, 16), Vec::new());
    assert!(
        matches!(desk.end_of(10), Ok(Outcome::Done { finish: protocol::Finish::Cancelled, .. })),
        "{:?}",
        desk.posted().last()
    );
    assert_eq!(desk.text_of(10), "");
}

#[test]
fn what_was_heard_while_somebody_spoke_is_not_encoded_again() {
    let (desk, host) = Desk::loaded();
    let speech = sample("speech3.wav");
    let samples: Vec<i16> =
        speech[44..].as_chunks::<2>().0.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect();
    desk.media.replace(vec![speech]);
    let mut at = 0;
    let mut tokens = Vec::new();
    for (id, piece) in (20..).zip(samples.chunks(8_000)) {
        let last = at + piece.len() == samples.len();
        host.receive(
            ToWorker::request(
                RequestId(id),
                Request::Listen { at: at as u64, samples: piece.to_vec(), last },
            ),
            Vec::new(),
        );
        match desk.end_of(id) {
            Ok(Outcome::Listened { tokens: so_far, .. }) => tokens.push(so_far),
            other => panic!("{other:?}"),
        }
        at += piece.len();
    }
    assert!(tokens.is_sorted() && tokens.last().is_some_and(|&all| all > 8), "{tokens:?}");

    host.receive(ask(10, asks("Transcribe the recording."), vec![sound(0)], 16), Vec::new());
    assert!(matches!(desk.end_of(10), Ok(Outcome::Done { .. })), "{:?}", desk.posted().last());
    assert_eq!(desk.text_of(10), "six");
    let encoded =
        desk.posted().iter().any(|event| matches!(event.as_progress(), Some((_, Progress::Encoding { .. }))));
    assert!(!encoded, "it was encoded when it was sent");
}
