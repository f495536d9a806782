//! An architecture that no model has: a description of its layers, a tensor list and a configuration, and nothing else, give a
//! reference's logits. Its layers end without a scale, its values are not normed, and what attention leaves has a norm of
//! its own.

use std::rc::Rc;

use engine::adapter::Projection;
use engine::bytes::{ByteSource, CancelToken, MemorySource};
use engine::gguf::{Family, Header, TensorSpec, Writer};
use engine::media::Input;
use engine::model::layer::{Branch, Heads, Mask, Operation, Pass, Site, Slot, Tensors};
use engine::model::{
    Architecture, Attention, Config, Decoder, Extent, KvType, LayerConfig, LoadedModel, LogitsReader, Parts,
    Tuning,
};
use engine::plan::PlanError;
use engine::weights::{self, TensorList, Weights};
use pollster::block_on;
use shaders::DType;
use shaders::attention::decode::Kv;

use crate::common;

const LAYERS: usize = 3;
const WIDTH: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD: usize = 32;
const FEED_FORWARD: usize = 96;
const VOCABULARY: usize = 160;
const WINDOW: usize = 4;
const EPS: f64 = 1e-6;
const THETA: f64 = 10_000.0;

// The description.

fn operations<'w>(
    config: &Config,
    weights: &'w Weights,
    i: usize,
    _: Pass,
) -> Result<Vec<Operation<'w>>, PlanError> {
    let tensors = Tensors::new(weights, i);
    let [first, second] = [Branch::Attention, Branch::FeedForward];
    let window = if config.layers[i].attention == Attention::Sliding { config.window } else { 0 };
    let qkv = [(Projection::Q, Slot::Q), (Projection::K, Slot::K), (Projection::V, Slot::V)];
    let output = [(Projection::Output, Slot::Result(first))];
    let gate_up = [(Projection::Gate, Slot::Gate), (Projection::Up, Slot::Up)];
    let (q_norm, k_norm) = (tensors.vector("attn_q_norm")?, Some(tensors.vector("attn_k_norm")?));
    let weight = tensors.vector("attn_sub_norm")?;
    Ok(vec![
        tensors.norm(first, "attn_norm")?,
        tensors.products(Site::Qkv, Slot::Normed(first), &qkv)?,
        Operation::Heads(Heads { kv: Kv::Own, q_norm, k_norm, normed_v: false }),
        Operation::Attend(Mask { window, pictures_whole: false, canvas: false, texts: false }),
        Operation::Norm { of: Slot::Attention, weight, x: Slot::NormedAttention },
        tensors.products(Site::Output, Slot::NormedAttention, &output)?,
        tensors.add(first, "attn_post_norm", None)?,
        tensors.norm(second, "ffn_norm")?,
        tensors.products(Site::GateUp, Slot::Normed(second), &gate_up)?,
        Operation::Activate { gate: Slot::Gate, factor: Slot::Up, y: Slot::Activated },
        tensors.products(Site::Down, Slot::Activated, &[(Projection::Down, Slot::Result(second))])?,
        tensors.add(second, "ffn_post_norm", None)?,
    ])
}

// The tensor list: names and shapes, contiguous dimension first.

const OF_LAYER: [(&str, &[usize]); 14] = [
    ("attn_norm", &[WIDTH]),
    ("attn_q", &[WIDTH, HEADS * HEAD]),
    ("attn_k", &[WIDTH, KV_HEADS * HEAD]),
    ("attn_v", &[WIDTH, KV_HEADS * HEAD]),
    ("attn_q_norm", &[HEAD]),
    ("attn_k_norm", &[HEAD]),
    ("attn_sub_norm", &[HEADS * HEAD]),
    ("attn_output", &[HEADS * HEAD, WIDTH]),
    ("attn_post_norm", &[WIDTH]),
    ("ffn_norm", &[WIDTH]),
    ("ffn_gate", &[WIDTH, FEED_FORWARD]),
    ("ffn_up", &[WIDTH, FEED_FORWARD]),
    ("ffn_down", &[FEED_FORWARD, WIDTH]),
    ("ffn_post_norm", &[WIDTH]),
];

fn tensors() -> Vec<(String, Vec<u64>)> {
    let shape = |shape: &[usize]| shape.iter().map(|&n| n as u64).collect::<Vec<_>>();
    let of_layer = |i| OF_LAYER.map(|(name, dims)| (format!("blk.{i}.{name}"), shape(dims)));
    let mut all: Vec<_> = (0..LAYERS).flat_map(of_layer).collect();
    all.push(("token_embd".to_owned(), shape(&[WIDTH, VOCABULARY])));
    all.push(("output_norm".to_owned(), shape(&[WIDTH])));
    all
}

