//! The fused products of decode, with adapters.

use shaders::matvec::{
    Correction, Epilogue, HandoffForm, HandoffPlaces, LowRank, Matvec, Merge, Norms, Params, Prologue,
    ZSource, shrink_form,
};

use super::Builder;
use crate::model::corrections::{Ahead, Corrections, SiteCorrections, UpdateSource};
use crate::model::layer::Site;
use crate::model::tuning::matvec_form;
use crate::plan::{Amount, Grid, PlanError, Value};
use crate::weights::Matrix;

/// One product.
pub struct Product<'m> {
    pub matrices: Vec<&'m Matrix>,
    pub epilogue: Epilogue,
    /// Offset of each matrix's results in y.
    pub out: [u32; 3],
    /// Offset of this layer's row in the per-layer inputs.
    pub ple: u32,
    /// The layer and site where adapters may correct it.
    pub site: Option<(usize, Site)>,
    /// The stream that its result will be added to, before the addition.
    pub stream: Option<&'m Value>,
}

impl<'m> Product<'m> {
    pub fn store(matrices: Vec<&'m Matrix>) -> Self {
        let mut out = [0; 3];
        let mut next = 0;
        for (place, matrix) in out.iter_mut().zip(&matrices) {
            *place = next;
            next += matrix.n;
        }
        Self { matrices, epilogue: Epilogue::Store, out, ple: 0, site: None, stream: None }
    }

    pub fn at(self, layer: usize, site: Site) -> Self {
        Self { site: Some((layer, site)), ..self }
    }

    /// For a branch that will be added to this stream.
    pub fn onto(self, stream: &'m Value) -> Self {
        Self { stream: Some(stream), ..self }
    }
}

/// How the x of a product is computed.
pub struct Input<'b> {
    pub prologue: Prologue,
    pub x: &'b Value,
    /// The bindings of the prologue.
    pub tail: Vec<&'b Value>,
    pub norms: Option<Norms>,
    pub merge: Option<Merge>,
    /// Data for the adapters on the product, from the dispatch that computed x or the branch.
    pub handoff: Option<Handoff>,
}

impl<'b> Input<'b> {
    /// x as it is.
    pub fn plain(x: &'b Value) -> Self {
        Self { prologue: Prologue::Plain, x, tail: Vec::new(), norms: None, merge: None, handoff: None }
    }
}

/// Data that a dispatch stored after its result for the adapters on the next product.
#[derive(Clone, Copy)]
pub struct Handoff {
    /// Offset in its buffer, in elements.
    pub at: u32,
    /// See [`HandoffPlaces::input_count`].
    pub count: u32,
}

/// The low-rank part of a product: kernel variant, parameters and bindings.
struct ForAdapters<'b> {
    low_rank: LowRank,
    correction: Correction,
    handoff_at: HandoffPlaces,
    buffers: Vec<&'b Value>,
}

impl<'a> Builder<'a> {
    pub fn kernel(&self, product: &Product<'_>, prologue: Prologue, low_rank: LowRank) -> Matvec {
        let rows = if product.epilogue == Epilogue::Geglu {
            2 * product.matrices[0].n
        } else {
            product.matrices.iter().map(|m| m.n).sum()
        };
        let mut kernel = Matvec {
            k: product.matrices[0].k,
            dtypes: product.matrices.iter().map(|m| m.dtype).collect(),
            prologue,
            epilogue: product.epilogue,
            low_rank,
            form: shaders::matvec::Form::default(),
        };
        kernel.form = match product.epilogue {
            Epilogue::Shrink { .. } => shrink_form(kernel.k),
            _ => matvec_form(self.parts.limits, self.tuning, &kernel, rows),
        };
        kernel
    }

