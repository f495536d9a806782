//! Pictures of as many tokens as there may be: in a model whose sliding layers see them whole, and out of their pixels.

use std::rc::Rc;

use engine::bytes::{CancelToken, MemorySource};
use engine::gguf::Header;
use engine::media::{ContentHash, Media, Medium, SoftTokens};
use engine::session::{LoadOptions, ModelFile, Session};
use engine::vision::Picture;
use probe::synth;
use shaders::quant::dequantize;

use crate::common;
use crate::towers::without_towers;
use crate::vision::{EXACT, assert_near, budget, carried, colours, json, see, tensor, with};

/// The largest picture in a model whose sliding layers see it in both directions, with soft tokens by a formula. The logits
/// are those of the specification's formulas in f64 (`golden/README.md`). Read in chunks of 512 as text is, the picture
/// would move them by up to 4; seen causally, by up to 11.
#[test]
fn the_decoder_reads_a_picture_of_1120_tokens_as_the_reference_does() {
    let gpu = common::gpu();
    let options = LoadOptions { largest_picture: 1120, ..common::exact_options() };
    let mut session = common::load(&gpu, &carried("models/tiny-unified.f16.lcpp.gguf"), &options);
    let says = json(&carried("outputs/tiny-unified/f16.image.landscape.json"));
    let ids: Vec<u32> = serde_json::from_value(says["prompt_ids"].clone()).expect("ids");
    let slot = session.tokenizer().special().image_slot.expect("a slot");
    let at = ids.iter().position(|&id| id == slot).expect("a picture");
    let text = |ids: &[u32]| ids.iter().copied().filter(|&id| id != slot).collect::<Vec<_>>();
    let ids = [text(&ids[..at]), vec![slot; 1120], text(&ids[at..])].concat();

    let width = session.decoder().config().width;
    let medium = Medium { media: Media::Image, content: ContentHash::of(b"made up", &[]), tokens: 1120 };
    let values: Vec<f32> =
        (0..1120 * width).map(|i| ((i * 7919 + 104_729) % 2000) as f32 / 1000.0 - 1.0).collect();
    let soft = SoftTokens::upload(&gpu, medium, width, &values).expect("a buffer");
    let input = with(&session, ids, &[soft]);
    let want = tensor(&carried("outputs/tiny-unified/f16.image.made_up_1120.safetensors"), "logits");
    let rows = want.len() / session.decoder().vocabulary() as usize;
    let got = pollster::block_on(session.logits(&input, rows)).expect("logits");
    assert_near("logits behind 1,120 soft tokens", &got, &want, EXACT);
}

/// A random model of the 12B kind, which has no tower: pictures are cut into patches of 48 pixels.
#[test]
fn patches_of_a_picture_of_1120_tokens_become_soft_tokens_as_specified() {
    let mut bytes = Vec::new();
    synth::write(&mut bytes, &without_towers()).expect("a model");
    let header = pollster::block_on(Header::read(&MemorySource::new(bytes.clone()))).expect("a header");
    let read = |name: &str| {
        let found = header.tensor(name).unwrap_or_else(|| panic!("no {name}"));
        let dtype = found.dtype.known().expect("a type");
        let count: u64 = found.shape.iter().product();
        let at = found.offset as usize;
        let mut values = vec![0.0; count as usize];
        let len = dtype.row_bytes(count).expect("whole blocks") as usize;
        dequantize(dtype, &bytes[at..at + len], &mut values).expect("values");
        values.into_iter().map(f64::from).collect::<Vec<_>>()
    };
    let gpu = common::gpu();
    let file = ModelFile::local(Rc::new(MemorySource::new(bytes.clone())));
    let load = LoadOptions { context: 2048, largest_picture: 1120, ..LoadOptions::default() };
    let (cancel, mut quiet) = (CancelToken::new(), |_| ());
    let loading = Session::load(Rc::clone(&gpu), file, &load, &cancel, &mut quiet);
    let mut session = pollster::block_on(loading).expect("the model loads");
    let picture = colours(90);
    let soft = see(&mut session, &picture, budget(1120));
    let got = pollster::block_on(soft.read(&gpu)).expect("values");

    let norm = |x: &[f64], name: &str| {
        let (weight, bias) = (read(&format!("{name}.weight")), read(&format!("{name}.bias")));
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let scaled = x.iter().map(|v| (v - mean) / (variance + 1e-5).sqrt());
        scaled.zip(weight.iter().zip(&bias)).map(|(v, (w, b))| v * w + b).collect::<Vec<_>>()
    };
    let product = |w: &[f64], x: &[f64]| {
        let rows = w.chunks_exact(x.len());
        rows.map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>()).collect::<Vec<_>>()
    };
    let (patches, bias) = (read("v.patch_embd.weight"), read("v.patch_embd.bias"));
    let (tables, projection) = (read("v.position_embd.weight"), read("mm.input_projection.weight"));
    let pixels = Picture::decode(&picture).expect("a picture").resized(budget(1120)).expect("pixels");
    let (columns, rows) = ((pixels.size.width / 48) as usize, (pixels.size.height / 48) as usize);
    assert_eq!(columns * rows, soft.medium().tokens as usize);
    assert!((1000..=1120).contains(&(columns * rows)), "{columns} × {rows}");
    let mut compared = 0;
    // One patch in 97, and the last one.
    for patch in (0..columns * rows).step_by(97).chain([columns * rows - 1]) {
        let (column, row) = (patch % columns, patch / columns);
        let value = |i: usize| {
            let (channel, y, x) = (i / 2304, i % 2304 / 48, i % 48);
            let at = (48 * row + y) * pixels.size.width as usize + 48 * column + x;
            f64::from(pixels.rgb[3 * at + channel]) / 255.0
        };
        let x: Vec<f64> = (0..6912).map(value).collect();
        let t = product(&patches, &norm(&x, "v.patch_norm.1"));
        let t: Vec<f64> = t.iter().zip(&bias).map(|(t, b)| t + b).collect();
        let mut t = norm(&t, "v.patch_norm.2");
        for (i, t) in t.iter_mut().enumerate() {
            *t += tables[128 * column + i] + tables[128 * (1120 + row) + i];
        }
        let t = norm(&t, "v.patch_norm.3");
        let rms = (t.iter().map(|t| t * t).sum::<f64>() / 128.0 + 1e-6).sqrt();
        let t: Vec<f64> = t.iter().map(|t| t / rms).collect();
        let want: Vec<f32> = product(&projection, &t).iter().map(|&v| v as f32).collect();
        assert_near(&format!("patch {patch}"), &got[128 * patch..][..128], &want, EXACT);
        compared += 1;
    }
    assert!(compared > 10);
}
