//! The models that were opened from files on an earlier visit.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    failures::{self, PickedTrouble},
    format,
    history::PickedModel,
    language::t,
    state::{use_engine, use_picked, use_stores},
};

/// Models that can be opened again with one press. Nothing where there are none, or where they are in the list of models.
#[component]
pub fn PickedRows(
    /// Runs when one was opened.
    on_choose: Callback<()>,
) -> impl IntoView {
    let (engine, picked) = (use_engine(), use_picked());
    let rows = move || {
        let is_listed = |model: &PickedModel| {
            engine.choices.with(|choices| choices.iter().any(|choice| choice.id.0 == model.id))
        };
        picked.list.get().into_iter().filter(|model| !is_listed(model)).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || !rows().is_empty()>
            <section class="picked" aria-label=t().picked_title()>
                <h3>{t().picked_title()}</h3>
                <ul class="offers" role="list">
                    <For each=rows key=|model| (model.id.clone(), model.opened) children=move |model| view! { <PickedRow model=model on_choose=on_choose /> } />
                </ul>
            </section>
        </Show>
    }
}

/// One model.
#[component]
fn PickedRow(model: PickedModel, on_choose: Callback<()>) -> impl IntoView {
    let stores = use_stores();
    let name = model.name().to_owned();
    let about = match model.files.len() {
        1 => format::bytes(model.size()),
        count => t().picked_files(count as u64, &format::bytes(model.size())),
    };
    let id = model.id.clone();
    let trouble = Memo::new(move |_| stores.picked.troubles.with(|all| all.get(&id).cloned()));
    let changed = Memo::new(move |_| matches!(trouble.get(), Some(PickedTrouble::Changed { .. })));
    let id = model.id.clone();
    let open = move |_| {
        let model = model.clone();
        spawn_local(async move {
            match stores.picked.files(&model).await {
                Ok(files) => {
                    if stores.open_files(files) {
                        on_choose.run(());
                    }
                }
                Err(trouble) => stores.ui.say(failures::picked(&trouble)),
            }
        });
    };
    let forgotten = name.clone();
    let forget = move |_| {
        let (id, name) = (id.clone(), forgotten.clone());
        spawn_local(async move {
            stores.picked.forget(id).await;
            stores.ui.say(t().picked_forgotten(&name));
        });
    };
    let label = name.clone();
    let open_label =
        move || if changed.get() { t().picked_open_anyway_of(&label) } else { t().picked_open_of(&label) };
    view! {
        <li class="offer">
            <div>
                <strong>{name.clone()}</strong> " "
                <span class="muted">{about}</span>
                {move || trouble.get().map(|trouble| view! { <p class="hint bad">{failures::picked(&trouble)}</p> })}
            </div>
            <div class="buttons">
                <button type="button" class="button" aria-label=open_label on:click=open>
                    {move || if changed.get() { t().picked_open_anyway() } else { t().picked_open() }}
                </button>
                <button type="button" class="button quiet" aria-label=t().picked_forget_of(&name) on:click=forget>
                    {t().picked_forget()}
                </button>
            </div>
        </li>
    }
}
