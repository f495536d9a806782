//! What is attached to the next message: pictures, sound, videos.

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::MediaFailure;
use protocol::{Cause, Content, Event, Media, MediaReport, MediaSize, Request, Sense, TokenBudget};
use web_sys::{Blob, File};

use super::ChatStore;
use crate::history::{Attachment, AttachmentKey, AttachmentKind, Moment};
use crate::media::{decode, kind, kind::FileKind, picture, video, wav::Wav};
use crate::state::engine::EnginePhase;
use crate::state::media::{MOST_BYTES, blob_of};
use crate::{failures, format, language::t};

/// An attachment of the next message.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The attachment. Its bytes are kept already.
    pub attachment: Attachment,
    /// What the engine found in it; none until it has looked.
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

/// What a model can do with media, and the words for what it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// Why no picture can be attached; none when one can.
    pub no_sight: Option<String>,
    /// Why no sound can be attached; none when it can.
    pub no_hearing: Option<String>,
}

impl Senses {
    /// Why nothing at all can be attached; none when something can.
    #[must_use]
    pub fn nothing(&self) -> Option<String> {
        let both = self.no_sight.is_some() && self.no_hearing.is_some();
        both.then(|| self.no_sight.clone()).flatten()
    }
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

    /// Attaches files of the person's, one after another, each as what it is. What cannot be attached is told.
    pub fn attach(self, files: Vec<File>) {
        self.attach_trouble.set(None);
        spawn_local(async move {
            for file in files {
                let name = file.name();
                self.attaching.set(Some(t().attach_reading(&name)));
                if let Err(reason) = self.attach_file(&file).await {
                    self.refuse(&name, &reason);
                }
            }
            self.attaching.set(None);
        });
    }

    /// Attaches a picture that the page has taken itself.
    pub fn attach_picture(self, blob: Blob, name: &'static str) {
        self.attach_trouble.set(None);
        spawn_local(async move {
            if let Err(reason) = self.add_picture(&blob, name, &blob.type_()).await {
                self.refuse(name, &reason);
            }
        });
    }

    /// Attaches what was recorded.
    pub fn attach_recording(self, recording: Wav) {
        self.attach_trouble.set(None);
        spawn_local(async move {
            if let Err(reason) = self.add_sound(recording, t().recording(), None).await {
                self.refuse(t().attach_recording(), &reason);
            }
        });
    }

    /// Takes an attachment away; all parts of it, where it is a video.
    pub fn detach(self, key: AttachmentKey) {
        let before = self.attached.get_untracked();
        let video = before
            .iter()
            .find(|it| it.attachment.key == key)
            .and_then(|it| it.attachment.moment.as_ref().map(|moment| moment.video.clone()));
        self.attached.update(|all| {
            all.retain(|it| {
                let same = it.attachment.moment.as_ref().is_some_and(|it| Some(&it.video) == video.as_ref());
                it.attachment.key != key && !same
            });
        });
        self.keep_draft();
        self.ui.toast_with_undo(t().attach_removed(), move || {
            self.attached.set(before.clone());
            self.keep_draft();
        });
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

    async fn attach_file(self, file: &File) -> Result<(), String> {
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
            FileKind::Other => {
                return Err(t().attach_other().into());
            }
        };
        if let Some(reason) = lacks {
            return Err(reason);
        }
        let size = file.size() as u64;
        if size == 0 {
            return Err(failures::of(&MediaFailure::EmptyFile.into()));
        }
        if size > MOST_BYTES && kind != FileKind::Video {
            return Err(failures::of(&MediaFailure::FileTooLarge { size, most: MOST_BYTES }.into()));
        }
        match kind {
            FileKind::Picture { readable: true } => self.add_picture(file, &name, &mime).await,
            FileKind::Picture { readable: false } => {
                let drawn = picture::as_png(file).await;
                let unreadable = || failures::of(&MediaFailure::NotDecoded(Sense::Sight).into());
                let drawn = drawn.ok_or_else(unreadable)?;
                self.add_picture(&drawn, &name, "image/png").await
            }
            FileKind::Sound => {
                let sound = decode::decode(file).await.map_err(|failure| failures::of(&failure.into()))?;
                self.add_sound(sound.wav, &name, None).await
            }
            FileKind::Video => self.add_video(file, &name, hears).await,
            FileKind::Model | FileKind::Other => Ok(()),
        }
    }

    async fn add_picture(self, blob: &Blob, name: &str, mime: &str) -> Result<(), String> {
        let key = self.media.keep(blob).await?;
        let attachment = Attachment {
            size: blob.size() as u64,
            ..Attachment::new(AttachmentKind::Image, name, mime, key)
        };
        self.add(attachment).await
    }

