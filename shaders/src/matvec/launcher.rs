//! Launcher of `wgsl/matvec/matvec.wgsl`: y = W·x for one token, fused with the norm before and the activation after.

use bytemuck::{Pod, Zeroable};

use super::{Adapted, Correction, Leaves, Leavings, Takes};
use crate::{Binding, DType, Defines, Planes, PreprocessError, Source};

/// Where x comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prologue {
    /// x is the input.
    Plain,
    /// x = rms(in; w2).
    Norm,
    /// h' = (in + rms(branch; w1))·s is written out; x = rms(h'; w2), or h' itself.
    Add {
        /// Whether x is the norm of h'.
        norm: bool,
        /// Whether the branch is the sum of two, each with a norm of its own: a dense one and that of the experts,
        /// one after the other in its buffer.
        mix: bool,
    },
    /// x is merged from the partial results of `attention/decode.wgsl`.
    Merge,
}

/// What becomes of the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epilogue {
    /// y = W·x, for one to three matrices that share x.
    Store,
    /// y = gelu_tanh(W0·x)·(W1·x).
    Geglu,
    /// y = gelu_tanh(W·x)·ple.
    Ple,
    /// z of adapters: y = W·x, each row times the scale of its adapter.
    Shrink {
        /// Whether x is written out, so that the product with the weights needs no prologue.
        keep: bool,
    },
}

/// How the work is cut. Any form gives the same result up to rounding, which is that of f32, and where it is packed that
/// of x to eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Rows a group of 32 lanes owns: 1, 2 or 4.
    pub rows: u32,
    /// Groups of 32 lanes in a workgroup: 1, 2, 4 or 8.
    pub groups: u32,
    /// Groups that share their rows and split the columns: a divisor of `groups`.
    pub ksplit: u32,
    /// Whether x is rounded to signed bytes, 16 elements with a scale of their own, and products are of integers. For
    /// quantised matrices only.
    pub packed: bool,
}

impl Form {
    /// A form that multiplies floats.
    #[must_use]
    pub const fn new(rows: u32, groups: u32, ksplit: u32) -> Self {
        Self { rows, groups, ksplit, packed: false }
    }

    /// The same with packed products.
    #[must_use]
    pub const fn packed(self) -> Self {
        Self { packed: true, ..self }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::new(2, 4, 1)
    }
}

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

/// Offsets into the layer's vectors, in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norms {
    /// Weights of the branch's norm.
    pub branch: u32,
    /// Weights of the norm that makes x.
    pub input: u32,
    /// The scalar s, if there is one.
    pub scale: Option<u32>,
    /// ε of every norm.
    pub eps: f32,
}

/// How `attention/decode.wgsl` cut the keys; see `wgsl/shared/splits.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Elements of a head.
    pub head_dim: u32,
    /// Most splits.
    pub most: u32,
    /// Smallest run of keys.
    pub smallest: u32,
    /// Visible keys; 0 for all.
    pub window: u32,
}

/// The uniform at binding 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Params {
    /// Planes of each matrix.
    pub planes: [Planes; 3],
    /// Rows of each matrix.
    pub rows: [u32; 3],
    /// Width of the grid in workgroups.
    pub grid_width: u32,
    /// Workgroups up to and with each matrix.
    pub groups: [u32; 3],
    /// Where x begins in its buffer, in elements; a multiple of 4.
    pub x_offset: u32,
    /// Where the results of each matrix begin in y.
    pub out: [u32; 3],
    /// Where this layer begins in the per-layer inputs.
    pub ple: u32,
    /// See [`Norms`]; the last is unused.
    pub norm: [u32; 4],
    /// See [`Merge`].
    pub merge: [u32; 4],
    /// See [`Correction`]: where each matrix's part of z begins, and the rank, in vec4s.
    pub z_at: [u32; 4],
    /// Where each matrix's rows of B begin, in vec4s; the last is unused.
    pub b_at: [u32; 4],
    /// See [`Leavings`].
    pub leavings: [u32; 4],
    /// ε of every norm.
    pub eps: f32,
    /// Weights of the norms of a mixed branch: the dense part's, the experts'.
    pub mix: [u32; 2],
    /// Unused.
    pub pad: u32,
}

/// Heads times splits that the merging prologue has room to weigh: 32 heads of 32 splits.
const MAX_SPLIT_WEIGHTS: u32 = 1024;

/// Partial results for adapters that an invocation reads at once: at rank 16 those of 768 workgroups. Behind attention it
/// reads one, since more was slower (`MEASUREMENTS.md`).
const EARLY: u32 = 12;

/// Elements of x staged at a time where the prologue does not need all of them.
const TILE: u32 = 2048;

impl Matvec {
    /// Longest x that the norm prologues can stage: 15 KiB of the 16 KiB that every device has.
    pub const MAX_NORM_K: u32 = 3840;

    /// Rows a workgroup makes.
    #[must_use]
    pub fn rows_per_workgroup(&self) -> u32 {
        self.form.groups / self.form.ksplit * self.form.rows
    }

