//! Launcher of `wgsl/matvec/matvec.wgsl`: y = W·x for one token, fused with the norm before and the activation
//! after it.

use super::prologue::MAX_SPLIT_WEIGHTS;
use super::{Epilogue, Form, HandoffForm, LowRank, Params, Prologue, ZSource};
use crate::{DType, Defines, PreprocessError, Source};

/// One permutation of the kernel.
///
/// Bindings: params, y, x and the matrices, then those of prologue, epilogue, low-rank update and handoff, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matvec {
    /// Columns of every matrix: the length of x.
    pub k: u32,
    /// Storage types: one to three for [`Epilogue::Store`], two for [`Epilogue::Geglu`], one for [`Epilogue::Ple`].
    pub dtypes: Vec<DType>,
    /// How x is computed.
    pub prologue: Prologue,
    /// What is done with the dot products.
    pub epilogue: Epilogue,
    /// The low-rank update of adapters.
    pub low_rank: LowRank,
    /// How the work is divided.
    pub form: Form,
}

impl Matvec {
    /// Longest x that the norm prologues can stage: 15 KiB of the 16 KiB of workgroup memory that every device has.
    pub const MAX_NORM_K: u32 = 3840;

    /// Rows per workgroup.
    pub fn rows_per_workgroup(&self) -> u32 {
        self.form.rows_per_workgroup()
    }

    /// vec4s of shared workgroup memory: the maximum of three uses that follow one another.
    fn workgroup_vec4s(&self) -> u32 {
        let partial = if self.epilogue.is_pair() { 2 } else { 1 } * self.form.threads();
        (self.prologue.tile(self.k) / 4).max(partial)
    }

    /// Returns the maximum number of attention splits that the merge prologue supports.
    pub fn max_splits(heads: u32) -> u32 {
        (MAX_SPLIT_WEIGHTS / heads.max(1)).max(1)
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(&self) -> u32 {
        let packed = if self.form.packed { self.prologue.tile(self.k) } else { 0 };
        let partial =
            if self.low_rank.z_source == ZSource::PartialSums { self.form.threads() * 16 } else { 0 };
        let made =
            if self.low_rank.handoff == HandoffForm::PartialSums { self.rows_per_workgroup() * 4 } else { 0 };
        self.workgroup_vec4s() * 16 + self.prologue.workgroup_bytes() + packed + partial + made
    }

    /// Returns whether there is a packed variant: all matrices are quantised, and the workgroup memory of every device
    /// suffices.
    pub fn can_be_packed(&self) -> bool {
        let packed = Self { form: self.form.packed(), ..self.clone() };
        self.dtypes.iter().all(|dtype| !dtype.is_float()) && packed.workgroup_bytes() <= 16_384
    }

    /// Returns the number of segments: matrices whose rows are computed one after the other, and the rows of U.
    fn segments(&self) -> usize {
        match self.epilogue {
            Epilogue::Store => self.dtypes.len() + usize::from(self.low_rank.handoff.is_ahead()),
            _ => 1,
        }
    }

    /// Returns the name of the permutation.
    pub fn name(&self) -> String {
        let types: Vec<_> = self.dtypes.iter().map(|d| d.name()).collect();
        let (prologue, epilogue) = (self.prologue.name(), self.epilogue.name());
        let (z_source, handoff) = self.low_rank.name();
        format!(
            "matvec_{}_k{}_{prologue}{z_source}_{epilogue}{handoff}_{}",
            types.join("_").to_lowercase(),
            self.k,
            self.form.name(),
        )
    }

    /// Workgroups for matrices of these numbers of rows, and the corresponding parameters. Planes, offsets and
    /// norms are the caller's to set. With [`HandoffForm::Ahead`] the rows of U come last.
    pub fn dispatch(&self, rows: &[u32]) -> (Params, [u32; 3]) {
        let mut params = Params { scale_at: u32::MAX, z_at: [u32::MAX; 3], ..Params::default() };
        let mut total = 0;
        let counts = rows.iter().copied().take(self.segments()).chain(std::iter::repeat(0));
        for ((place, group), count) in params.rows.iter_mut().zip(&mut params.groups).zip(counts) {
            *place = count;
            total += count.div_ceil(self.rows_per_workgroup());
            *group = total;
        }
        let grid = crate::grid(total);
        params.grid_width = grid[0];
        (params, grid)
    }

    /// Returns the kernel's text.
    pub(super) fn text(&self) -> Result<Source, PreprocessError> {
        let of_matrices = if self.epilogue == Epilogue::Store { self.dtypes.len() } else { 1 };
        let mut defines = Defines::new()
            .set("K", self.k)
            .set("TILE", self.prologue.tile(self.k))
            .set("MEM", self.workgroup_vec4s())
            .set("MATRICES", self.dtypes.len())
            .set("SHARED", of_matrices > 1)
            .set("THREE", of_matrices == 3)
            .set("LATER_SEGMENTS", self.segments() - 1);
        for (i, dtype) in self.dtypes.iter().enumerate() {
            defines = defines.set(&format!("DTYPE{i}"), dtype.name());
        }
        let defines = self.form.define(self.epilogue.define(self.prologue.define(defines)));
        let defines = self.low_rank.define(self.prologue, defines);
        Source::build::<Params>("matvec/matvec.wgsl", self.name(), &defines)
    }
}
