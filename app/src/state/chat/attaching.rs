//! What is attached to the next message: pictures, sound, videos; documents are read in `documents.rs`.

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::MediaFailure;
use protocol::{Cause, Content, Media, MediaReport, MediaSize, Outcome, Request, Sense, TokenBudget};
use web_sys::{Blob, File};

use super::{ChatStore, DraftPlace};
use crate::history::{Attachment, AttachmentKey, AttachmentKind, Draft, Moment};
use crate::media::{decode, kind, kind::FileKind, picture, video, wav::Wav};
use crate::state::engine::EnginePhase;
use crate::state::media::{MAX_BYTES, blob_of};
use crate::{failures, format, language::t};

/// An attachment of the next message.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The attachment. Its bytes are kept already.
    pub attachment: Attachment,
    /// What the engine found in it; `None` until it has looked.
    pub report: Option<MediaReport>,
    /// Whether the engine is looking at it.
    pub look: Look,
}

/// Whether the engine is looking at an attachment. The draft keeps which ones it looked at last: what has stopped the engine
/// is not shown to it again unasked, for it would stop again, after each reload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Not now.
    #[default]
    None,
    /// It is.
    Now,
    /// It stopped while it did.
    Stopped,
}

impl Attached {
    /// Tokens that it takes, as far as that is known.
    #[must_use]
    pub fn tokens(&self) -> Option<u32> {
        self.report.as_ref()?.tokens
    }
}

/// Files that are being attached, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Their number.
    pub number: u32,
    /// What is being read, in words.
    pub words: String,
    /// The message that they belong to.
    to: DraftPlace,
}

/// What is being attached: to this message, as long as nobody cancels the reading of this number.
#[derive(Clone, Copy)]
pub(super) struct Attaching {
    pub(super) to: DraftPlace,
    number: Option<u32>,
}

/// What a model can do with media, and the words for what it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// Why no picture can be attached; `None` if one can.
    pub no_sight: Option<String>,
    /// Why no sound can be attached; `None` if it can.
    pub no_hearing: Option<String>,
}

impl ChatStore {
    /// What the selected model can do with media.
    #[must_use]
    pub fn senses(self) -> Senses {
        let Some(choice) = self.engine.selection() else {
            let words = || Some(t().attach_no_model().to_owned());
            return Senses { no_sight: words(), no_hearing: words() };
        };
        let able = self.engine.abilities(&choice);
        let name = &choice.entry.name;
        if !able.vision && !able.audio {
            let words = || Some(t().attach_text_only(name));
            return Senses { no_sight: words(), no_hearing: words() };
        }
        Senses {
            no_sight: (!able.vision).then(|| t().attach_no_images(name)),
            no_hearing: (!able.audio).then(|| t().attach_no_audio(name)),
        }
    }

    /// Attaches files of the user's, one after another, each as what it is. What cannot be attached is reported. Returns the number of
    /// the reading, if there is something to read.
    pub fn attach(self, files: Vec<File>) -> Option<u32> {
        self.attach_trouble.set(None);
        self.engine.refused.set(None);
        let first = files.first()?;
        let (to, number) = (self.draft_place(), self.ui.number());
        let words = t().attach_reading(&first.name());
        self.reading.update(|all| all.push(Reading { number, words, to }));
        let attaching = Attaching { to, number: Some(number) };
        spawn_local(async move {
            for file in files {
                let name = file.name();
                if !self.tell_reading(attaching, t().attach_reading(&name)) {
                    return;
                }
                if let Err(reason) = self.attach_file(&file, attaching).await
                    && self.is_wanted(attaching)
                {
                    self.refuse(to, &name, &reason);
                }
            }
            self.end_reading(number);
        });
        Some(number)
    }

    /// Attaches no more of what is being read, and sends no message that waits for it.
    pub fn cancel_reading(self, number: u32) {
        self.awaited.set(None);
        self.end_reading(number);
    }

    /// What is being read for the message that is being written.
    #[must_use]
    pub fn reading_here(self) -> Vec<Reading> {
        self.conversation.with(|_| ());
        self.reading.with(|all| all.iter().filter(|it| self.is_written(it.to)).cloned().collect())
    }

    fn end_reading(self, number: u32) {
        self.reading.update(|all| all.retain(|it| it.number != number));
    }

    /// Says what is being read now. Returns whether it is wanted still.
    pub(super) fn tell_reading(self, attaching: Attaching, words: String) -> bool {
        self.reading.update(|all| {
            if let Some(it) = all.iter_mut().find(|it| Some(it.number) == attaching.number) {
                it.words = words;
            }
        });
        self.is_wanted(attaching)
    }

