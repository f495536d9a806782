//! The kernels of the audio tower against their CPU twins. What looks back is run in steps of uneven lengths, as when a
//! clip is encoded while it is spoken, and must give what the whole clip gives.

use shaders::Kernel as _;
use shaders::audio::attention::{self, Inputs, KEYS};
use shaders::audio::conv2d::{self, Conv2d};
use shaders::audio::{light_conv, silu, unit_norm};
use shaders::state::State;

use crate::common::{BufferArg, Gpu, assert_close, random};

const EPS: f32 = 1e-6;

fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

fn state(pos: u32, len: u32) -> BufferArg {
    BufferArg::read(&[State { pos, len, ..State::default() }])
}

/// Adds one row that no step has, which must stay as it is.
fn padded(values: &[f32], width: usize) -> Vec<f32> {
    [values, &vec![7.0; width]].concat()
}

#[test]
fn silu_matches_its_twin() {
    for (width, rows) in [(4, 1), (100, 7), (2048, 3)] {
        let params = silu::Params::new(width);
        let mut x: Vec<f32> = random(1, (width * rows) as usize).iter().map(|v| v * 9.0).collect();
        x[0] = -1e30;
        x[1] = 1e30;
        let want = padded(&as_f32(&x.iter().map(|&v| silu::silu(v.into())).collect::<Vec<_>>()), 4);
        let args = [BufferArg::uniform(&params), state(3, rows), BufferArg::read_write(&padded(&x, 4))];
        let source = silu::Silu.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, silu::dispatch(&params, rows + 1))[0].f32s();
        assert_close(&got, &want, 1e-6, 1e-5);
    }
}

#[test]
fn unit_norm_matches_its_twin() {
    for (width, rows, bias) in [(4, 1, None), (640, 3, None), (192, 5, Some(8)), (1540, 2, Some(4))] {
        let params = unit_norm::Params::new(width, bias, EPS);
        let vectors = random(2, width as usize + 8);
        let mut x = random(3, (width * rows) as usize);
        // Zeros: with no bias, ε alone keeps this row from NaN.
        x[..width as usize].fill(0.0);
        let want = padded(&as_f32(&unit_norm::unit_norm(&params, &vectors, &x)), width as usize);
        let args = [
            BufferArg::uniform(&params),
            state(0, rows),
            BufferArg::read(&vectors),
            BufferArg::read(&padded(&x, width as usize)),
            BufferArg::read_write(&vec![7.0f32; want.len()]),
        ];
        let source = unit_norm::UnitNorm.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, unit_norm::dispatch(rows + 1))[0].f32s();
        assert_close(&got, &want, 1e-6, 1e-5);
    }
}

#[test]
fn conv2d_matches_its_twin() {
    // Channels in and out, frequencies, rows of output, position of the first one, positions of the clip.
    let cases = [
        (1, 128, 128, 5, -1, 4),
        (1, 128, 37, 3, 6, 8),
        (128, 32, 64, 3, 0, 3),
        (128, 32, 5, 2, 9, i32::MAX),
        (16, 8, 67, 4, -1, 2),
    ];
    for (channels_in, channels, freq_in, rows, first, end) in cases {
        assert!(Conv2d::takes(channels_in, channels));
        let kernel = Conv2d::new(channels_in, channels);
        let count = (9 * channels_in * channels) as usize;
        let vectors = random(4, count + channels as usize + 1);
        let params = conv2d::Params {
            first,
            end,
            freq_in,
            freq_out: freq_in.div_ceil(2),
            channels_in,
            weights: 1,
            norm: 1 + count as u32,
            eps: EPS,
        };
        let x = random(5, ((2 * rows + 1) * freq_in * channels_in) as usize);
        let want = as_f32(&kernel.twin(&params, &vectors, &x, rows as usize));
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&vectors),
            BufferArg::read(&x),
            BufferArg::read_write(&vec![7.0f32; want.len()]),
        ];
        let source = kernel.source().expect("the template preprocesses");
        let got = Gpu::get().run(&source, &args, Conv2d::dispatch(&params, rows))[0].f32s();
        assert_close(&got, &want, 1e-5, 1e-4);
    }
}

