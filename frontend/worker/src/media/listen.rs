//! Encodes sound from the microphone during the recording.
//!
//! What comes out is found later by its content, as every clip is that was encoded before. So nothing depends on this:
//! what is late or fails here is encoded when the recording is sent, which reports the error.

use std::rc::Rc;

use engine::audio::{AudioError, Encoder};
use engine::bytes::CancelToken;
use engine::session::EngineError;
use protocol::{Failure, Outcome};

use super::encode::{EncodeError, STEP};
use crate::host::{Host, Ready};
use crate::state::heard::{Heard, Listening};
use crate::state::tasks::Task;

/// Answers [`protocol::Request::Listen`], whose samples are in [`Host::heard`].
pub async fn listen(host: Rc<Host>, task: Task) -> Result<Outcome, Failure> {
    let mut slot = host.slot(&task.cancel).await?;
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
    /// Feeds the tower. Returns the encoded tokens of the clip.
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
