//! Steps for a few rows, a token or several that are verified together: products that read the weights once, and
//! attention that is split over the keys. [`layers`] is the plan made of them.

mod experts;
pub mod layers;

use shaders::attention::decode::{Kv, Params as AttentionParams};
use shaders::attention::few_rows::{FewRows as Attention, MergeRows};
use shaders::matmul::few_rows::Epilogue;
use shaders::matmul::{FewRows as Kernel, pack_rows};
use shaders::matvec;

use super::corrections::{Corrections, SiteCorrections};
use super::layer::{Heads, Mask, Site};
use super::scratch::{grouped_from, max_splits, min_split_keys, share_rows};
use super::{Class, Config, Parts, Tuning};
use crate::plan::{Amount, Grid, Limits, Plan, PlanError, Value};
use crate::weights::{Matrix, Part};

/// Returns whether a product of packed rows can bind what an update needs: nine storage buffers, where eight are guaranteed.
fn binds_update(limits: Limits) -> bool {
    limits.storage_buffers >= 9
}

/// Rows that a product reads or leaves.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// f32.
    Floats(&'a Value),
    /// Rounded to int8: codes and scales.
    Packed(&'a [Value; 2]),
}

impl<'a> Rows<'a> {
    /// What a kernel binds.
    pub fn values(self) -> &'a [Value] {
        match self {
            Self::Floats(value) => std::slice::from_ref(value),
            Self::Packed(values) => values,
        }
    }

    /// Returns whether they are rounded.
    pub fn is_packed(self) -> bool {
        matches!(self, Self::Packed(_))
    }
}

/// A product, or several of the same x in one dispatch.
pub struct Product<'a> {
    /// Quantised or floats, `[n, k]` each, of one k. Only a single one may be split over several buffers.
    pub matrices: &'a [&'a Matrix],
    /// What is done with the dot products.
    pub epilogue: Epilogue,
    /// `[rows, k]`. Packed ones only if [`FewRows::packs`] all matrices.
    pub x: Rows<'a>,
    /// `[rows, n]` of each matrix, or of their product if gated. Packed ones only if gated.
    pub y: Rows<'a>,
    /// Offset of the layer in the per-layer inputs, in elements.
    pub ple_at: u32,
    /// What adapters add to the dot products.
    pub update: Option<Update<'a>>,
}

impl<'a> Product<'a> {
    /// Products of the same rows in one dispatch; [`Kernel::MAX_ROWS`] rows of each matrix follow one another in `y`.
    pub fn store(matrices: &'a [&'a Matrix], x: Rows<'a>, y: &'a Value) -> Self {
        Self { matrices, epilogue: Epilogue::Store, x, y: Rows::Floats(y), ple_at: 0, update: None }
    }
}

/// The low-rank update of the products of a site: z is in the scratch of the corrections ([`FewRows::update`]).
#[derive(Clone, Copy)]
pub struct Update<'a> {
    all: &'a Corrections,
    layer: usize,
    site: &'a SiteCorrections,
}

/// Steps for up to `rows` rows.
#[derive(Clone, Copy)]
pub struct FewRows {
    /// Maximum number of rows.
    rows: u32,
    /// Whether single tokens run the fused plan, which computes z from unrounded rows. Rounds then do the same, to generate the
    /// tokens of plain decoding.
    fused: bool,
    tuning: Tuning,
}

impl FewRows {
    /// Steps for up to `rows` rows, at most [`Kernel::MAX_ROWS`]. Rows are packed where decode packs large products.
    pub fn new(config: &Config, rows: u32, tuning: Tuning) -> Self {
        // Forms are tried for single tokens.
        let tuning = if rows == 1 { tuning } else { tuning.with_usual_forms() };
        Self { rows, fused: tuning.is_fused(config), tuning }
    }

    /// Returns whether products with all these matrices take packed rows from the dispatch before; `corrected` ones need two more
    /// buffers.
    pub fn packs_at(self, limits: Limits, matrices: &[&Matrix], corrected: bool) -> bool {
        self.packs(matrices) && (!corrected || (binds_update(limits) && !self.fused))
    }

