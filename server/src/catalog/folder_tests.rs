use std::collections::BTreeMap;

use protocol::Capabilities;
use tempfile::TempDir;

use super::*;
use crate::testing::Gguf;

fn folder(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("written");
    }
    folder
}

fn list(folder: &Path) -> BTreeMap<String, Found> {
    let listing = scan(folder, &mut Facts::default()).expect("a folder");
    assert!(listing.is_whole);
    listing.found.into_iter().map(|found| (found.entry.name.clone(), found)).collect()
}

fn reason<'a>(list: &'a BTreeMap<String, Found>, name: &str) -> &'a str {
    &list[name].entry.broken.as_ref().expect("a reason").english
}

fn model() -> Vec<u8> {
    Gguf::gemma4().tensor("token_embd.weight", &[1000, 40]).build()
}

fn projector(width: u32) -> Vec<u8> {
    Gguf::new("clip").number("clip.vision.projection_dim", width).tensor("v.patch_embd.weight", &[4]).build()
}

#[test]
fn models_and_what_cannot_be_used() {
    let part = |number| Gguf::gemma4().number("split.count", 2).number("split.no", number).build();
    let folder = folder(&[
        ("one.gguf", model()),
        ("deep/er/Two.GGUF", model()),
        (".cache/hidden.gguf", model()),
        ("notes.txt", b"no model".to_vec()),
        ("llama.gguf", Gguf::new("llama").build()),
        ("broken.gguf", b"GGUF".to_vec()),
        ("mine.gguf", Gguf::gemma4().text("general.type", "adapter").build()),
        ("draft.gguf", Gguf::new("gemma4-assistant").build()),
        ("draft-atomic.gguf", Gguf::new("gemma4_assistant").build()),
        ("draft-ik.gguf", Gguf::new("gemma4_mtp").build()),
        ("mmproj-other.gguf", projector(9)),
        ("big-00001-of-00002.gguf", part(0)),
        ("big-00002-of-00002.gguf", part(1)),
    ]);
    let list = list(folder.path());
    assert_eq!(list.len(), 10, "{:?}", list.keys());
    for name in ["one", "Two"] {
        let Found { entry, blobs } = &list[name];
        assert_eq!((&entry.broken, entry.diffusion), (&None, false));
        assert_eq!((&*entry.family, &*entry.parameters, &*entry.quantization), ("gemma4", "40.0K", "Q4_K_M"));
        assert_eq!(entry.layers.len(), 1);
        assert_eq!(entry.digest, blobs[0].digest().to_string());
        assert!(entry.digest.starts_with("gguf:"));
    }
    assert_eq!(reason(&list, "llama"), "This is a llama model. gemtab runs Gemma 4 and Gemma 3.");
    assert_eq!(reason(&list, "broken"), "The file can't be used: it is cut short.");
    assert!(reason(&list, "mine").starts_with("This is a LoRA adapter"));
    for name in ["draft", "draft-atomic", "draft-ik"] {
        assert!(reason(&list, name).starts_with("This is a drafter"), "{name}");
    }
    assert!(reason(&list, "mmproj-other").starts_with("This is a projector"));
    assert!(reason(&list, "big-00001-of-00002").starts_with("It's split into 2 files."));
}

#[test]
fn gemma_3_is_listed_as_what_it_was_trained_for() {
    let model = || Gguf::new("gemma3").number("gemma3.embedding_length", 640);
    let folder = folder(&[
        ("base.gguf", model().number("tokenizer.ggml.eos_token_id", 1).build()),
        // Its template alone says that it chats, and it is too long to be kept.
        (
            "it.gguf",
            model()
                .number("tokenizer.ggml.eos_token_id", 1)
                .text("tokenizer.chat_template", &"x".repeat(5000))
                .build(),
        ),
        ("ends.gguf", model().number("tokenizer.ggml.eos_token_id", 106).build()),
        ("it.mmproj.gguf", projector(640)),
        ("n.gguf", Gguf::new("gemma3n").build()),
    ]);
    let list = list(folder.path());
    for (name, continues) in [("base", true), ("it", false), ("ends", false)] {
        let CatalogEntry { capabilities, broken, .. } = &list[name].entry;
        assert_eq!((broken, list[name].entry.continues), (&None, continues), "{name}");
        assert_eq!(*capabilities, Capabilities { text: true, ..Capabilities::default() }, "{name}");
    }
    assert!(reason(&list, "n").starts_with("This is a gemma3n model."));
}

#[test]
fn models_that_make_embeddings_are_listed_as_such() {
    let pooled =
        |architecture: &str| Gguf::new(architecture).number(&format!("{architecture}.pooling_type"), 1);
    let folder = folder(&[
        ("first.gguf", Gguf::new("gemma-embedding").number("gemma-embedding.embedding_length", 768).build()),
        ("ollama.gguf", pooled("gemma3").number("gemma3.embedding_length", 768).build()),
        ("second.gguf", pooled("gemma-embedding2").number("gemma-embedding2.embedding_length", 256).build()),
        ("second.mmproj.gguf", projector(256)),
    ]);
    let list = list(folder.path());
    for name in ["first", "ollama", "second"] {
        let CatalogEntry { capabilities, broken, embeds, continues, layers, .. } = &list[name].entry;
        assert_eq!((broken, *embeds, *continues), (&None, true, false), "{name}");
        assert!(!capabilities.text && !capabilities.tools && !capabilities.thinking, "{name}");
        assert_eq!(
            (capabilities.vision, layers.len()),
            if name == "second" { (true, 2) } else { (false, 1) }
        );
    }
}

