//! Figures of all rounds: medians, spread, ratios.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::engine::{KernelTime, Sample, Work};

/// All figures.
pub struct Results {
    work: Value,
    engines: Vec<Column>,
}

struct Column {
    name: String,
    about: Value,
    samples: Vec<Sample>,
    kernels: Vec<KernelTime>,
    reopened: Value,
}

/// Least, median and greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    min: f64,
    median: f64,
    max: f64,
}

impl Spread {
    fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
        let last = figures.len().saturating_sub(1);
        Self { min: at(0), median: f64::midpoint(at(last / 2), at(figures.len() / 2)), max: at(last) }
    }

    fn text(&self) -> String {
        // Three digits where there are few before the point.
        let digits = if self.median < 10.0 { 2 } else { 1 };
        format!("{:.digits$} ({:.digits$}–{:.digits$})", self.median, self.min, self.max)
    }

    fn json(&self) -> Value {
        json!({ "median": self.median, "min": self.min, "max": self.max })
    }
}

impl Column {
    fn prefill(&self) -> Spread {
        Spread::of(self.samples.iter().map(Sample::prefill))
    }

    fn decode(&self) -> Spread {
        Spread::of(self.samples.iter().map(Sample::decode))
    }

    /// Its name, and how many rounds it had where others had more.
    fn shown(&self, rounds: usize) -> String {
        match self.samples.len() {
            few if few < rounds => format!("{} (rounds: {few})", self.name),
            _ => self.name.clone(),
        }
    }
}

/// Where the time of a first load in a browser went.
fn load_times(about: &Value) -> Option<String> {
    let times = about["engine"]["load_ms"].as_object()?;
    let ms = |name: &str| times.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let [all, weights, kernels, tuning] = ["all", "weights", "kernels", "tuning"].map(ms);
    Some(format!("loaded in {all:.0} ms: weights {weights:.0}, kernels {kernels:.0}, tuning {tuning:.0}"))
}

