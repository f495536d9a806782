//! What a row says about which answers count.
//!
//! Programs that train name this differently: `weight` 0 or 1 (OpenAI, Mistral, axolotl), `train` or `trainable`,
//! `loss`, `loss_mask`, `masked`, and lists of them beside the messages. A rule is obeyed, or the row is refused:
//! training on what somebody has marked as wrong must not happen.

use serde_json::{Map, Value};

use super::{FieldFault, Reason};

/// What a field is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Weight of a message or row: 0 or 1.
    Weight,
    /// Whether a message or row counts.
    Counts,
    /// Whether it does not.
    Masked,
    /// Whether messages of others than the model count.
    Prompts,
    /// Whether only those of the model do.
    AnswersOnly,
    /// Whether only the last answer does.
    LastOnly,
    /// How an answer was judged: those that are wrong don't count.
    Verdict,
    /// Something else about training.
    Unknown,
}

/// Field names without separators.
const NAMES: [(Rule, &[&str]); 7] = [
    (Rule::Weight, &["weight", "weights", "lossweight", "lossscale", "sampleweight", "exampleweight"]),
    (
        Rule::Counts,
        &[
            "train",
            "training",
            "trainable",
            "istrainable",
            "learn",
            "learnable",
            "loss",
            "lossmask",
            "trainmask",
            "trainingmask",
            "assistantmask",
            "assistantmasks",
            "completionmask",
            "trainon",
            "trainonturn",
            "trainonmessage",
            "trainonthis",
            "computeloss",
            "calculateloss",
            "useloss",
            "supervise",
            "supervised",
            "outputwithloss",
            "istarget",
            "include",
            "included",
        ],
    ),
    (
        Rule::Masked,
        &[
            "masked",
            "ismasked",
            "maskloss",
            "ignore",
            "ignored",
            "ignoreloss",
            "exclude",
            "excluded",
            "noloss",
            "notrain",
            "nottrainable",
            "untrainable",
            "nontrainable",
            "donottrain",
            "skiploss",
            "contextonly",
            "iscontext",
            "skip",
            "skipped",
        ],
    ),
    (
        Rule::Prompts,
        &["trainoninput", "trainoninputs", "trainonprompt", "trainonprompts", "trainonuser", "lossoninputs"],
    ),
    (
        Rule::AnswersOnly,
        &[
            "maskinput",
            "maskinputs",
            "maskprompt",
            "maskprompts",
            "maskuser",
            "trainonresponses",
            "trainonresponsesonly",
            "trainoncompletions",
            "completiononlyloss",
            "assistantonlyloss",
            "trainonassistant",
            "trainonoutput",
            "trainonoutputs",
        ],
    ),
    (Rule::LastOnly, &["maskhistory", "trainonlast", "trainonlastonly", "lastturnonly", "trainonlastturn"]),
    (
        Rule::Verdict,
        &[
            "label",
            "ktotag",
            "correct",
            "iscorrect",
            "desirable",
            "isdesirable",
            "accepted",
            "approved",
            "preferred",
            "ispreferred",
            "isgood",
        ],
    ),
];

/// Words in names of fields about training.
const WORDS: [&str; 6] = ["training", "trained", "losses", "masking", "unmasked", "unmask"];
/// How such words begin or end if they are joined to others.
const STEMS: [&str; 9] =
    ["train", "trains", "trainable", "loss", "mask", "masks", "masked", "weight", "weights"];
/// Words that begin or end alike and are about something else.
const OTHERS: [&str; 12] = [
    "strain",
    "restrain",
    "constrain",
    "trainer",
    "trainers",
    "trainee",
    "gloss",
    "lossless",
    "weighted",
    "overweight",
    "underweight",
    "lightweight",
];

/// Returns the words of a name: `trainOn`, `train_on` and `train-on` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for character in name.chars() {
        let starts = character.is_uppercase() && before_is_lower;
        before_is_lower = character.is_lowercase();
        if starts || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && character.is_alphanumeric()
        {
            word.extend(character.to_lowercase());
        }
    }
    words
}

fn rule(name: &str) -> Option<Rule> {
    let words = words(name);
    let joined = words.concat();
    let known = NAMES.iter().find(|(_, names)| names.contains(&joined.as_str()));
    let is_about = |word: &String| {
        let is_joined = |stem: &&str| word.starts_with(*stem) || word.ends_with(*stem);
        WORDS.contains(&word.as_str()) || (STEMS.iter().any(is_joined) && !OTHERS.contains(&word.as_str()))
    };
    // Which tokens see which others: those of padding have no labels.
    let of_attention = words.iter().any(|word| word == "attention");
    let unknown = words.iter().any(is_about) && !of_attention;
    known.map(|(rule, _)| *rule).or(unknown.then_some(Rule::Unknown))
}

