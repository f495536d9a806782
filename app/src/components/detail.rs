//! How many soft tokens an image may take.

use leptos::prelude::*;
use protocol::TokenBudget;

use crate::language::t;

/// A list of the numbers of soft tokens that an image may take.
#[component]
pub fn DetailSelect(
    /// The selected number.
    #[prop(into)]
    chosen: Signal<TokenBudget>,
    /// Called when another one is selected.
    on_choose: impl Fn(TokenBudget) + 'static,
    /// The accessible name, unless a label around it says enough.
    #[prop(optional, into)]
    label: Option<String>,
) -> impl IntoView {
    let options: Vec<_> = TokenBudget::ALL
        .into_iter()
        .enumerate()
        .map(|(index, budget)| {
            let words = budget
                .tokens()
                .map_or_else(|| t().detail_auto().to_owned(), |tokens| t().detail_up_to(tokens.into()));
            view! { <option value=index.to_string() selected=move || chosen.get() == budget>{words}</option> }
        })
        .collect();
    let change = move |event: web_sys::Event| {
        let index = event_target_value(&event).parse::<usize>().unwrap_or_default();
        if let Some(&budget) = TokenBudget::ALL.get(index) {
            on_choose(budget);
        }
    };
    view! { <select aria-label=label title=t().detail_hint() on:change=change>{options}</select> }
}
