//! How much sound a file holds at most, before a browser decodes it: a decoder makes gigabytes of a few kilobytes.
//!
//! What a header says of the length plays no part, because headers lie. The units of the format that the decoder would decode
//! are counted instead. A unit that says how many samples it has counts for these, others for the most that they can have.

use super::SAMPLE_RATE;

/// The sound of a file, as large as it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Samples of a channel.
    pub samples: u64,
    /// Samples of a channel in a second.
    pub rate: u32,
    /// Channels.
    pub channels: u32,
}

impl Extent {
    fn new(samples: u64, rate: u32, channels: u32) -> Self {
        Self { samples, rate: rate.max(1), channels: channels.max(1) }
    }

    /// Whole seconds, rounded up.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.samples.div_ceil(self.rate.max(1).into())
    }

    /// Returns bytes that a browser needs to decode and resample it.
    #[must_use]
    pub fn bytes(self) -> u64 {
        let resampled = self.seconds().saturating_mul(SAMPLE_RATE.into());
        self.samples.saturating_add(resampled).saturating_mul(4 * u64::from(self.channels))
    }

    /// Returns the most seconds of such sound that a browser can decode in so many bytes.
    #[must_use]
    pub fn most_seconds(self, bytes: u64) -> u64 {
        bytes / ((u64::from(self.rate) + u64::from(SAMPLE_RATE)) * 4 * u64::from(self.channels)).max(1)
    }
}

/// Samples of a channel in a packet of AAC: two blocks of spectral band replication.
const AAC_PACKET: u64 = 2048;
/// The longest packet of Opus: 120 ms.
const OPUS_PACKET: u64 = 5760;
/// Samples of Opus in a second, whatever a file was made of.
const OPUS_RATE: u32 = 48_000;
/// The longest packet of other codecs: half of a block of Vorbis, a block of ALAC.
const OTHER_PACKET: u64 = 4096;

/// Returns the extent of a file; `None` if it is of no format known here.
#[must_use]
pub fn of(file: &[u8]) -> Option<Extent> {
    let file = without_tag(file);
    match file {
        [b'R', b'I', b'F', b'F', ..] => wav(file),
        [b'F', b'O', b'R', b'M', ..] => Some(Extent::new(file.len() as u64, 8_000, 1)),
        [b'f', b'L', b'a', b'C', ..] => flac(file),
        [b'O', b'g', b'g', b'S', ..] => ogg(file),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => matroska(file),
        // Others may begin with anything that a decoder passes over.
        _ => mp4(file).into_iter().chain(stream(file)).max_by_key(|extent| extent.bytes()),
    }
}

