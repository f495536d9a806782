//! Kernels that read or write planar weights, against their twins, on odd sizes and every storage type.

#![allow(clippy::unwrap_used)]

use shaders::Kernel as _;
use shaders::forms::Scales;
use shaders::matmul::{
    self, Clamps, FewRows, Matmul, PackedMatmul, PackedTile, Tile, matmul, matmul_clamped,
    pack_rows::PackRows,
};
use shaders::matvec;
use shaders::ple::combine::{self, Table, combine};
use shaders::ple::locate;
use shaders::quant::{dequantize, planar_values, quantize, repack};
use shaders::repack::{
    Repack,
    requantize::{Requantize, TARGET},
};
use shaders::state::State;
use shaders::{DType, PlanarLayout, embed, repack as repack_kernel};

use crate::common::{BufferArg, Gpu, assert_close, check, is_thorough, random, some_types};
use crate::permutations::few_products;

/// A row length that is odd in units (floats) or blocks.
fn odd_k(dtype: DType) -> u64 {
    match dtype.block_elements() {
        1 => 16 * 5,
        32 => 32 * 3,
        _ => 256 * 3,
    }
}

/// A quantised matrix: file bytes, layout and planes.
struct Matrix {
    bytes: Vec<u8>,
    layout: PlanarLayout,
    words: Vec<u32>,
}

fn matrix(dtype: DType, k: u64, n: u64) -> Matrix {
    let values: Vec<f32> = random(k + n, (k * n) as usize).iter().map(|x| x * 0.05).collect();
    let bytes = quantize(dtype, &values).unwrap();
    let words = repack(dtype, k, n, &bytes).unwrap();
    Matrix { bytes, layout: PlanarLayout::new(dtype, k, n).unwrap(), words }
}

/// A matrix of arbitrary codes and scales, in which every bit of the file matters.
fn arbitrary_matrix(dtype: DType, k: u64, n: u64) -> Matrix {
    let count = (dtype.row_bytes(k).unwrap() * n) as usize;
    let mut bytes: Vec<u8> = random(k, count).iter().map(|x| (x * 65536.0) as i32 as u8).collect();
    // The half that becomes a float is kept finite: a NaN may change its bits on the way.
    let last = dtype.block_bytes() - 1;
    let half = match dtype {
        DType::Q3_K | DType::Q6_K | DType::IQ1_M | DType::TQ2_0 | DType::TQ1_0 => last,
        _ => 1,
    };
    if let Scales::Bytes16 | Scales::Bytes32 | Scales::Blocks = dtype.scales() {
        bytes.chunks_exact_mut(last + 1).for_each(|block| block[half] &= 0xbf);
    }
    let words = repack(dtype, k, n, &bytes).unwrap();
    Matrix { bytes, layout: PlanarLayout::new(dtype, k, n).unwrap(), words }
}

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { len, ..State::default() }])
}

#[test]
fn repacking_in_pieces_gives_the_words_of_the_twin() {
    let gpu = Gpu::get();
    for dtype in DType::ALL {
        for k in [odd_k(dtype), 512] {
            let n = 11u64;
            let matrix = arbitrary_matrix(dtype, k, n);
            let row_bytes = dtype.row_bytes(k).unwrap() as usize;
            let source = Repack(dtype).source().unwrap();
            let mut words = vec![0u32; matrix.words.len()];
            for (row, rows, byte_offset) in [(0u32, 4u32, 0usize), (4, 4, 2), (8, 3, 6)] {
                assert!(row.is_multiple_of(repack_kernel::rows_alignment(dtype, k as u32)));
                let mut piece = vec![0xa5u8; byte_offset];
                piece.extend(&matrix.bytes[row as usize * row_bytes..(row + rows) as usize * row_bytes]);
                piece.resize(piece.len().next_multiple_of(4), 0x5a);
                let params =
                    repack_kernel::Params::new(&matrix.layout, row, rows, byte_offset as u32).unwrap();
                let args =
                    [BufferArg::uniform(&params), BufferArg::Read(piece), BufferArg::read_write(&words)];
                words = gpu.run(&source, &args, repack_kernel::dispatch(dtype, &params)).remove(0).u32s();
            }
            let wrong = words.iter().zip(&matrix.words).position(|(got, want)| got != want);
            assert_eq!(wrong, None, "{dtype}, k = {k}");
        }
    }
}

