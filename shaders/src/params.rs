//! Structs that kernels share with the host: declared once in Rust, and generated in WGSL from the same fields.

use crate::Planes;

/// A field of a shared struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in both languages. A field called `pad` is expanded to single words.
    pub name: &'static str,
    /// Type in WGSL.
    pub wgsl: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

impl Field {
    /// Returns the members in WGSL: name, type, and offset in bytes. Padding must not contain an aligned vector.
    pub fn members(self) -> impl Iterator<Item = (String, &'static str, usize)> {
        let words = if self.name == "pad" { self.size / 4 } else { 0 };
        let itself = (words == 0).then(|| (self.name.to_owned(), self.wgsl, self.offset));
        let pads = (0..words).map(move |i| (format!("pad{i}"), "u32", self.offset + 4 * i));
        itself.into_iter().chain(pads)
    }
}

/// A struct with the same layout in Rust and in WGSL. Implemented by `params!`.
pub trait WgslStruct: bytemuck::Pod {
    /// The fields, in order.
    const FIELDS: &'static [Field];
}

/// Returns the declaration in WGSL of a struct with this name.
pub(crate) fn wgsl<S: WgslStruct>(name: &str) -> String {
    let members = S::FIELDS.iter().flat_map(|field| field.members());
    let members: String = members.map(|(name, wgsl, _)| format!("    {name}: {wgsl},\n")).collect();
    format!("struct {name} {{\n{members}}}")
}

/// A type that a field may have.
pub trait FieldType {
    /// The type's name in WGSL.
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
}

/// Declares structs that are shared with kernels: mostly their parameters. A test compares each of them, field by
/// field, with the layout that naga computes.
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

        impl $crate::params::WgslStruct for $name {
            const FIELDS: &'static [$crate::params::Field] = &[$($crate::params::Field {
                name: stringify!($field),
                wgsl: <$type as $crate::params::FieldType>::WGSL,
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$type>(),
            }),*];
        }
    )*};
}
