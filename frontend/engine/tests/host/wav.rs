//! WAV files, put together chunk by chunk.

use engine::audio::wav::{WavError, read};

/// The tag of a format that stands further behind.
const EXTENSIBLE: u16 = 0xfffe;

/// A file with these chunks.
fn riff(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = b"RIFF\0\0\0\0WAVE".to_vec();
    for (name, body) in chunks {
        file.extend_from_slice(*name);
        file.extend((body.len() as u32).to_le_bytes());
        file.extend(body);
        if body.len() % 2 == 1 {
            file.push(0);
        }
    }
    file
}

fn fmt(tag: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let block = channels * bits / 8;
    let mut body = Vec::new();
    body.extend(tag.to_le_bytes());
    body.extend(channels.to_le_bytes());
    body.extend(rate.to_le_bytes());
    body.extend((rate * u32::from(block)).to_le_bytes());
    body.extend(block.to_le_bytes());
    body.extend(bits.to_le_bytes());
    body
}

fn file(tag: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    riff(&[(b"fmt ", fmt(tag, channels, rate, bits)), (b"data", data.to_vec())])
}

fn samples(file: &[u8]) -> Vec<f32> {
    read(file).expect("sound").samples
}

#[test]
fn every_encoding_reaches_from_one_end_to_the_other() {
    assert_eq!(samples(&file(1, 1, 8000, 8, &[0, 128, 192])), [-1.0, 0.0, 0.5]);
    assert_eq!(samples(&file(1, 1, 8000, 16, &[0, 0x80, 0, 0, 0, 0x40])), [-1.0, 0.0, 0.5]);
    assert_eq!(samples(&file(1, 1, 8000, 24, &[0, 0, 0x80, 0, 0, 0, 0, 0, 0x40])), [-1.0, 0.0, 0.5]);
    assert_eq!(samples(&file(1, 1, 8000, 32, &[0, 0, 0, 0x80, 0, 0, 0, 0x40])), [-1.0, 0.5]);
    let floats: Vec<u8> = [-1.5f32, f32::NAN, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(samples(&file(3, 1, 8000, 32, &floats)), [-1.5, 0.0, 0.25]);
    let doubles: Vec<u8> = [-0.5f64, 0.125].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(samples(&file(3, 1, 8000, 64, &doubles)), [-0.5, 0.125]);
}

#[test]
fn channels_are_mixed() {
    let wav = read(&file(1, 2, 96_000, 16, &[0, 0x40, 0, 0x80, 0, 0x40, 0, 0x40])).expect("sound");
    assert_eq!((wav.rate, wav.channels, wav.missing_bytes), (96_000, 2, 0));
    assert_eq!(wav.samples, [-0.25, 0.5]);
    assert_eq!(samples(&file(1, 3, 8000, 8, &[128, 128, 224])), [0.25]);
}

#[test]
fn the_extensible_form_says_its_format_further_behind() {
    let mut body = fmt(EXTENSIBLE, 1, 48_000, 32);
    body.extend([22, 0, 32, 0, 4, 0, 0, 0, 3, 0]);
    body.extend([0; 14]);
    let data = 0.75f32.to_le_bytes().to_vec();
    assert_eq!(samples(&riff(&[(b"fmt ", body), (b"data", data)])), [0.75]);
}

#[test]
fn other_chunks_are_passed_over() {
    let file = riff(&[
        (b"LIST", vec![1, 2, 3]),
        (b"fmt ", fmt(1, 1, 16_000, 8)),
        (b"fact", vec![0; 4]),
        (b"data", vec![192]),
        (b"data", vec![0]),
    ]);
    assert_eq!(samples(&file), [0.5]);
}

#[test]
fn a_file_that_ends_early_is_read_as_far_as_it_goes() {
    let whole = file(1, 1, 16_000, 16, &[0, 0x40, 0, 0x40, 0, 0x40]);
    let cut = read(&whole[..whole.len() - 3]).expect("sound");
    assert_eq!((cut.samples, cut.missing_bytes), (vec![0.5], 3));
    for size in [0u32, u32::MAX] {
        let mut open = whole.clone();
        let at = open.len() - 10;
        open[at..at + 4].copy_from_slice(&size.to_le_bytes());
        let wav = read(&open).expect("sound");
        assert_eq!((wav.samples.len(), wav.missing_bytes), (3, 0), "a size of {size}");
    }
}

#[test]
fn what_is_no_sound_is_refused_with_the_reason() {
    assert_eq!(read(b"").expect_err("refused"), WavError::NotWav);
    assert_eq!(read(b"RIFF\0\0\0\0AVI LIST").expect_err("refused"), WavError::NotWav);
    assert_eq!(read(b"ID3\x04 this is an MP3 file").expect_err("refused"), WavError::NotWav);
    assert_eq!(read(b"RIFF\0\0\0\0WAVE").expect_err("refused"), WavError::Missing { what: "description" });
    let only_format = riff(&[(b"fmt ", fmt(1, 1, 8000, 8))]);
    assert_eq!(read(&only_format).expect_err("refused"), WavError::Missing { what: "samples" });
    assert_eq!(read(&file(1, 1, 8000, 16, &[])).expect_err("refused"), WavError::Empty);
    assert_eq!(read(&file(1, 1, 8000, 16, &[1])).expect_err("refused"), WavError::Empty);
    assert!(matches!(read(&file(0x55, 2, 44_100, 16, &[0; 8])), Err(WavError::Unsupported { .. })));
    assert!(matches!(read(&file(1, 1, 44_100, 12, &[0; 8])), Err(WavError::Unsupported { .. })));
    let value =
        |name: &'static str| move |e: WavError| matches!(e, WavError::Value { name: n, .. } if n == name);
    assert!(read(&file(1, 0, 8000, 16, &[0; 8])).is_err_and(value("channels")));
    assert!(read(&file(1, 1, 0, 16, &[0; 8])).is_err_and(value("samples a second")));
    let mut blocks = fmt(1, 2, 8000, 16);
    blocks[12] = 0;
    let blocks = riff(&[(b"fmt ", blocks), (b"data", vec![0; 8])]);
    assert!(read(&blocks).is_err_and(value("bytes of a sample of all channels")));
}

#[test]
fn a_small_file_that_lasts_for_hours_is_refused() {
    // A byte a sample, a thousand a second: 64 MB would be 18 hours.
    let hours = file(1, 1, 1000, 8, &[128; 2 * 3600 * 1000]);
    assert_eq!(read(&hours), Err(WavError::TooLong { seconds: 7200, most: 5400 }));
    let fits = file(1, 1, 1000, 8, &[128; 5400 * 1000]);
    assert_eq!(samples(&fits).len(), 5_400_000);
}

proptest::proptest! {
    #[test]
    fn no_file_makes_it_panic(mut bytes: Vec<u8>, cut: u16, at: u8, value: u8) {
        read(&bytes).ok();
        let mut whole = file(1, 2, 16_000, 16, &[7; 64]);
        let place = usize::from(at) % whole.len();
        whole[place] = value;
        whole.truncate(usize::from(cut) % (whole.len() + 1));
        whole.append(&mut bytes);
        read(&whole).ok();
    }
}
