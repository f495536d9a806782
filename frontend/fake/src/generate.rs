//! Answers, a token after the other.

use std::rc::Weak;

use protocol::failure::{EngineFailure, RequestFailure};
use protocol::{
    Channel, Content, Failure, Finish, GenerateOptions, Message, Outcome, Progress, RequestId, Resumed, Role,
    Speculation, Timings, ToPage, ToolCall,
};

use super::play::{Ended, State, crash, fail, post, progress, wait};
use super::{answers, diffusion, media, models, tools, towers};

/// Usual time of one fake token.
const TOKEN_MS: u32 = 26;

/// Least tokens of a prompt whose KV cache is kept.
const LEAST_KEPT: u32 = 512;
/// Bytes of a token in a KV cache.
const CACHE_BYTES: u64 = 18_432;

/// The id of a token is its place in the answer, and this much more for each answer that there was before. So an engine that
/// goes on with another's answer knows which it is.
const IDS_OF_ANSWER: u32 = 1 << 20;

/// Answers messages.
pub async fn generate(
    state: &Weak<State>,
    id: RequestId,
    messages: &[Message],
    options: &GenerateOptions,
) -> Ended {
    let scenario = state.upgrade()?.scenario;
    let (loaded, loaded_by) = {
        let all = state.upgrade()?;
        (all.loaded.borrow().clone(), all.loaded_by.get())
    };
    if options.model.is_some_and(|model| loaded_by != Some(model)) {
        return fail(RequestFailure::OtherModel);
    }
    let Some((_, context)) = loaded else {
        return fail(RequestFailure::NoModel);
    };
    let constraint = &options.constraint;
    if !constraint.is_none() {
        if scenario.diffusion {
            return fail(RequestFailure::Unconstrained);
        }
        if !state.upgrade()?.is_constraining.get() {
            return fail(RequestFailure::NoConstraints);
        }
        if let Err(refused) = tools::check(constraint) {
            return fail(refused);
        }
    }
    let seed = options.sampling.seed.unwrap_or_default();
    let resumed =
        options.resumed.as_deref().cloned().unwrap_or_else(|| Resumed { seed, ..Resumed::default() });
    progress(state, id, Progress::Begins(resumed.clone()))?;
    let prompt = count(messages);
    if scenario.context_full || prompt >= context {
        let tokens = prompt.max(context + 212);
        return fail(RequestFailure::ContextFull { tokens, context });
    }
    if !towers::encode(state, id, messages).await? {
        let finish = Finish::Cancelled;
        return Some(Ok(Outcome::Done { finish, timings: Timings::default() }));
    }
    for step in 1..=4 {
        // Of an answer that goes on, the page knows that it was read.
        if resumed.drawn.is_empty() {
            progress(state, id, Progress::Prefilling { done: prompt * step / 4, total: prompt })?;
        }
        wait(state, 60).await?;
    }

    let answers_before = {
        let state = state.upgrade()?;
        state.answers.replace(state.answers.get() + 1)
    };
    // Where another engine has begun, and how far it came.
    let last = resumed.drawn.last();
    let so_far = last.map_or(answers_before, |last| (last / IDS_OF_ANSWER) as usize);
    let drawn = last.map_or(0, |last| (last % IDS_OF_ANSWER) as usize + 1);
    let id_of = |index: usize| so_far as u32 * IDS_OF_ANSWER + index as u32;
    let question =
        messages.iter().rev().find(|message| message.role == Role::User).map_or_else(String::new, text_of);
    let texts: Vec<_> = messages.iter().map(text_of).collect();
    let mut answer =
        answers::of_messages(&question, &texts).unwrap_or_else(|| answers::answer(&question, so_far));
    if let Some(begun) = &options.begun {
        // What it would have gone on with; behind words of the person's, all of it.
        let whole = (0..=so_far).map(|before| answers::answer(&question, before));
        let rest = whole.filter_map(|it| it.strip_prefix(&begun.answer).map(str::to_owned)).next();
        answer = rest.unwrap_or_else(|| format!(" {answer}"));
    }
    if let Some(words) = media::counted(messages) {
        answer = format!("{answer}\n\n{words}");
        if answers::wants_transcript(&question) {
            let state = state.upgrade()?;
            answer = answers::transcript(state.transcripts.replace(state.transcripts.get() + 1));
        }
    }
    for adapter in options.adapters.iter().filter(|adapter| adapter.scale != 0.0) {
        answer = format!("Spoken with {} at {}.\n\n{answer}", adapter.key, adapter.scale);
    }
    let calls = tools::calls(constraint, &question, messages, seed);
    if let Some(said) = tools::told(messages).or_else(|| tools::formatted(&constraint.format)) {
        answer = said;
    }
    if constraint.must_call {
        answer.clear();
    }
    let thought = if options.thinking && options.begun.is_none() { answers::THOUGHT } else { "" };
    // Behind an answer, its calls; the last token of each ends it.
    let written: Vec<_> = calls.iter().map(|call| format!("call:{}{}", call.name, call.arguments)).collect();
    let in_calls = written.iter().zip(&calls).flat_map(|(written, call)| {
        let tokens = answers::tokens(written).count();
        (1..=tokens).map(move |token| Token::Call((token == tokens).then_some(call)))
    });
    let most_thought = if options.max_thought == 0 { usize::MAX } else { options.max_thought as usize };
    let pieces: Vec<_> = answers::tokens(thought)
        .take(most_thought)
        .map(|piece| Token::Text(Channel::Thought, piece))
        .chain(answers::tokens(&answer).map(|piece| Token::Text(Channel::Answer, piece)))
        .chain(in_calls)
        .collect();

    let mut tokens = resumed.drawn.len() as u32;
    let mut finish = if calls.is_empty() { Finish::EndOfTurn } else { Finish::ToolCall };
    if scenario.diffusion {
        let (ended, timings) = diffusion::answer(state, id, &answer, drawn, id_of).await?;
        let steps = timings.diffusion.map_or(0, |it| it.steps);
        let experts = state.upgrade()?.mixture.borrow().as_ref().and_then(|mixture| mixture.timings(steps));
        let timings = Timings {
            prompt_tokens: prompt,
            cached_tokens: prompt / 2,
            context_size: context,
            experts,
            ..timings
        };
        return Some(Ok(Outcome::Done { finish: ended, timings }));
    }
    for (index, piece) in pieces.iter().enumerate().skip(drawn) {
        let is_thought = matches!(piece, Token::Text(Channel::Thought, _));
        if is_thought && state.upgrade()?.answer_now.borrow().contains(&id) {
            continue;
        }
        if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
            finish = Finish::Cancelled;
            break;
        }
        if options.max_tokens > 0 && tokens >= options.max_tokens {
            let in_call = matches!(index.checked_sub(1).map(|last| &pieces[last]), Some(Token::Call(None)));
            finish = if in_call { Finish::CutCall } else { Finish::MaxTokens };
            break;
        }
        if index == pieces.len() / 2 {
            if scenario.crash && so_far == 0 {
                return crash(state);
            }
            if scenario.filled && options.begun.is_none() {
                finish = Finish::ContextFull;
                break;
            }
            if scenario.fail {
                return fail(Failure::new(EngineFailure::Generating).detailed("there is no token 9"));
            }
            if scenario.lost {
                post(state, ToPage::DeviceLost { reason: "the driver was reset".into() })?;
                wait(state, 1_200).await?;
                post(state, ToPage::Device(models::device(&scenario)))?;
            }
        }
        tokens += 1;
        match *piece {
            Token::Text(channel, text) => {
                progress(state, id, Progress::Text { channel, text: text.into(), tokens })?;
            }
            Token::Call(Some(call)) => progress(state, id, Progress::Tool(tools::with_id(call, id, tokens)))?,
            Token::Call(None) => {}
        }
        let decode_ms = f64::from(tokens) * f64::from(scenario.pace.ms(TOKEN_MS).max(1));
        progress(state, id, Progress::Drawn { ids: vec![id_of(index)], decode_ms })?;
        wait(state, TOKEN_MS).await?;
    }
    if let Some(conversation) = options.keep.clone().filter(|_| prompt >= LEAST_KEPT) {
        let bytes = u64::from(prompt + tokens) * CACHE_BYTES;
        state.upgrade()?.caches.borrow_mut().insert(conversation, bytes);
    }
    let experts = state.upgrade()?.mixture.borrow().as_ref().and_then(|mixture| mixture.timings(tokens));
    let timings = Timings {
        prompt_tokens: prompt,
        cached_tokens: prompt / 2,
        prefill_ms: f64::from(scenario.pace.ms(240)),
        first_token_ms: f64::from(scenario.pace.ms(400)),
        decode_tokens: tokens,
        decode_ms: f64::from(tokens) * f64::from(scenario.pace.ms(TOKEN_MS).max(1)),
        context_used: (prompt + tokens).min(context),
        context_size: context,
        diffusion: None,
        speculation: options.drafts.then(|| Speculation { drafted: 3 * tokens / 4, accepted: tokens / 2 }),
        experts,
    };
    Some(Ok(Outcome::Done { finish, timings }))
}

/// A token of an answer.
enum Token<'a> {
    Text(Channel, &'a str),
    /// Of a call, with the call if it ends here.
    Call(Option<&'a ToolCall>),
}

/// Returns about how many tokens these messages take.
pub fn count(messages: &[Message]) -> u32 {
    let characters: usize = messages.iter().map(|message| text_of(message).chars().count() + 16).sum();
    let media: u32 = messages.iter().flat_map(|message| &message.content).map(media::tokens).sum();
    u32::try_from(characters / 4).unwrap_or(u32::MAX).saturating_add(media)
}

/// The texts of a message.
pub fn text_of(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        Content::Image { .. } | Content::Audio { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
