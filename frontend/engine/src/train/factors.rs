//! The trained factors, their gradients, and the moments of the optimiser: for each layer four buffers with the
//! same layout, so that the optimiser is independent of the layout.

use shaders::train::lora::Params;

use super::{Base, Settings, TrainError};
use crate::adapter::{Adapter, AdapterError, Factors, Target};
use crate::plan::Value;
use crate::split_mix::mix;

/// Location of one projection's factors in the buffers of its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The projection.
    pub target: Target,
    /// Columns of A.
    pub input: u32,
    /// Rows of B.
    pub output: u32,
    /// First element of A, `[rank, input]`.
    pub a: u32,
    /// First element of B, `[output, rank]`.
    pub b: u32,
}

/// The layout of one layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Its projections.
    pub places: Vec<Place>,
    /// Number of parameters in each of its buffers.
    pub count: u32,
}

/// The buffers of one layer, f32.
pub(super) struct LayerFactors {
    /// The layout.
    pub layout: Layout,
    /// A and B.
    pub theta: Value,
    /// Their gradients.
    pub gradients: Value,
    /// First moments.
    pub m: Value,
    /// Second moments.
    pub v: Value,
}

/// The layouts of all layers; empty for layers without trained projections.
pub(super) fn layouts(base: &Base, settings: &Settings) -> Result<Vec<Layout>, TrainError> {
    let mut all = vec![Layout::default(); base.config.layers.len()];
    let targets = base.targets(&settings.targets);
    if targets.is_empty() {
        return Err(TrainError::NoTarget);
    }
    for (target, input, output) in targets {
        let layout = &mut all[target.layer];
        let a = layout.count;
        let b = a + settings.rank * input;
        layout.places.push(Place { target, input, output, a, b });
        layout.count = b + settings.rank * output;
    }
    Ok(all)
}

impl Layout {
    /// The location of a projection, if it is trained.
    pub fn place(&self, target: Target) -> Option<&Place> {
        self.places.iter().find(|place| place.target == target)
    }

    /// Initial values: those of `start`, otherwise A uniform in ±1/√input and B zero (specification §12.4).
    pub fn start(&self, settings: &Settings, start: Option<&Adapter>) -> Result<Vec<f32>, TrainError> {
        let mut theta = vec![0.0; self.count as usize];
        for place in &self.places {
            let a = place.a as usize..place.b as usize;
            let b = place.b as usize..(place.b + settings.rank * place.output) as usize;
            if let Some(factors) = start.and_then(|adapter| adapter.get(place.target)) {
                let found = [factors.rank, factors.input, factors.output];
                let expected = [settings.rank, place.input, place.output];
                if found != expected {
                    return Err(TrainError::Adapter(AdapterError::Shape {
                        tensor: place.target.to_string(),
                        found: found.map(u64::from).to_vec(),
                        expected: expected.map(u64::from).to_vec(),
                    }));
                }
                theta[a].copy_from_slice(&factors.a);
                theta[b].copy_from_slice(&factors.b);
                continue;
            }
            let bound = 1.0 / f64::from(place.input).sqrt();
            let key = mix(settings.seed ^ mix(u64::from(salt(place.target))));
            for (index, value) in theta[a].iter_mut().enumerate() {
                let unit = (mix(key ^ index as u64) >> 11) as f64 / (1u64 << 53) as f64;
                *value = (bound * (2.0 * unit - 1.0)) as f32;
            }
        }
        Ok(theta)
    }

    /// The buffers of a trained layer; `None` without trained projections.
    pub fn describe(self) -> Option<LayerFactors> {
        let count = self.count;
        let value = |name: &'static str| Value::state(name, 4 * u64::from(count));
        (count > 0).then(|| LayerFactors {
            theta: value("factors"),
            gradients: value("gradients of factors"),
            m: value("first moments"),
            v: value("second moments"),
            layout: self,
        })
    }

    /// Reads the factors from a buffer's content, and adds them to an adapter.
    pub fn read(&self, settings: &Settings, values: &[f32], into: &mut Adapter) -> Result<(), AdapterError> {
        for place in &self.places {
            let b = place.b as usize..(place.b + settings.rank * place.output) as usize;
            let factors = Factors {
                rank: settings.rank,
                input: place.input,
                output: place.output,
                a: values[place.a as usize..place.b as usize].to_vec(),
                b: values[b].to_vec(),
                scale: settings.scale(),
            };
            into.insert(place.target, factors)?;
        }
        Ok(())
    }
}

impl Place {
    /// Parameters for A, multiplied by `scale`.
    pub fn a(&self, settings: &Settings, scale: f32) -> Params {
        let bound = shaders::train::dropout::bound(settings.dropout);
        Params { salt: salt(self.target), bound, ..Params::a(self.input, settings.rank, self.a, scale) }
    }

    /// Parameters for B.
    pub fn b(&self, settings: &Settings, scale: f32) -> Params {
        Params::b(self.output, settings.rank, self.b, scale)
    }
}

/// Identifies a projection of a layer in the dropout hash.
fn salt(target: Target) -> u32 {
    target.layer as u32 * 16 + target.projection as u32
}
