//! Speech written down by the model: a request of its own, in its turn behind answers, that no conversation knows of.

use std::cell::RefCell;

use futures_channel::oneshot;
use leptos::prelude::*;
use protocol::failure::EngineFailure;
use protocol::{
    Content, Failure, GenerateOptions, Media, Message, Outcome, Request, RequestId, Role, Sampling,
};

use super::super::models::ModelState;
use super::ChatStore;
use crate::history::AttachmentKey;
use crate::language::t;
use crate::media::wav::Wav;
use crate::state::media::blob_of;

/// Most tokens of what is said in half a minute.
const TOKENS: u32 = 400;

/// Holds the model for a transcript; lets go of it when dropped.
struct Turn {
    chat: ChatStore,
    request: Option<RequestId>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(request) = self.request {
            self.chat.engine.cancel(request);
        }
        self.chat.transcribing.set(false);
    }
}

impl ChatStore {
    /// Has the loaded model write down what is said in at most half a minute of sound. It waits for a model to be loaded, and for
    /// what runs. Returns `None` once it is not `wanted` any more.
    ///
    /// # Errors
    /// Why the model could not.
    pub async fn transcribe(
        self,
        samples: &[i16],
        wanted: impl Fn() -> bool + Copy + 'static,
    ) -> Result<Option<String>, Failure> {
        self.transcription_turn(wanted).await;
        let ModelState::Ready { loaded_by, details, .. } = self.engine.model.get_untracked() else {
            return Ok(None);
        };
        if !untrack(wanted) {
            return Ok(None);
        }
        self.stop_title();
        self.transcribing.set(true);
        let mut turn = Turn { chat: self, request: None };
        let gone = || Failure::from(EngineFailure::AnswerCut);
        let sound = blob_of(&Wav::of(samples).finish(), "audio/wav").ok_or_else(gone)?;
        let media = Media { key: AttachmentKey::random().0, place: 0 };
        let asked = Message {
            content: vec![Content::Audio { media }, Content::Text(t().transcribe_prompt().to_owned())],
            ..Message::text(Role::User, "")
        };
        let options = GenerateOptions {
            sampling: Sampling { temperature: 0.0, ..Sampling::default() },
            max_tokens: TOKENS,
            pause_training: true,
            drafts: self.engine.drafts(details.drafter),
            model: Some(loaded_by),
            ..GenerateOptions::default()
        };
        let request = Request::Generate { messages: vec![asked], options };
        let mut reply = self.engine.request_with(vec![sound], request).ok_or_else(gone)?;
        turn.request = Some(reply.id());
        let ended = reply.text(&mut |_| untrack(wanted)).await;
        if !untrack(wanted) {
            return Ok(None);
        }
        turn.request = None;
        match ended {
            Some((said, Ok(Outcome::Done { .. }))) => Ok(Some(said.trim().to_owned())),
            Some((_, Err(failure))) => Err(failure),
            _ => Err(gone()),
        }
    }

    /// Waits until a model is loaded that nothing else of this page uses or waits for, or the transcript is not wanted any more.
    async fn transcription_turn(self, wanted: impl Fn() -> bool + 'static) {
        let (sender, receiver) = oneshot::channel();
        let sender = RefCell::new(Some(sender));
        let watch = Effect::new(move |_| {
            let free = self.engine.model.with(ModelState::is_ready)
                && self.adapters.are_open()
                && !self.answer.is_running()
                && !self.transcribing.get()
                && self.queued.with(Option::is_none);
            if (free || !wanted())
                && let Some(sender) = sender.take()
            {
                // Nobody may wait any more.
                sender.send(()).ok();
            }
        });
        // The effect lives until it has sent.
        receiver.await.ok();
        watch.stop();
    }
}
