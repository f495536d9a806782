//! `wgsl/experts/locate.wgsl`: finds the chosen experts in the expert cache.

use super::case::{LEN, made_up};
use super::{Choice, Mixture};
use crate::case::{Arg, Case, CaseError, Expected, args};
use crate::{Kernel, PreprocessError, Source};

/// The slot of an expert that is not in the cache.
pub const NONE: u32 = u32::MAX;
/// Maximum number of rows of a step that ends if an expert is missing.
pub const MAX_ROWS: u32 = 8;

/// The kernel, for up to [`MAX_ROWS`] rows, whose step ends if an expert is missing, or for any number of rows.
/// Bindings: params, state, slots, choices, located; for a few rows, record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locate {
    /// The mixture.
    pub mixture: Mixture,
    /// Whether it is for a few rows.
    pub few_rows: bool,
}

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// The layer.
        pub layer: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

/// Words of the record in front of the number of uses: the layer that missed plus 1, and the experts of a few rows.
pub const fn record_header(mixture: Mixture) -> u32 {
    1 + MAX_ROWS * mixture.used
}

/// Workgroups for `rows` rows.
pub const fn dispatch(mixture: Mixture, few_rows: bool, rows: u32) -> [u32; 3] {
    [if few_rows { 1 } else { (rows * mixture.used).div_ceil(64) }, 1, 1]
}

/// CPU twin: the choices with slots instead of experts. `slots` are those of the layer.
pub fn locate(slots: &[u32], choices: &[Choice]) -> Vec<Choice> {
    choices.iter().map(|choice| Choice { expert: slots[choice.expert as usize], ..*choice }).collect()
}

impl Kernel for Locate {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self { mixture, few_rows } = *self;
        let suffix = if few_rows { "_few" } else { "" };
        let name = format!("experts_locate_{}{suffix}", mixture.name());
        let defines = mixture.defines().set("FEW_ROWS", few_rows).set("MAX_ROWS", MAX_ROWS);
        Source::build::<Params>("experts/locate.wgsl", name, &defines)
    }

    /// Chosen experts in the cache: every other one is there. A few rows have only such experts, whose uses are counted.
    fn case(&self) -> Result<Case, CaseError> {
        let Self { mixture, few_rows } = *self;
        let rows = if few_rows { LEN.min(MAX_ROWS) } else { LEN };
        let layer = 1;
        let slots: Vec<u32> = (0..2 * mixture.experts)
            .map(|i| if few_rows || i % 2 == 0 { (i * 7) % mixture.experts } else { NONE })
            .collect();
        let chosen = made_up(mixture, rows);
        let located = locate(&slots[mixture.experts as usize..], &chosen);
        let params = Params { layer, ..Default::default() };
        let mut args =
            args![uniform(&params), state(0, rows), words(&slots), words(&chosen), zeros(2 * chosen.len())];
        let mut expected = vec![Expected::words(4, bytemuck::cast_slice(&located))];
        if few_rows {
            let mut record = vec![0];
            record.extend(chosen.iter().map(|choice| choice.expert));
            record.resize(record_header(mixture) as usize, 0);
            let counts = record.len() + (layer * mixture.experts) as usize;
            record.resize(counts + mixture.experts as usize, 0);
            chosen.iter().for_each(|choice| record[counts + choice.expert as usize] += 1);
            args.push(Arg::zeros(record.len()));
            expected.push(Expected::words(5, &record));
        }
        let grid = dispatch(mixture, few_rows, rows);
        Ok(Case { args, grid, expected })
    }
}
