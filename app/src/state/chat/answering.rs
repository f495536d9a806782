//! Having a turn answered: the queue, the request, the events, the end.
//!
//! A message that is sent while an answer runs is part of the tree at once, and waits for the end of that answer. A stopped, cut
//! off or edited answer is continued in place: it is sent as the beginning of its own answer ([`protocol::Begun`]).

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::EngineFailure;
use protocol::{
    Begun, Event, Failure, Finish, FitVerdict, LoadPhase, LoadProgress, Outcome, Progress, Request, Sense,
    Timings, ToolCall,
};

use super::super::answer::{AnswerPhase, AnswerPlace};
use super::super::engine::EnginePhase;
use super::super::models::{Choice, Inspection, ModelState};
use super::documents::Measure;
use super::prompt::generate_options;
use super::tabs::lock_name;
use super::{AnswerFailure, ChatStore, ChatTurn, Queued};
use crate::history::{self, Conversation, ConversationId, Message};
use crate::locks;
use crate::sentences::SentenceSplitter;
use crate::{
    engine_client::Reply,
    failures, format,
    language::{listed, t},
};

/// Least time between two updates of the running answer on screen, in milliseconds.
const FRAME_MS: u32 = 33;
/// How often a running answer is kept, in milliseconds, so that a closed tab loses little of it.
const KEEP_EVERY_MS: u64 = 3_000;

impl ChatStore {
    /// Has a turn of the conversation on screen answered: now, or as soon as a model is ready.
    pub fn ask(self, turn: ChatTurn) {
        self.ask_in(self.conversation.id_untracked(), turn);
    }

    /// [`Self::ask`], of any conversation that is at hand.
    pub(super) fn ask_in(self, conversation: ConversationId, turn: ChatTurn) {
        self.failure.set(None);
        if self.engine.model.with_untracked(ModelState::is_ready) {
            // What waits goes when the running answer has ended, and the adapters are open.
            let is_busy = self.answer.is_running_untracked() || self.transcribing.get_untracked();
            if is_busy || !untrack(|| self.adapters.are_open()) {
                self.queued.set(Some(Queued { conversation, turn }));
            } else {
                self.run(conversation, turn);
            }
            return;
        }
        self.queued.set(Some(Queued { conversation, turn }));
        self.load_for_what_waits();
    }

    /// Loads a model if a message waits for one, and none is on its way.
    pub fn load_for_what_waits(self) {
        let is_coming = self.engine.model.with_untracked(|model| model.is_ready() || model.is_loading())
            || self.engine.opening.get_untracked()
            || self.chosen_early.with_untracked(Option::is_some);
        if is_coming || self.queued.with_untracked(Option::is_none) {
            return;
        }
        let crashed = self.engine.phase.with_untracked(|phase| matches!(phase, EnginePhase::Crashed(_)));
        match self.engine.selection_now() {
            Some(choice) if crashed => {
                let context = self.conversation.with_untracked(|conversation| conversation.options.context);
                self.engine.restart_with(choice, context);
            }
            None if untrack(|| self.engine.is_listing()) => self.sent_early.set(true),
            Some(_) if untrack(|| self.engine.is_looking()) => {
                self.sent_early.set(true);
                self.engine.inspect_all();
            }
            _ => self.choose_selected(),
        }
    }

    /// Loads the selected model for what waits; where none is selected, the user is to choose.
    pub(super) fn choose_selected(self) {
        match self.engine.selection_now() {
            Some(choice) => self.load_if_sensible(choice),
            None => self.ui.picker.set(true),
        }
    }

    /// Loads the model that the user has chosen. Where the device computes in software and the model is large, or where it
    /// most likely won't fit, the user is asked first, before anything is downloaded. While the engine starts, the choice waits for the device.
    pub fn choose(self, choice: Choice) {
        self.engine.select(choice.id.clone());
        self.load_if_sensible(choice);
    }

