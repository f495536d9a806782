//! The tensors of an audio tower under uniform names, with their shapes checked.

use super::config::{Conformer, Kind, Layout, PROJECTION, TowerConfig};
use crate::gguf::Header;
use crate::weights::{TensorError, TensorList};

/// Returns the matrices of a block: engine name (the same in both layouts) and shape.
fn matrices(c: &Conformer) -> [(&'static str, [u32; 2]); 10] {
    let (d, ff) = (c.width, c.feed_forward);
    [
        ("ffn_up", [d, ff]),
        ("ffn_down", [ff, d]),
        ("attn_q", [d, d]),
        ("attn_k", [d, d]),
        ("attn_v", [d, d]),
        ("attn_out", [d, d]),
        ("conv_pw1", [d, 2 * d]),
        ("conv_pw2", [d, d]),
        ("ffn_up_1", [d, ff]),
        ("ffn_down_1", [ff, d]),
    ]
}

/// The norms of a block, as long as the stream is wide: engine name, name in monolithic files, name in projector
/// files.
const NORMS: [[&str; 3]; 9] = [
    ["ffn_norm", "ffn_norm", "ffn_norm"],
    ["ffn_post_norm", "ffn_post_norm", "ffn_post_norm"],
    ["attn_pre_norm", "ln1", "attn_pre_norm"],
    ["attn_post_norm", "ln2", "attn_post_norm"],
    ["conv_norm", "conv_norm", "conv_norm"],
    ["norm_conv", "norm_conv", "norm_conv"],
    ["ffn_norm_1", "ffn_norm_1", "ffn_norm_1"],
    ["ffn_post_norm_1", "ffn_post_norm_1", "ffn_post_norm_1"],
    ["out_norm", "layer_pre_norm", "ln2"],
];

/// Returns the engine's name of a tensor of block `i`.
pub fn in_block(i: u32, name: &str) -> String {
    format!("a.blk.{i}.{name}")
}

/// Finds all tensors of a tower.
///
/// # Errors
/// The first tensor that is missing or wrong, by name.
pub fn find(header: &Header, config: &TowerConfig) -> Result<TensorList, TensorError> {
    let mut list = TensorList::default();
    let width = u64::from(config.width);
    match &config.kind {
        Kind::Raw { frame } => {
            list.add_matrix(header, PROJECTION, "projection", [u64::from(*frame), width])?;
        }
        Kind::Conformer(conformer) => {
            let mut finder = Finder { header, layout: config.layout, conformer, list: &mut list };
            finder.ends()?;
            for i in 0..conformer.blocks {
                finder.block(i)?;
            }
            list.add_matrix(header, PROJECTION, "projection", [u64::from(conformer.out), width])?;
        }
    }
    Ok(list)
}

struct Finder<'a> {
    header: &'a Header,
    layout: Layout,
    conformer: &'a Conformer,
    list: &'a mut TensorList,
}

impl Finder<'_> {
    fn of_layout<'n>(&self, monolithic: &'n str, projector: &'n str) -> &'n str {
        match self.layout {
            Layout::Monolithic => monolithic,
            Layout::Projector => projector,
        }
    }

    fn vector(&mut self, tensor: &str, name: &str, shape: &[u32]) -> Result<(), TensorError> {
        let shape: Vec<u64> = shape.iter().map(|&n| n.into()).collect();
        self.list.add_vector(self.header, &format!("{tensor}.weight"), name, &shape, false)
    }

    fn matrix(&mut self, tensor: &str, name: &str, shape: [u32; 2]) -> Result<(), TensorError> {
        self.list.add_matrix(self.header, &format!("{tensor}.weight"), name, shape.map(u64::from))
    }

    /// The tensors before and after the blocks.
    fn ends(&mut self) -> Result<(), TensorError> {
        let [c0, c1] = self.conformer.channels;
        let (d, out) = (self.conformer.width, self.conformer.out);
        for (i, (channels_in, channels)) in [(1, c0), (c0, c1)].into_iter().enumerate() {
            let name = format!("a.conv1d.{i}");
            self.vector(&name, &name, &[3, 3, channels_in, channels])?;
            self.vector(&format!("{name}.norm"), &format!("{name}.norm"), &[channels])?;
        }
        let stem = self.of_layout("a.pre_encode.out", "a.input_projection");
        self.matrix(stem, "stem", [self.conformer.stem(), d])?;
        let output = self.of_layout("mm.a.fc", "a.pre_encode.out");
        self.matrix(output, "output", [d, out])?;
        self.list.add_vector(self.header, &format!("{output}.bias"), "output.bias", &[out.into()], false)
    }

    fn block(&mut self, i: u32) -> Result<(), TensorError> {
        let c = self.conformer;
        for [name, monolithic, projector] in NORMS {
            let tensor = in_block(i, self.of_layout(monolithic, projector));
            self.vector(&tensor, &in_block(i, name), &[c.width])?;
        }
        self.vector(&in_block(i, "per_dim_scale"), &in_block(i, "per_dim_scale"), &[c.head_dim])?;
        self.vector(&in_block(i, "conv_dw"), &in_block(i, "conv_dw"), &[c.taps, c.width])?;
        let relative = in_block(i, self.of_layout("linear_pos", "attn_k_rel"));
        self.matrix(&relative, &in_block(i, "relative"), [c.width, c.width])?;
        for (name, shape) in matrices(c) {
            let name = in_block(i, name);
            self.matrix(&name, &name, shape)?;
            self.list.add_bounds(self.header, &name)?;
        }
        Ok(())
    }
}
