//! Which tensors of a file the decoder needs, under one name each, with their shapes checked.

use std::ops::Range;

use shaders::{DType, LayoutError, PlanarLayout};

use super::{Config, Experts};
use crate::gguf::{Header, TensorInfo};

/// A tensor that is missing or not what the metadata says.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TensorError {
    /// It is not in the file.
    #[error("the model file lacks the tensor {name}")]
    Missing {
        /// Its name.
        name: String,
    },
    /// Its shape contradicts the metadata.
    #[error("tensor {name} has the shape {found:?}; the metadata asks for {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// The shape in the file, contiguous dimension first.
        found: Vec<u64>,
        /// The shape that the metadata implies.
        expected: Vec<u64>,
    },
    /// Its storage type is none that the kernels read.
    #[error("tensor {name} is stored as {dtype}, which gemtab does not read")]
    Type {
        /// Its name.
        name: String,
        /// The type's name.
        dtype: String,
    },
    /// Its rows do not divide into blocks.
    #[error("tensor {name}: {source}")]
    Layout {
        /// Its name.
        name: String,
        /// Why.
        source: LayoutError,
    },
}

/// A weight matrix: rows of one tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSpec {
    /// The engine's name for it, without `.weight`: `blk.3.attn_q`.
    pub name: String,
    /// Storage type.
    pub dtype: DType,
    /// Columns: the length of what it is multiplied with.
    pub k: u64,
    /// Rows.
    pub n: u64,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// Where one binding is too small, it is cut at multiples of this many rows; none where it must be whole.
    pub cut: Option<u64>,
}

impl MatrixSpec {
    /// Bytes of a row in the file.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        // The header was checked: rows are whole blocks.
        self.dtype.row_bytes(self.k).unwrap_or(0)
    }

    /// Bytes on the device.
    ///
    /// # Errors
    /// When the matrix has no planar layout.
    pub fn device_bytes(&self) -> Result<u64, TensorError> {
        // Rows in runs that fit a buffer; what alignment adds between runs is negligible.
        let one = |n: u64| PlanarLayout::new(self.dtype, self.k, n).map(|layout| layout.bytes());
        one(self.n.min(1 << 16))
            .map(
                |bytes| {
                    if self.n > 1 << 16 { (bytes as f64 * (self.n as f64 / 65536.0)) as u64 } else { bytes }
                },
            )
            .map_err(|source| TensorError::Layout { name: self.name.clone(), source })
    }

    /// The largest number of rows, a multiple of what it may be cut at, whose planes take no more than `limit` bytes:
    /// all of them where that is possible; none where not even the smallest part fits.
    ///
    /// # Errors
    /// When the matrix has no planar layout.
    pub fn rows_within(&self, limit: u64) -> Result<Option<u64>, TensorError> {
        let bytes = |rows: u64| PlanarLayout::new(self.dtype, self.k, rows).map(|layout| layout.bytes());
        // A layout that does not fit 32-bit offsets is too large as well.
        if bytes(self.n).is_ok_and(|bytes| bytes <= limit) {
            return Ok(Some(self.n));
        }
        let Some(cut) = self.cut else { return Ok(None) };
        let one = bytes(cut).map_err(|source| TensorError::Layout { name: self.name.clone(), source })?;
        let rows = limit / one.max(1) * cut;
        Ok((rows > 0).then_some(rows))
    }
}

/// Rows at which tables that are looked up, and the head, are cut.
const TABLE_CUT: u64 = 1024;

/// A vector of f32: a norm's weights, or a scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorSpec {
    /// The engine's name for it: `blk.3.attn_norm`.
    pub name: String,
    /// Storage type in the file.
    pub dtype: DType,
    /// Elements.
    pub len: u32,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// Whether its values are wanted on the host as well.
    pub on_host: bool,
}

/// The tensors of a part of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorList {
    /// Matrices, in the order they are used.
    pub matrices: Vec<MatrixSpec>,
    /// Vectors.
    pub vectors: Vec<VectorSpec>,
}