    /// A product, with what adapters add to it at a site. Rows that z needs unrounded are packed after it is computed.
    pub fn product_at(
        self,
        parts: &Parts,
        steps: &mut Plan,
        corrections: Option<&Corrections>,
        at: (usize, Site),
        product: Product<'_>,
    ) -> Result<(), PlanError> {
        let update = self.update(parts, steps, corrections, at, product.x)?;
        let mut product = Product { update, ..product };
        if let (Some(_), Rows::Floats(x)) = (update, product.x)
            && self.packs(product.matrices)
            && binds_update(parts.limits)
        {
            product.x = pack(parts, steps, x, product.matrices[0].k)?;
        }
        self.product(parts, steps, &product)
    }

    /// Returns whether products with all these matrices take packed rows.
    pub fn packs(self, matrices: &[&Matrix]) -> bool {
        self.tuning.packed.is_some() && matrices.iter().all(|matrix| !matrix.dtype.is_float())
    }

    /// A product.
    pub fn product(self, parts: &Parts, steps: &mut Plan, product: &Product<'_>) -> Result<(), PlanError> {
        let Product { matrices, epilogue, x, y, ple_at, update } = *product;
        let s = &parts.scratch;
        let dtypes: Vec<_> = matrices.iter().map(|matrix| matrix.dtype).collect();
        let mut kernel = Kernel::new(self.rows, &dtypes, matvec::Form::default());
        (kernel.epilogue, kernel.packs) = (epilogue, y.is_packed());
        kernel.quads = update.map_or(0, |update| update.all.rank() / 4);
        kernel.form = form(parts.limits, self.tuning, matrices, &kernel);
        if x.is_packed() {
            kernel.form = kernel.form.packed();
        }
        let mut push = |all: &[&Part], rows: Option<u32>| {
            let layouts: Vec<_> = all.iter().map(|part| &part.layout).collect();
            let (params, grid) = kernel.dispatch(&layouts);
            let params = params.with_ple(parts.config.ple * parts.config.layers.len() as u32, ple_at);
            let params = rows.map_or(params, |rows| params.part(all[0].row0, rows));
            let params = update.map_or(params, |Update { site, .. }| {
                params.with_correction(&site.correction, site.a.n, all[0].row0)
            });
            let mut operands: Vec<&Value> = all.iter().map(|part| &part.value).collect();
            operands.push(&s.state);
            operands.extend(x.values());
            operands.extend((epilogue == Epilogue::Ple).then_some(&s.ple));
            operands.extend(y.values());
            operands.extend(update.iter().flat_map(|of| [&of.all.z, &of.all.layers[of.layer].buffer]));
            steps.push(kernel.clone(), &params, &operands, Grid::Fixed(grid))?;
            steps.reading(Amount::Fixed(layouts.iter().map(|layout| layout.bytes()).sum()));
            Ok(())
        };
        match matrices {
            [matrix] => matrix.parts.iter().try_for_each(|part| push(&[part], Some(matrix.n))),
            _ => push(&matrices.iter().map(|matrix| matrix.whole()).collect::<Vec<_>>(), None),
        }
    }

