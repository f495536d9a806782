//! Model files that lie: each is refused by a sentence that names what is wrong, before anything is allocated for it.

mod common;

use engine::bytes::MemorySource;
use engine::gguf::{DTypeId, Header, TensorInfo, Value};
use engine::model::DrafterSpec;
use engine::plan::Limits;
use engine::session::{DeviceMemory, EngineError, ModelSpec};
use engine::vision::TowerPlan;
use shaders::DType;
use shaders::matmul::Tile;

fn pebble() -> Vec<u8> {
    std::fs::read(common::repository("server/models/pebble.gguf")).expect("the demo model")
}

/// What reading a plan from these bytes says.
fn refusal(bytes: Vec<u8>) -> String {
    plan(bytes).expect_err("the file was taken for a good one")
}

fn plan(bytes: Vec<u8>) -> Result<ModelSpec, String> {
    let source = MemorySource::new(bytes);
    let read = async {
        let header = Header::read(&source).await?;
        ModelSpec::read(&header)
    };
    pollster::block_on(read).map_err(|error: EngineError| error.to_string())
}

/// Where a string of the header begins: behind its length, so that `a.blk.3` is not taken for `blk.3`.
fn position(bytes: &[u8], text: &str) -> usize {
    let mut counted = (text.len() as u64).to_le_bytes().to_vec();
    counted.extend(text.as_bytes());
    bytes.windows(counted.len()).position(|window| window == counted).unwrap_or_else(|| panic!("no {text}"))
        + 8
}

/// The file with `old` written over by `new` of the same length, where it occurs first.
fn renamed(old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = pebble();
    let at = position(&bytes, old);
    bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    bytes
}

/// The file with the u32 at `skip` bytes behind the end of `text` replaced.
fn patched(text: &str, skip: usize, value: u32) -> Vec<u8> {
    patch(pebble(), text, skip, value)
}

