use std::fs;

use proptest::prelude::*;
use protocol::CatalogEntry;
use serde_json::{Value, json};

use super::*;
use crate::testing::{Gguf, Store, digest};

fn list(store: &Store) -> Vec<Found> {
    let listing = scan(store.path(), &mut Facts::default()).expect("a store");
    assert!(listing.is_whole);
    listing.found
}

/// The only model of the store.
fn only(store: &Store) -> CatalogEntry {
    let mut found = list(store);
    assert_eq!(found.len(), 1, "{found:?}");
    let Found { entry, blobs } = found.remove(0);
    assert_eq!(entry.broken.is_some(), blobs.is_empty());
    assert_eq!(entry.layers.len(), blobs.len());
    assert_eq!(entry.digest.is_empty(), entry.broken.is_some());
    entry
}

fn reason(store: &Store) -> String {
    only(store).broken.expect("a reason").english
}

#[test]
fn a_model_with_all_its_layers() {
    let store = Store::new();
    let model = Gguf::gemma4().tensor("token_embd.weight", &[256, 4]).build();
    let projector = Gguf::new("clip").tensor("v.blk.0.weight", &[4]).tensor("a.blk.0.weight", &[4]).build();
    let layers = [
        store.layer("model", &model),
        store.layer("projector", &projector),
        store.layer("adapter", &Gguf::gemma4().text("general.type", "adapter").build()),
        store.layer("draft", &Gguf::new("gemma4-assistant").build()),
        store.layer(
            "params",
            br#"{"temperature":1,"top_k":64,"top_p":0.95,"num_ctx":4096,"stop":["<turn|>",7,"","User:"],"mirostat":null}"#,
        ),
        store.layer("system", "Be brief. Größe: 1.".as_bytes()),
        store.layer("license", b"A licence"),
    ];
    let config = json!({"model_format": "gguf", "model_family": "gemma4", "model_type": "5.1B", "file_type": "Q4_K_M"});
    store.model("gemma4", "e2b", config, &layers);
    let entry = only(&store);
    assert_eq!(entry.name, "gemma4:e2b");
    assert_eq!((&*entry.family, &*entry.parameters, &*entry.quantization), ("gemma4", "5.1B", "Q4_K_M"));
    assert_eq!(entry.digest, digest(&model));
    let kinds: Vec<LayerKind> = entry.layers.iter().map(|layer| layer.kind).collect();
    assert_eq!(kinds, [LayerKind::Model, LayerKind::Projector, LayerKind::Adapter, LayerKind::Draft]);
    assert_eq!(entry.layers[1].url, format!("/api/blobs/{}", digest(&projector).replace(':', "-")));
    assert_eq!(entry.layers[1].size, projector.len() as u64);
    assert_eq!(entry.size, entry.layers.iter().map(|layer| layer.size).sum::<u64>());
    assert!(entry.capabilities.text && entry.capabilities.vision && entry.capabilities.audio);
    let params: Vec<_> = entry.params.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(params, [("num_ctx", 4096.0), ("temperature", 1.0), ("top_k", 64.0), ("top_p", 0.95)]);
    assert_eq!(entry.stop, ["<turn|>", "User:"]);
    assert_eq!(entry.system, "Be brief. Größe: 1.");
    assert!(!entry.demo && entry.broken.is_none());
}

#[test]
fn what_the_configuration_leaves_out_is_read_from_the_file() {
    let store = Store::new();
    let model = Gguf::gemma4().tensor("token_embd.weight", &[1000, 2600]).build();
    store.manifest(
        "hf.co/someone/Gemma-4-GGUF/Q4_K_M",
        &json!({"config": null, "layers": [store.layer("model", &model)]}).to_string(),
    );
    let entry = only(&store);
    assert_eq!(entry.name, "hf.co/someone/Gemma-4-GGUF:Q4_K_M");
    assert_eq!((&*entry.family, &*entry.parameters, &*entry.quantization), ("gemma4", "2.6M", "Q4_K_M"));
    assert!(entry.capabilities.text && !entry.capabilities.vision && !entry.capabilities.audio);
}

