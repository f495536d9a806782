//! Pictures and sound that cannot be used.

use protocol::Sense;
use protocol::failure::MediaFailure;

use super::{compared, t};
use crate::format;

pub(super) fn sentence(failure: &MediaFailure) -> String {
    match failure {
        MediaFailure::Gone => t().failure_media_gone().into(),
        MediaFailure::Neither => t().failure_media_neither().into(),
        MediaFailure::Not(Sense::Sight) => t().failure_media_not_image().into(),
        MediaFailure::Not(Sense::Hearing) => t().failure_media_not_audio().into(),
        MediaFailure::EmptyFile => t().failure_media_empty_file().into(),
        MediaFailure::FileTooLarge { size, most } => {
            let (size, most) = compared(*size, *most);
            t().failure_media_file_large(&size, &most)
        }
        MediaFailure::NotDecoded(Sense::Sight) => t().failure_media_image_decode().into(),
        MediaFailure::NotDecoded(Sense::Hearing) => t().failure_media_audio_decode().into(),
        MediaFailure::OutOfMemory => t().failure_media_memory().into(),
        MediaFailure::NotAnImage => t().failure_media_image_unreadable().into(),
        MediaFailure::EmptyImage => t().failure_media_image_empty().into(),
        MediaFailure::ImageTooLarge { width, height } => {
            t().failure_media_image_large((*width).into(), (*height).into())
        }
        MediaFailure::ImageDamaged { format } => t().failure_media_image_damaged(format),
        MediaFailure::ImageUnsupported { format } => t().failure_media_image_unsupported(format),
        MediaFailure::ImageTooNarrow => t().failure_media_image_narrow().into(),
        MediaFailure::TooManyTokens { tokens, most } => {
            t().failure_media_tokens((*tokens).into(), (*most).into())
        }
        MediaFailure::NoSound => t().failure_media_no_sound().into(),
        MediaFailure::SoundTooShort => t().failure_media_sound_short().into(),
        MediaFailure::SoundTooLong { seconds, most } => {
            let length = |seconds: u64| format::seconds(seconds as f64);
            t().failure_media_sound_long(&length(*seconds), &length(*most))
        }
        MediaFailure::SoundUnreadable => t().failure_media_sound_unreadable().into(),
    }
}
