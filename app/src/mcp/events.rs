//! A stream of server-sent events, read as its bytes come. Only data counts here: names, ids and times to wait don't.

use std::mem;

/// What has come of a stream and is no whole event yet.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    data: Option<String>,
    /// Whether the last byte was a carriage return: a line feed behind it ends no further line.
    after_return: bool,
    has_begun: bool,
}

impl Events {
    /// Takes bytes, and returns the data of the events that end in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' if mem::take(&mut self.after_return) => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    whole.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
        }
        whole
    }

    /// Takes a whole line; returns the data of the event that it ends.
    fn end_line(&mut self) -> Option<String> {
        let line = mem::take(&mut self.line);
        let is_first = !mem::replace(&mut self.has_begun, true);
        let line = String::from_utf8_lossy(&line);
        let line = if is_first { line.trim_start_matches('\u{feff}') } else { &line };
        if line.is_empty() {
            return self.data.take();
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}: hello\r\nevent: message\r\nid: 7\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n\rretry: 5\rdata\r\rdata: ü\n\ndata: not whole";

    #[test]
    fn events_are_whole_however_their_bytes_come() {
        let expected = ["{\"a\":\n1}", "", "ü"];
        assert_eq!(Events::default().feed(STREAM.as_bytes()), expected);
        for size in 1..9 {
            let mut events = Events::default();
            let found: Vec<_> = STREAM.as_bytes().chunks(size).flat_map(|bytes| events.feed(bytes)).collect();
            assert_eq!(found, expected, "{size}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(Events::default().feed(b"data: \xff\xfe\n\n"), ["\u{fffd}\u{fffd}"]);
    }
}
