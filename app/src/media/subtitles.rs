//! What was said in a recording, with its times: as text, and as files of subtitles.

use std::fmt::Write as _;

/// What was said at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it begins, in milliseconds.
    pub start: u64,
    /// Where it ends, in milliseconds.
    pub end: u64,
    /// The words.
    pub text: String,
}

/// Returns the words, a line each.
#[must_use]
pub fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", one_line(&line.text))).collect()
}

/// Returns a file of SubRip.
#[must_use]
pub fn srt(lines: &[Line]) -> String {
    let mut file = String::new();
    for (number, line) in lines.iter().enumerate() {
        let (start, end) = (time(line.start, ','), time(line.end, ','));
        // Writing to a String cannot fail.
        write!(file, "{}\n{start} --> {end}\n{}\n\n", number + 1, one_line(&line.text)).ok();
    }
    file
}

/// Returns a file of WebVTT, in which `&` and `<` have a meaning.
#[must_use]
pub fn vtt(lines: &[Line]) -> String {
    let mut file = "WEBVTT\n\n".to_owned();
    for line in lines {
        let (start, end) = (time(line.start, '.'), time(line.end, '.'));
        let text = one_line(&line.text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        write!(file, "{start} --> {end}\n{text}\n\n").ok();
    }
    file
}

/// A blank line would end what is shown.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn time(millis: u64, mark: char) -> String {
    let (seconds, millis) = (millis / 1000, millis % 1000);
    format!("{:02}:{:02}:{:02}{mark}{millis:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_subtitles() {
        let lines = [
            Line { start: 0, end: 1_250, text: "One,\n\n two.".into() },
            Line { start: 3_723_004, end: 3_724_000, text: "a < b & c --> d".into() },
        ];
        assert_eq!(text(&lines), "One, two.\na < b & c --> d\n");
        assert_eq!(
            srt(&lines),
            "1\n00:00:00,000 --> 00:00:01,250\nOne, two.\n\n2\n01:02:03,004 --> 01:02:04,000\na < b & c --> d\n\n"
        );
        assert_eq!(
            vtt(&lines),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nOne, two.\n\n01:02:03.004 --> 01:02:04.000\n\
             a &lt; b &amp; c --&gt; d\n\n"
        );
        assert_eq!((srt(&[]), vtt(&[])), (String::new(), "WEBVTT\n\n".to_owned()));
    }
}
