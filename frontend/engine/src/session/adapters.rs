//! Adapters of a session.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{EngineError, Session};
use crate::adapter::{Adapter, AdapterError};
use crate::media::ContentHash;
use crate::model::total_rank;
use shaders::adapter::expand::MAX_RANK;

/// Maximum number of adapters of a session.
pub const MAX_ADAPTERS: usize = 8;

/// An adapter in a session.
#[derive(Clone, Debug)]
pub struct LoadedAdapter {
    /// The caller's name for it.
    pub name: String,
    /// Its weights. Those of all adapters are stacked again whenever one is added or removed.
    adapter: Rc<Adapter>,
    /// Factor of its weights: 1 as trained, 0 to disable it.
    pub scale: f32,
    /// Digest of its weights, once it was needed.
    pub(super) digest: Rc<OnceCell<ContentHash>>,
}

impl LoadedAdapter {
    /// Its weights.
    pub fn adapter(&self) -> &Rc<Adapter> {
        &self.adapter
    }
}

impl Session {
    /// Returns the adapters, in the order in which they were added.
    pub fn adapters(&self) -> &[LoadedAdapter] {
        &self.adapters
    }

    /// Adds an adapter, or replaces the one of this name. Clears the cache, which was computed without it.
    ///
    /// # Errors
    /// [`EngineError::Adapter`] when it is for another model or there are too many; errors of the device. The adapters are then
    /// as before.
    pub async fn add_adapter(
        &mut self,
        name: impl Into<String>,
        adapter: Adapter,
        scale: f32,
    ) -> Result<(), EngineError> {
        let name = name.into();
        if !scale.is_finite() {
            return Err(AdapterError::NotFinite { tensor: "the adapter's scale".into() }.into());
        }
        let config = self.decoder.config();
        let shares_kv = |layer| layer < config.layers.len() && !config.owns_kv(layer);
        let adapter = adapter.fit(shares_kv, |target| self.decoder.shape(target))?;
        let loaded = LoadedAdapter { name, adapter: Rc::new(adapter), scale, digest: Rc::default() };
        let mut adapters = self.adapters.clone();
        match adapters.iter_mut().find(|other| other.name == loaded.name) {
            Some(other) => *other = loaded,
            None => adapters.push(loaded),
        }
        let ranks = || adapters.iter().map(|loaded| loaded.adapter.ranks());
        let totals = [total_rank(ranks().map(|all| all.shared)), total_rank(ranks().map(|all| all.experts))];
        if adapters.len() > MAX_ADAPTERS || totals.iter().any(|&total| total > MAX_RANK) {
            return Err(AdapterError::TooMany { most: MAX_ADAPTERS, ranks: MAX_RANK }.into());
        }
        self.use_adapters(adapters).await
    }

    /// Removes an adapter, if there is one of this name.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn remove_adapter(&mut self, name: &str) -> Result<(), EngineError> {
        let left: Vec<_> = self.adapters.iter().filter(|loaded| loaded.name != name).cloned().collect();
        if left.len() == self.adapters.len() { Ok(()) } else { self.use_adapters(left).await }
    }

    /// Sets the scale of an adapter, without loading anything; 0 disables it. Returns whether there is one of this name.
    pub fn set_adapter_scale(&mut self, name: &str, scale: f32) -> bool {
        let Some(loaded) = self.adapters.iter_mut().find(|loaded| loaded.name == name) else { return false };
        if loaded.scale != scale && scale.is_finite() {
            loaded.scale = scale;
            self.apply_scales();
        }
        true
    }

    /// Applies the scales, and clears the cache, which was computed with others.
    fn apply_scales(&mut self) {
        let scales: Vec<f32> = self.adapters.iter().map(|loaded| loaded.scale).collect();
        self.decoder.set_adapter_scales(&scales);
        self.forget();
    }

    /// Replaces all adapters by those of another session of the same model.
    ///
    /// # Errors
    /// Errors of the device; the adapters are then as before.
    pub async fn use_adapters(&mut self, adapters: Vec<LoadedAdapter>) -> Result<(), EngineError> {
        self.forget();
        let stacked: Vec<&Adapter> = adapters.iter().map(|loaded| &*loaded.adapter).collect();
        let result = self.decoder.set_adapters(&stacked).await;
        if let Err(error) = result {
            let before: Vec<&Adapter> = self.adapters.iter().map(|loaded| &*loaded.adapter).collect();
            if self.decoder.set_adapters(&before).await.is_err() {
                self.adapters.clear();
            }
            self.apply_scales();
            return Err(error.into());
        }
        self.adapters = adapters;
        self.apply_scales();
        Ok(())
    }
}
