//! The dispatches of one token: seven a layer with per-layer embeddings, five without, three more with experts.
//!
//! A layer (specification §2.3) is
//!
//! | dispatch | in front | product | behind |
//! |---|---|---|---|
//! | qkv | h += branch of the layer before, times its scale; norm | q, k, v | |
//! | attention | head norms, rotation, append | | partial results |
//! | output | merge | output | |
//! | gate, up | h += attention; norm | gate, up | GeGLU |
//! | down | | down | |
//! | per-layer gate | h += feed-forward | gate | GELU, times the per-layer input |
//! | per-layer projection | | projection | |
//!
//! A mixture of experts (§2.7) comes before what takes up the feed-forward branch, which is then made of two:
//!
//! | dispatch | in front | product | behind |
//! |---|---|---|---|
//! | router | norm | router | |
//! | experts' gate, up | choice; norm | gate, up of each | GeGLU |
//! | experts' down | | down of each | weighted sum |
//!
//! Where adapters correct a product, a dispatch before it makes z, the product with their stacked A. It takes the
//! prologue over and keeps the x that it made, so that the product needs none and adds B·z to its dots.
//!
//! The residual stream goes from one of two buffers to the other with each `h +=`: a dispatch must not write what its
//! other workgroups still read.

use shaders::attention::decode::{Decode, Kv, Params as AttentionParams};
use shaders::matvec::{Correction, Epilogue, Matvec, Merge, Norms, Params, Prologue, shrink_form};
use shaders::selftest::Form;

use super::corrections::{Corrections, Site};
use super::forms::matvec_form;
use super::prefill::norm_add;
use super::scratch::{most_splits, smallest_run};
use super::{Parts, experts};
use crate::gpu::{Gpu, GpuError, Grid, Reads, Steps};
use crate::weights::{Matrix, Part};

/// A branch that has been computed and is still to be normed and added to the stream.
#[derive(Clone, Copy)]
struct Pending {
    /// Its norm's weights.
    norm: u32,
    /// Where it is made of a dense part and that of experts: the weights of their norms.
    mix: Option<[u32; 2]>,
    /// The scalar of the layer that ends with it.
    scale: Option<u32>,
}

/// Builds the list.
struct Builder<'a> {
    gpu: &'a Gpu,
    parts: &'a Parts,
    corrections: Option<&'a Corrections>,
    steps: Steps,
    /// Which of the two stream buffers is current.
    h: usize,
    pending: Option<Pending>,
}

/// The layers from `first` on, the output norm and the head. The stream is expected in `h[0]`, whole.
///
/// # Errors
/// When the device refuses a kernel.
pub async fn build(
    gpu: &Gpu,
    parts: &Parts,
    corrections: Option<&Corrections>,
    first: usize,
) -> Result<Steps, GpuError> {
    let mut builder = Builder { gpu, parts, corrections, steps: Steps::default(), h: 0, pending: None };
    for i in first..parts.config.layers.len() {
        builder.layer(i).await?;
    }
    builder.head().await?;
    Ok(builder.steps)
}

/// One product.
struct Product<'m> {
    matrices: Vec<&'m Matrix>,
    epilogue: Epilogue,
    /// Where each matrix's results begin in y.
    out: [u32; 3],
    /// Where this layer's row begins in the per-layer inputs.
    ple: u32,
    /// Where adapters may correct it.
    site: Option<(usize, Site)>,
}

impl<'m> Product<'m> {
    fn store(matrices: Vec<&'m Matrix>) -> Self {
        let mut out = [0; 3];
        let mut next = 0;
        for (place, matrix) in out.iter_mut().zip(&matrices) {
            *place = next;
            next += matrix.n;
        }
        Self { matrices, epilogue: Epilogue::Store, out, ple: 0, site: None }
    }

    fn at(self, layer: usize, site: Site) -> Self {
        Self { site: Some((layer, site)), ..self }
    }
}

