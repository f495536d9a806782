//! Files with adapters of a mixture's experts: names and shapes of every format, and what must be refused.

use engine::adapter::{Adapter, AdapterError, Factors, Projection, Shape, Target, flat, gguf, peft};
use engine::bytes::MemorySource;
use engine::gguf::{Header, TensorSpec, WriteValue, Writer};
use pollster::block_on;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use shaders::DType;

const EXPERTS: u32 = 3;
const WIDTH: u32 = 8;
const FF: u32 = 5;

fn numbers(count: u32, salt: u32) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + salt * 101) % 199) as f32 / 64.0 - 1.5).collect()
}

fn at(layer: usize, projection: Projection) -> Target {
    Target { layer, projection }
}

fn factors(projection: Projection, rank: u32, scale: f32, salt: u32) -> Factors {
    let [input, output] = if projection == Projection::ExpertDown { [FF, WIDTH] } else { [WIDTH, 2 * FF] };
    let a = numbers(EXPERTS * rank * input, salt);
    let b = numbers(EXPERTS * output * rank, salt + 1);
    Factors { rank, input, output, a, b, scale }
}

/// Both projections in layer 0, one each in layers 1 and 2, and a dense one beside them.
fn adapter() -> Adapter {
    let mut adapter = Adapter::default();
    let all = [
        (at(0, Projection::ExpertGateUp), 4, 2.0),
        (at(0, Projection::ExpertDown), 2, 2.0),
        (at(1, Projection::ExpertDown), 4, 0.5),
        (at(2, Projection::ExpertGateUp), 4, 2.0),
    ];
    for (salt, (target, rank, scale)) in (0..).zip(all) {
        adapter.insert(target, factors(target.projection, rank, scale, 7 * salt)).expect("factors");
    }
    let [a, b] = [numbers(4 * WIDTH, 50), numbers(4 * 6, 51)];
    let dense = Factors { rank: 4, input: WIDTH, output: 6, a, b, scale: 2.0 };
    adapter.insert(at(1, Projection::Q), dense).expect("factors");
    adapter
}

fn safetensors_of(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let views = tensors.iter().map(|(name, shape, values)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytemuck::cast_slice(values));
        (name.clone(), view.expect("a view"))
    });
    safetensors::serialize(views, None).expect("tensors serialise")
}

fn read_peft(files: &peft::Files) -> Result<Adapter, AdapterError> {
    block_on(peft::read(&MemorySource::new(files.weights.clone()), files.config.as_bytes()))
}

fn read_gguf(bytes: Vec<u8>) -> Result<Adapter, AdapterError> {
    block_on(gguf::read(&MemorySource::new(bytes)))
}

#[test]
fn experts_make_the_round_through_every_format() {
    let adapter = adapter();
    let files = peft::write(&adapter, "google/gemma-4").expect("files");
    assert_eq!(read_peft(&files).expect("PEFT's files"), adapter);
    // GGUF has one alpha: what differs from it is in B.
    let scaled = |adapter: &Adapter| -> Vec<_> {
        let of = |(target, f): (Target, &Factors)| {
            (target, f.rank, f.a.clone(), f.b.iter().map(|v| v * f.scale).collect::<Vec<_>>())
        };
        adapter.iter().map(of).collect()
    };
    let bytes = gguf::write(&adapter, "experts", Vec::new()).expect("a file");
    assert_eq!(scaled(&read_gguf(bytes).expect("a GGUF file")), scaled(&adapter));
    // Flat files have one alpha, too.
    let mut tensors = Vec::new();
    for (target, f) in adapter.iter() {
        let experts = target.projection.is_of_experts().then_some(EXPERTS as usize);
        let b = f.b.iter().map(|v| v * f.scale * f.rank as f32 / 8.0).collect();
        for (side, shape, values) in [("A", [f.rank, f.input], f.a.clone()), ("B", [f.output, f.rank], b)] {
            let shape = experts.into_iter().chain(shape.map(|n| n as usize)).collect();
            tensors.push((format!("lora.{target}.{side}"), shape, values));
        }
    }
    let read = block_on(flat::read(&MemorySource::new(safetensors_of(&tensors)), Some(8.0)));
    assert_eq!(scaled(&read.expect("a flat file")), scaled(&adapter));
}

