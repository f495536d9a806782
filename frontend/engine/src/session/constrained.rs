//! Answers that may only be what a grammar allows.

use shaders::sampling::NOTHING;
use web_time::Instant;

use super::generate::{Event, Exit, Finish, Run};
use super::{EngineError, Session};
use crate::tokenizer::Specials;

/// The fewest tokens of forced text that are read like a prompt: fewer are drawn as fast.
const SHORTEST_FORCED: usize = 4;

impl Session {
    /// Draws tokens one by one, each from those that the constraint allows.
    pub(super) async fn draw_constrained(&mut self, run: &mut Run<'_>) -> Result<Exit, EngineError> {
        let base = run.input.len();
        let most = run.limit - (base - run.prompt) as u32;
        let cancel = run.control.cancel.clone();
        let mut source = self.decoder.draw_masked(most, &cancel);
        let exit = loop {
            let id = source.next().await.map_err(EngineError::from)?;
            if id == NOTHING {
                return Err(EngineError::NotNumbers);
            }
            run.last = Instant::now();
            if run.first.is_none() {
                (run.first, run.buffers) = (Some(run.last), self.core.gpu.buffers_created());
            } else {
                run.submits += 1;
            }
            let before = run.input.len();
            let exit = run.take(self, id);
            (run.on)(Event::Drawn(run.input.ids()[before..].to_vec()));
            if let Some(Exit::Finished(finish)) = exit {
                break Exit::Finished(finish);
            }
            let drawn = run.input.len() - run.prompt;
            if let Some(constraint) = &mut run.constraint {
                constraint.push(id)?;
                if let Some(exit) = exit {
                    break exit;
                }
                let forced = self.forced_ids(&constraint.forced(), run.limit as usize - drawn);
                if forced.len() >= SHORTEST_FORCED {
                    break Exit::Forced(forced);
                }
                match source.allow(constraint.allowed()?).await.map_err(EngineError::from) {
                    Err(error) if error.is_cancelled() => break Exit::Finished(Finish::Cancelled),
                    allowed => allowed?,
                }
            }
        };
        let submitted = source.submitted();
        let held = run.input.prefix(run.input.len() - 1);
        self.core.sequence.set(held, (base as u32 + submitted).saturating_sub(1));
        Ok(exit)
    }

    /// Returns at most `most` tokens of a forced text, without the last one: with what follows, it may be another token.
    fn forced_ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = self.tokenizer.encode(text, Specials::Ignore);
        ids.pop();
        ids.truncate(most);
        ids
    }
}