/// What follows a tag of ID3, which may precede any stream.
fn without_tag(file: &[u8]) -> &[u8] {
    let [b'I', b'D', b'3', _, _, _, a, b, c, d, ..] = *file else { return file };
    let len = [a, b, c, d].iter().fold(0, |len, &byte| len << 7 | usize::from(byte & 0x7f));
    file.get(10 + len..).unwrap_or_default()
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The place of a text.
fn find(file: &[u8], text: &[u8]) -> Option<usize> {
    file.windows(text.len()).position(|part| part == text)
}

/// Samples as they are have a size of their own: the file holds no more of them than fit. Others are frames of MP3 or AAC.
fn wav(file: &[u8]) -> Option<Extent> {
    let format = find(file, b"fmt ")?;
    if !matches!(le16(file, format + 8)?, 1..=7 | 0xfffe) {
        return stream(file);
    }
    let (channels, rate) = (le16(file, format + 10)?, le32(file, format + 12)?);
    let bits = u64::from(le16(file, format + 22)?).max(1);
    let samples = file.len() as u64 * 8 / bits / u64::from(channels.max(1));
    Some(Extent::new(samples, rate, channels))
}

fn flac(file: &[u8]) -> Option<Extent> {
    // The first block describes the stream: rate, channels and bits are 20, 3 and 5 bits.
    let about = be32(file, find(file, b"fLaC")? + 18)?;
    Some(Extent::new(flac_samples(file), about >> 12, (about >> 9 & 7) + 1))
}

/// Samples of the frames of FLAC in any container. A frame doesn't say where it ends: all that begins as one is taken for one.
fn flac_samples(file: &[u8]) -> u64 {
    let starts = file.windows(2).enumerate().filter(|(_, pair)| pair[0] == 0xff && pair[1] & 0xfe == 0xf8);
    starts.filter_map(|(at, _)| flac_frame(&file[at..])).sum()
}

/// Samples of the frame that begins here, if one does.
fn flac_frame(frame: &[u8]) -> Option<u64> {
    let [_, _, sizes, channels, number, ..] = *frame else { return None };
    if channels >> 4 > 10 || channels & 1 != 0 || sizes & 15 == 15 {
        return None;
    }
    // The number of the frame is written as UTF-8 is.
    let mut at = match number.leading_ones() {
        0 => 5,
        count @ 2..=7 => 4 + count as usize,
        _ => return None,
    };
    let samples = match sizes >> 4 {
        1 => 192,
        code @ 2..=5 => 576 << (code - 2),
        6 => {
            at += 1;
            u64::from(*frame.get(at - 1)?) + 1
        }
        7 => {
            at += 2;
            u64::from(u16::from_be_bytes([*frame.get(at - 2)?, *frame.get(at - 1)?])) + 1
        }
        code @ 8..=15 => 256 << (code - 8),
        _ => return None,
    };
    at += match sizes & 15 {
        12 => 1,
        13 | 14 => 2,
        _ => 0,
    };
    let crc = frame.get(..at)?.iter().fold(0, |crc, &byte| {
        (0..8).fold(crc ^ byte, |crc: u8, _| crc << 1 ^ if crc & 0x80 == 0 { 0 } else { 7 })
    });
    (frame.get(at) == Some(&crc)).then_some(samples)
}

/// MP3 or AAC without a container: frames that say how long they are. A decoder passes over what is none.
fn stream(file: &[u8]) -> Option<Extent> {
    let (mut rest, mut extent) = (file, Extent::default());
    while let Some(&head) = rest.first_chunk() {
        let Some((frame, len)) = adts(head).or_else(|| mp3(head)) else {
            rest = &rest[1..];
            continue;
        };
        extent.samples += frame.samples;
        // The slowest rate makes the longest sound.
        extent.rate = if extent.rate == 0 { frame.rate } else { extent.rate.min(frame.rate) };
        extent.channels = extent.channels.max(frame.channels);
        rest = rest.get(len..).unwrap_or_default();
    }
    (extent.samples > 0).then_some(extent)
}

/// The frame of AAC with this head, and its length.
fn adts(head: [u8; 7]) -> Option<(Extent, usize)> {
    const RATES: [u32; 13] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ];
    if head[0] != 0xff || head[1] & 0xf6 != 0xf0 {
        return None;
    }
    let rate = *RATES.get(usize::from(head[2] >> 2 & 15))?;
    let channels = u32::from((head[2] & 1) << 2 | head[3] >> 6);
    let len = usize::from(head[3] & 3) << 11 | usize::from(head[4]) << 3 | usize::from(head[5] >> 5);
    let blocks = u64::from(head[6] & 3) + 1;
    // Channels that are not said are up to eight.
    let channels = if matches!(channels, 0 | 7) { 8 } else { channels.max(2) };
    (len >= 7).then(|| (Extent::new(blocks * AAC_PACKET, rate, channels), len))
}

/// The frame of MP1, MP2 or MP3 with this head, and its length.
fn mp3([first, second, third, fourth, ..]: [u8; 7]) -> Option<(Extent, usize)> {
    const KILOBITS: [[u32; 15]; 5] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    if first != 0xff || second & 0xe0 != 0xe0 {
        return None;
    }
    let version = second >> 3 & 3;
    let layer = 4 - u32::from(second >> 1 & 3);
    let rate = *[44_100, 48_000, 32_000].get(usize::from(third >> 2 & 3))?;
    let rate = match version {
        3 => rate,
        2 => rate / 2,
        0 => rate / 4,
        _ => return None,
    };
    let (row, samples, padding) = match (layer, version) {
        (1, 3) => (0, 384, 4),
        (1, _) => (3, 384, 4),
        (2, 3) => (1, 1152, 1),
        (2, _) => (4, 1152, 1),
        (3, 3) => (2, 1152, 1),
        (3, _) => (4, 576, 1),
        _ => return None,
    };
    let bits = *KILOBITS[row].get(usize::from(third >> 4)).filter(|&&bits| bits > 0)? * 1000;
    let len = samples / 8 * bits / rate + u32::from(third >> 1 & 1) * padding;
    let channels = if fourth >> 6 == 3 { 1 } else { 2 };
    Some((Extent::new(samples.into(), rate, channels), len.max(4) as usize))
}

