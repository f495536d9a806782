//! Decoding images: PNG, JPEG, WebP, GIF.

use std::io::Cursor;

use image::codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use image::error::ImageError;
use image::metadata::Orientation;
use image::{ColorType, ImageDecoder, ImageFormat, Limits};

use super::resize::resize;
use super::{Budget, Format, PictureError, Size, target_size, webp};

/// Maximum width and height in pixels.
const MAX_SIDE: u32 = 32_768;
/// Maximum size of a decoded image in bytes: 50 megapixels with an alpha channel.
const MAX_BYTES: u64 = 256 << 20;
/// Maximum size of text, colour profiles and other metadata in a PNG, decompressed. A few MB may expand to
/// gigabytes.
const MAX_NOTES: u64 = 16 << 20;

/// RGB pixels, three bytes each, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Their size.
    pub size: Size,
    /// `[height, width, 3]`.
    pub rgb: Vec<u8>,
}

/// A decoded image in its stored form. Orientation, alpha and scaling are applied row by row in [`Self::resized`],
/// so that there is only one copy in memory.
#[derive(Clone, Debug)]
pub struct Picture {
    format: Format,
    animated: bool,
    orientation: Orientation,
    /// Stored size.
    stored: (u32, u32),
    color: ColorType,
    samples: Vec<u8>,
}

/// The header of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The format.
    pub format: Format,
    /// Width after orientation.
    pub width: u32,
    /// Height after orientation.
    pub height: u32,
}

fn format_of(file: &[u8]) -> Result<Format, PictureError> {
    match image::guess_format(file) {
        Ok(ImageFormat::Png) => Ok(Format::Png),
        Ok(ImageFormat::Jpeg) => Ok(Format::Jpeg),
        Ok(ImageFormat::WebP) => Ok(Format::WebP),
        Ok(ImageFormat::Gif) => Ok(Format::Gif),
        _ => Err(PictureError::NotAPicture),
    }
}

fn failed(format: Format, error: &ImageError) -> PictureError {
    let reason = error.to_string();
    match error {
        ImageError::Unsupported(_) => PictureError::Unsupported { format, reason },
        _ => PictureError::Broken { format, reason },
    }
}

/// Returns a decoder for a file with its header read, and whether the file has several frames.
fn open(file: &[u8], format: Format) -> Result<(Box<dyn ImageDecoder + '_>, bool), PictureError> {
    let of = |error: ImageError| failed(format, &error);
    let reader = || Cursor::new(file);
    Ok(match format {
        Format::Png => {
            // A limit for everything but the pixels, which are checked separately.
            let decoder = PngDecoder::with_limits(reader(), limits(MAX_NOTES)).map_err(of)?;
            let animated = decoder.is_apng().map_err(of)?;
            (Box::new(decoder), animated)
        }
        Format::Jpeg => (Box::new(JpegDecoder::new(reader()).map_err(of)?), false),
        Format::WebP => {
            let decoder = WebPDecoder::new(reader()).map_err(of)?;
            let animated = decoder.has_animation();
            (Box::new(decoder), animated)
        }
        Format::Gif => (Box::new(GifDecoder::new(reader()).map_err(of)?), false),
    })
}

fn limits(most_bytes: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(most_bytes);
    limits
}

/// Checks the size before allocating memory for it.
fn check(decoder: &dyn ImageDecoder) -> Result<(u32, u32), PictureError> {
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(PictureError::Empty { width, height });
    }
    if width > MAX_SIDE || height > MAX_SIDE || decoder.total_bytes() > MAX_BYTES {
        return Err(PictureError::TooLarge { width, height, most_side: MAX_SIDE, most_bytes: MAX_BYTES });
    }
    Ok((width, height))
}

fn turns(orientation: Orientation) -> bool {
    use Orientation as O;
    matches!(orientation, O::Rotate90 | O::Rotate270 | O::Rotate90FlipH | O::Rotate270FlipH)
}

impl Head {
    /// Reads the header of a file: enough to compute the cost of the image.
    ///
    /// # Errors
    /// Same as [`Picture::decode`].
    pub fn read(file: &[u8]) -> Result<Self, PictureError> {
        let format = format_of(file)?;
        let (mut decoder, _) = open(file, format)?;
        let (width, height) = check(&*decoder)?;
        let orientation = orientation(file, format, &mut *decoder);
        let (width, height) = if turns(orientation) { (height, width) } else { (width, height) };
        Ok(Self { format, width, height })
    }
}

