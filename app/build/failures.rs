//! Writes the functions that find the text of a failure: its message is called as its variant is.
//!
//! `Code::Model(ModelFailure::NotGguf)` has `failure-model-not-gguf`: a prefix, then the variants. The variables of a message are
//! fields of the variant. A `u64` that stands as text is an amount of bytes, and two are written so that they differ; what an
//! enum says stands in `PREFIX-FIELD`, a choice. A variant may have several messages: one for each variant of an enum that it
//! holds, or a second, `NAME-FIELD`, for a flag that is set or an `Option` with a value.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use syn::{Fields, GenericArgument, Item, ItemEnum, PathArguments, Type};

use crate::messages::Catalogue;

/// A function that is written, the enum that it takes, and the prefix of the messages.
type Root = (&'static str, &'static str, &'static str);

/// The functions of `app/src/failures/mod.rs`.
#[allow(dead_code, reason = "tests have their own")]
pub const ROOTS: [Root; 7] = [
    ("of", "Code", "failure"),
    ("no_gpu", "NoGpu", "failure-device-none"),
    ("problem", "ExampleProblem", "example"),
    ("of_model", "ModelProblem", "catalog"),
    ("of_pull", "PullProblem", "pull"),
    ("picked", "PickedTrouble", "picked"),
    ("tool", "ToolError", "tool-error"),
];

/// Variants whose words depend on values, by the names of their messages: functions of `app/src/failures/by_hand.rs`.
#[allow(dead_code, reason = "tests have their own")]
pub const BY_HAND: [&str; 7] = [
    "failure-version",
    "failure-model-truncated",
    "failure-model-not-opened",
    "failure-media-sound-too-long",
    "failure-training-in-another-tab",
    "example-bad-file",
    "catalog-foreign",
];

/// Variants that have the message of another.
#[allow(dead_code, reason = "tests have their own")]
pub const SAME: [(&str, &str); 5] = [
    ("catalog-drafter", "failure-model-other-kind-drafter"),
    ("catalog-projector", "failure-model-other-kind-projector"),
    ("catalog-not-gguf", "failure-model-not-gguf"),
    ("catalog-gguf-version", "failure-model-gguf-version"),
    ("catalog-damaged", "failure-model-damaged"),
];

/// All that decides about the functions.
pub struct Failures<'a> {
    /// Enums by name.
    enums: BTreeMap<String, ItemEnum>,
    /// Arguments of messages: names in their order, true where it is a number.
    messages: BTreeMap<&'a str, &'a [(String, bool)]>,
    by_hand: &'a [&'a str],
    same: &'a [(&'a str, &'a str)],
    faults: Vec<String>,
}

/// The code of the functions. The sources are files with the enums.
///
/// # Errors
/// All that is wrong, a line each: messages that are missing, variables that are no fields.
pub fn generate<'a>(
    sources: &[String],
    catalogue: &'a Catalogue,
    roots: &[Root],
    by_hand: &'a [&'a str],
    same: &'a [(&'a str, &'a str)],
) -> Result<String, Vec<String>> {
    let mut enums = BTreeMap::new();
    for source in sources {
        let file = syn::parse_file(source).map_err(|error| vec![error.to_string()])?;
        enums.extend(file.items.into_iter().filter_map(|item| match item {
            Item::Enum(item) => Some((item.ident.to_string(), item)),
            _ => None,
        }));
    }
    let messages = catalogue.messages.iter().map(|(name, arguments)| (&**name, &**arguments)).collect();
    let mut failures = Failures { enums, messages, by_hand, same, faults: Vec::new() };
    let mut out = String::new();
    for (function, name, prefix) in roots {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "/// The text of a [`{name}`].\n#[must_use]\npub fn {function}(it: &{name}) -> String {{\n    match it {{\n{}    }}\n}}\n",
            failures.arms(name, prefix)
        );
    }
    if failures.faults.is_empty() { Ok(out) } else { Err(failures.faults) }
}

