//! A mixture of experts on a device: the router against the reference, and a layer whose experts lie in several buffers
//! against the same in one.

use std::rc::Rc;

use engine::bytes::MemorySource;
use engine::gguf::Header;
use engine::gpu::{Gpu, GpuOptions, Memory};
use engine::plan::{Grid, Plan, PlanError, Value};
use engine::session::{Control, Options, Session};
use safetensors::SafeTensors;
use shaders::experts::{Choice, Mixture, choose};
use shaders::matmul::{self, Matmul, Tile};
use shaders::rows::norm_add::{self, NormAdd, NormAddRows};
use shaders::state::State;
use shaders::{DType, PlanarLayout};

use crate::common;

const MODEL: &str = "frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf";
const ROUTER: &str = "frontend/engine/tests/golden/outputs/tiny-moe/f16.router.safetensors";
const WIDTH: usize = 256;
const MIXTURE: Mixture = Mixture { experts: 8, used: 2 };

/// The f32 tensors of the model; routers are not quantised.
struct Tensors {
    header: Header,
    bytes: Vec<u8>,
}

impl Tensors {
    fn read() -> Self {
        let bytes = std::fs::read(common::repository(MODEL)).expect("the golden model");
        let header = pollster::block_on(Header::read(&MemorySource::new(bytes.clone()))).expect("a header");
        Self { header, bytes }
    }

    fn f32s(&self, name: &str) -> Vec<f32> {
        let tensor = self.header.tensor(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(tensor.dtype.known(), Some(DType::F32));
        let range = tensor.range();
        bytemuck::pod_collect_to_vec(&self.bytes[range.start as usize..range.end as usize])
    }
}

/// Norm, product and choice of layer 1, with so many experts used.
fn route(gpu: &Gpu, tensors: &Tensors, mixture: Mixture, input: &[f32], scales: &[f32]) -> Vec<Choice> {
    let rows = (input.len() / WIDTH) as u32;
    let experts = mixture.experts;
    let mut vectors = tensors.f32s("blk.1.ffn_gate_inp.scale");
    vectors.extend(scales);
    let matrix = tensors.f32s("blk.1.ffn_gate_inp.weight");
    let layout = PlanarLayout::new(DType::F32, WIDTH as u64, experts.into()).expect("a layout");

    let value = |name: &'static str, content: &[f32]| {
        let value = Value::state(name, size_of_val(content) as u64);
        (value, content.to_vec())
    };
    let (vectors, h, weights) = (value("vectors", &vectors), value("h", input), value("router", &matrix));
    let state = Value::state("state", size_of::<State>() as u64);
    let x = Value::temporary("x", size_of_val(input) as u64);
    let logits = Value::temporary("logits", u64::from(4 * rows * experts));
    let choices = Value::state("choices", u64::from(8 * rows * mixture.used));
    let plan = || {
        let mut plan = Plan::default();
        let params = norm_add::Params::new(WIDTH as u32, 1e-6);
        let grid = Grid::Fixed(NormAdd::dispatch(&params, rows));
        let norm = NormAddRows { form: NormAdd::Norm, width: WIDTH as u32 };
        plan.push(norm, &params, &[&state, &vectors.0, &h.0, &x], grid)?;
        let params = matmul::Params::new(&layout);
        let grid = Grid::Fixed(Tile::SMALL.dispatch(&params, rows));
        let product = Matmul { tile: Tile::SMALL, dtype: DType::F32, clamped: false };
        plan.push(product, &params, &[&weights.0, &state, &x, &logits], grid)?;
        let params = choose::Params { scale: 1.0 / 16.0, scales: WIDTH as u32, ..Default::default() };
        let grid = Grid::Fixed(choose::dispatch(rows));
        plan.push(choose::Choose(mixture), &params, &[&state, &logits, &vectors.0, &choices], grid)?;
        Ok::<_, PlanError>(plan)
    };
    let plan = plan().expect("a plan");
    let work = async {
        let mut memory = Memory::default();
        gpu.allocate("the router", plan.values(), &mut memory).await?;
        let lengths = [State { len: rows, ..State::default() }];
        gpu.queue().write_buffer(memory.get(&state)?, 0, bytemuck::cast_slice(&lengths));
        for (value, content) in [&vectors, &h, &weights] {
            gpu.queue().write_buffer(memory.get(value)?, 0, bytemuck::cast_slice(content));
        }
        gpu.run(&gpu.bind(&plan, &memory).await?, rows);
        gpu.read_once(memory.get(&choices)?, 0, choices.bytes()).await
    };
    bytemuck::pod_collect_to_vec(&pollster::block_on(work).expect("the router runs"))
}

