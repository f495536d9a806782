//! The correction of adapters in prefill against its twin: odd sizes, products without a correction, rows beyond the
//! chunk untouched.

use shaders::Kernel as _;
use shaders::adapter::expand::{Expand, Params, expand};
use shaders::matvec::Correction;
use shaders::state::State;

use crate::common::{BufferArg, Gpu, Output, assert_close, random};

/// Columns of the products and whether each is corrected, the rank of all adapters together, rows of the chunk.
fn check(products: &[(u32, bool)], rank: u32, rows: u32) {
    let n: Vec<u32> = products.iter().map(|(n, _)| *n).collect();
    let mut correction = Correction { rank, places: [None; 3] };
    let (mut stride, mut b_len) = (0, 0);
    for (place, &(n, corrected)) in correction.places.iter_mut().zip(products) {
        if corrected {
            *place = Some((stride, b_len));
            stride += rank;
            b_len += n * rank;
        }
    }
    let spare = 3; // rows of the buffers beyond the chunk
    let z = random(1, ((rows + spare) * stride) as usize);
    let b = random(2, b_len as usize);
    let scales: Vec<f32> = (0..rank).map(|j| if j < rank / 2 { 0.25 } else { -1.5 }).collect();
    let y: Vec<Vec<f32>> = (0..).zip(&n).map(|(i, n)| random(3 + i, ((rows + spare) * n) as usize)).collect();

    let params = Params::new(&n, stride, &correction);
    let state = State { len: rows, ..State::default() };
    let mut args = vec![
        BufferArg::uniform(&params),
        BufferArg::read(&[state]),
        BufferArg::read(&z),
        BufferArg::read(&b),
        BufferArg::read(&scales),
    ];
    args.extend(y.iter().map(|y| BufferArg::read_write(y)));
    let kernel = Expand(products.len()).source().expect("the template expands");
    // More workgroups than the chunk has rows: those beyond must leave.
    let got = Gpu::get().run(&kernel, &args, params.dispatch(rows + spare));
    let got: Vec<Vec<f32>> = got.iter().map(Output::f32s).collect();

    for (i, &(n, _)) in products.iter().enumerate() {
        let n = n as usize;
        let (chunk, beyond) = y[i].split_at(rows as usize * n);
        let want = match correction.places[i] {
            None => chunk.to_vec(),
            Some((z_at, b_at)) => {
                let part: Vec<f32> = z
                    .chunks_exact(stride as usize)
                    .take(rows as usize)
                    .flat_map(|row| row[z_at as usize..][..rank as usize].to_vec())
                    .collect();
                expand(chunk, &part, &b[b_at as usize..][..n * rank as usize], &scales)
            }
        };
        assert_close(&got[i][..chunk.len()], &want, 1e-4, 1e-5);
        assert_eq!(&got[i][chunk.len()..], beyond, "rows beyond the chunk");
    }
}

#[test]
fn one_to_three_products_of_odd_sizes() {
    check(&[(67, true)], 4, 1);
    check(&[(64, true)], 256, 9);
    check(&[(130, true), (130, true)], 12, 17);
    check(&[(33, false), (65, true)], 8, 5);
    check(&[(70, true), (9, true), (31, true)], 20, 23);
    check(&[(70, true), (9, false), (31, true)], 16, 8);
    check(&[(70, false), (9, true), (31, false)], 64, 3);
}