    pub(super) fn is_wanted(self, attaching: Attaching) -> bool {
        let is_read = |number| self.reading.with_untracked(|all| all.iter().any(|it| it.number == number));
        attaching.number.is_none_or(is_read)
    }

    /// Attaches a picture that the page has taken itself.
    pub fn attach_picture(self, blob: Blob, name: &'static str) {
        self.attach_trouble.set(None);
        let to = self.draft_place();
        spawn_local(async move {
            let attaching = Attaching { to, number: None };
            if let Err(reason) = self.add_picture(&blob, name, &blob.type_(), attaching).await {
                self.refuse(to, name, &reason);
            }
        });
    }

    /// Attaches what was recorded.
    pub fn attach_recording(self, recording: Wav) {
        self.attach_trouble.set(None);
        let to = self.draft_place();
        spawn_local(async move {
            let attaching = Attaching { to, number: None };
            if let Err(reason) = self.add_sound(recording, t().recording(), None, attaching).await {
                self.refuse(to, t().attach_recording(), &reason);
            }
        });
    }

    /// Sends what was recorded, as a message of its own. The draft stays.
    ///
    /// # Errors
    /// Why it can't be kept, in a sentence.
    pub async fn send_recording(self, recording: Wav) -> Result<(), String> {
        let to = self.draft_place();
        let attachment = self.keep_sound(recording, t().recording(), None, to.temporary).await?;
        if self.is_written(to) {
            self.send_message("", vec![attachment], || ());
        }
        Ok(())
    }

    /// Takes an attachment away; all parts of it, where it is a video.
    pub fn detach(self, key: AttachmentKey) {
        let (to, sent) = (self.draft_place(), self.sent.number());
        let removed = self.attached.try_update(|all| take_out(all, key)).unwrap_or_default();
        self.keep_draft();
        self.ui.toast_with_undo(t().attach_removed(), move || {
            // What it was attached to may have been sent.
            if self.sent.is(sent) {
                let removed = removed.clone();
                spawn_local(async move {
                    self.put_attached(to, removed).await;
                    self.examine_all();
                });
            }
        });
    }

    /// Puts attachments to a message, each at its place among the others. Where it is not the one that is being written now,
    /// they are there when it is again.
    async fn put_attached(self, to: DraftPlace, new: Vec<(usize, Attached)>) {
        if !self.is_written(to) {
            if to.temporary {
                return;
            }
            let kept = new.iter().map(|(at, it)| (*at, it.attachment.clone())).collect::<Vec<_>>();
            let add = |draft: &mut Draft| insert(&mut draft.attachments, kept, |it| it.key);
            self.library.change_draft(self.owner_of(to), add).await;
            if !self.is_written(to) {
                return;
            }
        }
        self.attached.update(|all| insert(all, new, |it| it.attachment.key));
        self.keep_draft();
    }

    /// Lets a picture take so many tokens.
    pub fn set_budget(self, key: AttachmentKey, budget: TokenBudget) {
        self.attached.update(|all| {
            if let Some(it) = all.iter_mut().find(|it| it.attachment.key == key) {
                it.attachment.budget = budget;
                it.report = None;
            }
        });
        self.keep_draft();
        spawn_local(async move {
            self.examine(key).await;
        });
    }

    /// Has the engine look at all attachments that it was not asked about, or could not tell the cost of.
    pub fn examine_all(self) {
        let open: Vec<_> = self.attached.with_untracked(|all| {
            let open = all.iter().filter(|it| it.tokens().is_none() && it.look != Look::Stopped);
            open.map(|it| it.attachment.key).collect()
        });
        spawn_local(async move {
            for key in open {
                self.examine(key).await;
            }
        });
    }

    /// Has the engine look at attachments that it stopped at before.
    pub fn examine_again(self, keys: Vec<AttachmentKey>) {
        spawn_local(async move {
            for key in keys {
                self.examine(key).await;
            }
        });
    }

    /// Notes, in the draft too, whether the engine is looking at an attachment.
    fn look(self, key: AttachmentKey, look: Look) {
        self.attached.update(|all| {
            if let Some(it) = all.iter_mut().find(|it| it.attachment.key == key) {
                it.look = look;
            }
        });
        self.keep_draft();
    }

