use std::collections::BTreeMap;

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
    let found = scan(folder, &mut Facts::default()).expect("a folder");
    found.into_iter().map(|found| (found.entry.name.clone(), found)).collect()
}

fn reason<'a>(list: &'a BTreeMap<String, Found>, name: &str) -> &'a str {
    list[name].entry.broken.as_deref().expect("a reason")
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
        ("mmproj-other.gguf", projector(9)),
        ("big-00001-of-00002.gguf", part(0)),
        ("big-00002-of-00002.gguf", part(1)),
    ]);
    let list = list(folder.path());
    assert_eq!(list.len(), 8, "{:?}", list.keys());
    for name in ["one", "Two"] {
        let Found { entry, blobs } = &list[name];
        assert_eq!(entry.broken, None);
        assert_eq!((&*entry.family, &*entry.parameters, &*entry.quantization), ("gemma4", "40.0K", "Q4_K_M"));
        assert_eq!(entry.layers.len(), 1);
        assert_eq!(entry.digest, blobs[0].digest.to_string());
        assert!(entry.digest.starts_with("gguf:"));
    }
    assert_eq!(reason(&list, "llama"), "This is a llama model. gemtab runs Gemma 4.");
    assert_eq!(reason(&list, "broken"), "The file cannot be used: it is cut short.");
    assert!(reason(&list, "mine").starts_with("This is a LoRA adapter"));
    assert!(reason(&list, "draft").starts_with("This is a drafter"));
    assert!(reason(&list, "mmproj-other").starts_with("This is a projector"));
    assert!(reason(&list, "big-00001-of-00002").starts_with("It is cut into 2 files."));
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
fn the_identity_follows_content_and_time_not_the_path() {
    let folder = folder(&[("a.gguf", model())]);
    let digest = |name: &str| list(folder.path())[name].entry.digest.clone();
    let first = digest("a");
    assert_eq!(digest("a"), first);
    fs::rename(folder.path().join("a.gguf"), folder.path().join("b.gguf")).expect("renamed");
    assert_eq!(digest("b"), first);
    let later = SystemTime::now() + std::time::Duration::from_secs(60);
    let file = File::options().write(true).open(folder.path().join("b.gguf")).expect("a file");
    file.set_modified(later).expect("the time is set");
    assert_ne!(digest("b"), first);
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
    assert!(reason(&list, "file").starts_with("It is a link that leads out of its folder."));
    assert!(list["file"].blobs.is_empty());
    assert!(reason(&list, "dangling").starts_with("The file cannot be read: "));
}
