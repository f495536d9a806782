//! Scales that are subnormal halves, on a device that takes these for 0 when it unpacks them, as WGSL lets it.

#![allow(clippy::unwrap_used)]

use half::f16;
use shaders::embed::gather::Gather;
use shaders::matmul::{FewRows, Matmul, Tile};
use shaders::matvec::{self, Epilogue, LowRank, Matvec, Prologue};
use shaders::quant::repack;
use shaders::repack::{self as repack_kernel, Repack, requantize::Requantize};
use shaders::{DType, Kernel, PlanarLayout, Source};

use crate::common::{BufferArg, Gpu, check_as, is_thorough};

/// The kernel as such a device computes it.
fn flushing(source: Source) -> Source {
    let unpacking = source.wgsl.replace("unpack2x16float(", "flushed_halves(");
    let flushed = "
fn flushed_halves(pair: u32) -> vec2<f32> {
    let low = select(pair & 0xffffu, 0u, (pair & 0x7c00u) == 0u);
    let high = select(pair & 0xffff0000u, 0u, (pair & 0x7c000000u) == 0u);
    return unpack2x16float(low | high);
}
";
    Source { name: format!("{}, flushing", source.name), wgsl: (unpacking + flushed).into(), ..source }
}

fn check(kernel: &dyn Kernel) {
    check_as(kernel, flushing);
}

fn quantised() -> impl Iterator<Item = DType> {
    DType::readers().filter(|dtype| !dtype.is_float())
}

#[test]
fn rows_are_gathered_all_the_same() {
    quantised().for_each(|dtype| check(&Gather(dtype)));
}

#[test]
fn floats_are_requantised_all_the_same() {
    check(&Requantize(DType::F16));
}

#[test]
fn products_are_the_same() {
    for dtype in quantised() {
        check(&Matmul { tile: Tile::SMALL, dtype, clamped: false });
        // The others read planes by the same functions.
        let thorough = if is_thorough() { 2 } else { 0 };
        let form = matvec::Form::new(4, 2, 1);
        for form in [form, form.packed()].into_iter().take(thorough) {
            check(&FewRows::new(4, &[dtype], form));
        }
        let forms = [matvec::Form::new(4, 4, 1).packed(), matvec::Form::default()];
        for form in forms.into_iter().take(thorough.max(1)) {
            let (prologue, epilogue) = (Prologue::Plain, Epilogue::Store);
            let dtypes = vec![dtype];
            check(&Matvec { k: 768, dtypes, prologue, epilogue, low_rank: LowRank::NONE, form });
        }
    }
}

#[test]
fn every_finite_super_scale_becomes_its_float() {
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).filter(|half| half.is_finite()).collect();
    for (dtype, at) in [(DType::Q3_K, 108), (DType::Q6_K, 208), (DType::IQ3_XXS, 0), (DType::IQ2_S, 0)] {
        let (k, n) = (256, all.len() as u64);
        let mut bytes = vec![0x5a; dtype.block_bytes() * all.len()];
        for (block, scale) in bytes.chunks_exact_mut(dtype.block_bytes()).zip(&all) {
            block[at..at + 2].copy_from_slice(&scale.to_le_bytes());
        }
        let layout = PlanarLayout::new(dtype, k, n).unwrap();
        let want = repack(dtype, k, n, &bytes).unwrap();
        let params = repack_kernel::Params::new(&layout, 0, n as u32, 0).unwrap();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let args = [BufferArg::uniform(&params), BufferArg::Read(bytes), BufferArg::zeros(want.len())];
        let source = flushing(Repack(dtype).source().unwrap());
        let got = Gpu::get().run(&source, &args, repack_kernel::dispatch(dtype, &params)).remove(0).u32s();
        let wrong = got.iter().zip(&want).filter(|(got, want)| got != want).count();
        assert_eq!(wrong, 0, "{dtype}: words that differ");
    }
}