    async fn attach_file(self, file: &File, attaching: Attaching) -> Result<(), String> {
        let (name, mime) = (file.name(), file.type_());
        let kind = kind::of(&name, &mime);
        let senses = untrack(|| self.senses());
        let hears = senses.no_hearing.is_none();
        let lacks = match kind {
            FileKind::Picture { .. } | FileKind::Video => senses.no_sight,
            FileKind::Sound => senses.no_hearing,
            FileKind::Model => {
                return Err(t().attach_model().into());
            }
            FileKind::Other => None,
        };
        if let Some(reason) = lacks {
            return Err(reason);
        }
        let size = file.size() as u64;
        if size == 0 {
            return Err(failures::of(&MediaFailure::EmptyFile.into()));
        }
        if size > MAX_BYTES && kind != FileKind::Video {
            return Err(failures::of(&MediaFailure::FileTooLarge { size, most: MAX_BYTES }.into()));
        }
        match kind {
            FileKind::Picture { readable: true } => self.add_picture(file, &name, &mime, attaching).await,
            FileKind::Picture { readable: false } => {
                let drawn = picture::as_png(file).await;
                let unreadable = || failures::of(&MediaFailure::NotDecoded(Sense::Sight).into());
                let drawn = drawn.ok_or_else(unreadable)?;
                self.add_picture(&drawn, &name, "image/png", attaching).await
            }
            FileKind::Sound => {
                let sound = decode::decode(file).await.map_err(|failure| failures::of(&failure.into()))?;
                self.add_sound(sound.wav, &name, None, attaching).await
            }
            FileKind::Video => self.add_video(file, &name, hears, attaching).await,
            FileKind::Other => self.add_document(file, &name, attaching).await,
            FileKind::Model => Ok(()),
        }
    }

    async fn add_picture(
        self,
        blob: &Blob,
        name: &str,
        mime: &str,
        attaching: Attaching,
    ) -> Result<(), String> {
        let key = self.media.keep(blob, attaching.to.temporary).await?;
        let attachment = Attachment {
            size: blob.size() as u64,
            ..Attachment::new(AttachmentKind::Image, name, mime, key)
        };
        self.add(attachment, attaching).await
    }

    async fn add_sound(
        self,
        sound: Wav,
        name: &str,
        moment: Option<Moment>,
        attaching: Attaching,
    ) -> Result<(), String> {
        let attachment = self.keep_sound(sound, name, moment, attaching.to.temporary).await?;
        self.add(attachment, attaching).await
    }

    async fn keep_sound(
        self,
        sound: Wav,
        name: &str,
        moment: Option<Moment>,
        temporary: bool,
    ) -> Result<Attachment, String> {
        let millis = sound.millis();
        let bytes = sound.finish();
        let blob = blob_of(&bytes, "audio/wav").ok_or(t().media_no_room())?;
        let key = self.media.keep(&blob, temporary).await?;
        Ok(Attachment {
            size: bytes.len() as u64,
            millis,
            moment,
            ..Attachment::new(AttachmentKind::Audio, name, "audio/wav", key)
        })
    }

    async fn add_video(
        self,
        file: &File,
        name: &str,
        with_sound: bool,
        attaching: Attaching,
    ) -> Result<(), String> {
        let progress = |taken: usize, of: usize| {
            self.tell_reading(attaching, t().attach_reading_frame(name, taken as u64 + 1, of as u64))
        };
        let frames = video::frames(file, progress).await.map_err(|error| error.to_string())?;
        if !self.is_wanted(attaching) {
            return Ok(());
        }
        let sound = if with_sound && (file.size() as u64) <= MAX_BYTES {
            // A video without sound is one all the same.
            decode::decode(file).await.ok().filter(|sound| !sound.silent)
        } else {
            None
        };
        // One name for all parts, and another one for the same file attached again.
        let video = format!("{name} {}", AttachmentKey::random());
        for frame in frames {
            let key = self.media.keep(&frame.blob, attaching.to.temporary).await?;
            let attachment = Attachment {
                size: frame.blob.size() as u64,
                budget: TokenBudget::T70,
                moment: Some(Moment { video: video.clone(), millis: frame.millis }),
                ..Attachment::new(AttachmentKind::Image, name, "image/jpeg", key)
            };
            self.add(attachment, attaching).await?;
        }
        if let Some(sound) = sound {
            self.add_sound(sound.wav, name, Some(Moment { video, millis: 0 }), attaching).await?;
        }
        Ok(())
    }

    /// Puts an attachment to the others, and has the engine look at it.
    pub(super) async fn add(self, attachment: Attachment, attaching: Attaching) -> Result<(), String> {
        if !self.is_wanted(attaching) {
            return Ok(());
        }
        let key = attachment.key;
        self.ui.say(t().attached(&attachment.name));
        let attached = Attached { attachment, report: None, look: Look::None };
        self.put_attached(attaching.to, vec![(usize::MAX, attached)]).await;
        self.examine(key).await;
        Ok(())
    }

