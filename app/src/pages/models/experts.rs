//! How much graphics memory the experts of a mixture get.

use leptos::prelude::*;

use crate::{
    components::{NumberField, ReloadHint},
    format,
    language::t,
    state::{
        models::{Choice, Inspection, ModelState},
        use_stores,
    },
};

/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// A field for the memory of experts; nothing for models whose experts are always there, or that have none.
#[component]
pub fn Experts(choice: Choice) -> impl IntoView {
    let stores = use_stores();
    let engine = stores.engine;
    let id = choice.id.clone();
    // The same for every choice, so that the field stays where it is.
    let bounds = Memo::new(move |_| {
        engine.inspections.with(|all| match all.get(&id) {
            Some(Inspection::Known { details, .. }) => {
                details.experts.map(|experts| gigabytes(experts.least, experts.all))
            }
            _ => None,
        })
    });
    let id = choice.id.0.clone();
    let chosen = stores.settings.field(move |settings| settings.expert_memory.get(&id).copied());
    let text =
        Signal::derive(move || chosen.get().map(|bytes| (bytes as f64 / GB).to_string()).unwrap_or_default());
    let id = choice.id.clone();
    let change = Callback::new(move |number: Option<f64>| {
        engine.choose_expert_memory(&id, number.map(|number| (number * GB).round() as u64));
    });
    let id = choice.id.clone();
    // What the loaded model has, if that was another choice.
    let loaded = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { choice, details, context, .. } if choice.id == id => {
                let experts = details.experts.filter(|experts| experts.asked != chosen.get())?;
                Some((experts.held, *context))
            }
            _ => None,
        })
    });
    let name = choice.entry.name.clone();
    let reload = move || {
        let choice = choice.clone();
        loaded.get().map(|(held, context)| {
            let press = move |()| engine.load(choice.clone(), context);
            view! { <ReloadHint loaded=t().experts_loaded(&format::bytes(held)) label=t().load_again() on_press=press /> }
        })
    };
    move || {
        let reload = reload.clone();
        bounds.get().map(|(least, all)| {
            view! {
                <div role="group" aria-label=name.clone()>
                    <NumberField
                        label=t().experts_memory() hint=t().experts_memory_hint() min=least max=all step="any" placeholder=t().experts_memory_automatic()
                        value=text
                        on_change=change
                    />
                    {reload}
                </div>
            }
        })
    }
}

/// Bounds in gigabytes, rounded up to three digits of the larger one: an amount within them is enough, and can be all.
fn gigabytes(least: u64, all: u64) -> (f64, f64) {
    let digits = (2 - (all.max(1) as f64 / GB).log10().floor() as i32).max(0);
    let scale = 10_f64.powi(digits);
    let up = |bytes: u64| (bytes as f64 / GB * scale).ceil() / scale;
    (up(least), up(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_short_and_enough() {
        assert_eq!(gigabytes(945_000_000, 15_120_000_000), (1.0, 15.2));
        assert_eq!(gigabytes(358_119_701, 5_729_915_213), (0.36, 5.73));
        assert_eq!(gigabytes(20_480, 81_920), (0.000_020_5, 0.000_082));
        assert_eq!(gigabytes(0, 0), (0.0, 0.0));
    }
}
