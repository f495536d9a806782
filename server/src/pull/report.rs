//! Progress for a person: on a terminal one line that changes, elsewhere a line for each file.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::progress::Event;
use crate::text::Bytes;

/// How often the line changes.
const OFTEN: Duration = Duration::from_millis(200);

/// Writes to stderr.
pub(super) struct Report {
    is_terminal: bool,
    line: Mutex<Line>,
}

/// The file that is being downloaded.
#[derive(Default)]
struct Line {
    kind: String,
    /// When it began, and with how many bytes.
    begun: Option<(Instant, u64)>,
    shown: Option<Instant>,
    /// Columns that are written on.
    width: usize,
}

impl Report {
    pub(super) fn new() -> Self {
        Self { is_terminal: io::stderr().is_terminal(), line: Mutex::default() }
    }

    pub(super) fn tell(&self, event: Event) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Planned { files: 0, .. } => line.print("Everything is there already."),
            Event::Planned { files, bytes } => {
                line.print(&format!("{} to download, in {files} files.", Bytes(bytes)));
            }
            Event::Begun { kind, at, size, .. } => {
                let more = if at > 0 { format!(", continued after {}", Bytes(at)) } else { String::new() };
                if !self.is_terminal {
                    line.print(&format!("{kind}: {}{more}", Bytes(size)));
                }
                let begun = Some((Instant::now(), at));
                *line = Line { kind, begun, shown: None, width: line.width };
            }
            Event::Checking { kind, at, size } if self.is_terminal => {
                line.kind = format!("{kind}, checking what is there");
                line.show(at, size);
            }
            Event::Checking { .. } => {}
            Event::Received { at, size, .. } if self.is_terminal => line.show(at, size),
            Event::Received { .. } => {}
            Event::Waiting { reason, wait } => {
                line.print(&format!("{} Trying again in {} s.", reason.english, wait.as_secs()));
            }
            Event::Verified { digest } if self.is_terminal => {
                let kind = std::mem::take(&mut line.kind);
                line.print(&format!("{kind}: {digest}"));
            }
            Event::Verified { .. } => {}
            Event::Joining { parts, size } => {
                line.print(&format!("Joining {parts} parts into one file of {}.", Bytes(size)));
            }
        }
    }

    /// Leaves the line as it is, goes to the next one, and tells whether a file has begun.
    pub(super) fn end(&self) -> bool {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.width > 0 {
            eprintln!();
            line.width = 0;
        }
        line.begun.is_some()
    }
}

impl Line {
    /// A line that stays, in place of the one that changes.
    fn print(&mut self, text: &str) {
        let width = std::mem::take(&mut self.width);
        if width > 0 {
            eprint!("\r{:width$}\r", "");
        }
        eprintln!("{text}");
    }

    fn show(&mut self, at: u64, size: u64) {
        let now = Instant::now();
        if at < size && self.shown.is_some_and(|shown| now - shown < OFTEN) {
            return;
        }
        self.shown = Some(now);
        let text = self.text(at, size, now);
        let width = self.width.max(text.len());
        eprint!("\r{text:width$}");
        // A line that is not shown is no reason to stop.
        io::stderr().flush().ok();
        self.width = text.len();
    }

    fn text(&self, at: u64, size: u64, now: Instant) -> String {
        let percent = u128::from(at) * 100 / u128::from(size.max(1));
        let rate = self.begun.and_then(|(since, from)| {
            let seconds = (now - since).as_secs_f64();
            (seconds > 0.5)
                .then(|| format!(", {}/s", Bytes((at.saturating_sub(from) as f64 / seconds) as u64)))
        });
        let rate = rate.unwrap_or_default();
        format!("{}: {percent} %, {} of {}{rate}", self.kind, Bytes(at), Bytes(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_percent_bytes_and_speed() {
        let now = Instant::now();
        let line = Line { kind: "model".into(), begun: Some((now, 1_000_000_000)), ..Line::default() };
        let text = line.text(3_000_000_000, 4_000_000_000, now + Duration::from_secs(20));
        assert_eq!(text, "model: 75 %, 3.0 GB of 4.0 GB, 100.0 MB/s");
        assert_eq!(line.text(0, 0, now), "model: 0 %, 0 bytes of 0 bytes");
    }
}
