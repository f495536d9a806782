//! A store that is a real S3 server.

use std::{fs, process::Command};

use axum::{body::Body, http::Request};
use futures_util::StreamExt as _;
use tempfile::TempDir;

use super::{
    Place, assert_serves, failures, listed,
    programs::{Moto, client},
};
use crate::support::Gguf;

fn place(moto: &Moto, address: &str) -> Place {
    Place { address: address.into(), settings: moto.settings().into(), presign: false }
}

/// A folder with a model of so many bytes, and its content.
fn models(size: usize) -> (TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let noise: Vec<u8> = (0..size as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let content = Gguf::gemma4().data(&noise).build();
    fs::write(folder.path().join("tiny.gguf"), &content).expect("written");
    (folder, content)
}

#[tokio::test]
async fn a_file_of_several_parts_is_published_by_the_command_and_served() {
    let Some(moto) = Moto::start(false) else { return };
    moto.bucket("models").await;
    let (folder, content) = models(40 << 20);
    let publish = |address: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.arg("publish").arg(folder.path()).arg(address).envs(moto.settings());
        let output = command.output().expect("the program");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let (code, said) = publish("s3://models/some/place");
    assert!(code == Some(0) && said.contains("sending 41.9 MB"), "{said}");
    assert!(said.ends_with("catalog.json in s3://models/some/place lists 1 model.\n"), "{said}");
    let (code, said) = publish("s3://models/some/place");
    assert!(code == Some(0) && said.contains("already there"), "{said}");
    let (code, said) = publish("s3://nowhere/models");
    assert_eq!(
        (code, said.lines().last()),
        (Some(1), Some("gemtab: there is no such bucket: s3://nowhere/models"))
    );

    let place = place(&moto, "s3://models/some/place");
    for (server, _) in [place.served().await, place.served().await] {
        let models = listed(&server).await;
        assert_eq!(models[0].name, "tiny");
        assert_serves(&server, &models[0].layers[0].url, &content).await;
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_store_is_told_at_the_start() {
    let Some(moto) = Moto::start(false) else { return };
    moto.bucket("empty").await;
    let error = place(&moto, "s3://nowhere").error().await;
    assert_eq!(error, "there is no such bucket: s3://nowhere");
    let error = place(&moto, "s3://empty/models").error().await;
    assert!(error.starts_with("s3://empty/models has no catalog.json."), "{error}");

    let Some(strict) = Moto::start(true) else { return };
    let error = place(&strict, "s3://empty").error().await;
    assert!(error.starts_with("s3://empty refuses access: InvalidAccessKeyId"), "{error}");
    let here = strict.endpoint.clone();
    drop(strict);
    let settings =
        [("AWS_ENDPOINT_URL", here.as_str())].into_iter().chain(moto.settings().into_iter().skip(1));
    let settings: Vec<_> = settings.collect();
    let settings = <[_; 5]>::try_from(settings).expect("as many").into();
    let gone = Place { address: "s3://empty".into(), settings, presign: false };
    let error = gone.error().await;
    assert!(error.starts_with("s3://empty can't be reached: "), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[tokio::test]
async fn browsers_are_sent_to_signed_addresses() {
    let Some(moto) = Moto::start(false) else { return };
    moto.bucket("models").await;
    let (folder, content) = models(100_000);
    let place = Place { presign: true, ..place(&moto, "s3://models/some/place") };
    place.publish(folder.path()).await.expect("published");
    let (server, _) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();

    let answer = server.ask("GET", &url, &[("range", "bytes=10-19")]).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (307, 0));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let there = answer.header("location");
    assert!(there.starts_with(&moto.endpoint) && there.contains("X-Amz-Signature="), "{there}");
    let part = client().get(there).header("range", "bytes=10-19").send().await.expect("an answer");
    assert_eq!(part.status(), 206);
    assert_eq!(&part.bytes().await.expect("bytes")[..], &content[10..20]);

    // The page may follow, and may fetch from nowhere else.
    let policy = answer.header("content-security-policy");
    assert!(policy.contains(&format!("connect-src 'self' {};", moto.endpoint)), "{policy}");
    // What needs no content stays here.
    assert_eq!(server.ask("HEAD", &url, &[]).await.status, 200);
    assert_eq!(server.ask("GET", &url, &[("if-none-match", "*")]).await.status, 304);
    assert_eq!(server.get(&format!("/api/blobs/sha256-{}", "a".repeat(64))).await.status, 404);
}

#[tokio::test]
async fn a_store_that_goes_away_is_503_and_ends_what_it_was_sending() {
    let Some(moto) = Moto::start(false) else { return };
    moto.bucket("models").await;
    let (folder, content) = models(40 << 20);
    let place = place(&moto, "s3://models");
    place.publish(folder.path()).await.expect("published");
    let (server, metrics) = place.served().await;
    let url = listed(&server).await[0].layers[0].url.clone();
    let request = Request::get(&url).header("host", "localhost").body(Body::empty()).expect("a request");
    let mut body = server.send(request).await.into_body().into_data_stream();
    let mut received = body.next().await.expect("a piece").expect("no error").len();
    drop(moto);
    let error = loop {
        match body.next().await.expect("an error before the end") {
            Ok(piece) => received += piece.len(),
            Err(error) => break error,
        }
    };
    assert!(received < content.len(), "{error}");
    assert_eq!(failures(&metrics, "blob").await, 1);

    let answer = server.ask("GET", &url, &[("range", "bytes=0-9")]).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.text(), "The store of the models can't be reached. Try again later.");
    assert_eq!(failures(&metrics, "blob").await, 2);
    assert_eq!(listed(&server).await.len(), 1, "what was listed stays listed");
    assert!(failures(&metrics, "manifest").await >= 1);
}