    /// [`Self::choose`], of the model that is selected.
    pub(super) fn load_if_sensible(self, choice: Choice) {
        let crashed = self.engine.phase.with_untracked(|phase| matches!(phase, EnginePhase::Crashed(_)));
        let software = self.engine.device.with_untracked(|it| it.as_ref().map(|device| device.software));
        if software.is_none() && !crashed {
            self.chosen_early.set(Some(choice));
            return;
        }
        let missing = self.engine.inspections.with_untracked(|all| match all.get(&choice.id) {
            Some(Inspection::Known { verdict: FitVerdict::TooLarge { needed, available }, .. }) => {
                Some(needed.saturating_sub(*available))
            }
            _ => None,
        });
        let missing = missing.filter(|_| !self.engine.is_wanted_anyway(&choice.id));
        if choice.is_too_slow(software == Some(true)) {
            self.ui.too_slow.set(Some(choice));
        } else if let Some(missing) = missing {
            self.ui.unlikely.set(Some((choice, missing)));
        } else {
            self.load(choice);
        }
    }

    /// Loads a model with the context length of this conversation.
    pub fn load(self, choice: Choice) {
        let context = self.conversation.with_untracked(|conversation| conversation.options.context);
        self.engine.load(choice, context);
    }

    pub(super) fn run(self, conversation: ConversationId, turn: ChatTurn) {
        let ModelState::Ready { loaded_by, choice, details, context, .. } = self.engine.model.get_untracked()
        else {
            return;
        };
        self.stop_title();
        let model = choice.entry.name.clone();
        let begin = |conversation: &mut Conversation| {
            conversation.options.model.clone_from(&model);
            let now = history::now();
            match turn {
                ChatTurn::After(node) => conversation.add_answer(node, &*model, now),
                ChatTurn::Again(answer) => conversation.regenerate(answer, &*model, now),
                ChatTurn::Continue(answer) => conversation.continue_answer(answer, now),
            }
        };
        let begun = self.library.change(conversation, begin).and_then(|begun| self.reported(begun));
        let (Some(node), Some(now)) = (begun, self.library.at_hand(conversation)) else { return };
        let conversation = now.get_untracked();

        let until = conversation.node(node).and_then(history::Node::parent).unwrap_or(node);
        let mut asked = self.with_system(conversation.clone(), &choice);
        let mut options = generate_options(&asked, &choice, &details);
        options.adapters = self.adapters.scales();
        options.drafts = self.engine.drafts(details.drafter);
        // A training that is under way waits between two steps.
        options.pause_training = true;
        options.model = Some(loaded_by);
        options.keep = self.engine.cache_name(&conversation);
        let place = AnswerPlace { conversation: conversation.id, node, request: None };
        self.answer.begin(place);
        if let (ChatTurn::Continue(_), Some(message)) = (turn, conversation.message(node)) {
            let (answer, thought) = (message.text.clone(), message.thought.clone());
            self.answer.begin_with(answer.clone(), thought.clone(), message.thought_ms);
            options.begun = Some(Begun { thought, answer });
        }
        self.live.begin(&self.answer.text.get_untracked(), &self.answer.thought.get_untracked());
        self.lock.set_value(locks::hold(&lock_name(place.conversation, node)));
        self.ui.say(t().answering());
        spawn_local(async move {
            match self.constraint(&asked.options).await {
                Ok(constraint) => options.constraint = constraint,
                Err(failure) => return self.end(place, Vec::new(), Ending::Failed(failure)),
            }
            let able = details.capabilities;
            let measure = Measure { context, able };
            self.make_room(&mut asked, until, turn.node(), measure).await;
            self.give_documents(&mut asked, until, measure).await;
            let (messages, handles) = self.messages(&asked, until, able).await;
            if self.answer.phase.get_untracked() == AnswerPhase::Stopping {
                self.end(place, Vec::new(), Ending::Done(Finish::Cancelled, Timings::default()));
                return;
            }
            let request = Request::Generate { messages, options };
            let Some(reply) = self.engine.request_with(handles, request) else {
                self.end(place, Vec::new(), Ending::Failed(engine_gone()));
                return;
            };
            let place = AnswerPlace { request: Some(reply.id()), ..place };
            self.answer.place.set(Some(place));
            self.follow(place, reply).await;
        });
    }

