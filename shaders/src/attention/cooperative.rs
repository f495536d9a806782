//! Launcher of `wgsl/attention/cooperative.wgsl`: attention of a chunk by the matrix units of the device. Its CPU twin is
//! [`block`](super::block::block), for queries, keys and values rounded to halves.

use super::block::{Block, Chunk};
use super::{KvType, block::Params, split};
use crate::case::{Arg, Case, CaseError, Expected};
use crate::matrix_units::Dialect;
use crate::{Defines, Kernel, PreprocessError, Source};

/// One permutation of the kernel.
///
/// Bindings: params, state, q, k cache, v cache, out, part, and with `until` visible_until.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cooperative {
    /// Elements per head: see [`Cooperative::supports`].
    pub head_dim: u32,
    /// How the cache stores keys and values: see [`Cooperative::supports`].
    pub kv_type: KvType,
    /// Whether a query may attend to later keys (`visible_until`).
    pub until: bool,
}

/// Keys per step. Caches have space for a multiple of so many slots.
pub const KEYS: u32 = 32;

impl Cooperative {
    /// Returns whether the kernel supports this head size and cache. Matrices have halves, so an f32 cache would be rounded.
    pub const fn supports(head_dim: u32, kv_type: KvType) -> bool {
        matches!(head_dim, 64 | 128 | 192 | 256 | 512) && !matches!(kv_type, KvType::F32)
    }

    /// Parts of a head whose products with keys are computed by different subgroups.
    const fn halves(self) -> u32 {
        self.head_dim.div_ceil(256)
    }

    /// Rows (queries × heads that share a key–value head) per workgroup.
    const fn rows(self) -> u32 {
        64 / self.halves()
    }

    /// Parts of the dimensions that are summed by different subgroups.
    const fn parts(self) -> u32 {
        2 * self.halves()
    }

    /// Workgroup memory, in bytes.
    pub const fn memory(self) -> u32 {
        let staged = 2 * KEYS * (self.head_dim + 8 * self.parts());
        staged + 4 * 64 * 36 + 2 * self.rows() * 40 + 4 * self.rows() + 32
    }

    /// In how many rounds q is staged.
    const fn rounds(self) -> u32 {
        2 / self.halves()
    }

    fn in_dialect(self, dialect: Dialect) -> Result<Source, PreprocessError> {
        let columns = self.head_dim / self.parts();
        let defines = Defines::new()
            .set("DIALECT", dialect.name())
            .set("KV_TYPE", self.kv_type.define())
            .set("UNTIL", self.until)
            .set("HALVED", self.halves() == 2)
            .set("ROWS", self.rows())
            .set("QUADS", self.head_dim / 4)
            .set("COLUMNS", columns)
            .set("SUMS", columns / 16)
            .set("Q_ROUNDS", self.rounds())
            .set("Q_TILES", self.head_dim / self.halves() / self.rounds() / 16)
            .set("LOADS", self.head_dim / 64)
            .set("SHARE", KEYS * self.rows() / 256);
        let defines = split::define(defines, self.head_dim);
        let until = if self.until { "_until" } else { "" };
        let stored = if self.kv_type == KvType::F16 { "" } else { "_q8_0" };
        let name = format!("attention_cooperative_h{}{stored}{until}", self.head_dim);
        Source::build::<Params>("attention/cooperative.wgsl", name, &defines)
    }

    /// Workgroups for a chunk of `positions`, for all key–value heads from `first_head` on.
    pub const fn dispatch(self, params: &Params, positions: u32) -> [u32; 3] {
        let group = params.heads / params.kv_heads;
        let splits = split::splits(params, positions);
        [(positions * group).div_ceil(self.rows()), params.kv_heads - params.first_head, splits]
    }
}

impl Kernel for Cooperative {
    fn source(&self) -> Result<Source, PreprocessError> {
        self.in_dialect(Dialect::HERE)
    }

    /// 77 tokens after 150 others, with a window, in a ring.
    fn case(&self) -> Result<Case, CaseError> {
        let case = Chunk { pos: 150, len: 77, window: 90, ring: 192 };
        let rounded = |v: f32| half::f16::from_f32(v).to_f32();
        let q: Vec<f32> = case.queries(self.head_dim).into_iter().map(rounded).collect();
        let twin = Block { head_dim: self.head_dim, kv_type: self.kv_type, until: self.until };
        let (mut args, want) = case.of(&twin, &q, rounded);
        args.insert(6, Arg::zeros(1));
        let grid = self.dispatch(&case.params(), case.len);
        Ok(Case { args, grid, expected: vec![Expected::new(5, want, 4e-3)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_units::{WORKGROUP_MEMORY, tests::places};

    const ALL: [u32; 5] = [64, 128, 192, 256, 512];
    const CACHES: [KvType; 2] = [KvType::F16, KvType::Q8_0];

    #[test]
    fn forms_keep_to_what_is_asked_of_the_device() {
        for (head_dim, kv_type) in ALL.into_iter().flat_map(|hd| CACHES.map(|kv_type| (hd, kv_type))) {
            let form = Cooperative { head_dim, kv_type, until: false };
            assert!(
                Cooperative::supports(head_dim, kv_type) && form.memory() <= WORKGROUP_MEMORY,
                "{head_dim}"
            );
        }
    }

    #[test]
    fn a_dialect_has_no_word_of_the_other() {
        for kv_type in CACHES {
            let text = |dialect| {
                let form = Cooperative { head_dim: 256, kv_type, until: true };
                form.in_dialect(dialect).expect("the template expands").wgsl.to_string()
            };
            let (wgpu, chromium) = (text(Dialect::Wgpu), text(Dialect::Chromium));
            assert!(wgpu.contains("coopMultiplyAdd") && !wgpu.to_lowercase().contains("subgroup_matrix"));
            assert!(chromium.contains("subgroupMatrixMultiplyAccumulate") && !chromium.contains("coop"));
            let kernel = |text: &str| text.split_once("@compute").map(|(_, kernel)| kernel.to_owned());
            assert_eq!(kernel(&wgpu), kernel(&chromium));
            // Sums that are scaled anew are loaded seldom.
            assert_eq!(places(&chromium), (8 + 2 * 8 + 2 * (8 + 1), vec!["at"]));
        }
    }
}