/// The names and shapes that PEFT's wrapper of parameters has, and where the elements of an expert lie.
#[test]
fn peft_finds_experts_where_it_looks_for_them() {
    let adapter = adapter();
    let files = peft::write(&adapter, "google/gemma-4").expect("files");
    let tensors = SafeTensors::deserialize(&files.weights).expect("tensors");
    let shape = |name: &str| {
        let name = format!("base_model.model.model.language_model.layers.{name}.weight");
        tensors.tensor(&name).unwrap_or_else(|e| panic!("{name}: {e}")).shape().to_vec()
    };
    // The parameter that is declared first is the inner one.
    assert_eq!(shape("0.experts.base_layer.lora_A"), [12, 8]);
    assert_eq!(shape("0.experts.base_layer.lora_B"), [10, 12]);
    assert_eq!(shape("0.experts.lora_A"), [6, 5]);
    assert_eq!(shape("0.experts.lora_B"), [8, 6]);
    // A single one has one wrapper.
    assert_eq!(shape("1.experts.lora_A"), [12, 5]);
    assert_eq!(shape("2.experts.lora_B"), [10, 12]);

    let f = adapter.get(at(2, Projection::ExpertGateUp)).expect("factors");
    let name = "base_model.model.model.language_model.layers.2.experts.lora_";
    let values = |side: &str| -> Vec<f32> {
        let tensor = tensors.tensor(&format!("{name}{side}.weight")).expect("a factor");
        bytemuck::pod_collect_to_vec(tensor.data())
    };
    let (a, b) = (values("A"), values("B"));
    let (experts, rank) = (EXPERTS as usize, f.rank as usize);
    for (e, o, r) in [(0, 0, 0), (2, 9, 3), (1, 4, 2)] {
        assert_eq!(a[(e * rank + r) * WIDTH as usize + 6], f.a[(e * rank + r) * WIDTH as usize + 6]);
        assert_eq!(b[(o * rank + r) * experts + e], f.b[(e * 10 + o) * rank + r]);
    }

    let config: serde_json::Value = serde_json::from_str(&files.config).expect("JSON");
    let parameters: Vec<_> = config["target_parameters"].as_array().expect("a list").iter().collect();
    assert_eq!(parameters.len(), 4);
    assert_eq!(parameters[0], "model.language_model.layers.0.experts.gate_up_proj");
    assert!(!config["target_modules"].as_str().expect("an expression").contains("experts"));
    assert_eq!(config["rank_pattern"].as_object().expect("patterns").len(), 1);
    // Without others, no module may be chosen by default.
    let mut alone = Adapter::default();
    let target = at(0, Projection::ExpertDown);
    alone.insert(target, adapter.get(target).expect("factors").clone()).expect("factors");
    let files = peft::write(&alone, "google/gemma-4").expect("files");
    let config: serde_json::Value = serde_json::from_str(&files.config).expect("JSON");
    assert_eq!(config["target_modules"], serde_json::json!([]));
    assert_eq!(read_peft(&files).expect("PEFT's files"), alone);
}

/// A PEFT adapter of the experts of a layer, with A and B of these shapes.
fn peft_of(
    pairs: &[(&str, [usize; 2], [usize; 2])],
    config: serde_json::Value,
) -> Result<Adapter, AdapterError> {
    let mut tensors = Vec::new();
    for (module, a, b) in pairs {
        for (side, shape) in [("A", a), ("B", b)] {
            let name = format!("base_model.model.model.layers.1.{module}.lora_{side}.weight");
            tensors.push((name, shape.to_vec(), vec![0.5; shape[0] * shape[1]]));
        }
    }
    let mut all = serde_json::json!({ "peft_type": "LORA", "r": 2, "lora_alpha": 4 });
    all.as_object_mut().expect("an object").extend(config.as_object().expect("an object").clone());
    block_on(peft::read(&MemorySource::new(safetensors_of(&tensors)), all.to_string().as_bytes()))
}