    async fn add_sound(self, sound: Wav, name: &str, moment: Option<Moment>) -> Result<(), String> {
        let millis = sound.millis();
        let bytes = sound.finish();
        let blob = blob_of(&bytes, "audio/wav").ok_or(t().media_no_room())?;
        let key = self.media.keep(&blob).await?;
        let attachment = Attachment {
            size: bytes.len() as u64,
            millis,
            moment,
            ..Attachment::new(AttachmentKind::Audio, name, "audio/wav", key)
        };
        self.add(attachment).await
    }

    async fn add_video(self, file: &File, name: &str, with_sound: bool) -> Result<(), String> {
        let told = |taken: usize, of: usize| {
            self.attaching.set(Some(t().attach_reading_frame(name, taken as u64 + 1, of as u64)));
        };
        let frames = video::frames(file, told).await.map_err(|error| error.to_string())?;
        let sound = if with_sound && (file.size() as u64) <= MOST_BYTES {
            // A video without sound is one all the same.
            decode::decode(file).await.ok().filter(|sound| !sound.silent)
        } else {
            None
        };
        // One name for all parts, and another one for the same file attached again.
        let video = format!("{name} {}", AttachmentKey::random());
        for frame in frames {
            let key = self.media.keep(&frame.blob).await?;
            let attachment = Attachment {
                size: frame.blob.size() as u64,
                budget: TokenBudget::T70,
                moment: Some(Moment { video: video.clone(), millis: frame.millis }),
                ..Attachment::new(AttachmentKind::Image, name, "image/jpeg", key)
            };
            self.add(attachment).await?;
        }
        if let Some(sound) = sound {
            self.add_sound(sound.wav, name, Some(Moment { video, millis: 0 })).await?;
        }
        Ok(())
    }

    /// Puts an attachment to the others, and has the engine look at it.
    async fn add(self, attachment: Attachment) -> Result<(), String> {
        let key = attachment.key;
        self.ui.say(t().attached(&attachment.name));
        self.attached.update(|all| all.push(Attached { attachment, report: None, look: Look::None }));
        self.keep_draft();
        self.examine(key).await;
        Ok(())
    }

    /// Has the engine look at an attachment. One that it cannot take goes, and is told.
    async fn examine(self, key: AttachmentKey) {
        let find = |all: &Vec<Attached>| all.iter().find(|it| it.attachment.key == key).cloned();
        let Some(Attached { attachment, .. }) = self.attached.with_untracked(find) else { return };
        let Some(blob) = self.media.blob(&attachment).await else {
            self.attached.update(|all| all.retain(|it| it.attachment.key != key));
            self.refuse(&attachment.name, t().attach_gone());
            return;
        };
        let content = content(&attachment, 0);
        self.look(key, Look::Now);
        let reply = self.engine.request_with(vec![blob], |id| Request::Examine { id, content });
        let event = match reply {
            Some(reply) => reply.last().await,
            None => None,
        };
        let crashed = matches!(self.engine.phase.get_untracked(), EnginePhase::Crashed(_));
        self.look(key, if event.is_none() && crashed { Look::Stopped } else { Look::None });
        match event {
            Some(Event::Examined { report, .. }) => self.attached.update(|all| {
                // The budget may have been changed meanwhile: then another look is under way.
                if let Some(it) = all.iter_mut().find(|it| it.attachment == attachment) {
                    it.report = Some(report);
                }
            }),
            Some(Event::Failed { failure, .. }) if failure.cause() == Cause::BadMedia => {
                self.attached.update(|all| all.retain(|it| it.attachment.key != key));
                self.keep_draft();
                self.refuse(&attachment.name, &failures::sentence(&failure));
            }
            // Without an engine nobody knows what it costs; sending it will tell.
            _ => {}
        }
    }

    /// Says why something was not attached.
    fn refuse(self, name: &str, reason: &str) {
        let words = format!("{name}: {reason}");
        self.ui.say(words.clone());
        self.attach_trouble.update(|trouble| {
            *trouble = Some(match trouble.take() {
                Some(before) => format!("{before}\n{words}"),
                None => words,
            });
        });
    }
}

/// An attachment as the engine takes it, with its bytes at this place beside the message.
pub(in crate::state) fn content(attachment: &Attachment, place: u32) -> Content {
    let media = Media { key: attachment.key.0, place };
    match attachment.kind {
        AttachmentKind::Image => Content::Image { media, budget: attachment.budget },
        AttachmentKind::Audio => Content::Audio { media },
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
