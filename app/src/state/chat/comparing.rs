//! Answers that are not written into the conversation.

use leptos::prelude::*;
use protocol::failure::{EngineFailure, RequestFailure};
use protocol::{AdapterScale, Channel, Event, Failure, Progress, Request, RequestId, Sampling};

use super::ChatStore;
use super::prompt::generate_options;
use crate::state::models::ModelState;

/// Least time between two updates, in milliseconds.
const FRAME_MS: u32 = 33;

impl ChatStore {
    /// Has the last question answered with these adapters and this seed; `say` gets the answer's text in pieces, and `running`
    /// the request while it runs.
    ///
    /// # Errors
    /// Why there is no answer, or not all of it.
    pub async fn answer_apart(
        self,
        adapters: Vec<AdapterScale>,
        seed: u64,
        running: StoredValue<Option<RequestId>>,
        say: impl Fn(&str),
    ) -> Result<(), Failure> {
        let ModelState::Ready { loaded_by, choice, details, .. } = self.engine.model.get_untracked() else {
            return Err(RequestFailure::NoModel.into());
        };
        let conversation = self.with_system(self.conversation.get_untracked(), &choice);
        let Some(last) = conversation.last_question() else {
            return Err(RequestFailure::NoQuestion.into());
        };
        let (messages, handles) = self.messages(&conversation, last, details.capabilities).await;
        let mut options = generate_options(&conversation, &choice, &details);
        options.sampling = Sampling { seed: Some(seed), ..options.sampling };
        options.adapters = adapters;
        options.model = Some(loaded_by);
        let reply = self.engine.request_with(handles, Request::Generate { messages, options });
        let mut reply = reply.ok_or(EngineFailure::Stopped)?;
        running.try_update_value(|running| *running = Some(reply.id()));
        while let Some(events) = reply.batch(FRAME_MS).await {
            for event in events {
                match event {
                    Event::Progress(Progress::Text { channel: Channel::Answer, text, .. }) => say(&text),
                    Event::Outcome(Err(failure)) => return Err(failure),
                    Event::Outcome(Ok(_)) => {
                        running.try_update_value(|running| *running = None);
                        return Ok(());
                    }
                    _ => {}
                }
            }
        }
        Err(EngineFailure::AnswerCut.into())
    }
}