const GATE_UP: ([usize; 2], [usize; 2]) = ([6, 8], [10, 6]);
const DOWN: ([usize; 2], [usize; 2]) = ([6, 5], [8, 6]);

#[test]
fn wrappers_of_peft_are_told_apart_by_the_configuration() {
    let (gate_up, down) = (at(1, Projection::ExpertGateUp), at(1, Projection::ExpertDown));
    let both = [("experts.base_layer", GATE_UP.0, GATE_UP.1), ("experts", DOWN.0, DOWN.1)];
    let names = serde_json::json!({ "target_parameters": ["experts.down_proj", "experts.gate_up_proj"] });
    let read = peft_of(&both, names).expect("an adapter");
    let found: Vec<_> =
        read.iter().map(|(target, f)| (target, f.experts(), f.input, f.output, f.scale)).collect();
    assert_eq!(found, [(gate_up, 3, 8, 10, 2.0), (down, 3, 5, 8, 2.0)]);
    // Ranks and alphas of parameters by pattern, of which shapes say nothing.
    let patterns = serde_json::json!({
        "target_parameters": ["experts.down_proj"], "use_rslora": true,
        "rank_pattern": { "layers\\.1\\.experts\\.down_proj": 3 }, "alpha_pattern": { "experts.down_proj": 6 },
    });
    let read = peft_of(&[("experts", DOWN.0, DOWN.1)], patterns).expect("an adapter");
    let f = read.get(down).expect("down");
    assert_eq!((f.experts(), f.rank, f.scale), (2, 3, 6.0 / 3f32.sqrt()));
    // By the whole path.
    let whole = serde_json::json!({ "target_parameters": ["model.layers.1.experts.gate_up_proj"] });
    assert!(peft_of(&[("experts", GATE_UP.0, GATE_UP.1)], whole).expect("an adapter").get(gate_up).is_some());
}

#[test]
fn experts_of_peft_that_contradict_themselves_are_refused_with_numbers() {
    let refused = |pairs: &[(&str, [usize; 2], [usize; 2])], config: serde_json::Value, words: &[&str]| {
        let error = peft_of(pairs, config).expect_err("contradictions").to_string();
        for word in words {
            assert!(error.contains(word), "{error:?} does not name {word:?}");
        }
    };
    let down = || serde_json::json!({ "target_parameters": ["experts.down_proj"] });
    let one = [("experts", DOWN.0, DOWN.1)];
    // Another number of parameters than is named.
    let path = "model.layers.1.experts has factors for";
    refused(&one, serde_json::json!({}), &[path, "1 parameters", "names 0"]);
    let both = serde_json::json!({ "target_parameters": ["experts.down_proj", "experts.gate_up_proj"] });
    refused(&one, both, &[path, "1 parameters", "names 2"]);
    refused(&[("experts.base_layer.base_layer", DOWN.0, DOWN.1)], down(), &[path, "3 parameters"]);
    // Part of another name is none.
    refused(&one, serde_json::json!({ "target_parameters": ["perts.down_proj", "proj"] }), &["names 0"]);
    // Ranks.
    let with = |rank: u64| serde_json::json!({ "target_parameters": ["experts.down_proj"], "r": rank });
    refused(&one, with(0), &["experts.down_proj", "rank 0"]);
    refused(&one, with(65), &["experts.down_proj", "rank 65"]);
    refused(&one, with(4), &["experts.lora_", "6 rows or columns", "rank 4"]);
    refused(&[("experts", [6, 5], [8, 7])], down(), &["experts.lora_B", "7 rows or columns", "rank 2"]);
    refused(&[("experts", [6, 5], [8, 4])], down(), &["experts.lora_B", "[2, 8, 2]", "[3, 8, 2]"]);
    refused(&[("experts", [0, 5], [8, 0])], down(), &["0 rows or columns"]);
    let bad = serde_json::json!({ "target_parameters": ["experts.down_proj"], "rank_pattern": { "(": 2 } });
    refused(&one, bad, &["rank_pattern"]);
}