    async fn follow(self, place: AnswerPlace, mut reply: Reply) {
        let mut sentences = SentenceSplitter::default();
        let mut calls = Vec::new();
        let mut kept = history::now();
        while let Some(events) = reply.batch(FRAME_MS).await {
            let mut said = Vec::new();
            for event in events {
                let progress = match event {
                    Event::Progress(progress) => progress,
                    Event::Outcome(Ok(Outcome::Done { finish, timings })) => {
                        said.extend(sentences.finish());
                        self.say(&said);
                        self.end(place, calls, Ending::Done(finish, timings));
                        return;
                    }
                    Event::Outcome(Err(failure)) => {
                        self.end(place, calls, Ending::Failed(failure));
                        return;
                    }
                    Event::Outcome(Ok(_)) => continue,
                };
                match progress {
                    Progress::Waiting => self.answer.sensing.set(Some(t().sense_wait().to_owned())),
                    Progress::Begins(_) => self.answer.sensing.set(None),
                    Progress::Tower { sense, progress } => {
                        self.answer.sensing.set(Some(tower_words(sense, &progress)));
                    }
                    Progress::Encoding { sense, index, of, share } => {
                        self.answer.sensing.set(Some(encoding_words(sense, index, of, share)));
                    }
                    Progress::Prefilling { done, total } => {
                        self.answer.sensing.set(None);
                        self.answer.read.set((done, total));
                    }
                    Progress::Canvas(canvas) => self.answer.denoise(canvas),
                    Progress::Text { channel, text, tokens } => {
                        if channel == protocol::Channel::Answer {
                            said.extend(sentences.push(&text));
                        }
                        self.answer.push(channel, &text, tokens, history::now());
                    }
                    Progress::Tool(call) => calls.push(call),
                    _ => {}
                }
            }
            self.tell_others(place);
            if !said.is_empty() {
                self.say(&said);
            }
            let now = history::now();
            if now.saturating_sub(kept) > KEEP_EVERY_MS {
                kept = now;
                self.keep_unfinished(place, &calls);
                self.tell_again();
            }
        }
        self.end(place, calls, Ending::Failed(engine_gone()));
    }

    /// Has the live region say sentences of the answer, unless a voice reads them.
    fn say(self, sentences: &[String]) {
        if !self.answer.is_read_aloud.get_untracked() {
            self.ui.say(sentences.join(" "));
        }
    }

    /// Writes what the running answer has said so far into a message.
    fn fill(self, message: &mut Message, calls: &[ToolCall]) {
        message.text = self.answer.text.get_untracked();
        message.thought = self.answer.thought.get_untracked();
        message.thought_ms = self.answer.thought_ms.get_untracked();
        message.calls = calls.to_vec();
    }

    /// Keeps what was written so far.
    fn keep_unfinished(self, place: AnswerPlace, calls: &[ToolCall]) {
        self.library.change(place.conversation, |conversation| {
            if let Some(message) = conversation.message_mut(place.node) {
                self.fill(message, calls);
            }
        });
    }

    /// Ends the running answer here and now, as what it belongs to is about to be deleted. Undo then brings back what was
    /// written.
    pub(super) fn break_off(self, place: AnswerPlace) {
        self.answer.end_thought(history::now());
        self.library.change(place.conversation, |conversation| {
            if let Some(message) = conversation.message_mut(place.node) {
                self.fill(message, &[]);
                message.finish = Some(Finish::Cancelled);
            }
        });
        self.stop();
    }