impl Picture {
    /// Decodes a file; only the first of several frames.
    ///
    /// # Errors
    /// See [`PictureError`]; the size is checked before memory is allocated.
    pub fn decode(file: &[u8]) -> Result<Self, PictureError> {
        let format = format_of(file)?;
        let (mut decoder, animated) = open(file, format)?;
        let stored = check(&*decoder)?;
        if format == Format::WebP {
            webp::check_frame(file, stored)?;
        } else {
            // A frame may claim to be larger than its image, and the WebP decoder has no limits.
            decoder.set_limits(limits(MAX_BYTES)).map_err(|error| failed(format, &error))?;
        }
        let orientation = orientation(file, format, &mut *decoder);
        let color = decoder.color_type();
        let mut samples = vec![0; decoder.total_bytes() as usize];
        decoder.read_image(&mut samples).map_err(|error| failed(format, &error))?;
        let animated = animated || (format == Format::Gif && has_second_frame(file));
        Ok(Self { format, animated, orientation, stored, color, samples })
    }

    /// Returns the format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns whether the file has more frames than the decoded one.
    pub fn is_animated(&self) -> bool {
        self.animated
    }

    /// Width and height in pixels, after orientation.
    pub fn size(&self) -> (u32, u32) {
        let (width, height) = self.stored;
        if turns(self.orientation) { (height, width) } else { (width, height) }
    }

    /// Returns the pixels, oriented, without alpha, resized to a budget.
    ///
    /// # Errors
    /// [`PictureError::Shape`] when the aspect ratio is too extreme.
    pub fn resized(&self, budget: Budget) -> Result<Pixels, PictureError> {
        let (width, height) = self.size();
        let size = target_size(width, height, budget)?;
        let target = (size.width as usize, size.height as usize);
        let rgb = resize((width as usize, height as usize), target, |y| {
            (0..width).flat_map(|x| self.pixel(x, y as u32)).collect()
        });
        Ok(Pixels { size, rgb })
    }

    /// Returns a pixel of the oriented image, blended with white if it is transparent.
    fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        use Orientation as O;
        let (width, height) = self.stored;
        let (right, bottom) = (width - 1, height - 1);
        let (x, y) = match self.orientation {
            O::NoTransforms => (x, y),
            O::FlipHorizontal => (right - x, y),
            O::FlipVertical => (x, bottom - y),
            O::Rotate180 => (right - x, bottom - y),
            O::Rotate90 => (y, bottom - x),
            O::Rotate270 => (right - y, x),
            O::Rotate90FlipH => (y, x),
            O::Rotate270FlipH => (right - y, bottom - x),
        };
        let channels = usize::from(self.color.channel_count());
        let wide = usize::from(self.color.bytes_per_pixel()) / channels;
        let at = (y as usize * width as usize + x as usize) * channels * wide;
        let sample = |channel: usize| {
            let at = at + channel * wide;
            // The upper eight of 16 bits; samples are in native byte order.
            match wide {
                1 => self.samples[at],
                _ => (u16::from_ne_bytes([self.samples[at], self.samples[at + 1]]) >> 8) as u8,
            }
        };
        let (rgb, alpha) = match channels {
            1 => ([sample(0); 3], 255),
            2 => ([sample(0); 3], sample(1)),
            3 => ([sample(0), sample(1), sample(2)], 255),
            _ => ([sample(0), sample(1), sample(2)], sample(3)),
        };
        let on_white = |value: u8| {
            let alpha = u32::from(alpha);
            ((u32::from(value) * alpha + 255 * (255 - alpha) + 127) / 255) as u8
        };
        rgb.map(on_white)
    }
}

/// Returns the orientation of an image. Invalid metadata is ignored.
fn orientation(file: &[u8], format: Format, decoder: &mut dyn ImageDecoder) -> Orientation {
    let found = match format {
        Format::WebP => webp::orientation(file),
        _ => decoder.orientation().ok(),
    };
    found.unwrap_or(Orientation::NoTransforms)
}