    /// Pushes the dispatch that computes z = A·x of a site, if adapters correct anything there. Returns what its product
    /// then adds.
    fn update<'a>(
        self,
        parts: &Parts,
        steps: &mut Plan,
        corrections: Option<&'a Corrections>,
        (layer, site): (usize, Site),
        x: Rows<'_>,
    ) -> Result<Option<Update<'a>>, PlanError> {
        let corrected = corrections.and_then(|all| Some((all, all.at(layer, site)?)));
        let Some((all, site)) = corrected else { return Ok(None) };
        self.product(parts, steps, &Product::store(&[&site.a], x, &all.z))?;
        Ok(Some(Update { all, layer, site }))
    }

    /// Products of the f32 rows `x`, each in a dispatch of its own. Rows are packed first where products take them so.
    pub fn apart(
        self,
        parts: &Parts,
        steps: &mut Plan,
        x: &Value,
        products: &[(&Matrix, &Value)],
    ) -> Result<(), PlanError> {
        let packed = &parts.scratch.packed;
        if let Some((matrix, _)) = products.iter().find(|(matrix, _)| self.packs(&[matrix])) {
            pack(parts, steps, x, matrix.k)?;
        }
        for &(matrix, y) in products {
            let x = if self.packs(&[matrix]) { Rows::Packed(packed) } else { Rows::Floats(x) };
            self.product(parts, steps, &Product::store(&[matrix], x, y))?;
        }
        Ok(())
    }

    /// Attention of layer `i`, whose keys and values are in the cache. Queries are finished if the layer has a cache of
    /// its own. It leaves its result in `out`.
    pub fn attention(
        self,
        parts: &Parts,
        steps: &mut Plan,
        (i, heads, mask): (usize, &Heads, Mask),
        out: Rows<'_>,
    ) -> Result<(), PlanError> {
        let (s, config) = (&parts.scratch, &parts.config);
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let window = mask.window;
        let rope = parts.rope(layer.attention);
        let most = max_splits(parts.limits, config.heads, window);
        let rows =
            if share_rows(parts.limits, config.heads, most) { Attention::block_rows(self.rows) } else { 1 };
        let params = AttentionParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window,
            ring: cache.ring,
            q_norm: heads.q_norm.at,
            min_split_keys: min_split_keys(parts.limits),
            max_splits: Attention::max_splits(rows, window, most),
            grouped_from: grouped_from(parts.limits, config.heads, window),
            block_rows: rows,
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            ..AttentionParams::default()
        };
        let finished = heads.kv != Kv::Shared;
        let kernel = Attention {
            head_dim: layer.head_dim,
            kv_type: parts.kv_type,
            finished,
            rows,
            group: Attention::group(rows, parts.query_group(i, false)),
        };
        let mut operands = vec![&s.parts_of_rows, &s.state, &s.q];
        if !finished {
            operands.extend([&parts.weights.vectors, &rope.table]);
        }
        operands.extend([&cache.k, &cache.v]);
        let grid = move |rows| Attention::dispatch(&params, rows);
        steps.push_rows(kernel, &params, &operands, grid)?;
        steps.reading(Amount::Visible { each: 2 * cache.slot_bytes, window });
        merge(parts, steps, (layer.head_dim, &params), &s.parts_of_rows, out)
    }
}

/// Rounds rows of `k` elements to int8.
fn pack<'a>(parts: &'a Parts, steps: &mut Plan, x: &Value, k: u32) -> Result<Rows<'a>, PlanError> {
    let params = pack_rows::Params::new(k);
    let [codes, scales] = &parts.scratch.packed;
    let buffers = [&parts.scratch.state, x, codes, scales];
    steps.push_rows(pack_rows::PackRows, &params, &buffers, move |rows| params.dispatch(rows))?;
    Ok(Rows::Packed(&parts.scratch.packed))
}

/// Merges the partial results of attention in `part`.
pub fn merge(
    parts: &Parts,
    steps: &mut Plan,
    (head_dim, params): (u32, &AttentionParams),
    part: &Value,
    out: Rows<'_>,
) -> Result<(), PlanError> {
    let mut operands = vec![&parts.scratch.state, part];
    operands.extend(out.values());
    let (kernel, grid_params) = (MergeRows { head_dim, packed: out.is_packed() }, *params);
    steps.push_rows(kernel, params, &operands, move |rows| kernel.dispatch(&grid_params, rows))
}

/// Returns the form of a product: the usual one of its class, or one that is faster on this device. A pair
/// reads two rows for each column of the result, so it has half as many; a workgroup packs whole units of 16 columns.
fn form(limits: Limits, tuning: Tuning, matrices: &[&Matrix], kernel: &Kernel) -> matvec::Form {
    let (k, n) = (matrices[0].k, matrices.iter().map(|matrix| matrix.n).sum());
    // With several rows a lane has more to do for each block, so fewer lanes are enough.
    let is_few = (2..=4).contains(&kernel.rows);
    match (kernel.epilogue, n) {
        (Epilogue::Geglu, _) if kernel.packs && is_few => matvec::Form::new(1, 16, 1).with_lanes(16),
        (Epilogue::Geglu, _) if kernel.packs && kernel.rows > 1 => matvec::Form::new(2, 8, 1).with_lanes(16),
        (Epilogue::Geglu, _) if kernel.packs => tuning.form(Class::Gated, false),
        _ if kernel.packs => matvec::Form::new(2, 8, 1),
        (Epilogue::Geglu, ..) if limits.software => matvec::Form::new(2, 2, 1),
        (Epilogue::Geglu, ..) => matvec::Form::new(2, 4, 1),
        _ if limits.software && tuning.has_usual_forms() => matvec::Form::new(4, 2, 1),
        // A router: a workgroup for each row.
        (_, ..=256) => matvec::Form::new(1, 4, 4),
        _ => match Class::of(n, k) {
            Class::Large if is_few && !limits.software => matvec::Form::new(2, 4, 1).with_lanes(16),
            class => tuning.form(class, false),
        },
    }
}
