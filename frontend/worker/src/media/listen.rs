//! Sound on its way from the microphone, encoded while the person still speaks.
//!
//! What comes out is found later by its content, as every clip is that was encoded before. So nothing depends on this:
//! what is late or fails here is encoded when the recording is sent, and told there.

use std::rc::Rc;

use engine::audio::{AudioError, CLIP_SAMPLES, Encoder};
use engine::bytes::CancelToken;
use engine::session::EngineError;
use protocol::{Failure, Outcome, PageId};

use super::encode::{EncodeError, STEP};
use crate::failure;
use crate::host::{Host, Ready};
use crate::tasks::Task;

/// Most samples that wait for the model while it answers: a minute. With more, the recording is encoded when it is sent.
const MAX_WAITING: usize = 2 * CLIP_SAMPLES;

/// What came from the microphone and is not in the tower yet.
#[derive(Debug, Default)]
pub struct Heard {
    /// The page whose microphone it is. Of two that record at once, the one that began last is listened to.
    page: PageId,
    samples: Vec<f32>,
    /// Number of the first sample that is not here yet; none once something is missing.
    next: Option<u64>,
    /// Whether `samples` begin a recording.
    begins: bool,
    ended: bool,
}

/// The clip of a recording that is in the tower.
pub struct Listening(Encoder);

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
    fn take(&mut self) -> Self {
        let rest = Self { page: self.page, next: self.next, ..Self::default() };
        std::mem::replace(self, rest)
    }
}

/// Answers [`protocol::Request::Listen`], whose samples are in [`Host::heard`].
pub async fn listen(host: Rc<Host>, task: Task) -> Result<Outcome, Failure> {
    let mut slot = host.slot(&task.cancel).await.map_err(|_| failure::cancelled())?;
    let heard = host.heard.borrow_mut().take();
    let Some(ready) = slot.as_mut() else { return Ok(Outcome::Listened { tokens: 0 }) };
    let tokens = match ready.listen(&heard, &task.cancel).await {
        Ok(tokens) => tokens,
        Err(_) => {
            // Sending the recording meets the same trouble, and tells it where it matters.
            ready.listening = None;
            0
        }
    };
    Ok(Outcome::Listened { tokens })
}

impl Ready {
    /// Gives the tower what was heard. Returns the tokens of the clip that are encoded.
    async fn listen(&mut self, heard: &Heard, cancel: &CancelToken) -> Result<u32, EncodeError> {
        if heard.begins {
            self.listening = None;
        } else if self.listening.is_none() {
            return Ok(0);
        }
        let tower = self.session.autoregressive_mut()?.audio_mut()?.tower(cancel, &mut |_| ()).await?;
        let anew = || Listening(Encoder::new(Rc::clone(&tower)));
        let listening = self.listening.get_or_insert_with(anew);
        for mut piece in heard.samples.chunks(STEP) {
            while !piece.is_empty() {
                piece = &piece[listening.0.push(piece)..];
                if listening.0.room() == 0 {
                    let full = std::mem::replace(listening, anew());
                    self.encoded.keep(full.0.finish()?);
                }
            }
            // The device is not to be given all that has waited at once.
            tower.gpu().drained().await.map_err(EngineError::from)?;
            cancel.check().map_err(EngineError::from)?;
        }
        let tokens = listening.0.encoded();
        if !heard.ended {
            return Ok(tokens);
        }
        let Some(Listening(encoder)) = self.listening.take() else { return Ok(0) };
        match encoder.finish() {
            Ok(rows) => {
                let tokens = rows.medium().tokens;
                self.encoded.keep(rows);
                Ok(tokens)
            }
            // The end of a recording that fills its clips to a few samples.
            Err(AudioError::TooShort { .. }) => Ok(tokens),
            Err(error) => Err(error.into()),
        }
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
