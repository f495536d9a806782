//! What the memory of a device can do: the measure of every other kernel.

pub mod copy;