#[test]
fn a_diffusion_model_is_listed_as_one_without_the_senses_of_its_projector() {
    let model = Gguf::new("diffusion-gemma").number("diffusion-gemma.embedding_length", 256).build();
    let folder = folder(&[("draw.gguf", model), ("draw.mmproj.gguf", projector(256))]);
    let Found { entry, .. } = &list(folder.path())["draw"];
    assert_eq!((&*entry.family, entry.diffusion, &entry.broken), ("diffusion-gemma", true, &None));
    assert!(entry.capabilities.text && !entry.capabilities.vision);
}

#[test]
fn a_projector_joins_its_model() {
    let mut large = projector(256);
    large.resize(large.len() + 1000, 0);
    let folder = folder(&[
        ("gemma-4-e2b.Q4_K_M.gguf", model()),
        ("gemma-4-e2b.mmproj.f16.gguf", large),
        ("gemma-4-e2b.mmproj.q8_0.gguf", projector(256)),
        ("elsewhere/gemma-4-e2b.gguf", model()),
    ]);
    let list = list(folder.path());
    // The projector that is not taken fits a model: it is left over, but nothing is wrong with it.
    assert_eq!(list.keys().collect::<Vec<_>>(), ["gemma-4-e2b", "gemma-4-e2b.Q4_K_M"]);
    let entry = &list["gemma-4-e2b.Q4_K_M"].entry;
    assert_eq!(entry.layers[1].kind, LayerKind::Projector);
    assert_eq!(entry.layers[1].size, projector(256).len() as u64);
    assert!(entry.capabilities.vision && !entry.capabilities.audio);
    assert_eq!(list["gemma-4-e2b"].entry.layers.len(), 1);
}

#[test]
fn a_companion_in_parts_is_told_as_split_and_joins_no_model() {
    let part = |file: Gguf, number| {
        file.number("split.count", 2).number("split.no", number).number("split.tensors.count", 9).build()
    };
    let towers =
        || Gguf::new("clip").number("clip.vision.projection_dim", 256).tensor("v.patch_embd.weight", &[4]);
    let drafter = || {
        Gguf::new("gemma4-assistant").number("gemma4-assistant.embedding_length_out", 256).tensor("t", &[4])
    };
    let folder = folder(&[
        ("gemma-4-e2b.gguf", model()),
        ("gemma-4-e2b.mmproj-00001-of-00002.gguf", part(towers(), 0)),
        ("gemma-4-e2b.mmproj-00002-of-00002.gguf", part(towers(), 1)),
        ("gemma-4-e2b-assistant-00001-of-00002.gguf", part(drafter(), 0)),
        ("gemma-4-e2b-assistant-00002-of-00002.gguf", part(drafter(), 1)),
    ]);
    let list = list(folder.path());
    assert_eq!(list.len(), 3, "{:?}", list.keys());
    let entry = &list["gemma-4-e2b"].entry;
    assert!(entry.broken.is_none() && entry.layers.len() == 1 && !entry.capabilities.vision, "{entry:?}");
    for name in ["gemma-4-e2b.mmproj-00001-of-00002", "gemma-4-e2b-assistant-00001-of-00002"] {
        assert!(reason(&list, name).starts_with("It's split into 2 files."), "{name}");
    }
}

#[test]
fn what_was_put_together_again_is_whole() {
    let joined = |file: Gguf| file.number("split.count", 2).number("split.tensors.count", 1);
    let model = joined(Gguf::gemma4()).tensor("token_embd.weight", &[1000, 40]).build();
    let towers = joined(Gguf::new("clip").number("clip.vision.projection_dim", 256));
    let towers = towers.tensor("v.patch_embd.weight", &[4]).build();
    let folder = folder(&[("gemma-4-e2b.gguf", model), ("gemma-4-e2b.mmproj.gguf", towers)]);
    let list = list(folder.path());
    let entry = &list["gemma-4-e2b"].entry;
    assert!(entry.broken.is_none() && entry.layers.len() == 2 && entry.capabilities.vision, "{entry:?}");
}

#[test]
fn a_drafter_joins_its_model() {
    let drafter = |target| {
        Gguf::new("gemma4-assistant").number("gemma4-assistant.embedding_length_out", target).build()
    };
    let folder = folder(&[
        ("gemma-4-e2b.Q4_K_M.gguf", model()),
        ("gemma-4-e2b-assistant-Q8_0.gguf", drafter(256)),
        ("gemma-4-e2b.mmproj.f16.gguf", projector(256)),
        ("gemma-4-31b-assistant.gguf", drafter(5376)),
    ]);
    let list = list(folder.path());
    assert_eq!(list.keys().collect::<Vec<_>>(), ["gemma-4-31b-assistant", "gemma-4-e2b.Q4_K_M"]);
    assert!(reason(&list, "gemma-4-31b-assistant").starts_with("This is a drafter"));
    let kinds: Vec<_> = list["gemma-4-e2b.Q4_K_M"].entry.layers.iter().map(|layer| layer.kind).collect();
    assert_eq!(kinds, [LayerKind::Model, LayerKind::Projector, LayerKind::Draft]);
}