#[test]
fn requantised_floats_are_within_half_a_code() {
    let (k, n) = (96u64, 11u64);
    let layout = PlanarLayout::new(TARGET, k, n).unwrap();
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        check(&Requantize(dtype));
        // From the largest scales to subnormal ones.
        let sizes = random(8, (k * n / 32) as usize);
        let sizes = sizes.iter().flat_map(|size| [(size * 14.0).exp2(); 32]);
        let values: Vec<f32> =
            random(7, (k * n) as usize).iter().zip(sizes).map(|(x, size)| x * size).collect();
        let bytes = quantize(dtype, &values).unwrap();
        let row_bytes = dtype.row_bytes(k).unwrap() as usize;
        let source = Requantize(dtype).source().unwrap();
        let mut words = vec![0u32; layout.words as usize];
        for (row, rows, byte_offset) in [(0u32, 4u32, 0usize), (4, 2, 2), (6, 5, 6)] {
            let mut piece = vec![0xa5u8; byte_offset];
            piece.extend(&bytes[row as usize * row_bytes..(row + rows) as usize * row_bytes]);
            piece.resize(piece.len().next_multiple_of(4), 0x5a);
            let params = repack_kernel::Params::new(&layout, row, rows, byte_offset as u32).unwrap();
            let args = [BufferArg::uniform(&params), BufferArg::Read(piece), BufferArg::read_write(&words)];
            let grid = repack_kernel::requantize::dispatch(&params);
            words = Gpu::get().run(&source, &args, grid).remove(0).u32s();
        }
        let mut stored = vec![0.0; values.len()];
        dequantize(dtype, &bytes, &mut stored).unwrap();
        let found: Vec<f32> = (0..layout.n).flat_map(|row| planar_values(&layout, &words, row)).collect();
        for (block, (found, stored)) in found.chunks(32).zip(stored.chunks(32)).enumerate() {
            let largest = stored.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            // The scale is a half: a subnormal one is off by up to 2^-25, which the largest code multiplies.
            let allowed = largest / 127.0 * 0.57 + 127.0 * 2f32.powi(-25);
            for (found, stored) in found.iter().zip(stored) {
                assert!((found - stored).abs() <= allowed, "{dtype}, block {block}: {found} for {stored}");
            }
        }
    }
}

#[test]
fn pieces_that_share_words_are_refused() {
    let layout = PlanarLayout::new(DType::Q8_0, 96, 11).unwrap();
    assert!(matches!(
        repack_kernel::Params::new(&layout, 1, 2, 0),
        Err(repack_kernel::PieceError::Alignment { .. })
    ));
    assert!(matches!(
        repack_kernel::Params::new(&layout, 0, 2, 3),
        Err(repack_kernel::PieceError::Alignment { .. })
    ));
    assert!(matches!(
        repack_kernel::Params::new(&layout, 2, 10, 0),
        Err(repack_kernel::PieceError::Range { .. })
    ));
}

#[test]
fn gathered_rows_are_the_file_s_rows() {
    let gpu = Gpu::get();
    for dtype in DType::readers() {
        let (k, n, row0) = (odd_k(dtype), 9u64, 100);
        let matrix = matrix(dtype, k, n);
        // Two tokens of other parts, and one more slot than the step has.
        let tokens = [103u32, 99, 108, 109, 100, 104];
        let len = 5;
        let params = embed::gather::Params::new(&matrix.layout, row0, 1.5);
        let untouched = vec![-7.0f32; tokens.len() * k as usize];
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&matrix.words),
            BufferArg::read(&tokens),
            state(len),
            BufferArg::read_write(&untouched),
        ];
        let source = embed::gather::Gather(dtype).source().unwrap();
        let got = gpu.run(&source, &args, params.dispatch(tokens.len() as u32)).remove(0).f32s();

        let mut twin = untouched.clone();
        embed::gather::gather(&matrix.layout, &matrix.words, row0, 1.5, &tokens[..len as usize], &mut twin);
        assert_close(&got, &twin, 1e-6, 1e-6);

        let mut file = vec![0.0; (k * n) as usize];
        dequantize(dtype, &matrix.bytes, &mut file).unwrap();
        let mut want = untouched;
        for (t, &token) in tokens[..len as usize].iter().enumerate() {
            if let Some(row) = token.checked_sub(row0).filter(|&row| u64::from(row) < n) {
                for e in 0..k as usize {
                    want[t * k as usize + e] = 1.5 * file[row as usize * k as usize + e];
                }
            }
        }
        assert_close(&got, &want, 1e-6, 1e-6);
    }
}

