//! What a file is, by its name and by what the system calls it.

/// What the user can give to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A model, or an adapter of one.
    Model,
    /// A picture; whether its format is one that the engine reads.
    Picture {
        /// Otherwise the browser writes it anew as PNG, if it can.
        readable: bool,
    },
    /// Sound.
    Sound,
    /// A video.
    Video,
    /// None of these.
    Other,
}

/// Formats of pictures that the engine reads: media type and extensions.
const READABLE: [(&str, &[&str]); 4] = [
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg", "jfif"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
];
/// Extensions of other pictures, for systems that do not know their type.
const PICTURES: [&str; 8] = ["avif", "bmp", "heic", "heif", "ico", "svg", "tif", "tiff"];
/// Extensions of sound.
const SOUNDS: [&str; 9] = ["aac", "aif", "aiff", "flac", "m4a", "mp3", "oga", "opus", "wav"];
/// Extensions of videos. `ogg` may be either; the system's word counts.
const VIDEOS: [&str; 6] = ["avi", "m4v", "mkv", "mov", "mp4", "webm"];

/// Returns what a file of this name and media type is.
#[must_use]
pub fn of(name: &str, mime: &str) -> FileKind {
    let name = name.to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if extension == "gguf" {
        return FileKind::Model;
    }
    // Some systems add parameters, such as `audio/webm;codecs=opus`.
    let mime = mime.split(';').next().unwrap_or_default().trim().to_lowercase();
    let readable = READABLE
        .iter()
        .any(|(its, extensions)| mime == *its || (mime.is_empty() && extensions.contains(&extension)));
    if readable {
        return FileKind::Picture { readable };
    }
    match mime.split('/').next() {
        Some("image") => FileKind::Picture { readable: false },
        Some("audio") => FileKind::Sound,
        Some("video") => FileKind::Video,
        _ if PICTURES.contains(&extension) => FileKind::Picture { readable: false },
        _ if SOUNDS.contains(&extension) || extension == "ogg" => FileKind::Sound,
        _ if VIDEOS.contains(&extension) => FileKind::Video,
        _ => FileKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{FileKind, of};

    #[test]
    fn the_systems_word_counts_before_the_name() {
        assert_eq!(of("a.PNG", "image/png"), FileKind::Picture { readable: true });
        assert_eq!(of("a.heic", "image/heic"), FileKind::Picture { readable: false });
        assert_eq!(of("clip.webm", "audio/webm;codecs=opus"), FileKind::Sound);
        assert_eq!(of("clip.webm", "video/webm"), FileKind::Video);
        assert_eq!(of("notes.txt", "text/plain"), FileKind::Other);
    }

    #[test]
    fn a_name_counts_where_there_is_no_word() {
        assert_eq!(of("photo.jpeg", ""), FileKind::Picture { readable: true });
        assert_eq!(of("photo.heic", ""), FileKind::Picture { readable: false });
        assert_eq!(of("song.opus", ""), FileKind::Sound);
        assert_eq!(of("film.mkv", ""), FileKind::Video);
        assert_eq!(of("pebble.gguf", "application/octet-stream"), FileKind::Model);
        assert_eq!(of("", ""), FileKind::Other);
    }
}