#[test]
fn attention_matches_its_twin_step_by_step() {
    for (heads, head_dim, steps) in
        [(1, 128, vec![1, 30, 2, 7]), (3, 64, vec![5, 5, 5, 20]), (2, 128, vec![1; 15])]
    {
        let width = (heads * head_dim) as usize;
        let most = steps.iter().copied().max().unwrap_or(0);
        let rows = steps.iter().sum::<u32>() as usize;
        let slots = attention::slots(most);
        let params = attention::Params::new(heads, head_dim, slots, 1);
        // Large enough that the cap matters.
        let large = |seed| -> Vec<f32> { random(seed, rows * width).iter().map(|v| v * 4.0).collect() };
        let (q, k, v) = (large(6), large(7), large(8));
        let vectors = random(9, head_dim as usize + 1);
        let relative = random(10, KEYS as usize * width);
        let inputs = Inputs { q: &q, k: &k, v: &v, relative: &relative, scale: &vectors[1..] };
        let want = as_f32(&attention::attention(&params, &inputs));
        let source = attention::Attention { head_dim }.source().expect("the template preprocesses");
        let mut past = vec![f32::NAN; 2 * slots as usize * width];
        let mut pos = 0;
        for len in steps {
            let of_step = pos as usize * width..(pos + len) as usize * width;
            let args = [
                BufferArg::uniform(&params),
                state(pos, len),
                BufferArg::read(&vectors),
                BufferArg::read(&q[of_step.clone()]),
                BufferArg::read(&k[of_step.clone()]),
                BufferArg::read(&v[of_step.clone()]),
                BufferArg::read(&relative),
                BufferArg::read_write(&past),
                BufferArg::read_write(&vec![7.0f32; of_step.len() + width]),
            ];
            let outputs = Gpu::get().run(&source, &args, attention::dispatch(&params, len + 1));
            past = outputs[0].f32s();
            assert_close(&outputs[1].f32s(), &padded(&want[of_step], width), 1e-5, 1e-4);
            pos += len;
        }
    }
}

#[test]
fn attention_reaches_no_further_than_its_keys() {
    let (width, rows) = (128, 20);
    let params = attention::Params::new(1, 128, attention::slots(20), 0);
    let (q, k, mut v) = (random(1, rows * width), random(2, rows * width), random(3, rows * width));
    let (scale, relative) = (vec![1.0; width], vec![0.0; KEYS as usize * width]);
    let last = |v: &[f32]| {
        let inputs = Inputs { q: &q, k: &k, v, relative: &relative, scale: &scale };
        attention::attention(&params, &inputs)[(rows - 1) * width..].to_vec()
    };
    let before = last(&v);
    v[..(rows - KEYS as usize) * width].fill(1e3);
    assert_eq!(last(&v), before);
    v[(rows - KEYS as usize) * width] = 1e3;
    assert_ne!(last(&v), before);
}

#[test]
fn encodings_of_distances_are_sines_then_cosines() {
    let rows = attention::encodings(8);
    assert_eq!(rows[..8], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    assert!((rows[8] - 1f32.sin()).abs() < 1e-7 && (rows[12] - 1f32.cos()).abs() < 1e-7);
    assert!((rows[11] - 1e-4).abs() < 1e-9, "the slowest turns by a ten-thousandth");
}

#[test]
fn light_conv_matches_its_twin_step_by_step() {
    for (width, taps, steps) in
        [(4, 5, vec![1, 2, 9]), (256, 5, vec![3, 1, 1, 1, 1, 8]), (1028, 3, vec![4, 4])]
    {
        let rows = steps.iter().sum::<u32>() as usize;
        let slots = light_conv::slots(steps.iter().copied().max().unwrap_or(0), taps);
        let vectors = random(11, (width * taps + width) as usize + 4);
        let params = light_conv::Params {
            width4: width / 4,
            taps,
            slots,
            weights: 4,
            norm: 4 + width * taps,
            eps: EPS,
            pad: [0; 2],
        };
        let width = width as usize;
        let x: Vec<f32> = random(12, rows * 2 * width).iter().map(|v| v * 3.0).collect();
        let want = as_f32(&light_conv::light_conv(&params, &vectors, &x));
        let source = light_conv::LightConv.source().expect("the template preprocesses");
        let mut past = vec![f32::NAN; slots as usize * width];
        let mut pos = 0;
        for len in steps {
            let of_step = pos as usize * width..(pos + len) as usize * width;
            let args = [
                BufferArg::uniform(&params),
                state(pos, len),
                BufferArg::read(&vectors),
                BufferArg::read(&x[2 * of_step.start..2 * of_step.end]),
                BufferArg::read_write(&past),
                BufferArg::read_write(&vec![7.0f32; of_step.len() + width]),
            ];
            let outputs = Gpu::get().run(&source, &args, light_conv::dispatch(len + 1));
            past = outputs[0].f32s();
            assert_close(&outputs[1].f32s(), &padded(&want[of_step], width), 1e-5, 1e-4);
            pos += len;
        }
    }
}
