//! LoRA adapters in prefill. In decode, they are part of [`crate::matvec`].

pub mod expand;
