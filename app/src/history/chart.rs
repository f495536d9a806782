//! A chart that a program has made. It is data from a model: what can't be drawn is refused, also in what was kept or imported.

use serde_json::{Value, json};

/// The most series, and points of each. A pie has one series, and as many parts as colors are told apart.
const MOST_SERIES: usize = 8;
const MOST_POINTS: usize = 500;
const MOST_PARTS: usize = 8;
/// The most characters of a title and of a name; what is longer is cut.
const MOST_TITLE: usize = 200;
const MOST_NAME: usize = 60;
/// The largest amount, so that differences and products of two are numbers too, and the smallest one that isn't taken for 0.
const LARGEST: f64 = 1e100;
const SMALLEST: f64 = 1e-100;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// How it is drawn.
    pub kind: ChartKind,
    /// What it is about; may be empty.
    pub title: String,
    /// What is along the horizontal axis: as many labels as each series has values. For [`ChartKind::Scatter`] these are numbers.
    pub x: Vec<String>,
    /// The values.
    pub series: Vec<ChartSeries>,
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Bars.
    Bar,
    /// Lines.
    Line,
    /// Parts of a whole.
    Pie,
    /// Points.
    Scatter,
}

/// The names of kinds.
const KINDS: [(ChartKind, &str); 4] = [
    (ChartKind::Bar, "bar"),
    (ChartKind::Line, "line"),
    (ChartKind::Pie, "pie"),
    (ChartKind::Scatter, "scatter"),
];

/// Values that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSeries {
    /// What they are. Where a model names them not, they have numbers.
    pub name: String,
    /// The values, all finite.
    pub values: Vec<f64>,
}

/// Why a chart can't be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartError {
    /// It has no such form.
    Shape,
    /// There are no series, or too many.
    Series,
    /// There are no values, too many, or not as many as labels.
    Points,
    /// A value can't be drawn.
    Values,
    /// A place of a point is no number.
    Abscissas,
}

impl ChartError {
    /// Returns it as a model reads it.
    #[must_use]
    pub fn as_read(self) -> String {
        match self {
            Self::Shape => r#"form: { type: "bar" | "line" | "pie" | "scatter", title, x: [labels], series: [{ name, values: [numbers] }] }"#.to_owned(),
            Self::Series => format!("1 to {MOST_SERIES} series, a pie 1"),
            Self::Points => {
                format!("1 to {MOST_POINTS} values a series, a pie 1 to {MOST_PARTS}, as many as labels in x")
            }
            Self::Values => "values: finite numbers; of a pie not negative, and not all 0".to_owned(),
            Self::Abscissas => "x of a scatter chart: finite numbers".to_owned(),
        }
    }
}

impl Chart {
    /// Reads a chart.
    ///
    /// # Errors
    /// Why it can't be drawn.
    pub fn read(json: &Value) -> Result<Self, ChartError> {
        let kind = KINDS.into_iter().find(|kind| json["type"] == kind.1).ok_or(ChartError::Shape)?.0;
        let is_pie = kind == ChartKind::Pie;
        let (most_series, most_points) = if is_pie { (1, MOST_PARTS) } else { (MOST_SERIES, MOST_POINTS) };
        let all = json["series"].as_array().ok_or(ChartError::Shape)?;
        if !(1..=most_series).contains(&all.len()) {
            return Err(ChartError::Series);
        }
        let mut series = Vec::new();
        for (index, one) in all.iter().enumerate() {
            let values = one["values"].as_array().ok_or(ChartError::Shape)?;
            if !(1..=most_points).contains(&values.len()) {
                return Err(ChartError::Points);
            }
            let value =
                |value: &Value| value.as_f64().and_then(finite).filter(|value| !is_pie || *value >= 0.0);
            let values = values.iter().map(value).collect::<Option<Vec<_>>>().ok_or(ChartError::Values)?;
            let name = cut(one["name"].as_str().unwrap_or_default(), MOST_NAME);
            let name = if name.is_empty() { (index + 1).to_string() } else { name };
            series.push(ChartSeries { name, values });
        }
        let label = |label: &Value| match label {
            Value::String(text) => Some(cut(text, MOST_NAME)),
            other => other.as_f64().map(|number| number.to_string()),
        };
        let x: Vec<_> = match json["x"].as_array() {
            Some(x) if !x.is_empty() => {
                x.iter().take(most_points + 1).map(label).collect::<Option<_>>().ok_or(ChartError::Shape)?
            }
            _ => (1..=series[0].values.len()).map(|number| number.to_string()).collect(),
        };
        if series.iter().any(|series| series.values.len() != x.len()) {
            return Err(ChartError::Points);
        }
        if is_pie && series.iter().all(|series| series.values.iter().all(|&value| value == 0.0)) {
            return Err(ChartError::Values);
        }
        if kind == ChartKind::Scatter && x.iter().any(|label| number(label).is_none()) {
            return Err(ChartError::Abscissas);
        }
        Ok(Self { kind, title: cut(json["title"].as_str().unwrap_or_default(), MOST_TITLE), x, series })
    }

