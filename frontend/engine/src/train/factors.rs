//! The trained factors, their gradients, and the moments of the optimiser: for each layer four buffers with the
//! same layout, so that the optimiser is independent of the layout.

use shaders::experts::low_rank;
use shaders::train::lora::Params;

use super::{Base, Settings, TrainError};
use crate::adapter::{Adapter, AdapterError, Factors, Shape, Target};
use crate::plan::Value;
use crate::split_mix::mix;

/// Location of one projection's factors in the buffers of its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The projection.
    pub target: Target,
    /// Its shape: columns of A, rows of B, and the number of both.
    pub shape: Shape,
    /// First element of A, `[experts, rank, input]`.
    pub a: u32,
    /// First element of B, `[experts, output, rank]`.
    pub b: u32,
    /// One past the last element of B.
    pub end: u32,
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

/// Returns the layouts of all layers; empty for layers without trained projections.
pub(super) fn layouts(base: &Base, settings: &Settings) -> Result<Vec<Layout>, TrainError> {
    let mut all = vec![Layout::default(); base.config.layers.len()];
    let targets = base.targets(&settings.targets);
    if targets.is_empty() {
        return Err(TrainError::NoTarget);
    }
    for (target, shape) in targets {
        let layout = &mut all[target.layer];
        let after = |start: u32, columns: u32| {
            let elements = u64::from(shape.experts) * u64::from(settings.rank) * u64::from(columns);
            let end = u64::from(start) + elements;
            let (bytes, most) = (4 * end, base.limits.largest_binding);
            let too_large = TrainError::TooLarge { layer: target.layer, bytes, most };
            u32::try_from(end).ok().filter(|_| bytes <= most).ok_or(too_large)
        };
        let a = layout.count;
        let b = after(a, shape.input)?;
        let end = after(b, shape.output)?;
        layout.places.push(Place { target, shape, a, b, end });
        layout.count = end;
    }
    Ok(all)
}

impl Layout {
    /// Returns the location of a projection, if it is trained.
    pub fn place(&self, target: Target) -> Option<&Place> {
        self.places.iter().find(|place| place.target == target)
    }

    /// Initial values: those of `start`, otherwise A uniform in ±1/√input and B zero (specification §12.4).
    pub fn start(&self, settings: &Settings, start: Option<&Adapter>) -> Result<Vec<f32>, TrainError> {
        let mut theta = vec![0.0; self.count as usize];
        for place in &self.places {
            let a = place.a as usize..place.b as usize;
            let b = place.b as usize..place.end as usize;
            if let Some(factors) = start.and_then(|adapter| adapter.get(place.target)) {
                let Shape { experts, input, output } = place.shape;
                let found = [factors.experts(), factors.rank, factors.input, factors.output];
                let expected = [experts, settings.rank, input, output];
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
            let bound = 1.0 / f64::from(place.shape.input).sqrt();
            let key = mix(settings.seed ^ mix(u64::from(salt(place.target))));
            for (index, value) in theta[a].iter_mut().enumerate() {
                let unit = (mix(key ^ index as u64) >> 11) as f64 / (1u64 << 53) as f64;
                *value = (bound * (2.0 * unit - 1.0)) as f32;
            }
        }
        Ok(theta)
    }

    /// Returns the buffers of a trained layer; `None` without trained projections.
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
            let b = place.b as usize..place.end as usize;
            let factors = Factors {
                rank: settings.rank,
                input: place.shape.input,
                output: place.shape.output,
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
        Params { salt: salt(self.target), bound, ..Params::a(self.shape.input, settings.rank, self.a, scale) }
    }

    /// Parameters for B.
    pub fn b(&self, settings: &Settings, scale: f32) -> Params {
        Params::b(self.shape.output, settings.rank, self.b, scale)
    }

    /// Parameters for A of experts.
    pub fn expert_a(&self, settings: &Settings) -> low_rank::Params {
        low_rank::Params::a(self.shape.input, settings.rank, self.a, [0, self.shape.experts])
    }

    /// Parameters for B of experts, multiplied by the scale of corrections.
    pub fn expert_b(&self, settings: &Settings) -> low_rank::Params {
        let experts = [0, self.shape.experts];
        low_rank::Params::b(self.shape.output, settings.rank, self.b, experts).scaled(settings.scale())
    }
}

/// Identifies a projection of a layer in the dropout hash.
fn salt(target: Target) -> u32 {
    target.layer as u32 * 16 + target.projection as u32
}
