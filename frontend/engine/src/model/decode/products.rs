//! The products of a token, each with what stands in front of it, and with the corrections of adapters.

use shaders::matvec::{
    Adapted, Correction, Epilogue, Leaves, Leavings, Matvec, Merge, Norms, Params, Prologue, Takes,
    shrink_form,
};
use shaders::selftest::Form;

use super::Builder;
use crate::model::corrections::{Ahead, Corrections, Site, SiteCorrections, Way};
use crate::model::forms::matvec_form;
use crate::plan::{Grid, PlanError, Traffic, Value};
use crate::weights::Matrix;

/// One product.
pub struct Product<'m> {
    pub matrices: Vec<&'m Matrix>,
    pub epilogue: Epilogue,
    /// Where each matrix's results begin in y.
    pub out: [u32; 3],
    /// Where this layer's row begins in the per-layer inputs.
    pub ple: u32,
    /// Where adapters may correct it.
    pub site: Option<(usize, Site)>,
}

impl<'m> Product<'m> {
    pub fn store(matrices: Vec<&'m Matrix>) -> Self {
        let mut out = [0; 3];
        let mut next = 0;
        for (place, matrix) in out.iter_mut().zip(&matrices) {
            *place = next;
            next += matrix.n;
        }
        Self { matrices, epilogue: Epilogue::Store, out, ple: 0, site: None }
    }

    pub fn at(self, layer: usize, site: Site) -> Self {
        Self { site: Some((layer, site)), ..self }
    }
}

/// What makes the x of a product.
pub struct Front<'b> {
    pub prologue: Prologue,
    pub x: &'b Value,
    /// What the prologue binds.
    pub tail: Vec<&'b Value>,
    pub norms: Option<Norms>,
    /// Norms of a mixed branch.
    pub mix: [u32; 2],
    pub merge: Option<Merge>,
}

impl<'b> Front<'b> {
    /// x as it is.
    pub fn plain(x: &'b Value) -> Self {
        Self { prologue: Prologue::Plain, x, tail: Vec::new(), norms: None, mix: [0; 2], merge: None }
    }
}

/// What a dispatch left for the adapters that correct the next product.
pub struct Left {
    /// Where they correct it.
    pub site: (usize, Site),
    /// Where it begins in its buffer, in elements.
    pub at: u32,
    /// See [`Leavings::taken`].
    pub count: u32,
}

/// What adapters have to do with a product: the kernel's part of it, numbers, and what is bound.
struct ForAdapters<'b> {
    adapted: Adapted,
    correction: Correction,
    leavings: Leavings,
    buffers: Vec<&'b Value>,
}

