//! From a real registry.

use std::fs;

use server::pull::{Event, PullError};

use super::{
    Model, Target,
    docker::Registry,
    proxy::{Proxy, Then},
};

/// Bytes after which something happens: in the middle of the model, which comes last.
const MIDDLE: u64 = 2_000_000;

#[tokio::test]
async fn a_model_is_pulled_and_listed() {
    let (registry, model, target) = (Registry::start(), Model::tiny(), Target::new());
    registry.push(&model).await;
    let name = format!("{}/library/tiny", registry.address);
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    assert_eq!(target.listed().await, [format!("{name}:latest")]);
    let told = target.told();
    assert!(matches!(told[0], Event::Planned { files: 5, .. }), "{:?}", told[0]);

    target.pull(&name).await.expect("pulled");
    assert_eq!(target.told(), [Event::Planned { files: 0, bytes: 0 }]);
}

#[tokio::test]
async fn a_connection_that_breaks_is_continued() {
    let (registry, model, target) = (Registry::start(), Model::tiny(), Target::new());
    registry.push(&model).await;
    let proxy = Proxy::start(&registry.address, MIDDLE, Then::Cut).await;
    let name = format!("{}/library/tiny", proxy.address);
    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    let waits = target.told().into_iter().filter(|event| matches!(event, Event::Waiting { .. }));
    assert_eq!(waits.count(), 1);
    let begin = begin(&proxy);
    assert!((1_000_000..=MIDDLE).contains(&begin), "{begin}");
}

/// Where the only request for a range began.
fn begin(proxy: &Proxy) -> u64 {
    let ranges = proxy.ranges();
    let [range] = ranges.as_slice() else { panic!("{ranges:?}") };
    range.trim_start_matches("bytes=").trim_end_matches('-').parse().expect("a number")
}

#[tokio::test]
async fn a_pull_that_was_given_up_is_continued() {
    let (registry, model, target) = (Registry::start(), Model::tiny(), Target::new());
    registry.push(&model).await;
    let proxy = Proxy::start(&registry.address, MIDDLE, Then::Stall).await;
    let name = format!("{}/library/tiny", proxy.address);
    let stuck = async {
        proxy.happened().await;
        target.written(1 << 20, model.content()).await;
    };
    target.pull_until(stuck, &name).await;
    let length = fs::metadata(target.partial(model.content())).expect("a partial file").len();
    assert!(target.listed().await.is_empty());

    target.pull(&name).await.expect("pulled");
    target.assert_has(&name, &model);
    // A write that was under way when the pull was given up may have ended since.
    let begin = begin(&proxy);
    assert!((length..=MIDDLE).contains(&begin), "{begin}, {length} bytes were there");
    let told = target.told();
    let goes_on = |event: &Event| matches!(event, Event::Begun { at, .. } if *at == begin);
    assert!(told.iter().any(goes_on), "{told:?}");
}

#[tokio::test]
async fn damaged_bytes_are_refused_and_deleted() {
    let (registry, model, target) = (Registry::start(), Model::tiny(), Target::new());
    registry.push(&model).await;
    registry.damage(model.content());
    let name = format!("{}/library/tiny", registry.address);
    let error = target.pull(&name).await.expect_err("refused");
    assert!(matches!(error, PullError::WrongDigest { .. }), "{error}");
    assert!(!target.blob(model.content()).exists() && !target.partial(model.content()).exists());
    assert!(target.listed().await.is_empty());
}

#[tokio::test]
async fn a_model_that_is_not_there_is_named() {
    let (registry, target) = (Registry::start(), Target::new());
    let name = format!("{}/library/gemma4:e9b", registry.address);
    let error = target.pull(&name).await.expect_err("not there");
    let expected = format!("There is no model “{name}” on {}.", registry.address);
    assert_eq!(error.to_string(), expected);
    assert!(target.files().is_empty());
}