    /// Returns it as [`Self::read`] reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let series = self.series.iter().map(|it| json!({ "name": it.name, "values": it.values }));
        let kind = KINDS.into_iter().find(|kind| kind.0 == self.kind).map(|kind| kind.1);
        json!({ "type": kind, "title": self.title, "x": self.x, "series": series.collect::<Vec<_>>() })
    }

    /// Returns the labels of a scatter chart as the numbers that they are.
    #[must_use]
    pub fn abscissas(&self) -> Vec<f64> {
        self.x.iter().filter_map(|label| number(label)).collect()
    }
}

fn number(label: &str) -> Option<f64> {
    label.trim().parse().ok().and_then(finite)
}

fn finite(value: f64) -> Option<f64> {
    match value.abs() {
        amount if amount < SMALLEST => Some(0.0),
        amount if amount <= LARGEST => Some(value),
        _ => None,
    }
}

/// Returns a text on one line, of so many characters.
fn cut(text: &str, most: usize) -> String {
    let line: String =
        text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(most + 1).collect();
    match line.char_indices().nth(most) {
        Some(_) => line.chars().take(most - 1).chain(['…']).collect(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: &str, x: &str, values: &str) -> String {
        format!(r#"{{"type":"{kind}","title":"T","x":{x},"series":[{{"name":"a","values":{values}}}]}}"#)
    }

    #[test]
    fn a_chart_is_kept_as_it_is_read() {
        let read = |json: &str| Chart::read(&serde_json::from_str(json).expect(json));
        for json in [
            chart("bar", r#"["Jan",2]"#, "[1,-2.5]"),
            chart("line", "[]", "[1]"),
            chart("pie", r#"["x","y"]"#, "[0,3]"),
            chart("scatter", "[0.5,1e3]", "[1e-300,7]"),
        ] {
            let chart = read(&json).expect(&json);
            assert_eq!(chart.series[0].values.len(), chart.x.len());
            let kept = chart.to_json().to_string();
            assert_eq!(read(&kept), Ok(chart), "{kept}");
        }
        let chart = read(&chart("scatter", "[0.5,1e3]", "[1e-300,7]")).expect("a chart");
        assert_eq!((chart.abscissas(), &*chart.series[0].values), (vec![0.5, 1000.0], [0.0, 7.0].as_slice()));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let read = |json: &str| Chart::read(&serde_json::from_str(json).expect(json));
        let many = |count: usize| format!("{:?}", vec![1; count]);
        let series = |count: usize| {
            let one = r#"{"name":"a","values":[1]}"#;
            format!(r#"{{"type":"bar","x":["a"],"series":[{}]}}"#, vec![one; count].join(","))
        };
        for (json, error) in [
            ("3".to_owned(), ChartError::Shape),
            (chart("donut", "[1]", "[1]"), ChartError::Shape),
            (chart("bar", "[null]", "[1]"), ChartError::Shape),
            (chart("bar", "[1]", r#"["1"]"#), ChartError::Values),
            (chart("bar", "[1]", "[null]"), ChartError::Values),
            (series(0), ChartError::Series),
            (series(9), ChartError::Series),
            (chart("bar", "[]", "[]"), ChartError::Points),
            (chart("bar", "[1,2]", "[1]"), ChartError::Points),
            (chart("line", "[]", &many(501)), ChartError::Points),
            (chart("pie", "[]", &many(9)), ChartError::Points),
            (chart("bar", "[1]", "[1e200]"), ChartError::Values),
            (chart("pie", "[1,2]", "[1,-1]"), ChartError::Values),
            (chart("pie", "[1,2]", "[0,0]"), ChartError::Values),
            (chart("scatter", r#"["a"]"#, "[1]"), ChartError::Abscissas),
            (chart("scatter", r#"["inf"]"#, "[1]"), ChartError::Abscissas),
        ] {
            assert_eq!(read(&json), Err(error), "{json}");
        }
        assert!(read(&series(8)).is_ok() && read(&chart("line", "[]", &many(500))).is_ok());
    }

    #[test]
    fn long_texts_are_cut() {
        let long = "ä\n".repeat(300);
        let json =
            serde_json::json!({"type": "bar", "title": long, "x": [long], "series": [{"values": [1]}]});
        let chart = Chart::read(&json).expect("a chart");
        assert_eq!((chart.title.chars().count(), chart.x[0].chars().count()), (MOST_TITLE, MOST_NAME));
        assert!(chart.title.ends_with('…') && !chart.title.contains('\n'));
        assert_eq!(cut(" abc ", 3), "abc");
    }
}
