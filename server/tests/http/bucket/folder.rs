//! A store that is a folder.

use std::fs;

use server::bucket::{BucketError, Published};

use super::{Place, ask, assert_serves, listed};
use crate::support::{Gguf, Store, digest};

#[tokio::test]
async fn what_is_published_is_served_by_any_number_of_servers_alike() {
    let models = tempfile::tempdir().expect("a folder");
    let (model, projector) = (large(), Gguf::new("clip").number("clip.vision.projection_dim", 256).build());
    fs::write(models.path().join("gemma-4-tiny.gguf"), &model).expect("written");
    fs::write(models.path().join("mmproj-gemma-4-tiny.gguf"), &projector).expect("written");
    fs::write(models.path().join("llama.gguf"), Gguf::new("llama").build()).expect("written");
    let store = tempfile::tempdir().expect("a folder");
    // A folder that isn't there yet is made.
    let place = Place::folder(&store.path().join("some/models"));

    let told = place.publish(models.path()).await.expect("published");
    let sent = told.iter().filter(|event| matches!(event, Published::Sending { .. })).count();
    let left_out =
        told.iter().any(|event| matches!(event, Published::LeftOut { name, .. } if name == "llama"));
    assert!(sent == 2 && left_out, "{told:?}");
    assert_eq!(told.last(), Some(&Published::Listed { models: 1 }));

    let (one, _) = place.served().await;
    let (two, _) = place.served().await;
    let models = listed(&one).await;
    assert_eq!(models, listed(&two).await);
    assert_eq!((models.len(), models[0].name.as_str()), (1, "gemma-4-tiny"));
    assert_eq!(models[0].digest, digest(&model));
    for (layer, content) in models[0].layers.iter().zip([&model, &projector]) {
        assert_serves(&one, &layer.url, content).await;
        assert_serves(&two, &layer.url, content).await;
        // A download that one began goes on at the other.
        let begun = ask(&one, &layer.url, "bytes=0-9", "").await;
        let tag = one.get(&layer.url).await.header("etag").to_owned();
        let rest = ask(&two, &layer.url, "bytes=10-", &tag).await;
        assert_eq!(rest.status, 206);
        assert!(begun.status == 200 && rest.body == content[10..]);
    }
}

#[tokio::test]
async fn publishing_again_sends_nothing_and_lists_what_is_there_now() {
    let models = tempfile::tempdir().expect("a folder");
    fs::write(models.path().join("a.gguf"), Gguf::gemma4().text("general.name", "a").build())
        .expect("written");
    let b = models.path().join("b.gguf");
    fs::write(&b, Gguf::gemma4().text("general.name", "b").build()).expect("written");
    let store = tempfile::tempdir().expect("a folder");
    let place = Place::folder(store.path());
    place.publish(models.path()).await.expect("published");
    let (server, _) = place.served().await;
    assert_eq!(listed(&server).await.len(), 2);

    fs::remove_file(&b).expect("removed");
    let told = place.publish(models.path()).await.expect("published");
    let [Published::There { .. }, Published::Listed { models: 1 }] = &told[..] else { panic!("{told:?}") };
    let listed = listed(&server).await;
    assert_eq!((listed.len(), listed[0].name.as_str()), (1, "a"), "the server sees it without a new start");
}

#[tokio::test]
async fn an_ollama_store_is_published_unless_a_file_is_not_what_its_name_says() {
    let ollama = Store::new();
    let content = ollama.gemma4("e2b");
    let store = tempfile::tempdir().expect("a folder");
    let place = Place::folder(store.path());
    place.publish(ollama.path()).await.expect("published");
    let (server, _) = place.served().await;
    let models = listed(&server).await;
    assert_eq!(models[0].name, "gemma4:e2b");
    assert_serves(&server, &models[0].layers[0].url, &content).await;

    let mut damaged = ollama.gemma4("e4b");
    let path = ollama.blob_path(&digest(&damaged));
    *damaged.last_mut().expect("bytes") ^= 1;
    fs::write(&path, &damaged).expect("written");
    let error = place.publish(ollama.path()).await.expect_err("damaged");
    assert!(matches!(error, BucketError::Changed { .. }), "{error}");
    assert_eq!(listed(&server).await.len(), 1, "the list is as it was");
}

#[tokio::test]
async fn a_folder_without_models_is_not_published() {
    let (models, store) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let place = Place::folder(store.path());
    let error = place.publish(models.path()).await.expect_err("nothing");
    assert!(matches!(error, BucketError::NoModels { .. }), "{error}");
    let error = place.publish(&models.path().join("none")).await.expect_err("nothing");
    assert!(matches!(error, BucketError::Disk { .. }), "{error}");
    assert_eq!(fs::read_dir(store.path()).expect("a folder").count(), 0);
}

/// A model of several pieces.
fn large() -> Vec<u8> {
    let noise: Vec<u8> = (0..700_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    Gguf::gemma4().data(&noise).build()
}
