//! Servers that break off, lie, or want to know who asks.

use std::{fs, time::Duration};

use server::pull::{Event, Patience, PullError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::{
    Model, Target,
    fake::{Fake, Fault},
};

#[tokio::test]
async fn a_server_without_ranges_begins_anew() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::Cut(2_000_000), Fault::IgnoreRange]);
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    assert_eq!(fake.ranges(model.content()), [None, Some("bytes=2000000-".into())]);
}

#[tokio::test]
async fn attempts_that_bring_nothing_end() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    // Each brings something, so that together they may be more than attempts.
    let cuts = (1..=5).map(|_| Fault::Cut(500_000));
    fake.fail(model.content(), cuts.chain([503, 429, 500].map(Fault::Status)));
    let error = target.pull(&name).await.expect_err("three in vain");
    assert!(matches!(error, PullError::Status { status: 429, .. }), "{error}");
    assert_eq!(fake.ranges(model.content()).len(), 7);
    let begun = fs::metadata(target.partial(model.content())).expect("a partial file").len();
    assert_eq!(begun, 2_500_000);

    target.pull(&name).await.expect("pulled, after one more failure");
    target.assert_has(&name, &model);
}

#[tokio::test]
async fn a_host_that_is_not_there_is_named() {
    let target = Target::new();
    let error = target.pull("127.0.0.1:1/library/tiny").await.expect_err("nobody listens");
    assert!(error.to_string().starts_with("127.0.0.1:1 could not be reached: "), "{error}");
}

#[tokio::test]
async fn lengths_that_are_not_those_of_the_manifest_are_refused() {
    for (faults, reason) in [
        (vec![Fault::Longer], "3000641 bytes are announced, 3000640 are expected"),
        (vec![Fault::Endless], "it goes on after 3000640 bytes"),
        (vec![Fault::Cut(1_000_000), Fault::OtherRange], "it sends bytes 1000001-"),
    ] {
        let (mut model, target) = (Model::tiny(), Target::new());
        model.layers[0].1.resize(3_000_640, 0);
        let (fake, name) = Fake::with(&model).await;
        fake.fail(model.content(), faults);
        let error = target.pull(&name).await.expect_err("refused");
        assert!(
            matches!(error, PullError::WrongLength { .. }) && error.to_string().contains(reason),
            "{error}"
        );
        assert!(target.listed().await.is_empty());
    }
}

#[tokio::test]
async fn wrong_bytes_are_refused_and_deleted() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::WrongByte]);
    let error = target.pull(&name).await.expect_err("refused");
    assert!(matches!(error, PullError::WrongDigest { .. }), "{error}");
    assert!(!target.partial(model.content()).exists());
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
}

#[tokio::test]
async fn a_partial_file_of_other_bytes_is_not_believed() {
    for (length, ranges) in [
        (1_000_000, vec![Some("bytes=1000000-".to_owned()), None]),
        // Of the full size, as Ollama leaves them; and longer.
        (3_000_640, vec![None]),
        (4_000_000, vec![None]),
    ] {
        let (mut model, target) = (Model::tiny(), Target::new());
        model.layers[0].1.resize(3_000_640, 0);
        let (fake, name) = Fake::with(&model).await;
        fs::create_dir(target.path().join("blobs")).expect("a folder");
        fs::write(target.partial(model.content()), vec![7; length]).expect("written");
        target.pull(&name).await.expect("pulled");
        target.assert_has(&name, &model);
        assert_eq!(fake.ranges(model.content()), ranges);
    }
}

#[tokio::test]
async fn reading_again_what_is_there_is_told() {
    let (model, target) = (Model::tiny(), Target::new());
    let (_fake, name) = Fake::with(&model).await;
    fs::create_dir(target.path().join("blobs")).expect("a folder");
    fs::write(target.partial(model.content()), &model.content()[..2_500_000]).expect("written");
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    let told = target.told();
    let checked: Vec<_> = told
        .iter()
        .filter_map(|event| match event {
            Event::Checking { kind, at, size } => Some((&**kind, *at, *size)),
            _ => None,
        })
        .collect();
    let steps = [0, 1 << 20, 2 << 20, 2_500_000];
    assert_eq!(checked, steps.map(|at| ("model", at, 2_500_000)));
    let last =
        told.iter().rposition(|event| matches!(event, Event::Checking { .. })).expect("there are some");
    assert!(matches!(told[last + 1], Event::Begun { at: 2_500_000, .. }), "{:?}", told[last + 1]);
}

#[tokio::test]
async fn a_download_of_ollamas_is_left_alone() {
    let (model, target) = (Model::tiny(), Target::new());
    let (_fake, name) = Fake::with(&model).await;
    fs::create_dir(target.path().join("blobs")).expect("a folder");
    let partial = target.partial(model.content());
    fs::write(&partial, "bytes").expect("written");
    fs::write(format!("{}-0", partial.display()), "{}").expect("written");
    let error = target.pull(&name).await.expect_err("refused");
    assert!(matches!(error, PullError::BegunByOllama { .. }), "{error}");
    assert_eq!(fs::read(&partial).expect("still there"), b"bytes");
}

#[tokio::test]
async fn two_pulls_do_not_write_one_file() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::Stall(2_000_000)]);
    let second = async {
        target.written(1 << 20, model.content()).await;
        let error = target.pull(&name).await.expect_err("refused");
        assert!(matches!(error, PullError::Busy { .. }), "{error}");
    };
    target.pull_until(second, &name).await;
    target.pull(&name).await.expect("the first one has ended");
    target.assert_has(&name, &model);
}