/// A GGUF adapter with these tensors.
fn gguf_of(tensors: &[(&str, &[u64], &[f32])]) -> Result<Adapter, AdapterError> {
    let text = |key: &str, value: &str| (key.to_owned(), WriteValue::String(value.into()));
    let metadata = [
        text("general.type", "adapter"),
        text("general.architecture", "gemma4"),
        text("adapter.type", "lora"),
        ("adapter.lora.alpha".to_owned(), WriteValue::F32(8.0)),
    ];
    let specs: Vec<_> =
        tensors.iter().map(|(name, shape, _)| TensorSpec::new(*name, shape, DType::F32)).collect();
    let mut writer = Writer::new(Vec::new(), &metadata, &specs).expect("a header");
    for (_, _, values) in tensors {
        writer.write(bytemuck::cast_slice(values)).expect("data");
    }
    read_gguf(writer.finish().expect("a file"))
}

#[test]
fn gguf_has_the_expert_as_the_last_dimension() {
    let bytes = gguf::write(&adapter(), "experts", Vec::new()).expect("a file");
    let header = block_on(Header::read(&MemorySource::new(bytes))).expect("a header");
    let shape = |name: &str| header.tensor(name).unwrap_or_else(|| panic!("no {name}")).shape.clone();
    assert_eq!(shape("blk.0.ffn_gate_up_exps.weight.lora_a"), [8, 4, 3]);
    assert_eq!(shape("blk.0.ffn_gate_up_exps.weight.lora_b"), [4, 10, 3]);
    assert_eq!(shape("blk.0.ffn_down_exps.weight.lora_a"), [5, 2, 3]);
    assert_eq!(shape("blk.1.attn_q.weight.lora_a"), [8, 4]);
}

/// What factors of gate and up add to their rows for x.
fn added(f: &Factors, expert: usize, x: &[f32]) -> Vec<f32> {
    let (rank, input, output) = (f.rank as usize, f.input as usize, f.output as usize);
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let a = f.a[expert * rank * input..][..rank * input].chunks(input);
    let z: Vec<f32> = a.map(|a| dot(a, x)).collect();
    let b = f.b[expert * output * rank..][..output * rank].chunks(rank);
    b.map(|b| f.scale * dot(b, &z)).collect()
}

