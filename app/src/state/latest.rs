//! Whether what began a while ago is out of date.

use std::time::Duration;

use leptos::prelude::*;

use crate::browser;

/// Numbers what happens again and again.
#[derive(Clone, Copy, Default)]
pub struct Latest(StoredValue<u32>);

impl Latest {
    /// Begins the next one, and returns its number.
    pub fn begin(self) -> u32 {
        self.0.update_value(|number| *number = number.wrapping_add(1));
        self.number()
    }

    /// Returns the number of the latest one.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0.get_value()
    }

    /// Whether this is still the latest one. It is not if the owner is gone.
    #[must_use]
    pub fn is(self, number: u32) -> bool {
        self.0.try_get_value() == Some(number)
    }

    /// Begins the next one, and calls `act` after `time` if it is still the latest then.
    pub fn rest(self, time: Duration, act: impl FnOnce() + 'static) {
        let number = self.begin();
        browser::after(time, move || {
            if self.is(number) {
                act();
            }
        });
    }
}