impl Failures<'_> {
    /// The arms of an enum.
    fn arms(&mut self, name: &str, prefix: &str) -> String {
        let Some(item) = self.enums.get(name).cloned() else {
            self.faults.push(format!("there is no enum {name}"));
            return String::new();
        };
        let mut out = String::new();
        for variant in &item.variants {
            let path = format!("{name}::{}", variant.ident);
            let message = format!("{prefix}-{}", kebab(&variant.ident.to_string()));
            match &variant.fields {
                Fields::Unnamed(fields) => {
                    let inner =
                        fields.unnamed.first().and_then(|field| type_name(&field.ty)).unwrap_or_default();
                    let arms = self.arms(&inner, &message);
                    let _ = writeln!(out, "{path}(it) => match it {{\n{arms}}},");
                }
                fields => {
                    let fields =
                        fields.iter().filter_map(|it| Some((it.ident.as_ref()?.to_string(), &it.ty)));
                    out.push_str(&self.arm(&path, &message, prefix, &fields.collect::<Vec<_>>()));
                }
            }
        }
        out
    }

    /// The arms of a variant with named fields, or without any.
    fn arm(&mut self, path: &str, message: &str, prefix: &str, fields: &[(String, &Type)]) -> String {
        if self.by_hand.contains(&message) {
            let names = fields.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(", ");
            return format!("{path} {{ {names} }} => by_hand::{}({names}),\n", message.replace('-', "_"));
        }
        if let Some((_, other)) = self.same.iter().find(|(name, _)| *name == message) {
            return self.call(path, other, prefix, fields, None);
        }
        let kind = |name: &str| fields.iter().find(|it| it.0 == name).and_then(|it| type_name(it.1));
        // One message for each variant of a field, where there is any.
        let spread = |(field, ty): &(String, &Type)| {
            let item = self.enums.get(&type_name(ty)?)?;
            let of = |it: &syn::Variant| format!("{message}-{}", kebab(&it.ident.to_string()));
            let any = item.variants.iter().any(|it| self.messages.contains_key(&*of(it)));
            let variants = item.variants.iter();
            any.then(|| {
                variants.map(|it| (format!("{field}: {}::{}", item.ident, it.ident), of(it))).collect()
            })
        };
        let spread: Option<Vec<(String, String)>> = fields.iter().find_map(spread);
        if let Some(variants) = spread {
            let variants = variants.iter();
            return variants.map(|(only, of)| self.call(path, of, prefix, fields, Some(only))).collect();
        }
        // A second message where a field has something.
        let mut out = String::new();
        for (field, _) in fields {
            let second = format!("{message}-{}", kebab(field));
            let only = match kind(field).as_deref() {
                Some("bool") => format!("{field}: true"),
                Some("Option") => format!("{field}: Some({field})"),
                _ => continue,
            };
            if self.messages.contains_key(&*second) {
                out.push_str(&self.call(path, &second, prefix, fields, Some(&only)));
            }
        }
        out + &self.call(path, message, prefix, fields, None)
    }

    /// An arm that takes a message. `only` is the pattern of a field.
    fn call(
        &mut self,
        path: &str,
        message: &str,
        prefix: &str,
        fields: &[(String, &Type)],
        only: Option<&str>,
    ) -> String {
        let Some(arguments) = self.messages.get(message).copied() else {
            self.faults.push(format!("en.ftl: `{message}` is missing, the text of {path}"));
            return String::new();
        };
        let mut amounts = Vec::new();
        let mut values = Vec::new();
        for (name, is_number) in arguments {
            let ty = fields.iter().find(|(field, _)| field == name).and_then(|(_, ty)| inner(ty));
            values.push(match (ty.as_deref(), is_number) {
                (Some("u64"), true) => format!("*{name}"),
                (Some("u32" | "u16"), true) => format!("u64::from(*{name})"),
                (Some("u64"), false) => {
                    amounts.push(name);
                    format!("&{name}")
                }
                (Some("String"), false) => name.clone(),
                (Some("Vec"), false) => format!("&{name}.join(\", \")"),
                (Some("u16" | "u32" | "i64"), false) => format!("&{name}.to_string()"),
                (Some(other), false) if self.enums.contains_key(other) => self.choice(name, other, prefix),
                _ => {
                    self.faults.push(format!(
                        "en.ftl: `{message}` has ${name}, which {path} has not in a form that is written"
                    ));
                    String::new()
                }
            });
        }
        let amounts = match amounts.as_slice() {
            [] => String::new(),
            [one] => format!("let {one} = format::bytes(*{one}); "),
            [one, other] => format!("let ({one}, {other}) = compared(*{one}, *{other}); "),
            _ => {
                self.faults.push(format!("en.ftl: `{message}` has more than two amounts"));
                String::new()
            }
        };
        let bound: BTreeSet<&str> = arguments.iter().map(|(name, _)| &**name).collect();
        let mut bindings: Vec<&str> = only.into_iter().collect();
        bindings.extend(
            bound.into_iter().filter(|name| only.is_none_or(|it| !it.starts_with(&format!("{name}: ")))),
        );
        bindings.extend((bindings.len() < fields.len()).then_some(".."));
        let pattern =
            if fields.is_empty() { String::new() } else { format!(" {{ {} }}", bindings.join(", ")) };
        let into = if arguments.is_empty() { ".into()" } else { "" };
        let function = message.replace('-', "_");
        format!("{path}{pattern} => {{ {amounts}t().{function}({}){into} }}\n", values.join(", "))
    }

    /// What an enum says, in the words of a message with a choice.
    fn choice(&mut self, field: &str, name: &str, prefix: &str) -> String {
        let message = format!("{prefix}-{}", kebab(field));
        if !self.messages.contains_key(&*message) {
            self.faults.push(format!("en.ftl: `{message}` is missing, with a choice for {name}"));
        }
        let variants = self.enums.get(name).into_iter().flat_map(|item| &item.variants);
        let arms: String = variants
            .map(|it| format!("{name}::{} => {:?}, ", it.ident, kebab(&it.ident.to_string())))
            .collect();
        format!("&t().{}(match {field} {{ {arms}}})", message.replace('-', "_"))
    }
}

/// `NotGguf` and `not_gguf` as messages are called: `not-gguf`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase().map(|it| if it == '_' { '-' } else { it }));
    }
    out
}

/// The last name of a type's path.
fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// The same, of an `Option` that of what is in it.
fn inner(ty: &Type) -> Option<String> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(ty)) = arguments.args.first()
    {
        return type_name(ty);
    }
    type_name(ty)
}
