//! The decoder's tensors under uniform names, with their shapes checked.

use shaders::DType;

use super::gemma::PER_LAYER_NORM;
use super::{Attention, Config, Encoder, Experts};
use crate::gguf::{DTypeId, Family, Header, TensorInfo};
use crate::tokenizer;
use crate::weights::{TensorError, TensorList, expect};

/// Embedding tables and the head may be split at multiples of this many rows.
const TABLE_CUT: u64 = 1024;

/// The dense layers behind the mean of a text's rows.
pub const DENSE: [&str; 2] = ["dense_2", "dense_3"];

/// Finds tensors in a header.
struct Finder<'a> {
    header: &'a Header,
    list: TensorList,
}

/// Tensor names that differ among published files (specification §4).
const ALIASES: [(&str, &[&str]); 10] = [
    ("post_attention_norm", &["attn_post_norm"]),
    ("ffn_norm", &["ffn_pre_norm"]),
    ("post_ffw_norm", &["ffn_post_norm"]),
    ("pre_ffw_norm_2", &["ffn_pre_norm_2"]),
    ("post_ffw_norm_1", &["ffn_post_norm_1"]),
    ("post_ffw_norm_2", &["ffn_post_norm_2"]),
    ("layer_output_scale", &["layer_scalar"]),
    ("inp_gate", &["per_layer_input_gate"]),
    ("proj", &["per_layer_projection"]),
    ("post_norm", &["post_per_layer_input_norm"]),
];