    /// Returns the corrections of a site, if any.
    pub fn corrected(&self, place: Option<(usize, Site)>) -> Option<&'a SiteCorrections> {
        let (layer, site) = place?;
        self.corrections?.at(layer, site)
    }

    /// Pushes a product with the corrections of adapters. Returns the data for those on the product of its result.
    pub fn push(
        &mut self,
        product: &Product<'_>,
        input: Input<'_>,
        y: &Value,
    ) -> Result<Option<Handoff>, PlanError> {
        let Some(all) = self.corrections else {
            let nothing = ForAdapters {
                low_rank: LowRank::NONE,
                correction: Correction::default(),
                handoff_at: HandoffPlaces::default(),
                buffers: Vec::new(),
            };
            self.push_product(product, &input, &nothing, y)?;
            return Ok(None);
        };
        let site = self.corrected(product.site);
        let mut handoff_at = HandoffPlaces::default();
        let z_source = match (site, input.handoff) {
            (None, _) => ZSource::None,
            (Some(_), None) => ZSource::Dispatch,
            (Some(site), Some(handoff)) => {
                (handoff_at.input_at, handoff_at.input_count) = (handoff.at, handoff.count);
                if site.source == UpdateSource::Ahead { ZSource::Ahead } else { ZSource::PartialSums }
            }
        };
        let low_rank = LowRank { z_source, handoff: HandoffForm::None, quads: all.rank() / 4 };
        let none = Correction { rank: all.rank(), places: [None; 3] };
        let correction = site.map_or(none, |site| site.correction);
        let layer = product.site.map_or(0, |(layer, _)| layer);
        let mut buffers = vec![&all.layers[layer].buffer];
        let input = match site {
            Some(site) if z_source == ZSource::Dispatch => {
                buffers.push(&all.z);
                Input::plain(self.push_z(all, site, input)?)
            }
            _ => input,
        };
        let mut for_adapters = ForAdapters { low_rank, correction, handoff_at, buffers };
        let ahead = product.site.and_then(|(layer, site)| all.ahead_of(layer, site));
        if let Some((stream, ahead)) = product.stream.zip(ahead) {
            return self.push_ahead(product, stream, ahead, input, for_adapters, y).map(Some);
        }
        let n = product.matrices[0].n;
        let columns = match product.site {
            Some((layer, Site::GateUp)) => {
                self.corrected(Some((layer, Site::Down))).and_then(|down| down.source.columns())
            }
            _ => None,
        };
        if let Some(columns) = columns {
            for_adapters.low_rank.handoff = HandoffForm::PartialSums;
            (for_adapters.handoff_at.output_at, for_adapters.handoff_at.factors_at) = (n, columns);
        }
        if !for_adapters.low_rank.is_bound() {
            (for_adapters.low_rank, for_adapters.buffers) = (LowRank::NONE, Vec::new());
        }
        let count = self.push_product(product, &input, &for_adapters, y)?;
        Ok(columns.map(|_| Handoff { at: n, count }))
    }

    /// Pushes the dispatch that computes z. Returns the x that it wrote.
    fn push_z<'b>(
        &mut self,
        all: &'b Corrections,
        site: &SiteCorrections,
        mut input: Input<'b>,
    ) -> Result<&'b Value, PlanError>
    where
        'a: 'b,
    {
        let s = &self.parts.scratch;
        let kept: &Value = if input.prologue == Prologue::Merge { &s.attention } else { &s.x };
        let (keep, x_made) = match input.prologue {
            Prologue::Plain => (false, input.x),
            // The sum itself is x, and it is written anyway, to the last buffer of the prologue.
            Prologue::Add { norm: false, .. } => (false, input.tail.last().copied().unwrap_or(input.x)),
            Prologue::Norm | Prologue::Add { norm: true, .. } | Prologue::Merge => (true, kept),
        };
        let shrink = Product { epilogue: Epilogue::Shrink { keep }, ..Product::store(vec![&site.a]) };
        input.tail.push(&all.scales);
        if keep {
            input.tail.push(kept);
        }
        let for_adapters = ForAdapters {
            low_rank: LowRank::NONE,
            correction: Correction { places: [None; 3], ..site.correction },
            handoff_at: HandoffPlaces::default(),
            buffers: Vec::new(),
        };
        self.push_product(&shrink, &input, &for_adapters, &all.z)?;
        Ok(x_made)
    }

    /// Pushes a product that also computes the data for the adapters of the following site.
    fn push_ahead(
        &mut self,
        product: &Product<'_>,
        stream: &Value,
        ahead: &Ahead,
        input: Input<'_>,
        mut for_adapters: ForAdapters<'_>,
        y: &Value,
    ) -> Result<Handoff, PlanError> {
        let (n, rows) = (product.matrices[0].n, ahead.v.n);
        // V·x is corrected with the same z as the product.
        let places = &mut for_adapters.correction.places;
        places[1] = places[0].zip(ahead.b).map(|((z, _), b)| (z, b));
        for_adapters.handoff_at.factors_at = ahead.u;
        for_adapters.low_rank.handoff = HandoffForm::Ahead { stream: self.parts.config.width };
        let for_adapters =
            ForAdapters { buffers: [&for_adapters.buffers[..], &[stream]].concat(), ..for_adapters };
        let leaving = Product {
            matrices: vec![product.matrices[0], &ahead.v],
            out: [0, n, n + rows],
            ..Product::store(Vec::new())
        };
        self.push_product(&leaving, &input, &for_adapters, y)?;
        Ok(Handoff { at: n, count: rows })
    }

    /// Pushes a product without further dispatches. Returns its number of workgroups.
    fn push_product(
        &mut self,
        product: &Product<'_>,
        input: &Input<'_>,
        for_adapters: &ForAdapters<'_>,
        y: &Value,
    ) -> Result<u32, PlanError> {
        let ForAdapters { low_rank, correction, handoff_at, buffers: of_adapters } = for_adapters;
        let kernel = self.kernel(product, input.prologue, *low_rank);
        let mut rows: Vec<u32> = product.matrices.iter().map(|m| m.n).collect();
        if matches!(low_rank.handoff, HandoffForm::Ahead { .. }) {
            rows.extend(rows.last().copied());
        }
        let (mut params, grid) = kernel.dispatch(&rows);
        for (planes, matrix) in params.planes.iter_mut().zip(&product.matrices) {
            *planes = matrix.whole().layout.planes;
        }
        (params.out, params.ple) = (product.out, product.ple);
        params.eps = self.parts.config.eps;
        let set = |params: Params| match (input.norms, input.merge) {
            (Some(norms), _) => params.with_norms(norms),
            (_, Some(merge)) => params.with_merge(merge),
            _ => params,
        };
        let params = set(params).with_correction(correction).with_handoff(low_rank.z_source, *handoff_at);
        let mut buffers = vec![y, input.x];
        buffers.extend(product.matrices.iter().map(|m| &m.whole().value));
        buffers.extend(&input.tail);
        if product.epilogue == Epilogue::Ple {
            buffers.push(&self.parts.scratch.ple);
        }
        buffers.extend(of_adapters);
        self.steps.push(kernel, &params, &buffers, Grid::Fixed(grid))?;
        self.steps.reading(Amount::Fixed(product.matrices.iter().map(|m| m.whole().layout.bytes()).sum()));
        Ok(params.groups[2])
    }
}