/// Returns whether a GIF has a second frame. Nothing is decoded: a frame may claim any size.
fn has_second_frame(file: &[u8]) -> bool {
    let mut options = gif::DecodeOptions::new();
    options.skip_frame_decoding(true);
    let Ok(mut decoder) = options.read_info(Cursor::new(file)) else { return false };
    let mut next = || matches!(decoder.next_frame_info(), Ok(Some(_)));
    next() && next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, GenericImageView as _, RgbImage, RgbaImage};

    fn png(image: &DynamicImage) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        image.write_to(&mut file, ImageFormat::Png).expect("a PNG");
        file.into_inner()
    }

    fn gradient(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| image::Rgb([(x * 40) as u8, (y * 60) as u8, (x + y) as u8]))
    }

    #[test]
    fn orientations_are_those_of_the_image_crate() {
        let mut picture = Picture::decode(&png(&gradient(5, 3).into())).expect("a picture");
        for exif in 1..=8 {
            let orientation = Orientation::from_exif(exif).expect("an orientation");
            picture.orientation = orientation;
            let mut upright = DynamicImage::from(gradient(5, 3));
            upright.apply_orientation(orientation);
            assert_eq!(picture.size(), upright.dimensions());
            for (x, y, pixel) in upright.pixels() {
                assert_eq!(picture.pixel(x, y), pixel.0[..3], "{orientation:?} at {x}, {y}");
            }
        }
    }

    #[test]
    fn transparency_is_white_and_grey_is_grey() {
        let image = RgbaImage::from_fn(2, 1, |x, _| image::Rgba([255, 0, 100, if x == 0 { 0 } else { 128 }]));
        let picture = Picture::decode(&png(&image.into())).expect("a picture");
        assert_eq!(picture.pixel(0, 0), [255, 255, 255]);
        assert_eq!(picture.pixel(1, 0), [255, 127, 177]);
        let grey = image::ImageBuffer::from_pixel(1, 1, image::Luma([0xabcd_u16]));
        let picture = Picture::decode(&png(&DynamicImage::from(grey))).expect("a picture");
        assert_eq!(picture.pixel(0, 0), [0xab; 3]);
    }

    #[test]
    fn what_is_no_picture_is_refused_in_words() {
        let fails = |file: &[u8]| Picture::decode(file).err();
        assert_eq!(fails(b""), Some(PictureError::NotAPicture));
        assert_eq!(fails(b"%PDF-1.7 hello"), Some(PictureError::NotAPicture));
        let whole = png(&gradient(60, 40).into());
        for cut in [9, 20, 40, whole.len() / 2, whole.len() - 20] {
            let error = fails(&whole[..cut]);
            assert!(
                matches!(error, Some(PictureError::Broken { format: Format::Png, .. })),
                "{cut}: {error:?}"
            );
        }
    }

    /// Returns the header of a PNG that claims a size, without data.
    fn claims(width: u32, height: u32) -> Vec<u8> {
        let mut file = png(&gradient(1, 1).into());
        file[16..20].copy_from_slice(&width.to_be_bytes());
        file[20..24].copy_from_slice(&height.to_be_bytes());
        // The checksum of the changed chunk.
        let mut crc = !0u32;
        for &byte in &file[12..29] {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        file[29..33].copy_from_slice(&(!crc).to_be_bytes());
        file
    }

    #[test]
    fn a_huge_or_empty_picture_is_refused_before_it_takes_memory() {
        let huge = Picture::decode(&claims(20_000, 20_000));
        assert!(
            matches!(huge, Err(PictureError::TooLarge { width: 20_000, height: 20_000, .. })),
            "{huge:?}"
        );
        let long = Picture::decode(&claims(1, 40_000));
        assert!(matches!(long, Err(PictureError::TooLarge { .. })), "{long:?}");
        // The decoder rejects a size of 0.
        assert!(Picture::decode(&claims(0, 0)).is_err());
    }

    #[test]
    fn a_strip_of_one_pixel_is_read() {
        let strip = RgbImage::from_fn(1, 5000, |_, y| image::Rgb([(y / 20) as u8, 0, 0]));
        let file = png(&strip.into());
        let head = Head::read(&file).expect("a header");
        assert_eq!((head.width, head.height), (1, 5000));
        let pixels = Picture::decode(&file).expect("a picture").resized(Budget::default()).expect("pixels");
        assert_eq!((pixels.size.width, pixels.size.height), (48, 13_440));
        assert_eq!(pixels.rgb.len(), 48 * 13_440 * 3);
    }

    #[test]
    fn the_first_frame_of_an_animation_is_read_and_said_to_be_one() {
        let frame = |value: u8| {
            let pixel = image::Rgba([value, 0, 0, 255]);
            image::Frame::new(RgbaImage::from_pixel(4, 4, pixel))
        };
        let gif = |frames: Vec<image::Frame>| {
            let mut file = Vec::new();
            image::codecs::gif::GifEncoder::new(&mut file).encode_frames(frames).expect("a GIF");
            file
        };
        let picture = Picture::decode(&gif(vec![frame(200), frame(10)])).expect("a picture");
        assert!(picture.is_animated());
        assert_eq!(picture.pixel(1, 1), [200, 0, 0]);
        assert!(!Picture::decode(&gif(vec![frame(200)])).expect("a picture").is_animated());
    }
}
