//! Sound of a recording that waits for the model.

use engine::audio::{CLIP_SAMPLES, Encoder};
use protocol::PageId;

/// Most samples that wait for the model while it answers: a minute. With more, the recording is encoded when it is sent.
const MAX_WAITING: usize = 2 * CLIP_SAMPLES;

/// What came from the microphone and is not in the tower yet.
#[derive(Debug, Default)]
pub struct Heard {
    /// The page whose microphone it is. Of two that record at once, the one that began last is listened to.
    page: PageId,
    pub samples: Vec<f32>,
    /// Number of the first sample that is not here yet; none once something is missing.
    next: Option<u64>,
    /// Whether `samples` begin a recording.
    pub begins: bool,
    pub ended: bool,
}

/// The clip of a recording that is in the tower.
pub struct Listening(pub Encoder);

impl Heard {
    /// Takes samples in.
    pub fn push(&mut self, page: PageId, at: u64, samples: &[i16], last: bool) {
        if at == 0 {
            *self = Self { page, next: Some(0), begins: true, ..Self::default() };
        }
        if page != self.page {
            return;
        }
        if self.next != Some(at) || self.samples.len() + samples.len() > MAX_WAITING {
            *self = Self { page, ..Self::default() };
            return;
        }
        // As a file of 16 bits is read.
        self.samples.extend(samples.iter().map(|&sample| f32::from(sample) / 32_768.0));
        self.next = (!last).then_some(at + samples.len() as u64);
        self.ended = last;
    }

    /// What waits; the rest of the recording follows it.
    pub fn take(&mut self) -> Self {
        let rest = Self { page: self.page, next: self.next, ..Self::default() };
        std::mem::replace(self, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: PageId = PageId(1);

    #[test]
    fn pieces_follow_one_another_or_are_dropped() {
        let mut heard = Heard::default();
        heard.push(PAGE, 5, &[1, 2], false);
        assert!(heard.samples.is_empty(), "a recording without its beginning");
        heard.push(PAGE, 0, &[16_384, 0], false);
        heard.push(PAGE, 2, &[-32_768], false);
        assert_eq!(heard.samples, [0.5, 0.0, -1.0]);
        let first = heard.take();
        assert!(first.begins && !first.ended);
        heard.push(PAGE, 3, &[0; 4], true);
        let rest = heard.take();
        assert_eq!((rest.samples.len(), rest.begins, rest.ended), (4, false, true));
        heard.push(PAGE, 7, &[0], false);
        assert!(heard.samples.is_empty(), "it has ended");
    }

    #[test]
    fn of_two_recordings_the_later_one_is_heard() {
        let mut heard = Heard::default();
        heard.push(PAGE, 0, &[16_384], false);
        heard.push(PageId(2), 0, &[0], false);
        heard.push(PAGE, 1, &[16_384], false);
        heard.push(PageId(2), 1, &[-32_768], true);
        assert_eq!(heard.samples, [0.0, -1.0]);
    }

    #[test]
    fn what_waits_has_a_bound() {
        let mut heard = Heard::default();
        let piece = vec![0; CLIP_SAMPLES];
        heard.push(PAGE, 0, &piece, false);
        heard.push(PAGE, CLIP_SAMPLES as u64, &piece, false);
        assert_eq!(heard.samples.len(), MAX_WAITING);
        heard.push(PAGE, MAX_WAITING as u64, &[0], false);
        assert_eq!((heard.samples.len(), heard.next), (0, None));
    }
}
