//! Parameters of kernels, written once: the struct of a shader is made of the fields of the one in Rust.

use crate::Planes;
use crate::matmul::Clamps;

/// A field of a parameter struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in both languages. What is called `pad` is made of words.
    pub name: &'static str,
    /// Its type in WGSL.
    pub wgsl: &'static str,
    /// Bytes before it.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
}

impl Field {
    /// Its members in WGSL: name, type, and bytes before it. No vector may lie where padding does.
    pub fn members(self) -> impl Iterator<Item = (String, &'static str, usize)> {
        let words = if self.name == "pad" { self.size / 4 } else { 0 };
        let itself = (words == 0).then(|| (self.name.to_owned(), self.wgsl, self.offset));
        let pads = (0..words).map(move |i| (format!("pad{i}"), "u32", self.offset + 4 * i));
        itself.into_iter().chain(pads)
    }
}

/// A struct that a kernel takes as its uniform. Made by `params!`.
pub trait Uniform: bytemuck::Pod {
    /// Its fields, in order.
    const FIELDS: &'static [Field];
}

/// The struct in WGSL, called `Params`.
pub(crate) fn wgsl<P: Uniform>() -> String {
    let members = P::FIELDS.iter().flat_map(|field| field.members());
    let members: String = members.map(|(name, wgsl, _)| format!("    {name}: {wgsl},\n")).collect();
    format!("struct Params {{\n{members}}}")
}

/// A type of fields.
pub trait FieldType {
    /// Its name in WGSL.
    const WGSL: &'static str;
}

macro_rules! field_types {
    ($($type:ty: $wgsl:literal,)*) => { $(impl FieldType for $type { const WGSL: &'static str = $wgsl; })* };
}

field_types! {
    u32: "u32",
    i32: "i32",
    f32: "f32",
    [u32; 2]: "vec2<u32>",
    [u32; 3]: "vec3<u32>",
    [u32; 4]: "vec4<u32>",
    [u32; 16]: "array<vec4<u32>, 4>",
    Planes: "vec4<u32>",
    [Planes; 3]: "array<vec4<u32>, 3>",
    Clamps: "vec4<f32>",
}

/// Declares parameter structs. A test compares each with what naga makes of its text, field by field.
macro_rules! params {
    ($($(#[$of_struct:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$of_struct])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)*
        }

        impl $crate::params::Uniform for $name {
            const FIELDS: &'static [$crate::params::Field] = &[$($crate::params::Field {
                name: stringify!($field),
                wgsl: <$type as $crate::params::FieldType>::WGSL,
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$type>(),
            }),*];
        }
    )*};
}
