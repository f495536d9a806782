//! The experts of a mixture in PEFT: their weights are parameters, not modules, which PEFT wraps one around the other.
//! With both wrapped, `experts.base_layer.lora_A` belongs to `gate_up_proj`, which is declared first, and `experts.lora_A`
//! to `down_proj`; with one, it is the outer wrapper. A is stacked by expert, `[experts·rank, input]`. In B the expert
//! is the fastest index, `[output, rank·experts]`.

use std::collections::BTreeMap;

use super::super::names::{self, LAYERS};
use super::super::pairs::Side;
use super::super::{Adapter, AdapterError, Projection, Target};
use super::AdapterConfig;

/// What PEFT calls what a wrapper wraps.
const WRAPPED_BY: &str = ".base_layer";

/// Returns the path of the experts that a module stands for, and the number of wrappers around it.
fn unwrapped(module: &str) -> (&str, usize) {
    let mut path = module;
    let mut depth = 0;
    while let Some(inner) = path.strip_suffix(WRAPPED_BY) {
        (path, depth) = (inner, depth + 1);
    }
    (path, depth)
}

/// The wrappers in a file: for each path of experts, how many there are.
pub struct Wrappers<'a>(BTreeMap<&'a str, usize>);

impl<'a> Wrappers<'a> {
    /// Returns those of the modules of a file.
    pub fn of(modules: &'a [String]) -> Self {
        let mut all = BTreeMap::new();
        for (path, depth) in modules.iter().map(|module| unwrapped(module)) {
            let most = all.entry(path).or_insert(0);
            *most = depth.max(*most);
        }
        Self(all.into_iter().map(|(path, depth)| (path, depth + 1)).collect())
    }

    /// Returns the parameter of experts that a module stands for; `None` for other modules.
    ///
    /// # Errors
    /// [`AdapterError::Parameters`] when the configuration does not name as many as there are wrappers.
    pub fn target(&self, module: &str, config: &AdapterConfig) -> Result<Option<Target>, AdapterError> {
        let (path, depth) = unwrapped(module);
        let Some(layer) = names::layer_of_experts(path) else { return Ok(None) };
        let found = self.0.get(path).copied().unwrap_or(0);
        let named = |projection: &Projection| {
            let name = projection.module().rsplit('.').next().unwrap_or_default();
            config.targets_parameter(&format!("{path}.{name}"))
        };
        let parameters: Vec<_> = Projection::OF_EXPERTS.into_iter().filter(named).collect();
        match parameters.iter().rev().nth(depth).filter(|_| parameters.len() == found) {
            Some(&projection) => Ok(Some(Target { layer, projection })),
            None => Err(AdapterError::Parameters { module: path.to_owned(), found, named: parameters.len() }),
        }
    }
}

/// Returns the module of a parameter of experts in a file with this adapter.
pub fn module(adapter: &Adapter, target: Target) -> String {
    let outer = Target { projection: Projection::ExpertDown, ..target };
    let is_inner = target.projection == Projection::ExpertGateUp && adapter.get(outer).is_some();
    format!("{LAYERS}{}.experts{}", target.layer, if is_inner { WRAPPED_BY } else { "" })
}

/// Returns the number of experts, and the shape of the factor of one, of a stacked factor.
///
/// # Errors
/// [`AdapterError::Stack`] when the rank does not divide it.
pub fn shape(
    tensor: &str,
    side: Side,
    [rows, columns]: [u64; 2],
    rank: u32,
) -> Result<(u64, [u64; 2]), AdapterError> {
    let r = u64::from(rank);
    let (size, shape) = match side {
        Side::A => (rows, [r, columns]),
        Side::B => (columns, [rows, r]),
    };
    if size == 0 || size % r != 0 {
        return Err(AdapterError::Stack { tensor: tensor.to_owned(), size, rank });
    }
    Ok((size / r, shape))
}

/// B by expert, `[experts, output, rank]`, from `[output, rank, experts]`.
pub fn by_expert(b: &[f32], experts: usize, rank: usize) -> Vec<f32> {
    let rows = b.len() / (experts * rank);
    let of = |i: usize| b[i % (rows * rank) * experts + i / (rows * rank)];
    (0..b.len()).map(of).collect()
}

/// The other way round.
pub fn by_row(b: &[f32], experts: usize, rank: usize) -> Vec<f32> {
    let rows = b.len() / (experts * rank);
    (0..b.len()).map(|i| b[i % experts * rows * rank + i / experts]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expert_is_the_fastest_index_of_b() {
        let (experts, rows, rank) = (3, 4, 2);
        let b: Vec<f32> = (0..24).map(|i| i as f32).collect();
        let sorted = by_expert(&b, experts, rank);
        let place = |expert: usize, row: usize, r: usize| sorted[(expert * rows + row) * rank + r];
        assert_eq!(place(2, 1, 1), b[(rank + 1) * experts + 2]);
        assert_eq!(place(0, 3, 0), b[3 * rank * experts]);
        assert_eq!(by_row(&sorted, experts, rank), b);
    }

    #[test]
    fn a_stack_has_the_rank_in_it_for_every_expert() {
        assert_eq!(shape("t", Side::A, [12, 7], 4).expect("a stack"), (3, [4, 7]));
        assert_eq!(shape("t", Side::B, [5, 12], 4).expect("a stack"), (3, [5, 4]));
        for side in [Side::A, Side::B] {
            let error = shape("t", side, [10, 10], 4).expect_err("no stack");
            assert!(error.to_string().contains("t has 10 rows or columns"), "{error}");
        }
        assert!(shape("t", Side::A, [0, 7], 4).is_err());
    }
}