fn patch(mut bytes: Vec<u8>, text: &str, skip: usize, value: u32) -> Vec<u8> {
    let at = position(&bytes, text) + text.len() + skip;
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn golden(name: &str) -> Vec<u8> {
    let path = common::repository("frontend/engine/tests/golden/models").join(name);
    std::fs::read(path).expect("a golden model")
}

/// The file with another tensor in F32: an entry in front of the first one, and zeros behind all data.
fn with_tensor(mut bytes: Vec<u8>, first: &str, name: &str, shape: &[u64]) -> Vec<u8> {
    let data_start =
        pollster::block_on(Header::read(&MemorySource::new(bytes.clone()))).expect("a header").data_start;
    let offset = (bytes.len() as u64 - data_start).next_multiple_of(32);
    let mut entry = (name.len() as u64).to_le_bytes().to_vec();
    entry.extend(name.as_bytes());
    entry.extend((shape.len() as u32).to_le_bytes());
    entry.extend(shape.iter().flat_map(|length| length.to_le_bytes()));
    entry.extend(0_u32.to_le_bytes());
    entry.extend(offset.to_le_bytes());
    let at = position(&bytes, first) - 8;
    bytes.splice(at..at, entry);
    bytes[8] += 1;
    bytes.resize(bytes.len() + 4 * shape.iter().product::<u64>() as usize + 64, 0);
    bytes
}

#[test]
fn a_vocabulary_that_no_dispatch_holds_is_named() {
    let mut header = pollster::block_on(Header::read(&MemorySource::new(pebble()))).expect("a header");
    // Without pieces, there are as many tokens as rows.
    header.metadata.0.remove("tokenizer.ggml.tokens");
    let mut with = |rows: u32| {
        for table in header.tensors.iter_mut().filter(|tensor| tensor.name.ends_with("token_embd.weight")) {
            table.shape[1] = rows.into();
        }
        ModelSpec::read(&header).map(|spec| spec.tensors.vocabulary()).map_err(|error| error.to_string())
    };
    let most = Tile::MOST_COLUMNS;
    assert_eq!(with(most), Ok(most));
    let text = with(most + 1).expect_err("a product with too many rows");
    assert!(text.contains("token_embd") && text.contains(&(most + 1).to_string()), "{text}");
}

#[test]
fn a_second_scale_that_would_be_left_out_is_named() {
    let bytes = golden("tiny-e2b.fp4_mix.lcpp.gguf");
    let source = MemorySource::new(bytes.clone());
    let header = pollster::block_on(Header::read(&source)).expect("a header");
    let is_fp4 =
        |tensor: &&TensorInfo| tensor.dtype == DTypeId::Known(DType::NVFP4) && tensor.name.contains(".ffn");
    let name = &header.tensors.iter().find(is_fp4).expect("a matrix in NVFP4").name;
    let scale = name.replace(".weight", ".scale");
    let with = |name: &str| plan(with_tensor(bytes.clone(), &header.tensors[0].name, name, &[1])).map(|_| ());
    let text = with(&scale).expect_err("its values are too large");
    assert!(text.contains(name) && text.contains(&scale) && text.contains("NVFP4"), "{text}");
    // The scale of four-bit activations means nothing here.
    assert_eq!(with(&name.replace(".weight", ".input_scale")), Ok(()));
}

/// What differs from published files and does not matter.
#[test]
fn files_with_other_metadata_and_norms_in_halves_are_good() {
    let source = MemorySource::new(golden("tiny-e2b.q4_k_m.gguf"));
    let mut header = pollster::block_on(Header::read(&source)).expect("a header");
    for key in ["general.file_type", "general.name", "general.quantization_version", "tokenizer.ggml.pre"] {
        header.metadata.0.remove(key);
    }
    header.metadata.0.insert("gemma4.attention.of_tomorrow".into(), Value::String("7".into()));
    for tensor in header.tensors.iter_mut().filter(|tensor| tensor.name.ends_with("norm.weight")) {
        tensor.dtype = DTypeId::Known(DType::F16);
        tensor.bytes /= 2;
    }
    let spec = ModelSpec::read(&header).expect("a plan");
    let norm = spec.tensors.vectors.iter().find(|vector| vector.name == "blk.0.attn_norm").expect("a norm");
    assert_eq!((norm.dtype, norm.range.end - norm.range.start), (DType::F16, 2 * u64::from(norm.len)));
}

#[test]
fn a_tower_that_no_kernel_reads_leaves_the_text_part() {
    let source = MemorySource::new(pebble());
    let header = pollster::block_on(Header::read(&source)).expect("a header");
    let key = "gemma4.vision.feed_forward_length";
    // Eight less: no multiple of 16.
    let width = header.metadata.u32(key).expect("a tower with layers") - 8;
    let mut bytes = patch(pebble(), key, 4, width);
    let layers = header.metadata.u32("gemma4.vision.block_count").expect("layers");
    for layer in 0..layers {
        for (linear, dimension) in [("ffn_gate", 1), ("ffn_up", 1), ("ffn_down", 0)] {
            bytes = patch(bytes, &format!("v.blk.{layer}.{linear}.weight"), 4 + 8 * dimension, width);
        }
    }
    let plan = plan(bytes).expect("the text part is sound");
    assert!(plan.vision.is_none() && plan.audio.is_some());
    assert!(plan.unusable.is_some_and(|reason| reason.contains("v.blk.0.ffn_down")));
}

#[test]
fn the_demo_model_itself_is_good() {
    let plan = plan(pebble()).expect("a plan");
    assert_eq!(plan.config.layers.len(), 10);
    let memory = DeviceMemory { available: 1 << 20, limits: Limits::default() };
    let needs = plan.needs(memory).expect("its needs");
    assert!(needs.memory(512, plan.storage).total() < needs.memory(2048, plan.storage).total());
    assert!(matches!(needs.fit(0), Err(EngineError::TooLarge { available, .. }) if available == 1 << 20));
}

#[test]
fn other_models_and_other_parts_are_named() {
    // The first string of that length and text is the value of general.architecture.
    let text = refusal(renamed("gemma4", "llama3"));
    assert!(text.contains("llama3") && text.contains("Gemma 4"), "{text}");
}

/// The header of a golden model, with these numbers in its metadata; `None` for a key that is taken out.
fn changed(model: &str, numbers: &[(&str, Option<u64>)]) -> Header {
    let source = MemorySource::new(golden(model));
    let mut header = pollster::block_on(Header::read(&source)).expect("a header");
    for (key, value) in numbers {
        header.metadata.0.remove(*key);
        header.metadata.0.extend(value.map(|value| ((*key).to_owned(), Value::Unsigned(value))));
    }
    header
}

#[test]
fn blocks_that_draft_are_left_out_and_counted() {
    let (count, drafting) = ("gemma3.block_count", "gemma3.nextn_predict_layers");
    // It has seven blocks. Converters count those that draft, or don't.
    for (numbers, layers, left_out) in [
        (&[][..], 7, 0),
        (&[(drafting, Some(0))], 7, 0),
        (&[(drafting, Some(1))], 6, 1),
        (&[(count, Some(6)), (drafting, Some(1))], 6, 1),
        (&[(count, Some(5)), (drafting, Some(2))], 5, 2),
    ] {
        let spec = ModelSpec::read(&changed("tiny-gemma3.q4_k_m.gguf", numbers)).expect("a plan");
        assert_eq!((spec.config.layers.len(), spec.drafting_blocks), (layers, left_out), "{numbers:?}");
    }
    let mut header = changed("tiny-gemma3.q4_k_m.gguf", &[]);
    let name = "blk.7.nextn.eh_proj.weight".to_owned();
    header.tensors.push(TensorInfo { name, ..header.tensors[0].clone() });
    let spec = ModelSpec::read(&header).expect("a plan");
    assert_eq!((spec.config.layers.len(), spec.drafting_blocks), (7, 1));
    // Layers that no key accounts for would be missed.
    for (numbers, said) in [
        (&[(count, Some(3))][..], "gemma3.block_count = 3, but the number of blocks with tensors = 7"),
        (&[(count, Some(5)), (drafting, Some(1))], "gemma3.block_count = 5, but"),
        (&[(drafting, Some(7))], "gemma3.nextn_predict_layers = 7, but at least one block must be a layer"),
    ] {
        let text =
            ModelSpec::read(&changed("tiny-gemma3.q4_k_m.gguf", numbers)).expect_err("refused").to_string();
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn parts_that_no_key_accounts_for_are_named() {
    let ple = "gemma4.embedding_length_per_layer_input";
    let experts = "gemma4.expert_count";
    for (model, key, tensor) in [
        ("tiny-e2b.q4_k_m.gguf", ple, "per_layer_model_proj.weight"),
        ("tiny-moe.q4_k_m.gguf", experts, "blk.0.ffn_gate_inp.weight"),
    ] {
        for value in [None, Some(0)] {
            let text = ModelSpec::read(&changed(model, &[(key, value)])).expect_err("refused").to_string();
            assert!(text.contains(key) && text.contains(tensor), "{text}");
        }
    }
}

#[test]
fn factors_of_rotations_fit_a_head() {
    let mut header = changed("tiny-e2b.q4_k_m.gguf", &[]);
    let factors =
        header.tensors.iter_mut().find(|tensor| tensor.name == "rope_freqs.weight").expect("factors");
    factors.shape = vec![8];
    let said = "tensor rope_freqs.weight has the shape [8]; the metadata asks for [64]";
    assert_eq!(ModelSpec::read(&header).map(|_| ()).map_err(|error| error.to_string()), Err(said.to_owned()));
}

#[test]
fn projectors_of_other_models_are_refused_by_name() {
    for (key, value, said) in [
        ("clip.vision.projector_type", Value::String("gemma3".into()), "\"gemma3\""),
        ("clip.vision.projector_type", Value::Unsigned(3), "gemma4uv"),
        ("clip.vision.image_mean", Value::Floats(vec![0.5; 3]), "0.5"),
        ("clip.vision.image_std", Value::Floats(vec![0.5; 3]), "0.5"),
        ("clip.vision.attention.layer_norm_epsilon", Value::Float(0.0), "above 0"),
    ] {
        let mut header = changed("tiny-e2b.mmproj.q8_0.gguf", &[]);
        assert!(TowerPlan::read(&header, 256).is_ok_and(|tower| tower.is_some()));
        header.metadata.0.insert(key.to_owned(), value);
        let text = TowerPlan::read(&header, 256).expect_err(key).to_string();
        assert!(text.contains(key) && text.contains(said), "{text}");
    }
}

#[test]
fn a_tensor_at_an_odd_byte_is_named() {
    let mut header = changed("tiny-gemma3.q4_k_m.gguf", &[]);
    let table = header.tensors.iter_mut().find(|tensor| tensor.name == "token_embd.weight").expect("a table");
    table.offset += 1;
    let text = ModelSpec::read(&header).expect_err("refused").to_string();
    assert!(text.contains("token_embd.weight begins at byte") && text.contains("alignment"), "{text}");
}

#[test]
fn a_part_of_a_model_is_named_unless_it_has_all_tensors() {
    let source = MemorySource::new(pebble());
    let mut header = pollster::block_on(Header::read(&source)).expect("a header");
    let all = header.tensors.len() as i64;
    let mut read = |tensors: Option<Value>| {
        let keys = [("split.no", Some(Value::Unsigned(1))), ("split.count", Some(Value::Unsigned(3)))];
        for (key, value) in keys.into_iter().chain([("split.tensors.count", tensors)]) {
            header.metadata.0.remove(key);
            header.metadata.0.extend(value.map(|value| (key.to_owned(), value)));
        }
        ModelSpec::read(&header).map(|_| ()).map_err(|error| error.to_string())
    };
    for tensors in [Some(Value::Signed(all + 1)), None] {
        let text = read(tensors).expect_err("a part");
        assert!(text.contains("part 2 of 3") && text.contains("llama-gguf-split --merge"), "{text}");
    }
    assert_eq!(read(Some(Value::Signed(all))), Ok(()), "it was joined, and kept its keys");
}

#[test]
fn a_tensor_that_is_missing_is_named() {
    let text = refusal(renamed("blk.3.attn_q.weight", "blk.3.attn_X.weight"));
    assert!(text.contains("blk.3.attn_q.weight"), "{text}");
}

#[test]
fn a_storage_type_that_is_not_read_is_named() {
    // Behind the name: dimensions, the two of them, then the type.
    let text = refusal(patched("blk.3.attn_q.weight", 4 + 16, 31));
    assert!(text.contains("Q4_0_4_4") && text.contains("blk.3.attn_q.weight"), "{text}");
    let text = refusal(patched("blk.3.attn_q.weight", 4 + 16, 999));
    assert!(text.contains("999") && text.contains("blk.3.attn_q.weight"), "{text}");
}

#[test]
fn a_shape_that_contradicts_the_metadata_is_named_with_both() {
    let text = refusal(patched("gemma4.embedding_length", 4, 512));
    assert!(text.contains("512") && text.contains("256") && text.contains("token_embd"), "{text}");
    let text = refusal(patched("gemma4.attention.head_count", 4, 2));
    assert!(text.contains("attn_q"), "{text}");
}

#[test]
fn every_table_has_a_row_for_each_token() {
    let bytes = golden("tiny-e2b.q4_k_m.gguf");
    // The file has no head of its own.
    let source = MemorySource::new(with_tensor(bytes, "token_embd.weight", "output.weight", &[256, 1024]));
    let with_rows = |rows: &[(&str, u64)], pieces: usize| {
        let mut header = pollster::block_on(Header::read(&source)).expect("a header");
        for (name, rows) in rows {
            let tensor = header.tensors.iter_mut().find(|tensor| tensor.name == *name).expect("a table");
            tensor.shape[1] = *rows;
        }
        let tokens = header.metadata.strings("tokenizer.ggml.tokens").expect("tokens");
        let tokens = tokens.iter().take(pieces).collect();
        header.metadata.0.insert("tokenizer.ggml.tokens".into(), Value::Strings(tokens));
        ModelSpec::read(&header)
            .map(|spec| {
                let tables = spec.tensors.matrices.into_iter().filter(|matrix| {
                    ["token_embd", "per_layer_token_embd", "output"].contains(&&*matrix.name)
                });
                tables.map(|table| table.n).collect::<Vec<_>>()
            })
            .map_err(|error| error.to_string())
    };
    let tables = ["token_embd.weight", "per_layer_token_embd.weight", "output.weight"];
    for table in tables {
        let said = format!("tensor {table} has 1023 rows, but the tokenizer has 1024 tokens");
        assert_eq!(with_rows(&[(table, 1023)], 1024), Err(said));
    }
    // Rows without a token are padding, which none may be drawn from.
    assert_eq!(with_rows(&[], 1000), Ok(vec![1000; 3]));
    for table in tables {
        assert_eq!(with_rows(&[(table, 1000)], 999), Ok(vec![999; 3]));
        assert_eq!(with_rows(&[(table, 1088)], 1024), Ok(vec![1024; 3]));
    }
}

#[test]
fn absurd_numbers_are_refused_and_not_allocated() {
    let text = refusal(patched("gemma4.block_count", 4, u32::MAX));
    assert!(text.contains("block_count"), "{text}");
    let text = refusal(patched("gemma4.attention.key_length", 4, 100));
    assert!(text.contains("key_length"), "{text}");
    // The number of tensors, then of metadata pairs.
    for at in [8, 16] {
        let mut bytes = pebble();
        bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(!refusal(bytes).is_empty());
    }
}

#[test]
fn a_file_that_was_cut_says_how_much_is_missing() {
    let bytes = pebble();
    for len in [0, 3, 4, 20, 1000, 100_000, bytes.len() / 2] {
        assert!(!refusal(bytes[..len].to_vec()).is_empty());
    }
    // The last tensor ends at the end of the file, or a few bytes of padding before it.
    let missing = |len: usize| -> u64 {
        let text = refusal(bytes[..len].to_vec());
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
        numbers.max().unwrap_or_else(|| panic!("no number in {text}"))
    };
    assert!(missing(bytes.len() - 4096) >= 4096 - 32);
}

#[test]
fn experts_that_contradict_the_metadata_are_named() {
    let model = golden("tiny-moe.q4_k_m.gguf");
    // The buffers of experts are counted: eight of them, two used, chunks of 512.
    let good = plan(model.clone()).expect("a plan");
    let memory = DeviceMemory { available: u64::MAX, limits: Limits::default() };
    let working = good.needs(memory).expect("its needs").memory(512, good.storage).working;
    assert!(working > 512 * 2 * 4 * (2 * 96 + 96 + 256), "{working}");
    for (key, value, named) in [
        ("gemma4.expert_count", 9, "ffn_gate_inp"),
        ("gemma4.expert_count", u32::MAX, "expert_count"),
        ("gemma4.expert_used_count", 9, "expert_used_count"),
        ("gemma4.expert_used_count", 0, "expert_used_count"),
        ("gemma4.expert_feed_forward_length", 128, "ffn_gate_exps"),
    ] {
        let text = refusal(patch(model.clone(), key, 4, value));
        assert!(text.contains(named), "{key} = {value}: {text}");
        assert!(text.contains(&value.to_string()), "{key} = {value}: {text}");
    }
    let name = "blk.2.ffn_down_exps.weight";
    let at = position(&model, name);
    let mut bytes = model.clone();
    bytes[at..at + 5].copy_from_slice(b"blk.X");
    let text = refusal(bytes);
    assert!(text.contains(name), "{text}");
    // One expert of eight is missing. Behind the name: the number of dimensions, and three of them.
    let mut bytes = model;
    let experts = at + name.len() + 4 + 2 * 8;
    assert_eq!(bytes[experts..experts + 8], 8_u64.to_le_bytes());
    bytes[experts..experts + 8].copy_from_slice(&7_u64.to_le_bytes());
    let said = format!("tensor {name} has the shape [96, 256, 7]; the metadata asks for [96, 256, 8]");
    assert_eq!(refusal(bytes), said);
}

#[test]
fn drafters_of_other_programs_and_vocabularies_are_refused_by_name() {
    let target = plan(golden("tiny-e2b.q4_k_m.gguf")).expect("a plan");
    let refusal = |file: Vec<u8>, vocabulary: u32| {
        let header = pollster::block_on(Header::read(&MemorySource::new(file))).expect("a header");
        DrafterSpec::read(&header, &target.config, vocabulary).expect_err("refused").to_string()
    };
    let drafter = golden("tiny-e2b-assistant.f16.gguf");
    let said = "the drafter was made for a model whose vocabulary size is 1024; this model’s is 1000";
    assert_eq!(refusal(drafter.clone(), 1000), said);
    let mut dialect = drafter;
    let at = position(&dialect, "gemma4-assistant");
    dialect[at..at + 16].copy_from_slice(b"gemma4_assistant");
    let said = "this drafter was converted for Atomic Chat (architecture gemma4_assistant); gemtab reads those for \
                llama.cpp";
    assert_eq!(refusal(dialect, 1024), said);
}