fn list(header: &Header) -> TensorList {
    let mut list = TensorList::default();
    for (name, shape) in tensors() {
        match *shape.as_slice() {
            [k, n] => list.add_matrix(header, &name, &name, [k, n]),
            _ => list.add_vector(header, &name, &name, &shape, false),
        }
        .expect("a tensor of the file");
    }
    list
}

// The configuration.

fn config() -> Config {
    let layer = |i| LayerConfig {
        attention: if i == 1 { Attention::Global } else { Attention::Sliding },
        head_dim: HEAD as u32,
        kv_heads: KV_HEADS as u32,
        feed_forward: FEED_FORWARD as u32,
        kv_layer: i,
    };
    Config {
        architecture: Architecture { operations, fuses: false },
        family: Family::Gemma3,
        encoder: None,
        query_scale: 1.0,
        rope_divisor: 1.0,
        width: WIDTH as u32,
        heads: HEADS as u32,
        layers: (0..LAYERS).map(layer).collect(),
        first_shared: LAYERS,
        window: WINDOW as u32,
        max_context: 512,
        eps: EPS as f32,
        softcap: 0.0,
        ple: 0,
        theta_sliding: THETA as f32,
        theta_global: THETA as f32,
        experts: None,
        whole_picture: 0,
        recommended: None,
        diffusion: None,
    }
}

/// Made-up values: norms around 1, matrices such that products keep their size.
fn values(number: usize, shape: &[u64]) -> Vec<f32> {
    let count = shape.iter().product::<u64>() as usize;
    let unit = |i: usize| ((i * 7919 + number * 104_729 + i / 13) % 2003) as f32 / 1001.0 - 1.0;
    let scale = if shape.len() > 1 { 1.7 / (shape[0] as f32).sqrt() } else { 0.3 };
    (0..count).map(|i| unit(i) * scale + if shape.len() > 1 { 0.0 } else { 1.0 }).collect()
}

/// The same layers in plain code, in f64.
struct Reference(Vec<(String, Vec<f32>)>);

impl Reference {
    fn get(&self, name: &str) -> Vec<f64> {
        let (_, values) = self.0.iter().find(|(it, _)| it == name).expect("a tensor");
        values.iter().map(|&value| f64::from(value)).collect()
    }

    fn product(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let row = |row: &[f64]| row.iter().zip(x).map(|(w, x)| w * x).sum();
        self.get(name).chunks(x.len()).map(row).collect()
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let rms = (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64 + EPS).sqrt();
        x.iter().zip(self.get(name)).map(|(x, w)| x / rms * w).collect()
    }

    /// Heads normed and rotated.
    fn heads(&self, name: &str, x: &[f64], position: usize) -> Vec<f64> {
        let turned = |head: &[f64]| {
            let normed = self.norm(name, head);
            let half = HEAD / 2;
            (0..HEAD).map(move |j| {
                let angle = position as f64 * THETA.powf(-2.0 * (j % half) as f64 / HEAD as f64);
                let other = if j < half { -normed[j + half] } else { normed[j - half] };
                normed[j] * angle.cos() + other * angle.sin()
            })
        };
        x.chunks(HEAD).flat_map(turned).collect()
    }

