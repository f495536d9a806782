//! `GET /api/models`.

use std::{fs, path::Path};

use protocol::said::{FolderProblem, ListNote, ModelProblem};
use protocol::{Catalog, LayerKind};
use server::catalog::Source;

use crate::{
    Answer, Server,
    support::{Gguf, Store, digest},
};

fn catalog(answer: &Answer) -> Catalog {
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    serde_json::from_slice(&answer.body).expect("a catalog")
}

#[tokio::test]
async fn lists_all_sources_and_what_is_wrong_with_some() {
    let store = Store::new();
    store.gemma4("e2b");
    store.manifest("registry.ollama.ai/library/gemma4/odd", "not JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let large = Gguf::gemma4().text("general.name", &"x".repeat(900)).build();
    fs::write(folder.path().join("mine.gguf"), large).expect("written");
    let builtin = tempfile::tempdir().expect("a folder");
    let demo = Gguf::gemma4().tensor("v.patch_embd.weight", &[4]).build();
    fs::write(builtin.path().join("demo.gguf"), &demo).expect("written");
    let server = Server::new(vec![
        Source::Ollama(store.path().into()),
        Source::Ollama("/nowhere".into()),
        Source::Folder(folder.path().into()),
        Source::Builtin(builtin.path().into()),
    ]);

    let catalog = catalog(&server.get("/api/models").await);
    let names: Vec<_> = catalog.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["gemma4:e2b", "mine", "demo", "gemma4:odd"]);
    let problems: Vec<_> = catalog.searched.iter().map(|it| it.problem.as_ref()?.code).collect();
    assert_eq!(problems, [None, Some(FolderProblem::NotThere), None]);
    assert_eq!(catalog.searched[1].folder, "/nowhere");
    assert_eq!(catalog.searched.len(), 3);
    let model = &catalog.models[2];
    assert!(model.demo && model.capabilities.vision);
    assert_eq!(model.digest, digest(&demo));
    assert!(model.params["temperature"] < 0.5);
    let broken = catalog.models[3].broken.clone().expect("it can't be used");
    assert_eq!(broken.code, Some(ModelProblem::Manifest { model: "gemma4:odd".into() }));
    assert!(broken.english.starts_with("Its manifest is damaged"), "{}", broken.english);

    for layer in catalog.models.iter().flat_map(|model| &model.layers) {
        let blob = server.get(&layer.url).await;
        assert_eq!((blob.status.as_u16(), blob.body.len() as u64), (200, layer.size), "{layer:?}");
    }
}

#[tokio::test]
async fn a_model_that_was_just_pulled_is_there() {
    let store = Store::new();
    let server = Server::new(vec![Source::Ollama(store.path().into())]);
    assert!(catalog(&server.get("/api/models").await).models.is_empty());
    let content = store.gemma4("e2b");
    let models = catalog(&server.get("/api/models").await).models;
    assert_eq!(server.get(&models[0].layers[0].url).await.body, content);
}

#[cfg(unix)]
#[tokio::test]
async fn file_names_do_not_turn_the_list_around() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gemma\n\u{202e}4.gguf"), Gguf::gemma4().build()).expect("written");
    let server = Server::new(vec![Source::Folder(folder.path().into())]);
    let models = catalog(&server.get("/api/models").await).models;
    assert_eq!(models[0].name, "gemma\u{fffd}\u{fffd}4");
    assert_eq!(server.get(&models[0].layers[0].url).await.status, 200);
}

#[tokio::test]
async fn more_files_than_are_listed_are_mentioned() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..4097 {
        fs::write(folder.path().join(format!("{number}.gguf")), b"").expect("written");
    }
    let server = Server::new(vec![Source::Folder(folder.path().into())]);
    let catalog = catalog(&server.get("/api/models").await);
    assert_eq!(catalog.models.len(), 4096);
    let [note] = &catalog.notes[..] else { panic!("one note: {:?}", catalog.notes) };
    assert!(matches!(note.code, Some(ListNote::FullFolder { shown: 4096, .. })), "{note:?}");
    let words = "has more models than fit in the list. Only the first 4096 are shown.";
    assert!(note.english.ends_with(words), "{note:?}");
}

#[tokio::test]
async fn the_model_of_this_repository_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let server = Server::new(vec![Source::Builtin(folder.clone())]);
    let catalog = catalog(&server.get("/api/models").await);
    let [model] = &catalog.models[..] else { panic!("one model: {catalog:?}") };
    let content = fs::read(folder.join("pebble.gguf")).expect("the model");
    assert_eq!((&*model.name, &*model.family, &*model.quantization), ("pebble", "gemma4", "Q4_K_M"));
    assert_eq!(&*model.digest, &*digest(&content));
    assert!(model.demo && model.capabilities.vision && model.capabilities.audio);
    assert_eq!(model.broken, None);
    let layers: Vec<_> = model.layers.iter().map(|layer| (layer.kind, layer.size)).collect();
    let size = |name: &str| fs::metadata(folder.join(name)).expect("a file").len();
    let drafter = (LayerKind::Draft, size("pebble-drafter.gguf"));
    assert_eq!(layers, [(LayerKind::Model, size("pebble.gguf")), drafter]);
    assert_eq!(model.size, layers.iter().map(|&(_, size)| size).sum::<u64>());
}

#[tokio::test]
async fn nothing_is_no_error() {
    let server = Server::new(Vec::new());
    assert_eq!(catalog(&server.get("/api/models").await), Catalog::default());
    assert_eq!(server.ask("POST", "/api/models", &[]).await.status, 405);
    let answer = server.get("/api/nothing/such").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (404, "There is no such address."));
}