#[test]
fn factors_of_gate_and_up_apart_are_those_of_both() {
    let target = at(0, Projection::ExpertGateUp);
    let names =
        ["gate", "up"].map(|part| ["a", "b"].map(|side| format!("blk.0.ffn_{part}_exps.weight.lora_{side}")));
    // Ranks of gate and of up, and whether A is the same.
    for (ranks, same) in [([2, 2], true), ([2, 2], false), ([1, 3], false)] {
        let a = ranks.map(|rank| numbers(EXPERTS * rank * WIDTH, if same { 1 } else { rank + 2 }));
        let mut a = a;
        if !same && ranks[0] == ranks[1] {
            a[1] = numbers(EXPERTS * ranks[1] * WIDTH, 9);
        }
        let b = [0, 1].map(|half| numbers(EXPERTS * FF * ranks[half], 20 + half as u32));
        let shapes =
            ranks.map(|rank| [[WIDTH, rank, EXPERTS], [rank, FF, EXPERTS]].map(|shape| shape.map(u64::from)));
        let tensors: Vec<(&str, &[u64], &[f32])> = (0..2)
            .flat_map(|half| [0, 1].map(|side| (half, side)))
            .map(|(half, side)| {
                let values = if side == 0 { a[half].as_slice() } else { b[half].as_slice() };
                (names[half][side].as_str(), shapes[half][side].as_slice(), values)
            })
            .collect();
        let read = gguf_of(&tensors).expect("an adapter");
        let f = read.get(target).expect("factors of both");
        let rank = if same { 2 } else { ranks[0] + ranks[1] };
        assert_eq!((read.len(), f.rank, f.experts(), f.input, f.output), (1, rank, 3, 8, 10));
        let x = numbers(WIDTH, 77);
        let half = |half: usize, expert: usize| {
            let (a, b) = (a[half].clone(), b[half].clone());
            let scale = 8.0 / ranks[half] as f32;
            added(&Factors { rank: ranks[half], input: WIDTH, output: FF, a, b, scale }, expert, &x)
        };
        for expert in 0..EXPERTS as usize {
            let want = [half(0, expert), half(1, expert)].concat();
            for (got, want) in added(f, expert, &x).iter().zip(&want) {
                assert!((got - want).abs() < 1e-3, "{ranks:?} expert {expert}: {got} for {want}");
            }
        }
        // Up alone leaves gate as it is.
        let alone = gguf_of(&tensors[2..]).expect("an adapter");
        let f = alone.get(target).expect("factors of both");
        for expert in 0..EXPERTS as usize {
            assert_eq!(added(f, expert, &x), [vec![0.0; FF as usize], half(1, expert)].concat());
        }
    }
}

#[test]
fn gguf_files_of_experts_that_contradict_themselves_are_refused_with_numbers() {
    let refused = |tensors: &[(&str, &[u64])], words: &[&str]| {
        let all = vec![0.5; 4096];
        let tensors: Vec<_> = tensors
            .iter()
            .map(|&(name, shape)| (name, shape, &all[..shape.iter().product::<u64>() as usize]))
            .collect();
        let error = gguf_of(&tensors).expect_err("contradictions").to_string();
        for word in words {
            assert!(error.contains(word), "{error:?} does not name {word:?}");
        }
    };
    let [a, b] = ["a", "b"].map(|side| format!("blk.0.ffn_down_exps.weight.lora_{side}"));
    refused(&[(&a, &[5, 2, 3]), (&b, &[2, 8, 4])], &["lora_b", "[4, 8, 2]", "[3, 8, 2]"]);
    refused(&[(&a, &[5, 2, 3]), (&b, &[3, 8, 3])], &["lora_b", "[8, 3]", "[8, 2]"]);
    refused(&[(&a, &[5, 65, 3]), (&b, &[65, 8, 3])], &["lora_a", "rank 65"]);
    refused(&[(&a, &[5, 2, 3])], &["lora_a", "no partner"]);
    refused(&[("blk.0.attn_q.weight.lora_a", &[5, 2, 3])], &["a stack of matrices", "attn_q"]);
    let [gate_a, gate_b, up_a, up_b] = ["gate", "up"]
        .map(|part| ["a", "b"].map(|side| format!("blk.0.ffn_{part}_exps.weight.lora_{side}")))
        .concat()
        .try_into()
        .expect("four names");
    refused(
        &[(&gate_a, &[8, 2, 3]), (&gate_b, &[2, 5, 3]), (&up_a, &[8, 2, 4]), (&up_b, &[2, 5, 4])],
        &["ffn_gate_up_exps", "[4, 5, 8]", "[3, 5, 8]"],
    );
    refused(
        &[(&gate_a, &[8, 40, 3]), (&gate_b, &[40, 5, 3]), (&up_a, &[8, 41, 3]), (&up_b, &[41, 5, 3])],
        &["ffn_gate_up_exps", "rank 81"],
    );
}