/// Returns whether a field of this name says what counts.
pub(super) fn is_rule(name: &str) -> bool {
    rule(name).is_some()
}

fn fault(field: &str, what: FieldFault) -> Reason {
    Reason::Field { field: field.to_owned(), what }
}

/// Returns a truth value: JSON's, 0 or 1, or either spelled in a text. `None` for nothing.
fn flag(field: &str, value: &Value) -> Result<Option<bool>, Reason> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        Value::Number(number) if number.as_f64() == Some(0.0) => Ok(Some(false)),
        Value::Number(number) if number.as_f64() == Some(1.0) => Ok(Some(true)),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "" | "null" | "none" | "nan" => Ok(None),
            "false" | "no" | "off" | "f" | "n" => Ok(Some(false)),
            "true" | "yes" | "on" | "t" | "y" => Ok(Some(true)),
            number => {
                let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
                match whole {
                    "0" | "1" if fraction.chars().all(|digit| digit == '0') => Ok(Some(whole == "1")),
                    _ => Err(fault(field, FieldFault::NoFlag)),
                }
            }
        },
        _ => Err(fault(field, FieldFault::NoFlag)),
    }
}

/// Removes the rules of an object.
fn take(object: &mut Map<String, Value>) -> Vec<(Rule, String, Value)> {
    let names: Vec<_> = object.keys().filter_map(|name| Some((rule(name)?, name.clone()))).collect();
    names
        .into_iter()
        .filter_map(|(rule, name)| object.shift_remove(&name).map(|value| (rule, name, value)))
        .collect()
}

/// Returns whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns whether the value of a field about training may be a rule: a text that is no truth value is something else, such as
/// the name of a split.
fn says_something(value: &Value) -> bool {
    !is_empty(value) && (!value.is_string() || matches!(flag("", value), Ok(Some(_))))
}

/// Whether an answer was judged as right. `None` for what is no judgement: a class, or labels of tokens.
fn verdict(name: &str, value: &Value) -> Option<bool> {
    let name = words(name).concat();
    match value {
        Value::Bool(verdict) => Some(*verdict),
        // A text or a number may also be a right answer or a class.
        Value::String(text) if ["label", "ktotag"].contains(&name.as_str()) => {
            text.trim().to_lowercase().parse().ok()
        }
        Value::Number(_) if name == "ktotag" => flag(&name, value).ok().flatten(),
        _ => None,
    }
}

/// Refuses a value that is not read if it has something in it that says what not to train on.
///
/// # Errors
/// The name of the first such field.
pub(super) fn of_unread(value: &Value) -> Result<(), Reason> {
    match value {
        Value::Array(values) => values.iter().try_for_each(of_unread),
        Value::Object(object) => object.iter().try_for_each(|(name, value)| {
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let has = |said| values.iter().any(|value| flag(name, value) == Ok(Some(said)));
            let excludes = match rule(name) {
                Some(Rule::Weight | Rule::Counts | Rule::AnswersOnly) => has(false),
                Some(Rule::Masked | Rule::LastOnly | Rule::Prompts) => has(true),
                _ => false,
            };
            if excludes { Err(fault(name, FieldFault::UnknownRule)) } else { of_unread(value) }
        }),
        _ => Ok(()),
    }
}

/// Returns whether a message counts, by its own fields, which are removed. `is_answer`: the model wrote it.
///
/// # Errors
/// When a field says something that cannot be obeyed.
pub(super) fn of_message(object: &mut Map<String, Value>, is_answer: bool) -> Result<bool, Reason> {
    let mut counts = true;
    for (rule, name, value) in take(object) {
        let said = match rule {
            Rule::Weight | Rule::Counts => flag(&name, &value)?,
            Rule::Masked => flag(&name, &value)?.map(|masked| !masked),
            Rule::Verdict if is_answer || verdict(&name, &value).is_none() => {
                let said = verdict(&name, &value);
                if said.is_none() {
                    object.insert(name.clone(), value);
                }
                said
            }
            Rule::Prompts | Rule::AnswersOnly | Rule::LastOnly | Rule::Verdict | Rule::Unknown => {
                if says_something(&value) {
                    return Err(fault(&name, FieldFault::UnknownRule));
                }
                None
            }
        };
        // A weight on other messages has no effect anywhere.
        if said == Some(true) && !is_answer && rule != Rule::Weight {
            return Err(fault(&name, FieldFault::NotOfModel));
        }
        counts &= said != Some(false);
    }
    Ok(counts)
}