#[test]
fn a_broken_manifest_breaks_nothing_else() {
    let store = Store::new();
    store.gemma4("good");
    for (tag, content) in [
        ("empty", ""),
        ("cut", r#"{"schemaVersion":2,"layers":[{"mediaType"#),
        ("list", "[]"),
        ("negative", r#"{"layers":[{"mediaType":"a","digest":"b","size":-1}]}"#),
        ("text", "nothing like it"),
    ] {
        store.manifest(&format!("registry.ollama.ai/library/gemma4/{tag}"), content);
    }
    fs::create_dir_all(store.path().join("manifests/registry.ollama.ai/library/gemma4/folder"))
        .expect("a folder");
    let found = list(&store);
    assert_eq!(found.len(), 7);
    for Found { entry, .. } in found {
        let good = entry.name == "gemma4:good";
        assert_eq!(entry.broken.is_none(), good, "{}", entry.name);
        if !good {
            assert!(entry.broken.expect("a reason").english.starts_with("Its manifest "));
        }
    }
}

#[test]
fn layers_that_cannot_be_used() {
    let good = Gguf::gemma4().build();
    let model = |store: &Store| store.layer("model", &good);
    let gemma4 = json!({"model_family": "gemma4"});
    type Layers<'a> = &'a dyn Fn(&Store) -> Vec<Value>;
    let cases: [(&str, Value, Layers); 15] = [
        ("Its manifest lists no model file.", gemma4.clone(), &|_| vec![]),
        ("It's split into 2 files. gemtab only reads single-file models.", gemma4.clone(), &|s| {
            vec![model(s), model(s)]
        }),
        ("It's split into 3 files. gemtab only reads single-file models.", gemma4.clone(), &|s| {
            vec![s.layer("model", &Gguf::gemma4().number("split.count", 3).build())]
        }),
        ("It's split into 2 files. gemtab only reads single-file models.", gemma4.clone(), &|s| {
            vec![model(s), s.layer("projector", &Gguf::new("clip").number("split.count", 2).build())]
        }),
        ("This is a llama model. gemtab runs Gemma 4 and Gemma 3.", json!({"model_family": "llama"}), &|s| {
            vec![model(s)]
        }),
        ("This is a bert model. gemtab runs Gemma 4 and Gemma 3.", json!({}), &|s| {
            vec![s.layer("model", &Gguf::new("bert").build())]
        }),
        ("This is a drafter. It only works together with a model.", json!({}), &|s| {
            vec![s.layer("model", &Gguf::new("gemma4_mtp").build())]
        }),
        (
            "This is a drafter. It only works together with a model.",
            json!({"model_family": "gemma4_assistant"}),
            &|s| vec![model(s)],
        ),
        (
            "Its weights are in safetensors format. gemtab only reads GGUF.",
            json!({"model_format": "safetensors"}),
            &|s| vec![model(s)],
        ),
        ("Its weights are in safetensors format. gemtab only reads GGUF.", gemma4.clone(), &|s| {
            vec![s.layer("tensor", b"x"), s.layer("json", b"{}")]
        }),
        (
            "This model runs on Ollama's servers. Its weights aren't on this machine.",
            json!({"remote_host": "https://ollama.com", "remote_model": "gemma4:31b"}),
            &|_| vec![],
        ),
        ("The file can't be used: it is not a GGUF file.", gemma4.clone(), &|s| {
            vec![s.layer("model", b"ZIP")]
        }),
        ("The file can't be used: it is cut short.", gemma4.clone(), &|s| {
            vec![s.layer("model", &good[..40])]
        }),
        (
            "Its manifest is damaged (a layer has no valid digest). Run: ollama pull gemma4:e2b",
            gemma4.clone(),
            &|s| {
                let mut layer = model(s);
                layer["digest"] = "sha256:../../../../etc/passwd".into();
                vec![layer]
            },
        ),
        (
            "Its manifest is damaged (a layer has no valid digest). Run: ollama pull gemma4:e2b",
            gemma4.clone(),
            &|s| {
                let mut layer = model(s);
                layer["digest"] = digest(&good).replace("sha256", "gguf").into();
                vec![layer]
            },
        ),
    ];
    for (expected, config, layers) in cases {
        let store = Store::new();
        store.model("gemma4", "e2b", config, &layers(&store));
        assert_eq!(reason(&store), expected);
    }
}

#[test]
fn a_download_that_is_not_there_whole() {
    let store = Store::new();
    let blob = store.blob_path(&digest(&store.gemma4("e2b")));
    let whole = fs::read(&blob).expect("the blob");
    assert_eq!(only(&store).broken, None);

    fs::write(&blob, &whole[..whole.len() - 1]).expect("written");
    let expected = format!(
        "The model's file is {} bytes but should be {} bytes. Run: ollama pull gemma4:e2b",
        whole.len() - 1,
        whole.len()
    );
    assert_eq!(reason(&store), expected);

    fs::remove_file(&blob).expect("removed");
    assert_eq!(reason(&store), "The model's file is missing. Run: ollama pull gemma4:e2b");
    assert_eq!(only(&store).size, whole.len() as u64);

    let partial = format!("{}-partial-0", blob.display());
    fs::write(partial, b"{}").expect("written");
    assert_eq!(reason(&store), "Its download isn't finished. Run: ollama pull gemma4:e2b");
}

#[test]
fn what_only_adds_to_a_model_does_not_break_it() {
    let store = Store::new();
    let model = store.layer("model", &Gguf::gemma4().build());
    let params = store.layer("params", b"not JSON");
    let system = store.layer("system", b"\xff\xfe");
    let license = store.layer("license", b"A licence");
    fs::remove_file(store.blob_path(license["digest"].as_str().expect("a digest"))).expect("removed");
    store.model("gemma4", "e2b", json!({"model_family": null}), &[model, params, system, license]);
    let entry = only(&store);
    assert_eq!(entry.broken, None);
    assert!(entry.params.is_empty() && entry.system.is_empty());
}

#[test]
fn a_digest_in_capitals_is_the_same_digest() {
    let store = Store::new();
    let content = Gguf::gemma4().build();
    let mut layer = store.layer("model", &content);
    let capitals = digest(&content).to_uppercase().replace("SHA256", "sha256");
    layer["digest"] = capitals.into();
    store.model("gemma4", "e2b", json!({}), &[layer]);
    assert_eq!(only(&store).digest, digest(&content));
}

#[test]
fn files_of_absurd_size_are_not_read() {
    let store = Store::new();
    let manifest = store.path().join("manifests/registry.ollama.ai/library/gemma4/huge");
    store.manifest("registry.ollama.ai/library/gemma4/huge", "");
    fs::File::create(manifest).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    assert_eq!(reason(&store), "Its manifest is 1.1 TB, which is too large.");
}

/// Somebody who may write to the store, but not read the other file, would have it shown.
#[cfg(unix)]
#[test]
fn a_text_under_the_digest_of_another_is_not_shown() {
    let store = Store::new();
    let model = store.layer("model", &Gguf::gemma4().build());
    let system = store.layer("system", b"Be brief.");
    let secret = tempfile::NamedTempFile::new().expect("a file");
    fs::write(secret.path(), "A secret.").expect("written");
    let path = store.blob_path(system["digest"].as_str().expect("a digest"));
    store.model("gemma4", "e2b", json!({}), &[model, system]);
    assert_eq!(only(&store).system, "Be brief.");
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(secret.path(), &path).expect("a link");
    assert_eq!(only(&store).system, "");
}

#[test]
fn the_last_system_prompt_counts_unless_it_is_too_long() {
    let store = Store::new();
    let model = store.layer("model", &Gguf::gemma4().build());
    let short = store.layer("system", b"Be brief.");
    let long = store.layer("system", &vec![b'x'; LARGEST_TEXT as usize + 1]);
    let longest = store.layer("system", &vec![b'x'; LARGEST_TEXT as usize]);
    for (layers, expected) in
        [(vec![&long, &short], 9), (vec![&short, &longest], LARGEST_TEXT as usize), (vec![&short, &long], 0)]
    {
        let layers: Vec<Value> = layers.into_iter().chain([&model]).cloned().collect();
        store.model("gemma4", "e2b", json!({}), &layers);
        assert_eq!(only(&store).system.len(), expected);
    }
}

#[test]
fn system_prompts_have_bounded_room_together() {
    let store = Store::new();
    let model = store.layer("model", &Gguf::gemma4().build());
    let system = store.layer("system", &vec![b'x'; LARGEST_TEXT as usize]);
    let fitting = MAX_PROMPTS / LARGEST_TEXT as usize;
    for tag in 0..fitting + 1 {
        store.model("gemma4", &format!("t{tag:03}"), json!({}), &[model.clone(), system.clone()]);
    }
    let found = list(&store);
    assert_eq!(found.iter().map(|found| found.entry.system.len()).sum::<usize>(), MAX_PROMPTS);
    let broken: Vec<_> = found.iter().filter_map(|found| found.entry.broken.clone()).collect();
    assert_eq!(broken, [Trouble::TooManyPrompts.said()]);
}

#[test]
fn blobs_are_listed_once_for_all_that_is_missing() {
    let store = Store::new();
    let [one, two] = [b"one", b"two"].map(|content| digest(content).parse().expect("a digest"));
    let partial = |digest: Digest| {
        fs::write(store.path().join("blobs").join(digest.file_name() + "-partial-0"), b"{}")
            .expect("written");
    };
    partial(one);
    let looking = super::Store::new(store.path());
    assert!(looking.is_partial(one) && !looking.is_partial(two));
    partial(two);
    assert!(!looking.is_partial(two), "the folder was listed again");
    assert!(super::Store::new(store.path()).is_partial(two));
}

#[test]
fn a_manifest_of_endless_files_is_damaged() {
    let store = Store::new();
    let model = store.layer("model", &Gguf::gemma4().build());
    let adapter = store.layer("adapter", &Gguf::gemma4().text("general.type", "adapter").build());
    let layers: Vec<Value> = std::iter::once(model).chain(vec![adapter; MAX_LAYERS]).collect();
    store.model("gemma4", "e2b", json!({}), &layers);
    assert!(reason(&store).starts_with("Its manifest is damaged (it names more than 64 files)"));
    store.model("gemma4", "e2b", json!({}), &layers[1..]);
    assert!(reason(&store).starts_with("Its manifest lists no model file"));
    store.model("gemma4", "e2b", json!({}), &layers[..MAX_LAYERS]);
    assert_eq!(only(&store).broken, None);
}

#[test]
fn a_list_that_is_cut_says_so() {
    let store = Store::new();
    for tag in ["a", "b", "c"] {
        store.gemma4(tag);
    }
    store.manifest("registry.ollama.ai/library/gemma4/.hidden", "{}");
    let scan = |most| scan_up_to(most, MAX_ENTRIES, store.path(), &mut Facts::default()).expect("a store");
    assert!(scan(3).is_whole);
    let cut = scan(2);
    assert_eq!((cut.found.len(), cut.is_whole), (2, false));
}

#[test]
fn what_has_no_name_of_a_model_is_left_out() {
    let store = Store::new();
    store.gemma4("e2b");
    store.manifest("registry.ollama.ai/library/gemma4/.hidden", "{}");
    store.manifest("registry.ollama.ai/library/.DS_Store", "{}");
    store.manifest("registry.ollama.ai/library/a b/latest", "{}");
    assert_eq!(only(&store).name, "gemma4:e2b");
}

#[test]
fn an_empty_store_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let listing = scan(folder.path(), &mut Facts::default()).expect("no error");
    assert_eq!(listing, Listing { found: Vec::new(), is_whole: true });
}

#[cfg(unix)]
#[test]
fn a_store_that_was_moved_and_linked_to_works() {
    use std::os::unix::fs::symlink;

    let store = Store::new();
    let content = store.gemma4("e2b");
    let moved = tempfile::tempdir().expect("a folder");
    // The whole store, then its blobs alone, then one blob.
    symlink(store.path(), moved.path().join("whole")).expect("a link");
    let found = scan(&moved.path().join("whole"), &mut Facts::default()).expect("a store");
    assert_eq!(found.found[0].entry.broken, None);

    fs::rename(store.path().join("blobs"), moved.path().join("elsewhere")).expect("moved");
    symlink(moved.path().join("elsewhere"), store.path().join("blobs")).expect("a link");
    assert_eq!(only(&store).broken, None);

    let blob = store.blob_path(&digest(&content));
    fs::rename(&blob, moved.path().join("model.bin")).expect("moved");
    symlink(moved.path().join("model.bin"), &blob).expect("a link");
    assert_eq!(only(&store).digest, digest(&content));
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_listed() {
    let store = Store::new();
    store.manifest("registry.ollama.ai/library/gemma4/x", "{}");
    fs::remove_file(store.path().join("manifests/registry.ollama.ai/library/gemma4/x")).expect("removed");
    let link = store.path().join("manifests/registry.ollama.ai/library/gemma4/e2b");
    std::os::unix::fs::symlink("nowhere", link).expect("a link");
    assert!(reason(&store).starts_with("Its manifest can't be read: "));
}

/// JSON values of manifest-like depth.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        Just(Value::from("application/vnd.ollama.image.model")),
        Just(Value::from(format!("sha256:{}", "0".repeat(64)))),
    ];
    let key = prop_oneof![
        Just("layers".to_owned()),
        Just("config".to_owned()),
        Just("mediaType".to_owned()),
        Just("digest".to_owned()),
        Just("size".to_owned()),
        "[a-z]{0,5}",
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// A store with any file as a manifest lists the good model and, beside it, the other with a reason.
    #[test]
    fn any_manifest_is_listed(json in any_json(), cut in 0_usize..200) {
        let store = Store::new();
        store.gemma4("good");
        let text = json.to_string();
        let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
        store.manifest("registry.ollama.ai/library/gemma4/odd", &text);
        store.manifest("registry.ollama.ai/library/gemma4/odd-and-cut", &text[..cut]);
        let found = list(&store);
        prop_assert_eq!(found.len(), 3);
        for Found { entry, blobs } in found {
            prop_assert_eq!(entry.broken.is_none(), entry.name == "gemma4:good");
            prop_assert_eq!(blobs.is_empty(), entry.broken.is_some());
        }
    }
}

#[test]
fn what_is_kept_of_a_hostile_store_is_little() {
    let store = Store::new();
    let long = "A".repeat(100_000);
    let manifests = [
        json!({"layers": long}),
        json!({"config": long}),
        json!({"layers": [{"mediaType": "m", "digest": "d", "size": long}]}),
        json!({"layers": [{"mediaType": "m", "digest": long, "size": -1}]}),
    ];
    for (tag, manifest) in manifests.iter().enumerate() {
        store.manifest(&format!("registry.ollama.ai/library/hostile/t{tag}"), &manifest.to_string());
    }
    for found in list(&store) {
        let size = serde_json::to_vec(&found.entry).expect("JSON").len();
        assert!(found.entry.broken.is_some() && size < 2_000, "{size} bytes");
    }

    let store = Store::new();
    // As a parameter, it comes first.
    let word = "a".repeat(15_000);
    let config = json!({"model_family": word, "model_type": word, "file_type": word});
    let numbers = (0..5_000).map(|number| (format!("n{number}"), json!(1)));
    let numbers: serde_json::Map<_, _> = numbers.chain([(word.clone(), json!(2))]).collect();
    let params = store.layer("params", json!(numbers).to_string().as_bytes());
    store.model("gemma4", "long", config, &[store.layer("model", &Gguf::gemma4().build()), params]);
    let entry = only(&store);
    // What is too long is as good as absent: the file says what it is.
    assert_eq!((entry.family.as_str(), entry.quantization.as_str()), ("gemma4", "Q4_K_M"));
    assert!(entry.broken.is_none() && entry.params.len() == MAX_NUMBERS, "{}", entry.params.len());
    assert!(!entry.params.contains_key(&word));
}

#[test]
fn a_scan_ends_when_its_entries_have_no_room() {
    let store = Store::new();
    for tag in ["a", "b", "c"] {
        store.gemma4(tag);
    }
    let scan = |room| scan_up_to(MAX_MANIFESTS, room, store.path(), &mut Facts::default()).expect("a store");
    let all = scan(MAX_ENTRIES);
    let size = |found: &Found| serde_json::to_vec(&found.entry).expect("JSON").len();
    let room = all.found.iter().take(2).map(size).sum();
    assert_eq!((all.found.len(), all.is_whole), (3, true));
    let cut = scan(room);
    assert_eq!((cut.found.len(), cut.is_whole), (2, false));
}
