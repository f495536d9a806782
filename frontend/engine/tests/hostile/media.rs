//! Small files that ask for much memory.

use std::io::Cursor;

use engine::vision::{Head, Picture, PictureError};
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder as _};

use super::counting;

/// What a file becomes, and the bytes that this took.
fn decoded(file: &[u8]) -> (Result<Picture, PictureError>, isize) {
    let (picture, allocated) = counting::allocated(|| {
        Head::read(file).ok();
        Picture::decode(file)
    });
    (picture, allocated.peak)
}

/// What none of these files is worth.
const MUCH: isize = 64 << 20;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hex");
    digits.chunks(2).map(byte).collect()
}

/// A GIF of 64 × 64 pixels with frames of these sizes.
fn gif(frames: &[u16]) -> Vec<u8> {
    let mut file = hex("474946383961 4000 4000 800000 000000 ffffff");
    for side in frames {
        file.extend(hex("2c 0000 0000"));
        file.extend(side.to_le_bytes());
        file.extend(side.to_le_bytes());
        file.extend(hex("00 02 02 4401 00"));
    }
    file.push(0x3b);
    file
}

#[test]
fn a_frame_of_a_gif_may_not_be_larger_than_memory() {
    let (picture, bytes) = decoded(&gif(&[30_000]));
    assert!(matches!(picture, Err(PictureError::Broken { .. })), "{picture:?}");
    assert!(bytes < MUCH, "{bytes} bytes");
    let small = hex("474946383961 0100 0100 800000 000000 ffffff 2c 0000 0000 0100 0100 00 02 02 4401 00");
    let huge = hex("2c 0000 0000 3075 3075 00 02 02 4401 00 3b");
    let (picture, bytes) = decoded(&[small, huge].concat());
    assert!(picture.expect("its first frame").is_animated());
    assert!(bytes < MUCH, "{bytes} bytes");
}

#[test]
fn a_colour_profile_of_a_png_is_not_unpacked_whole() {
    let mut file = Vec::new();
    let mut encoder = PngEncoder::new(&mut file);
    encoder.set_icc_profile(vec![0; 100 << 20]).expect("a profile");
    encoder.write_image(&[1, 2, 3], 1, 1, ExtendedColorType::Rgb8).expect("a PNG");
    assert!(file.len() < 1 << 20, "{}", file.len());
    let (picture, bytes) = decoded(&file);
    assert_eq!(picture.expect("a picture").size(), (1, 1));
    assert!(bytes < MUCH, "{bytes} bytes");
}

/// A WebP file of a canvas and chunks.
fn webp(flags: u8, side: u32, chunks: &[(&[u8; 4], u32, &[u8])]) -> Vec<u8> {
    let mut body = b"WEBPVP8X\x0a\0\0\0".to_vec();
    body.extend([flags, 0, 0, 0]);
    body.extend(&(side - 1).to_le_bytes()[..3]);
    body.extend(&(side - 1).to_le_bytes()[..3]);
    for (name, size, content) in chunks {
        body.extend_from_slice(*name);
        body.extend(size.to_le_bytes());
        body.extend_from_slice(content);
    }
    let mut file = b"RIFF".to_vec();
    file.extend((body.len() as u32).to_le_bytes());
    file.append(&mut body);
    file
}

#[test]
fn lengths_in_a_webp_are_not_believed() {
    let mut plain = Cursor::new(Vec::new());
    let encoder = WebPEncoder::new_lossless(&mut plain);
    encoder.write_image(&[9; 48], 4, 4, ExtendedColorType::Rgb8).expect("a WebP");
    let plain = plain.into_inner();
    // The picture, and a note of four gigabytes of which nothing is there.
    let pixels = &plain[20..];
    let file = webp(8, 4, &[(b"VP8L", pixels.len() as u32, pixels), (b"EXIF", 0xffff_fff0, b"II*\0")]);
    let (picture, bytes) = decoded(&file);
    assert_eq!(picture.expect("a picture").size(), (4, 4));
    assert!(bytes < MUCH, "{bytes} bytes");
    // A frame that is larger than its canvas.
    let frame = [&hex("10 00 00 9d 01 2a ff3f ff3f")[..], &[0; 64]].concat();
    let (picture, bytes) = decoded(&webp(0, 4, &[(b"VP8 ", frame.len() as u32, &frame)]));
    assert!(matches!(picture, Err(PictureError::Broken { .. })), "{picture:?}");
    assert!(bytes < MUCH, "{bytes} bytes");
}