impl<'a> Builder<'a> {
    pub fn kernel(&self, product: &Product<'_>, prologue: Prologue, adapted: Adapted) -> Matvec {
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
            adapted,
            form: shaders::matvec::Form::default(),
        };
        kernel.form = match product.epilogue {
            Epilogue::Shrink { .. } => shrink_form(kernel.k),
            _ => matvec_form(self.parts.limits, self.choices, &kernel, rows),
        };
        kernel
    }

    /// What adapters have for the product of a site.
    pub fn corrected(&self, place: Option<(usize, Site)>) -> Option<&'a SiteCorrections> {
        let (layer, site) = place?;
        self.corrections?.at(layer, site)
    }

    /// A product, with the corrections of adapters, and what it leaves for those of the next.
    pub fn push(&mut self, product: &Product<'_>, front: Front<'_>, y: &Value) -> Result<(), PlanError> {
        let left = self.left.take().filter(|left| Some(left.site) == product.site);
        let Some(all) = self.corrections else {
            let nothing = ForAdapters {
                adapted: Adapted::NOT,
                correction: Correction::default(),
                leavings: Leavings::default(),
                buffers: Vec::new(),
            };
            self.push_product(product, &front, &nothing, y)?;
            return Ok(());
        };
        let site = self.corrected(product.site);
        let mut leavings = Leavings::default();
        let takes = match (site, &left) {
            (None, _) => Takes::Nothing,
            (Some(_), None) => Takes::Z,
            (Some(site), Some(left)) => {
                (leavings.taken_at, leavings.taken) = (left.at, left.count);
                if site.way == Way::Ahead { Takes::Ahead } else { Takes::Partial }
            }
        };
        let adapted = Adapted { takes, leaves: Leaves::Nothing, quads: all.rank() / 4 };
        let none = Correction { rank: all.rank(), places: [None; 3] };
        let correction = site.map_or(none, |site| site.correction);
        let layer = product.site.map_or(0, |(layer, _)| layer);
        let mut buffers: Vec<&Value> = all.of_layer(layer).into_iter().collect();
        let front = match site {
            Some(site) if takes == Takes::Z => {
                buffers.push(&all.z);
                Front::plain(self.push_z(all, site, front)?)
            }
            _ => front,
        };
        let mut for_adapters = ForAdapters { adapted, correction, leavings, buffers };
        if let Some((place, ahead)) =
            product.site.and_then(|place| Some((place, all.ahead_of(place.0, place.1)?)))
        {
            return self.push_ahead(product, place, ahead, front, for_adapters, y);
        }
        let next =
            product.site.filter(|&(_, site)| site == Site::GateUp).map(|(layer, _)| (layer, Site::Down));
        let n = product.matrices[0].n;
        let columns = self.corrected(next).and_then(|next| next.way.columns());
        if let Some(columns) = columns {
            for_adapters.adapted.leaves = Leaves::Partial;
            (for_adapters.leavings.left_at, for_adapters.leavings.made_with) = (n, columns);
        }
        if !for_adapters.adapted.is_bound() {
            (for_adapters.adapted, for_adapters.buffers) = (Adapted::NOT, Vec::new());
        }
        let count = self.push_product(product, &front, &for_adapters, y)?;
        self.left = next.filter(|_| columns.is_some()).map(|site| Left { site, at: n, count });
        Ok(())
    }

    /// The dispatch that makes z. Returns the x that it made.
    fn push_z<'b>(
        &mut self,
        all: &'b Corrections,
        site: &SiteCorrections,
        mut front: Front<'b>,
    ) -> Result<&'b Value, PlanError>
    where
        'a: 'b,
    {
        let s = &self.parts.scratch;
        let kept: &Value = if front.prologue == Prologue::Merge { &s.attention } else { &s.x };
        let (keep, x_made) = match front.prologue {
            Prologue::Plain => (false, front.x),
            // The sum itself is x, and it is written out anyway, to the last buffer of the prologue.
            Prologue::Add { norm: false, .. } => (false, front.tail.last().copied().unwrap_or(front.x)),
            Prologue::Norm | Prologue::Add { norm: true, .. } | Prologue::Merge => (true, kept),
        };
        let shrink = Product { epilogue: Epilogue::Shrink { keep }, ..Product::store(vec![&site.a]) };
        front.tail.push(&all.scales);
        if keep {
            front.tail.push(kept);
        }
        let for_adapters = ForAdapters {
            adapted: Adapted::NOT,
            correction: Correction { places: [None; 3], ..site.correction },
            leavings: Leavings::default(),
            buffers: Vec::new(),
        };
        self.push_product(&shrink, &front, &for_adapters, &all.z)?;
        Ok(x_made)
    }

    /// A product that leaves what the site behind it makes its z of.
    fn push_ahead(
        &mut self,
        product: &Product<'_>,
        (layer, site): (usize, Site),
        ahead: &Ahead,
        front: Front<'_>,
        mut for_adapters: ForAdapters<'a>,
        y: &Value,
    ) -> Result<(), PlanError> {
        let config = &self.parts.config;
        let (n, rows) = (product.matrices[0].n, ahead.v.n);
        // V·x is corrected with the z that the product itself is corrected with.
        let places = &mut for_adapters.correction.places;
        places[1] = places[0].zip(ahead.b).map(|((z, _), b)| (z, b));
        for_adapters.leavings.made_with = ahead.u;
        for_adapters.adapted.leaves = Leaves::Ahead { stream: config.width };
        for_adapters.buffers.push(&self.parts.scratch.h[self.h]);
        let leaving = Product {
            matrices: vec![product.matrices[0], &ahead.v],
            out: [0, n, n + rows],
            ..Product::store(Vec::new())
        };
        self.push_product(&leaving, &front, &for_adapters, y)?;
        let next = Corrections::behind(config, layer, site);
        self.left = next.map(|site| Left { site, at: n, count: rows });
        Ok(())
    }

    /// A product as it is. Returns the number of its workgroups.
    fn push_product(
        &mut self,
        product: &Product<'_>,
        front: &Front<'_>,
        for_adapters: &ForAdapters<'_>,
        y: &Value,
    ) -> Result<u32, PlanError> {
        let ForAdapters { adapted, correction, leavings, buffers: of_adapters } = for_adapters;
        let kernel = self.kernel(product, front.prologue, *adapted);
        let mut rows: Vec<u32> = product.matrices.iter().map(|m| m.n).collect();
        if matches!(adapted.leaves, Leaves::Ahead { .. }) {
            rows.extend(rows.last().copied());
        }
        let (mut params, grid) = kernel.dispatch(&rows);
        for (planes, matrix) in params.planes.iter_mut().zip(&product.matrices) {
            *planes = matrix.whole().layout.planes;
        }
        (params.out, params.ple, params.mix) = (product.out, product.ple, front.mix);
        params.eps = self.parts.config.eps;
        let set = |params: Params| match (front.norms, front.merge) {
            (Some(norms), _) => params.with_norms(norms),
            (_, Some(merge)) => params.with_merge(merge),
            _ => params,
        };
        let params = set(params).with_correction(correction).with_leavings(adapted.takes, *leavings);
        let mut buffers = vec![y, front.x];
        buffers.extend(product.matrices.iter().map(|m| &m.whole().value));
        buffers.extend(&front.tail);
        if product.epilogue == Epilogue::Ple {
            buffers.push(&self.parts.scratch.ple);
        }
        buffers.extend(of_adapters);
        self.steps.push(&kernel.source()?, &params, &buffers, Grid::Fixed(grid))?;
        self.steps.reading(Traffic::Fixed(product.matrices.iter().map(|m| m.whole().layout.bytes()).sum()));
        self.steps.tried_as(Form::Matvec(kernel));
        Ok(params.groups[2])
    }
}