impl<'a> Finder<'a> {
    fn find(&self, name: &str) -> Option<&'a TensorInfo> {
        let direct = [format!("{name}.weight"), name.to_owned()];
        if let Some(tensor) = direct.iter().find_map(|n| self.header.tensor(n)) {
            return Some(tensor);
        }
        let (prefix, last) = name.rsplit_once('.').map_or(("", name), |(p, l)| (p, l));
        let (_, aliases) = ALIASES.iter().find(|(known, _)| *known == last)?;
        aliases.iter().find_map(|alias| {
            let name = if prefix.is_empty() { (*alias).to_owned() } else { format!("{prefix}.{alias}") };
            self.header.tensor(&format!("{name}.weight")).or_else(|| self.header.tensor(&name))
        })
    }

    fn require(&self, name: &str) -> Result<&'a TensorInfo, TensorError> {
        let tensor =
            self.find(name).ok_or_else(|| TensorError::Missing { name: format!("{name}.weight") })?;
        match self.factor(name).filter(|_| tensor.dtype == DTypeId::Known(DType::NVFP4)) {
            Some(factor) => {
                let dtype = format!("{} with a scale in {factor}", tensor.dtype);
                Err(TensorError::Type { name: tensor.name.clone(), dtype })
            }
            None => Ok(tensor),
        }
    }

    /// The tensor with a factor of all products with this one, as converters of published checkpoints write for NVFP4. The scale
    /// of experts is the router's.
    fn factor(&self, name: &str) -> Option<String> {
        let mut names = [format!("{name}.scale"), format!("{name}.weight.scale")].into_iter();
        names.find(|factor| self.header.tensor(factor).is_some() && !factor.ends_with("ffn_down_exps.scale"))
    }

    fn matrix(&mut self, name: &str, k: u64, n: u64) -> Result<(), TensorError> {
        let tensor = self.require(name)?;
        expect(tensor, &[k, n])?;
        self.list.push_rows(name, tensor, k, 0..n, None)
    }

    /// The first `n` rows of an embedding table, or of the head: what follows is padding.
    fn table(&mut self, name: &str, k: u64, n: u64) -> Result<(), TensorError> {
        let tensor = self.require(name)?;
        expect(tensor, &[k, tensor.rows().max(n)])?;
        self.list.push_rows(name, tensor, k, 0..n, Some(TABLE_CUT))
    }

    /// The number of rows of these tables that are used: one for each piece of the tokenizer. Rows without a piece are padding,
    /// which no token may be drawn from. Of Gemma 3, the last piece may lack a row: it stands for soft tokens.
    fn vocabulary(&self, family: Family, tables: &[&str]) -> Result<u64, TensorError> {
        let mut pieces = tokenizer::pieces(&self.header.metadata) as u64;
        let mut common = u64::MAX;
        for name in tables {
            let tensor = self.require(name)?;
            if family == Family::Gemma3 && tensor.rows() + 1 == pieces {
                pieces -= 1;
            }
            if tensor.rows() < pieces {
                return Err(TensorError::Rows { name: tensor.name.clone(), rows: tensor.rows(), pieces });
            }
            common = common.min(tensor.rows());
        }
        Ok(if pieces > 0 { pieces } else { common })
    }

    /// Refuses tensors of parts that the metadata doesn't mention: without these the model would run, and write nonsense.
    fn refuse_unexpected(&self, config: &Config) -> Result<(), TensorError> {
        let parts = [
            ("per_layer_model_proj", "embedding_length_per_layer_input", config.ple > 0),
            ("blk.0.inp_gate", "embedding_length_per_layer_input", config.ple > 0),
            ("blk.0.ffn_gate_inp", "expert_count", config.experts.is_some()),
        ];
        for (name, key, _) in parts.into_iter().filter(|(.., is_used)| !is_used) {
            if let Some(tensor) = self.find(name) {
                let key = format!("{}.{key}", self.header.architecture().unwrap_or_default());
                return Err(TensorError::Unexpected { name: tensor.name.clone(), key });
            }
        }
        Ok(())
    }

    fn vector(&mut self, name: &str, len: u64) -> Result<(), TensorError> {
        let tensor = self.require(name)?;
        self.list.push_vector(name, tensor, &[len], false)
    }

    /// q, k and v, fused or separate. Global layers may have no v, and then use k.
    fn attention(&mut self, config: &Config, i: usize) -> Result<(), TensorError> {
        let d = u64::from(config.width);
        let (q, kv) = (u64::from(config.q_width(i)), u64::from(config.kv_width(i)));
        let blk = format!("blk.{i}");
        if let Some(fused) = self.find(&format!("{blk}.attn_qkv")) {
            expect(fused, &[d, q + 2 * kv])?;
            self.list.push_rows(&format!("{blk}.attn_q"), fused, d, 0..q, None)?;
            if config.owns_kv(i) {
                self.list.push_rows(&format!("{blk}.attn_k"), fused, d, q..q + kv, None)?;
                self.list.push_rows(&format!("{blk}.attn_v"), fused, d, q + kv..q + 2 * kv, None)?;
            }
            return Ok(());
        }
        self.matrix(&format!("{blk}.attn_q"), d, q)?;
        if config.owns_kv(i) {
            self.matrix(&format!("{blk}.attn_k"), d, kv)?;
            if config.family == Family::Gemma3 || self.find(&format!("{blk}.attn_v")).is_some() {
                self.matrix(&format!("{blk}.attn_v"), d, kv)?;
            }
        }
        Ok(())
    }

    fn layer(&mut self, config: &Config, i: usize) -> Result<(), TensorError> {
        let blk = format!("blk.{i}");
        let d = u64::from(config.width);
        let layer = &config.layers[i];
        let (hd, ff, ple) = (u64::from(layer.head_dim), u64::from(layer.feed_forward), u64::from(config.ple));
        self.vector(&format!("{blk}.attn_norm"), d)?;
        self.vector(&format!("{blk}.attn_q_norm"), hd)?;
        if let Some(norm) = self.list.vectors.last_mut() {
            norm.factor = config.query_scale;
        }
        if config.owns_kv(i) {
            self.vector(&format!("{blk}.attn_k_norm"), hd)?;
        }
        self.attention(config, i)?;
        self.matrix(&format!("{blk}.attn_output"), u64::from(config.q_width(i)), d)?;
        for norm in ["post_attention_norm", "ffn_norm", "post_ffw_norm"] {
            self.vector(&format!("{blk}.{norm}"), d)?;
        }
        self.matrix(&format!("{blk}.ffn_gate"), d, ff)?;
        self.matrix(&format!("{blk}.ffn_up"), d, ff)?;
        self.matrix(&format!("{blk}.ffn_down"), ff, d)?;
        if let Some(experts) = config.experts {
            self.experts(d, experts, &blk)?;
        }
        if ple > 0 {
            if config.encoder.is_some() {
                let rows = i as u64 * ple..(i as u64 + 1) * ple;
                let all = self.require("per_layer_model_proj")?;
                expect(all, &[d, ple * config.layers.len() as u64])?;
                self.list.push_rows(&format!("{blk}.per_layer_input"), all, d, rows, None)?;
            }
            self.matrix(&format!("{blk}.inp_gate"), d, ple)?;
            self.matrix(&format!("{blk}.proj"), ple, d)?;
            self.vector(&format!("{blk}.post_norm"), d)?;
        }
        if config.diffusion.is_some() {
            self.vector(&format!("{blk}.enc_layer_output_scale"), 1)?;
        }
        if config.family == Family::Gemma4 {
            self.vector(&format!("{blk}.layer_output_scale"), 1)?;
        }
        Ok(())
    }

    /// Self-conditioning of a canvas on the step before: a feed-forward part as wide as that of a layer.
    fn self_conditioning(&mut self, config: &Config) -> Result<(), TensorError> {
        let d = u64::from(config.width);
        let ff = config.layers.first().map_or(0, |layer| u64::from(layer.feed_forward));
        self.vector("self_cond_pre_norm", d)?;
        self.matrix("self_cond_gate", d, ff)?;
        self.matrix("self_cond_up", d, ff)?;
        self.matrix("self_cond_down", ff, d)
    }

    /// What follows the mean of a text's rows. Files may lack both dense layers, but not one; Ollama numbers them from 0.
    fn embedding_head(&mut self, encoder: Encoder, config: &Config) -> Result<(), TensorError> {
        let d = u64::from(config.width);
        match encoder {
            Encoder::Projection(out) => {
                self.matrix("output", d, out.into())?;
                self.vector("per_layer_proj_norm", config.ple.into())?;
                if let Some(vector) = self.list.vectors.last_mut() {
                    PER_LAYER_NORM.clone_into(&mut vector.name);
                }
                Ok(())
            }
            Encoder::Dense => {
                let names = [["dense_2", "dense_3"], ["dense.0", "dense.1"]];
                let is_there = |pair: &&[&str; 2]| pair.iter().any(|name| self.find(name).is_some());
                let Some(pair) = names.iter().find(is_there) else { return Ok(()) };
                let [wide, back] = pair.map(|name| self.require(name));
                let (wide, back) = (wide?, back?);
                let middle = wide.rows();
                for (tensor, name, [k, n]) in
                    [(wide, DENSE[0], [d, middle]), (back, DENSE[1], [middle, back.rows()])]
                {
                    expect(tensor, &[k, n])?;
                    self.list.push_rows(name, tensor, k, 0..n, None)?;
                }
                Ok(())
            }
        }
    }

    /// Router and experts, in both published layouts: gate and up in one tensor, or in two.
    fn experts(&mut self, d: u64, experts: Experts, blk: &str) -> Result<(), TensorError> {
        let (count, ff) = (u64::from(experts.mixture.experts), u64::from(experts.feed_forward));
        for norm in ["post_ffw_norm_1", "pre_ffw_norm_2", "post_ffw_norm_2"] {
            self.vector(&format!("{blk}.{norm}"), d)?;
        }
        self.matrix(&format!("{blk}.ffn_gate_inp"), d, count)?;
        self.vector(&format!("{blk}.ffn_gate_inp.scale"), d)?;
        let scale = ["ffn_down_exps.scale", "ffn_gate_inp.per_expert_scale"];
        let scale =
            scale.iter().find(|name| self.find(&format!("{blk}.{name}")).is_some()).unwrap_or(&scale[0]);
        self.vector(&format!("{blk}.{scale}"), count)?;
        if let Some(vector) = self.list.vectors.last_mut() {
            vector.name = format!("{blk}.expert_scale");
        }
        let down = format!("{blk}.ffn_down_exps");
        let stacked = |finder: &mut Self, name: &str, k: u64, n: u64| -> Result<(), TensorError> {
            let tensor = finder.require(name)?;
            expect(tensor, &[k, n, count])?;
            finder.list.push_rows(name, tensor, k, 0..n * count, Some(n))
        };
        if self.find(&format!("{blk}.ffn_gate_up_exps")).is_some() {
            stacked(self, &format!("{blk}.ffn_gate_up_exps"), d, 2 * ff)?;
        } else {
            stacked(self, &format!("{blk}.ffn_gate_exps"), d, ff)?;
            stacked(self, &format!("{blk}.ffn_up_exps"), d, ff)?;
        }
        stacked(self, &down, ff, d)
    }
}

