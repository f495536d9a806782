//! The kernels of a drafter against their CPU twins.

use shaders::draft::clusters::Clusters;
use shaders::draft::{input, ordered_head};
use shaders::quant::{quantize, repack};
use shaders::sampling::draft::Draft;
use shaders::sampling::mask::Mask;
use shaders::selftest::Reading;
use shaders::state::State;
use shaders::{DType, Kernel};

use crate::common::{BufferArg, Gpu, check, random, some_types};

#[test]
fn they_pass_their_own_test() {
    check(&Draft);
    check(&Mask);
    check(&Clusters);
    for dtype in some_types() {
        check(&input::Input(dtype));
        check(&ordered_head::OrderedHead(dtype));
    }
}

/// Every step, for a table in two parts: each leaves the embeddings of the other part's tokens alone.
#[test]
fn each_part_of_a_table_embeds_its_own_tokens() {
    const WIDTH: u64 = 48;
    let tokens = [2_u32, 5, 0, 4];
    let hidden = random(3, 4 * WIDTH as usize);
    for at in 0..tokens.len() as u32 {
        // Position 0 has no key before it.
        let state = State { pos: 31 * at, len: 4, history_len: 32, hidden_row: 1, ..State::default() };
        let (mut want, mut got) = (vec![0.5_f32; 2 * WIDTH as usize], vec![0.5_f32; 2 * WIDTH as usize]);
        for row0 in [0_u32, 3] {
            let bytes =
                quantize(DType::BF16, &random(u64::from(row0) + 1, 3 * WIDTH as usize)).expect("bytes");
            let words = repack(DType::BF16, WIDTH, 3, &bytes).expect("planes");
            let part = shaders::PlanarLayout::new(DType::BF16, WIDTH, 3).expect("a layout");
            let params = input::Params::new(&part, row0, 6.5, at);
            let drafter = input::input(&part, &words, &params, &tokens, &state, &hidden, &mut want);
            let args = [
                BufferArg::uniform(&params),
                BufferArg::read(&words),
                BufferArg::read(&tokens),
                BufferArg::read(&[state]),
                BufferArg::read(&hidden),
                BufferArg::read_write(&got),
                BufferArg::read_write(&[State { step: 9, ..State::default() }]),
            ];
            let source = input::Input(DType::BF16).source().expect("the template preprocesses");
            let outputs = Gpu::get().run(&source, &args, params.dispatch());
            got = outputs[0].f32s();
            let found: State = bytemuck::cast_slice(&outputs[1].u32s())[0];
            assert_eq!(found, State { step: 9, ..drafter });
        }
        assert_eq!(got, want, "step {at}");
    }
}

/// Sizes at which workgroups and the lanes of a row are not full, and ids that no vocabulary has.
#[test]
fn the_ordered_head_finds_the_best_of_the_chosen_clusters() {
    for (width, size, count, clusters) in [(16_u64, 1_u32, 1_u32, 1_u32), (48, 31, 2, 3), (144, 9, 7, 8)] {
        let vocab = size * clusters;
        let bytes = quantize(DType::F16, &random(7, (width * u64::from(vocab)) as usize)).expect("bytes");
        let words = repack(DType::F16, width, vocab.into(), &bytes).expect("planes");
        let head = shaders::PlanarLayout::new(DType::F16, width, vocab.into()).expect("a layout");
        let mut ordering: Vec<u32> = (0..vocab).rev().collect();
        ordering[vocab as usize - 1] = u32::MAX;
        let chosen: Vec<u32> = (0..count).map(|i| clusters - 1 - i).collect();
        let x = random(8, width as usize);
        let params = ordered_head::Params::new(&head, size, count);
        let candidates = ordered_head::candidates(&head, &words, &params, &ordering, &chosen, &x);
        let args = [
            BufferArg::uniform(&params),
            BufferArg::read(&words),
            BufferArg::read(&ordering),
            BufferArg::read(&chosen),
            BufferArg::read(&x),
            BufferArg::zeros(2 * params.lists() as usize),
        ];
        let source = ordered_head::OrderedHead(DType::F16).source().expect("the template preprocesses");
        let lists = Gpu::get().run(&source, &args, params.dispatch())[0].u32s();
        let found = Reading::Candidates.read(&lists, lists.len());
        for (part, found) in candidates.chunks(32).zip(found.chunks(2)) {
            let (id, z) = part.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a candidate");
            assert_eq!(found[1], id as f32);
            assert!((found[0] - z).abs() < 1e-4, "{} is not {z}", found[0]);
        }
    }
}