impl<'a> Builder<'a> {
    fn kernel(&self, product: &Product<'_>, prologue: Prologue) -> Matvec {
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
            form: shaders::matvec::Form::default(),
        };
        kernel.form = match product.epilogue {
            Epilogue::Shrink { .. } => shrink_form(kernel.k),
            _ => matvec_form(self.gpu, self.parts.packed, &kernel, rows),
        };
        kernel
    }

    /// A product, with the corrections of adapters. `tail` is what its prologue binds.
    async fn push(
        &mut self,
        product: &Product<'_>,
        prologue: Prologue,
        set: impl FnOnce(Params) -> Params,
        y: &wgpu::Buffer,
        x: &wgpu::Buffer,
        tail: &[&wgpu::Buffer],
    ) -> Result<(), GpuError> {
        let corrected = self.corrections.zip(product.site);
        let corrected = corrected.and_then(|(all, (layer, site))| Some((all, all.at(layer, site)?)));
        let Some((all, site)) = corrected else {
            return self.push_product(product, prologue, set, y, x, tail).await;
        };
        let s = &self.parts.scratch;
        let kept: &wgpu::Buffer = if prologue == Prologue::Merge { &s.attention } else { &s.x };
        let (keep, x_made) = match prologue {
            Prologue::Plain | Prologue::Correct => (false, x),
            // The sum itself is x, and it is written out anyway, to the last buffer of the prologue.
            Prologue::Add { norm: false, .. } => (false, tail.last().copied().unwrap_or(x)),
            Prologue::Norm | Prologue::Add { norm: true, .. } | Prologue::Merge => (true, kept),
        };
        let shrink = Product { epilogue: Epilogue::Shrink { keep }, ..Product::store(vec![&site.a]) };
        let places = Correction { places: [None; 3], ..site.correction };
        let mut buffers = tail.to_vec();
        buffers.push(&all.scales);
        if keep {
            buffers.push(kept);
        }
        let set = |p| set(p).with_correction(&places);
        self.push_product(&shrink, prologue, set, &all.z, x, &buffers).await?;
        let set = |p: Params| p.with_correction(&site.correction);
        self.push_product(product, Prologue::Correct, set, y, x_made, &[&all.z, &site.b]).await
    }

    /// A product as it is. `tail` is what its prologue binds, and its epilogue where that is none of the layer's own.
    async fn push_product(
        &mut self,
        product: &Product<'_>,
        prologue: Prologue,
        set: impl FnOnce(Params) -> Params,
        y: &wgpu::Buffer,
        x: &wgpu::Buffer,
        tail: &[&wgpu::Buffer],
    ) -> Result<(), GpuError> {
        let kernel = self.kernel(product, prologue);
        let rows: Vec<u32> = product.matrices.iter().map(|m| m.n).collect();
        let (mut params, grid) = kernel.dispatch(&rows);
        for (planes, matrix) in params.planes.iter_mut().zip(&product.matrices) {
            *planes = matrix.whole().layout.planes;
        }
        params.out = product.out;
        params.ple = product.ple;
        params.eps = self.parts.config.eps;
        let params = set(params);
        let mut buffers = vec![y, x];
        buffers.extend(product.matrices.iter().map(|m| -> &wgpu::Buffer { &m.whole().buffer }));
        buffers.extend(tail);
        if product.epilogue == Epilogue::Ple {
            buffers.push(&self.parts.scratch.ple);
        }
        self.steps.push(self.gpu, &kernel.source()?, &params, &buffers, Grid::Fixed(grid)).await?;
        self.steps.reading(Reads::Fixed(product.matrices.iter().map(|m| m.whole().layout.bytes()).sum()));
        self.steps.tried_as(Form::Matvec(kernel));
        Ok(())
    }

    /// A product of the normed stream; what is pending is added to the stream first. `norm` is none where the stream
    /// itself is multiplied.
    async fn of_stream(
        &mut self,
        product: &Product<'_>,
        norm: Option<u32>,
        y: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let eps = parts.config.eps;
        if parts.config.width > Matvec::MAX_NORM_K {
            return self.of_wide_stream(product, norm, y).await;
        }
        let input = norm.unwrap_or(0);
        match self.pending.take() {
            Some(Pending { norm: branch, mix, scale }) => {
                let norms = Norms { branch, input, scale, eps };
                let (from, to) = (self.h, 1 - self.h);
                let tail: [&wgpu::Buffer; 3] = [&parts.weights.vectors, &s.branch, &s.h[to]];
                let prologue = Prologue::Add { norm: norm.is_some(), mix: mix.is_some() };
                let set = |p: Params| Params { mix: mix.unwrap_or_default(), ..p }.with_norms(norms);
                self.push(product, prologue, set, y, &s.h[from], &tail).await?;
                self.h = to;
            }
            None if norm.is_some() => {
                let norms = Norms { branch: 0, input, scale: None, eps };
                let (x, tail): (_, [&wgpu::Buffer; 1]) = (&s.h[self.h], [&parts.weights.vectors]);
                self.push(product, Prologue::Norm, |p| p.with_norms(norms), y, x, &tail).await?;
            }
            None => self.push(product, Prologue::Plain, |p| p, y, &s.h[self.h], &[]).await?,
        }
        Ok(())
    }

    /// Where the stream is too wide for workgroup memory, the norm is a dispatch of its own.
    async fn of_wide_stream(
        &mut self,
        product: &Product<'_>,
        norm: Option<u32>,
        y: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let x = self.stream_in_a_dispatch(norm).await?;
        self.push(product, Prologue::Plain, |p| p, y, x, &[]).await
    }

    /// Adds what is pending to the stream, in a dispatch that also norms it; what is to be multiplied.
    async fn stream_in_a_dispatch(&mut self, norm: Option<u32>) -> Result<&'a wgpu::Buffer, GpuError> {
        let parts = self.parts;
        let s = &parts.scratch;
        // No mixed branch comes here: a mixture of experts needs a stream that fits (`Mixture::is_supported`).
        let pending = self.pending.take();
        let add = pending.map(|p| (p.norm, p.scale));
        norm_add(self.gpu, parts, &mut self.steps, &s.h[self.h], add, norm).await?;
        Ok(if norm.is_some() { &s.x } else { &s.h[self.h] })
    }

    async fn layer(&mut self, i: usize) -> Result<(), GpuError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let name = |part: &str| format!("blk.{i}.{part}");
        let vector = |part: &str| w.vector(&name(part));

        let mut qkv = vec![parts.matrix(&name("attn_q"))?];
        if config.owns_kv(i) {
            qkv.push(parts.matrix(&name("attn_k"))?);
            qkv.extend(w.matrix(&name("attn_v")));
        }
        let has_v = qkv.len() == 3;
        self.of_stream(&Product::store(qkv).at(i, Site::Qkv), Some(vector("attn_norm")), &s.qkv).await?;
        self.attention(i, has_v).await?;

        let layer = &config.layers[i];
        let window = parts.window(i);
        let most = most_splits(config.heads, window);
        let merge = Merge { head_dim: layer.head_dim, most, smallest: smallest_run(self.gpu), window };
        let output = Product::store(vec![parts.matrix(&name("attn_output"))?]).at(i, Site::Output);
        self.push(&output, Prologue::Merge, |p| p.with_merge(merge), &s.branch, &s.part, &[&s.state]).await?;
        self.pending = Some(Pending { norm: vector("post_attention_norm"), mix: None, scale: None });

        let gate_up = Product {
            matrices: vec![parts.matrix(&name("ffn_gate"))?, parts.matrix(&name("ffn_up"))?],
            epilogue: Epilogue::Geglu,
            out: [0; 3],
            ple: 0,
            site: Some((i, Site::GateUp)),
        };
        self.of_stream(&gate_up, Some(vector("ffn_norm")), &s.gate).await?;
        let down = Product::store(vec![parts.matrix(&name("ffn_down"))?]).at(i, Site::Down);
        self.push(&down, Prologue::Plain, |p| p, &s.branch, &s.gate, &[]).await?;
        let mix = match config.experts {
            Some(_) => Some(self.experts(i).await?),
            None => None,
        };
        let scale = Some(vector("layer_output_scale"));
        let norm = vector("post_ffw_norm");
        if config.ple == 0 {
            self.pending = Some(Pending { norm, mix, scale });
            return Ok(());
        }
        self.pending = Some(Pending { norm, mix, scale: None });
        let gate = Product {
            matrices: vec![parts.matrix(&name("inp_gate"))?],
            epilogue: Epilogue::Ple,
            out: [0; 3],
            ple: i as u32 * config.ple,
            site: Some((i, Site::PleGate)),
        };
        self.of_stream(&gate, None, &s.ple_gate).await?;
        let project = Product::store(vec![parts.matrix(&name("proj"))?]).at(i, Site::PleProjection);
        self.push(&project, Prologue::Plain, |p| p, &s.branch, &s.ple_gate, &[]).await?;
        self.pending = Some(Pending { norm: vector("post_norm"), mix: None, scale });
        Ok(())
    }

    /// The experts of layer `i`, behind the dense part of the branch; the norms of both parts. The stream is whole: the
    /// dense part's gate has added what was pending.
    async fn experts(&mut self, i: usize) -> Result<[u32; 2], GpuError> {
        let parts = self.parts;
        let vector = |part: &str| parts.weights.vector(&format!("blk.{i}.{part}"));
        let logits = parts.scratch.experts.as_ref().map(|e| &e.logits);
        let logits = logits.ok_or_else(|| GpuError::Fault { reason: "no room for experts".into() })?;
        let router = Product::store(vec![parts.matrix(&format!("blk.{i}.ffn_gate_inp"))?]);
        self.of_stream(&router, Some(vector("ffn_gate_inp.scale")), logits).await?;
        experts::one::gate_up(self.gpu, parts, &mut self.steps, i, &parts.scratch.h[self.h]).await?;
        experts::one::down(self.gpu, parts, &mut self.steps, i).await?;
        Ok([vector("post_ffw_norm_1"), vector("post_ffw_norm_2")])
    }

    async fn attention(&mut self, i: usize, has_v: bool) -> Result<(), GpuError> {
        let parts = self.parts;
        let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let rope = parts.rope(layer.attention);
        let kv = match (config.owns_kv(i), has_v) {
            (false, _) => Kv::Shared,
            (true, true) => Kv::Own,
            (true, false) => Kv::OwnVIsK,
        };
        let kernel = Decode { head_dim: layer.head_dim, kv, kv_f16: parts.kv_type == super::KvType::F16 };
        let params = AttentionParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: parts.window(i),
            ring: cache.ring,
            q_norm: w.vector(&format!("blk.{i}.attn_q_norm")),
            k_norm: w.vector(&format!("blk.{i}.attn_k_norm")),
            smallest: smallest_run(self.gpu),
            most: most_splits(config.heads, parts.window(i)),
            rope_hi_rows: rope.hi_rows,
            eps: config.eps,
            pad: [0; 2],
        };
        let buffers: [&wgpu::Buffer; 7] =
            [&s.part, &s.state, &s.qkv, &w.vectors, &rope.table, &cache.k, &cache.v];
        self.steps
            .push(self.gpu, &kernel.source()?, &params, &buffers, Grid::Fixed(Decode::dispatch(&params)))
            .await?;
        self.steps.reading(Reads::Keys { bytes: 2 * cache.slot_bytes, window: params.window });
        self.steps.tried_as(Form::Decode(kernel));
        Ok(())
    }

    async fn head(&mut self) -> Result<(), GpuError> {
        let parts = self.parts;
        let s = &parts.scratch;
        let norm = parts.weights.vector("output_norm");
        let head = parts.head()?;
        let one_part = |part: &Part| Matrix { n: part.layout.n, parts: vec![part.clone()], ..head.clone() };
        let matrices: Vec<_> = head.parts.iter().map(one_part).collect();
        // Packed products are so fast that it takes longer to norm the stream again in each of so many workgroups.
        let is_packed = |matrix| self.kernel(&Product::store(vec![matrix]), Prologue::Plain).form.packed;
        let is_mixed = self.pending.is_some_and(|pending| pending.mix.is_some());
        let is_wide = parts.config.width > Matvec::MAX_NORM_K;
        let x = if is_wide || (matrices.iter().any(is_packed) && !is_mixed) {
            Some(self.stream_in_a_dispatch(Some(norm)).await?)
        } else {
            None
        };
        // A head that is split over several buffers is one product for each. Those that norm the stream themselves do so
        // anew, which costs less than a dispatch would.
        let pending = self.pending;
        let h = self.h;
        for (part, matrix) in head.parts.iter().zip(&matrices) {
            let product = Product { out: [part.row0, 0, 0], ..Product::store(vec![matrix]) };
            if let Some(x) = x {
                self.push(&product, Prologue::Plain, |p| p, &s.logits, x, &[]).await?;
            } else {
                self.pending = pending;
                self.h = h;
                self.of_stream(&product, Some(norm), &s.logits).await?;
            }
        }
        Ok(())
    }
}
