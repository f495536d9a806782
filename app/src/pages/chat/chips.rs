//! What differs from the defaults in this conversation, in small buttons above the message.

use leptos::prelude::*;
use protocol::{AnswerFormat, Sampling};

use super::filing::FolderChip;
use crate::{
    components::{Icon, glyph_of},
    format,
    history::{Conversation, Preset},
    language::t,
    state::{NamedDialog, Stores, use_stores},
};

/// A setting that differs.
#[derive(Clone, Debug, PartialEq)]
enum Difference {
    Instructions,
    Temperature(f32),
    Sampling,
    Thought,
    Tools,
    Format,
    Context(u32),
    Longest(u32),
    Stop,
}

impl Difference {
    fn words(&self) -> String {
        match *self {
            Self::Instructions => t().composer_instructions().to_owned(),
            Self::Temperature(value) => t().chip_temperature(&format::setting_of(&format::decimal(value))),
            Self::Sampling => t().drawer_sampling().to_owned(),
            Self::Thought => t().drawer_thought().to_owned(),
            Self::Tools => t().tools_title().to_owned(),
            Self::Format => t().format_title().to_owned(),
            Self::Context(tokens) => t().chip_context(tokens.into()),
            Self::Longest(tokens) => t().chip_longest(tokens.into()),
            Self::Stop => t().drawer_stop().to_owned(),
        }
    }
}

/// What a conversation has that its preset has not; without one, that the model has not. `recommended` is the model's sampling.
fn differences(it: &Conversation, preset: Option<&Preset>, recommended: &Sampling) -> Vec<Difference> {
    let mut found = Vec::new();
    let instructions = preset.map_or("", |preset| &preset.instructions);
    if it.system.trim() != instructions.trim() {
        found.push(Difference::Instructions);
    }
    let own = it.options.sampling.as_ref().unwrap_or(recommended);
    let base = preset.and_then(|preset| preset.sampling.as_ref()).unwrap_or(recommended);
    if own.temperature != base.temperature {
        found.push(Difference::Temperature(own.temperature));
    }
    if *own != (Sampling { temperature: own.temperature, ..base.clone() }) {
        found.push(Difference::Sampling);
    }
    let options = &it.options;
    let base_thought = preset.map_or(0, |preset| preset.max_thought);
    found.extend((options.max_thought != base_thought).then_some(Difference::Thought));
    let base_tools = preset.map_or(&[][..], |preset| &preset.tools);
    let same_tools =
        options.tools.len() == base_tools.len() && options.tools.iter().all(|tool| base_tools.contains(tool));
    found.extend((!same_tools).then_some(Difference::Tools));
    let base_format = preset.map_or(&AnswerFormat::Text, |preset| &preset.format);
    found.extend((options.format != *base_format).then_some(Difference::Format));
    found.extend((options.context > 0).then_some(Difference::Context(options.context)));
    found.extend((options.max_tokens > 0).then_some(Difference::Longest(options.max_tokens)));
    found.extend((!options.stop.is_empty()).then_some(Difference::Stop));
    found
}

/// The folder, the preset, and what differs from it.
#[component]
pub fn Chips() -> impl IntoView {
    let stores = use_stores();
    stores.watch_presets();
    let Stores { ui, chat, engine, presets, .. } = stores;
    let preset = Memo::new(move |_| chat.conversation.with(|conversation| presets.of(conversation)));
    let recommended = Memo::new(move |_| engine.recommended());
    let found = Memo::new(move |_| {
        chat.conversation.with(|it| {
            preset.with(|preset| recommended.with(|sampling| differences(it, preset.as_ref(), sampling)))
        })
    });
    let offered = Memo::new(move |_| {
        chat.conversation.with(Conversation::is_empty) && !presets.presets.with(Vec::is_empty)
    });
    let choose = move |_| ui.named.set(Some(NamedDialog::Presets));
    let of_preset = move || match preset.get() {
        Some(preset) => Some((Some(preset.icon), t().preset_of(&preset.name))),
        None => offered.get().then(|| (None, t().preset_choose().to_owned())),
    };
    let difference = move |it: Difference| {
        view! {
            <button type="button" class="button chip" title=t().drawer_title() on:click=move |_| ui.drawer.set(true)>
                {it.words()}
            </button>
        }
    };
    view! {
        <div class="chips">
            <FolderChip />
            {move || of_preset().map(|(icon, words)| view! {
                <button type="button" class="button chip" on:click=choose>
                    {icon.map(|icon| view! { <Icon glyph=glyph_of(icon) /> })}
                    <span dir="auto">{words}</span>
                </button>
            })}
            {move || found.get().into_iter().map(difference).collect_view()}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{ConversationId, Options};

    #[test]
    fn what_is_the_presets_or_the_models_is_no_difference() {
        let model = Sampling { temperature: 0.7, ..Sampling::default() };
        let mut it = Conversation::new(ConversationId(1), Options::default(), 1);
        assert_eq!(differences(&it, None, &model), []);
        it.options.sampling = Some(model.clone());
        assert_eq!(differences(&it, None, &model), [], "what the model recommends");
        it.system = "Like a pirate.".to_owned();
        it.options.sampling = Some(Sampling { temperature: 1.3, ..model.clone() });
        it.options.max_thought = 256;
        it.options.tools = vec!["a".to_owned(), "b".to_owned()];
        it.options.format = AnswerFormat::Json;
        it.options.stop = vec!["END".to_owned()];
        let own = [
            Difference::Instructions,
            Difference::Temperature(1.3),
            Difference::Thought,
            Difference::Tools,
            Difference::Format,
            Difference::Stop,
        ];
        assert_eq!(differences(&it, None, &model), own);
        let preset = Preset::of(&it, 1);
        assert_eq!(differences(&it, Some(&preset), &model), [Difference::Stop]);
        it.options.tools.reverse();
        assert_eq!(differences(&it, Some(&preset), &model), [Difference::Stop], "the same tools");
        let mut less = it.clone();
        less.options.max_thought = 0;
        less.options.tools.pop();
        let found = [Difference::Thought, Difference::Tools, Difference::Stop];
        assert_eq!(differences(&less, Some(&preset), &model), found);
        it.options.sampling = None;
        let back = [Difference::Temperature(0.7), Difference::Stop];
        assert_eq!(differences(&it, Some(&preset), &model), back, "the preset's is another");
        it.options.sampling = Some(Sampling { top_k: 3, ..preset.sampling.clone().expect("set") });
        assert_eq!(differences(&it, Some(&preset), &model), [Difference::Sampling, Difference::Stop]);
    }
}