#[test]
fn the_router_agrees_with_the_reference() {
    let gpu = common::gpu();
    let tensors = Tensors::read();
    let golden = std::fs::read(common::repository(ROUTER)).expect("the golden router");
    let golden = SafeTensors::deserialize(&golden).expect("golden tensors parse");
    let data = |name: &str| golden.tensor(name).expect("a golden tensor").data().to_vec();
    let input: Vec<f32> = bytemuck::pod_collect_to_vec(&data("router.input"));
    let probabilities: Vec<f32> = bytemuck::pod_collect_to_vec(&data("router.probs"));
    let ids: Vec<u32> = bytemuck::pod_collect_to_vec(&data("router.top_ids"));
    let weights: Vec<f32> = bytemuck::pod_collect_to_vec(&data("router.top_weights"));

    // With all experts used and no scales, the weights are the probabilities.
    let all = Mixture { used: MIXTURE.experts, ..MIXTURE };
    for (i, choice) in route(&gpu, &tensors, all, &input, &[1.0; 8]).iter().enumerate() {
        let want = probabilities[i / 8 * 8 + choice.expert as usize];
        assert!((choice.weight - want).abs() <= 1e-4, "{choice:?} of row {}: {want}", i / 8);
    }
    let scales = tensors.f32s("blk.1.ffn_gate_inp.per_expert_scale");
    let got = route(&gpu, &tensors, MIXTURE, &input, &scales);
    assert_eq!(got.iter().map(|choice| choice.expert).collect::<Vec<_>>(), ids);
    for (choice, want) in got.iter().zip(&weights) {
        assert!((choice.weight - want).abs() <= 1e-4, "{choice:?}: {want}");
    }
}

fn session(largest_part: Option<u64>) -> (Session, usize) {
    let options = GpuOptions { largest_part, no_matrix_units: true, ..GpuOptions::default() };
    let gpu = Rc::new(pollster::block_on(Gpu::open(&options)).expect("a device"));
    let session = common::exact(&gpu, &common::repository(MODEL));
    let dispatches = session.decoder().dispatches_per_token();
    (session, dispatches)
}

#[test]
fn experts_in_several_buffers_are_the_same_experts() {
    let prompt: Vec<u32> = (0..90).map(|i| 200 + i * 7919 % 700).collect();
    let options = Options { max_tokens: 24, ignore_eos: true, ..Options::default() };
    let answer = |session: &mut Session| {
        let logits = pollster::block_on(session.logits(&prompt, 90)).expect("logits");
        let control = Control::default();
        let drawn = pollster::block_on(session.generate(&prompt, &options, &control, &mut |_| ()));
        (logits, drawn.expect("an answer").ids)
    };
    let (mut whole, dispatches) = session(None);
    let (logits, ids) = answer(&mut whole);
    // Gate and up are 13.5 KiB an expert in these layers, down 16.5 to 25.5 KiB: parts of two and of one or two.
    let (mut parts, more) = session(Some(36 << 10));
    assert!(more >= dispatches + 4 * (3 + 3), "{more} dispatches, {dispatches} in one buffer");
    let (got_logits, got_ids) = answer(&mut parts);
    let difference = got_logits.iter().zip(&logits).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(difference <= 1e-4, "logits differ by {difference}");
    assert_eq!(got_ids, ids);
}
