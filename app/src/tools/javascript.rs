//! The result of a program, checked and cut to what a model can read.

use serde_json::Value;

use super::{ToolError, sandbox};
use crate::{
    format::shortened,
    history::{Chart, ChartError, ProgramResult},
};

/// The most characters of a value and the console together.
const MOST_TEXT: usize = 4_000;
/// The most charts.
const MOST_CHARTS: usize = 4;

/// What the sandbox reports (`xtask/src/site/sandbox.html`). It may be forged by the program.
#[derive(Debug, PartialEq)]
struct Report {
    ended: Ended,
    text: String,
    console: String,
    charts: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// With a value, which is the text.
    Value,
    /// By throwing, of which the text tells.
    Thrown,
    /// It took too long.
    Time,
    /// It wrote too much.
    Output,
}

impl Report {
    /// Reads what the sandbox sends; `None` if that is something else.
    fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let ended = match value["ended"].as_str()? {
            "value" => Ended::Value,
            "thrown" => Ended::Thrown,
            "time" => Ended::Time,
            "output" => Ended::Output,
            _ => return None,
        };
        let charts = value["charts"].as_array()?.iter().map(|chart| chart.as_str().map(str::to_owned));
        Some(Self {
            ended,
            text: text("text")?,
            console: text("console")?,
            charts: charts.collect::<Option<_>>()?,
        })
    }
}

/// Runs a program where it reaches nothing. Dropping the future ends it. Returns the text of the result, as it is kept.
///
/// # Errors
/// Why there is no result.
pub async fn compute(code: &str) -> Result<String, ToolError> {
    let report = Report::read(&sandbox::run(code).await?).ok_or(ToolError::NoSandbox)?;
    Ok(result_of(report)?.to_json())
}

fn result_of(report: Report) -> Result<ProgramResult, ToolError> {
    match report.ended {
        Ended::Value => {}
        Ended::Thrown => return Err(ToolError::Thrown { message: shortened(&report.text, MOST_TEXT) }),
        Ended::Time => return Err(ToolError::TimeLimit),
        Ended::Output => return Err(ToolError::OutputLimit),
    }
    let refused = |message: String| ToolError::Chart { message };
    if report.charts.len() > MOST_CHARTS {
        return Err(refused(format!("at most {MOST_CHARTS} charts are shown")));
    }
    // What is no JSON, such as a number that is too large, has no such form either.
    let read = |json: &String| Chart::read(&serde_json::from_str(json).unwrap_or_default());
    let charts = report.charts.iter().map(read).collect::<Result<_, _>>();
    let charts = charts.map_err(|error: ChartError| refused(error.as_read()))?;
    let result = shortened(&report.text, MOST_TEXT);
    let room = MOST_TEXT.saturating_sub(result.chars().count());
    Ok(ProgramResult { result, console: shortened(&report.console, room), charts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::CUT;

    fn report(ended: Ended, text: &str, console: &str, charts: &[&str]) -> Report {
        let charts = charts.iter().map(|&chart| chart.to_owned()).collect();
        Report { ended, text: text.into(), console: console.into(), charts }
    }

    #[test]
    fn a_result_has_a_bounded_length() {
        let given = result_of(report(Ended::Value, "4", "a", &[])).expect("a result");
        assert_eq!((&*given.result, &*given.console), ("4", "a"));
        let long = "ü".repeat(3_999);
        let given = result_of(report(Ended::Value, &long, "ab", &[])).expect("a result");
        assert_eq!((&given.result, &*given.console), (&long, "a … [cut]"));
        let longer = "ü".repeat(4_001);
        let given = result_of(report(Ended::Value, &longer, "", &[])).expect("a result");
        assert_eq!((given.result, given.console), (format!("{long}ü{CUT}"), String::new()));
        let Err(ToolError::Thrown { message }) = result_of(report(Ended::Thrown, &longer, "", &[])) else {
            panic!("it has thrown")
        };
        assert_eq!(message.chars().count(), 4_000 + CUT.chars().count());
    }

    #[test]
    fn a_report_is_read() {
        let json = r#"{"ended":"value","text":"4","console":"a","charts":["{}"]}"#;
        assert_eq!(Report::read(json), Some(report(Ended::Value, "4", "a", &["{}"])));
        for (ended, is_known) in [("thrown", true), ("time", true), ("output", true), ("", false)] {
            assert_eq!(Report::read(&json.replace("value", ended)).is_some(), is_known, "{ended}");
        }
        for forged in ["", "ready", "[]", r#"{"ended":"value"}"#, &json.replace("\"{}\"", "3")] {
            assert_eq!(Report::read(forged), None, "{forged}");
        }
    }

    #[test]
    fn what_went_wrong_is_told() {
        assert_eq!(result_of(report(Ended::Time, "", "", &[])), Err(ToolError::TimeLimit));
        assert_eq!(result_of(report(Ended::Output, "", "", &[])), Err(ToolError::OutputLimit));
        let chart = r#"{"type":"bar","series":[{"values":[1]}]}"#;
        let given = result_of(report(Ended::Value, "", "", &[chart; 4])).expect("a result");
        assert_eq!(given.charts.len(), 4);
        for charts in [&[chart; 5] as &[_], &[chart, "null"]] {
            let given = result_of(report(Ended::Value, "", "", charts));
            assert!(matches!(given, Err(ToolError::Chart { .. })), "{given:?}");
        }
    }
}
