//! Texts that end an answer, found while it streams.

/// Watches a text for stop strings. What may be the beginning of one is held back until it is decided.
///
/// The string that is complete first wins; of those that end at one place, the longest. So the outcome does not
/// depend on how the text was cut into pieces.
#[derive(Clone, Debug, Default)]
pub struct StopStrings {
    stops: Vec<String>,
    /// Text that is not given out yet: the beginning of a stop string.
    held: String,
    found: Option<usize>,
}

impl StopStrings {
    /// Watches for any of these; empty ones are ignored.
    #[must_use]
    pub fn new(stops: impl IntoIterator<Item = String>) -> Self {
        let stops = stops.into_iter().filter(|stop| !stop.is_empty()).collect();
        Self { stops, held: String::new(), found: None }
    }

    /// The stop string that was found; from then on nothing comes out.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.found.map(|index| self.stops[index].as_str())
    }

    /// Takes text; gives what certainly comes before any stop string. The stop string itself is never given.
    pub fn push(&mut self, text: &str) -> String {
        if self.found.is_some() {
            return String::new();
        }
        self.held.push_str(text);
        let matches = self.stops.iter().enumerate().filter_map(|(index, stop)| {
            let start = self.held.find(stop.as_str())?;
            Some((start + stop.len(), start, index))
        });
        if let Some((_, start, index)) = matches.min() {
            self.found = Some(index);
            self.held.truncate(start);
            return std::mem::take(&mut self.held);
        }
        let undecided = self.held.char_indices().map(|(at, _)| at).find(|&at| {
            let tail = &self.held[at..];
            self.stops.iter().any(|stop| stop.starts_with(tail))
        });
        match undecided {
            None => std::mem::take(&mut self.held),
            Some(at) => {
                let tail = self.held.split_off(at);
                std::mem::replace(&mut self.held, tail)
            }
        }
    }

    /// Ends a stretch of text: gives what was held back. No stop string reaches across.
    pub fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}
