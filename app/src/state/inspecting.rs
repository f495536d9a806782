//! Looking at models without loading them: what each is, and whether it fits as it would be loaded now.

use std::collections::HashMap;

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::DeviceFailure;
use protocol::{Code, EightBits, Failure, LoadOptions, Outcome, Request};

use super::engine::{EnginePhase, EngineStore};
use super::models::{Choice, Inspection, ModelId};

impl EngineStore {
    /// Asks of every model what it is and whether it fits, one after another: of those that were not asked of yet, and of
    /// those whose experts are to get another amount of memory now, or that are to be stored in other types.
    pub fn inspect_all(self) {
        if self.inspecting.get_value() {
            return;
        }
        self.inspecting.set_value(true);
        spawn_local(async move {
            while let Some(choice) = self.next_to_inspect() {
                self.inspect(choice).await;
                self.select_preferred();
            }
            self.inspecting.set_value(false);
        });
    }

    /// Returns bytes that the user chose for the experts of a model; `None` for as much as is free.
    #[must_use]
    pub fn expert_memory(self, id: &ModelId) -> Option<u64> {
        self.settings.value.with_untracked(|settings| settings.expert_memory.get(&id.0).copied())
    }

    /// Returns what is stored in 8 bits even where there is room for more.
    #[must_use]
    pub fn eight_bits(self) -> EightBits {
        self.settings.value.with_untracked(|settings| settings.eight_bits)
    }

    /// Returns bytes of graphics memory that models may use; `None` for what the engine assumes.
    #[must_use]
    pub fn graphics_memory(self) -> Option<u64> {
        self.settings.value.with_untracked(|settings| settings.graphics_memory)
    }

    /// Whether answers are drafted now, by a model that has a drafter or has none. On a device that is not known yet it's as on one
    /// that computes in software.
    #[must_use]
    pub fn drafts(self, has_drafter: bool) -> bool {
        let is_software = self.device.with_untracked(|device| device.as_ref().is_none_or(|it| it.software));
        self.settings.value.with_untracked(|settings| settings.drafting).drafts(has_drafter, is_software)
    }

    /// Returns how a model is loaded now, with a context of this length.
    #[must_use]
    pub fn load_options(self, choice: &Choice, context: u32) -> LoadOptions {
        let keep_weights = self.settings.value.with_untracked(|settings| settings.keep_weights);
        LoadOptions {
            context: choice.context(context),
            keep: keep_weights && !choice.is_local(),
            use_memory: self.memory_allowed.with_value(|allowed| allowed.contains(&choice.id)),
            expert_memory: self.expert_memory(&choice.id),
            eight_bits: self.eight_bits(),
            drafts: self.drafts(true),
            memory: self.graphics_memory(),
            anyway: self.is_wanted_anyway(&choice.id),
        }
    }

    /// Changes what the experts of a model get. What is known of the model follows with [`Self::inspect_all`].
    pub fn choose_expert_memory(self, id: &ModelId, bytes: Option<u64>) {
        self.settings.change(|settings| {
            match bytes {
                Some(bytes) => settings.expert_memory.insert(id.0.clone(), bytes),
                None => settings.expert_memory.remove(&id.0),
            };
        });
    }

    /// Whether a model was looked at as it would be loaded now.
    fn is_inspected(self, id: &ModelId, known: &HashMap<ModelId, Inspection>) -> bool {
        if self.outdated.with_value(|outdated| outdated.contains(id)) {
            return false;
        }
        match known.get(id) {
            Some(Inspection::Known { details, .. }) => {
                details.stored.asked == self.eight_bits()
                    && details.allowed == self.graphics_memory()
                    && details.experts.is_none_or(|experts| experts.asked == self.expert_memory(id))
            }
            Some(Inspection::Running | Inspection::Failed(_)) => true,
            None => false,
        }
    }

    fn next_to_inspect(self) -> Option<Choice> {
        let able =
            self.device.with_untracked(|device| device.as_ref().is_some_and(|device| device.available));
        let running = self.phase.with_untracked(|phase| *phase == EnginePhase::Running);
        if !able || !running {
            return None;
        }
        self.choices.with_untracked(|choices| {
            self.inspections.with_untracked(|known| {
                choices
                    .iter()
                    .find(|choice| choice.entry.broken.is_none() && !self.is_inspected(&choice.id, known))
                    .cloned()
            })
        })
    }

    async fn inspect(self, choice: Choice) {
        let note = |inspection| {
            self.inspections.update(|all| {
                all.insert(choice.id.clone(), inspection);
            });
        };
        self.outdated.update_value(|outdated| {
            outdated.remove(&choice.id);
        });
        // What was known stays in sight meanwhile.
        if !self.inspections.with_untracked(|all| all.contains_key(&choice.id)) {
            note(Inspection::Running);
        }
        let source = choice.source.clone();
        let expert_memory = self.expert_memory(&choice.id);
        let options = self.load_options(&choice, 0);
        let inspect = Request::Inspect { source, options };
        let reply = self.request(Some(&choice.id), inspect);
        let outcome = match reply {
            Some(reply) => reply.outcome().await,
            None => None,
        };
        match outcome {
            Some(Ok(Outcome::Inspected { details, verdict })) => {
                note(Inspection::Known { details, verdict });
            }
            // What was chosen with another version of the engine may be too little for this one.
            Some(Err(failure)) if expert_memory.is_some() && is_too_little(&failure) => {
                self.choose_expert_memory(&choice.id, None);
                self.inspections.update(|all| {
                    all.remove(&choice.id);
                });
            }
            Some(Err(failure)) => note(Inspection::Failed(failure)),
            _ => self.inspections.update(|all| {
                all.remove(&choice.id);
            }),
        }
    }
}

/// Whether a model was refused because its experts would get too little memory.
fn is_too_little(failure: &Failure) -> bool {
    matches!(failure.code, Code::Device(DeviceFailure::ExpertMemory { .. }))
}
