//! How long a model may think.

use leptos::prelude::*;

use super::{Choice, NumberField};
use crate::{history::MAX_THOUGHT, language::t};

/// The limits that have a name, in tokens.
const SHORT: u32 = 256;
const MEDIUM: u32 = 1_024;
const LONG: u32 = 4_096;

/// Stands for any other number.
const OTHER: &str = "other";

/// The length of a thought: one that has a name, or a number of tokens.
#[component]
pub fn ThoughtField(
    /// The most tokens; 0 for no limit.
    value: Memo<u32>,
    /// Takes another number.
    #[prop(into)]
    on_change: Callback<u32>,
) -> impl IntoView {
    // The number that was entered as one without a name, even if it has one.
    let entered = RwSignal::new(None);
    let is_other = Memo::new(move |_| {
        let tokens = value.get();
        entered.get() == Some(tokens) || ![0, SHORT, MEDIUM, LONG].contains(&tokens)
    });
    let chosen =
        Signal::derive(move || if is_other.get() { OTHER.to_owned() } else { value.get().to_string() });
    let choose = move |key: String| match key.parse() {
        Ok(tokens) => {
            entered.set(None);
            on_change.run(tokens);
        }
        Err(_) => entered.set(Some(value.get_untracked())),
    };
    let number = Signal::derive(move || match value.get() {
        0 => String::new(),
        tokens => tokens.to_string(),
    });
    let enter = move |number: Option<f64>| {
        let tokens = number.unwrap_or(0.0) as u32;
        entered.set(Some(tokens));
        on_change.run(tokens);
    };
    let choices = [
        (0.to_string(), t().drawer_no_limit().to_owned()),
        (SHORT.to_string(), t().thought_short(SHORT.into())),
        (MEDIUM.to_string(), t().thought_medium(MEDIUM.into())),
        (LONG.to_string(), t().thought_long(LONG.into())),
        (OTHER.to_owned(), t().thought_other().to_owned()),
    ];
    view! {
        <Choice label=t().drawer_thought() hint=t().drawer_thought_hint() choices=choices.into() value=chosen on_change=choose />
        {move || is_other.get().then(|| view! {
            <NumberField
                label=t().thought_tokens() min=1.0 max=f64::from(MAX_THOUGHT) step="1" placeholder=t().drawer_no_limit()
                value=number on_change=enter
            />
        })}
    }
}