    /// The logits behind each token.
    fn logits(&self, ids: &[u32]) -> Vec<Vec<f64>> {
        let table = self.get("token_embd");
        let row = |&id: &u32| table[id as usize * WIDTH..][..WIDTH].iter().map(|e| e * (WIDTH as f64).sqrt());
        let mut stream: Vec<Vec<f64>> = ids.iter().map(|id| row(id).collect()).collect();
        let add = |h: &[f64], y: Vec<f64>| h.iter().zip(y).map(|(h, y)| h + y).collect::<Vec<_>>();
        for i in 0..LAYERS {
            let name = |part: &str| format!("blk.{i}.{part}");
            let normed: Vec<_> = stream.iter().map(|h| self.norm(&name("attn_norm"), h)).collect();
            let heads = |norm: &str, matrix: &str| -> Vec<_> {
                let products = normed.iter().map(|x| self.product(&name(matrix), x)).enumerate();
                products.map(|(t, q)| self.heads(&name(norm), &q, t)).collect()
            };
            let (q, k) = (heads("attn_q_norm", "attn_q"), heads("attn_k_norm", "attn_k"));
            let v: Vec<_> = normed.iter().map(|x| self.product(&name("attn_v"), x)).collect();
            for (t, h) in stream.iter_mut().enumerate() {
                let first = if i == 1 { 0 } else { (t + 1).saturating_sub(WINDOW) };
                let mut attention = Vec::new();
                for head in 0..HEADS {
                    let kv = head / (HEADS / KV_HEADS) * HEAD..;
                    let dot = |k: &Vec<f64>| {
                        let q = &q[t][head * HEAD..][..HEAD];
                        q.iter().zip(&k[kv.clone()]).map(|(q, k)| q * k).sum::<f64>().exp()
                    };
                    let weights: Vec<f64> = k[first..=t].iter().map(dot).collect();
                    let sum: f64 = weights.iter().sum();
                    let weighted =
                        |j| weights.iter().zip(&v[first..=t]).map(move |(w, v)| w * v[j]).sum::<f64>();
                    attention.extend((kv.start..kv.start + HEAD).map(|j| weighted(j) / sum));
                }
                let attention = self.norm(&name("attn_sub_norm"), &attention);
                let y = self.product(&name("attn_output"), &attention);
                *h = add(h, self.norm(&name("attn_post_norm"), &y));
                let x = self.norm(&name("ffn_norm"), h);
                let gelu = |x: f64| {
                    0.5 * x
                        * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
                };
                let gate = self.product(&name("ffn_gate"), &x).into_iter().map(gelu);
                let act: Vec<_> = gate.zip(self.product(&name("ffn_up"), &x)).map(|(g, u)| g * u).collect();
                *h = add(h, self.norm(&name("ffn_post_norm"), &self.product(&name("ffn_down"), &act)));
            }
        }
        let last = |h: &Vec<f64>| self.product("token_embd", &self.norm("output_norm", h));
        stream.iter().map(last).collect()
    }
}

#[test]
fn a_made_up_architecture_is_a_description_a_tensor_list_and_a_configuration() {
    let gpu = common::gpu();
    let named = tensors();
    let content: Vec<_> =
        named.iter().enumerate().map(|(at, (name, shape))| (name.clone(), values(at, shape))).collect();
    let specs: Vec<_> = named.iter().map(|(name, shape)| TensorSpec::new(name, shape, DType::F32)).collect();
    let mut writer = Writer::new(Vec::new(), &[], &specs).expect("a header");
    content.iter().for_each(|(_, values)| writer.write(bytemuck::cast_slice(values)).expect("values"));
    let source: Rc<dyn ByteSource> = Rc::new(MemorySource::new(writer.finish().expect("a file")));
    let header = block_on(Header::read(&*source)).expect("a header");

    let (tensors, limits) = (list(&header), gpu.plan_limits());
    let described = Weights::describe(&tensors, limits).expect("a description");
    let extent = Extent { context: 512, kv_type: KvType::F32, host_table: None };
    let mut parts = Parts::describe(config(), VOCABULARY as u32, described, extent, limits).expect("parts");
    let (cancel, mut quiet) = (CancelToken::new(), |_| ());
    let loading = weights::load(&gpu, &source, &tensors, &mut parts.weights, &cancel, &mut quiet);
    let weights = block_on(loading).expect("weights");
    let loaded = LoadedModel {
        parts,
        weights,
        table: None,
        experts: None,
        context: 512,
        pad: 0,
        tuning: Some(Tuning::FLOATS),
        tries_forms: false,
    };
    let decoder = block_on(Decoder::new(Rc::clone(&gpu), loaded, &mut |_| ())).expect("a decoder");
    let reader = block_on(LogitsReader::new(&decoder)).expect("programs");

    let ids: Vec<u32> = (0..9).map(|i| (i * 53 + 7) % VOCABULARY as u32).collect();
    let want = Reference(content).logits(&ids);
    let mut worst = 0.0f64;
    let mut compare = |row: usize, got: &[f32], how: &str| {
        let far = |(got, want): (&f32, &f64)| (f64::from(*got) - want).abs();
        let far = got.iter().zip(&want[row]).map(far).fold(0.0, f64::max);
        assert!(far < 1e-4, "{how}, row {row}: logits differ by {far}");
        worst = worst.max(far);
    };
    let input = Input::from(&ids);
    block_on(reader.prefill(&input, 0, ids.len() as u32)).expect("a prompt");
    for row in 0..ids.len() {
        compare(row, &block_on(reader.row(row as u32)).expect("a row"), "read at once");
    }
    for (row, &id) in ids.iter().enumerate() {
        compare(row, &block_on(reader.step(id, row as u32)).expect("a step"), "token by token");
    }
    let spread = want.iter().flatten().map(|logit| logit.abs()).fold(0.0, f64::max);
    println!("logits up to {spread:.1} differ by at most {worst:.1e}");
    assert!(spread > 1.0, "{spread}");
}