#[tokio::test]
async fn a_token_is_fetched_and_kept_from_others() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    let elsewhere = Fake::start().await;
    fake.need_token("secret");
    elsewhere.answer("/cdn", 200, model.content());
    fake.fail(model.content(), [Fault::Redirect(format!("http://{}/cdn", elsewhere.address))]);
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    assert_eq!(fake.asked("/token").len(), 1);
    let bearer = Some("Bearer secret".to_owned());
    let manifest: Vec<_> = fake.asked("/manifests/latest").into_iter().map(|it| it.authorization).collect();
    assert_eq!(manifest, [None, bearer]);
    let cdn = elsewhere.asked("/cdn");
    assert_eq!((cdn.len(), &cdn[0].authorization), (1, &None));
}

#[tokio::test]
async fn redirects_without_end_or_encryption_are_not_followed() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    let itself = format!("http://{}/v2/library/tiny/blobs/{}", fake.address, super::digest(model.content()));
    fake.fail(model.content(), (0..20).map(|_| Fault::Redirect(itself.clone())));
    let error = target.pull(&name).await.expect_err("refused");
    assert!(error.to_string().ends_with("there are too many redirects"), "{error}");
    assert_eq!(fake.ranges(model.content()).len(), 9);

    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::Redirect("file:///etc/passwd".into())]);
    target.pull(&name).await.expect_err("refused");
}

#[tokio::test]
async fn a_manifest_is_looked_at_before_anything_is_downloaded() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    for (status, body, reason) in [
        (200, vec![b' '; (4 << 20) + 1], "it is longer than 4194304 bytes"),
        (200, b"<html>".to_vec(), "expected value"),
        (200, br#"{"schemaVersion": 2, "layers": []}"#.to_vec(), "it has no configuration"),
        (403, Vec::new(), "without an account"),
        (
            418,
            br#"{"errors": [{"code": "TEA", "message": "I'm a \u202eteapot"}]}"#.to_vec(),
            "I'm a \u{fffd}teapot",
        ),
    ] {
        fake.answer("/v2/library/tiny/manifests/latest", status, &body);
        let error = target.pull(&name).await.expect_err("refused");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(target.files().is_empty() && target.told().is_empty());
    }
}

#[tokio::test]
async fn a_model_is_not_listed_without_all_its_files() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    let license = &model.layers[3].1;
    fake.fail(license, [Fault::Status(404)]);
    let error = target.pull(&name).await.expect_err("refused");
    assert!(error.to_string().ends_with("a file that it names isn't there."), "{error}");

    // As Ollama does when it starts meanwhile.
    let progress = |event| {
        if let Event::Begun { kind, .. } = event
            && kind == "model"
        {
            fs::remove_file(target.blob(license)).expect("it has come first");
        }
    };
    let error = target.puller().pull(&super::named(&name), &progress).await.expect_err("refused");
    assert!(matches!(error, PullError::Vanished { .. }), "{error}");
    assert!(target.listed().await.is_empty());
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
}

#[tokio::test]
async fn a_tag_that_moves_on_is_followed() {
    let (old, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&old).await;
    target.pull(&name).await.expect("pulled");
    let mut new = Model::tiny();
    new.layers[2].1 = br#"{"stop":[]}"#.to_vec();
    fake.add("library/tiny", "latest", &new);
    target.told();
    target.pull(&name).await.expect("pulled");
    assert!(matches!(target.told()[0], Event::Planned { files: 1, bytes: 11 }));
    assert_eq!(fake.ranges(old.content()).len(), 1);
    // What only the old one needs is for Ollama to delete.
    fs::remove_file(target.blob(&old.layers[2].1)).expect("the old one's");
    target.assert_has(&name, &new);
}

/// Answers each request with `first`, then with `more` for as long as the other side listens.
async fn endless(first: &'static str, more: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                // What comes before it was asked for is refused at once.
                client.read_u8().await?;
                client.write_all(first.as_bytes()).await?;
                loop {
                    client.write_all(more.as_bytes()).await?;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                #[expect(unreachable_code, reason = "says what type an error has")]
                Ok::<(), std::io::Error>(())
            });
        }
    });
    format!("{address}/library/tiny")
}

#[tokio::test]
async fn an_answer_that_never_ends_is_given_up() {
    let patience = Patience { answer: Duration::from_millis(50), ..Patience::default() };
    for (first, more) in [
        ("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        ("", "HTTP/1.1 102 Processing\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\n", "X-More: of it\r\n"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", " "),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
        ("HTTP/1.1 500 Oh\r\nContent-Length: 10000\r\n\r\n", " "),
        ("HTTP/1.1 401 Who\r\nContent-Length: 10000\r\n\r\n", " "),
    ] {
        let (target, name) = (Target::new(), endless(first, more).await);
        let error = target.pull_with(&target.puller().patience(patience), &name).await.expect_err("given up");
        let is_late =
            matches!(&error, PullError::Network { reason, .. } if reason == "it didn't answer in time");
        assert!(is_late || matches!(error, PullError::Private { .. }), "{first}{more}: {error}");
    }
}

#[tokio::test]
async fn a_file_that_drips_is_given_up_after_some_attempts() {
    let (model, target) = (Model::tiny(), Target::new());
    let (fake, name) = Fake::with(&model).await;
    fake.fail(model.content(), [Fault::Drip, Fault::Drip, Fault::Drip]);
    let patience = Patience { window: Duration::ZERO, ..Patience::default() };
    let error = target.pull_with(&target.puller().patience(patience), &name).await.expect_err("given up");
    assert!(error.to_string().ends_with("it sends too slowly."), "{error}");
    // Each attempt went on where the one before had ended, but such little steps don't count.
    let ranges = fake.ranges(model.content());
    assert!(matches!(&ranges[..], [None, Some(_), Some(_)]), "{ranges:?}");
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
}
