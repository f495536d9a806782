//! Stop strings in streamed text.

/// Searches streamed text for stop strings. A possible beginning of one is held back until it is decided.
/// The stop string that ends first is found; of several that end at the same place, the longest. So the result does
/// not depend on how the text is split.
#[derive(Clone, Debug, Default)]
pub struct StopStrings {
    stops: Vec<String>,
    /// Held-back text: a possible beginning of a stop string.
    held: String,
    found: Option<usize>,
}

impl StopStrings {
    /// Searches for any of these; empty ones are ignored.
    pub fn new(stops: impl IntoIterator<Item = String>) -> Self {
        let stops = stops.into_iter().filter(|stop| !stop.is_empty()).collect();
        Self { stops, held: String::new(), found: None }
    }

    /// Returns the stop string that was found. After it, nothing is returned.
    pub fn found(&self) -> Option<&str> {
        self.found.map(|index| self.stops[index].as_str())
    }

    /// Processes text. Returns the text that precedes any stop string for certain; the stop string itself is never
    /// returned.
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

    /// Ends the text: returns what was held back.
    pub fn flush(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}
