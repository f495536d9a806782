//! The result of a program that a model wrote. It is kept in the text of the call's result, so records have no new form.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Chart;

/// The name of the tool, by which a conversation keeps it and its results.
pub const JAVASCRIPT: &str = "run_javascript";

/// The result of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramResult {
    /// Its value.
    pub result: String,
    /// Its console output.
    pub console: String,
    /// The charts that it has drawn.
    pub charts: Vec<Chart>,
}

impl ProgramResult {
    /// Returns the text of the tool's result.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.written(self.charts.iter().map(Chart::to_json).collect())
    }

    fn written(&self, charts: Value) -> String {
        let mut all = Map::from_iter([("result".to_owned(), self.result.clone().into())]);
        if !self.console.is_empty() {
            all.insert("console".to_owned(), self.console.clone().into());
        }
        if !self.charts.is_empty() {
            all.insert("charts".to_owned(), charts);
        }
        Value::Object(all).to_string()
    }

    /// Reads the text of a tool's result; `None` if it is something else, such as an error.
    #[must_use]
    pub fn read(tool: &str, text: &str) -> Option<Self> {
        let value: Value = (tool == JAVASCRIPT).then(|| serde_json::from_str(text).ok()).flatten()?;
        let charts = value["charts"].as_array().into_iter().flatten();
        Some(Self {
            result: value["result"].as_str()?.to_owned(),
            console: value["console"].as_str().unwrap_or_default().to_owned(),
            charts: charts.map(|chart| Chart::read(chart).ok()).collect::<Option<_>>()?,
        })
    }
}

/// Returns the text of a tool's result as the model reads it: of charts, that they were shown. It has written their data itself.
pub(super) fn as_read<'a>(tool: &str, text: &'a str) -> Cow<'a, str> {
    match ProgramResult::read(tool, text) {
        Some(program) if !program.charts.is_empty() => {
            program.written(format!("{} shown to the user", program.charts.len()).into()).into()
        }
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_reads_that_charts_were_shown() {
        let chart = r#"{"series":[{"name":"n","values":[123456.0]}],"title":"T","type":"bar","x":["a"]}"#;
        let kept = format!(r#"{{"charts":[{chart},{chart}],"console":"a\nb","result":"4"}}"#);
        let read = ProgramResult::read(JAVASCRIPT, &kept).expect("a result");
        // The order of its members is that of no particular map.
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(json(&read.to_json()), json(&kept));
        let expected = r#"{"charts":"2 shown to the user","console":"a\nb","result":"4"}"#;
        assert_eq!(json(&as_read(JAVASCRIPT, &kept)), json(expected));
        for other in [r#"{"result":"4"}"#, r#"{"error":"time-limit"}"#, "text"] {
            assert_eq!(as_read(JAVASCRIPT, other), other);
        }
        assert_eq!(as_read("search_conversations", &kept), kept);
    }

    #[test]
    fn what_is_kept_is_checked_when_it_is_read() {
        let bad = r#"{"result":"4","charts":[{"type":"bar","title":"","x":[],"series":[]}]}"#;
        assert_eq!(ProgramResult::read(JAVASCRIPT, bad), None);
        assert_eq!(ProgramResult::read(JAVASCRIPT, r#"{"error":"time-limit"}"#), None);
        assert_eq!(ProgramResult::read("calculate", r#"{"result":"4"}"#), None);
    }
}
