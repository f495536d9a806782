//! Which model to begin with, and the order of models in lists.

use std::collections::HashMap;

use protocol::FitVerdict;

use super::models::{Choice, Inspection, ModelId, Severity, verdict_words};

/// What is known of the models beyond their list.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// What the engine found out about each.
    pub inspections: &'a HashMap<ModelId, Inspection>,
    /// Whether the device computes in software.
    pub software: bool,
}

impl Known<'_> {
    /// Whether the engine has inspected the model, or need not.
    #[must_use]
    pub fn has_inspected(&self, choice: &Choice) -> bool {
        let inspection = self.inspections.get(&choice.id);
        choice.entry.broken.is_some() || !matches!(inspection, None | Some(Inspection::Running))
    }
}

/// Which model a page should start with: the one last used, else the one that is recommended, else the first that works; none
/// when none does.
#[must_use]
pub fn preferred<'a>(choices: &'a [Choice], last_used: &str, known: Known<'_>) -> Option<&'a Choice> {
    let usable = || choices.iter().filter(|choice| choice.entry.chats());
    let best = recommended(choices, known);
    usable()
        .find(|choice| choice.id.0 == last_used)
        .or_else(|| usable().find(|choice| best.as_ref() == Some(&choice.id)))
        .or_else(|| usable().find(|choice| !choice.entry.demo))
        .or_else(|| usable().next())
}

/// The models in the order of a list: the one that is recommended, then those that fit, then those that fit with a limit, then
/// the others; the demo behind those of its kind, and what does not work at the end. Until all have been inspected, none is moved for
/// how it fits.
#[must_use]
pub fn in_order(mut choices: Vec<Choice>, known: Known<'_>) -> Vec<Choice> {
    let Known { inspections, software } = known;
    let mood = |choice: &Choice| match inspections.get(&choice.id) {
        Some(_) if choice.is_too_slow(software) => Some(Severity::Bad),
        Some(Inspection::Known { details, verdict }) => Some(verdict_words(verdict, details).0),
        Some(Inspection::Failed(_)) => Some(Severity::Bad),
        Some(Inspection::Running) | None => None,
    };
    let is_broken = |choice: &Choice| !choice.entry.chats();
    let all_known = choices.iter().all(|choice| known.has_inspected(choice));
    let best = recommended(&choices, known);
    choices.sort_by_key(|choice| {
        let unfit = if all_known { mood(choice).map_or(2, |mood| mood as u8) } else { 0 };
        let is_best = best.as_ref() == Some(&choice.id);
        (is_broken(choice), unfit == 2, choice.entry.demo, unfit, !is_best)
    });
    choices
}

/// Returns the same models, with those that are shown already in the places they have.
#[must_use]
pub fn in_shown_order(mut sorted: Vec<Choice>, shown: &[ModelId]) -> Vec<Choice> {
    sorted.sort_by_key(|choice| shown.iter().position(|id| *id == choice.id).unwrap_or(shown.len()));
    sorted
}

/// The models from which one is recommended: those that work, without the demo.
fn candidates(choices: &[Choice]) -> impl Iterator<Item = &Choice> {
    choices.iter().filter(|choice| choice.entry.chats() && !choice.entry.demo)
}

/// Whether a model may yet be recommended, once the engine has inspected all of them.
#[must_use]
pub fn is_undecided(choices: &[Choice], known: Known<'_>) -> bool {
    candidates(choices).count() > 1 && candidates(choices).any(|choice| !known.has_inspected(choice))
}

/// Returns the model to begin with, where there is a choice: the largest that fits whole. `None` until all of them have been inspected.
#[must_use]
pub fn recommended(choices: &[Choice], known: Known<'_>) -> Option<ModelId> {
    let Known { inspections, software } = known;
    if is_undecided(choices, known) {
        return None;
    }
    let real: Vec<_> = candidates(choices).filter(|choice| !choice.is_too_slow(software)).collect();
    let fits = |choice: &&&Choice| {
        matches!(
            inspections.get(&choice.id),
            Some(Inspection::Known { verdict: FitVerdict::Fits { outside: 0, .. }, .. })
        )
    };
    if real.len() < 2 {
        return None;
    }
    real.iter().filter(fits).max_by_key(|choice| choice.entry.size).map(|choice| choice.id.clone())
}

#[cfg(test)]
mod tests {
    use protocol::said::{ModelProblem, Said};

    use super::super::models::tests::choice;
    use super::*;