/// Packets of Ogg: of Opus they say how long they are, those of Vorbis have at most half a long block.
fn ogg(file: &[u8]) -> Option<Extent> {
    if find(&file[..file.len().min(1024)], b"fLaC").is_some() {
        return flac(file);
    }
    let start = &file[..file.len().min(1024)];
    let opus = find(start, b"OpusHead");
    let vorbis = find(start, b"\x01vorbis");
    let (rate, channels, longest) = match (opus, vorbis) {
        (Some(at), _) => (OPUS_RATE, *file.get(at + 9)?, 0),
        (_, Some(at)) => {
            (le32(file, at + 12)?, *file.get(at + 11)?, 1 << (*file.get(at + 28)? >> 4).saturating_sub(1))
        }
        _ => (8_000, 2, OTHER_PACKET),
    };
    let mut samples = 0;
    let (mut rest, mut goes_on) = (file, false);
    while let Some(page) = find(rest, b"OggS") {
        rest = &rest[page..];
        let Some(&count) = rest.get(26) else { break };
        let lacing = rest.get(27..27 + usize::from(count)).unwrap_or_default();
        let mut body = rest.get(27 + lacing.len()..).unwrap_or_default();
        for &len in lacing {
            if !goes_on {
                samples += if opus.is_some() { opus_packet(body) } else { longest };
            }
            goes_on = len == 255;
            body = body.get(usize::from(len)..).unwrap_or_default();
        }
        // Not behind its body, of whose length it may lie.
        rest = &rest[4..];
    }
    Some(Extent::new(samples, rate, channels.into()))
}

/// Samples of a packet of Opus.
fn opus_packet(packet: &[u8]) -> u64 {
    let Some(&head) = packet.first() else { return 0 };
    let frame = match head >> 3 {
        mode @ 0..=11 => [480, 960, 1920, 2880][usize::from(mode & 3)],
        mode @ 12..=15 => [480, 960][usize::from(mode & 1)],
        mode => 120 << (mode & 3),
    };
    let frames = match head & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => packet.get(1).map_or(0, |count| u64::from(count & 63)),
    };
    (frames * frame).min(OPUS_PACKET)
}

/// Blocks of Matroska and WebM.
fn matroska(file: &[u8]) -> Option<Extent> {
    let (mut rest, mut sound) = (file, Extent::new(0, OPUS_RATE, 1));
    let (mut track, mut pictures, mut is_opus) = (0, Vec::new(), true);
    if find(file, b"A_FLAC").is_some() {
        return flac(file);
    }
    while let Some((id, id_len)) = number(rest, true) {
        let Some((len, len_len)) = number(rest.get(id_len..).unwrap_or_default(), false) else { break };
        rest = rest.get(id_len + len_len..).unwrap_or_default();
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(rest.len());
        let body = &rest[..len];
        let value = || body.iter().take(8).fold(0, |value: u64, &byte| value << 8 | u64::from(byte));
        match id {
            // What follows is inside of them, whatever length they say: segment, cluster, group of blocks, tracks, track, sound.
            0x1853_8067 | 0x1f43_b675 | 0xa0 | 0x1654_ae6b | 0xae | 0xe1 => continue,
            0xd7 => track = value(),
            0x86 if body.starts_with(b"V_") => pictures.push(track),
            0x86 => is_opus &= body.starts_with(b"A_OPUS"),
            0x9f => sound.channels = sound.channels.max(u32::try_from(value()).unwrap_or(8).min(8)),
            0xa3 | 0xa1 => {
                if let Some((_, at)) = number(body, false).filter(|(of, _)| !pictures.contains(of)) {
                    let is_laced = body.get(at + 2).is_some_and(|flags| flags & 6 != 0);
                    let packet = body.get(at + 3..).unwrap_or_default();
                    sound.samples += match (is_laced, is_opus) {
                        (false, true) => opus_packet(packet),
                        (false, false) => OTHER_PACKET,
                        (true, _) => {
                            (u64::from(packet.first().copied().unwrap_or_default()) + 1) * OPUS_PACKET
                        }
                    };
                }
            }
            _ => {}
        }
        rest = &rest[len..];
    }
    Some(sound)
}