    fn tile(&self) -> u32 {
        match self.prologue {
            Prologue::Plain | Prologue::Merge => self.k.min(TILE),
            Prologue::Norm | Prologue::Add { .. } => self.k,
        }
    }

    /// vec4s of workgroup memory: the largest of the three uses, which follow one another.
    fn workgroup_vec4s(&self) -> u32 {
        let threads = self.form.groups * 32;
        let partial = if self.epilogue == Epilogue::Geglu { 2 * threads } else { threads };
        (self.tile() / 4).max(partial)
    }

    /// Most splits of attention that the merging prologue has room for.
    #[must_use]
    pub fn most_splits(heads: u32) -> u32 {
        (MAX_SPLIT_WEIGHTS / heads.max(1)).max(1)
    }

    /// Bytes of workgroup memory.
    #[must_use]
    pub fn workgroup_bytes(&self) -> u32 {
        let weights = if self.prologue == Prologue::Merge { MAX_SPLIT_WEIGHTS * 4 } else { 0 };
        let packed = if self.form.packed { self.tile() } else { 0 };
        let partial = if self.adapted.takes == Takes::Partial { self.form.groups * 32 * 16 } else { 0 };
        let made = if self.adapted.leaves == Leaves::Partial { self.rows_per_workgroup() * 4 } else { 0 };
        self.workgroup_vec4s() * 16 + weights + packed + partial + made
    }

    /// Whether there is a packed form: all matrices are quantised, and every device has the workgroup memory.
    #[must_use]
    pub fn can_be_packed(&self) -> bool {
        let packed = Self { form: self.form.packed(), ..self.clone() };
        self.dtypes.iter().all(|dtype| !dtype.is_float()) && packed.workgroup_bytes() <= 16_384
    }

    /// A name that is unique among all permutations.
    #[must_use]
    pub fn name(&self) -> String {
        let types: Vec<_> = self.dtypes.iter().map(|d| d.name()).collect();
        let prologue = match self.prologue {
            Prologue::Plain => "plain",
            Prologue::Norm => "norm",
            Prologue::Add { norm: true, mix: false } => "add_norm",
            Prologue::Add { norm: false, mix: false } => "add",
            Prologue::Add { norm: true, mix: true } => "mix_norm",
            Prologue::Add { norm: false, mix: true } => "mix",
            Prologue::Merge => "merge",
        };
        let takes = match self.adapted.takes {
            Takes::Nothing => "",
            Takes::Z => "_z",
            Takes::Partial => "_partial",
            Takes::Ahead => "_ahead",
        };
        let leaves = match self.adapted.leaves {
            Leaves::Nothing => String::new(),
            Leaves::Partial => "_for_partial".to_owned(),
            Leaves::Ahead { stream } => format!("_for_ahead{stream}"),
        };
        let epilogue = match self.epilogue {
            Epilogue::Store => "store",
            Epilogue::Geglu => "geglu",
            Epilogue::Ple => "ple",
            Epilogue::Shrink { keep: false } => "shrink",
            Epilogue::Shrink { keep: true } => "shrink_keep",
        };
        let rank =
            if self.adapted.is_bound() { format!("_a{}", 4 * self.adapted.quads) } else { String::new() };
        let Form { rows, groups, ksplit, packed } = self.form;
        let packed = if packed { "p" } else { "" };
        format!(
            "matvec_{}_k{}_{prologue}{takes}_{epilogue}{leaves}{rank}_r{rows}g{groups}s{ksplit}{packed}",
            types.join("_").to_lowercase(),
            self.k
        )
    }