#[test]
fn a_drafter_of_another_program_joins_a_model_that_has_no_other() {
    let drafter = |architecture: &str, target| {
        Gguf::new(architecture).number(&format!("{architecture}.embedding_length_out"), target).build()
    };
    let folder = folder(&[
        ("a/gemma-4-e2b.gguf", model()),
        ("a/gemma-4-e2b-mtp.gguf", drafter("gemma4_mtp", 256)),
        ("b/gemma-4-e4b.gguf", model()),
        ("b/gemma-4-e4b-mtp.gguf", drafter("gemma4_mtp", 256)),
        ("b/assistant.gguf", drafter("gemma4-assistant", 256)),
        ("c/gemma-4-31b-mtp.gguf", drafter("gemma4_mtp", 5376)),
    ]);
    let list = list(folder.path());
    assert_eq!(list.keys().collect::<Vec<_>>(), ["gemma-4-31b-mtp", "gemma-4-e2b", "gemma-4-e4b"]);
    assert!(reason(&list, "gemma-4-31b-mtp").starts_with("This is a drafter"));
    for (name, size) in [
        ("gemma-4-e2b", drafter("gemma4_mtp", 256).len()),
        ("gemma-4-e4b", drafter("gemma4-assistant", 256).len()),
    ] {
        let layers = &list[name].entry.layers;
        assert_eq!((layers[1].kind, layers[1].size), (LayerKind::Draft, size as u64), "{name}");
    }
}

#[test]
fn the_identity_follows_the_file() {
    let folder = folder(&[("a.gguf", model())]);
    let path = folder.path().join("a.gguf");
    let digest = || list(folder.path())["a"].entry.digest.clone();
    let first = digest();
    assert_eq!(digest(), first);
    let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    let set_modified = |time| {
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(time).expect("the time is set");
    };
    set_modified(modified + std::time::Duration::from_secs(60));
    assert_ne!(digest(), first);
}

/// As by a program that writes in place and puts the time back, in the middle of a file of which only the ends are
/// part of the identity.
#[cfg(unix)]
#[test]
fn a_change_with_the_old_time_changes_the_identity() {
    use std::os::unix::fs::FileExt as _;

    let mut content = model();
    content.resize(3 << 20, 1);
    let folder = folder(&[("a.gguf", content)]);
    let path = folder.path().join("a.gguf");
    let digest = || list(folder.path())["a"].entry.digest.clone();
    let first = digest();
    let file = fs::File::options().write(true).open(&path).expect("a file");
    let before = file.metadata().expect("metadata");
    // The clock of the file system is coarse: once more until it has moved on.
    while Stamp::from(&file.metadata().expect("metadata")).record == Stamp::from(&before).record {
        file.write_at(b"other", 3 << 19).expect("written");
        file.set_modified(before.modified().expect("a time")).expect("the time is set");
    }
    assert_eq!(file.metadata().and_then(|metadata| metadata.modified()).ok(), before.modified().ok());
    assert_ne!(digest(), first);
}

#[test]
fn a_list_that_is_cut_says_so() {
    let folder = folder(&[("a.gguf", model()), ("b/c.gguf", model()), ("d.gguf", model())]);
    let scan = |most| scan_up_to(most, folder.path(), &mut Facts::default(), identity_of).expect("a folder");
    assert!(scan(3).is_whole);
    let cut = scan(2);
    assert_eq!((cut.found.len(), cut.is_whole), (2, false));
    assert_eq!((scan(1).found.len(), scan(1).is_whole), (1, false));
}

#[cfg(unix)]
#[test]
fn links_stay_in_the_folder() {
    use std::os::unix::fs::symlink;

    let outside = folder(&[("secret.gguf", model())]);
    let inside = folder(&[("blobs/0123", model()), ("snapshots/x", Vec::new())]);
    let link = |target: &Path, name: &str| symlink(target, inside.path().join(name)).expect("a link");
    link(Path::new("blobs/0123"), "good.gguf");
    link(&outside.path().join("secret.gguf"), "file.gguf");
    link(outside.path(), "folder");
    link(Path::new("."), "circle");
    link(Path::new("nowhere"), "dangling.gguf");
    let list = list(inside.path());
    assert_eq!(list.keys().collect::<Vec<_>>(), ["dangling", "file", "good"]);
    assert_eq!(list["good"].entry.broken, None);
    assert!(reason(&list, "file").starts_with("This link points outside its folder."));
    assert!(list["file"].blobs.is_empty());
    assert!(reason(&list, "dangling").starts_with("The file can't be read: "));
}