#[test]
fn per_layer_inputs_follow_the_formula() {
    let gpu = Gpu::get();
    let (d, layers, p, count, eps) = (96u32, 3u32, 256u32, 4usize, 1e-6f32);
    let row = (layers * p) as usize;
    let proj: Vec<f32> = random(1, count * row).iter().map(|x| x * 9.0).collect();
    let norm = random(2, p as usize);
    let tokens = [2u32, 0, 4, 2];
    let len = 3u32;

    let check = |got: &[f32], table: &dyn Fn(usize) -> Vec<f32>, params: &combine::Params| {
        let mut want = Vec::new();
        for t in 0..len as usize {
            let table = table(t);
            for l in 0..layers as usize {
                let range = l * p as usize..(l + 1) * p as usize;
                want.extend(combine(params, &proj[t * row..][range.clone()], &norm, &table[range]));
            }
        }
        want.resize(count * row, -7.0);
        assert_close(got, &want, 1e-5, 1e-5);
    };
    let untouched = vec![-7.0f32; count * row];

    for dtype in DType::readers() {
        let matrix = matrix(dtype, row as u64, 5);
        let params = combine::Params::new(d, layers, p, eps).with_table(&matrix.layout, 0);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&proj),
            BufferArg::read(&norm),
            state(len),
            BufferArg::read(&matrix.words),
            BufferArg::read_write(&untouched),
            BufferArg::read(&tokens),
        ];
        let source = combine::Combine(Table::Planar(dtype)).source().unwrap();
        let got = gpu.run(&source, &args, params.dispatch(count as u32)).remove(0).f32s();
        let mut file = vec![0.0; 5 * row];
        dequantize(dtype, &matrix.bytes, &mut file).unwrap();
        check(&got, &|t| file[tokens[t] as usize * row..][..row].to_vec(), &params);
    }

    let table = random(3, count * row);
    let params = combine::Params::new(d, layers, p, eps);
    let args = [
        BufferArg::uniform(&params),
        BufferArg::read(&proj),
        BufferArg::read(&norm),
        state(len),
        BufferArg::read(&table),
        BufferArg::read_write(&untouched),
    ];
    let source = combine::Combine(Table::Host).source().unwrap();
    let got = gpu.run(&source, &args, params.dispatch(count as u32)).remove(0).f32s();
    check(&got, &|t| table[t * row..][..row].to_vec(), &params);
}

#[test]
fn a_token_whose_row_is_not_in_the_cache_ends_its_step_and_a_draft_is_rejected() {
    let params = locate::Params::new(3);
    let source = locate::Locate { few_rows: true }.source().unwrap();
    let slots = [locate::NONE, 2, 0];
    for (token, len, after) in [(4, 1, 1), (1, 1, 0), (4, 0, 0), (4, 4, 4), (1, 4, 0)] {
        // Drafts follow: one whose row is there, one whose row is not, and another one.
        let tokens = [token, 8, 2, 3];
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read_write(&[State { len, pos: 7, ..State::default() }]),
            BufferArg::read(&slots),
            BufferArg::read_write(&tokens),
            BufferArg::read_write(&[9_u32; 4]),
        ];
        let got = Gpu::get().run(&source, &args, locate::dispatch(len.max(1)));
        let after = State { len: after, pos: 7, ..State::default() };
        assert_eq!(got[0].u32s(), bytemuck::cast_slice::<_, u32>(&[after]));
        let kept = if len > 2 { [token, 8, locate::NONE, 3] } else { tokens };
        assert_eq!(got[1].u32s(), kept);
        let mut rows = locate::locate(&params, &slots, &tokens[..len as usize]);
        rows.resize(4, 9);
        assert_eq!(got[2].u32s(), rows);
    }
}