    /// Has the engine examine an attachment. One that it cannot take is removed, which is reported.
    async fn examine(self, key: AttachmentKey) {
        let find = |all: &Vec<Attached>| all.iter().find(|it| it.attachment.key == key).cloned();
        let Some(Attached { attachment, .. }) = self.attached.with_untracked(find) else { return };
        let Some(content) = content(&attachment, 0) else { return };
        let Some(blob) = self.media.blob(&attachment).await else {
            self.attached.update(|all| all.retain(|it| it.attachment.key != key));
            self.refuse(self.draft_place(), &attachment.name, t().attach_gone());
            return;
        };
        self.look(key, Look::Now);
        let reply = self.engine.request_with(vec![blob], Request::Examine(content));
        let outcome = match reply {
            Some(reply) => reply.outcome().await,
            None => None,
        };
        let crashed = matches!(self.engine.phase.get_untracked(), EnginePhase::Crashed(_));
        self.look(key, if outcome.is_none() && crashed { Look::Stopped } else { Look::None });
        match outcome {
            Some(Ok(Outcome::Examined(report))) => self.attached.update(|all| {
                // The budget may have been changed meanwhile: then another look is under way.
                if let Some(it) = all.iter_mut().find(|it| it.attachment == attachment) {
                    it.report = Some(report);
                }
            }),
            Some(Err(failure)) if failure.cause() == Cause::BadMedia => {
                self.attached.update(|all| all.retain(|it| it.attachment.key != key));
                self.keep_draft();
                self.refuse(self.draft_place(), &attachment.name, &failures::sentence(&failure));
            }
            // Without an engine nobody knows what it costs; sending it will tell.
            _ => {}
        }
    }

    /// Says why something was not attached.
    fn refuse(self, to: DraftPlace, name: &str, reason: &str) {
        let words = t().named(name, reason);
        if !self.is_written(to) {
            return self.ui.toast(words);
        }
        self.ui.say(words.clone());
        self.attach_trouble.update(|trouble| {
            *trouble = Some(match trouble.take() {
                Some(before) => format!("{before}\n{words}"),
                None => words,
            });
        });
    }
}

/// Takes an attachment out, with all parts of it where it is a video. Returns each with its place.
fn take_out(all: &mut Vec<Attached>, key: AttachmentKey) -> Vec<(usize, Attached)> {
    let video = |it: &Attached| it.attachment.moment.as_ref().map(|moment| moment.video.clone());
    let of = all.iter().find(|it| it.attachment.key == key).and_then(video);
    let goes = |it: &Attached| it.attachment.key == key || of.is_some() && video(it) == of;
    let removed = all.iter().cloned().enumerate().filter(|(_, it)| goes(it)).collect();
    all.retain(|it| !goes(it));
    removed
}

/// Puts what is new to the others, each at its place.
fn insert<T>(all: &mut Vec<T>, new: Vec<(usize, T)>, key: impl Fn(&T) -> AttachmentKey) {
    for (at, it) in new {
        if all.iter().all(|there| key(there) != key(&it)) {
            all.insert(at.min(all.len()), it);
        }
    }
}

/// An attachment as the engine takes it, with its bytes at this place beside the message; `None` for a document, which it gets as
/// text.
pub(in crate::state) fn content(attachment: &Attachment, place: u32) -> Option<Content> {
    let media = Media { key: attachment.key.0, place };
    match attachment.kind {
        AttachmentKind::Image => Some(Content::Image { media, budget: attachment.budget }),
        AttachmentKind::Audio => Some(Content::Audio { media }),
        AttachmentKind::Document => None,
    }
}

/// How large an attachment is, in words.
#[must_use]
pub fn size_words(report: &MediaReport) -> String {
    match report.size {
        MediaSize::Pixels { width, height } => format!("{width} × {height}"),
        MediaSize::Seconds(seconds) => format::clock((seconds * 1000.0) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_comes_back_to_its_place_among_what_is_there_then() {
        let one = |key: u128, video: Option<&str>| Attached {
            attachment: Attachment {
                moment: video.map(|video| Moment { video: video.into(), millis: 0 }),
                ..Attachment::new(AttachmentKind::Image, "x", "image/png", AttachmentKey(key))
            },
            report: None,
            look: Look::None,
        };
        let keys = |all: &[Attached]| all.iter().map(|it| it.attachment.key.0).collect::<Vec<_>>();
        let mut all = vec![one(1, None), one(2, Some("v")), one(3, Some("v")), one(4, None)];
        let removed = take_out(&mut all, AttachmentKey(3));
        assert_eq!(keys(&all), [1, 4], "with all of its video");
        all.push(one(5, None));
        insert(&mut all, removed.clone(), |it| it.attachment.key);
        assert_eq!(keys(&all), [1, 2, 3, 4, 5]);
        insert(&mut all, removed.clone(), |it| it.attachment.key);
        assert_eq!(keys(&all), [1, 2, 3, 4, 5], "once");
        all.clear();
        insert(&mut all, removed, |it| it.attachment.key);
        assert_eq!(keys(&all), [2, 3]);
    }
}
