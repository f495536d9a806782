//! Names of conversations, attachments and nodes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A text that names no conversation or attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIdError;

/// Random 128 bits: from `crypto.getRandomValues` in a browser.
#[cfg(target_arch = "wasm32")]
pub(super) fn random_bits() -> u128 {
    let mut bytes = [0_u8; 16];
    let filled = web_sys::window()
        .and_then(|window| window.crypto().ok())
        .is_some_and(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).is_ok());
    if !filled {
        // Every browser with WebGPU has `crypto`; this keeps ids distinct should one refuse it.
        for half in bytes.chunks_exact_mut(8) {
            half.copy_from_slice(&js_sys::Math::random().to_bits().to_le_bytes());
        }
    }
    u128::from_le_bytes(bytes)
}

/// Random 128 bits, natively: from the keys that the standard library seeds each hash map with. Used by tests.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn random_bits() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    let half = |salt: u8| u128::from(RandomState::new().hash_one(salt));
    half(0) << 64 | half(1)
}

macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u128);

        impl $name {
            /// A new one, random.
            #[must_use]
            pub fn random() -> Self {
                Self(random_bits())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", self.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                let value = if digits { u128::from_str_radix(text, 16).ok() } else { None };
                value.map(Self).ok_or(ParseIdError)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let unexpected = |_| de::Error::invalid_value(de::Unexpected::Str(&text), &"32 hexadecimal digits");
                text.parse().map_err(unexpected)
            }
        }
    };
}

random_id! {
    /// Names a conversation: 128 random bits, written as 32 hexadecimal digits.
    ConversationId
}

random_id! {
    /// Names the bytes of an attachment: 128 random bits, written as 32 hexadecimal digits.
    AttachmentKey
}

random_id! {
    /// Names a folder: 128 random bits, written as 32 hexadecimal digits.
    FolderId
}

random_id! {
    /// Names a preset: 128 random bits, written as 32 hexadecimal digits.
    PresetId
}

random_id! {
    /// Names a prompt: 128 random bits, written as 32 hexadecimal digits.
    PromptId
}

/// Names a message within its conversation. Never used twice, also after a deletion, and not by two tabs either: what both
/// add to one conversation is joined by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u64);

/// Bits of a [`NodeId`] below the time.
const RANDOM_BITS: u32 = 12;

/// Bits of the time. Together they make 53, so that any reader of an export has the whole number.
const TIME_BITS: u32 = 41;

impl NodeId {
    /// That of a time in milliseconds since 1970, with the lowest bits of a number below it.
    pub(super) fn at(time: u64, low: u64) -> Self {
        let time = time & ((1 << TIME_BITS) - 1);
        Self(time << RANDOM_BITS | low & ((1 << RANDOM_BITS) - 1))
    }

    /// A new one, above `last`: the time, with random bits below it. None when all are used up.
    #[must_use]
    pub fn after(last: Option<Self>, now: u64) -> Option<Self> {
        let random = random_bits() as u64;
        let by_clock = Self::at(now, random);
        match last {
            // A clock that stands or was set back, or a conversation from a machine whose clock is ahead.
            Some(last) if last >= by_clock => last.0.checked_add(1 + (random & 0xf_ffff)).map(Self),
            _ => Some(by_clock),
        }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_survive_being_written() {
        let (a, b) = (ConversationId::random(), ConversationId::random());
        assert_ne!(a, b);
        assert_eq!(a.to_string().parse(), Ok(a));
        assert_eq!(a.to_string().len(), 32);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "12", "+0000000000000000000000000000001", "0000000000000000000000000000000g"] {
            assert!(text.parse::<ConversationId>().is_err(), "{text}");
        }
    }
}