/// Finds tensors in a header.
struct Finder<'a> {
    header: &'a Header,
    list: TensorList,
}

/// Spellings that published files use for the same tensor, after the specification's §4.
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

    fn dtype(tensor: &TensorInfo) -> Result<DType, TensorError> {
        tensor
            .dtype
            .known()
            .ok_or_else(|| TensorError::Type { name: tensor.name.clone(), dtype: tensor.dtype.to_string() })
    }

    fn expect(tensor: &TensorInfo, expected: &[u64]) -> Result<(), TensorError> {
        // Trailing ones are free: [d] and [d, 1] are the same vector.
        let trim = |shape: &[u64]| {
            let end = shape.iter().rposition(|&n| n != 1).map_or(0, |last| last + 1);
            shape[..end].to_vec()
        };
        if trim(&tensor.shape) == trim(expected) {
            return Ok(());
        }
        Err(TensorError::Shape {
            name: tensor.name.clone(),
            found: tensor.shape.clone(),
            expected: expected.to_vec(),
        })
    }

    fn matrix(&mut self, name: &str, k: u64, n: u64) -> Result<(), TensorError> {
        let tensor =
            self.find(name).ok_or_else(|| TensorError::Missing { name: format!("{name}.weight") })?;
        Self::expect(tensor, &[k, n])?;
        self.rows_of(name, tensor, k, 0..n, None)
    }

    /// A table that is looked up, or the head.
    fn table(&mut self, name: &str, k: u64, n: u64) -> Result<(), TensorError> {
        self.matrix(name, k, n)?;
        if let Some(matrix) = self.list.matrices.last_mut() {
            matrix.cut = Some(TABLE_CUT);
        }
        Ok(())
    }

    /// Rows `rows` of a tensor as a matrix of its own.
    fn rows_of(
        &mut self,
        name: &str,
        tensor: &TensorInfo,
        k: u64,
        rows: Range<u64>,
        cut: Option<u64>,
    ) -> Result<(), TensorError> {
        let dtype = Self::dtype(tensor)?;
        let row_bytes = dtype.row_bytes(k).unwrap_or(0);
        PlanarLayout::new(dtype, k, 1)
            .map_err(|source| TensorError::Layout { name: tensor.name.clone(), source })?;
        self.list.matrices.push(MatrixSpec {
            name: name.to_owned(),
            dtype,
            k,
            n: rows.end - rows.start,
            range: tensor.offset + rows.start * row_bytes..tensor.offset + rows.end * row_bytes,
            cut,
        });
        Ok(())
    }

    fn vector(&mut self, name: &str, len: u64) -> Result<(), TensorError> {
        let tensor =
            self.find(name).ok_or_else(|| TensorError::Missing { name: format!("{name}.weight") })?;
        Self::expect(tensor, &[len])?;
        let dtype = Self::dtype(tensor)?;
        let (name, range) = (name.to_owned(), tensor.range());
        self.list.vectors.push(VectorSpec { name, dtype, len: len as u32, range, on_host: false });
        Ok(())
    }

    /// q, k and v, fused or apart; v may be absent on global layers, which then use k.
    fn attention(&mut self, config: &Config, i: usize) -> Result<(), TensorError> {
        let d = u64::from(config.width);
        let (q, kv) = (u64::from(config.q_width(i)), u64::from(config.kv_width(i)));
        let blk = format!("blk.{i}");
        if let Some(fused) = self.find(&format!("{blk}.attn_qkv")) {
            Self::expect(fused, &[d, q + 2 * kv])?;
            self.rows_of(&format!("{blk}.attn_q"), fused, d, 0..q, None)?;
            if config.owns_kv(i) {
                self.rows_of(&format!("{blk}.attn_k"), fused, d, q..q + kv, None)?;
                self.rows_of(&format!("{blk}.attn_v"), fused, d, q + kv..q + 2 * kv, None)?;
            }
            return Ok(());
        }
        self.matrix(&format!("{blk}.attn_q"), d, q)?;
        if config.owns_kv(i) {
            self.matrix(&format!("{blk}.attn_k"), d, kv)?;
            if self.find(&format!("{blk}.attn_v")).is_some() {
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
            self.matrix(&format!("{blk}.inp_gate"), d, ple)?;
            self.matrix(&format!("{blk}.proj"), ple, d)?;
            self.vector(&format!("{blk}.post_norm"), d)?;
        }
        self.vector(&format!("{blk}.layer_output_scale"), 1)
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
            let tensor =
                finder.find(name).ok_or_else(|| TensorError::Missing { name: format!("{name}.weight") })?;
            Self::expect(tensor, &[k, n, count])?;
            finder.rows_of(name, tensor, k, 0..n * count, Some(n))
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
    /// Finds everything the decoder needs.
    ///
    /// # Errors
    /// The first tensor that is missing or wrong, by name.
    pub fn find(header: &Header, config: &Config) -> Result<Self, TensorError> {
        let mut finder = Finder { header, list: Self::default() };
        let d = u64::from(config.width);
        let embed = finder
            .find("token_embd")
            .ok_or_else(|| TensorError::Missing { name: "token_embd.weight".into() })?;
        let vocab = embed.rows();
        finder.table("token_embd", d, vocab)?;
        if config.ple > 0 {
            let all = u64::from(config.ple) * config.layers.len() as u64;
            let table = finder
                .find("per_layer_token_embd")
                .ok_or_else(|| TensorError::Missing { name: "per_layer_token_embd.weight".into() })?;
            // Padding rows of either table are harmless.
            finder.table("per_layer_token_embd", all, table.rows())?;
            finder.matrix("per_layer_model_proj", d, all)?;
            finder.vector("per_layer_proj_norm", u64::from(config.ple))?;
        }
        for i in 0..config.layers.len() {
            finder.layer(config, i)?;
        }
        finder.vector("output_norm", d)?;
        if finder.find("output").is_some() {
            finder.table("output", d, vocab)?;
        }
        if let Some(tensor) = finder.find("rope_freqs") {
            let half = tensor.elements();
            finder.vector("rope_freqs", half)?;
        }
        Ok(finder.list)
    }

    /// Adds the tensor `tensor` of a file as the matrix `name`.
    ///
    /// # Errors
    /// When it is missing, or is no `[k, n]`.
    pub fn add_matrix(
        &mut self,
        header: &Header,
        tensor: &str,
        name: &str,
        [k, n]: [u64; 2],
    ) -> Result<(), TensorError> {
        let tensor = header.tensor(tensor).ok_or_else(|| TensorError::Missing { name: tensor.to_owned() })?;
        Finder::expect(tensor, &[k, n])?;
        let mut finder = Finder { header, list: std::mem::take(self) };
        let added = finder.rows_of(name, tensor, k, 0..n, None);
        *self = finder.list;
        added
    }

    /// Adds the tensor `tensor` of a file as the vector `name`: all its elements, in the order of the file.
    ///
    /// # Errors
    /// When it is missing, or of another shape.
    pub fn add_vector(
        &mut self,
        header: &Header,
        tensor: &str,
        name: &str,
        shape: &[u64],
        on_host: bool,
    ) -> Result<(), TensorError> {
        let tensor = header.tensor(tensor).ok_or_else(|| TensorError::Missing { name: tensor.to_owned() })?;
        Finder::expect(tensor, shape)?;
        let dtype = Finder::dtype(tensor)?;
        let (name, range) = (name.to_owned(), tensor.range());
        let len = shape.iter().product::<u64>() as u32;
        self.vectors.push(VectorSpec { name, dtype, len, range, on_host });
        Ok(())
    }

    /// The matrix of this name.
    #[must_use]
    pub fn matrix(&self, name: &str) -> Option<&MatrixSpec> {
        self.matrices.iter().find(|m| m.name == name)
    }

    /// Pieces of the vocabulary: rows of the embedding.
    #[must_use]
    pub fn vocabulary(&self) -> u32 {
        self.matrix("token_embd").map_or(0, |m| u32::try_from(m.n).unwrap_or(u32::MAX))
    }
}