impl TensorList {
    /// Finds all tensors of the decoder.
    ///
    /// # Errors
    /// The first tensor that is missing or wrong, by name.
    pub fn find(header: &Header, config: &Config) -> Result<Self, TensorError> {
        let mut finder = Finder { header, list: Self::default() };
        let d = u64::from(config.width);
        let writes = config.diffusion.is_none() && config.encoder.is_none();
        let has_head = writes && finder.find("output").is_some();
        let has_table = config.ple > 0 && config.encoder.is_none();
        let tables = [("token_embd", true), ("per_layer_token_embd", has_table), ("output", has_head)];
        let tables: Vec<_> =
            tables.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect();
        finder.refuse_unexpected(config)?;
        // A row that one table lacks is left out of all: a token that is drawn is looked up in each of them.
        let vocab = finder.vocabulary(config.family, &tables)?;
        finder.table("token_embd", d, vocab)?;
        if has_table {
            let all = u64::from(config.ple) * config.layers.len() as u64;
            finder.table("per_layer_token_embd", all, vocab)?;
            finder.matrix("per_layer_model_proj", d, all)?;
            finder.vector("per_layer_proj_norm", u64::from(config.ple))?;
        }
        for i in 0..config.layers.len() {
            finder.layer(config, i)?;
        }
        finder.vector("output_norm", d)?;
        if config.diffusion.is_some() {
            // The head is the embedding: self-conditioning sums up the same rows.
            finder.self_conditioning(config)?;
        } else if has_head {
            finder.table("output", d, vocab)?;
        }
        if let Some(encoder) = config.encoder {
            finder.embedding_head(encoder, config)?;
            return Ok(finder.list);
        }
        let global = config.layers.iter().find(|layer| layer.attention == Attention::Global);
        if let Some(layer) = global.filter(|_| config.family == Family::Gemma4)
            && finder.find("rope_freqs").is_some()
        {
            finder.vector("rope_freqs", u64::from(layer.head_dim) / 2)?;
        }
        Ok(finder.list)
    }

    /// Finds all tensors of a drafter for a model of width `target`, but for those of its ordered head.
    ///
    /// # Errors
    /// Same as [`Self::find`].
    pub fn find_drafter(header: &Header, config: &Config, target: u32) -> Result<Self, TensorError> {
        let mut finder = Finder { header, list: Self::default() };
        let (d, target) = (u64::from(config.width), u64::from(target));
        let rows = finder.require("token_embd")?.rows();
        finder.table("token_embd", d, rows)?;
        finder.matrix("nextn.pre_projection", 2 * target, d)?;
        for i in 0..config.layers.len() {
            finder.layer(config, i)?;
        }
        finder.vector("output_norm", d)?;
        finder.matrix("nextn.post_projection", d, target)?;
        Ok(finder.list)
    }

    /// Vocabulary size: rows of the embedding that are used.
    pub fn vocabulary(&self) -> u32 {
        self.matrix("token_embd").map_or(0, |m| u32::try_from(m.n).unwrap_or(u32::MAX))
    }
}
