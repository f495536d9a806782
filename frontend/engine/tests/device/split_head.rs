//! A head that lies in several buffers against the same in one: where each product norms the stream itself, where a
//! dispatch of its own norms it for all of them because they are packed, and where it does because the stream is too wide
//! for workgroup memory.

use std::rc::Rc;

use engine::bytes::{CancelToken, MemorySource};
use engine::gpu::{Gpu, GpuOptions};
use engine::model::{KvType, Tuning};
use engine::session::{LoadOptions, ModelFile, Session};
use probe::synth::{self, Quant, Shape};
use shaders::matvec::Matvec;

use crate::common;

const ALL_PACKED: Tuning = Tuning::packed(0);

/// A model of a published kind, so small and so wide, with room for three parts of its head: 1024 rows are the least.
fn model(kind: &str, width: u32) -> Vec<u8> {
    let published: Shape = kind.parse().expect("a shape");
    let shape = Shape {
        layers: 2,
        width,
        heads: 2,
        kv_heads_sliding: 1,
        kv_heads_global: 1,
        feed_forward: 256,
        period: 2,
        shared: 0,
        // So few that they lie in one buffer when the head does not: they are added up in another order else.
        experts: published.experts.map(|_| synth::Experts { count: 2, used: 2, feed_forward: 128 }),
        ..published
    };
    let options = synth::Options { vocabulary: 3 * 1024, ..synth::Options::new(shape, Quant::Q4KM) };
    let mut file = Vec::new();
    synth::write(&mut file, &options).expect("a model");
    file
}

fn load(file: &[u8], largest_part: Option<u64>, tuning: Tuning) -> Session {
    let options = GpuOptions { largest_part, ..GpuOptions::default() };
    let gpu = Rc::new(pollster::block_on(Gpu::open(&options)).expect("a device"));
    let file = ModelFile::local(Rc::new(MemorySource::new(file.to_vec())));
    let options =
        LoadOptions { context: 512, kv_type: KvType::F32, tuning: Some(tuning), ..LoadOptions::default() };
    pollster::block_on(Session::load(gpu, file, &options, &CancelToken::new(), &mut |_| ()))
        .expect("the model loads")
}

/// Logits of every position of a short prompt, by the steps of a drawn token and by prefill.
fn logits(session: &mut Session) -> [Vec<f32>; 2] {
    let prompt: Vec<u32> = (0..4).map(|i| 200 + i * 7919 % 700).collect();
    let stepped = pollster::block_on(session.logits_by_steps(&prompt, prompt.len())).expect("logits");
    let read = pollster::block_on(session.logits(&prompt[..], prompt.len())).expect("logits");
    [stepped, read]
}

/// The logits are the same in three parts. `norms` is how many dispatches norm the stream for all parts: one, or none
/// where each product does.
fn in_parts(file: &[u8], tuning: Tuning, norms: usize) {
    let mut whole = load(file, None, tuning);
    assert_eq!(whole.decoder().tuning(), tuning);
    let want = logits(&mut whole);
    let parts = &whole.decoder().parts().head().expect("a head").parts;
    assert_eq!(parts.len(), 1);
    let third = parts[0].layout.bytes() * 2 / 5;
    let named = |session: &Session, name: &str| {
        let kernels = session.decoder().token().by_kernel();
        let of_name = kernels.iter().filter(|uses| uses.name.contains(name));
        of_name.map(|uses| uses.program.len()).sum::<usize>()
    };
    let norms_before = named(&whole, "rows_norm_add");
    drop(whole);

    let mut split = load(file, Some(third), tuning);
    assert_eq!(split.decoder().parts().head().expect("a head").parts.len(), 3);
    // As many as in one piece, whatever the number of parts.
    assert_eq!(named(&split, "rows_norm_add"), norms_before);
    assert!(norms_before >= norms && (norms > 0 || norms_before == 0), "{norms_before} norms");
    for (got, want) in logits(&mut split).iter().zip(&want) {
        let largest = want.iter().map(|z| z.abs()).fold(0.0, f32::max);
        assert!(largest > 0.1, "logits are at most {largest}");
        // Each row is the same sum, whatever buffer it lies in.
        assert_eq!(got, want);
    }
}

#[test]
fn of_products_that_norm_the_stream_themselves() {
    in_parts(&model("31b", 512), Tuning::FLOATS, 0);
}

#[test]
fn of_packed_products() {
    in_parts(&model("31b", 512), ALL_PACKED, 1);
    // Others differ in what comes before the head.
    if common::is_thorough() {
        in_parts(&model("e2b", 512), ALL_PACKED, 1);
        in_parts(&model("26b", 512), ALL_PACKED, 1);
    }
}

#[test]
fn of_a_stream_too_wide_to_be_normed_in_a_product() {
    let file = model("31b", Matvec::MAX_NORM_K + 256);
    in_parts(&file, Tuning::FLOATS, 1);
    // Packed rows are normed apart at any width.
    if common::is_thorough() {
        in_parts(&file, ALL_PACKED, 1);
    }
}
