//! The kernels of the vision towers against their CPU twins.

use shaders::Kernel as _;
use shaders::quant::{quantize, repack};
use shaders::state::State;
use shaders::vision::heads::{self, Inputs};
use shaders::vision::layer_norm::{self, LayerNorm};
use shaders::vision::{PatchGrid, patches, pool, position};
use shaders::{DType, PlanarLayout};

use crate::common::{BufferArg, Gpu, assert_close, random};

const EPS: f32 = 1e-6;

fn state(len: u32) -> BufferArg {
    BufferArg::read(&[State { len, ..State::default() }])
}

/// Values with room behind them, which must stay as it is.
fn padded(values: &[f32], padding: usize) -> Vec<f32> {
    [values, &vec![7.0; padding]].concat()
}

#[test]
fn patches_are_cut_as_the_twin_cuts_them() {
    for (side, columns, rows) in [(16, 1, 1), (16, 7, 3), (48, 2, 3), (16, 36, 1)] {
        let picture = PatchGrid { columns, rows };
        let rgb: Vec<u8> = random(1, (picture.patches() * 3 * side * side) as usize)
            .iter()
            .map(|v| (v * 128.0 + 128.0) as u8)
            .collect();
        for params in [patches::Params::SIGNED, patches::Params::UNSIGNED] {
            let want = patches::patches(side, &params, picture, &rgb);
            let args = [
                BufferArg::uniform(&params),
                BufferArg::read(&[picture]),
                BufferArg::read(&rgb),
                BufferArg::read_write(&vec![7.0f32; want.len() + 64]),
            ];
            let source = patches::Patches { side }.source().expect("the template preprocesses");
            let grid = patches::dispatch(side, picture.patches() + 2);
            let got = Gpu::get().run(&source, &args, grid)[0].f32s();
            assert_close(&got, &padded(&want, 64), 1e-6, 0.0);
        }
    }
}

#[test]
fn positions_are_added_from_tables_of_any_type() {
    let picture = PatchGrid { columns: 5, rows: 3 };
    for dtype in DType::readers() {
        let k = if dtype.block_elements() == 1 { 16 * 9 } else { 256 };
        let table = |seed: u64| {
            let bytes = quantize(dtype, &random(seed, 7 * k)).expect("a table");
            let words = repack(dtype, k as u64, 7, &bytes).expect("planes");
            (PlanarLayout::new(dtype, k as u64, 7).expect("a layout"), words)
        };
        let (x, y) = (table(1), table(2));
        let h = random(3, picture.patches() as usize * k);
        let mut want = h.clone();
        position::position(picture, (&x.0, &x.1), (&y.0, &y.1), &mut want);
        let params = position::Params::new(&x.0, &y.0);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&[picture]),
            BufferArg::read(&x.1),
            BufferArg::read(&y.1),
            BufferArg::read_write(&padded(&h, k)),
        ];
        let source = position::Positions(dtype).source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, params.dispatch(picture.patches() + 2))[0].f32s();
        assert_close(&got, &padded(&want, k), 1e-5, 1e-5);
    }
}

#[test]
fn heads_are_normed_and_turned() {
    let picture = PatchGrid { columns: 7, rows: 3 };
    for head_dim in [16, 64, 72, 128] {
        let hd = head_dim as usize;
        let params = heads::Params { heads: 3, q_norm: 5, k_norm: 5 + head_dim, eps: EPS };
        let vectors = random(1, 5 + 2 * hd);
        let rope = heads::table(100.0, head_dim, 9);
        let rows: Vec<Vec<f32>> =
            (2..5).map(|seed| random(seed, picture.patches() as usize * 3 * hd)).collect();
        let mut args = vec![
            BufferArg::uniform(&params),
            BufferArg::read(&[picture]),
            BufferArg::read(&vectors),
            BufferArg::read(&rope),
        ];
        args.extend(rows.iter().map(|rows| BufferArg::read_write(&padded(rows, 3 * hd))));
        let source = heads::Heads { head_dim }.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, params.dispatch(picture.patches() + 1));

        let inputs = Inputs { grid: picture, vectors: &vectors, rope: &rope };
        let norms = [Some(params.q_norm), Some(params.k_norm), None];
        for ((got, rows), norm) in got.iter().zip(&rows).zip(norms) {
            let mut want = rows.clone();
            heads::heads(head_dim, &params, inputs, norm, &mut want);
            assert_close(&got.f32s(), &padded(&want, 3 * hd), 2e-6, 1e-5);
        }
    }
}

#[test]
fn squares_of_patches_are_averaged() {
    for (columns, rows, width) in [(3, 3, 4), (9, 6, 144), (3, 12, 1152)] {
        let picture = PatchGrid { columns, rows };
        let h = random(1, (picture.patches() * width) as usize);
        let vectors = random(2, 8 + 2 * width as usize);
        let params = pool::Params { width4: width / 4, std_bias: 4, std_scale: 8 + width, eps: EPS };
        for standardise in [false, true] {
            let want = pool::pool(&params, picture, &h, standardise.then_some(&vectors[..]));
            let mut args = vec![
                BufferArg::uniform(&params),
                BufferArg::read(&[picture]),
                BufferArg::read(&h),
                BufferArg::read_write(&vec![7.0f32; want.len() + width as usize]),
            ];
            if standardise {
                args.push(BufferArg::read(&vectors));
            }
            let source = pool::Pool { standardise }.source().expect("the template preprocesses");
            let got = Gpu::get().run(&source, &args, pool::dispatch(picture.patches() + 9))[0].f32s();
            assert_close(&got, &padded(&want, width as usize), 2e-6, 1e-5);
        }
    }
}

#[test]
fn layer_norms_match_their_twin() {
    for (width, rows) in [(4, 1), (256, 5), (6912, 2)] {
        // An offset that a norm without a mean would notice.
        let x: Vec<f32> = random(1, (width * rows) as usize).iter().map(|v| v + 3.0).collect();
        let vectors = random(2, 3 * width as usize + 9);
        for form in [(false, false), (true, false), (false, true), (true, true)] {
            let form = LayerNorm { bias: form.0, rms: form.1 };
            let params = layer_norm::Params {
                width4: width / 4,
                weight: 4,
                bias: width + 4,
                before: 2 * width + 8,
                eps: 1e-5,
                rms_eps: EPS,
                ..layer_norm::Params::default()
            };
            let args = [
                BufferArg::uniform(&params),
                state(rows),
                BufferArg::read(&vectors),
                BufferArg::read(&padded(&x, width as usize)),
                BufferArg::read_write(&vec![7.0f32; x.len() + width as usize]),
            ];
            let source = form.source().expect("the template preprocesses");
            let got = Gpu::get().run(&source, &args, layer_norm::dispatch(rows + 1))[0].f32s();
            let want = layer_norm::layer_norm(form, &params, &vectors, &x);
            assert_close(&got, &padded(&want, width as usize), 1e-5, 1e-4);
        }
    }
}