/// A number of Matroska, with its marker or without, and its length.
fn number(bytes: &[u8], with_marker: bool) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let len = first.leading_zeros() as usize + 1;
    let part = bytes.get(..len).filter(|_| len <= 8)?;
    let value = part.iter().fold(0, |value: u64, &byte| value << 8 | u64::from(byte));
    let marker = 1 << (7 * len);
    Some((if with_marker { value } else { value & (marker - 1) }, len))
}

/// Packets of MP4, as its tables count them.
fn mp4(file: &[u8]) -> Option<Extent> {
    let mut tracks = Vec::new();
    let mut all = Track::default();
    all.boxes(file, &mut tracks, 0);
    let sounds: Vec<&Track> = tracks.iter().filter(|track| track.is_sound).collect();
    let longest = sounds.iter().map(|track| track.longest).max()?;
    let of_flac = if sounds.iter().any(|track| track.is_flac) { flac_samples(file) } else { 0 };
    // Packets of fragments are those of any track.
    let packets = sounds.iter().map(|track| track.packets).fold(all.packets, u64::saturating_add);
    let samples = packets.saturating_mul(longest).saturating_add(of_flac);
    let rate = sounds.iter().map(|track| track.rate).min()?;
    Some(Extent::new(samples, rate, sounds.iter().map(|track| track.channels).max()?))
}

/// What the boxes of an MP4 file say of a track.
#[derive(Default)]
struct Track {
    is_sound: bool,
    is_flac: bool,
    packets: u64,
    /// Samples of a channel in a packet, at most.
    longest: u64,
    rate: u32,
    channels: u32,
}

impl Track {
    /// Reads boxes; tracks of their own go to `tracks`.
    fn boxes(&mut self, mut rest: &[u8], tracks: &mut Vec<Self>, depth: u32) {
        while let (Some(len), Some(kind)) = (be32(rest, 0), rest.get(4..8)) {
            // The length may follow in 64 bits, or be that of the rest.
            let (head, len) = match (len, be32(rest, 8), be32(rest, 12)) {
                (0, ..) => (8, rest.len()),
                (1, Some(0), Some(len)) => (16, len as usize),
                (1, ..) => (16, rest.len()),
                (len, ..) => (8, len as usize),
            };
            let body = rest.get(head..len.min(rest.len())).unwrap_or_default();
            match kind {
                b"trak" if depth < 8 => {
                    let mut track = Self::default();
                    track.boxes(body, tracks, depth + 1);
                    tracks.push(track);
                }
                b"moov" | b"mdia" | b"minf" | b"stbl" | b"moof" | b"traf" if depth < 8 => {
                    self.boxes(body, tracks, depth + 1);
                }
                b"hdlr" => self.is_sound |= body.get(8..12) == Some(b"soun"),
                b"stsz" | b"stz2" => self.packets += u64::from(be32(body, 8).unwrap_or_default()),
                b"trun" => self.packets += u64::from(be32(body, 4).unwrap_or_default()),
                b"stsd" => self.describe(body.get(8..).unwrap_or_default()),
                _ => {}
            }
            rest = rest.get(len.max(8)..).unwrap_or_default();
        }
    }

    /// Takes what the codec is.
    fn describe(&mut self, entry: &[u8]) {
        let mut channels = be32(entry, 24).map_or(2, |channels| channels >> 16).clamp(1, 8);
        self.longest = match entry.get(4..8) {
            Some(b"mp4a") => {
                channels = channels.max(aac_channels(entry).unwrap_or(8));
                AAC_PACKET
            }
            Some(b"Opus") => OPUS_PACKET,
            // Frames are counted.
            Some(b"fLaC") => {
                self.is_flac = true;
                0
            }
            // Samples as they are.
            Some(b"sowt" | b"twos" | b"lpcm" | b"ipcm" | b"fpcm" | b"in24" | b"in32" | b"fl32" | b"fl64") => {
                1
            }
            Some(b"alaw" | b"ulaw" | b"raw ") => 1,
            _ => OTHER_PACKET,
        };
        self.rate = be32(entry, 32).map_or(0, |rate| rate >> 16).max(8_000);
        self.channels = channels;
    }
}