/// Checks a part of a message, which cannot count alone.
///
/// # Errors
/// When a field says that it does not count, or something that cannot be obeyed.
pub(super) fn of_part(part: &mut Map<String, Value>) -> Result<(), Reason> {
    for (_, name, value) in take(part) {
        if says_something(&value) && value != Value::Bool(true) {
            return Err(fault(&name, FieldFault::UnknownRule));
        }
    }
    Ok(())
}

/// What a row says about its messages or tokens.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// For each message or token whether it counts, with the name of the field.
    pub each: Vec<(String, Vec<bool>)>,
    /// Only the last answer counts.
    pub last_only: bool,
}

impl Counts {
    /// What the fields of a row say; they are removed.
    ///
    /// # Errors
    /// When the row is not to be trained on, or a field says something that cannot be obeyed.
    pub fn take(object: &mut Map<String, Value>) -> Result<Self, Reason> {
        let mut counts = Self::default();
        for (rule, name, value) in take(object) {
            match (rule, &value) {
                (Rule::Weight | Rule::Counts | Rule::Masked, Value::Array(values)) => {
                    let one = |value| Ok(flag(&name, value)?.unwrap_or(rule != Rule::Masked));
                    let flags: Vec<bool> = values.iter().map(one).collect::<Result<_, Reason>>()?;
                    let flags = flags.into_iter().map(|flag| flag != (rule == Rule::Masked)).collect();
                    counts.each.push((name, flags));
                }
                (Rule::Weight | Rule::Counts | Rule::Masked, value) => {
                    if flag(&name, value)? == Some(rule == Rule::Masked) {
                        return Err(fault(&name, FieldFault::LeftOut));
                    }
                }
                (Rule::Verdict, _) => match verdict(&name, &value) {
                    Some(false) => return Err(fault(&name, FieldFault::LeftOut)),
                    Some(true) => {}
                    None => {
                        object.insert(name, value);
                    }
                },
                (Rule::Prompts, value) => {
                    if flag(&name, value)? == Some(true) {
                        return Err(fault(&name, FieldFault::NotOfModel));
                    }
                }
                (Rule::AnswersOnly, value) => {
                    if flag(&name, value)? == Some(false) {
                        return Err(fault(&name, FieldFault::NotOfModel));
                    }
                }
                (Rule::LastOnly, value) => counts.last_only |= flag(&name, value)? == Some(true),
                (Rule::Unknown, value) if says_something(value) => {
                    return Err(fault(&name, FieldFault::UnknownRule));
                }
                (Rule::Unknown, _) => {
                    object.insert(name, value);
                }
            }
        }
        Ok(counts)
    }

    /// Returns the indices of answers that are context only, of `answers` among `given` messages. `skipped` messages precede
    /// them, which no list has.
    ///
    /// # Errors
    /// When a list is about another number of messages, or about messages of others than the model.
    pub fn context(&self, answers: &[usize], skipped: usize, given: usize) -> Result<Vec<usize>, Reason> {
        let mut context = Vec::new();
        for (name, flags) in &self.each {
            if flags.len() == given {
                let of_others = |at: &usize| {
                    flags[*at] && !answers.contains(&(at + skipped)) && rule(name) != Some(Rule::Weight)
                };
                if (0..given).any(|at| of_others(&at)) {
                    return Err(fault(name, FieldFault::NotOfModel));
                }
                context.extend(answers.iter().filter(|&&at| at >= skipped && !flags[at - skipped]));
            } else if flags.len() == answers.len() {
                context.extend(answers.iter().zip(flags).filter(|(_, counts)| !**counts).map(|(at, _)| at));
            } else {
                return Err(fault(name, FieldFault::Malformed));
            }
        }
        if self.last_only {
            context.extend(answers.iter().rev().skip(1));
        }
        Ok(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_spelling() {
        for name in ["train_on_inputs", "trainOnInputs", "train-on-inputs", "Train On Inputs"] {
            assert_eq!(rule(name), Some(Rule::Prompts), "{name}");
        }
        assert_eq!(rule("lossMask"), Some(Rule::Counts));
        assert_eq!(rule("train_detail"), Some(Rule::Unknown));
        for name in ["labelmask", "lossmasks", "perTokenLoss", "untrained_mask", "sampleweights", "pretrain"]
        {
            assert_eq!(rule(name), Some(Rule::Unknown), "{name}");
        }
        for other in ["strain", "attention_mask", "source", "weighted", "glossary", "constraints", "trainer"]
        {
            assert_eq!(rule(other), None, "{other}");
        }
    }
}