    fn of(inspections: &HashMap<ModelId, Inspection>) -> Known<'_> {
        Known { inspections, software: false }
    }

    fn known(verdict: FitVerdict) -> Inspection {
        Inspection::Known { details: Box::default(), verdict }
    }

    #[test]
    fn what_fits_comes_first_and_the_largest_of_it_is_recommended() {
        let names = ["31b", "e2b", "e4b", "pebble", "broken"];
        let mut all = names.map(choice).to_vec();
        (all[0].entry.size, all[1].entry.size, all[2].entry.size) = (20, 7, 10);
        all[3].entry.demo = true;
        all[4].entry.broken = Some(Said { code: Some(ModelProblem::NoModel), english: String::new() });
        let fits = || known(FitVerdict::Fits { context: 8192, bytes: 1, outside: 0 });
        let mut inspections = HashMap::from([
            (all[0].id.clone(), known(FitVerdict::TooLarge { needed: 2, available: 1 })),
            (all[1].id.clone(), fits()),
            (all[2].id.clone(), Inspection::Running),
            (all[3].id.clone(), fits()),
        ]);
        let order = |all: &[Choice], inspections: &HashMap<_, _>| {
            in_order(all.to_vec(), of(inspections)).into_iter().map(|it| it.entry.name).collect::<Vec<_>>()
        };
        assert_eq!(order(&all, &inspections), ["31b", "e2b", "e4b", "pebble", "broken"]);
        assert_eq!(recommended(&all, of(&inspections)), None, "a larger one may fit");
        inspections.insert(all[2].id.clone(), fits());
        assert_eq!(order(&all, &inspections), ["e4b", "e2b", "pebble", "31b", "broken"]);
        assert_eq!(recommended(&all, of(&inspections)), Some(all[2].id.clone()));
        assert_eq!(recommended(&all[..1], of(&inspections)), None);
        assert_eq!(
            preferred(&all, "", of(&inspections)),
            Some(&all[2]),
            "what is recommended is preselected"
        );
        assert_eq!(preferred(&all, &all[1].id.0, of(&inspections)), Some(&all[1]), "but for the last one");
    }

    #[test]
    fn large_models_are_no_use_in_software() {
        let mut all = ["e2b", "e4b", "pebble"].map(choice).to_vec();
        (all[0].entry.size, all[1].entry.size, all[2].entry.size) = (7 << 30, 10 << 30, 14 << 20);
        all[2].entry.demo = true;
        let fits = || known(FitVerdict::Fits { context: 8192, bytes: 1, outside: 0 });
        let inspections: HashMap<_, _> = all.iter().map(|choice| (choice.id.clone(), fits())).collect();
        let software = Known { software: true, ..of(&inspections) };
        let names: Vec<_> = in_order(all.clone(), software).into_iter().map(|it| it.entry.name).collect();
        assert_eq!(names, ["pebble", "e2b", "e4b"]);
        assert_eq!(recommended(&all, software), None);
    }

    #[test]
    fn what_is_shown_keeps_its_place() {
        let sorted = ["e2b", "e4b", "31b", "pebble"].map(choice).to_vec();
        let shown = ["31b", "gone", "e2b", "pebble"].map(|name| choice(name).id);
        let names = |all: Vec<Choice>| all.into_iter().map(|it| it.entry.name).collect::<Vec<_>>();
        assert_eq!(names(in_shown_order(sorted.clone(), &shown)), ["31b", "e2b", "pebble", "e4b"]);
        assert_eq!(names(in_shown_order(sorted, &[])), ["e2b", "e4b", "31b", "pebble"]);
    }

    #[test]
    fn the_demo_is_chosen_when_it_is_alone_only() {
        let none = HashMap::new();
        let mut demo = choice("pebble");
        demo.entry.demo = true;
        let mut broken = choice("broken");
        broken.entry.broken = Some(Said { code: Some(ModelProblem::NoModel), english: String::new() });
        let big = choice("gemma4:e2b");
        assert_eq!(preferred(&[demo.clone(), broken.clone()], "", of(&none)), Some(&demo));
        let all = [demo.clone(), broken.clone(), big.clone()];
        assert_eq!(preferred(&all, "", of(&none)), Some(&big));
        assert_eq!(preferred(&all, &demo.id.0, of(&none)), Some(&demo));
        assert_eq!(preferred(&all, &broken.id.0, of(&none)), Some(&big));
        assert_eq!(preferred(&[], "", of(&none)), None);
    }
}