/// Before it knew that experts are stored with their rows first, PEFT took rows for inputs: what it added to the weights of an
/// expert is `Aᵀ·Bᵀ`.
#[test]
fn experts_as_old_versions_of_peft_wrote_them_are_turned() {
    let names = serde_json::json!({ "target_parameters": ["experts.gate_up_proj"] });
    let (experts, rank, width, rows) = (EXPERTS as usize, 2, WIDTH as usize, 2 * FF as usize);
    let [a, b] = [numbers(EXPERTS * 2 * 2 * FF, 1), numbers(WIDTH * 2 * EXPERTS, 2)];
    let name = |side: &str| format!("base_model.model.model.layers.1.experts.lora_{side}.weight");
    let tensors = [
        (name("A"), vec![experts * rank, rows], a.clone()),
        (name("B"), vec![width, rank * experts], b.clone()),
    ];
    let mut config = serde_json::json!({ "peft_type": "LORA", "r": 2, "lora_alpha": 4 });
    config.as_object_mut().expect("an object").extend(names.as_object().expect("an object").clone());
    let source = MemorySource::new(safetensors_of(&tensors));
    let read = block_on(peft::read(&source, config.to_string().as_bytes())).expect("an adapter");
    let shape = |_| Some(Shape { experts: EXPERTS, input: WIDTH, output: 2 * FF });
    let fitted = read.fit(|_| false, shape).expect("it fits when it is turned");
    let f = fitted.get(at(1, Projection::ExpertGateUp)).expect("factors");
    assert_eq!((f.experts(), f.rank, f.input, f.output), (EXPERTS, 2, WIDTH, 2 * FF));
    for (e, row, column) in [(0, 0, 0), (2, 9, 7), (1, 3, 5)] {
        let got: f32 =
            (0..rank).map(|r| f.b[(e * rows + row) * rank + r] * f.a[(e * rank + r) * width + column]).sum();
        let want: f32 =
            (0..rank).map(|r| a[(e * rank + r) * rows + row] * b[(column * rank + r) * experts + e]).sum();
        assert!((got - want).abs() < 1e-5, "expert {e}, row {row}, column {column}: {got} for {want}");
    }
}

#[test]
fn an_adapter_for_other_experts_does_not_fit() {
    let shape = |experts, input, output| move |_: Target| Some(Shape { experts, input, output });
    let target = at(0, Projection::ExpertDown);
    let mut one = Adapter::default();
    one.insert(target, factors(Projection::ExpertDown, 2, 1.0, 0)).expect("factors");
    assert!(one.clone().fit(|_| false, shape(EXPERTS, FF, WIDTH)).is_ok());
    let refused = |shape: &dyn Fn(Target) -> Option<Shape>, words: &[&str]| {
        let error = one.clone().fit(|_| false, shape).expect_err("another model").to_string();
        for word in words {
            assert!(error.contains(word), "{error:?} does not name {word:?}");
        }
    };
    refused(&shape(128, FF, WIDTH), &["blk.0.ffn_down_exps.A", "[3, 2, 5]", "[128, 2, 5]"]);
    refused(&shape(EXPERTS, 704, WIDTH), &["blk.0.ffn_down_exps.A", "[3, 2, 5]", "[3, 2, 704]"]);
    refused(&shape(EXPERTS, FF, 2816), &["blk.0.ffn_down_exps.B", "[3, 8, 2]", "[3, 2816, 2]"]);
    refused(&|_| None, &["blk.0.ffn_down_exps", "does not have"]);
    // Factors that contradict themselves, and NaN.
    let insert = |f: Factors| Adapter::default().insert(target, f).expect_err("bad factors");
    let good = || factors(Projection::ExpertDown, 2, 1.0, 0);
    assert!(matches!(insert(Factors { rank: 0, ..good() }), AdapterError::Rank { rank: 0, .. }));
    let mut short = good();
    short.b.pop();
    assert!(matches!(insert(short), AdapterError::Shape { .. }));
    let mut broken = good();
    broken.a[3] = f32::NAN;
    assert!(matches!(insert(broken), AdapterError::NotFinite { .. }));
}
