//! Launcher of `wgsl/matvec/matvec.wgsl`: y = W·x for one token, fused with the norm before and the activation after.

use super::prologue::MAX_SPLIT_WEIGHTS;
use super::{Adapted, Epilogue, Form, HandoffForm, Params, Prologue, ZSource};
use crate::{DType, Defines, PreprocessError, Source};

/// One permutation of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Matvec {
    /// Columns of every matrix: the length of x.
    pub k: u32,
    /// Storage types: one to three for [`Epilogue::Store`], two for [`Epilogue::Geglu`], one for [`Epilogue::Ple`].
    pub dtypes: Vec<DType>,
    /// Where x comes from.
    pub prologue: Prologue,
    /// What becomes of the products.
    pub epilogue: Epilogue,
    /// What adapters have to do with it.
    pub adapted: Adapted,
    /// How the work is cut.
    pub form: Form,
}

impl Matvec {
    /// Longest x that the norm prologues can stage: 15 KiB of the 16 KiB that every device has.
    pub const MAX_NORM_K: u32 = 3840;

    /// Rows a workgroup makes.
    #[must_use]
    pub fn rows_per_workgroup(&self) -> u32 {
        self.form.groups / self.form.ksplit * self.form.rows
    }

    /// vec4s of workgroup memory: the largest of the three uses, which follow one another.
    fn workgroup_vec4s(&self) -> u32 {
        let partial = if self.epilogue.is_pair() { 2 } else { 1 } * self.form.threads();
        (self.prologue.tile(self.k) / 4).max(partial)
    }

    /// Most splits of attention that the merging prologue has room for.
    #[must_use]
    pub fn most_splits(heads: u32) -> u32 {
        (MAX_SPLIT_WEIGHTS / heads.max(1)).max(1)
    }

    /// Bytes of workgroup memory.
    #[must_use]
    pub fn workgroup_bytes(&self) -> u32 {
        let packed = if self.form.packed { self.prologue.tile(self.k) } else { 0 };
        let partial =
            if self.adapted.z_source == ZSource::PartialSums { self.form.threads() * 16 } else { 0 };
        let made =
            if self.adapted.handoff == HandoffForm::PartialSums { self.rows_per_workgroup() * 4 } else { 0 };
        self.workgroup_vec4s() * 16 + self.prologue.workgroup_bytes() + packed + partial + made
    }

    /// Whether there is a packed form: all matrices are quantised, and every device has the workgroup memory.
    #[must_use]
    pub fn can_be_packed(&self) -> bool {
        let packed = Self { form: self.form.packed(), ..self.clone() };
        self.dtypes.iter().all(|dtype| !dtype.is_float()) && packed.workgroup_bytes() <= 16_384
    }

    /// Segments: matrices whose rows follow one another, and the rows of U.
    fn segments(&self) -> usize {
        match self.epilogue {
            Epilogue::Store => self.dtypes.len() + usize::from(self.adapted.handoff.is_ahead()),
            _ => 1,
        }
    }

    /// A name that says what it is.
    #[must_use]
    pub fn name(&self) -> String {
        let types: Vec<_> = self.dtypes.iter().map(|d| d.name()).collect();
        let (prologue, epilogue) = (self.prologue.name(), self.epilogue.name());
        let (z_source, handoff) = self.adapted.name();
        let Form { rows, groups, ksplit, packed } = self.form;
        format!(
            "matvec_{}_k{}_{prologue}{z_source}_{epilogue}{handoff}_r{rows}g{groups}s{ksplit}{}",
            types.join("_").to_lowercase(),
            self.k,
            if packed { "p" } else { "" },
        )
    }

    /// The shader. It binds params, y, x and the matrices, then what prologue, epilogue, correction and handoff declare, in
    /// this order.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn source(&self) -> Result<Source, PreprocessError> {
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
        let defines = self.adapted.define(self.prologue, defines);
        Source::build::<Params>("matvec/matvec.wgsl", self.name(), &defines)
    }

    /// Workgroups for matrices of these rows, and the parameters that say so. Planes, offsets and norms are the
    /// caller's to fill in. With [`HandoffForm::Ahead`] the rows of U come last.
    #[must_use]
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
}
