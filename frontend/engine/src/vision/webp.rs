//! Checks of WebP files before decoding, because the decoder trusts all lengths in the file.

use image::metadata::Orientation;

use super::{Format, PictureError};

/// Bytes before the first chunk of a file.
const FILE_HEADER: usize = 12;
/// Bytes before the content of a chunk.
const CHUNK_HEADER: usize = 8;
/// Bytes before the chunks of an animation frame.
const FRAME_HEADER: usize = 16;

/// Returns the chunks of `bytes`: names, and contents as far as they are in the file.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (header, behind) = rest.split_at_checked(CHUNK_HEADER)?;
        let (name, size) = header.split_at(4);
        let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
        let content = &behind[..size.min(behind.len())];
        // Contents are padded to an even length.
        rest = behind.get(size.saturating_add(size % 2)..).unwrap_or_default();
        Some((name, content))
    })
}

/// Returns the orientation of the image, if it is in the metadata.
pub fn orientation(file: &[u8]) -> Option<Orientation> {
    let (_, exif) = chunks(file.get(FILE_HEADER..)?).find(|(name, _)| name == b"EXIF")?;
    Orientation::from_exif_chunk(exif)
}

/// Rejects frames that claim to be larger than the image: the decoder would allocate memory for the whole frame.
///
/// # Errors
/// [`PictureError::Broken`] when a frame does.
pub fn check_frame(file: &[u8], (width, height): (u32, u32)) -> Result<(), PictureError> {
    let whole = || chunks(file.get(FILE_HEADER..).unwrap_or_default());
    let animation = whole().filter(|(name, _)| name == b"ANMF");
    let frames = animation.flat_map(|(_, content)| chunks(content.get(FRAME_HEADER..).unwrap_or_default()));
    let larger = whole().chain(frames).filter(|(name, _)| name == b"VP8 ").any(|(_, frame)| {
        // A tag and a start code, then both sides with 14 bits each.
        let side = |at: usize| match frame.get(at..at + 2) {
            Some(&[low, high]) => u32::from(u16::from_le_bytes([low, high]) & 0x3fff),
            _ => 0,
        };
        side(6) > width || side(8) > height
    });
    if larger {
        let reason = "a frame is larger than the picture".to_owned();
        return Err(PictureError::Broken { format: Format::WebP, reason });
    }
    Ok(())
}
