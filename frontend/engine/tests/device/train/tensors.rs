//! Reference outputs as adapters, and what the tests of training share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::adapter::{Adapter, Factors, Projection, Target};
use engine::gpu::Gpu;
use engine::session::LoadOptions;
use engine::train::{Settings, Trainer};
use pollster::block_on;
use safetensors::SafeTensors;

use crate::common;

/// The tensors of some files, by name.
pub struct Tensors(HashMap<String, (Vec<usize>, Vec<f32>)>);

impl Tensors {
    pub fn read(paths: &[PathBuf]) -> Self {
        let mut all = HashMap::new();
        for path in paths {
            let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for (name, tensor) in SafeTensors::deserialize(&bytes).expect("golden tensors parse").tensors() {
                let values = bytemuck::pod_collect_to_vec(tensor.data());
                all.insert(name, (tensor.shape().to_vec(), values));
            }
        }
        Self(all)
    }

    pub fn get(&self, name: &str) -> Option<&Vec<f32>> {
        self.0.get(name).map(|(_, values)| values)
    }

    /// Those below `prefix` as an adapter.
    pub fn adapter(&self, prefix: &str, scale: f32) -> Adapter {
        let mut adapter = Adapter::default();
        for (name, (shape, a)) in &self.0 {
            let Some(tensor) = name.strip_prefix(prefix).and_then(|name| name.strip_suffix(".A")) else {
                continue;
            };
            let (shape_b, b) = &self.0[&format!("{prefix}{tensor}.B")];
            let factors = Factors {
                rank: shape[0] as u32,
                input: shape[1] as u32,
                output: shape_b[0] as u32,
                a: a.clone(),
                b: b.clone(),
                scale,
            };
            adapter.insert(target(tensor), factors).expect("factors");
        }
        adapter
    }
}

/// Factors by the formula of the golden set's README, for projections with these columns and rows.
pub fn made_up(shapes: &serde_json::Map<String, serde_json::Value>, rank: u32, scale: f32) -> Adapter {
    let values = |count: u32, salt: u64, factor: f64| -> Vec<f32> {
        let whole = |i: u64| ((i * 7919 + salt * 104_729) % 2000) as f64;
        (0..u64::from(count)).map(|i| ((whole(i) / 1000.0 - 1.0) * factor) as f32).collect()
    };
    let mut adapter = Adapter::default();
    for (name, shape) in shapes {
        let [input, output] = [0, 1].map(|axis| shape[axis].as_u64().expect("a size") as u32);
        let target = target(name);
        let salt = 2 * (16 * target.layer as u64 + target.projection as u64);
        let a = values(rank * input, salt, 1.0 / f64::from(input).sqrt());
        // Logits of a router are large, and its inputs small.
        let factor = if target.projection == Projection::Router { 5.0 } else { 0.05 };
        let b = values(rank * output, salt + 1, factor);
        adapter.insert(target, Factors { rank, input, output, a, b, scale }).expect("factors");
    }
    adapter
}

/// `blk.3.attn_q`
fn target(tensor: &str) -> Target {
    let mut parts = tensor.split('.');
    assert_eq!(parts.next(), Some("blk"));
    let layer = parts.next().and_then(|n| n.parse().ok()).expect("a layer");
    let name = parts.next().expect("a projection");
    let projection = Projection::ALL.into_iter().find(|p| p.tensor() == name).expect("a projection");
    Target { layer, projection }
}

/// Holds gradients against those of the reference, as far as it has them. Returns how many there were, and the worst error.
pub fn compare_gradients(label: &str, gradients: &Adapter, want: &Tensors) -> (usize, f64) {
    let (mut compared, mut worst) = (0, 0.0f64);
    for (target, got) in gradients.iter() {
        for (part, got) in [("A", &got.a), ("B", &got.b)] {
            let name = format!("grad.lora.{target}.{part}");
            let Some(want) = want.get(&name) else { continue };
            let error = relative_error(got, want);
            assert!(error <= 1e-3, "{label} {name}: relative error {error}");
            worst = worst.max(error);
            compared += 1;
        }
    }
    (compared, worst)
}

/// A trainer of a model file.
pub fn trainer(gpu: &Rc<Gpu>, model: &Path, settings: &Settings, start: Option<&Adapter>) -> Trainer {
    let session = common::load(gpu, model, &LoadOptions { context: 512, ..LoadOptions::default() });
    let base = session.training_base();
    block_on(Trainer::new(Rc::clone(gpu), base, settings.clone(), start)).expect("a trainer")
}

/// Relative L2 error.
pub fn relative_error(got: &[f32], want: &[f32]) -> f64 {
    assert_eq!(got.len(), want.len());
    let square = |x: f32| f64::from(x) * f64::from(x);
    let difference: f64 = got.iter().zip(want).map(|(a, b)| square(a - b)).sum();
    let whole: f64 = want.iter().map(|&b| square(b)).sum();
    (difference / whole.max(1e-30)).sqrt()
}
