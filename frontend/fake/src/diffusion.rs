//! An answer as a diffusion model gives it: block by block, each settling in steps.

use std::rc::Weak;

use protocol::{Canvas, CanvasText, Channel, DiffusionTimings, Finish, Progress, RequestId, Timings};

use super::answers;
use super::play::{State, progress, wait};

/// Pieces of a block.
const BLOCK: usize = 24;
/// Steps of a block, of as many as it might take.
const STEPS: u32 = 8;
const MAX_STEPS: u32 = 48;
/// Usual time of a step.
const STEP_MS: u32 = 90;

/// Says the answer behind the tokens that were `drawn` of it; how it ended, and its figures.
pub async fn answer(
    state: &Weak<State>,
    id: RequestId,
    answer: &str,
    drawn: usize,
    id_of: impl Fn(usize) -> u32,
) -> Option<(Finish, Timings)> {
    let pieces: Vec<&str> = answers::tokens(answer).collect();
    let mut counted = DiffusionTimings::default();
    let mut tokens = drawn as u32;
    let mut finish = Finish::EndOfTurn;
    let step_ms = f64::from(state.upgrade()?.scenario.pace.ms(STEP_MS).max(1));
    'blocks: for (block, pieces) in (0..).zip(pieces[drawn.min(pieces.len())..].chunks(BLOCK)) {
        counted.blocks += 1;
        for step in 1..=STEPS {
            if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
                finish = Finish::Cancelled;
                break 'blocks;
            }
            counted.steps += 1;
            progress(state, id, Progress::Canvas(canvas(pieces, block, step)))?;
            wait(state, STEP_MS).await?;
        }
        let first = tokens as usize;
        tokens += pieces.len() as u32;
        let text = pieces.concat();
        progress(state, id, Progress::Text { channel: Channel::Answer, text, tokens })?;
        let (ids, decode_ms) =
            ((first..tokens as usize).map(&id_of).collect(), step_ms * f64::from(counted.steps));
        progress(state, id, Progress::Drawn { ids, decode_ms })?;
    }
    let timings = Timings {
        prefill_ms: 240.0,
        first_token_ms: 240.0 + step_ms * f64::from(STEPS),
        decode_tokens: tokens,
        decode_ms: step_ms * f64::from(counted.steps),
        context_used: tokens,
        diffusion: Some(counted),
        ..Timings::default()
    };
    Some((finish, timings))
}

/// A block after a step: the pieces that are accepted are right, the others are those of other places.
fn canvas(pieces: &[&str], block: u32, step: u32) -> Canvas {
    let is_accepted = |at: usize| (at * 5) % (STEPS as usize) < step as usize;
    let text = pieces.iter().enumerate().map(|(at, piece)| {
        let accepted = is_accepted(at);
        let text = if accepted { piece } else { pieces[(at * 7 + step as usize) % pieces.len()] };
        CanvasText { channel: Channel::Answer, text: text.to_owned(), accepted }
    });
    let entropy = 2.0 * (1.0 - step as f32 / STEPS as f32);
    Canvas { block, step, steps: MAX_STEPS, entropy, text: text.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_says_what_the_block_says() {
        let pieces: Vec<&str> = answers::tokens("A red circle is to the left of it.").collect();
        let text = |step| canvas(&pieces, 0, step).text.into_iter().map(|it| it.text).collect::<String>();
        assert_eq!(text(STEPS), pieces.concat());
        assert_ne!(text(1), pieces.concat());
        let open = |step| canvas(&pieces, 0, step).text.iter().filter(|it| !it.accepted).count();
        assert!((1..STEPS).all(|step| open(step) >= open(step + 1)) && open(1) > 0);
    }
}