/// Channels in the settings of AAC's decoder; `None` if there is another decoder, or they are somewhere else.
fn aac_channels(entry: &[u8]) -> Option<u32> {
    let stream = descriptor(entry.get(find(entry, b"esds")? + 8..)?, 3)?;
    let decoder = descriptor(stream.get(3..)?, 4)?;
    let [first, second, ..] = *descriptor(decoder.get(13..)?, 5)? else { return None };
    // The type is 5 bits, the rate 4, if it is none of its own, and the channels are 4.
    match ((first & 7) << 1 | second >> 7, u32::from(second >> 3 & 15)) {
        (15, _) => None,
        // One may become two, by parametric stereo.
        (_, channels @ 1..=6) => Some(channels.max(2)),
        _ => None,
    }
}

/// The content of a descriptor, and what follows it.
fn descriptor(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(&[tag])?;
    // The last byte of a length has no upper bit.
    let len = rest.iter().take(4).position(|byte| byte & 0x80 == 0)?;
    rest.get(len + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [&[u8]; 7] = [b"RIFF", b"FORM", b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3", b"ID3", b""];

    /// A frame of FLAC of 65 535 samples, all alike.
    const SILENCE: [u8; 7] = [0xff, 0xf8, 0x79, 0x78, 0, 0xff, 0xfe];

    fn crc8(bytes: &[u8]) -> u8 {
        bytes.iter().fold(0, |crc, &byte| {
            (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 7 })
        })
    }

    /// 60 KiB of FLAC, 8 channels.
    fn flac_frames(bytes: usize) -> Vec<u8> {
        let frame = [&SILENCE[..], &[crc8(&SILENCE)], &[0; 12]].concat();
        frame.repeat(bytes / frame.len())
    }

    fn stream_info(rate: u32, channels: u32) -> Vec<u8> {
        let mut file = b"fLaC\x80\0\0\x22".to_vec();
        file.extend([16, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
        file.extend((rate << 12 | (channels - 1) << 9 | 15 << 4).to_be_bytes());
        // It says that there are no more than ten samples.
        file.extend([0, 0, 0, 10]);
        file.extend([0; 16]);
        file
    }

    #[test]
    fn frames_of_flac_are_counted_whatever_the_head_says() {
        let frames = flac_frames(61_440);
        let file = [stream_info(44_100, 8), frames.clone()].concat();
        let extent = of(&file).expect("known");
        assert_eq!((extent.samples, extent.rate, extent.channels), (3072 * 65_535, 44_100, 8));
        assert!(extent.bytes() > 6 << 30, "{extent:?}");
        // A tag before it, and other containers.
        let tagged = [b"ID3\x04\0\0\0\0\0\x05hello".to_vec(), file].concat();
        assert_eq!(of(&tagged), Some(extent));
        let ogg = [b"OggS\0\x02".to_vec(), vec![0; 24], stream_info(44_100, 8), frames.clone()].concat();
        assert_eq!(of(&ogg), Some(extent));
        let head = b"\x1a\x45\xdf\xa3\x80\x86\x86A_FLAC".to_vec();
        assert_eq!(of(&[head, stream_info(44_100, 8), frames].concat()), Some(extent));
    }

    #[test]
    fn frames_of_mp3_and_aac_are_counted_behind_anything() {
        // 128 kbit/s at 44.1 kHz, stereo: 417 bytes; then with padding.
        let mut frame = vec![0xff, 0xfb, 0x90, 0];
        frame.resize(417, 0);
        let file = frame.repeat(100);
        let extent = Extent { samples: 115_200, rate: 44_100, channels: 2 };
        assert_eq!((of(&file), extent.seconds()), (Some(extent), 3));
        assert_eq!(of(&[b"no frame".to_vec(), file].concat()), Some(extent));
        // AAC, 48 kHz, 11 bytes a frame.
        let aac = [0xff, 0xf1, 0x4c, 0x80, 0x01, 0x7f, 0xfc, 1, 2, 3, 4].repeat(5_000);
        let extent = of(&aac).expect("known");
        assert_eq!(extent, Extent { samples: 5_000 * 2048, rate: 48_000, channels: 2 });
    }

    #[test]
    fn packets_of_opus_say_how_long_they_are() {
        let page = |packets: &[&[u8]]| {
            let mut page = [b"OggS".to_vec(), vec![0; 22], vec![packets.len() as u8]].concat();
            page.extend(packets.iter().map(|packet| packet.len() as u8));
            page.extend(packets.concat());
            page
        };
        // 20 ms, twice 60 ms, and 48 times 2.5 ms.
        let packets: [&[u8]; 3] = [&[0x98 | 3 << 3, 1], &[0x18 | 1], &[0x80 | 3, 48]];
        let file = [page(&[b"OpusHead\x01\x02"]), page(&packets)].concat();
        let extent = of(&file).expect("known");
        // The head counts as a packet, too.
        assert_eq!((extent.rate, extent.channels), (48_000, 2));
        assert!((960 + 5_760 + 5_760..=960 + 3 * 5_760).contains(&extent.samples), "{extent:?}");

        let block = |packet: &[u8]| [&[0xa3, 0x84 + packet.len() as u8, 0x81, 0, 0, 0][..], packet].concat();
        let mut webm = b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff".to_vec();
        webm.extend(b"\x16\x54\xae\x6b\x8f\xae\x8d\xd7\x81\x01\x86\x86A_OPUS\x9f\x81\x02");
        webm.extend(b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff");
        webm.extend(packets.iter().flat_map(|packet| block(packet)));
        let extent = of(&webm).expect("known");
        assert_eq!(extent, Extent { samples: 960 + 5_760 + 5_760, rate: 48_000, channels: 2 });
    }

    #[test]
    fn packets_of_mp4_are_counted() {
        let boxed =
            |kind: &[u8], body: &[u8]| [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat();
        let mut entry = vec![0; 36];
        entry[4..8].copy_from_slice(b"mp4a");
        entry[24..26].copy_from_slice(&2_u16.to_be_bytes());
        entry[32..36].copy_from_slice(&(44_100_u32 << 16).to_be_bytes());
        // The decoder's settings say six channels.
        let stream =
            [&[0, 0, 0, 0, 3, 0x80, 25, 0, 1, 0, 4, 17][..], &[5; 13], &[5, 0x80, 2, 0x12, 0x30]].concat();
        entry.extend(boxed(b"esds", &stream));
        let description = boxed(b"stsd", &[vec![0; 8], entry].concat());
        let sizes = |count: u32| boxed(b"stsz", &[&[0; 8][..], &count.to_be_bytes()].concat());
        let track = |kind: &[u8], count: u32| {
            let table = boxed(b"stbl", &[description.clone(), sizes(count)].concat());
            let handler = boxed(b"hdlr", &[&[0; 8][..], kind].concat());
            let media = boxed(b"mdia", &[handler, boxed(b"minf", &table)].concat());
            boxed(b"trak", &media)
        };
        let moov = boxed(b"moov", &[track(b"soun", 700), track(b"vide", 9_999)].concat());
        let run = boxed(b"trun", &[&[0; 4][..], &300_u32.to_be_bytes()].concat());
        let fragment = boxed(b"moof", &boxed(b"traf", &run));
        for first in [b"ftyp", b"free"] {
            let file = [boxed(first, b"isom"), moov.clone(), fragment.clone()].concat();
            let expected = Extent { samples: 1000 * AAC_PACKET, rate: 44_100, channels: 6 };
            assert_eq!(of(&file), Some(expected));
        }
    }

    #[test]
    fn samples_as_they_are_have_their_size() {
        let mut wav = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0".to_vec();
        wav.extend(48_000_u32.to_le_bytes());
        wav.extend([0, 0, 0, 0, 4, 0, 16, 0]);
        wav.resize(480_000, 0);
        assert_eq!(of(&wav), Some(Extent { samples: 120_000, rate: 48_000, channels: 2 }));
    }

    #[test]
    fn twenty_minutes_of_stereo_can_be_decoded() {
        let usual = Extent { samples: 1_200 * 48_000, rate: 48_000, channels: 2 };
        assert!(usual.bytes() < 1 << 30);
        assert_eq!(usual.most_seconds(usual.bytes()), 1_200);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(
            head in proptest::sample::select(&HEADS),
            rest in proptest::collection::vec(proptest::num::u8::ANY, 0..300),
        ) {
            let _ = of(&[head, &rest].concat());
        }
    }
}
