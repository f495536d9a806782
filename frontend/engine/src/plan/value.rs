//! Values: what kernels read and write.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The purpose of a value: who writes it, and how long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Weights from a file. They live as long as the model.
    Weight,
    /// KV cache and other state of a sequence.
    Cache,
    /// Tables that the host computes once.
    Constant,
    /// Values that the host accesses between runs, or that one plan leaves for another.
    State,
    /// Parameters that the host rewrites.
    Params,
    /// Readback buffers.
    Readback,
    /// Written and read within one schedule.
    Temporary,
}

/// A value on the device. Clones are the same value; two values with the same name are different.
#[derive(Clone)]
pub struct Value(Rc<Described>);

struct Described {
    name: Cow<'static, str>,
    bytes: u64,
    origin: Origin,
}

impl Value {
    /// Returns a new value of `bytes` bytes.
    pub fn new(name: impl Into<Cow<'static, str>>, bytes: u64, origin: Origin) -> Self {
        Self(Rc::new(Described { name: name.into(), bytes, origin }))
    }

    /// Returns a value that is only used within a schedule.
    pub fn temporary(name: impl Into<Cow<'static, str>>, bytes: u64) -> Self {
        Self::new(name, bytes, Origin::Temporary)
    }

    /// Returns a value that the host accesses, or that another plan uses.
    pub fn state(name: impl Into<Cow<'static, str>>, bytes: u64) -> Self {
        Self::new(name, bytes, Origin::State)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Returns the purpose.
    pub fn origin(&self) -> Origin {
        self.0.origin
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Rc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}, {} bytes)", self.0.name, self.0.origin, self.0.bytes)
    }
}