#[test]
fn matrix_products_match_the_twin() {
    let gpu = Gpu::get();
    // Tokens and rows that are no multiples of the tiles; one more slot than the step has.
    for (tile, count, n) in [
        (Tile::LARGE, 70u32, 133u64),
        (Tile::MEDIUM, 37, 70),
        (Tile::SMALL, 19, 37),
        (Tile::SOFTWARE, 37, 70),
    ] {
        let types = if tile == Tile::SMALL { DType::readers().collect() } else { some_types() };
        for dtype in types {
            let k = odd_k(dtype);
            let matrix = matrix(dtype, k, n);
            let x = random(5, (count + 1) as usize * k as usize);
            let params = matmul::Params::new(&matrix.layout);
            let untouched = vec![-7.0f32; (count + 1) as usize * n as usize];
            let args = [
                BufferArg::uniform(&params),
                BufferArg::read(&matrix.words),
                state(count),
                BufferArg::read(&x),
                BufferArg::read_write(&untouched),
            ];
            let source = Matmul { tile, dtype, clamped: false }.source().unwrap();
            let got = gpu.run(&source, &args, tile.dispatch(&params, count + 1)).remove(0).f32s();
            let mut want = matmul(&matrix.layout, &matrix.words, &x[..count as usize * k as usize]);
            want.resize(untouched.len(), -7.0);
            assert_close(&got, &want, 2e-5, 1e-5);
        }
    }
}

#[test]
fn clipped_products_match_the_twin() {
    let gpu = Gpu::get();
    for (tile, dtype) in [(Tile::LARGE, DType::F16), (Tile::MEDIUM, DType::F32), (Tile::SMALL, DType::Q8_0)] {
        let (count, k, n) = (19u32, odd_k(dtype), 70u64);
        let matrix = matrix(dtype, k, n);
        let x = random(6, count as usize * k as usize);
        // Narrow enough that every bound is met.
        let clamps = Clamps { input: [-0.3, 0.6], output: [-0.02, 0.01] };
        let params = matmul::Params::new(&matrix.layout).with_clamps(clamps);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&matrix.words),
            state(count),
            BufferArg::read(&x),
            BufferArg::zeros(count as usize * n as usize),
        ];
        let source = Matmul { tile, dtype, clamped: true }.source().unwrap();
        let got = gpu.run(&source, &args, tile.dispatch(&params, count)).remove(0).f32s();
        let want = matmul_clamped(&matrix.layout, &matrix.words, &x, &clamps);
        let plain = matmul(&matrix.layout, &matrix.words, &x);
        assert!(want.contains(&-0.02) && want.contains(&0.01) && want != plain);
        assert_close(&got, &want, 2e-5, 1e-5);
    }
}

#[test]
fn a_few_rows_are_multiplied_by_matrices_of_every_type_and_in_every_form() {
    for dtype in some_types() {
        let form = matvec::Form::new(4, 2, 1);
        check(&FewRows::new(4, &[dtype], form));
        let beside = if dtype.is_float() { vec![dtype] } else { vec![DType::Q4_K, dtype] };
        check(&FewRows::new(4, &beside, form.packed()));
    }
    // Every form with the fewest and the most rows. Four were tried above.
    let ends = [FewRows::ROWS[0], FewRows::ROWS[FewRows::ROWS.len() - 1]];
    for kernel in few_products(DType::Q4_K).filter(|it| is_thorough() || ends.contains(&it.rows)) {
        check(&kernel);
    }
    check(&PackRows);
}

#[test]
fn packed_tiles_multiply_every_quantised_type() {
    // Their texts differ in what decode's packed products have too, and naga validates all.
    let is_run = |dtype: &DType| is_thorough() || [DType::Q4_K, DType::Q6_K, DType::Q8_0].contains(dtype);
    for dtype in DType::readers().filter(|dtype| PackedTile::suits(*dtype, 512)).filter(is_run) {
        for tile in PackedTile::ALL {
            check(&PackedMatmul { tile, dtype, experts: false });
        }
        if is_thorough() || dtype == DType::Q4_K {
            check(&PackedMatmul { tile: PackedTile::EXPERTS, dtype, experts: true });
        }
    }
}