    /// The shader. Bindings: params, y, x, the matrices, then as the prologue and epilogue need: vectors, branch,
    /// h_out; state; ple; scales, x_out; the buffer of adapters; z; the stream.
    ///
    /// # Errors
    /// A fault of the template.
    pub fn source(&self) -> Result<Source, PreprocessError> {
        let mut bindings = vec![Binding::Uniform, Binding::ReadWrite, Binding::Read];
        bindings.extend(self.dtypes.iter().map(|_| Binding::Read));
        let mut defines = Defines::new()
            .set("K", self.k)
            .set("TILE", self.tile())
            .set("MEM", self.workgroup_vec4s())
            .set("WEIGHTS", MAX_SPLIT_WEIGHTS)
            .set("ROWS", self.form.rows)
            .set("GROUPS", self.form.groups)
            .set("KSPLIT", self.form.ksplit)
            .set("THREADS", self.form.groups * 32)
            .set("SEGS", if self.epilogue == Epilogue::Store { self.dtypes.len() } else { 1 })
            .set("PACKED", self.form.packed)
            .set("DOT", if self.form.packed { "dot_packed" } else { "dot" })
            .set("PAIR", u32::from(self.epilogue == Epilogue::Geglu))
            .set("KEEP", u32::from(self.epilogue == Epilogue::Shrink { keep: true }))
            .set("NORM2", matches!(self.prologue, Prologue::Add { norm: true, .. }))
            .set("MIX", matches!(self.prologue, Prologue::Add { mix: true, .. }))
            .set("TAKES", self.adapted.takes as u32)
            .set("EARLY", if self.prologue == Prologue::Merge { 1 } else { EARLY });
        for (i, dtype) in self.dtypes.iter().enumerate() {
            defines = defines.set(&format!("DTYPE{i}"), dtype.name());
        }
        let mut bind = |defines: Defines, name: &str, kind: Binding| {
            bindings.push(kind);
            defines.set(name, bindings.len() - 1)
        };
        defines = match self.prologue {
            Prologue::Plain => defines.set("PROLOGUE", 0),
            Prologue::Norm => bind(defines.set("PROLOGUE", 1), "B_VECTORS", Binding::Read),
            Prologue::Add { .. } => {
                let defines = bind(defines.set("PROLOGUE", 2), "B_VECTORS", Binding::Read);
                let defines = bind(defines, "B_BRANCH", Binding::Read);
                bind(defines, "B_H_OUT", Binding::ReadWrite)
            }
            Prologue::Merge => bind(defines.set("PROLOGUE", 3), "B_STATE", Binding::Read),
        };
        defines = match self.epilogue {
            Epilogue::Store => defines.set("EPILOGUE", 0),
            Epilogue::Geglu => defines.set("EPILOGUE", 1),
            Epilogue::Ple => bind(defines.set("EPILOGUE", 2), "B_PLE", Binding::Read),
            Epilogue::Shrink { keep } => {
                let defines = bind(defines.set("EPILOGUE", 3), "B_SCALES", Binding::Read);
                if keep { bind(defines, "B_X_OUT", Binding::ReadWrite) } else { defines }
            }
        };
        if self.adapted.is_bound() {
            defines = bind(defines.set("QUADS", self.adapted.quads), "B_ADAPTER", Binding::Read);
        }
        if self.adapted.takes == Takes::Z {
            defines = bind(defines, "B_Z", Binding::Read);
        }
        defines = match self.adapted.leaves {
            Leaves::Nothing => defines.set("LEAVES", 0),
            Leaves::Ahead { stream } => {
                bind(defines.set("LEAVES", 1).set("STREAM", stream), "B_STREAM", Binding::Read)
            }
            Leaves::Partial => defines.set("LEAVES", 2),
        };
        Source::build("matvec/matvec.wgsl", self.name(), &defines, bindings)
    }

    /// Workgroups for matrices of these rows, and the parameters that say so. Planes, offsets and norms are the
    /// caller's to fill in. With [`Leaves::Ahead`] the rows of U come last.
    #[must_use]
    pub fn dispatch(&self, rows: &[u32]) -> (Params, [u32; 3]) {
        let none = [u32::MAX, u32::MAX, u32::MAX, 0];
        let mut params = Params { norm: [0, 0, u32::MAX, 0], z_at: none, ..Params::default() };
        let mut total = 0;
        let is_ahead = matches!(self.adapted.leaves, Leaves::Ahead { .. });
        let segments = match self.epilogue {
            Epilogue::Store => self.dtypes.len() + usize::from(is_ahead),
            _ => 1,
        };
        let counts = rows.iter().copied().take(segments).chain(std::iter::repeat(0));
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

impl Params {
    /// Sets the norms of the prologue.
    #[must_use]
    pub fn with_norms(mut self, norms: Norms) -> Self {
        self.norm = [norms.branch, norms.input, norms.scale.unwrap_or(u32::MAX), 0];
        self.eps = norms.eps;
        self
    }

    /// Sets where the correction of adapters lies.
    #[must_use]
    pub fn with_correction(mut self, correction: &Correction) -> Self {
        for (i, place) in correction.places.iter().enumerate() {
            self.z_at[i] = place.map_or(u32::MAX, |(z, _)| z / 4);
            self.b_at[i] = place.map_or(0, |(_, b)| b / 4);
        }
        self.z_at[3] = correction.rank / 4;
        self
    }

    /// Sets where what is taken and left lies.
    #[must_use]
    pub fn with_leavings(mut self, takes: Takes, leavings: Leavings) -> Self {
        let Leavings { taken_at, taken, left_at, made_with } = leavings;
        let taken = if takes == Takes::Ahead { taken / 4 } else { taken };
        self.leavings = [taken_at / 4, taken, left_at / 4, made_with / 4];
        self
    }

    /// Sets how the attention was cut.
    #[must_use]
    pub fn with_merge(mut self, merge: Merge) -> Self {
        self.merge = [merge.head_dim, merge.most, merge.smallest, merge.window];
        self
    }
}

/// How the product with the stacked A of adapters is cut: few rows, so as many lanes to a row as have something to do.
#[must_use]
pub fn shrink_form(k: u32) -> Form {
    let ksplit = (k / (16 * 32 * 3)).next_power_of_two().clamp(1, 8);
    Form::new(1, ksplit.max(4), ksplit)
}