impl Results {
    /// Nothing yet, of these engines.
    pub fn new<'a>(work: &Work, engines: impl Iterator<Item = (&'a str, Value)>) -> Self {
        let column = |(name, about): (&str, Value)| Column {
            name: name.to_owned(),
            about,
            samples: Vec::new(),
            kernels: Vec::new(),
            reopened: Value::Null,
        };
        let work = json!({
            "model": work.model.file_name().map(|name| name.to_string_lossy()),
            "vocabulary": work.vocabulary,
            "prompt": work.prompt,
            "answer": work.answer,
        });
        Self { work, engines: engines.map(column).collect() }
    }

    /// Adds a round of an engine.
    pub fn push(&mut self, engine: usize, sample: Sample) {
        if let Some(column) = self.engines.get_mut(engine) {
            column.samples.push(sample);
        }
    }

    /// Sets what a conversation costs an engine that is opened again.
    pub fn set_reopened(&mut self, engine: usize, reopened: Value) {
        if let Some(column) = self.engines.get_mut(engine) {
            column.reopened = reopened;
        }
    }

    /// Sets the times of an engine's kernels.
    pub fn set_kernels(&mut self, engine: usize, kernels: Vec<KernelTime>) {
        if let Some(column) = self.engines.get_mut(engine) {
            column.kernels = kernels;
        }
    }

    /// Each engine against each that comes after it.
    fn ratios(&self) -> impl Iterator<Item = (String, f64, f64)> {
        self.engines.iter().enumerate().flat_map(|(index, of)| {
            self.engines[index + 1..].iter().map(move |to| {
                let prefill = of.prefill().median / to.prefill().median;
                let decode = of.decode().median / to.decode().median;
                (format!("{} / {}", of.name, to.name), prefill, decode)
            })
        })
    }

    /// For people.
    pub fn table(&self) -> String {
        let rounds = self.rounds();
        let mut text = format!("\n{}\n\n", self.title(rounds));
        text += &format!("{:<24} {:>30} {:>26}\n", "engine", "prefill, tok/s", "decode, tok/s");
        for column in &self.engines {
            let (prefill, decode) = (column.prefill().text(), column.decode().text());
            let name = column.shown(rounds);
            text += &format!("{name:<24} {prefill:>30} {decode:>26}\n");
        }
        for (name, times) in self.engines.iter().filter_map(|it| Some((&it.name, load_times(&it.about)?))) {
            text += &format!("{name:<24} {times}\n");
        }
        for column in self.engines.iter().filter(|column| !column.reopened.is_null()) {
            text += &format!("{:<24} reopened: {}\n", column.name, column.reopened);
        }
        if self.engines.len() > 1 {
            text += &format!("\n{:<24} {:>30} {:>26}\n", "ratio of medians", "prefill", "decode");
        }
        for (name, prefill, decode) in self.ratios() {
            text += &format!("{name:<24} {prefill:>29.2}× {decode:>25.2}×\n");
        }
        if self.engines.iter().any(|column| !column.kernels.is_empty()) {
            text += &self.kernels();
        }
        text
    }

    /// The time of each kernel by engine, the longest first.
    fn kernels(&self) -> String {
        let timed: Vec<_> = self.engines.iter().filter(|column| !column.kernels.is_empty()).collect();
        let ms = |column: &Column, name: &str| {
            let of_name = column.kernels.iter().filter(|kernel| kernel.name == name);
            of_name.fold(0.0, |sum, kernel| sum + kernel.ms)
        };
        let names: BTreeSet<_> =
            timed.iter().flat_map(|column| &column.kernels).map(|kernel| kernel.name.as_str()).collect();
        let mut rows: Vec<(&str, Vec<f64>)> = names
            .into_iter()
            .map(|name| (name, timed.iter().map(|column| ms(column, name)).collect()))
            .collect();
        rows.sort_by(|(_, a), (_, b)| b.iter().sum::<f64>().total_cmp(&a.iter().sum()));
        let total = timed.iter().map(|column| column.kernels.iter().map(|kernel| kernel.ms).sum()).collect();
        rows.push(("together", total));
        let mut text = format!("\n{:<48}", "kernel, ms a token");
        text.extend(timed.iter().map(|column| format!(" {:>10}", column.name)));
        for (name, times) in rows {
            text += &format!("\n{name:<48}");
            text.extend(times.iter().map(|ms| format!(" {ms:>10.4}")));
        }
        text + "\n"
    }

    fn rounds(&self) -> usize {
        self.engines.iter().map(|column| column.samples.len()).max().unwrap_or(0)
    }

    fn title(&self, rounds: usize) -> String {
        let work = &self.work;
        let model = work["model"].as_str().unwrap_or_default();
        format!(
            "{model}: {} tokens read, {} drawn, {rounds} rounds in turns: median (least–greatest)",
            work["prompt"], work["answer"]
        )
    }

    /// Everything.
    pub fn json(&self, machine: &Value) -> Value {
        let engines: Vec<_> = self
            .engines
            .iter()
            .map(|column| {
                json!({
                    "engine": column.name,
                    "about": column.about,
                    "prefill_tokens_per_s": column.prefill().json(),
                    "decode_tokens_per_s": column.decode().json(),
                    "rounds": column.samples,
                    "kernels": column.kernels,
                    "reopened": column.reopened,
                })
            })
            .collect();
        let ratios: Vec<_> = self
            .ratios()
            .map(|(name, prefill, decode)| json!({ "of": name, "prefill": prefill, "decode": decode }))
            .collect();
        json!({ "machine": machine, "work": self.work, "engines": engines, "ratios": ratios })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(prefill_ms: f64, decode_ms: f64) -> Sample {
        Sample { prompt: 100.0, prefill_ms, answer: 11.0, decode_ms }
    }

    #[test]
    fn medians_spread_and_ratios_are_of_rates() {
        let work = Work { model: "m.gguf".into(), vocabulary: 9, prompt: 100, answer: 11 };
        let times = json!({ "all": 2310.4, "weights": 1200.0, "kernels": 800.0, "tuning": 200.0 });
        let loaded = json!({ "engine": { "load_ms": times } });
        let mut results = Results::new(&work, [("native", Value::Null), ("peer", loaded)].into_iter());
        for ms in [100.0, 50.0, 200.0] {
            results.push(0, sample(ms, 10.0 * ms));
        }
        results.push(1, sample(1000.0, 5000.0));
        let json = results.json(&Value::Null);
        let native = &json["engines"][0]["prefill_tokens_per_s"];
        assert_eq!((native["min"].as_f64(), native["median"].as_f64()), (Some(500.0), Some(1000.0)));
        assert_eq!(json["engines"][0]["decode_tokens_per_s"]["median"].as_f64(), Some(10.0));
        assert_eq!(
            (json["ratios"][0]["prefill"].as_f64(), json["ratios"][0]["decode"].as_f64()),
            (Some(10.0), Some(5.0))
        );
        let table = results.table();
        assert!(table.contains("1000.0 (500.0–2000.0)") && table.contains("native / peer"), "{table}");
        assert!(table.contains("3 rounds in turns") && table.contains("peer (rounds: 1)"), "{table}");
        assert!(table.contains("loaded in 2310 ms: weights 1200, kernels 800, tuning 200"), "{table}");
        assert!(!table.contains("kernel, ms"), "{table}");
    }

    #[test]
    fn kernels_stand_side_by_side_the_longest_first() {
        let work = Work { model: "m.gguf".into(), vocabulary: 9, prompt: 100, answer: 11 };
        let names = ["native", "peer", "page"].into_iter().map(|name| (name, Value::Null));
        let mut results = Results::new(&work, names);
        let kernel = |name: &str, ms| KernelTime { name: name.to_owned(), dispatches: 2, ms };
        results.set_kernels(0, vec![kernel("norm", 0.25), kernel("matvec", 0.5)]);
        results.set_kernels(2, vec![kernel("matvec", 0.75), kernel("copy", 0.125)]);
        let table = results.table();
        let rows: Vec<Vec<_>> =
            table.lines().rev().take(5).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(
            rows,
            [
                vec!["together", "0.7500", "0.8750"],
                vec!["copy", "0.0000", "0.1250"],
                vec!["norm", "0.2500", "0.0000"],
                vec!["matvec", "0.5000", "0.7500"],
                vec!["kernel,", "ms", "a", "token", "native", "page"],
            ]
        );
    }
}