    fn end(self, place: AnswerPlace, calls: Vec<ToolCall>, ending: Ending) {
        let now = history::now();
        self.answer.end_thought(now);
        // It may have been deleted meanwhile: then there is nothing to change.
        self.library.change(place.conversation, |conversation| {
            if let Some(message) = conversation.message_mut(place.node) {
                self.fill(message, &calls);
            }
            match &ending {
                Ending::Done(finish, timings) => conversation.finish(place.node, *finish, *timings, now),
                Ending::Failed(failure) => conversation.fail(place.node, failure.clone(), now),
            }
        });
        if matches!(ending, Ending::Done(..)) {
            self.note_untitled(place.conversation);
        }
        if matches!(ending, Ending::Done(Finish::ToolCall, _)) {
            self.carry_out(place.conversation, place.node, false);
        }
        if let Some(lock) = self.lock.try_update_value(Option::take).flatten() {
            spawn_local(async move {
                // Other tabs then find the whole answer.
                self.library.settled(place.conversation).await;
                drop(lock);
            });
        }
        if let Ending::Failed(failure) = ending {
            // That the engine is gone is said where it stands.
            if failure != engine_gone() {
                self.ui.say(failures::sentence(&failure));
            }
            let AnswerPlace { conversation, node, .. } = place;
            self.failure.set(Some(AnswerFailure { conversation, node, failure }));
            // What was to follow an answer that failed is for the user to send again.
            if self.queued.with_untracked(|queued| queued.is_some_and(|it| it.conversation == conversation)) {
                self.unqueue();
            }
        }
        self.answer.place.set(None);
        self.answer.drop_canvas();
        self.release();
    }
}

fn engine_gone() -> Failure {
    EngineFailure::AnswerCut.into()
}

/// Progress of loading a tower, in words.
pub(in crate::state) fn tower_words(sense: Sense, progress: &LoadProgress) -> String {
    let part = match sense {
        Sense::Sight => t().sense_load_sight(),
        Sense::Hearing => t().sense_load_hearing(),
    };
    match progress.phase {
        LoadPhase::Weights if progress.total > 0 => {
            t().with_amount(part, &format::bytes_of(progress.done, progress.total))
        }
        _ => part.to_owned(),
    }
}

/// Progress of encoding, in words.
pub(in crate::state) fn encoding_words(sense: Sense, index: u32, of: u32, share: f32) -> String {
    let what = match sense {
        Sense::Sight => t().sense_sight(),
        Sense::Hearing => t().sense_hearing(),
    };
    let mut parts = vec![what.to_owned()];
    if of > 1 {
        parts.push(t().amount_of(&format::count(u64::from(index) + 1), &format::count(of.into())));
    }
    if share > 0.0 {
        parts.push(t().unit_percent(&format::number(f64::from(share) * 100.0, 0)));
    }
    listed(parts)
}

/// How an answer ended.
enum Ending {
    Done(Finish, Timings),
    Failed(Failure),
}

#[cfg(test)]
mod tests {
    use protocol::{CatalogEntry, LoadTimes, RequestId};

    use super::*;

    #[test]
    fn a_message_waits_until_the_adapters_are_open() {
        let owner = Owner::new();
        owner.set();
        let (chat, engine, adapters, _) = ChatStore::for_test();
        let choice = Choice::server(CatalogEntry { name: "pebble".into(), ..CatalogEntry::default() });
        engine.model.set(ModelState::Ready {
            loaded_by: RequestId(1),
            choice: Box::new(choice),
            details: Box::default(),
            context: 8192,
            gpu_bytes: 0,
            times: LoadTimes::default(),
        });
        adapters.opening.set(1);
        let turn = ChatTurn::After(history::NodeId(1));
        chat.ask(turn);
        assert_eq!(chat.queued.get_untracked().map(|queued| queued.turn), Some(turn));
    }
}
